/** Runs stage 2 (normalise), or only its workers, and reads the tables that they write. */

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { normaliseTask } from "../../pipeline/2-normalise/worker.ts";
import { type Cell, openDuckDB } from "../../pipeline/engine/open.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CAPTURE_TABLES, RECORD_TABLES, type Table } from "../../schemas/public/tables.ts";
import { recordedEffects } from "../support/effects.ts";

export type Row = Record<string, Cell>;

export interface Resolved {
  readonly manifest: StageManifest;
  readonly tables: Readonly<Record<keyof typeof RECORD_TABLES, readonly Row[]>>;
}

/** Runs stage 2 for a store, with its output in `work/<run>`, and returns its manifest and all of its tables. */
export async function resolveStore(
  store: Store,
  run: string,
  options: {
    readonly sources: readonly string[];
    readonly threads: number;
    readonly asOf?: string;
    readonly citations?: string;
  },
): Promise<Resolved> {
  const folder = join(store.work(run), "2-normalise");
  const { asOf = "2026-11-01", citations = null } = options;
  const inputs = { ...options, asOf, citations, memory: "512MB" };
  const manifest = await normalise(store, folder, inputs, recordedEffects());
  const tables = await withTables(folder, async (read) => ({
    record: await read(RECORD_TABLES.record),
    evidence: await read(RECORD_TABLES.evidence),
    duplicate_evidence: await read(RECORD_TABLES.duplicate_evidence),
    creator: await read(RECORD_TABLES.creator),
    affiliation: await read(RECORD_TABLES.affiliation),
    facet: await read(RECORD_TABLES.facet),
    funding: await read(RECORD_TABLES.funding),
    value: await read(RECORD_TABLES.value),
    alias: await read(RECORD_TABLES.alias),
    unlisted: await read(RECORD_TABLES.unlisted),
  }));
  return { manifest, tables };
}

/**
 * Writes the tables that the workers of stage 2 make from each raw part, as `<folder>/<table>/<part>.parquet`. They have every
 * capture once, before records are merged. Stage 2 itself removes these files at its end.
 */
export async function writeCaptureTables(
  store: Store,
  folder: string,
  { sources, asOf }: { readonly sources: readonly string[]; readonly asOf: string },
): Promise<void> {
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(folder, table), { recursive: true });
  let part = 0;
  for (const source of sources) {
    for (const { path, bytes } of await listParts(store.raw(source))) {
      await normaliseTask({ source, path, bytes, part, captures: folder, asOf, cache: null });
      part += 1;
    }
  }
}

/**
 * Opens the tables that a stage wrote into `folder`, and returns the result of `use`. `use` gets a function that returns the
 * rows of a table in the order of the table's key.
 */
export async function withTables<Result>(
  folder: string,
  use: (read: (table: Table) => Promise<Row[]>) => Promise<Result>,
): Promise<Result> {
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    return await use(async (table) => {
      await db.input(table, join(folder, table.name));
      return db.rows(`select * from ${table.name} order by ${table.key.map((name) => `"${name}"`).join(", ")}`);
    });
  } finally {
    db.close();
  }
}

/** Returns the public id of a record, such as "r3f9c…", from its identifier, such as "zenodo/21". */
export function recordId(identifier: string): string {
  return `r${createHash("sha256").update(identifier).digest("hex").slice(0, 24)}`;
}
