/** share-release release prune: removes old releases, but none in use. */

import type { Command } from "commander";
import { prune, type RetainedRelease } from "../../releases/prune.ts";
import { clocked } from "../options/effects.ts";
import { command, countArgument, existingStoreOf, printResult, type SharedOptions } from "../options/shared.ts";

interface PruneOptions extends SharedOptions {
  readonly keep: number;
  readonly dryRun?: true;
}

const WHY: Readonly<Record<RetainedRelease["why"], string>> = {
  active: "it is active",
  served: "a server answers from it",
  held: "a process reads it at this moment",
  history: "the history of a release that stays goes on from it",
};

export function pruneCommand(): Command {
  return command(
    "prune",
    "remove old releases and what failed builds left; releases that are active, served or needed stay",
    ["release prune --keep 5", "release prune --keep 1 --dry-run"],
  )
    .requiredOption("--keep <n>", "how many of the newest stay in any case", countArgument(1))
    .option("--dry-run", "say what would be removed, and remove nothing")
    .action(async (options: PruneOptions) => {
      const dryRun = options.dryRun === true;
      const { removed, kept, leftovers } = await prune(existingStoreOf(options), options.keep, dryRun, clocked());
      printResult(options, { removed, kept, leftovers, dryRun }, (result) =>
        [
          ...result.leftovers.map(
            (name) => `${dryRun ? "would be removed" : "removed"}: work/${name}, left by a build`,
          ),
          ...result.removed.map((digest) => `${dryRun ? "would be removed" : "removed"}: ${digest}`),
          ...result.kept.map(({ releaseDigest, why }) => `stays: ${releaseDigest}, ${WHY[why]}`),
          `${result.removed.length} ${dryRun ? "would be removed" : "removed"}`,
        ].join("\n"),
      );
    });
}
