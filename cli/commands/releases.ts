/** share-release releases: what is in the store. */

import type { Command } from "commander";
import { formatOf } from "../../pipeline/store/release-format.ts";
import { currentDigest, listReleases } from "../../pipeline/store/releases.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { command, type SharedOptions } from "../options/shared.ts";

export function releasesCommand(): Command {
  return command("releases", "list the releases, oldest first; * marks the active one", [
    "releases",
    "releases --json",
  ]).action(async (options: SharedOptions) => {
    const store = existingStoreOf(options);
    const active = await currentDigest(store);
    const releases = await listReleases(store);
    if (options.json) {
      for (const release of releases) {
        process.stdout.write(`${JSON.stringify({ ...release, active: release.releaseDigest === active })}\n`);
      }
      process.stdout.write(`${JSON.stringify({ releases: releases.length, active })}\n`);
      return;
    }
    if (releases.length === 0)
      process.stdout.write(`no releases in ${store.root}; make one with \`share-release build\`\n`);
    for (const release of releases) {
      const mark = release.releaseDigest === active ? "*" : " ";
      process.stdout.write(
        `${mark} ${release.scoreReleaseVersion.padEnd(13)} ${release.releaseDigest} ${String(release.coverage.scored).padStart(9)} scored  ${release.publishedAt}${formatOf(release) === 1 ? "  of format 1: see `share-release doctor`" : ""}\n`,
      );
    }
  });
}
