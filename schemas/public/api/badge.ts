/** Badges: their query parameters, and the format of shields.io. */

import { z } from "zod";
import { named } from "../named.ts";
import { visibleText } from "../text.ts";
import { rubricParameter } from "./parameters.ts";

/** The badge styles of shields.io that this service offers. */
export const BADGE_STYLES = ["flat", "flat-square", "plastic", "for-the-badge", "social"] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];

const MAX_LABEL_LENGTH = 60;

export const badgeQuery = z.object({
  rubric: rubricParameter,
  style: z
    .enum(BADGE_STYLES, `must be one of ${BADGE_STYLES.join(", ")}`)
    .default("flat")
    .meta({ description: "Style of the badge, by its name at shields.io.", examples: ["flat-square"] }),
  label: visibleText(MAX_LABEL_LENGTH)
    .optional()
    .meta({ description: "Text of the left half.", examples: ["data sharing"] }),
});

/**
 * Parameters of dataset badges. Badges of researchers have no parameter `release`, because an old release may show a
 * researcher who is hidden now.
 */
export const datasetBadgeQuery = badgeQuery.extend({
  release: z
    .string()
    .regex(/^sha256[-:][0-9a-f]{64}$/, "must be the digest of a release, such as sha256-<hex>")
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

/** The response for the endpoint badge of shields.io, version 1. */
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
