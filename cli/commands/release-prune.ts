/** share-release release prune: removes old releases that are not in use. */

import { type Command, Option } from "commander";
import { prune, type RetainedRelease } from "../../releases/prune.ts";
import { clockEffects } from "../options/effects.ts";
import type { SettingName } from "../options/settings.ts";
import { command, countArgument, openExistingStore, printResult, type SharedOptions } from "../options/shared.ts";

interface PruneOptions extends SharedOptions {
  readonly keep: number;
  readonly dryRun?: true;
}

const REASONS: Readonly<Record<RetainedRelease["why"], string>> = {
  active: "it is active",
  served: "a server uses it",
  held: "a process reads it",
  history: "the history of a newer release needs it",
};

export function pruneCommand(): Command {
  return command("prune", "Remove old releases that are not active, served or needed, and the files of failed builds", [
    "release prune --keep 5",
    "release prune --keep 1 --dry-run",
  ])
    .addOption(
      new Option("--keep <n>", "Number of newest releases to keep")
        .argParser(countArgument(1))
        .env("SHARE_KEEP_RELEASES" satisfies SettingName)
        .makeOptionMandatory(),
    )
    .option("--dry-run", "Show which releases would be removed, and remove nothing")
    .action(async (options: PruneOptions) => {
      const dryRun = options.dryRun === true;
      const { removed, kept, leftovers } = await prune(
        openExistingStore(options),
        options.keep,
        dryRun,
        clockEffects(),
      );
      printResult(options, { removed, kept, leftovers, dryRun }, (result) =>
        [
          ...result.leftovers.map(
            (name) => `${dryRun ? "would be removed" : "removed"}: work/${name}, from a failed build`,
          ),
          ...result.removed.map((digest) => `${dryRun ? "would be removed" : "removed"}: ${digest}`),
          ...result.kept.map(({ releaseDigest, why }) => `kept: ${releaseDigest}, ${REASONS[why]}`),
          `${result.removed.length} ${dryRun ? "would be removed" : "removed"}`,
        ].join("\n"),
      );
    });
}
