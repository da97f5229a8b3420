/** share-release releases: what is in the store. */

import type { Command } from "commander";
import { disownedReleases } from "../../pipeline/store/disowned.ts";
import { currentDigest, formatOf, listReleases } from "../../pipeline/store/releases.ts";
import { listRetractions } from "../../pipeline/store/retractions.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { command, type SharedOptions } from "../options/shared.ts";
import { printLines } from "../text/terminal-text.ts";

export function releasesCommand(): Command {
  return command("releases", "list the releases, oldest first; * marks the active one", [
    "releases",
    "releases --json",
  ]).action(async (options: SharedOptions) => {
    const store = existingStoreOf(options);
    const active = await currentDigest(store);
    const releases = await listReleases(store);
    const retractions = await listRetractions(store);
    const digests = releases.map(({ releaseDigest }) => releaseDigest);
    const disowned = await disownedReleases(store, digests);
    if (options.json) {
      for (const release of releases) {
        const retraction = retractions.get(release.releaseDigest) ?? null;
        const keyRevoked = disowned.get(release.releaseDigest) ?? null;
        printLines(JSON.stringify({ ...release, active: release.releaseDigest === active, retraction, keyRevoked }));
      }
      printLines(JSON.stringify({ releases: releases.length, active }));
      return;
    }
    if (releases.length === 0) printLines(`no releases in ${store.root}; make one with \`share-release build\``);
    for (const release of releases) {
      const said = retractions.get(release.releaseDigest);
      const retracted = said === undefined ? "" : `  retracted at ${said.retractedAt}: ${said.reason}`;
      const by = disowned.get(release.releaseDigest);
      const revoked = by === undefined ? "" : `  by the key ${by.kid}, revoked since ${by.since}`;
      const mark = release.releaseDigest === active ? "*" : " ";
      printLines(
        `${mark} ${release.scoreReleaseVersion.padEnd(13)} ${release.releaseDigest} ${String(release.coverage.scored).padStart(9)} scored  ${release.publishedAt}${formatOf(release) === 1 ? "  of format 1: see `share-release doctor`" : ""}${retracted}${revoked}`,
      );
    }
  });
}
