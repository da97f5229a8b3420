/** Observed use from elsewhere: a file of `doi, citations, mentions`, such as the Make Data Count corpus. */

import { join } from "node:path";
import type { Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import { CheckError } from "../engine/errors.ts";
import type { LocalOptions } from "../engine/local-runtime.ts";
import { type Database, openDuckDB, quote } from "../engine/open.ts";

/** What was given as enrichment cannot be read as one. */
export class EnrichmentUnreadable extends Error {
  readonly code = "enrichment-unreadable";
  constructor(file: string, what: string, options?: ErrorOptions) {
    super(`${file}: ${what}; give CSV or Parquet with the columns doi, citations and mentions`, options);
    this.name = "EnrichmentUnreadable";
  }
}

const CHECK = new URL("./enrichment-checks.sql", import.meta.url);
const LOAD = new URL("./enrichment.sql", import.meta.url);

/** What is known of a DOI from elsewhere. */
const ENRICHMENT = {
  name: "enrichment",
  grain: "one DOI that counts from elsewhere are known of",
  key: ["doi"],
  columns: { doi: "text", citations: "int", mentions: "int" },
} as const satisfies Table;

interface EnrichmentOptions extends LocalOptions {
  /** A folder of its own. */
  readonly folder: string;
}

/**
 * Makes the table `enrichment` (doi, citations, mentions), one row a DOI; empty without a file. DuckDB reads the file and makes
 * Parquet of it whatever the engine is: so that a DOI is spelled alike, and files are where they are given. A column
 * that the file lacks is unknown, never zero.
 * @throws EnrichmentUnreadable naming the file, and the first row at fault
 */
export async function loadEnrichment(engine: Engine, file: string | null, options: EnrichmentOptions): Promise<void> {
  if (file === null) return engine.fill(ENRICHMENT, []);
  const { threads, memory, folder } = options;
  const db = await openDuckDB({ threads, memory, spill: join(folder, "spill") });
  try {
    await readEnrichment(db, file);
    await db.output(ENRICHMENT, join(folder, ENRICHMENT.name));
  } finally {
    db.close();
  }
  await engine.input(ENRICHMENT, join(folder, ENRICHMENT.name));
}

async function readEnrichment(db: Database, file: string): Promise<void> {
  const columns = await columnsOf(db, file);
  if (!columns.includes("doi")) throw new EnrichmentUnreadable(file, "there is no column doi");
  const given = ["citations", "mentions"].filter((name) => columns.includes(name));
  if (given.length === 0) throw new EnrichmentUnreadable(file, "there is neither a column citations nor mentions");
  const select = ["citations", "mentions"].map((name) => (given.includes(name) ? `"${name}"` : "null"));
  await db.run(
    `create view enrichment_row as select cast(doi as varchar) as doi, cast(${select[0]} as varchar) as citations,
       cast(${select[1]} as varchar) as mentions from ${relation(file)}`,
  );
  try {
    await db.check(CHECK);
    await db.runFile(LOAD);
  } catch (cause) {
    throw new EnrichmentUnreadable(file, cause instanceof CheckError ? cause.message : "it cannot be read", { cause });
  }
}

async function columnsOf(db: Database, file: string): Promise<string[]> {
  try {
    return (await db.rows(`describe select * from ${relation(file)}`)).map(({ column_name: name }) => String(name));
  } catch (cause) {
    throw new EnrichmentUnreadable(file, "it cannot be read", { cause });
  }
}

/** Every value as text: what is a count is for the checks to say. */
function relation(file: string): string {
  return /\.parquet$/i.test(file)
    ? `read_parquet(${quote(file)})`
    : `read_csv(${quote(file)}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')`;
}
