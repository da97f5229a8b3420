/** Badges: query parameters, and the format of shields.io. */

import { z } from "zod";
import { named } from "../named.ts";
import { rubricParameter } from "./queries.ts";

/** The styles of shields.io. */
export const BADGE_STYLES = ["flat", "flat-square", "plastic", "for-the-badge", "social"] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];

const LONGEST_LABEL = 60;

/** Matches texts without control characters and characters that change the text direction, which are invisible. */
const SHOWN = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;
/** The same pattern for OpenAPI, without `\p`, which most dialects of regular expressions do not support. */
const SHOWN_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb]+$";

export const badgeQuery = z.object({
  rubric: rubricParameter,
  style: z
    .enum(BADGE_STYLES, `must be one of ${BADGE_STYLES.join(", ")}`)
    .default("flat")
    .meta({ description: "Style of the badge, by its name at shields.io.", examples: ["flat-square"] }),
  label: z
    .string()
    .max(LONGEST_LABEL, `must have at most ${LONGEST_LABEL} characters`)
    .refine((label) => SHOWN.test(label), "must have at least one character, and only visible ones")
    .meta({ pattern: SHOWN_PATTERN })
    .optional()
    .meta({ description: "Text of the left half.", examples: ["data sharing"] }),
});

/**
 * Parameters of dataset badges. Other badges cannot name a release, because a researcher may be hidden in past releases
 * too.
 */
export const datasetBadgeQuery = badgeQuery.extend({
  release: z
    .string()
    .regex(/^sha256-[0-9a-f]{64}$/, "must be the digest of a release, written sha256-<hex>")
    .optional()
    .meta({
      description:
        "Digest of a release. Without it, the badge uses the active release. A release that the server no longer has is 404.",
      examples: [`sha256-${"0".repeat(64)}`],
    }),
});

/** The style and label of a badge. */
export interface BadgeLook {
  readonly style: BadgeStyle;
  readonly label: string | null;
}

/** The format of shields.io's endpoint badge, version 1. */
export const endpointBadge = named(
  "EndpointBadge",
  z
    .object({
      schemaVersion: z.literal(1).describe("Version of the schema of shields.io."),
      label: z.string().describe("Text of the left half."),
      message: z.string().min(1).describe("Text of the right half."),
      color: z.string().describe("Colour of the right half. The colour of a score shows its share of the cap."),
      labelColor: z.string().describe("Ground of the left half."),
      style: z.enum(BADGE_STYLES).optional().describe("Style of the badge, if the request has one."),
      cacheSeconds: z.int().min(300).describe("Seconds for which shields.io can cache it."),
    })
    .describe("A badge in the format of shields.io's endpoint badges."),
);
export type EndpointBadge = z.infer<typeof endpointBadge>;
