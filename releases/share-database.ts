/**
 * Writes the file share.duckdb of a published release. It contains a view for each table, and one with the states of the
 * signals, but no rows. The release digest does not cover it. The views read the Parquet files below the folder or URL in
 * the DuckDB variable share_release, because DuckDB would look for relative paths in the working directory.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Database, openDuckDB, quote } from "../pipeline/engine/open.ts";
import { supportedMask } from "../pipeline/sources/pledges.ts";
import { DIFF_TABLES } from "../schemas/public/api/diff.ts";
import { getColumnMeaning } from "../schemas/public/column-meanings.ts";
import { releasedPledge } from "../schemas/public/pledge.ts";
import type { ManifestLine, Receipt } from "../schemas/public/release.ts";
import { type ReleasedRubric, releasedRubric } from "../schemas/public/rubric.ts";
import { listReleaseTables, publishedName, SCORE_TABLES } from "../schemas/public/tables.ts";

export const SHARE_DATABASE = "share.duckdb";

const UNSET = "Name the release first: set variable share_release = '<folder or URL of the release>'";
const BASE = `cast(case when getvariable('share_release') is null then error(${quote(UNSET)}) else getvariable('share_release') end as varchar)`;

/** Writes the database of the release in `folder` to the file `to`. The same release results in the same bytes. */
export async function writeShareDatabase(
  folder: string,
  receipt: Receipt,
  lines: readonly ManifestLine[],
  to: string,
): Promise<void> {
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`attach ${quote(to)} as share`);
    await db.run(`set variable share_release = ${quote(folder)}`);
    for (const table of [...listReleaseTables(receipt), ...Object.values(DIFF_TABLES)]) {
      const name = publishedName(table);
      const paths = lines.map(({ path }) => path).filter((path) => isTableFile(path, name));
      const [first] = paths;
      if (first === undefined) continue;
      const { columns } = await db.tableInFiles(table, join(folder, first));
      // A release of an earlier version can have columns that this one does not know.
      const known = Object.keys(columns).filter((column) => column in table.columns);
      const meanings = known.map((column) => [column, getColumnMeaning(table, column)] as const);
      const select = `select ${meanings.map(([column]) => `"${column}"`).join(", ")} from ${parquet(paths)}`;
      await createView(db, name.replaceAll("-", "_"), select, `One row for each ${table.grain}.`, meanings);
    }
    await createSignals(db, folder, receipt, lines);
    await db.run("detach share");
  } finally {
    db.close();
  }
}

function isTableFile(path: string, name: string): boolean {
  return path === `data/${name}.parquet` || (path.startsWith(`data/${name}/`) && path.endsWith(".parquet"));
}

function parquet(paths: readonly string[]): string {
  return `read_parquet([${paths.map((path) => `${BASE} || ${quote(`/${path}`)}`).join(", ")}])`;
}

type Meanings = readonly (readonly [column: string, meaning: string])[];

async function createView(
  db: Database,
  view: string,
  select: string,
  grain: string,
  meanings: Meanings,
): Promise<void> {
  await db.run(`create view share.${view} as ${select}`);
  await db.run(`comment on view share.${view} is ${quote(grain)}`);
  for (const [column, meaning] of meanings) {
    await db.run(`comment on column share.${view}."${column}" is ${quote(meaning)}`);
  }
}

/** Creates one view for each public version, such as signals_2_0, with a column for each signal. */
async function createSignals(
  db: Database,
  folder: string,
  receipt: Receipt,
  lines: readonly ManifestLine[],
): Promise<void> {
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, "data", name), "utf8"));
  const contracts = z.record(z.string(), z.unknown()).parse(await read("contracts.json"));
  const pledges = z.record(z.string(), releasedPledge).parse(await read("pledges.json"));
  const parts = (name: string) => parquet(lines.map(({ path }) => path).filter((path) => isTableFile(path, name)));
  for (const { version, contract } of receipt.rubrics) {
    const { signals } = releasedRubric.parse(contracts[contract]);
    const masks = Object.entries(pledges).map(
      ([source, pledge]) => `when ${quote(source)} then ${supportedMask(pledge, contract)}`,
    );
    const select = `
      with judged as (
        select id, total, coalesce(supported_mask, case source ${masks.join(" ")} end) as supported,
          evaluable_mask as evaluable, passed_mask as passed, source_missing_mask as missing,
          coalesce(failed_mask, supported) as failed
        from ${parts("records")} as record
        left join (from ${parts("scores")} where rubric = ${quote(version)}) as score using (id)
      )
      select id, total, ${signals.map(({ key, bit }) => `${stateSql(1 << bit)} as ${key}`).join(", ")}
      from judged`;
    await createView(
      db,
      `signals_${version.replace(".", "_")}`,
      select,
      `One row for each record, with the state of each signal of SHARE ${version}.`,
      [
        ["id", getColumnMeaning(SCORE_TABLES.score, "id")],
        ["total", getColumnMeaning(SCORE_TABLES.score, "total")],
        ...signals.map(meaningOfSignal),
      ],
    );
  }
}

/**
 * Returns SQL for the state of the signal with the bit `flag`, as docs/method.md defines it. For an unreadable record,
 * `evaluable`, `passed` and `missing` are null; the caller sets `failed` to `supported`, so that all its supported signals
 * are `failed`.
 */
export function stateSql(flag: number): string {
  return `case when supported & ${flag} = 0 then 'unsupported' when failed & ${flag} <> 0 then 'failed'
    when passed & ${flag} <> 0 then 'passed' when missing & ${flag} <> 0 then 'source_missing'
    when evaluable & ${flag} <> 0 then 'absent' else 'not_evaluable' end`;
}

function meaningOfSignal({ id, key, name, question }: ReleasedRubric["signals"][number]): readonly [string, string] {
  return [key, `${id} ${name}: ${question} passed, absent, not_evaluable, source_missing, failed or unsupported`];
}
