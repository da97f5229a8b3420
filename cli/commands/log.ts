/** share-release log: the chain of releases, newest first, and every link that does not hold. */

import type { Command } from "commander";
import { formatOf } from "../../pipeline/store/releases.ts";
import { type LogEntry, releaseLog } from "../../releases/log.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { FAILED } from "../options/exit-codes.ts";
import { keyOption, keysOf } from "../options/key-option.ts";
import { command, type SharedOptions } from "../options/shared.ts";
import { wantedRelease } from "../options/wanted-release.ts";
import { printLines } from "../text/terminal-text.ts";

interface LogOptions extends SharedOptions {
  readonly key?: string;
}

export function logCommand(): Command {
  return command("log", "the chain of releases by their receipts, newest first; says where it does not hold", [
    "log",
    "log 3f9c71 --key share-release-keys.json",
  ])
    .argument("[digest]", "the release to begin with; the active one if not given")
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
