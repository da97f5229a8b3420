/** The pages of one release, wherever they lie in its packs: the one place that finds a page. */

import { createHash, type Hash, hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { digest, type ManifestLine, manifestLine } from "../../schemas/public/release.ts";
import { isMissing } from "../files/durable.ts";
import {
  type Branch,
  PackDamaged,
  type PageAddress,
  type PageEntry,
  type PlaceRange,
  placeOf,
  readPackPath,
  SPLITS,
  type Split,
} from "./format.ts";
import { type PackCache, type PackedPage, PackReader, packCache } from "./pack-reader.ts";
import type { FinishedPack } from "./pack-sink.ts";

/** Parts of packs that are held: enough for the index of some ten thousand pages and the frames of as many readers. */
const CACHE_BYTES = 32 * 1024 * 1024;

const EVERYTHING = { from: "", to: "g" };

interface Pack extends PlaceRange {
  readonly line: ManifestLine;
  reader: PackReader | null;
}

/** Where a page lies. */
export interface FoundPage {
  readonly pack: ManifestLine;
  readonly leaf: Branch;
  readonly page: PageEntry;
}

export class PageStore {
  readonly #folder: string;
  /** Packs by family, in order of their ranges. Each is opened when it is first asked. */
  readonly #packs: ReadonlyMap<string, readonly Pack[]>;
  readonly #cache: PackCache;

  private constructor(folder: string, packs: ReadonlyMap<string, readonly Pack[]>, cacheBytes: number) {
    this.#folder = folder;
    this.#packs = packs;
    this.#cache = packCache(cacheBytes);
  }

  /** The pages of a release folder, by its manifest; a folder without one has none. Close it. */
  static async open(folder: string, cacheBytes = CACHE_BYTES): Promise<PageStore> {
    return PageStore.over(folder, await manifestLinesIn(folder), cacheBytes);
  }

  /** The same, by lines of a manifest. */
  static over(folder: string, lines: readonly ManifestLine[], cacheBytes = CACHE_BYTES): PageStore {
    const packs = new Map<string, Pack[]>();
    for (const line of lines) {
      const name = readPackPath(line.path);
      if (name === null) continue;
      const family = packs.get(name.family) ?? [];
      packs.set(name.family, [...family, { ...name, line, reader: null }]);
    }
    for (const family of packs.values()) family.sort((one, other) => (one.from < other.from ? -1 : 1));
    return new PageStore(folder, packs, cacheBytes);
  }

  /** Into how many packs the pages of some families are split at the most. */
  splitOf(families: readonly string[]): Split {
    const digits = families.flatMap((family) => (this.#packs.get(family) ?? []).map(({ from }) => from.length));
    return SPLITS[Math.max(0, ...digits)] ?? 1;
  }

  get families(): readonly string[] {
    return [...this.#packs.keys()];
  }

  /**
   * One page; null where the release has none of that key.
   * @throws PackDamaged naming the pack; whatever a disk says that fails
   */
  get({ family, key }: PageAddress): PackedPage | null {
    const pack = this.#packOf(family, key);
    return pack && this.#naming(pack, () => this.#open(pack).get(key));
  }

  /**
   * Where a page lies: its pack's line of the manifest, and leaf and entry there; null where the release has none.
   * @throws PackDamaged naming the pack; whatever a disk says that fails
   */
  find({ family, key }: PageAddress): FoundPage | null {
    const pack = this.#packOf(family, key);
    const found = pack && this.#naming(pack, () => this.#open(pack).find(key));
    return pack && found && { pack: pack.line, ...found };
  }

  /** The same; null too where the pack is not there: a copy of a release may come without some. */
  getIfThere(address: PageAddress): PackedPage | null {
    try {
      return this.get(address);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * The keys of a family with the sha256 of their pages, in order, from the index alone: of the packs whose ranges begin
   * within `range`.
   * @throws PackDamaged naming the pack
   */
  *entries(
    family: string,
    range: Omit<PlaceRange, "name"> = EVERYTHING,
  ): Generator<{ readonly key: string; readonly sha256: Buffer }> {
    for (const pack of this.#packs.get(family) ?? []) {
      if (pack.from < range.from || pack.from >= range.to) continue;
      const frames = this.#naming(pack, () => this.#open(pack)).frames();
      for (;;) {
        const { done, value } = this.#naming(pack, () => frames.next());
        if (done === true) break;
        yield* value.pages;
      }
    }
  }

  /**
   * Every page of a family with its key, in order.
   * @throws PackDamaged naming the pack
   */
  *each(family: string): Generator<PackedPage & { readonly key: string }> {
    for (const pack of this.#packs.get(family) ?? []) {
      const pages = this.#naming(pack, () => this.#open(pack)).each();
      for (;;) {
        const { done, value } = this.#naming(pack, () => pages.next());
        if (done === true) break;
        yield value;
      }
    }
  }

  close(): void {
    for (const pack of [...this.#packs.values()].flat()) {
      pack.reader?.close();
      pack.reader = null;
    }
  }

  /** The pack that a key is in if it is in any. */
  #packOf(family: string, key: string): Pack | null {
    const at = placeOf(key).toString("hex");
    return this.#packs.get(family)?.findLast(({ from }) => from <= at) ?? null;
  }

  #open(pack: Pack): PackReader {
    pack.reader ??= PackReader.open(join(this.#folder, pack.line.path), this.#cache, pack.line.index ?? null);
    return pack.reader;
  }

  #naming<T>({ line }: Pack, read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (!(cause instanceof PackDamaged)) throw cause;
      throw new PackDamaged(`${line.path}: ${cause.message}`, { cause });
    }
  }
}

export const renderedPages = z.object({
  /** Lines of the manifest, one a pack. */
  lines: z.array(manifestLine),
  /** The root over the pages of each family. */
  roots: z.record(z.string(), digest),
});
export type RenderedPages = z.infer<typeof renderedPages>;

/** Packs in any order. */
export function renderedPagesOf(packs: readonly FinishedPack[]): RenderedPages {
  const sorted = packs.toSorted((one, other) => (one.line.path < other.line.path ? -1 : 1));
  const families = [...new Set(sorted.map(({ family }) => family))];
  const shardsOf = (family: string) => sorted.flatMap((pack) => (pack.family === family ? pack.shards : []));
  return {
    lines: sorted.map(({ line }) => line),
    roots: Object.fromEntries(families.map((family) => [family, pagesRoot(shardsOf(family))])),
  };
}

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
