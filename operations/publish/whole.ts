/** Whether a release of the store can go out: the cheap form of `verify`; the content of a file is checked as it is sent. */

import { hash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { linesOf } from "./manifest.ts";
import { PublishRefused } from "./target/errors.ts";

/**
 * The manifest is the receipt's, and every file it names is there with its size. Answers its lines.
 * @throws PublishRefused
 */
export async function requireWhole(folder: string, receipt: Receipt): Promise<readonly ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8").catch(() => null);
  const digest = text === null ? "missing" : `sha256:${hash("sha256", text)}`;
  if (text === null || digest !== receipt.manifestDigest) {
    throw damaged(folder, `its manifest is ${digest}, the receipt says ${receipt.manifestDigest}`);
  }
  const lines = linesOf(text);
  for (const line of lines) await requireFile(folder, line);
  return lines;
}

async function requireFile(folder: string, line: ManifestLine): Promise<void> {
  const stats = await lstat(join(folder, line.path)).catch(() => null);
  if (stats === null) throw damaged(folder, `${line.path} is missing`);
  if (!stats.isFile()) throw damaged(folder, `${line.path} is no regular file`);
  if (stats.size !== line.bytes) throw damaged(folder, `${line.path} has ${stats.size} bytes, not ${line.bytes}`);
}

function damaged(folder: string, what: string): PublishRefused {
  return new PublishRefused(`${folder} is not whole and was not published: ${what}; see \`share-release verify\``);
}
