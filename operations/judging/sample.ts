/** A sheet of datasets for a person to code by hand: drawn by their ids, the same wherever it is drawn. */

import { writeCsv } from "../../pipeline/engine/csv.ts";
import type { Database, DuckDBOptions } from "../../pipeline/engine/open.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import type { ColumnType } from "../../schemas/public/column-type.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import type { Table } from "../../schemas/public/tables.ts";
import { runSql, withRelease } from "./judged-release.ts";

/** Datasets of one source in one range of totals. */
export interface Stratum {
  readonly source: string;
  readonly totals: string;
  readonly records: number;
  readonly drawn: number;
}

export interface SampledDataset {
  readonly identifier: string;
  readonly doi: string | null;
}

export interface Sample {
  readonly rubric: PublicVersion;
  readonly seed: string;
  /** In the order of the sheet. */
  readonly datasets: readonly SampledDataset[];
  readonly strata: readonly Stratum[];
}

export interface SampleOptions extends DuckDBOptions {
  readonly rubric: PublicVersion;
  readonly seed: string;
  readonly n: number;
}

/** Columns of signals, in which the person writes; and what leads to the dataset. A score is in none. */
const SHEET: Table = {
  name: "sheet",
  grain: "one dataset to be coded by hand",
  key: ["identifier"],
  columns: {
    identifier: "text",
    rubric: "text",
    doi: "text",
    url: "text",
    title: "text",
    ...Object.fromEntries(SIGNAL_IDS.map((id): [string, ColumnType] => [id, "text"])),
  },
};

/** Writes the sheet as CSV to `path`. */
export function drawSample(tables: TablePaths, path: string, options: SampleOptions): Promise<Sample> {
  const { rubric, seed, n } = options;
  return withRelease(tables, options, async (db) => {
    await runSql(db, "40-sample", { rubric, seed, n });
    await writeSheet(db, rubric, path);
    const strata = (await db.rows("select * from stratum")).map(({ source, stratum, records, drawn }) => ({
      source: String(source),
      totals: totalsOf(Number(stratum)),
      records: Number(records),
      drawn: Number(drawn),
    }));
    const datasets = (await db.rows("select identifier, doi from drawn order by draw")).map(({ identifier, doi }) => {
      return { identifier: String(identifier), doi: doi === null ? null : String(doi) };
    });
    return { rubric, seed, datasets, strata };
  });
}

async function writeSheet(db: Database, rubric: PublicVersion, path: string): Promise<void> {
  const codes = SIGNAL_IDS.map((id) => `cast(null as varchar) as "${id}"`);
  const columns = [`identifier, '${rubric}' as rubric, doi, url, title`, ...codes];
  await db.run(`create view sheet as select ${columns.join(", ")} from drawn order by draw`);
  await writeCsv(db, SHEET, path);
}

function totalsOf(stratum: number): string {
  return stratum === 4 ? "80-100" : `${20 * stratum}-${20 * stratum + 19}`;
}
