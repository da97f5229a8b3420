/** The options for publishing that several commands share, and the request that results from them. */

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
import type { PublishTarget } from "../../releases/publish/target.ts";
import { UsageError } from "./exit-codes.ts";
import { countArgument, httpUrl, plainPath, type SharedOptions } from "./shared.ts";

export interface PublishRequestOptions extends SharedOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: true;
  readonly parallel: number;
  readonly pages?: boolean;
  readonly includeResearchers?: boolean;
  readonly csv?: boolean;
}

export function withPublishRequest(command: Command): Command {
  return command
    .option("--endpoint <url>", "URL of an S3-compatible service (default: AWS_ENDPOINT_URL, else Amazon S3)")
    .option("--region <name>", "Region of the bucket (default: AWS_REGION, else the region of the profile)")
    .option("--path-style", "Put the bucket name in the path instead of the host name")
    .option("--pages", "Also publish each page as a file at its API path, for static hosts")
    .option(
      "--include-researchers",
      "With --pages: include pages about researchers; those who opt out stay until the next release",
    )
    .option("--csv", "Also publish the tables as CSV, for static hosts")
    .option("--parallel <n>", "Number of parallel transfers", countArgument(1, 64), 16);
}

export interface PublishRequest {
  readonly settings: Omit<PublishOptions, "dryRun">;
  readonly target: (effects: Effects) => Promise<PublishTarget>;
}

/**
 * Returns the publish request that results from the options. Does not contact the target.
 * @throws UsageError for an invalid target or options that exclude each other
 */
export async function readPublishRequest(
  store: Store,
  to: string,
  options: PublishRequestOptions,
): Promise<PublishRequest> {
  const { parallel, csv = false } = options;
  return {
    settings: { parallel, csv, pages: readPagesOption(to, options) },
    target: to.startsWith("s3:") ? makeBucketTarget(to, options) : await makeFolderTarget(store, to, options),
  };
}

function readPagesOption(
  to: string,
  { pages = false, includeResearchers: researchers = false }: PublishRequestOptions,
) {
  if (researchers && !(pages && to.startsWith("s3:"))) {
    throw new UsageError(
      "--include-researchers requires --pages and a bucket: leave it out for a folder, because a server provides the pages about researchers",
    );
  }
  return pages ? { researchers } : null;
}

function makeBucketTarget(to: string, options: PublishRequestOptions): PublishRequest["target"] {
  const { endpoint = null, region = null, pathStyle = false, parallel } = options;
  if (endpoint !== null) httpUrl("--endpoint", endpoint);
  const address = s3Address(to);
  if (address === null) {
    throw new UsageError(
      "--to expects s3://bucket or s3://bucket/prefix, such as s3://scores/site, without credentials and special characters",
    );
  }
  return (effects) => s3Target(address, { endpoint, region, pathStyle, parallel }, effects);
}

async function makeFolderTarget(
  store: Store,
  to: string,
  options: PublishRequestOptions,
): Promise<PublishRequest["target"]> {
  const { endpoint, region, pathStyle } = options;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(to)) throw new UsageError("--to expects a folder or s3://bucket/prefix");
  if (endpoint !== undefined || region !== undefined || pathStyle !== undefined) {
    throw new UsageError(
      "--endpoint, --region and --path-style require --to s3://bucket/prefix: leave them out for a folder",
    );
  }
  const folder = resolve(plainPath("--to", to));
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  if (options.pages !== true && (await real(folder)) === (await real(store.root))) {
    throw new UsageError(
      "--to is the store itself. To activate a release there, run `share-release release activate`. To write its pages there, add --pages.",
    );
  }
  return async (effects) => folderTarget(folder, changeNow(effects));
}
