/** The root over the pages of one route and version: what the release digest covers of them (ADR 2). */

import { createHash, type Hash, hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ManifestLine, manifestLine } from "../../schemas/public/release.ts";

/** A shard of pages, named by the first three hex digits of their places, and its digest in hex. */
export type PageShard = readonly [shard: string, digest: string];

/** Characters of lines that are digested at once: to digest each by itself takes longer than what is digested. */
const LINES = 1 << 14;

/** Pages in the order of their places; the digests of their shards out. */
export class PageShards {
  readonly #shards: PageShard[] = [];
  /** The first twelve bits of the places of the shard at hand; null where there is none. */
  #shard: number | null = null;
  #digest: Hash = createHash("sha256");
  #lines = "";

  add(place: Buffer, key: string, sha256: Buffer): void {
    const shard = place.readUInt16BE(0) >> 4;
    if (shard !== this.#shard) this.#end(shard);
    this.#lines += `${key} ${sha256.toString("hex")}\n`;
    if (this.#lines.length > LINES) this.#digestLines();
  }

  finish(): readonly PageShard[] {
    this.#end(null);
    return this.#shards;
  }

  #digestLines(): void {
    this.#digest.update(this.#lines);
    this.#lines = "";
  }

  #end(next: number | null): void {
    if (this.#shard !== null) {
      this.#digestLines();
      this.#shards.push([this.#shard.toString(16).padStart(3, "0"), this.#digest.digest("hex")]);
      this.#digest = createHash("sha256");
    }
    this.#shard = next;
  }
}

/** The root of all shards of a route and version, whichever packs they came from, in order: `sha256:<hex>`. */
export function pagesRoot(shards: readonly PageShard[]): string {
  return `sha256:${hash("sha256", shards.map(([shard, digest]) => `${shard} ${digest}\n`).join(""))}`;
}

/** Of the release in a folder. */
export async function manifestLinesIn(folder: string): Promise<ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => manifestLine.parse(JSON.parse(line)));
}
