/** Badges: the ways they can be asked for, and the form in which shields.io takes them. */

import { z } from "zod";
import { named } from "../named.ts";
import { rubricParameter } from "./queries.ts";

/** The styles of shields.io. */
export const BADGE_STYLES = ["flat", "flat-square", "plastic", "for-the-badge", "social"] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];

/** Letters and digits that fit on a badge; a longer one is no badge any more. */
const LONGEST_LABEL = 60;

/** Control characters, and those that turn the direction of what follows, would be seen by nobody. */
const SHOWN = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;
/** The same of the characters that are assigned, for OpenAPI: without `\p`, which most dialects do not have. */
const SHOWN_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb]+$";

export const badgeQuery = z.object({
  rubric: rubricParameter,
  style: z
    .enum(BADGE_STYLES, `must be one of ${BADGE_STYLES.join(", ")}`)
    .default("flat")
    .meta({ description: "Form of the badge, by its name at shields.io.", examples: ["flat-square"] }),
  label: z
    .string()
    .max(LONGEST_LABEL, `must have at most ${LONGEST_LABEL} characters`)
    .refine((label) => SHOWN.test(label), "must have a character, and none that is not shown")
    .meta({ pattern: SHOWN_PATTERN })
    .optional()
    .meta({ description: "Text of the left half in place of the usual one.", examples: ["data sharing"] }),
});

/** Of datasets alone: researchers can have themselves hidden, also from releases of the past. */
export const datasetBadgeQuery = badgeQuery.extend({
  release: z
    .string()
    .regex(/^sha256-[0-9a-f]{64}$/, "must be the digest of a release, written sha256-<hex>")
    .optional()
    .meta({
      description:
        "Digest of the release that the figure is to be of; without it the badge follows the active release. A release that the server has no more is 404.",
      examples: [`sha256-${"0".repeat(64)}`],
    }),
});

/** How a badge looks, apart from what it says. */
export interface BadgeLook {
  readonly style: BadgeStyle;
  /** Null for the usual one. */
  readonly label: string | null;
}

/** What shields.io reads (its "endpoint badge", version 1 of the schema). */
export const endpointBadge = named(
  "EndpointBadge",
  z
    .object({
      schemaVersion: z.literal(1).describe("Version of the schema of shields.io."),
      label: z.string().describe("Text of the left half."),
      message: z.string().min(1).describe("Text of the right half."),
      color: z.string().describe("Ground of the right half, by tier."),
      labelColor: z.string().describe("Ground of the left half."),
      style: z.enum(BADGE_STYLES).optional().describe("Form of the badge, where one is asked for."),
      cacheSeconds: z.int().min(300).describe("Seconds for which it need not be asked for again."),
    })
    .describe("A badge as shields.io takes it from an endpoint."),
);
export type EndpointBadge = z.infer<typeof endpointBadge>;
