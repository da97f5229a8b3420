/** share-release sample: a sheet of datasets for coding by hand, on standard output. */

import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { drawSample, type Sample } from "../../../operations/judging/sample.ts";
import { releaseTablePaths } from "../../../pipeline/pages/tables.ts";
import { requireReadable } from "../../../pipeline/store/release-format.ts";
import { findRelease } from "../../../pipeline/store/releases.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { CommandFailed } from "../../options/exit-codes.ts";
import { command, countArgument, type SharedOptions, threadsOption } from "../../options/shared.ts";
import { wantedRelease } from "../../options/wanted-release.ts";
import { writePaced } from "../../text/paced-output.ts";
import { printLines, terminalText } from "../../text/terminal-text.ts";

interface SampleOptions extends SharedOptions {
  readonly n: number;
  readonly seed: string;
  readonly release?: string;
  readonly rubric: PublicVersion;
  readonly threads: number;
}

/** More than anybody codes by hand. */
const MOST = 100_000;

export function sampleCommand(): Command {
  return command("sample", "draw datasets of every source and range of totals, as a sheet to code by hand", [
    "sample --n 50 --seed 1 > sheet.csv",
    "sample --n 200 --seed panel-2026 --rubric 1.0 --release 3f9c71 > sheet.csv",
  ])
    .requiredOption("--n <n>", "datasets to draw", countArgument(1, MOST))
    .requiredOption("--seed <text>", "the draw goes by sha256 of this text and each record's id: the same everywhere")
    .option("--release <digest>", "of this release; of the active one if not given")
    .addOption(new Option("--rubric <version>", "public version").choices(PUBLIC_VERSIONS).default("2.0"))
    .addOption(threadsOption)
    .action(async (options: SampleOptions) => {
      const store = existingStoreOf(options);
      const receipt = await findRelease(store, await wantedRelease(store, options.release));
      requireReadable(receipt);
      const { releaseDigest } = receipt;
      const scratch = await mkdtemp(join(tmpdir(), "share-sample-"));
      try {
        const path = join(scratch, "sheet.csv");
        const sample = await drawSample(releaseTablePaths(store.release(releaseDigest)), path, options);
        if (sample.datasets.length === 0) {
          throw new CommandFailed(
            `${releaseDigest} has no harvested record with a total under ${options.rubric}; generated ones are not drawn`,
          );
        }
        if (options.json) printJson(releaseDigest, sample);
        else await printSheet(path);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    });
}

function printJson(releaseDigest: string, { datasets, ...rest }: Sample): void {
  for (const dataset of datasets) printLines(JSON.stringify(dataset));
  printLines(JSON.stringify({ releaseDigest, ...rest, drawn: datasets.length }));
}

async function printSheet(path: string): Promise<void> {
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    // Whoever reads it from a file or a pipe gets the very text; a terminal nothing that steers it.
    if (!(await writePaced(process.stdout.isTTY ? terminalText(chunk) : chunk))) return;
  }
}
