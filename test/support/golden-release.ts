/**
 * The golden release: the current scores of the bundled corpus. It is small enough to read, so that every change is visible.
 */

import { join } from "node:path";
import { z } from "zod";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { coverage, digest, type Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import {
  getSignalState,
  type Masks,
  SIGNAL_IDS,
  SIGNALS_PER_BUCKET,
  type SignalState,
} from "../../schemas/public/signal.ts";
import { REPOSITORY } from "./bundled-corpus.ts";
import { bundledRelease } from "./temporary-store.ts";

export const GOLDEN = join(REPOSITORY, "fixtures/golden/release.json");

/** One letter for each state, so that a record fits on a line. */
const LETTERS: Readonly<Record<SignalState, string>> = {
  passed: "P",
  absent: "a",
  not_evaluable: "n",
  source_missing: "m",
  failed: "f",
  unsupported: "-",
};

const total = z.int().min(0).max(100).nullable();
/** The states of a record as 25 letters in the order of the signals, with a space between buckets: `PPanP aannn …`. */
const states = z.string().regex(/^[Panmf-]{5}( [Panmf-]{5}){4}$/);

export const goldenRelease = z.strictObject({
  asOf: z.string(),
  releaseDigest: digest,
  coverage,
  /** Inputs of the digest besides the tables. They explain why the digest changed if no score changed. */
  inputs: z.record(z.string(), z.string()),
  /** Merkle root of each table, by the name of the table. */
  tables: z.record(z.string(), digest),
  /** The root over the pages of each family, such as `2.0/record`. */
  pages: z.record(z.string(), digest),
  /**
   * Totals and states by record id. If the record could not be read, totals are null and states are absent. If evidence is
   * insufficient, only totals are null.
   */
  totals: z.record(
    z.string(),
    z.strictObject({ identifier: z.string(), "2.0": total, "1.0": total, states: z.partialRecord(z.string(), states) }),
  ),
});
export type GoldenRelease = z.infer<typeof goldenRelease>;
type GoldenRecord = GoldenRelease["totals"][string];

/** Builds the release of the bundled corpus alone, once for each test run, and returns its golden content. */
export async function makeGoldenRelease(): Promise<GoldenRelease> {
  await using bundled = await bundledRelease();
  const { folder, receipt } = bundled;
  return goldenRelease.parse({
    asOf: receipt.asOf,
    releaseDigest: receipt.releaseDigest,
    coverage: receipt.coverage,
    ...receipt.content,
    totals: await readTotals(folder, receipt),
  });
}

async function readTotals(release: string, { rubrics }: Receipt): Promise<Record<string, GoldenRecord>> {
  const db = await openTables(releaseTablePaths(release), { threads: 1, memory: "256MB" });
  try {
    const rows = await db.rows(
      `select record.id, record.source || '/' || record.source_id as identifier, score.*
       from record left join score on score.id = record.id
       order by record.source, record.source_id, score.rubric desc`,
    );
    const totals: Record<string, GoldenRecord> = {};
    for (const { id, identifier, rubric, total, ...score } of rows) {
      totals[String(id)] ??= { identifier: String(identifier), "2.0": null, "1.0": null, states: {} };
      const record = totals[String(id)];
      const published = rubrics.find(({ version }) => version === rubric)?.version;
      if (record === undefined || published === undefined) continue;
      record[published] = total === null || total === undefined ? null : Number(total);
      record.states[published] = statesText({
        supportedMask: Number(score.supported_mask),
        evaluableMask: Number(score.evaluable_mask),
        passedMask: Number(score.passed_mask),
        sourceMissingMask: Number(score.source_missing_mask),
        failedMask: Number(score.failed_mask),
      });
    }
    return totals;
  } finally {
    db.close();
  }
}

function statesText(masks: Masks): string {
  return SIGNAL_IDS.map(
    (_, bit) => (bit > 0 && bit % SIGNALS_PER_BUCKET === 0 ? " " : "") + LETTERS[getSignalState(bit, masks)],
  ).join("");
}

/** Returns the text of release.json, with one line for each record, so that a changed record is a changed line. */
export function goldenText({ totals, ...rest }: GoldenRelease): string {
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, "");
  const lines = Object.entries(totals).map(([id, record]) => `    ${JSON.stringify(id)}: ${JSON.stringify(record)}`);
  return `${head},\n  "totals": {\n${lines.join(",\n")}\n  }\n}\n`;
}

/**
 * Returns the differences between two golden releases, records first, each as one line. The list is empty if there are none.
 */
export function goldenDifferences(before: GoldenRelease, after: GoldenRelease): string[] {
  const ids = [...new Set([...Object.keys(before.totals), ...Object.keys(after.totals)])];
  const changed = <T>(name: string, old: Record<string, T>, now: Record<string, T>) =>
    [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .filter((key) => old[key] !== now[key])
      .map((key) => `${name} ${key}: ${old[key] ?? "none"} → ${now[key] ?? "none"}`);
  const named = ({ asOf, releaseDigest }: GoldenRelease) => ({ "as-of date": asOf, digest: releaseDigest });
  return [
    ...ids.flatMap((id) => recordDifferences(before.totals[id], after.totals[id])),
    ...changed("coverage", before.coverage, after.coverage),
    ...changed("input", before.inputs, after.inputs),
    ...changed("table", before.tables, after.tables),
    ...changed("pages", before.pages, after.pages),
    ...changed("release", named(before), named(after)),
  ];
}

function recordDifferences(before: GoldenRecord | undefined, after: GoldenRecord | undefined): string[] {
  if (before === undefined) return after === undefined ? [] : [`${after.identifier}: new, ${totalsText(after)}`];
  if (after === undefined) return [`${before.identifier}: gone, was ${totalsText(before)}`];
  if (before.identifier !== after.identifier) return [`${before.identifier}: now called ${after.identifier}`];
  return PUBLIC_VERSIONS.flatMap((version) => {
    const signals = signalDifferences(before.states[version], after.states[version]);
    if (before[version] === after[version] && signals.length === 0) return [];
    const why = signals.length === 0 ? "" : ` (${signals.join(", ")})`;
    return [`${before.identifier}: ${version} ${pointsText(before, version)} → ${pointsText(after, version)}${why}`];
  });
}

function signalDifferences(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const word = (letter: string | undefined) => Object.entries(LETTERS).find(([, other]) => other === letter)?.[0] ?? "";
  const [old, now] = [before.replaceAll(" ", ""), after.replaceAll(" ", "")];
  return SIGNAL_IDS.flatMap((id, bit) =>
    old[bit] === now[bit] ? [] : [`${id} ${word(old[bit])} → ${word(now[bit])}`],
  );
}

function totalsText(record: GoldenRecord): string {
  return PUBLIC_VERSIONS.map((version: PublicVersion) => `${version} ${pointsText(record, version)}`).join(", ");
}

function pointsText(record: GoldenRecord, version: PublicVersion): string {
  const without = record.states[version] === undefined ? "not scored" : "insufficient evidence";
  return String(record[version] ?? without);
}
