/** The pages of a release: each found by its key, and proven by what its manifest says. */

import { type Files, Kept, PackFault, proven, ReleaseFault } from "./files.ts";
import { inflate } from "./inflate.ts";
import type { Manifest, Pack } from "./manifest.ts";
import { type FoundPage, leafIn, pageIn, placeOf } from "./pack-index.ts";

/** Parts of indexes that are kept: some 20 KB each. */
const MOST_KEPT = 256;

type Bytes = Uint8Array<ArrayBuffer>;

export class Pages {
  readonly #files: Files;
  readonly #manifest: () => Promise<Manifest>;
  readonly #parts = new Kept<Bytes>(MOST_KEPT);

  constructor(files: Files, manifest: () => Promise<Manifest>) {
    this.#files = files;
    this.#manifest = manifest;
  }

  /**
   * A page by its family, such as `2.0/record`, and its key there; null where there is none, which is proven too.
   *
   * @throws ReleaseFault where what is got is not what the manifest says
   */
  async find(family: string, key: string): Promise<Bytes | null> {
    const place = await placeOf(key);
    const packs = (await this.#manifest()).packs.get(family) ?? [];
    const pack = packs.filter(({ from }) => from <= place).at(-1);
    if (pack === undefined) return null;
    const url = this.#files.address(pack.path);
    try {
      const leaf = await this.#leafOf(pack, place, url);
      const page = leaf === null ? null : pageIn(leaf, key);
      return page === null ? null : await this.#cut(pack, page, url);
    } catch (error) {
      if (error instanceof PackFault || error instanceof RangeError) throw new ReleaseFault(url, error.message);
      throw error;
    }
  }

  async #leafOf(pack: Pack, place: string, url: string): Promise<Bytes | null> {
    const { bytes, sha256 } = pack.index;
    const end = { offset: pack.bytes - bytes, bytes };
    const root = await this.#parts.get(sha256, async () => proven(await this.#files.part(pack.path, end), sha256, url));
    const leaf = leafIn(root, place);
    if (leaf === null) return null;
    if (leaf.offset + leaf.bytes > pack.bytes) throw new PackFault("has a leaf outside of it");
    return this.#parts.get(leaf.sha256, async () => proven(await this.#files.part(pack.path, leaf), leaf.sha256, url));
  }

  async #cut(pack: Pack, { frame, start, bytes, sha256 }: FoundPage, url: string): Promise<Bytes> {
    if (frame.offset + frame.bytes > pack.bytes) throw new PackFault("has a frame outside of it");
    const content = inflate(await this.#files.part(pack.path, frame), frame.inflated);
    return proven(content.slice(start, start + bytes), sha256, url);
  }
}
