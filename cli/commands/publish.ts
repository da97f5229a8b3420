/** share-release publish: a release goes to a folder or a bucket, from which a CDN can give it out and others can mirror it. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { folderTarget } from "../../operations/publish/folder-target.ts";
import { type Published, publish } from "../../operations/publish/index.ts";
import { s3Address } from "../../operations/publish/s3/s3-address.ts";
import { s3Target } from "../../operations/publish/s3-target.ts";
import type { PageCounts, Target } from "../../operations/publish/target/target.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { changeNow } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { withEffects } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { UsageError } from "../options/exit-codes.ts";
import { publishForceOption } from "../options/gated.ts";
import { plainPath } from "../options/plain-path.ts";
import { command, countArgument, printResult, type SharedOptions } from "../options/shared.ts";
import { wantedRelease } from "../options/wanted-release.ts";

interface PublishOptions extends SharedOptions {
  readonly to: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: true;
  readonly parallel: number;
  readonly dryRun?: true;
  readonly pages?: boolean;
  readonly withResearchers?: boolean;
  readonly csv?: boolean;
  readonly force?: string;
}

export function publishCommand(): Command {
  return command(
    "publish",
    "copy a release to a folder or an S3 bucket: only what is not there yet, the pointer last; goes on where it stopped",
    [
      "publish --to /srv/www/scores",
      "publish sha256:3f9c --to s3://scores/share --region eu-central-1 --dry-run",
      "publish --to s3://scores --endpoint https://s3.example.org --path-style",
      "publish --to s3://scores --pages",
    ],
  )
    .argument("[digest]", "a release; the active one if not given")
    .requiredOption("--to <target>", "a folder, or s3://bucket/prefix")
    .option("--endpoint <url>", "of an S3-compatible service; else AWS_ENDPOINT_URL, else Amazon's")
    .option("--region <name>", "of the bucket; else AWS_REGION or the profile's")
    .option("--path-style", "name the bucket in the path, not in the host name")
    .option("--pages", "its pages as single files as well: a tree for nginx, or objects at the API's own paths")
    .option("--with-researchers", "pages about researchers among those objects: who opts out stays until the next one")
    .option("--csv", "its tables as CSV as well, for hosts without a server, which makes them when asked")
    .option("--parallel <n>", "files on their way at once", countArgument(1, 64), 16)
    .addOption(publishForceOption)
    .option("--dry-run", "say what would be sent, and change nothing there")
    .action(async (given: string | undefined, options: PublishOptions) => {
      const store = existingStoreOf(options);
      const digest = await wantedRelease(store, given);
      const { parallel, dryRun = false, csv = false, force = null } = options;
      const settings = { parallel, dryRun, csv, force, pages: pagesOf(options) };
      const result = await withEffects(async (effects) =>
        publish(store, digest, await targetOf(store, options, effects), settings, effects),
      );
      printResult(options, result, textOf);
    });
}

function pagesOf({ to, pages = false, withResearchers: researchers = false }: PublishOptions) {
  if (researchers && !(pages && to.startsWith("s3:"))) {
    throw new UsageError("--with-researchers is for --pages in a bucket: elsewhere a server answers for researchers");
  }
  return pages ? { researchers } : null;
}

async function targetOf(store: Store, options: PublishOptions, effects: Effects): Promise<Target> {
  const { to, endpoint = null, region = null, pathStyle = false, parallel } = options;
  if (to.startsWith("s3:")) {
    requireEndpoint(endpoint);
    const address = s3Address(to);
    if (address === null) {
      throw new UsageError("--to takes s3://bucket or s3://bucket/prefix, of plain characters and without credentials");
    }
    return s3Target(address, { endpoint, region, pathStyle, parallel }, effects);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(to)) throw new UsageError("--to takes a folder, or s3://bucket/prefix");
  if (endpoint !== null || region !== null || pathStyle) {
    throw new UsageError("--endpoint, --region and --path-style are for s3://bucket/prefix");
  }
  const folder = resolve(plainPath("--to", to));
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  if (options.pages !== true && (await real(folder)) === (await real(store.root))) {
    throw new UsageError(
      "--to is the store itself: its releases are made active with `share-release activate`; --pages makes their trees there",
    );
  }
  return folderTarget(folder, changeNow(effects));
}

/** Said without the address, which may hold what must not be repeated. */
function requireEndpoint(endpoint: string | null): void {
  if (endpoint === null) return;
  const url = URL.parse(endpoint);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return;
  throw new UsageError("--endpoint takes an http or https address, without credentials in it");
}

function textOf({ releaseDigest, target, pages, csv, dryRun, retractions, ...files }: Published): string {
  const told = ({ uploaded, unchanged, bytes }: Omit<PageCounts, "removed">, what: string) =>
    `${uploaded} ${what} ${dryRun ? "would be sent" : "sent"} (${bytes} bytes), ${unchanged} there already`;
  const of = pages === null ? "" : `; ${told(pages, "pages")}, ${pages.removed} removed`;
  const tables = csv === null ? "" : `; ${told(csv, "tables as CSV")}`;
  const counts = `${told(files, "files")}${of}${tables}`;
  const said = retractions
    .map((digest) => `\n${digest} is ${dryRun ? "not yet " : ""}said there to be retracted`)
    .join("");
  return dryRun
    ? `${releaseDigest} → ${target}: ${counts}${said}`
    : `${releaseDigest} is published at ${target}: ${counts}${said}`;
}
