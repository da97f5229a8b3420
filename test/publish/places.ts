/** Opens the two kinds of places for published releases, a folder and a bucket, and reads them. */

import { hash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { changeNow } from "../../pipeline/store/releases.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { folderTarget } from "../../releases/publish/folder-target.ts";
import { s3Target } from "../../releases/publish/s3-target.ts";
import type { PublishTarget } from "../../releases/publish/target.ts";
import { SHARE_DATABASE } from "../../releases/share-database.ts";
import { pathsIn } from "../support/tree.ts";
import { BUCKET, CREDENTIALS, type S3Server, startS3 } from "./s3-server.ts";

export interface PublishedPlace extends AsyncDisposable {
  target(effects: Effects): Promise<PublishTarget>;
  /** The options of `release publish` for this place, beginning with `--to`. */
  readonly options: readonly string[];
  /** Returns the paths of all files and links, in order. */
  paths(): Promise<string[]>;
  /** Returns the content of a file; null if there is none. */
  read(path: string): Promise<Buffer | null>;
  /** Returns the digest of the release that is published as the current one; null if there is none. */
  pointed(): Promise<string | null>;
  /** The S3 server of the bucket; null for a folder. */
  readonly s3: S3Server | null;
}

export interface PublishedBucket extends PublishedPlace {
  readonly s3: S3Server;
}

export const PREFIX = "share/v1";

/** Sets the environment variables with the credentials of the S3 server, over those that other tests have set. */
export function takeCredentials(): void {
  Object.assign(process.env, CREDENTIALS, { AWS_EC2_METADATA_DISABLED: "true" });
}

async function folderPlace(): Promise<PublishedPlace> {
  const parent = await mkdtemp(join(tmpdir(), "share-published-"));
  const root = join(parent, "www");
  return {
    target: async (effects) => folderTarget(root, changeNow(effects)),
    options: ["--to", root],
    paths: () => pathsIn(root).catch(() => []),
    read: (path) => readFile(join(root, path)).catch(() => null),
    pointed: async () => {
      const receipt = await readFile(join(openStore(root).current, "release.json"), "utf8").catch(() => null);
      return receipt === null ? null : JSON.parse(receipt).releaseDigest;
    },
    s3: null,
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

export async function bucketPlace(): Promise<PublishedBucket> {
  takeCredentials();
  const s3 = await startS3();
  const address = { bucket: BUCKET, prefix: `${PREFIX}/` };
  const read = (path: string) => s3.object(`${PREFIX}/${path}`);
  return {
    target: (effects) => s3Target(address, { endpoint: s3.url, region: null, pathStyle: true, parallel: 8 }, effects),
    options: ["--to", `s3://${BUCKET}/${PREFIX}`, "--endpoint", s3.url, "--path-style"],
    paths: async () => (await s3.keys()).map((key) => key.slice(PREFIX.length + 1)),
    read,
    pointed: async () => {
      const text = await read("current");
      return text === null ? null : JSON.parse(text.toString()).releaseDigest;
    },
    s3,
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
}

/** Returns the URL of an object in the bucket. It can be read without credentials. */
export function objectAddress({ url }: S3Server, path: string): string {
  return `${url}/${BUCKET}/${PREFIX}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export const PLACES: readonly { readonly kind: string; open(): Promise<PublishedPlace> }[] = [
  { kind: "a folder", open: folderPlace },
  { kind: "a bucket", open: bucketPlace },
];

/**
 * Returns the sha256 of every published file of a release, by its path in the release. Empty if the release is not published
 * there.
 */
export async function releaseAt(place: PublishedPlace, digest: string): Promise<Map<string, string>> {
  const below = `releases/${digest.replace(":", "-")}/`;
  const found = new Map<string, string>();
  for (const path of (await place.paths()).filter((name) => name.startsWith(below))) {
    if (path === `${below}${SHARE_DATABASE}`) continue;
    found.set(path.slice(below.length), hash("sha256", (await place.read(path)) ?? Buffer.alloc(0)));
  }
  return found;
}
