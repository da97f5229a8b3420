/** share-release release export: prints a table of a release as CSV. */

import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { CSV_SOURCES, type CsvSource, writeTableCsv } from "../../releases/export-csv.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
import { command, openExistingStore, type SharedOptions } from "../options/shared.ts";
import { terminalText, writePaced } from "../terminal/text.ts";

interface ExportOptions extends SharedOptions {
  readonly release?: string;
}

const NAMES = [...CSV_SOURCES.keys()].join(", ");

export function exportCommand(): Command {
  return command("export", "Print a table of a release as CSV", [
    "release export scores > scores.csv",
    "release export diff-records --release 2026.11.01",
  ])
    .argument("<table>", `One of ${NAMES}`)
    .option("--release <release>", `${RELEASE_NAMES} (default: active)`)
    .action(async (name: string, options: ExportOptions) => {
      if (options.json)
        throw new UsageError(
          "release export has no JSON output; read the Parquet file of the table instead (docs/reference/tables.md)",
        );
      const source = CSV_SOURCES.get(name);
      if (source === undefined) throw new UsageError(`there is no table ${name} as CSV; the tables are ${NAMES}`);
      const store = openExistingStore(options);
      const digest = await releaseOrNewest(store, options.release);
      await print(
        store.release(digest),
        source,
        `the release ${digest} has no table ${name}; choose another release with --release`,
      );
    });
}

async function print(folder: string, source: CsvSource, missing: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-csv-"));
  try {
    const made = join(scratch, "table.csv");
    if (!(await writeTableCsv(folder, source, made, { spill: join(scratch, "spill") })))
      throw new CommandFailed(missing);
    for await (const chunk of createReadStream(made, { encoding: "utf8" })) {
      // A file or a pipe receives the exact text. On a terminal, control characters are escaped.
      if (!(await writePaced(process.stdout.isTTY ? terminalText(chunk) : chunk))) return;
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
