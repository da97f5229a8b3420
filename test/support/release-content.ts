/** What a release says, but for the moment it was published: equal for two builds of the same inputs. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Receipt } from "../../schemas/public/release.ts";
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
    lines += `${JSON.stringify({ path, bytes: content.length, sha256: hash("sha256", content) })}\n`;
    if (content.includes(publishedAt)) {
      dated.push(path);
      content = Buffer.from(content.toString("utf8").replaceAll(publishedAt, "(publishedAt)"));
    }
    files.set(path, hash("sha256", content));
  }
  const listed = (await readFile(join(folder, "manifest.ndjson"), "utf8")) === lines;
  return { receipt, files, dated, listed };
}
