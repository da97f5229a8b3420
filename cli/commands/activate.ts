/** share-release activate: another finished release becomes the active one. */

import type { Command } from "commander";
import { failedGates } from "../../operations/gates/index.ts";
import { activate, findRelease } from "../../pipeline/store/releases.ts";
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
      await activate(store, releaseDigest, { ...clocked(), reason: gated.length > 0 ? reason : null });
      printResult(
        options,
        { activated: releaseDigest, scoreReleaseVersion, ...(gated.length > 0 ? { forced: reason } : {}) },
        ({ forced: why = null, ...result }) =>
          `${result.scoreReleaseVersion} ${result.activated} is active${why === null ? "" : ` (forced: ${why})`}`,
      );
    });
}
