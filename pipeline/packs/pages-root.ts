/** The root over the pages of one route and version: what the release digest covers of them (ADR 2). */

import { createHash, type Hash, hash } from "node:crypto";

/** A shard of pages, named by the first three hex digits of their places, and its digest in hex. */
export type PageShard = readonly [shard: string, digest: string];

/** Pages in the order of their places; the digests of their shards out. */
export class PageShards {
  readonly #shards: PageShard[] = [];
  #shard = "";
  #digest: Hash = createHash("sha256");

  add(place: Buffer, key: string, sha256: Buffer): void {
    const shard = place.toString("hex", 0, 2).slice(0, 3);
    if (shard !== this.#shard) this.#end(shard);
    this.#digest.update(`${key} ${sha256.toString("hex")}\n`);
  }

  finish(): readonly PageShard[] {
    this.#end("");
    return this.#shards;
  }

  #end(next: string): void {
    if (this.#shard !== "") {
      this.#shards.push([this.#shard, this.#digest.digest("hex")]);
      this.#digest = createHash("sha256");
    }
    this.#shard = next;
  }
}

/** The root of all shards of a route and version, whichever packs they came from, in order: `sha256:<hex>`. */
export function pagesRoot(shards: readonly PageShard[]): string {
  return `sha256:${hash("sha256", shards.map(([shard, digest]) => `${shard} ${digest}\n`).join(""))}`;
}
