/** Rows by themselves: the columns that a release has, and what holds between the columns of a score and with the receipt. */

import { rubricExcerpts } from "../../api-static/pages/rubric-excerpts.ts";
import { CheckError } from "../../pipeline/engine/errors.ts";
import { type Database, quote } from "../../pipeline/engine/open.ts";
import { partsIn } from "../../pipeline/engine/parts.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { publishedName, RELEASE_TABLES, sqlType } from "../../schemas/public/tables.ts";
import type { Found } from "./finding.ts";
import { verifySourceCounts } from "./source-counts.ts";

/** `db` holds the tables of the release in `folder` under their names. */
export async function verifyRows(db: Database, folder: string, receipt: Receipt, found: Found): Promise<void> {
  await verifyColumns(db, folder, found);
  await verifyInvariants(db, receipt, found);
  await verifySourceCounts(db, receipt, found);
}

/** The digest is over the columns of our tables: a file with another one would say what nobody compared. */
async function verifyColumns(db: Database, folder: string, found: Found): Promise<void> {
  const paths = releaseTablePaths(folder);
  for (const table of RELEASE_TABLES) {
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
  await db.check(new URL("../../pipeline/3-score/checks.sql", import.meta.url)).catch((error: unknown) => {
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
