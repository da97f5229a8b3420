/** share-release release list and log: the releases of the store, and their chain. */

import type { Command } from "commander";
import { currentDigest, formatOf, listReleases } from "../../pipeline/store/releases.ts";
import { listRetractions } from "../../pipeline/store/retractions.ts";
import { revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import { type LogEntry, releaseLog } from "../../releases/log.ts";
import { FAILED } from "../options/exit-codes.ts";
import { RELEASE_NAMES, wantedRelease } from "../options/releases.ts";
import { command, existingStoreOf, type SharedOptions } from "../options/shared.ts";
import { keyOption, keysOf } from "../options/signing.ts";
import { printLines } from "../terminal/text.ts";

export function listCommand(): Command {
  return command("list", "list the releases, oldest first; * marks the active one", [
    "release list",
    "release list --json",
  ]).action(async (options: SharedOptions) => {
    const store = existingStoreOf(options);
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

interface LogOptions extends SharedOptions {
  readonly key?: string;
}

export function logCommand(): Command {
  return command("log", "show the chain of releases by their receipts, newest first, and where it is broken", [
    "release log",
    "release log 3f9c71 --key share-release-keys.json",
  ])
    .argument("[release]", `the release to begin with: ${RELEASE_NAMES}; the active one if not given`)
    .addOption(keyOption)
    .action(async (digest: string | undefined, options: LogOptions) => {
      const store = existingStoreOf(options);
      const head = await wantedRelease(store, digest);
      const { chain, faults } = await releaseLog(store, head, await keysOf(options.key, store));
      const all = faults.length + chain.reduce((sum, entry) => sum + entry.faults.length, 0);
      const summary = { releases: chain.length, faults: all, journal: faults };
      const lines = options.json
        ? [...chain.map(jsonOf), summary].map((line) => JSON.stringify(line))
        : [...chain.map(textOf), ...faults.map((fault) => `! ${fault}`)];
      printLines(lines.join("\n"));
      if (all > 0) process.exitCode = FAILED;
    });
}

function jsonOf({ receipt, ...entry }: LogEntry) {
  const { scoreReleaseVersion = null, publishedAt = null, previousReleaseDigest = null } = receipt ?? {};
  const format = receipt === null ? null : formatOf(receipt);
  return { ...entry, format, scoreReleaseVersion, publishedAt, previousReleaseDigest };
}

function textOf({ releaseDigest, state, receipt, signedBy, retraction, faults }: LogEntry): string {
  const version = (receipt?.scoreReleaseVersion ?? "?").padEnd(13);
  const published = (receipt?.publishedAt ?? "").padEnd(24);
  const signed = signedBy.length === 0 ? "unsigned" : `signed by ${signedBy.join(", ")}`;
  const outdated = receipt !== null && formatOf(receipt) === 1 ? ", of format 1" : "";
  const line = `${version} ${releaseDigest} ${published} ${state === "here" ? signed : `${state}, ${signed}`}${outdated}`;
  const said = retraction === null ? [] : [`  retracted at ${retraction.retractedAt}: ${retraction.reason}`];
  return [line, ...said, ...faults.map((fault) => `  ! ${fault}`)].join("\n");
}
