/** share-release release diff: compares two releases, signal by signal. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { writeToString } from "fast-csv";
import {
  compare,
  type ReleaseComparison,
  type ReleaseSide,
  readDiffRows,
  readSide,
  streamChanges,
  streamResearchers,
} from "../../pipeline/diff/compare.ts";
import { summarise } from "../../pipeline/diff/summary.ts";
import { memoryFor } from "../../pipeline/engine/memory.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { findRelease, requireReadable } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CAUSES, DIFF_TABLES, movedText, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { csvCell } from "../../schemas/public/csv.ts";
import { UsageError } from "../options/exit-codes.ts";
import { namedRelease, RELEASE_NAMES } from "../options/releases.ts";
import { command, memoryOption, openExistingStore, type SharedOptions, threadsOption } from "../options/shared.ts";
import { readerLines } from "../terminal/release-text.ts";
import { printLines, shown, writePaced } from "../terminal/text.ts";

interface DiffOptions extends SharedOptions {
  readonly csv?: true;
  readonly threads: number;
  readonly memory: string | null;
}

export function diffCommand(): Command {
  return command("diff", "Show the records that were added, removed or changed between two releases, and the causes", [
    "release diff",
    "release diff 2026.10.01",
    "release diff 3f9c71 8a02be --csv > changed.csv",
  ])
    .argument("[earlier]", RELEASE_NAMES, "previous")
    .argument("[later]", "Release to compare with", "active")
    .option("--csv", "Print CSV with one line for each record and public version")
    .addOption(threadsOption())
    .addOption(memoryOption("tables of both releases"))
    .action(async (earlier: string, later: string, options: DiffOptions) => {
      if (options.csv && options.json) throw new UsageError("--csv and --json exclude each other: give one of them");
      const store = openExistingStore(options);
      const before = await side(store, earlier);
      const after = await side(store, later);
      const folders = [before, after].map(({ receipt }) => store.release(receipt.releaseDigest));
      const memory = options.memory ?? memoryFor(await dataBytes(...folders));
      const spill = await mkdtemp(join(tmpdir(), "share-diff-"));
      try {
        const comparison = await compare(before, after, { threads: options.threads, memory, spill });
        try {
          await print(comparison, before, after, options);
        } finally {
          comparison.db.close();
        }
      } finally {
        await rm(spill, { recursive: true, force: true });
      }
    });
}

async function side(store: Store, name: string): Promise<ReleaseSide> {
  const receipt = await findRelease(store, await namedRelease(store, name));
  requireReadable(receipt);
  return readSide(store.release(receipt.releaseDigest), receipt);
}

async function print(
  comparison: ReleaseComparison,
  before: ReleaseSide,
  after: ReleaseSide,
  options: DiffOptions,
): Promise<void> {
  if (options.csv) return printCsv(comparison);
  if (options.json) {
    for await (const record of streamChanges(comparison.db)) if (!(await writeLine(record))) return;
    for await (const researcher of streamResearchers(comparison.db)) if (!(await writeLine({ researcher }))) return;
  }
  const diff = await summarise(comparison, before, after, []);
  if (!options.json) {
    printLines(diffText(diff));
    return;
  }
  // The changes of records are printed separately, so they are left out here.
  const {
    largest: _largest,
    added: _added,
    removed: _removed,
    researchers: _researchers,
    files: _files,
    ...rest
  } = diff;
  await writeLine(rest);
}

function writeLine(value: object): Promise<boolean> {
  return writePaced(`${JSON.stringify(value)}\n`);
}

const BATCH = 500;

async function printCsv({ db }: ReleaseComparison): Promise<void> {
  let lines: string[][] = [Object.keys(DIFF_TABLES.change.columns)];
  const flush = async () => {
    const text = await writeToString(lines, { includeEndRowDelimiter: true });
    lines = [];
    return writePaced(text);
  };
  for await (const row of readDiffRows(db, DIFF_TABLES.change)) {
    lines.push(Object.values(row).map(csvCell));
    if (lines.length >= BATCH && !(await flush())) return;
  }
  if (lines.length > 0) await flush();
}

/** Number of changes that are shown for each version. --csv and --json print all of them. */
const MAX_SHOWN = 10;

export function diffText(diff: ReleaseDiff): string {
  const from = diff.from === null ? "none" : `${diff.from.scoreReleaseVersion} ${diff.from.releaseDigest}`;
  return [
    `from        ${from}`,
    `to          ${diff.to.scoreReleaseVersion} ${diff.to.releaseDigest}`,
    `records     ${diff.records.before} → ${diff.records.after}: ${diff.records.added} added, ${diff.records.removed} removed`,
    ...readerLines(diff.readers),
    ...diff.reasons.map(({ kind, reason, records }) => `            ${records} ${kind}: ${reason}`),
    ...diff.rubrics.flatMap((rubric) => rubricLines(diff, rubric)),
  ].join("\n");
}

function rubricLines(diff: ReleaseDiff, rubric: ReleaseDiff["rubrics"][number]): string[] {
  const { moved, meanBefore, meanAfter, byCause, researchers } = rubric;
  const sources = diff.sources.filter((source) => source.rubric === rubric.rubric);
  return [
    "",
    `SHARE ${rubric.rubric}   mean ${fixed(meanBefore)} → ${fixed(meanAfter)}; ${moved} changed: ${movedText(rubric)}`,
    ...byCause.map(
      ({ cause, records, signals, gained, lost }) =>
        `  ${cause.padEnd(10)}+${gained} −${lost} points, ${plural(signals, "signal")} of ${plural(records, "record")}: ${CAUSES[cause]}`,
    ),
    ...sources.map(
      ({ source, before, after, ...figures }) =>
        `  ${source.padEnd(16)}${before} → ${plural(after, "record")}, mean ${fixed(figures.meanBefore)} → ${fixed(figures.meanAfter)}, ${figures.moved} changed`,
    ),
    `  S-Index         ${researchers.up} up, ${researchers.down} down, ${plural(researchers.added, "researcher")} added, ${researchers.removed} removed`,
    `  S-Impact        ${researchers.sImpactUp} up, ${researchers.sImpactDown} down`,
    ...diff.largest
      .filter((record) => record.rubric === rubric.rubric)
      .slice(0, MAX_SHOWN)
      .map(recordLine),
  ];
}

function recordLine(record: RecordChange): string {
  const { id, identifier, totalBefore, totalAfter, statusBefore, statusAfter, causes, signals } = record;
  const moved = signals.filter(({ points }) => points !== 0).map(({ signal, points }) => `${signal} ${signed(points)}`);
  const signalText = moved.length === 0 ? "no points changed" : moved.join(", ");
  return `  ${id} ${totalText(totalBefore, statusBefore)} → ${totalText(totalAfter, statusAfter)} by ${causes.join(", ")}: ${signalText} (${shown(identifier)})`;
}

function totalText(total: number | null, status: RecordChange["statusBefore"]): string {
  return String(total ?? (status ?? "none").replace("_", " "));
}

function signed(points: number): string {
  return points < 0 ? `−${-points}` : `+${points}`;
}

function fixed(mean: number | null): string {
  return mean === null ? "none" : mean.toFixed(2);
}
