/** share-release release list and log: show the releases of the store and their chain. */

import type { Command } from "commander";
import { currentDigest, detectReleaseFormat, listReleases } from "../../pipeline/store/releases.ts";
import { listRetractions } from "../../pipeline/store/retractions.ts";
import { revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import { type LogEntry, releaseLog } from "../../releases/log.ts";
import { FAILED } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
import { command, openExistingStore, type SharedOptions } from "../options/shared.ts";
import { keyOption, readTrustedKeys } from "../options/signing.ts";
import { printLines } from "../terminal/text.ts";

export function listCommand(): Command {
  return command("list", "List the releases, oldest first; * marks the active one", [
    "release list",
    "release list --json",
  ]).action(async (options: SharedOptions) => {
    const store = openExistingStore(options);
    const active = await currentDigest(store);
    const releases = await listReleases(store);
    const retractions = await listRetractions(store);
    const digests = releases.map(({ releaseDigest }) => releaseDigest);
    const disowned = await revocationsOfReleases(store, digests);
    if (options.json) {
      for (const release of releases) {
        const retraction = retractions.get(release.releaseDigest) ?? null;
        const keyRevoked = disowned.get(release.releaseDigest) ?? null;
        printLines(JSON.stringify({ ...release, active: release.releaseDigest === active, retraction, keyRevoked }));
      }
      printLines(JSON.stringify({ releases: releases.length, active }));
      return;
    }
    if (releases.length === 0) printLines(`no releases in ${store.root}; create one with \`share-release build\``);
    for (const release of releases) {
      const retraction = retractions.get(release.releaseDigest);
      const retracted =
        retraction === undefined ? "" : `  retracted at ${retraction.retractedAt}: ${retraction.reason}`;
      const by = disowned.get(release.releaseDigest);
      const revoked = by === undefined ? "" : `  signed by the key ${by.kid}, revoked from ${by.since}`;
      const mark = release.releaseDigest === active ? "*" : " ";
      printLines(
        `${mark} ${release.scoreReleaseVersion.padEnd(13)} ${release.releaseDigest} ${String(release.coverage.scored).padStart(9)} scored  ${release.publishedAt}${detectReleaseFormat(release) === 1 ? "  format 1: see `share-release doctor`" : ""}${retracted}${revoked}`,
      );
    }
  });
}

interface LogOptions extends SharedOptions {
  readonly key?: string;
}

export function logCommand(): Command {
  return command("log", "Show the chain of releases, newest first, and any faults in it", [
    "release log",
    "release log 3f9c71 --key share-release-keys.json",
  ])
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .addOption(keyOption)
    .action(async (digest: string | undefined, options: LogOptions) => {
      const store = openExistingStore(options);
      const head = await releaseOrNewest(store, digest);
      const { chain, faults } = await releaseLog(store, head, await readTrustedKeys(options.key, store));
      const all = faults.length + chain.reduce((sum, entry) => sum + entry.faults.length, 0);
      const summary = { releases: chain.length, faults: all, journal: faults };
      const lines = options.json
        ? [...chain.map(toJson), summary].map((line) => JSON.stringify(line))
        : [...chain.map(formatText), ...faults.map((fault) => `! ${fault}`)];
      printLines(lines.join("\n"));
      if (all > 0) process.exitCode = FAILED;
    });
}

function toJson({ receipt, ...entry }: LogEntry) {
  const { scoreReleaseVersion = null, publishedAt = null, previousReleaseDigest = null } = receipt ?? {};
  const format = receipt === null ? null : detectReleaseFormat(receipt);
  return { ...entry, format, scoreReleaseVersion, publishedAt, previousReleaseDigest };
}

function formatText({ releaseDigest, state, receipt, signedBy, retraction, faults }: LogEntry): string {
  const version = (receipt?.scoreReleaseVersion ?? "?").padEnd(13);
  const published = (receipt?.publishedAt ?? "").padEnd(24);
  const signed = signedBy.length === 0 ? "unsigned" : `signed by ${signedBy.join(", ")}`;
  const outdated = receipt !== null && detectReleaseFormat(receipt) === 1 ? ", format 1" : "";
  const line = `${version} ${releaseDigest} ${published} ${state === "here" ? signed : `${state}, ${signed}`}${outdated}`;
  const retracted = retraction === null ? [] : [`  retracted at ${retraction.retractedAt}: ${retraction.reason}`];
  return [line, ...retracted, ...faults.map((fault) => `  ! ${fault}`)].join("\n");
}
