/** share-release release fetch: copies a published release into the store over HTTP and verifies it. */

import { type Command, Option } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { type FetchResult, fetchRelease } from "../../releases/fetch/index.ts";
import { withEffects } from "../options/effects.ts";
import type { VariableName } from "../options/environment.ts";
import {
  command,
  countArgument,
  memoryOption,
  printResult,
  type SharedOptions,
  storeOf,
  threadsOption,
} from "../options/shared.ts";
import { keyOption, pinnedKeys } from "../options/signing.ts";

interface FetchOptions extends SharedOptions {
  readonly key?: string;
  readonly apiKey?: string;
  readonly allowUnverified?: true;
  readonly parallel: number;
  readonly threads: number;
  readonly memory: string | null;
}

/** What part of the time copying takes, and what checking. */
const PLAN = { fetch: 0.85, verify: 0.1, tables: 0.05 } as const;

export function fetchCommand(): Command {
  return command(
    "fetch",
    "copy a published release into the store, checking it as it comes; goes on where it stopped",
    [
      "release fetch https://scores.example.org",
      "release fetch https://scores.example.org/releases/sha256-3f9c… --key share-release-keys.json",
    ],
  )
    .argument("<url>", "address of a service (its active release), or of one of its releases")
    .addOption(keyOption)
    .option("--allow-unverified", "take on the mirror's word what neither the digest nor a key proves; it is named")
    .addOption(
      new Option("--api-key <key>", "a key of that service, for a higher rate").env(
        "SHARE_API_KEY" satisfies VariableName,
      ),
    )
    .option("--parallel <n>", "files on their way at once", countArgument(1, 64), 8)
    .addOption(threadsOption)
    .addOption(memoryOption("the release's tables"))
    .action(async (url: string, options: FetchOptions) => {
      const { apiKey = null, parallel, threads, memory } = options;
      const keys = await pinnedKeys(options.key);
      const unproven = options.allowUnverified === true;
      const settings = { url, apiKey, parallel, keys, unproven, threads, memory };
      const result = await withEffects((effects) => fetchRelease(storeOf(options), settings, effects), PLAN);
      printResult(options, result, textOf);
    });
}

function textOf({ retractions, revokedKeys, ...fetched }: FetchResult): string {
  const revoked = revokedKeys.map((kid) => `the key ${kid} is revoked: get a new one from its publisher`);
  return [releaseText(fetched), ...retractions.map(retractionText), ...revoked].join("\n");
}

function retractionText({
  releaseDigest,
  retractedAt,
  reason,
  kept,
  disowned,
}: FetchResult["retractions"][number]): string {
  if (disowned) return `the retraction of ${releaseDigest} (${reason}) is by a revoked key, and is ignored`;
  const doubt = kept ? "" : " (the mirror's word, which is not kept: give the key it is signed by with --key)";
  return `${releaseDigest} was retracted at ${retractedAt}: ${reason}${doubt}`;
}

function releaseText({
  created,
  releaseDigest,
  files,
  bytes,
  unproven,
}: Omit<FetchResult, "retractions" | "revokedKeys">): string {
  if (!created) return `${releaseDigest} is here already`;
  const doubt = unproven.length === 0 ? "" : `; not proven: ${unproven.join(", ")}`;
  return `${releaseDigest} is here and holds (${plural(files, "file")}, ${plural(bytes, "byte")} came)${doubt}; \`share-release release activate\` serves it`;
}
