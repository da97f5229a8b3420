/** The movements from one release to another, and their causes: tables, summary and words. */

import { z } from "zod";
import { named } from "../named.ts";
import { reader, scoreRelease } from "../release.ts";
import { publicVersion, releasedContractId } from "../rubric.ts";
import { isoDate } from "../scalars.ts";
import { signalId, signalState } from "../signal.ts";
import type { Table } from "../tables.ts";
import { scoreStatus } from "./record.ts";
import { quadrant, researcherTier } from "./researcher.ts";

/**
 * The causes that can move a signal, in the order in which one after the other is put in the place of the old (ADR 10).
 */
export const CAUSES = {
  source: "the source carries a field it did not, or no longer does, or another source speaks for the dataset",
  observed_use: "use observed since, such as a first citation: nothing about the deposit changed",
  metadata: "the dataset's own description changed",
  as_of: "the same description is judged by another day, such as when an embargo has ended",
  reading: "the same payload is read in another way, by other word lists or other code",
  pledge: "the source's pledge changed",
  contract: "the rubric contract changed",
  policy: "the release's policy changed, such as how many signals a total takes",
  unknown: "the contracts or pledges of the earlier release are not at hand, so that nothing can be recomputed",
} as const;

export const cause = z.enum([
  "source",
  "observed_use",
  "metadata",
  "as_of",
  "reading",
  "pledge",
  "contract",
  "policy",
  "unknown",
]);
export type Cause = z.infer<typeof cause>;

/** Why a record came or went. */
export const REASONS = {
  new: "harvested for the first time",
  source_added: "its source is new to the release",
  split: "it was merged into another record before",
  returned: "it was withdrawn, or was no dataset, before",
  tombstone: "withdrawn at its source",
  not_dataset: "its source no longer calls it a dataset",
  merged: "merged into another record of the same DOI",
  source_gone: "its source has no record in the release",
  lost: "nothing is known of it any more",
} as const;

export const reason = z.enum([
  "new",
  "source_added",
  "split",
  "returned",
  "tombstone",
  "not_dataset",
  "merged",
  "source_gone",
  "lost",
]);

export const changeKind = z.enum(["added", "removed", "moved"]);

/** The file of a release that `/releases/{digest}/diff` answers with. */
export const DIFF_FILE = "data/diff.json";

/** The tables of a diff; a release has them beside its own, outside the digest, as history is. */
export const DIFF_TABLES = {
  change: {
    name: "change",
    published: "diff-records",
    grain: "one record added, removed or moved under one public version",
    key: ["rubric", "id"],
    columns: {
      rubric: "text",
      id: "text",
      kind: "text",
      previous_id: "text",
      identifier: "text",
      source: "text",
      previous_source: "text",
      repository: "text",
      title: "text",
      status_before: "text",
      status_after: "text",
      total_before: "int",
      total_after: "int",
      points: "int",
      causes: "text",
      reason: "text",
      signals: "text",
    },
  },
  signal_change: {
    name: "signal_change",
    published: "diff-signals",
    grain: "one signal of a moved record under one public version, moved by one cause",
    key: ["rubric", "id", "bit", "cause"],
    columns: {
      rubric: "text",
      id: "text",
      bit: "int",
      signal: "text",
      cause: "text",
      state_before: "text",
      state_after: "text",
      points: "int",
    },
  },
  researcher_change: {
    name: "researcher_change",
    published: "diff-researchers",
    grain: "one researcher whose S-Index, S-Impact, tier or quadrant moved under one public version",
    key: ["rubric", "id"],
    columns: {
      rubric: "text",
      id: "text",
      slug: "text",
      name: "text",
      s_index_before: "int",
      s_index_after: "int",
      s_impact_before: "int",
      s_impact_after: "int",
      tier_before: "text",
      tier_after: "text",
      quadrant_before: "text",
      quadrant_after: "text",
      dataset_count_before: "int",
      dataset_count_after: "int",
    },
  },
} as const satisfies Record<string, Table>;

/** Paths of the tables. */
export const DIFF_TABLE_FILES = Object.values(DIFF_TABLES).map(({ published }) => `data/${published}.parquet`);

const count = z.int().min(0);
const total = z.int().min(0).max(100).nullable();

export const signalChange = named(
  "SignalChange",
  z
    .object({
      signal: signalId,
      cause,
      before: signalState,
      after: signalState,
      points: z.int().min(-4).max(4),
    })
    .describe("One signal moved by one cause."),
);

export const recordChange = named(
  "RecordChange",
  z
    .object({
      kind: changeKind,
      rubric: publicVersion,
      id: z.string(),
      previousId: z.string().nullable().describe("The id in the earlier release, where another source spoke for it."),
      identifier: z.string(),
      source: z.string(),
      previousSource: z.string().nullable(),
      repository: z.string().nullable(),
      title: z.string().nullable(),
      statusBefore: scoreStatus.nullable().describe("Null for what came."),
      statusAfter: scoreStatus.nullable().describe("Null for what went."),
      totalBefore: total,
      totalAfter: total,
      points: z.int().nullable().describe("The gain of the total; null where one of the two is null."),
      causes: z.array(cause),
      reason: reason.nullable().describe("The reason that it came or went."),
      signals: z.array(signalChange),
    })
    .describe("One record that came, went or moved, under one public version."),
);
export type RecordChange = z.infer<typeof recordChange>;

export const researcherChange = named(
  "ResearcherChange",
  z
    .object({
      rubric: publicVersion,
      id: z.string(),
      slug: z.string(),
      name: z.string(),
      sIndexBefore: count,
      sIndexAfter: count,
      sImpactBefore: count,
      sImpactAfter: count,
      tierBefore: researcherTier.nullable(),
      tierAfter: researcherTier.nullable(),
      quadrantBefore: quadrant.nullable(),
      quadrantAfter: quadrant.nullable(),
      datasetCountBefore: count,
      datasetCountAfter: count,
    })
    .describe("A researcher whose S-Index, S-Impact, tier or quadrant moved."),
);
export type ResearcherChange = z.infer<typeof researcherChange>;

const mean = z.number().nullable();

const flow = {
  before: count.describe("Records in the earlier release."),
  after: count.describe("Records in the later release."),
  added: count,
  removed: count,
};

const movement = {
  moved: count.describe("Records with a signal in another state."),
  up: count.describe("Those whose total rose."),
  down: count.describe("Those whose total fell."),
  meanBefore: mean.describe("Mean total of the scored records."),
  meanAfter: mean,
};

const side = scoreRelease.extend({ asOf: isoDate });

export const releaseDiff = named(
  "ReleaseDiff",
  z
    .object({
      from: side.nullable().describe("The earlier release; null for the first of all, where every record is added."),
      to: side,
      causes: z
        .array(cause)
        .describe(
          "The order in which causes were put in one after the other: each has what it moved on top of those before.",
        ),
      attributed: z.boolean().describe("False where contracts or pledges of the earlier release are not at hand."),
      readers: z
        .array(
          z.object({
            source: z.string(),
            before: reader.nullable().describe("Null where the earlier release does not say."),
            after: reader.nullable(),
          }),
        )
        .default([])
        .describe("Sources whose payloads are read by another normaliser or by other word lists than before."),
      records: z.object(flow),
      reasons: z
        .array(z.object({ kind: changeKind, reason, records: count }))
        .describe("The reasons that records came and went."),
      rubrics: z.array(
        z.object({
          rubric: publicVersion,
          contractBefore: releasedContractId.nullable(),
          contractAfter: releasedContractId,
          ...movement,
          byCause: z
            .array(z.object({ cause, records: count, signals: count, gained: count, lost: count }))
            .describe("Points gained and lost by each cause."),
          bySignal: z
            .array(z.object({ signal: signalId, cause, records: count, points: z.int() }))
            .describe("The same by signal."),
          researchers: z
            .object({
              up: count.describe("S-Index rose."),
              down: count.describe("S-Index fell."),
              sImpactUp: count,
              sImpactDown: count,
              tierUp: count,
              tierDown: count,
              quadrantMoved: count.describe(
                "Researchers who moved from one quadrant to another, to none or from none.",
              ),
              added: count,
              removed: count,
            })
            .describe("Researchers whose figures moved, who came and who went."),
        }),
      ),
      sources: z.array(z.object({ source: z.string(), rubric: publicVersion, ...flow, ...movement })),
      largest: z.array(recordChange).describe("The records that moved most, at most 100 a public version."),
      added: z.array(recordChange).describe("At most 100 a public version, best first."),
      removed: z.array(recordChange).describe("At most 100 a public version, best first."),
      researchers: z.array(researcherChange).describe("Those whose figures moved most, at most 100 a public version."),
      files: z.array(z.string()).describe("The whole of it: files of the later release."),
    })
    .describe("The movements since the release before, and their causes."),
);
export type ReleaseDiff = z.infer<typeof releaseDiff>;

/** What became of a source's reader, in words: by its version, and where that stayed, by its digest. */
export function readerChange({ before, after }: Omit<ReleaseDiff["readers"][number], "source">): string {
  if (before === null || after === null) return "read by another version of the program";
  if (before.version !== after.version) return `reader ${before.version} → ${after.version}`;
  return `reader ${after.version}, in other code`;
}
