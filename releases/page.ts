/** Reads one page of a release, and returns where it is in its pack (docs/packs.md). */

import { hash } from "node:crypto";
import type { AskedPage } from "../api-static/routes/index.ts";
import { computePlace, PackDamaged, type PageAddress, pageAddress, RESTORE } from "../pipeline/packs/format.ts";
import { PageStore } from "../pipeline/packs/page-store.ts";

/** The position of a page. Offsets and lengths are in bytes, digests in hex. */
export interface PagePlace {
  readonly pack: string;
  readonly family: string;
  readonly key: string;
  readonly place: string;
  /** The root of the index, which is the last `bytes` bytes of the pack. */
  readonly index: { readonly bytes: number; readonly sha256: string } | null;
  readonly leaf: { readonly offset: number; readonly bytes: number; readonly sha256: string };
  readonly frame: { readonly offset: number; readonly bytes: number; readonly inflated: number };
  /** The position of the page in the decompressed frame. */
  readonly page: { readonly offset: number; readonly bytes: number; readonly sha256: string };
}

export interface PageOfRelease extends PagePlace {
  readonly bytes: Buffer;
}

/**
 * Returns a page and its position; null if the release does not have the page.
 * @throws PackDamaged if the page does not match the index
 */
export async function pageOfRelease(folder: string, page: AskedPage): Promise<PageOfRelease | null> {
  const pages = await PageStore.open(folder);
  try {
    return readIn(pages, pageAddress(page.route, page.file, page.key));
  } finally {
    pages.close();
  }
}

function readIn(pages: PageStore, address: PageAddress): PageOfRelease | null {
  const { family, key } = address;
  const found = pages.find(address);
  const read = found && pages.get(address);
  if (found === null || read === null) return null;
  const { pack, leaf, page } = found;
  if (!hash("sha256", read.bytes, "buffer").equals(page.sha256)) {
    throw new PackDamaged(`${pack.path}: the page ${key} does not match its index; ${RESTORE}`);
  }
  return {
    pack: pack.path,
    family,
    key,
    place: computePlace(key).toString("hex"),
    index: pack.index ?? null,
    leaf: { offset: leaf.offset, bytes: leaf.length, sha256: leaf.sha256.toString("hex") },
    frame: { offset: page.frame.offset, bytes: page.frame.packed, inflated: page.frame.inflated },
    page: { offset: page.start, bytes: page.length, sha256: page.sha256.toString("hex") },
    bytes: read.bytes,
  };
}
