/** What other sites embed: a card in a frame, and the answer by which they find it (oEmbed 1.0, https://oembed.com). */

import { z } from "zod";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Pixels of a card: what fits in the narrowest column, and what it has where there is room. */
export const FRAME = { width: 440, height: 264, least: 280 } as const;

export const theme = z
  .enum(THEMES, `must be one of ${THEMES.join(", ")}`)
  .default("auto")
  .describe("Light, dark, or as the reader's system is.");

/** A bound that the page around sets, in pixels. */
const pixels = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, "must be a whole number of pixels")
  .transform(Number)
  .optional();

export const oembedQuery = z.object({
  url: z
    .string()
    .min(1, "must be the address of a page")
    .max(2048)
    .describe("Address of the page of a dataset, a repository or a researcher."),
  maxwidth: pixels.describe("Most pixels across."),
  maxheight: pixels.describe("Most pixels down."),
  format: z.enum(["json", "xml"], "must be json or xml").default("json").describe("The form of the answer."),
  theme,
});
export type OembedQuery = z.infer<typeof oembedQuery>;

export const oembed = z.object({
  version: z.literal("1.0"),
  type: z.literal("rich"),
  title: z.string(),
  provider_name: z.literal("SHARE"),
  provider_url: z.string(),
  cache_age: z.int(),
  /** Of a dataset: nothing else has a picture. */
  thumbnail_url: z.string().optional(),
  thumbnail_width: z.int().optional(),
  thumbnail_height: z.int().optional(),
  html: z.string(),
  width: z.int(),
  height: z.int(),
});
export type Oembed = z.infer<typeof oembed>;
