/** share-release release fetch: downloads a published release into the store and verifies it. */

import { type Command, Option } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { type FetchResult, fetchRelease } from "../../releases/fetch/index.ts";
import { withEffects } from "../options/effects.ts";
import type { SettingName } from "../options/settings.ts";
import {
  command,
  countArgument,
  memoryOption,
  openChosenStore,
  printResult,
  type SharedOptions,
  threadsOption,
} from "../options/shared.ts";
import { keyOption, pinnedKeys } from "../options/signing.ts";

interface FetchOptions extends SharedOptions {
  readonly key?: string;
  readonly apiKey?: string;
  readonly allowUnverified?: true;
  readonly allowOlder?: true;
  readonly parallel: number;
  readonly threads: number;
  readonly memory: string | null;
}

/** The share of the total time that each stage takes, for the progress bar. */
const PLAN = { fetch: 0.85, verify: 0.1, tables: 0.05 } as const;

export function fetchCommand(): Command {
  return command(
    "fetch",
    "Download a published release into the store and verify it; if repeated, continue an interrupted download",
    [
      "release fetch https://scores.example.org",
      "release fetch https://scores.example.org/releases/sha256-3f9c… --key share-release-keys.json",
    ],
  )
    .argument("<url>", "URL of a service, for its active release, or of one of its releases")
    .addOption(keyOption)
    .option("--allow-unverified", "Accept files that neither the digest nor a key verifies, and list them")
    .option(
      "--allow-older",
      "Accept a publisher whose head is missing, expired, or older than one that was seen before: the release may be old",
    )
    .addOption(
      new Option("--api-key <key>", "API key of the service, for a higher rate limit").env(
        "SHARE_API_KEY" satisfies SettingName,
      ),
    )
    .option("--parallel <n>", "Number of parallel downloads", countArgument(1, 64), 8)
    .addOption(threadsOption())
    .addOption(memoryOption("tables of the release"))
    .action(async (url: string, options: FetchOptions) => {
      const { apiKey = null, parallel, threads, memory } = options;
      const keys = await pinnedKeys(options.key);
      const unproven = options.allowUnverified === true;
      const allowOlder = options.allowOlder === true;
      const settings = { url, apiKey, parallel, keys, unproven, allowOlder, threads, memory };
      const result = await withEffects((effects) => fetchRelease(openChosenStore(options), settings, effects), PLAN);
      printResult(options, result, formatText);
    });
}

function formatText({ retractions, revokedKeys, head, doubt, ...fetched }: FetchResult): string {
  const revoked = revokedKeys.map((kid) => `the key ${kid} is revoked: request a new one from its publisher`);
  const latest =
    head === null || doubt !== null
      ? []
      : [
          head.releaseDigest === fetched.releaseDigest
            ? `the publisher's head names it as the latest release, until ${head.expiresAt}`
            : `the publisher's head names another release as the latest: ${head.releaseDigest}`,
        ];
  const old = doubt === null ? [] : [`the publisher's head ${doubt}; the release may be old`];
  return [releaseText(fetched), ...latest, ...old, ...retractions.map(retractionText), ...revoked].join("\n");
}

function retractionText({
  releaseDigest,
  retractedAt,
  reason,
  kept,
  disowned,
}: FetchResult["retractions"][number]): string {
  if (disowned) return `the retraction of ${releaseDigest} (${reason}) is signed by a revoked key, and was ignored`;
  const doubt = kept ? "" : " (not verified and not stored: give the publisher's key with --key)";
  return `${releaseDigest} was retracted at ${retractedAt}: ${reason}${doubt}`;
}

function releaseText({
  created,
  releaseDigest,
  files,
  bytes,
  unproven,
}: Omit<FetchResult, "retractions" | "revokedKeys" | "head" | "doubt">): string {
  if (!created) return `${releaseDigest} is already in the store`;
  const doubt = unproven.length === 0 ? "" : `; not verified: ${unproven.join(", ")}`;
  return `${releaseDigest} is in the store and valid (${plural(files, "file")}, ${plural(bytes, "byte")} downloaded)${doubt}; run \`share-release release activate ${releaseDigest}\` to serve it`;
}
