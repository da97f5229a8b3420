/** share-release diff: what moved between two releases, and what moved it. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { writeToString } from "fast-csv";
import {
  type Comparison,
  compare,
  rowsOf,
  type Side,
  sideOf,
  streamChanges,
  streamResearchers,
} from "../../pipeline/diff/compare.ts";
import { summarise } from "../../pipeline/diff/summary.ts";
import type { Cell } from "../../pipeline/engine/open.ts";
import { memoryFor } from "../../pipeline/engine/open.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { findRelease, requireReadable } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { UsageError } from "../options/exit-codes.ts";
import { command, memoryOption, type SharedOptions, threadsOption } from "../options/shared.ts";
import { diffText } from "../text/diff-text.ts";
import { writePaced } from "../text/paced-output.ts";
import { printLines } from "../text/terminal-text.ts";

interface DiffOptions extends SharedOptions {
  readonly csv?: true;
  readonly threads: number;
  readonly memory: string | null;
}

export function diffCommand(): Command {
  return command("diff", "what came, went and moved from one release to another, and what moved it, signal by signal", [
    "diff 3f9c71 8a02be",
    "diff 3f9c71 8a02be --csv > moved.csv",
    "diff 3f9c71 8a02be --json",
  ])
    .argument("<earlier>", "digest of the earlier release, or enough of its beginning")
    .argument("<later>", "digest of the later release")
    .option("--csv", "one line a record and public version on standard output")
    .addOption(threadsOption)
    .addOption(memoryOption("both releases' tables"))
    .action(async (earlier: string, later: string, options: DiffOptions) => {
      if (options.csv && options.json) throw new UsageError("--csv and --json are two forms of one answer: give one");
      const store = existingStoreOf(options);
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

async function side(store: Store, digest: string): Promise<Side> {
  const receipt = await findRelease(store, digest);
  requireReadable(receipt);
  return sideOf(store.release(receipt.releaseDigest), receipt);
}

async function print(comparison: Comparison, before: Side, after: Side, options: DiffOptions): Promise<void> {
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
  // Every record has had a line of its own.
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

/** Lines of CSV made at once. */
const BATCH = 500;

async function printCsv({ db }: Comparison): Promise<void> {
  let lines: string[][] = [Object.keys(DIFF_TABLES.change.columns)];
  const flush = async () => {
    const text = await writeToString(lines, { includeEndRowDelimiter: true });
    lines = [];
    return writePaced(text);
  };
  for await (const row of rowsOf(db, DIFF_TABLES.change)) {
    lines.push(Object.values(row).map(fieldOf));
    if (lines.length >= BATCH && !(await flush())) return;
  }
  if (lines.length > 0) await flush();
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it: titles are written by strangers. */
function fieldOf(value: Cell): string {
  if (value === null) return "";
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
}
