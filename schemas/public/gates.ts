/** Gates: checks of a release. If one fails, activating the release requires `--force`. */

import { z } from "zod";
import { named } from "./named.ts";
import { publicVersion } from "./rubric.ts";

export const GATES = {
  coverage: "every harvested payload is counted once, for each source and in total, and the tables agree",
  caps: "no score exceeds the cap of its source",
  completeness: "no source has far fewer records than in the previous release",
  lost: "no source lost many records without a tombstone",
  failed: "no source has many unreadable records, or many more than before",
  drift: "no source's mean changed much, under any public version",
  harvested: "a new source has as many records as its service reports",
  records: "a new source has records",
} as const;

export const gateName = z.enum(["coverage", "caps", "completeness", "lost", "failed", "drift", "harvested", "records"]);
export type GateName = z.infer<typeof gateName>;

export const gate = named(
  "Gate",
  z
    .object({
      gate: gateName,
      source: z.string().nullable().describe("Null for the whole release."),
      rubric: publicVersion.nullable(),
      passed: z.boolean(),
      detail: z.string().describe("The value and the bound."),
    })
    .describe("One gate and its result."),
);
export type Gate = z.infer<typeof gate>;

const share = z.number().min(0).max(1);

/** Limits of the gates, for known and for new sources. */
export const gateLimits = z.strictObject({
  completeness: share.describe(
    "Minimum records of a source, as a share of its previous records; withdrawn records do not count.",
  ),
  lost: share.describe(
    "Maximum records that a source can lose without a tombstone, as a share of its previous records.",
  ),
  failed: share.describe("Maximum increase of a source's share of unreadable records."),
  drift: z.number().min(0).max(100).describe("Maximum change of a source's mean total, in points."),
  firstHarvested: share.describe("Minimum records of a new source, as a share of the number that its service reports."),
  firstFailed: share.describe("Maximum unreadable records of a new source, as a share of its records."),
  firstRecords: z.int().min(0).describe("Minimum records of a new source."),
});
export type GateLimits = z.infer<typeof gateLimits>;

export const DEFAULT_GATE_LIMITS: GateLimits = {
  completeness: 0.99,
  lost: 0.01,
  failed: 0.02,
  drift: 5,
  firstHarvested: 0.95,
  firstFailed: 0.1,
  firstRecords: 1,
};
