/** Raw parts written as a harvest writes them, and stage 2's tables read back. */

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { type Cell, openDuckDB } from "../../pipeline/engine/open.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import { PartWriter } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type Envelope, envelope } from "../../schemas/internal/rows.ts";
import { RECORD_TABLES, type Table } from "../../schemas/public/tables.ts";
import { recordedEffects } from "../support/effects.ts";

/** One captured answer; `payload` is written as JSON unless it is text already. */
export interface Capture {
  readonly source: string;
  readonly sourceId: string;
  readonly payload: unknown;
  readonly retrievedAt?: string | null;
  readonly status?: number;
}

export function envelopeOf({ source, sourceId, payload, retrievedAt = null, status = 200 }: Capture): Envelope {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const payloadDigest = createHash("sha256").update(text).digest("hex");
  return envelope.parse({ source, sourceId, retrievedAt, url: null, status, payloadDigest, payload: text });
}

/** Writes the captures of each source as parts of `perPart` lines. */
export async function writeParts(store: Store, captures: readonly Capture[], perPart: number): Promise<void> {
  for (const source of new Set(captures.map((capture) => capture.source))) {
    await mkdir(store.raw(source), { recursive: true });
    const lines = captures
      .filter((capture) => capture.source === source)
      .map((capture) => JSON.stringify(envelopeOf(capture)));
    for (let start = 0, number = 1; start < lines.length; start += perPart, number += 1) {
      const writer = new PartWriter(store.raw(source), number);
      for (const line of lines.slice(start, start + perPart)) await writer.write(line);
      await writer.seal();
      await writer.publish();
    }
  }
}

export type Row = Record<string, Cell>;

export interface Resolved {
  readonly manifest: StageManifest;
  readonly tables: Readonly<Record<keyof typeof RECORD_TABLES, readonly Row[]>>;
}

/** Runs stage 2 into `work/<run>` and reads all of its tables. */
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
    alias: await read(RECORD_TABLES.alias),
    unlisted: await read(RECORD_TABLES.unlisted),
  }));
  return { manifest, tables };
}

/** What `use` makes of the tables a stage wrote; `read` gives the rows of one, in the order of its key. */
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

/** The public id of a record. */
export function recordId(identifier: string): string {
  return `r${createHash("sha256").update(identifier).digest("hex").slice(0, 24)}`;
}
