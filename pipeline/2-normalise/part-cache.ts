/**
 * Caches normalised parts. The cache works because a raw part never changes, so the same program always makes the same
 * rows from it.
 */

import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { fileDigest, isMissing, linkOrCopy, replaceFile, syncFolder } from "../files/durable.ts";

/** Folder of the cache, and the digest of the program. Parts that another program wrote are not reused. */
export interface PartCache {
  readonly folder: string;
  readonly program: string;
}

/**
 * The file that describes a cached part: its inputs, which show whether the part is outdated, and the digests of its
 * files, which show whether it is damaged.
 */
const entry = z.object({
  key: z.string(),
  /** The as-of date with which the rows were made, if they depend on it; otherwise null. */
  asOf: z.string().nullable(),
  /** The sha256 of the file of each table. */
  files: z.record(z.string(), z.string()),
});

const TABLES = Object.values(CAPTURE_TABLES).map(({ name }) => name);
const ENTRY = "entry.json";

export interface CachedPartTask {
  readonly source: string;
  readonly path: string;
  readonly part: number;
  readonly asOf: string;
  readonly getTablePath: (table: string) => string;
}

/**
 * The cached rows of one raw part, in a folder with the name of the source and the number of the part. A new entry replaces
 * the old one, so the cache has at most one entry for each part.
 */
export class CachedPart {
  readonly #folder: string;
  readonly #key: string;
  readonly #wanted: CachedPartTask;

  private constructor(folder: string, key: string, task: CachedPartTask) {
    this.#folder = folder;
    this.#key = key;
    this.#wanted = task;
  }

  static async of(cache: PartCache, task: CachedPartTask): Promise<CachedPart> {
    const { source, part, path } = task;
    const basis = { program: cache.program, source, part, payloads: await fileDigest(path) };
    return new CachedPart(join(cache.folder, source, String(part)), hash("sha256", canonicalJson(basis)), task);
  }

  /** Links the cached files to the paths of the task. Returns false if they are missing, damaged or outdated. */
  async restore(): Promise<boolean> {
    const cached = await this.#entry();
    if (cached === null || cached.key !== this.#key || (cached.asOf !== null && cached.asOf !== this.#wanted.asOf))
      return false;
    for (const table of TABLES) {
      const digest = await fileDigest(this.#getKeptPath(table)).catch(() => null);
      if (digest === null || digest !== cached.files[table]) return false;
    }
    try {
      for (const table of TABLES) await linkOrCopy(this.#getKeptPath(table), this.#wanted.getTablePath(table));
    } catch (error) {
      // Another build has replaced the files in the meantime.
      if (isMissing(error)) return false;
      throw error;
    }
    return true;
  }

  /** Caches the rows of the part. `dependsOnDate` is true if another as-of date could change them. */
  async store(dependsOnDate: boolean): Promise<void> {
    const draft = `${this.#folder}.${randomUUID()}.tmp`;
    await mkdir(draft, { recursive: true });
    const files: Record<string, string> = {};
    for (const table of TABLES) {
      const file = this.#wanted.getTablePath(table);
      files[table] = await fileDigest(file);
      await linkOrCopy(file, join(draft, `${table}.parquet`));
    }
    const asOf = dependsOnDate ? this.#wanted.asOf : null;
    const text = JSON.stringify({ key: this.#key, asOf, files } satisfies z.infer<typeof entry>);
    await replaceFile(join(draft, ENTRY), `${text}\n`);
    await replaceFolder(draft, this.#folder);
    await removeAbandoned(this.#folder);
    await syncFolder(dirname(this.#folder));
  }

  #getKeptPath(table: string): string {
    return join(this.#folder, `${table}.parquet`);
  }

  /** Reads the entry of the part. Returns null if it cannot be read, so that the part is normalised again. */
  async #entry(): Promise<z.infer<typeof entry> | null> {
    try {
      return entry.parse(JSON.parse(await readFile(join(this.#folder, ENTRY), "utf8")));
    } catch {
      return null;
    }
  }
}

const DAY = 24 * 60 * 60 * 1000;

/** Removes drafts of killed attempts: folders with a temporary name that are a day older than the new entry. */
async function removeAbandoned(folder: string): Promise<void> {
  const readTime = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? null;
  const now = await readTime(folder);
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.`)) continue;
    const draft = join(dirname(folder), name);
    const made = await readTime(draft);
    if (now !== null && made !== null && now - made > DAY) await rm(draft, { recursive: true, force: true });
  }
}

/** Replaces a folder in one step. If two processes do this at once, the result of one of them remains. */
async function replaceFolder(draft: string, folder: string): Promise<void> {
  const before = `${folder}.${randomUUID()}.tmp`;
  await rename(folder, before).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  await rename(draft, folder).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
    return rm(draft, { recursive: true, force: true });
  });
  await rm(before, { recursive: true, force: true });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST");
}
