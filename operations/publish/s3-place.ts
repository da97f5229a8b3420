/** One release in a bucket: releases/sha256-<hex>/. */

import type { Bucket } from "./s3/s3-bucket.ts";
import { releaseFileHeaders } from "./target/object-headers.ts";
import type { CopySource, Place, PublishedFile } from "./target/target.ts";
import { SMALL_BYTES, verifiedBytes, verifiedStream } from "./target/verified-file.ts";

const RECEIPT = "release.json";

export class S3Place implements Place {
  readonly #bucket: Bucket;
  readonly #digest: string;

  constructor(bucket: Bucket, digest: string) {
    this.#bucket = bucket;
    this.#digest = digest;
  }

  receipt(): Promise<string | null> {
    return this.#bucket.text(this.#path(RECEIPT));
  }

  manifest(): Promise<string | null> {
    return this.#bucket.text(this.#path("manifest.ndjson"));
  }

  /** An object is whole or not there: nothing has to be made ready. */
  async begin(): Promise<() => Promise<void>> {
    return async () => undefined;
  }

  list(): AsyncGenerator<{ path: string; bytes: number }> {
    return this.#bucket.list(this.#path(""));
  }

  has(file: PublishedFile): Promise<boolean> {
    return this.#bucket.has(this.#path(file.path), file, releaseFileHeaders(file.path));
  }

  copy(file: PublishedFile, source: CopySource): Promise<boolean> {
    const from = this.#path(source.path, source.releaseDigest);
    return this.#bucket.copy(from, this.#path(file.path), file, releaseFileHeaders(file.path));
  }

  async send(file: PublishedFile, local: string): Promise<void> {
    const [path, headers] = [this.#path(file.path), releaseFileHeaders(file.path)];
    if (file.bytes <= SMALL_BYTES) await this.#bucket.put(path, await verifiedBytes(local, file), headers);
    else await this.#bucket.putLarge(path, () => verifiedStream(local, file), file, headers);
  }

  remove(path: string): Promise<void> {
    return this.#bucket.remove(this.#path(path));
  }

  finish(receipt: string): Promise<void> {
    return this.#bucket.put(this.#path(RECEIPT), Buffer.from(receipt), releaseFileHeaders(RECEIPT));
  }

  async putBeside(file: PublishedFile, local: string): Promise<boolean> {
    if (await this.has(file)) return false;
    await this.send(file, local);
    return true;
  }

  #path(path: string, digest = this.#digest): string {
    return `releases/${digest.replace(":", "-")}/${path}`;
  }
}
