/** Rows by themselves: the columns that a release has, and what holds between the columns of a score and with the receipt. */

import { rubricExcerpts } from "../../api-static/pages/rubric-excerpts.ts";
import { type Database, partsIn, quote } from "../../pipeline/engine/open.ts";
import { CheckError } from "../../pipeline/engine/sql-text.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { publishedName, sqlType, tablesOf } from "../../schemas/public/tables.ts";
import { rulesOf } from "../diff/rules.ts";
import type { Found } from "./finding.ts";
import { verifySourceCounts } from "./source-counts.ts";

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
