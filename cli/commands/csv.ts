/** share-release csv: a table of a release as CSV, on standard output. */

import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { CSV_SOURCES, type CsvSource, writeCsvOf } from "../../releases/export-csv.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { command, type SharedOptions } from "../options/shared.ts";
import { wantedRelease } from "../options/wanted-release.ts";
import { writePaced } from "../text/paced-output.ts";
import { terminalText } from "../text/terminal-text.ts";

interface CsvOptions extends SharedOptions {
  readonly release?: string;
}

const NAMES = [...CSV_SOURCES.keys()].join(", ");

export function csvCommand(): Command {
  return command("csv", "print a table of a release as CSV, which releases have as Parquet", [
    "csv scores > scores.csv",
    "csv diff-records --release 3f9c71",
  ])
    .argument("<table>", `one of ${NAMES}`)
    .option("--release <digest>", "of this release; of the active one if not given")
    .action(async (name: string, options: CsvOptions) => {
      if (options.json) throw new UsageError("csv prints CSV; for JSON, read the table's Parquet (docs/tables.md)");
      const source = CSV_SOURCES.get(name);
      if (source === undefined) throw new UsageError(`no table called ${name} can be had as CSV; there are ${NAMES}`);
      const store = existingStoreOf(options);
      const digest = await wantedRelease(store, options.release);
      await print(store.release(digest), source, `${digest} has no table ${name}`);
    });
}

async function print(folder: string, source: CsvSource, missing: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-csv-"));
  try {
    const made = join(scratch, "table.csv");
    if (!(await writeCsvOf(folder, source, made, { spill: join(scratch, "spill") }))) throw new CommandFailed(missing);
    for await (const chunk of createReadStream(made, { encoding: "utf8" })) {
      // Whoever reads it from a file or a pipe gets the very text; a terminal nothing that steers it.
      if (!(await writePaced(process.stdout.isTTY ? terminalText(chunk) : chunk))) return;
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
