/** CSV that lies beside the tables of a published release: made of them, and named by no manifest. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { DuckDBOptions } from "../../pipeline/engine/open.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { CSV_FILES, writeCsvOf } from "../csv/index.ts";
import type { Found } from "./finding.ts";

/** Each of the files is, once unpacked, what its table gives. */
export async function verifyCsv(
  folder: string,
  paths: readonly string[],
  options: DuckDBOptions,
  found: Found,
): Promise<void> {
  if (paths.length === 0) return;
  const scratch = await mkdtemp(join(tmpdir(), "share-verify-csv-"));
  try {
    for (const path of paths) {
      const source = CSV_FILES.get(path);
      const own = join(scratch, "own.csv");
      const made =
        source !== undefined &&
        (await writeCsvOf(folder, source, own, { ...options, spill: join(scratch, "spill") }).catch(() => false));
      // A link could lead to other bytes tomorrow.
      const plain = (await lstat(join(folder, path))).isFile();
      const same = plain && made && (await unpackedDigest(join(folder, path))) === (await fileDigest(own));
      if (!same) found("csv", `${path} does not hold the rows of its table`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** sha256 of what is packed in a gzip file; null where that cannot be read. */
async function unpackedDigest(path: string): Promise<string | null> {
  const digest = createHash("sha256");
  try {
    await pipeline(createReadStream(path), createGunzip(), digest);
    return digest.digest("hex");
  } catch {
    return null;
  }
}
