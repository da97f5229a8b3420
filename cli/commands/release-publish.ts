/** share-release release publish: copies a release to a folder or an S3 bucket, for a CDN or for mirrors. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type PublishResult, publish } from "../../releases/publish/index.ts";
import type { PageCounts } from "../../releases/publish/target.ts";
import type { StaticSiteCounts } from "../../server/static-site/index.ts";
import { excludedIds, requireHiddenAbsent } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { readContact } from "../options/environment.ts";
import { UsageError } from "../options/exit-codes.ts";
import { type PublishRequestOptions, readPublishRequest, withPublishRequest } from "../options/publish-request.ts";
import { publishForceOption, RELEASE_NAMES, releaseOrActive } from "../options/releases.ts";
import { command, openExistingStore, printResult, siteUrl } from "../options/shared.ts";
import { signerFrom, signOption } from "../options/signing.ts";
import { readSiteFace } from "../options/site-face.ts";

interface PublishOptions extends PublishRequestOptions {
  readonly to: string;
  readonly dryRun?: true;
  readonly site?: string;
  readonly excludeResearchers?: string;
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
      "release publish --to public --site https://example.github.io/share/",
    ],
  )
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .requiredOption("--to <target>", "Folder, or s3://bucket/prefix");
  return withPublishRequest(publishing)
    .addOption(publishForceOption)
    .addOption(signOption)
    .option("--site <url>", "Also write the site for a static host, with the public URL of the folder")
    .option("--exclude-researchers <file>", "Treat these researchers as hidden too: a file with one id per line")
    .option("--dry-run", "Show which files would be sent, and send nothing")
    .action(async (name: string | undefined, options: PublishOptions) => {
      const store = openExistingStore(options);
      const digest = await releaseOrActive(store, name);
      const url = options.site === undefined ? null : await resolveSiteUrl(options.site, store, digest, options);
      if (options.force === undefined) await requireHiddenAbsent(options, digest);
      const request = await readPublishRequest(store, options.to, options);
      const dryRun = options.dryRun === true;
      const signer = dryRun ? null : await signerFrom(options.sign, store);
      const face = url === null ? null : { contact: readContact(), face: await readSiteFace() };
      const settings = { ...request.settings, dryRun, signer, force: options.force ?? null };
      const result = await withEffects(async (effects) => {
        const published = await publish(store, digest, await request.target(effects), settings, effects);
        if (url === null || face === null) return { ...published, site: null };
        // Loaded here, so that other commands start faster.
        const { writeStaticSite } = await import("../../server/static-site/index.ts");
        const site = { folder: options.to, url, hidden: await excludedIds(options), ...face };
        return { ...published, site: await writeStaticSite(store, site, effects) };
      });
      printResult(options, result, formatText);
    });
}

/**
 * Returns the public URL of the site, with a slash at its end.
 * @throws UsageError if the site cannot be written for this release and target
 */
async function resolveSiteUrl(
  text: string,
  store: Store,
  digest: string,
  { to, dryRun }: PublishOptions,
): Promise<URL> {
  const url = siteUrl("--site", text);
  if (to.startsWith("s3:"))
    throw new UsageError("--site requires a folder as --to. Copy that folder to the bucket afterwards");
  if (dryRun === true) throw new UsageError("--site and --dry-run exclude each other: give one of them");
  if (resolve(to) === resolve(store.root)) {
    throw new UsageError(
      "--site requires a separate folder as --to, because the store also has files that are not public",
    );
  }
  if ((await currentDigest(store)) !== digest) {
    throw new UsageError(
      "--site can only publish the active release. Activate this one first with `share-release release activate`",
    );
  }
  return url;
}

type Published = PublishResult & { readonly site: StaticSiteCounts | null };

function formatText({
  releaseDigest,
  target,
  pages,
  csv,
  dryRun,
  retractions,
  head,
  site,
  ...files
}: Published): string {
  const formatCounts = (
    { uploaded, unchanged, bytes }: Omit<PageCounts, "removed">,
    noun: string,
    nouns = `${noun}s`,
  ) =>
    `${plural(uploaded, noun, nouns)} ${dryRun ? "would be sent" : "sent"} (${plural(bytes, "byte")}), ${unchanged} unchanged`;
  const pageCounts = pages === null ? "" : `; ${formatCounts(pages, "page")}, ${pages.removed} removed`;
  const tables = csv === null ? "" : `; ${formatCounts(csv, "table as CSV", "tables as CSV")}`;
  const views =
    site === null
      ? ""
      : `; a site of ${plural(site.views, "page")} in ${plural(site.files, "file")} (${plural(site.bytes, "byte")})`;
  const counts = `${formatCounts(files, "file")}${pageCounts}${tables}${views}`;
  const retracted = retractions
    .map((digest) => `\n${digest} ${dryRun ? "would be" : "is"} marked as retracted there`)
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
