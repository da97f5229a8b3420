/** The look-up of DOIs, made again from the table of records and compared: the release digest does not cover it. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOI_LOOKUP, writeDoiLookup } from "../../pipeline/6-release/doi-lookup.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import type { Found } from "./finding.ts";

/** `db` has the tables of the release under their names. */
export async function verifyDoiLookup(db: Database, folder: string, found: Found): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-lookup-"));
  try {
    const own = join(scratch, "doi.bin");
    await writeDoiLookup(db, own);
    const there = await fileDigest(join(folder, DOI_LOOKUP)).catch(() => null);
    if (there === null) found("missing file", DOI_LOOKUP);
    else if (there !== (await fileDigest(own)))
      found("look-up", `${DOI_LOOKUP} is not what the table of records gives`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
