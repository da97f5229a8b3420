/** What to send, what to copy and what is there: worked out in the engine, because a release can have millions of files. */

import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Cell, type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import type { CopySource, PublishedFile } from "./target.ts";

const MEMORY = "256MB";

/** A file of the release, and what the target has for it. */
export interface PlannedFile extends PublishedFile {
  /** A file of that name and size is there already. */
  readonly maybe: boolean;
  /** Where the target has the same bytes; null where they have to be sent. */
  readonly source: CopySource | null;
}

/** The manifest of a whole release at the target, as a file here. */
export interface BaseManifest {
  readonly releaseDigest: string;
  readonly file: string;
}

type Listing = AsyncIterable<{ readonly path: string; readonly bytes: number }>;

export class Plan implements AsyncDisposable {
  readonly #db: Database;
  readonly #scratch: string;
  readonly #releaseDigest: string;

  private constructor(db: Database, scratch: string, releaseDigest: string) {
    this.#db = db;
    this.#scratch = scratch;
    this.#releaseDigest = releaseDigest;
  }

  /** `manifest` is the release's own; `bases` are releases the target has; `present` lies there of this one. */
  static async make(
    releaseDigest: string,
    manifest: string,
    bases: readonly BaseManifest[],
    present: Listing,
    scratch: string,
  ): Promise<Plan> {
    const db = await openDuckDB({ threads: 1, memory: MEMORY, spill: join(scratch, "spill") });
    const plan = new Plan(db, scratch, releaseDigest);
    try {
      await db.run(`create table wanted as select path, bytes, sha256 from ${manifestRows(manifest)}`);
      await db.run("create table base (release varchar, path varchar, sha256 varchar)");
      for (const base of bases) {
        await db.run(`insert into base select $release, path, sha256 from ${manifestRows(base.file)}`, {
          release: base.releaseDigest,
        });
      }
      await plan.#load(present);
      await db.runFile(new URL("./plan.sql", import.meta.url));
      return plan;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Files whose bytes the target lacks. */
  toSend(): AsyncGenerator<readonly PlannedFile[]> {
    return this.#files("source_path is null");
  }

  /** Files whose bytes it has, here or in another release. */
  toCopy(): AsyncGenerator<readonly PlannedFile[]> {
    return this.#files("source_path is not null");
  }

  /** What is there now against what should be: the first file that is not, how many, and the names of those too many. */
  async compare(present: Listing): Promise<Comparison> {
    await this.#load(present);
    const [missing] = await this.#db.rows(
      `select cast(count(*) as integer) as count, min(path) as first
       from wanted anti join present using (path, bytes)`,
    );
    const strays = this.#db.stream("select path from present anti join wanted using (path) order by path");
    return {
      missing: Number(missing?.count ?? 0),
      firstMissing: String(missing?.first ?? ""),
      strays: firstColumn(strays),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }

  async *#files(condition: string): AsyncGenerator<readonly PlannedFile[]> {
    const columns = "path, bytes, sha256, maybe, source_release, source_path";
    for await (const batch of this.#db.stream(`select ${columns} from plan where ${condition} order by path`)) {
      yield batch.map((cells) => this.#fileOf(cells));
    }
  }

  #fileOf([path, bytes, sha256, maybe, release, sourcePath]: Cell[]): PlannedFile {
    const file = { path: String(path), bytes: Number(bytes), sha256: String(sha256), maybe: maybe === true };
    if (sourcePath === null || sourcePath === undefined) return { ...file, source: null };
    const releaseDigest = release === "" ? this.#releaseDigest : String(release);
    return { ...file, source: { releaseDigest, path: String(sourcePath) } };
  }

  /** The manifest lists neither itself nor the receipt. */
  async #load(present: Listing): Promise<void> {
    const file = join(this.#scratch, "present.ndjson");
    await pipeline(Readable.from(linesOf(present)), createWriteStream(file));
    await this.#db.run(
      `create or replace table present as
       select path, bytes
       from read_json(${quote(file)}, format = 'newline_delimited', columns = {path: 'varchar', bytes: 'bigint'})
       where path not in ('manifest.ndjson', 'release.json')`,
    );
    await rm(file);
  }
}

export interface Comparison {
  readonly missing: number;
  readonly firstMissing: string;
  readonly strays: AsyncGenerator<string>;
}

async function* linesOf(present: Listing): AsyncGenerator<string> {
  for await (const { path, bytes } of present) yield `${JSON.stringify({ path, bytes })}\n`;
}

async function* firstColumn(batches: AsyncGenerator<Cell[][]>): AsyncGenerator<string> {
  for await (const batch of batches) for (const [path] of batch) yield String(path);
}

function manifestRows(file: string): string {
  return `read_json(${quote(file)}, format = 'newline_delimited',
    columns = {path: 'varchar', bytes: 'bigint', sha256: 'varchar'})`;
}
