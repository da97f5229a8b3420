/** Reads the content of a release without its time of publication, so that two builds of the same inputs are equal. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packPath, RELEASE_FAMILY, rootLength, TAIL_BYTES } from "../../pipeline/packs/format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import { pagesIn } from "./release-pages.ts";
import { pathsIn } from "./tree.ts";

export interface ReleaseContent {
  readonly receipt: Omit<Receipt, "publishedAt" | "manifestDigest">;
  /**
   * sha256 of every file by path, and of every page by its path in a tree, without the receipt and the manifest. The time of
   * publication is removed from the content before.
   */
  readonly files: ReadonlyMap<string, string>;
  /** Files and pages that contain the time of publication. */
  readonly dated: readonly string[];
  /** True if the manifest has exactly one correct line for each file, in the order of the paths. */
  readonly listed: boolean;
}

/** Returns the size and the sha256 of a pack's root, as in the pack's line of the manifest; null for any other file. */
function readPackIndex(path: string, content: Buffer): ManifestLine["index"] | null {
  if (!path.endsWith(".zst")) return null;
  const bytes = rootLength(content.subarray(-TAIL_BYTES));
  return { bytes, sha256: hash("sha256", content.subarray(-bytes)) };
}

/** Reads the content of a release folder. Throws if the folder has no receipt. */
export async function releaseContent(folder: string): Promise<ReleaseContent> {
  const found = await readReceipt(folder);
  if (found === null) throw new Error(`${folder} has no receipt`);
  const { publishedAt, manifestDigest: _manifestDigest, ...receipt } = found;
  const files = new Map<string, string>();
  const dated: string[] = [];
  const note = (path: string, content: Buffer) => {
    const isDated = content.includes(publishedAt);
    if (isDated) dated.push(path);
    const text = isDated ? content.toString("utf8").replaceAll(publishedAt, "(publishedAt)") : content;
    files.set(path, hash("sha256", text));
  };
  let lines = "";
  for (const path of await pathsIn(folder)) {
    if (path === "release.json" || path === "manifest.ndjson") continue;
    const content = await readFile(join(folder, path));
    const line = manifestLine.parse({ path, bytes: content.length, sha256: hash("sha256", content) });
    const index = readPackIndex(path, content);
    lines += `${JSON.stringify(index === null ? line : { ...line, index })}\n`;
    // The pack of pages that name the release contains the time of publication in compressed form, where it cannot be blanked.
    if (path !== packPath(RELEASE_FAMILY)) note(path, content);
  }
  for (const [path, page] of await pagesIn(folder)) note(path, page);
  const listed = (await readFile(join(folder, "manifest.ndjson"), "utf8")) === lines;
  const sorted = new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { receipt, files: sorted, dated, listed };
}
