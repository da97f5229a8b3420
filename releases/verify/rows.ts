/** Verifies rows: the columns of tables, how columns of a score depend on each other, and how they match the receipt. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import { institutionIn } from "../../pipeline/2-normalise/rows.ts";
import { readReleaseRules } from "../../pipeline/diff/rules.ts";
import {
  type Database,
  type DuckDBOptions,
  describeDuckDB,
  openDuckDB,
  PART_NAME,
  partsIn,
  quote,
} from "../../pipeline/engine/open.ts";
import { CheckError, isOutOfMemory } from "../../pipeline/engine/sql-text.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { detectReleaseFormat } from "../../pipeline/store/releases.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { listReleaseTables, publishedName, sqlType, type Table } from "../../schemas/public/tables.ts";
import { CSV_FILES, writeTableCsv } from "../export-csv.ts";
import { Details, type Found } from "./finding.ts";
import { verifySourceCounts } from "./receipt.ts";
import { verifyTexts } from "./texts.ts";

const JOIN_CHECKS = new URL("../../pipeline/2-normalise/join-checks.sql", import.meta.url);
const SCORE_CHECKS = new URL("../../pipeline/3-score/checks.sql", import.meta.url);

/** Verifies the rows of all tables. `db` has the tables of the release in `folder` under their names. */
export async function verifyRows(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  await verifyColumns(db, folder, receipt, found);
  await verifyInvariants(db, receipt, found);
  await verifyOtherContracts(db, folder, receipt, found);
  if (detectReleaseFormat(receipt) >= 3) await verifyJoins(db, receipt, found);
  await verifySourceCounts(db, receipt, found);
  await verifyTexts(db, receipt, found);
}

/**
 * Verifies each Parquet file by writing its rows again: statistics, filters, column order and metadata must be the same.
 * Returns files that another engine or version wrote, because they cannot be compared.
 */
export async function verifyParquet(
  folder: string,
  receipt: Receipt,
  options: DuckDBOptions,
  found: Found,
): Promise<string[]> {
  const others: string[] = [];
  const scratch = await mkdtemp(join(tmpdir(), "share-parquet-"));
  const db = await openDuckDB({ ...options, spill: join(scratch, "spill") });
  const again = join(scratch, "again.parquet");
  try {
    for (const table of listReleaseTables(receipt)) {
      const data = join(folder, "data", publishedName(table));
      for (const name of (await readdir(data).catch(() => [])).filter((each) => PART_NAME.test(each)).sort()) {
        const path = `data/${publishedName(table)}/${name}`;
        if (receipt.tool.engine !== describeDuckDB()) {
          others.push(path);
          continue;
        }
        const isEqual = await writeAgain(db, table, join(data, name), again);
        if (!isEqual) found("parquet", `${path} has other bytes than its rows give, such as false statistics`);
      }
    }
    return others;
  } finally {
    db.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Writes the rows of a Parquet file to another file. Returns whether the bytes of both are equal; false if the file cannot
 * be read.
 */
async function writeAgain(db: Database, table: Table, path: string, again: string): Promise<boolean> {
  try {
    const made = await db.tableInFiles(table, path);
    await db.inputFile(made, path);
    await db.outputFile(made, again);
    await db.run(`drop view ${table.name}`);
    return (await fileDigest(again)) === (await fileDigest(path));
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    await db.run(`drop view if exists ${table.name}`);
    return false;
  }
}

/** Verifies affiliations and funding: their numbers in the evidence, and the id of each affiliation text. */
async function verifyJoins(db: Database, receipt: Receipt, found: Found): Promise<void> {
  const beside = await db.openConnection();
  try {
    await beside.run("create temp view affiliation as select * from reported_affiliation");
    await beside.check(JOIN_CHECKS).catch((error: unknown) => {
      if (!(error instanceof CheckError)) throw error;
      found("invariant", error.message);
    });
  } finally {
    beside.closeConnection();
  }
  const [apart] = await db.rows(
    `select count(*) as n from (select id, position, place, institution_id from attribution) as attributed
     full join (select id, position, place, institution_id from reported_affiliation) as reported
       using (id, position, place, institution_id)
     where attributed.id is null or reported.id is null`,
  );
  if (receipt.attribution !== null && Number(apart?.n) > 0)
    found("invariant", `${Number(apart?.n)} rows of affiliations and attributions do not match`);
  const details = new Details();
  const texts = "select distinct institution_id, reported_json from reported_affiliation order by all";
  for await (const rows of db.stream(texts)) {
    for (const [id, reported] of rows) {
      const made = institutionIn(String(reported));
      if (made?.id === id && made?.reported === reported) continue;
      details.add(`affiliations: ${id} does not follow from its reported_json`);
    }
  }
  details.report(found, "invariant");
}

/** Verifies the scores under additional contracts: exactly those in the receipt, and one score for each row of evidence. */
async function verifyOtherContracts(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  const { alsoContracts = [] } = receipt;
  if (alsoContracts.length === 0) return;
  const beside = await db.openConnection();
  try {
    // This connection applies the checks of `score` to these scores.
    await beside.run("create temp view score as select *, contract as rubric from contract_score");
    await beside.check(SCORE_CHECKS).catch((error: unknown) => {
      if (!(error instanceof CheckError)) throw error;
      found("invariant", error.message);
    });
  } finally {
    beside.closeConnection();
  }
  const rows = await db.rows("select distinct contract from contract_score order by contract");
  const there = rows.map(({ contract }) => String(contract));
  const rules = await readReleaseRules(folder, receipt).catch(() => null);
  // The release's contracts state the public version of that time.
  const stated = alsoContracts.filter((id) => rules?.contracts.get(id)?.publicVersion === null).sort();
  const [evidence] = await db.rows("select count(*) as n from evidence");
  const expected = evidence?.n === 0n ? [] : stated;
  if (there.join() !== expected.join() || stated.length !== alsoContracts.length)
    found(
      "score",
      `data/contract-scores has scores under ${there.join(", ") || "none"}, but the receipt states ${alsoContracts.join(", ") || "none"}`,
    );
}

/**
 * Verifies the columns of each file. A file must not have further columns, because the release digest would not cover them.
 */
async function verifyColumns(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  const tables = listReleaseTables(receipt);
  const paths = releaseTablePaths(folder, tables);
  for (const table of tables) {
    const described = await db.rows(`describe select * from read_parquet(${quote(partsIn(paths[table.name] ?? ""))})`);
    for (const { column_name: name, column_type: type } of described) {
      const columns = detectReleaseFormat(receipt) < 3 ? { ...table.columns, ...table.former } : table.columns;
      const known = new Map(Object.entries(columns)).get(String(name));
      if (known === undefined)
        found("table", `data/${publishedName(table)} has the column ${name}, which no release has`);
      else if (String(type).toLowerCase() !== sqlType(known))
        found("table", `data/${publishedName(table)} has the column ${name} as ${type}, not as ${sqlType(known)}`);
    }
  }
}

async function verifyInvariants(db: Database, receipt: Receipt, found: Found): Promise<void> {
  await db.check(SCORE_CHECKS).catch((error: unknown) => {
    if (!(error instanceof CheckError)) throw error;
    found("invariant", error.message);
  });
  const faults: string[] = [];
  for (const [version, { coverage }] of rubricExcerpts(receipt)) {
    const [count] = await db.rows(
      `select cast(count(*) filter (where record.status = 'failed') as integer) as failed,
         cast(count(*) filter (where score.status = 'scored') as integer) as scored,
         cast(count(*) filter (where score.status = 'insufficient_evidence') as integer) as insufficient
       from record left join score on score.id = record.id and score.rubric = $version`,
      { version },
    );
    const { scored, insufficient, failed } = coverage;
    const wrong = Object.entries({ scored, insufficient, failed }).filter(([name, stated]) => count?.[name] !== stated);
    for (const [name, stated] of wrong) {
      faults.push(
        `there are ${count?.[name]} ${name} records under SHARE ${version}, but the receipt states ${stated}`,
      );
    }
  }
  if (faults.length > 0) found("coverage", faults.join("; "));
}

/** Verifies that each CSV file has the same content as its table. */
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
        (await writeTableCsv(folder, source, own, { ...options, spill: join(scratch, "spill") }).catch(() => false));
      // The target of a link can change.
      const plain = (await lstat(join(folder, path))).isFile();
      const same = plain && made && (await unpackedDigest(join(folder, path))) === (await fileDigest(own));
      if (!same) found("csv", `${path} does not match its table`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Returns the sha256 of the decompressed content of a gzip file; null if it cannot be read. */
async function unpackedDigest(path: string): Promise<string | null> {
  const digest = createHash("sha256");
  try {
    await pipeline(createReadStream(path), createGunzip(), digest);
    return digest.digest("hex");
  } catch {
    return null;
  }
}
