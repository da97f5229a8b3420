/** Reading a file of a release so that nothing but what the manifest names can leave the store. */

import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { PublishRefused } from "./errors.ts";
import type { PublishedFile } from "./target.ts";

/** Files up to this size are sent at once, from memory; larger ones in parts. */
export const SMALL_BYTES = 8 * 1024 * 1024;

/**
 * The content of a small file.
 * @throws PublishRefused where it is another than the manifest's
 */
export async function verifiedBytes(local: string, file: PublishedFile): Promise<Buffer> {
  const content = await readFile(local);
  if (hash("sha256", content) !== file.sha256) throw damaged(local, file);
  return content;
}

/** The content of a file of any size; the stream fails at its end where it is another than the manifest's. */
export function verifiedStream(local: string, file: PublishedFile): Readable {
  return Readable.from(chunksOf(local, file), { objectMode: false });
}

async function* chunksOf(local: string, file: PublishedFile): AsyncGenerator<Buffer> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(local, { highWaterMark: 1 << 20 })) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest("hex") !== file.sha256) throw damaged(local, file);
}

function damaged(local: string, { sha256 }: PublishedFile): PublishRefused {
  return new PublishRefused(
    `${local} is not what the release lists (sha256 ${sha256}), and was not published; see \`share-release verify\``,
  );
}
