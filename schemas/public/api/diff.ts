/** The changes between two releases and their causes: as tables, as a summary, and as texts. */

import { z } from "zod";
import { named } from "../named.ts";
import { reader, scoreRelease } from "../release.ts";
import { publicVersion, releasedContractId } from "../rubric.ts";
import { isoDate } from "../scalars.ts";
import { signalId, signalState } from "../signal.ts";
import type { Table } from "../tables.ts";
import { scoreStatus } from "./record.ts";

/** The causes of a changed signal, in the order in which a diff replaces the old inputs by the new ones (ADR 10). */
export const CAUSES = {
  source: "another source now describes the dataset, or its source added or dropped a field",
  observed_use: "observed use changed, such as a first citation; the deposit did not change",
  metadata: "the metadata of the dataset changed",
  as_of: "the as-of date changed, for example an embargo has ended",
  reading: "we read the same metadata with other word lists or other code",
  pledge: "the list of what the source can show changed",
  contract: "the rules of the signals changed",
  policy: "the policy of the release changed, such as the least number of signals that must be judged",
  unknown: "the rules of the earlier release are not available, so the cause cannot be computed",
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

export const REASONS = {
  new: "harvested for the first time",
  source_added: "its source is new to the release",
  split: "it was part of another record before",
  returned: "it was withdrawn, or was not a dataset, before",
  tombstone: "withdrawn at its source",
  not_dataset: "its source no longer calls it a dataset",
  merged: "merged into another record of the same DOI",
  source_gone: "its source has no record in the release",
  lost: "it is missing without a known reason",
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

/** The file with the response of `/releases/{digest}/diff`. */
export const DIFF_FILE = "data/diff.json";

/** The tables of a diff. Like the history, they are files of the release that its digest does not cover. */
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
    grain: "one researcher whose S-Index or S-Impact moved under one public version",
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
      dataset_count_before: "int",
      dataset_count_after: "int",
    },
  },
} as const satisfies Record<string, Table>;

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
      previousId: z.string().nullable().describe("The id in the earlier release, if another source described it."),
      identifier: z.string(),
      source: z.string(),
      previousSource: z.string().nullable(),
      repository: z.string().nullable(),
      title: z.string().nullable(),
      statusBefore: scoreStatus.nullable().describe("Null for what came."),
      statusAfter: scoreStatus.nullable().describe("Null for what went."),
      totalBefore: total,
      totalAfter: total,
      points: z.int().nullable().describe("The change of the total; null if one of the totals is null."),
      causes: z.array(cause),
      reason: reason.nullable().describe("The reason why it was added or removed."),
      signals: z.array(signalChange),
    })
    .describe("One record that was added, removed or changed, under one public version."),
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
      datasetCountBefore: count,
      datasetCountAfter: count,
    })
    .describe("A researcher whose S-Index or S-Impact changed."),
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
      from: side.nullable().describe("The earlier release; null for the first release, in which every record is new."),
      to: side,
      causes: z
        .array(cause)
        .describe(
          "The order in which the diff replaced the inputs. Each cause has the changes beyond those of the causes before it.",
        ),
      attributed: z.boolean().describe("False if contracts or pledges of the earlier release are not available."),
      readers: z
        .array(
          z.object({
            source: z.string(),
            before: reader.nullable().describe("Null if the earlier release does not state it."),
            after: reader.nullable(),
          }),
        )
        .default([])
        .describe("Sources whose normaliser or word lists changed."),
      records: z.object(flow),
      reasons: z
        .array(z.object({ kind: changeKind, reason, records: count }))
        .describe("The reasons why records were added or removed."),
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
              added: count,
              removed: count,
            })
            .describe("Changed, new and removed researchers."),
        }),
      ),
      sources: z.array(z.object({ source: z.string(), rubric: publicVersion, ...flow, ...movement })),
      largest: z.array(recordChange).describe("The largest changes, at most 100 for each public version."),
      added: z.array(recordChange).describe("At most 100 for each public version, highest totals first."),
      removed: z.array(recordChange).describe("At most 100 for each public version, highest totals first."),
      researchers: z.array(researcherChange).describe("The largest changes, at most 100 for each public version."),
      files: z.array(z.string()).describe("Files of the later release with all changes."),
    })
    .describe("The changes since the previous release and their causes."),
);
export type ReleaseDiff = z.infer<typeof releaseDiff>;

/** Describes how the reader of a source changed: by its version, or by its digest if the version is the same. */
export function readerChange({ before, after }: Omit<ReleaseDiff["readers"][number], "source">): string {
  if (before === null || after === null) return "read by another version of the program";
  if (before.version !== after.version) return `version ${before.version} → ${after.version}`;
  return `version ${after.version} with other code or word lists`;
}

/**
 * Describes how many of the changed datasets have more or fewer points than before. The others have the same points, or no
 * score in one of the two releases.
 */
export function movedText({ moved, up, down }: Pick<ReleaseDiff["rubrics"][number], "moved" | "up" | "down">): string {
  const others = moved - up - down;
  const text = (value: number) => value.toLocaleString("en-GB");
  return [
    `${text(up)} up`,
    `${text(down)} down`,
    ...(others === 0 ? [] : [`${text(others)} with other signals but no change in points`]),
  ].join(", ");
}
