/** What releases say of the one before them: read once of each, since neither ever changes. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { DIFF_FILE, DIFF_TABLES } from "../../../schemas/public/api/diff.ts";
import { type ScoreRelease, scoreRelease } from "../../../schemas/public/release.ts";
import { ProblemError } from "../../http/answer.ts";
import type { StoredRelease } from "./open-release.ts";
import { findManifestLine, ownFile } from "./open-release.ts";

/** Releases that are remembered: more than anybody reads the changes of at once. */
const MOST = 64;

const TABLE_FILE = `data/${DIFF_TABLES.change.published}.parquet`;

/** Which release it was compared with, and where the rows are: null for the first release of all, which has none before. */
export interface Comparison {
  readonly previous: ScoreRelease | null;
  readonly table: string | null;
}

export class Comparisons {
  readonly #byDigest = new LRUCache<string, Comparison>({ max: MOST });

  /** @throws ProblemError `not-found` where it was made without a diff */
  async of(release: StoredRelease): Promise<Comparison> {
    const { releaseDigest: digest } = release.receipt;
    const known = this.#byDigest.get(digest);
    if (known !== undefined) return known;
    const read = await readComparison(release);
    this.#byDigest.set(digest, read);
    return read;
  }
}

async function readComparison({ folder }: StoredRelease): Promise<Comparison> {
  if ((await findManifestLine(join(folder, "manifest.ndjson"), TABLE_FILE)) === null) {
    throw new ProblemError("not-found", "That release was made without a comparison with the one before.");
  }
  const said: unknown = JSON.parse(await readFile(await ownFile(folder, DIFF_FILE), "utf8"));
  const { from } = z.object({ from: scoreRelease.nullable() }).parse(said);
  return { previous: from, table: from === null ? null : await ownFile(folder, TABLE_FILE) };
}
