/** The files in which a release tells about itself: how it differs from the one before, whether it may be activated, and how to read it. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import type { PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { STATES } from "../../schemas/public/signal.ts";
import { DISTRIBUTION, TOTALS } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import type { Figures, ReportData, RubricFigures, SignalFigures } from "../../web/report/data.ts";
import { reportPage } from "../../web/report/index.ts";
import { compare, type Side, sideOf } from "../diff/compare.ts";
import { currentRules, RULE_FILES, writeRules } from "../diff/rules.ts";
import { writeDiff } from "../diff/summary.ts";
import type { Cell, Database } from "../engine/open.ts";
import { readHarvests } from "../store/raw/harvest-log.ts";
import { formatOf, readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";
import { writeValidation } from "../validation/index.ts";
import { citationFile, citationText } from "./citation.ts";
import { croissant } from "./croissant.ts";
import { datapackage } from "./datapackage.ts";
import { describeFiles } from "./described-files.ts";
import type { LastHarvest } from "./gates.ts";
import { judge } from "./gates.ts";
import type { Describe, UnsealedRelease } from "./index.ts";
import { roCrate } from "./ro-crate.ts";

export interface DescribeOptions {
  readonly limits: GateLimits;
  readonly threads: number;
  readonly memory: string;
}

/** For stage 6. Everything compares with the release that was active when this one was made. */
export function describeWith(store: Store, options: DescribeOptions): Describe {
  return async (release) => {
    const rules = await currentRules();
    await writeRules(release.tree, rules);
    const before = await previousSide(store, release.receipt.previousReleaseDigest);
    const after: Side = { receipt: release.receipt, tables: release.tables, rules };
    const { threads, memory } = options;
    const comparison = await compare(before, after, { threads, memory, spill: release.spill });
    try {
      const gates = await judge(
        comparison.db,
        after,
        release.receipt.coverage,
        options.limits,
        await lastHarvests(store, release),
      );
      const diff = await writeDiff(comparison, before, after, release.tree);
      await writeValidation(
        release.tree,
        { receipt: release.receipt, tables: release.tables, rules },
        { threads, memory, spill: release.spill },
      );
      await writeReport(comparison.db, release.tree, { receipt: release.receipt, after, gates, diff });
      const lines = await linesOf(release, [
        ...Object.values(RULE_FILES),
        VALIDATION_FILE,
        DIFF_FILE,
        ...DIFF_TABLE_FILES,
      ]);
      await writeDescriptors(release.tree, release.receipt, [...release.data, ...lines]);
      return {
        lines: [...lines, ...(await linesOf(release, [...Object.values(DESCRIPTORS), VALIDATION_PAGE]))],
        gates,
        limits: options.limits,
      };
    } finally {
      comparison.db.close();
    }
  };
}

/** How the last harvest of each source ended. */
async function lastHarvests(store: Store, { receipt }: UnsealedRelease): Promise<Map<string, LastHarvest>> {
  const last = new Map<string, LastHarvest>();
  for (const { source } of receipt.sources) last.set(source, (await readHarvests(store.raw(source))).at(-1) ?? null);
  return last;
}

async function previousSide(store: Store, digest: string | null): Promise<Side | null> {
  if (digest === null) return null;
  const folder = store.release(digest);
  const receipt = await readReceipt(folder);
  // A release that is brought over to another format is told about as a first one.
  return receipt === null || formatOf(receipt) === 1 ? null : sideOf(folder, receipt);
}

/** One after the other: a table may be large. */
async function linesOf(release: UnsealedRelease, paths: readonly string[]): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const path of paths) lines.push(await release.lineOf(path));
  return lines;
}

/**
 * They name the files under data/ with their digests; nothing can name the manifest, which names them. History is left
 * out: it has the time of publication, and with its digest every descriptor would differ between two builds of the same.
 */
export async function writeDescriptors(
  tree: string,
  receipt: UnsealedRelease["receipt"],
  lines: readonly ManifestLine[],
): Promise<void> {
  const files = describeFiles(lines);
  const write = (path: string, text: string) => writeFile(join(tree, path), text);
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  await write(DESCRIPTORS.datapackage, json(datapackage(receipt, files)));
  await write(DESCRIPTORS.roCrate, json(roCrate(receipt, files)));
  await write(DESCRIPTORS.croissant, json(croissant(receipt, files)));
  await write(DESCRIPTORS.citation, citationFile(receipt));
}

interface Reported extends Pick<ReportData, "receipt" | "gates" | "diff"> {
  readonly after: Side;
}

/** `db` is that of a comparison with the release before. */
export async function writeReport(
  db: Database,
  tree: string,
  { receipt, gates, diff, after }: Reported,
): Promise<void> {
  const rubrics = await rubricFigures(db, after);
  const page = reportPage({ receipt, citation: citationText(receipt), gates, diff, rubrics });
  await writeFile(join(tree, DESCRIPTORS.report), page);
}

type Row = Readonly<Record<string, Cell>>;

/** One entry a public version of the later release. */
async function rubricFigures(db: Database, after: Side): Promise<RubricFigures[]> {
  await db.runFile(new URL("./report.sql", import.meta.url));
  const figures = await db.rows("select * from figure");
  const states = await db.rows("select * from state_count");
  return after.receipt.rubrics.map(({ version, contract }) => {
    const found = (release: string) => figures.find((row) => row.rubric === version && row.release === release);
    const [before, now] = [found("before"), found("after")];
    if (now === undefined) throw new Error(`the release has no metrics under ${version}`);
    return {
      version,
      contract,
      before: before === undefined ? null : figuresOf(before),
      after: figuresOf(now),
      signals: signalsOf(version, after.rules?.contracts.get(contract), states),
    };
  });
}

function figuresOf(row: Row): Figures {
  const mean = (name: string) => (row[name] === null ? null : Number(row[name]));
  return {
    scored: Number(row.scored_records),
    insufficient: Number(row.insufficient_records ?? 0),
    cap: mean("mean_cap"),
    passedOfEvaluable: mean("passed_of_evaluable"),
    mean: mean("mean_score"),
    median: mean("median_score"),
    above70: mean("pct_above_70"),
    buckets: { S: mean("mean_s"), H: mean("mean_h"), A: mean("mean_a"), R: mean("mean_r"), E: mean("mean_e") },
    distribution: DISTRIBUTION.map((name) => Number(row[name])),
    totals: row.t0 === null ? null : TOTALS.map((name) => Number(row[name])),
  };
}

function signalsOf(
  version: PublicVersion,
  contract: ReleasedRubric | undefined,
  counts: readonly Row[],
): SignalFigures[] {
  return (contract?.signals ?? []).map(({ id, bit, name }) => {
    const ofSignal = counts.filter((row) => row.rubric === version && row.bit === bit);
    const count = (state: string) => Number(ofSignal.find((row) => row.state === state)?.records ?? 0);
    return { id, name, states: Object.fromEntries(STATES.map((state) => [state, count(state)])) };
  });
}
