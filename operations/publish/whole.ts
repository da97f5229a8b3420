/** Whether a release of the store can go out: the cheap form of `verify`; the content of a file is checked as it is sent. */

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { fileDigest } from "../../pipeline/files/file-digest.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { manifestLines } from "../verify/files.ts";
import { PublishRefused } from "./errors.ts";
import { batched, inParallel } from "./in-parallel.ts";

/** Files whose size is looked up together, and how many at once. */
const BATCH = 2048;
const AT_ONCE = 16;

/**
 * The manifest is the receipt's, and every file it names is there with its size. Answers the number of files.
 * @throws PublishRefused
 */
export async function requireWhole(folder: string, receipt: Receipt, effects: Pick<Effects, "progress">) {
  const manifest = join(folder, "manifest.ndjson");
  const digest = `sha256:${await fileDigest(manifest).catch(() => "none")}`;
  if (digest !== receipt.manifestDigest) {
    throw damaged(folder, `its manifest is ${digest}, the receipt says ${receipt.manifestDigest}`);
  }
  let files = 0;
  await inParallel(batched(manifestLines(manifest), BATCH), AT_ONCE, async (line) => {
    await requireFile(folder, line);
    files += 1;
    if (files % BATCH === 0)
      effects.progress({ stage: "publish", step: "check", done: files, total: null, unit: "files" });
  });
  return files;
}

async function requireFile(folder: string, line: ManifestLine | null): Promise<void> {
  if (line === null) throw damaged(folder, "its manifest has a line that cannot be read");
  const stats = await lstat(join(folder, line.path)).catch(() => null);
  if (stats === null) throw damaged(folder, `${line.path} is missing`);
  if (!stats.isFile()) throw damaged(folder, `${line.path} is no regular file`);
  if (stats.size !== line.bytes) throw damaged(folder, `${line.path} has ${stats.size} bytes, not ${line.bytes}`);
}

function damaged(folder: string, what: string): PublishRefused {
  return new PublishRefused(`${folder} is not whole and was not published: ${what}; see \`share-release verify\``);
}
