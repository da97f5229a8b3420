/** Tables of a release as CSV beside its files at a target: for hosts without a server, which makes them when asked. */

import { mkdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { CSV_FILES, writeCsvOf } from "../csv/index.ts";
import type { Counts, Publication } from "./send-release.ts";

/** Sends what is not there, one after the other; a dry run says of each that it would be sent. */
export async function sendCsv({ folder, place, dryRun }: Publication, scratch: string): Promise<Counts> {
  let [uploaded, unchanged, sent] = [0, 0, 0];
  const made = join(scratch, "csv");
  await mkdir(made);
  for (const [path, source] of CSV_FILES) {
    const local = join(made, basename(path));
    if (!(await writeCsvOf(folder, source, local, { threads: 1, spill: join(scratch, "csv-spill") }))) continue;
    const { size: bytes } = await stat(local);
    const file = { path, bytes, sha256: await fileDigest(local) };
    if (dryRun || (await place.putBeside(file, local))) {
      uploaded += 1;
      sent += bytes;
    } else unchanged += 1;
    await rm(local);
  }
  return { uploaded, unchanged, bytes: sent };
}
