/** Finds the pages of a release by key, and verifies them. */

import { decompress } from "fzstd";
import { type Files, LatestValues, PackFault, REPORT, ReleaseFault, verified } from "./files.ts";
import type { Manifest, Pack } from "./manifest.ts";
import { computePlace, type FoundPage, leafIn, pageIn } from "./pack-index.ts";

/** Number of cached parts of indexes. Each has about 20 KB. */
const MAX_CACHED = 256;

type Bytes = Uint8Array<ArrayBuffer>;

export class PackedPages {
  readonly #files: Files;
  readonly #manifest: () => Promise<Manifest>;
  readonly #parts = new LatestValues<Bytes>(MAX_CACHED);

  constructor(files: Files, manifest: () => Promise<Manifest>) {
    this.#files = files;
    this.#manifest = manifest;
  }

  /**
   * Returns a page by its family, such as `2.0/record`, and its key. Null if the index proves that there is none.
   *
   * @throws ReleaseFault if the content does not match the manifest
   */
  async find(family: string, key: string): Promise<Bytes | null> {
    const place = await computePlace(key);
    const packs = (await this.#manifest()).packs.get(family) ?? [];
    const pack = packs.filter(({ from }) => from <= place).at(-1);
    if (pack === undefined) return null;
    const url = this.#files.buildUrl(pack.path);
    try {
      const leaf = await this.#findLeaf(pack, place, url);
      const page = leaf === null ? null : pageIn(leaf, key);
      return page === null ? null : await this.#cut(pack, page, url);
    } catch (error) {
      if (error instanceof PackFault || error instanceof RangeError)
        throw new ReleaseFault(url, `${error.message}. ${REPORT}`);
      throw error;
    }
  }

  async #findLeaf(pack: Pack, place: string, url: string): Promise<Bytes | null> {
    const { bytes, sha256 } = pack.index;
    const end = { offset: pack.bytes - bytes, bytes };
    const root = await this.#parts.get(sha256, async () =>
      verified(await this.#files.part(pack.path, end), sha256, url),
    );
    const leaf = leafIn(root, place);
    if (leaf === null) return null;
    if (leaf.offset + leaf.bytes > pack.bytes)
      throw new PackFault("is damaged: the index of the pack refers to a part after the end of the file");
    return this.#parts.get(leaf.sha256, async () =>
      verified(await this.#files.part(pack.path, leaf), leaf.sha256, url),
    );
  }

  async #cut(pack: Pack, { frame, start, bytes, sha256 }: FoundPage, url: string): Promise<Bytes> {
    if (frame.offset + frame.bytes > pack.bytes)
      throw new PackFault("is damaged: the index of the pack refers to a compressed block after the end of the file");
    const content = inflate(await this.#files.part(pack.path, frame), frame.inflated);
    return verified(content.slice(start, start + bytes), sha256, url);
  }
}

/**
 * Decompresses a frame of a pack.
 * @throws PackFault if the frame has another length
 */
function inflate(frame: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (contentSize(frame) !== length)
    throw new PackFault("is damaged: a compressed block does not have the length in the index");
  const content = new Uint8Array(length);
  try {
    decompress(frame, content);
  } catch (cause) {
    throw new PackFault("is damaged: a compressed block cannot be decompressed", { cause });
  }
  return content;
}

/**
 * Returns the content size from the header of a frame (RFC 8878, 3.1.1.1). Null if it is not a zstd frame, needs a
 * dictionary, needs a larger window than any page does, or does not state its size.
 */
function contentSize(frame: Uint8Array<ArrayBuffer>): number | null {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const [magic, descriptor] = [view.getUint32(0, true), view.getUint8(4)];
  const hasDictionary = (descriptor & 3) !== 0;
  const window = (descriptor & 0x20) === 0 ? 1 : 0;
  if (magic !== 0xfd2fb528 || hasDictionary) return null;
  // A larger window needs more memory than any page, and it would be allocated before decompression.
  if (window === 1 && (view.getUint8(5) >> 3) + 10 > 27) return null;
  const at = 5 + window;
  switch (descriptor >> 6) {
    case 0:
      return window === 1 ? null : view.getUint8(at);
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
