/**
 * Publishes releases to a bucket: objects below releases/, which never change, and the object `current`, which contains the
 * active release.
 */

import { z } from "zod";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { digest as digestSchema } from "../../schemas/public/release.ts";
import { publishPages } from "./bucket-pages.ts";
import type { S3Address } from "./s3-bucket.ts";
import { openS3, S3Bucket, type S3Options, S3Place } from "./s3-bucket.ts";
import type { PublishTarget } from "./target.ts";
import { POINTER_HEADERS } from "./target.ts";

const POINTER = "current";

/** The content of the object `current`. Each of its fields alone identifies the release. */
const pointer = z.object({ releaseDigest: digestSchema, scoreReleaseVersion: z.string(), folder: z.string() });

/** Returns the target for an address such as s3://bucket/prefix. */
export async function s3Target(
  address: S3Address,
  options: S3Options,
  effects: Pick<Effects, "log">,
): Promise<PublishTarget> {
  const bucket = new S3Bucket(await openS3(options), address);
  return {
    name: bucket.formatAddress("").replace(/\/$/, ""),
    current: async () => digestIn(await bucket.text(POINTER)),
    text: (path) => bucket.text(path),
    write: (path, text, headers) => bucket.put(path, Buffer.from(text), headers),
    point: ({ releaseDigest, scoreReleaseVersion }) => {
      const folder = `releases/${releaseDigest.replace(":", "-")}`;
      const text = JSON.stringify({ releaseDigest, scoreReleaseVersion, folder } satisfies z.infer<typeof pointer>);
      return bucket.put(POINTER, Buffer.from(`${text}\n`), POINTER_HEADERS);
    },
    tidy: async () => {
      const unknown = await bucket.abortUploads("releases/");
      if (unknown !== null)
        effects.log({ level: "warn", event: "publish-uploads-unlisted", target: bucket.formatAddress(""), ...unknown });
    },
    place: (releaseDigest) => new S3Place(bucket, releaseDigest),
    pages: ({ folder }, options) => publishPages(bucket, folder, options),
    listObject: "releases",
  };
}

function digestIn(text: string | null): string | null {
  try {
    return pointer.parse(JSON.parse(text ?? "")).releaseDigest;
  } catch {
    // A missing or invalid pointer is written again.
    return null;
  }
}
