/** share-release activate: another finished release becomes the active one. */

import type { Command } from "commander";
import { failedGates } from "../../operations/gates/index.ts";
import { activate, findRelease } from "../../pipeline/store/releases.ts";
import { readRetraction } from "../../pipeline/store/retractions.ts";
import { clocked } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { forceOption, Gated } from "../options/gated.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";

interface ActivateOptions extends SharedOptions {
  readonly force?: string;
}

export function activateCommand(): Command {
  return command("activate", "make a finished release the active one", ["activate sha256:3f9c", "activate 3f9c71"])
    .argument("<digest>", "its digest, or enough of the beginning to tell it from the others")
    .addOption(forceOption)
    .action(async (digest: string, options: ActivateOptions) => {
      const store = existingStoreOf(options);
      const { releaseDigest, scoreReleaseVersion, gates, forced = null } = await findRelease(store, digest);
      const gated = failedGates(gates);
      const reason = options.force ?? forced;
      if (gated.length > 0 && reason === null) throw new Gated(releaseDigest, gated);
      // What a gate was forced with when it was built says nothing of what was found out since.
      const retracted = (await readRetraction(store, releaseDigest)) !== null;
      const why = retracted ? (options.force ?? null) : gated.length > 0 ? reason : null;
      await activate(store, releaseDigest, { ...clocked(), reason: why });
      printResult(
        options,
        { activated: releaseDigest, scoreReleaseVersion, ...(why === null ? {} : { forced: why }) },
        ({ forced = null, ...result }) =>
          `${result.scoreReleaseVersion} ${result.activated} is active${forced === null ? "" : ` (forced: ${forced})`}`,
      );
    });
}
