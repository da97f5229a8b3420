/** share-release release publish: a release goes to a folder or a bucket, from which a CDN can give it out and others can mirror it. */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { type PublishResult, publish } from "../../releases/publish/index.ts";
import type { PageCounts } from "../../releases/publish/target.ts";
import { requireWithheld } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { type PublishRequestOptions, publishRequestOf, withPublishRequest } from "../options/publish-request.ts";
import { activeRelease, publishForceOption, RELEASE_NAMES } from "../options/releases.ts";
import { command, existingStoreOf, printResult } from "../options/shared.ts";

interface PublishOptions extends PublishRequestOptions {
  readonly to: string;
  readonly dryRun?: true;
  readonly force?: string;
}

export function publishCommand(): Command {
  const asked = command(
    "publish",
    "copy a release to a folder or an S3 bucket: only what is not there yet, the pointer last; goes on where it stopped",
    [
      "release publish --to /srv/www/scores",
      "release publish 2026.11.01 --to s3://scores/share --region eu-central-1 --dry-run",
      "release publish --to s3://scores --endpoint https://s3.example.org --path-style",
      "release publish --to s3://scores --pages",
    ],
  )
    .argument("[release]", `${RELEASE_NAMES}; the active one if not given`)
    .requiredOption("--to <target>", "a folder, or s3://bucket/prefix");
  return withPublishRequest(asked)
    .addOption(publishForceOption)
    .option("--dry-run", "say what would be sent, and change nothing there")
    .action(async (given: string | undefined, options: PublishOptions) => {
      const store = existingStoreOf(options);
      const digest = await activeRelease(store, given);
      if (options.force === undefined) await requireWithheld(options, digest);
      const request = await publishRequestOf(store, options.to, options);
      const settings = { ...request.settings, dryRun: options.dryRun === true, force: options.force ?? null };
      const result = await withEffects(async (effects) =>
        publish(store, digest, await request.target(effects), settings, effects),
      );
      printResult(options, result, textOf);
    });
}

function textOf({ releaseDigest, target, pages, csv, dryRun, retractions, ...files }: PublishResult): string {
  const told = ({ uploaded, unchanged, bytes }: Omit<PageCounts, "removed">, noun: string, nouns = `${noun}s`) =>
    `${plural(uploaded, noun, nouns)} ${dryRun ? "would be sent" : "sent"} (${plural(bytes, "byte")}), ${unchanged} there already`;
  const of = pages === null ? "" : `; ${told(pages, "page")}, ${pages.removed} removed`;
  const tables = csv === null ? "" : `; ${told(csv, "table as CSV", "tables as CSV")}`;
  const counts = `${told(files, "file")}${of}${tables}`;
  const said = retractions
    .map((digest) => `\n${digest} is ${dryRun ? "not yet " : ""}said there to be retracted`)
    .join("");
  return dryRun
    ? `${releaseDigest} → ${target}: ${counts}${said}`
    : `${releaseDigest} is published at ${target}: ${counts}${said}`;
}
