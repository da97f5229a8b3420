/** Rows by themselves: the columns that a release has, and what holds between the columns of a score and with the receipt. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import { DOI_LOOKUP, writeDoiLookup } from "../../pipeline/6-release/doi-lookup.ts";
import { rulesOf } from "../../pipeline/diff/rules.ts";
import { type Database, type DuckDBOptions, partsIn, quote } from "../../pipeline/engine/open.ts";
import { CheckError } from "../../pipeline/engine/sql-text.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import {
  OTHER_SCORE_TABLES,
  publishedName,
  SCORE_TABLES,
  sqlType,
  type Table,
  tablesOf,
} from "../../schemas/public/tables.ts";
import { CSV_FILES, writeCsvOf } from "../export-csv.ts";
import { type Found, MOST_LISTED, report } from "./finding.ts";
import { verifySourceCounts } from "./receipt.ts";

const SCORE_CHECKS = new URL("../../pipeline/3-score/checks.sql", import.meta.url);

/** `db` holds the tables of the release in `folder` under their names. */
export async function verifyRows(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  await verifyColumns(db, folder, receipt, found);
  await verifyInvariants(db, receipt, found);
  await verifyOtherContracts(db, folder, receipt, found);
  await verifySourceCounts(db, receipt, found);
}

/** Scores under the contracts that the receipt names, one of each piece of evidence, and under no other. */
async function verifyOtherContracts(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  const { alsoContracts = [] } = receipt;
  if (alsoContracts.length === 0) return;
  const beside = await db.beside();
  try {
    // Seen by this connection alone: what is checked of `score` is to be checked of these.
    await beside.run("create temp view score as select *, contract as rubric from contract_score");
    await beside.check(SCORE_CHECKS).catch((error: unknown) => {
      if (!(error instanceof CheckError)) throw error;
      found("invariant", error.message);
    });
  } finally {
    beside.leave();
  }
  const rows = await db.rows("select distinct contract from contract_score order by contract");
  const there = rows.map(({ contract }) => String(contract));
  const rules = await rulesOf(folder, receipt).catch(() => null);
  // By the standing that a contract had then.
  const said = alsoContracts.filter((id) => rules?.contracts.get(id)?.publicVersion === null).sort();
  const [evidence] = await db.rows("select count(*) as n from evidence");
  const expected = evidence?.n === 0n ? [] : said;
  if (there.join() !== expected.join() || said.length !== alsoContracts.length)
    found(
      "score",
      `data/contract-scores has scores under ${there.join(", ") || "none"}, the receipt says ${alsoContracts.join(", ") || "none"}`,
    );
}

/** The digest is over the columns of our tables: a file with another one would say what nobody compared. */
async function verifyColumns(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  const tables = tablesOf(receipt);
  const paths = releaseTablePaths(folder, tables);
  for (const table of tables) {
    const described = await db.rows(`describe select * from read_parquet(${quote(partsIn(paths[table.name] ?? ""))})`);
    for (const { column_name: name, column_type: type } of described) {
      const known = new Map(Object.entries(table.columns)).get(String(name));
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
  const told: string[] = [];
  for (const [version, { coverage }] of rubricExcerpts(receipt)) {
    const [count] = await db.rows(
      `select cast(count(*) filter (where record.status = 'failed') as integer) as failed,
         cast(count(*) filter (where score.status = 'scored') as integer) as scored,
         cast(count(*) filter (where score.status = 'insufficient_evidence') as integer) as insufficient
       from record left join score on score.id = record.id and score.rubric = $version`,
      { version },
    );
    const { scored, insufficient, failed } = coverage;
    const wrong = Object.entries({ scored, insufficient, failed }).filter(([name, said]) => count?.[name] !== said);
    for (const [name, said] of wrong) {
      told.push(`there are ${count?.[name]} ${name} records under SHARE ${version}, the receipt says ${said}`);
    }
  }
  if (told.length > 0) found("coverage", told.join("; "));
}

/** The tables whose rows are scores. */
const SCORES: readonly string[] = Object.keys({ ...SCORE_TABLES, ...OTHER_SCORE_TABLES });

/** `db` has the tables as they follow, under their names; whether the release's own are the same. */
export async function compareTables(
  db: Database,
  folder: string,
  tables: readonly Table[],
  found: Found,
): Promise<boolean> {
  const paths = releaseTablePaths(folder, tables);
  let alike = true;
  for (const table of tables) {
    const keys = await differingKeys(db, table, paths[table.name] ?? "");
    alike &&= keys.length === 0;
    report(
      found,
      SCORES.includes(table.name) ? "score" : "aggregate",
      keys.map((key) => wordsOf(table, key)),
    );
  }
  return alike;
}

function wordsOf({ name, published, key: columns }: Table, key: readonly string[]): string {
  if (SCORES.includes(name)) return `${key[0]} under ${key[1]} is not what its evidence gives`;
  const named = columns.map((column, i) => `${column} ${key[i]}`).join(", ");
  return `data/${published}: the row of ${named} is not what the other tables give`;
}

/** Keys of rows that are in one of the two only, or more often in one of them. Each side is computed once. */
async function differingKeys(db: Database, table: Table, path: string): Promise<string[][]> {
  const made = await db.tableAsMade(table, partsIn(path));
  const columns = Object.keys(made.columns).join(", ");
  const published = `select ${columns}, -1 as side from read_parquet(${quote(partsIn(path))})`;
  const own = `select ${columns}, 1 as side from ${table.name}`;
  const key = table.key.join(", ");
  const rows = await db.rows(
    `select distinct ${key} from (
       select ${columns} from (${own} union all ${published}) group by ${columns} having sum(side) <> 0
     ) order by ${key} limit ${MOST_LISTED + 1}`,
  );
  return rows.map((row) => table.key.map((column) => String(row[column])));
}

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
