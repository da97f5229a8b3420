/** share-release release publish: copies a release to a folder or a bucket, for a CDN and for mirrors. */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { type PublishResult, publish } from "../../releases/publish/index.ts";
import type { PageCounts } from "../../releases/publish/target.ts";
import { requireHiddenAbsent } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { type PublishRequestOptions, publishRequestOf, withPublishRequest } from "../options/publish-request.ts";
import { publishForceOption, RELEASE_NAMES, releaseOrActive } from "../options/releases.ts";
import { command, existingStoreOf, printResult } from "../options/shared.ts";
import { signerFrom, signOption } from "../options/signing.ts";

interface PublishOptions extends PublishRequestOptions {
  readonly to: string;
  readonly dryRun?: true;
  readonly force?: string;
  readonly sign?: readonly string[];
}

export function publishCommand(): Command {
  const publishing = command(
    "publish",
    "Publish a release to a folder or an S3 bucket; if repeated, send only missing files",
    [
      "release publish --to /srv/www/scores",
      "release publish 2026.11.01 --to s3://scores/share --region eu-central-1 --dry-run",
      "release publish --to s3://scores --endpoint https://s3.example.org --path-style",
      "release publish --to s3://scores --pages",
    ],
  )
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .requiredOption("--to <target>", "Folder, or s3://bucket/prefix");
  return withPublishRequest(publishing)
    .addOption(publishForceOption)
    .addOption(signOption)
    .option("--dry-run", "Show which files would be sent, and send nothing")
    .action(async (name: string | undefined, options: PublishOptions) => {
      const store = existingStoreOf(options);
      const digest = await releaseOrActive(store, name);
      if (options.force === undefined) await requireHiddenAbsent(options, digest);
      const request = await publishRequestOf(store, options.to, options);
      const dryRun = options.dryRun === true;
      const signer = dryRun ? null : await signerFrom(options.sign, store);
      const settings = { ...request.settings, dryRun, signer, force: options.force ?? null };
      const result = await withEffects(async (effects) =>
        publish(store, digest, await request.target(effects), settings, effects),
      );
      printResult(options, result, textOf);
    });
}

function textOf({ releaseDigest, target, pages, csv, dryRun, retractions, head, ...files }: PublishResult): string {
  const countsOf = ({ uploaded, unchanged, bytes }: Omit<PageCounts, "removed">, noun: string, nouns = `${noun}s`) =>
    `${plural(uploaded, noun, nouns)} ${dryRun ? "would be sent" : "sent"} (${plural(bytes, "byte")}), ${unchanged} unchanged`;
  const pageCounts = pages === null ? "" : `; ${countsOf(pages, "page")}, ${pages.removed} removed`;
  const tables = csv === null ? "" : `; ${countsOf(csv, "table as CSV", "tables as CSV")}`;
  const counts = `${countsOf(files, "file")}${pageCounts}${tables}`;
  const retracted = retractions
    .map((digest) => `\n${digest} is ${dryRun ? "would be " : ""}marked as retracted there`)
    .join("");
  return dryRun
    ? `${releaseDigest} → ${target}: ${counts}${retracted}`
    : `${releaseDigest} is published at ${target}: ${counts}${retracted}${headText(releaseDigest, head)}`;
}

function headText(releaseDigest: string, head: PublishResult["head"]): string {
  if (head === null) return "";
  return head.releaseDigest === releaseDigest
    ? `\nIts head is valid until ${head.expiresAt}`
    : `\nIts head still names ${head.releaseDigest} as the latest release: publish again with --sign`;
}
