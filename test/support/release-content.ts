/** What a release says, but for the moment it was published: equal for two builds of the same inputs. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootLength, TAIL_BYTES } from "../../pipeline/packs/format.ts";
import { packPath, RELEASE_FAMILY } from "../../pipeline/packs/pack-names.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import { pagesIn } from "./release-pages.ts";
import { pathsIn } from "./tree.ts";

export interface ReleaseContent {
  readonly receipt: Omit<Receipt, "publishedAt" | "manifestDigest">;
  /** sha256 of every file by path, the time of publication blanked; without receipt and manifest. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that carry the time of publication. */
  readonly dated: readonly string[];
  /** Whether the manifest has a line for every file, as it is, in the order of their paths, and no other. */
  readonly listed: boolean;
}

const RELEASE_PACK = packPath(RELEASE_FAMILY);

/** A pack's line names the root of its index. */
function indexOf(path: string, content: Buffer): ManifestLine["index"] | null {
  if (!path.endsWith(".zst")) return null;
  const bytes = rootLength(content.subarray(-TAIL_BYTES));
  return { bytes, sha256: hash("sha256", content.subarray(-bytes)) };
}

function named(path: string, page: Buffer): Buffer[] {
  return path.startsWith("api/rubrics/") || /^api\/[^/]+\/(?:lists|metrics)\//.test(path)
    ? [Buffer.from(path), page]
    : [];
}

/** Reads a release folder. */
export async function releaseContent(folder: string): Promise<ReleaseContent> {
  const found = await readReceipt(folder);
  if (found === null) throw new Error(`${folder} has no receipt`);
  const { publishedAt, manifestDigest: _manifestDigest, ...receipt } = found;
  const files = new Map<string, string>();
  const dated: string[] = [];
  let lines = "";
  for (const path of await pathsIn(folder)) {
    if (path === "release.json" || path === "manifest.ndjson") continue;
    let content = await readFile(join(folder, path));
    const line = manifestLine.parse({ path, bytes: content.length, sha256: hash("sha256", content) });
    const index = indexOf(path, content);
    lines += `${JSON.stringify(index === null ? line : { ...line, index })}\n`;
    // Pages that name the release have the time of publication in them, where it does not show.
    if (path === RELEASE_PACK)
      content = Buffer.concat([...(await pagesIn(folder))].flatMap(([name, page]) => named(name, page)));
    if (content.includes(publishedAt)) {
      dated.push(path);
      content = Buffer.from(content.toString("utf8").replaceAll(publishedAt, "(publishedAt)"));
    }
    files.set(path, hash("sha256", content));
  }
  const listed = (await readFile(join(folder, "manifest.ndjson"), "utf8")) === lines;
  return { receipt, files, dated, listed };
}
