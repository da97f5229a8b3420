/** Gates: what a release must hold to before it becomes the active one without anybody's word. */

import { z } from "zod";
import { named } from "./named.ts";
import { publicVersion } from "./rubric.ts";

/** The gates there are, and what each asks. */
export const GATES = {
  coverage: "every harvested payload is counted once, for each source and in all, and the tables hold what is counted",
  caps: "no score lies above what its source's pledge allows",
  completeness: "no source has much fewer records than in the release before",
  lost: "no source has lost many records without a word",
  failed: "no source has many records that could not be read, or many more than before",
  drift: "no source's mean moved far, under any public version",
  harvested: "a source that comes for the first time came as its service counts it",
  records: "a source that comes for the first time has records",
} as const;

export const gateName = z.enum(["coverage", "caps", "completeness", "lost", "failed", "drift", "harvested", "records"]);
export type GateName = z.infer<typeof gateName>;

export const gate = named(
  "Gate",
  z
    .object({
      gate: gateName,
      source: z.string().nullable().describe("Null where it is of the whole release."),
      rubric: publicVersion.nullable(),
      passed: z.boolean(),
      detail: z.string().describe("The value that was found, and the bound."),
    })
    .describe("One gate before activation, and how the release stood it."),
);
export type Gate = z.infer<typeof gate>;

const share = z.number().min(0).max(1);

/** Bounds of the gates: those of a source that the release before had, and of one that comes for the first time. */
export const gateLimits = z.strictObject({
  completeness: share.describe(
    "Least records of a source, as a share of those it had; what was withdrawn does not count.",
  ),
  lost: share.describe("Most records of a source that may be lost without a word, as a share of those it had."),
  failed: share.describe("Most that the share of a source's records that cannot be read may grow."),
  drift: z.number().min(0).max(100).describe("Most points that the mean total of a source may move."),
  firstHarvested: share.describe(
    "Least records of a source's first harvest, as a share of those its service said it has.",
  ),
  firstFailed: share.describe("Most records that cannot be read, as a share of a source's first ones."),
  firstRecords: z.int().min(0).describe("Least records of a source that comes for the first time."),
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
