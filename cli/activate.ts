/** share-release activate: another finished release becomes the active one. */

import type { Command } from "commander";
import { activate, findRelease } from "../pipeline/releases.ts";
import { command, printResult, type SharedOptions, storeOf } from "./shared.ts";

export function activateCommand(): Command {
  return command("activate", "make a finished release the active one", ["activate sha256:3f9c", "activate 3f9c71"])
    .argument("<digest>", "its digest, or enough of the beginning to tell it from the others")
    .action(async (digest: string, options: SharedOptions) => {
      const store = storeOf(options);
      const { releaseDigest, scoreReleaseVersion } = await findRelease(store, digest);
      await activate(store, releaseDigest);
      printResult(
        options,
        { activated: releaseDigest, scoreReleaseVersion },
        (result) => `${result.scoreReleaseVersion} ${result.activated} is active`,
      );
    });
}
