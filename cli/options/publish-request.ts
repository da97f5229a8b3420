/** The options on where a release is sent and what of it, and the request that is read from them. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { changeNow } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { folderTarget } from "../../releases/publish/folder-target.ts";
import type { PublishOptions } from "../../releases/publish/index.ts";
import { s3Address } from "../../releases/publish/s3-bucket.ts";
import { s3Target } from "../../releases/publish/s3-target.ts";
import type { Target } from "../../releases/publish/target.ts";
import { UsageError } from "./exit-codes.ts";
import { countArgument, httpAddress, plainPath, type SharedOptions } from "./shared.ts";

export interface PublishRequestOptions extends SharedOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: true;
  readonly parallel: number;
  readonly pages?: boolean;
  readonly includeResearchers?: boolean;
  readonly csv?: boolean;
}

/** Adds those options to a command. */
export function withPublishRequest(command: Command): Command {
  return command
    .option("--endpoint <url>", "of an S3-compatible service; else AWS_ENDPOINT_URL, else Amazon's")
    .option("--region <name>", "of the bucket; else AWS_REGION or the profile's")
    .option("--path-style", "name the bucket in the path, not in the host name")
    .option("--pages", "also publish its pages as single files at the API's own paths, for static hosts")
    .option(
      "--include-researchers",
      "pages about researchers among those objects: who opts out stays until the next one",
    )
    .option("--csv", "its tables as CSV as well, for hosts without a server, which makes them when asked")
    .option("--parallel <n>", "files on their way at once", countArgument(1, 64), 16);
}

export interface PublishRequest {
  readonly settings: Omit<PublishOptions, "dryRun">;
  readonly target: (effects: Effects) => Promise<Target>;
}

/**
 * What is asked for is looked at here, before anything begins: the place itself is not asked yet.
 * @throws UsageError for options that do not go together, and where nothing can be sent there
 */
export async function publishRequestOf(
  store: Store,
  to: string,
  options: PublishRequestOptions,
): Promise<PublishRequest> {
  const { parallel, csv = false } = options;
  return {
    settings: { parallel, csv, pages: pagesOf(to, options) },
    target: to.startsWith("s3:") ? bucketOf(to, options) : await folderOf(store, to, options),
  };
}

function pagesOf(to: string, { pages = false, includeResearchers: researchers = false }: PublishRequestOptions) {
  if (researchers && !(pages && to.startsWith("s3:"))) {
    throw new UsageError(
      "--include-researchers is for --pages in a bucket: elsewhere a server answers for researchers",
    );
  }
  return pages ? { researchers } : null;
}

function bucketOf(to: string, options: PublishRequestOptions): PublishRequest["target"] {
  const { endpoint = null, region = null, pathStyle = false, parallel } = options;
  if (endpoint !== null) httpAddress("--endpoint", endpoint);
  const address = s3Address(to);
  if (address === null) {
    throw new UsageError("--to takes s3://bucket or s3://bucket/prefix, of plain characters and without credentials");
  }
  return (effects) => s3Target(address, { endpoint, region, pathStyle, parallel }, effects);
}

async function folderOf(store: Store, to: string, options: PublishRequestOptions): Promise<PublishRequest["target"]> {
  const { endpoint, region, pathStyle } = options;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(to)) throw new UsageError("--to takes a folder, or s3://bucket/prefix");
  if (endpoint !== undefined || region !== undefined || pathStyle !== undefined) {
    throw new UsageError("--endpoint, --region and --path-style are for s3://bucket/prefix");
  }
  const folder = resolve(plainPath("--to", to));
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  if (options.pages !== true && (await real(folder)) === (await real(store.root))) {
    throw new UsageError(
      "--to is the store itself: its releases are made active with `share-release release activate`; --pages makes their trees there",
    );
  }
  return async (effects) => folderTarget(folder, changeNow(effects));
}
