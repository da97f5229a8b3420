/**
 * Reads researchers and the rows of their lists of datasets. The data of one researcher come straight from the tables.
 * For the pages of all researchers, the data are first written to files in the order of the pages, so that a task only
 * reads the rows that it needs.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { countryRow, institutionRow } from "../../api-static/pages/attribution.ts";
import { recordRow } from "../../api-static/pages/record.ts";
import { researcherRow } from "../../api-static/pages/researcher.ts";
import type {
  CountryData,
  InstitutionData,
  ListedRecord,
  ListedScore,
  ResearcherData,
} from "../../api-static/pages/rows.ts";
import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { LISTED_COLUMNS } from "../../schemas/public/record-columns.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import { type Cell, quote } from "../engine/open.ts";
import { PLACE_BYTES } from "../packs/format.ts";
import type { Countries } from "../vocabularies/countries.ts";
import { openTables, select, type TablePaths, type TablesOptions, textOfRow, toRowObject } from "./columns.ts";

/** Groups the rows of a stream by their first column. The stream must be sorted by that column. */
export class Cursor {
  readonly #batches: AsyncGenerator<Cell[][]>;
  #batch: Cell[][] = [];
  #next = 0;
  #ended = false;

  constructor(batches: AsyncGenerator<Cell[][]>) {
    this.#batches = batches;
  }

  /**
   * Returns the rows whose first column is `key`, and skips rows with smaller keys. Calls must have ascending keys,
   * because the stream is only read once.
   */
  async take(key: string): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    for (;;) {
      // Reads the rows of a batch without waiting, which is faster.
      while (this.#next < this.#batch.length) {
        const row = this.#batch[this.#next];
        const rowKey = row?.[0];
        if (row === undefined || typeof rowKey !== "string" || rowKey > key) return rows;
        if (rowKey === key) rows.push(row);
        this.#next += 1;
      }
      if (this.#ended) return rows;
      const more = await this.#batches.next();
      this.#ended = more.done === true;
      this.#batch = more.done === true ? [] : more.value;
      this.#next = 0;
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

export const RESEARCHER = [
  "id",
  "slug",
  "name",
  "affiliation",
  "orcid",
  "identity_basis",
  "s_index",
  "s_impact",
  "cited_known",
  "cited_datasets",
  "dataset_count",
  "max_score",
  "mean_score",
  "mean_s",
  "mean_h",
  "mean_a",
  "mean_r",
  "mean_e",
  "mean_cap",
  "passed_of_evaluable",
  "s_index_median",
  "data_date",
] as const satisfies readonly (keyof ResearcherData)[];

export const LISTED_RECORD = LISTED_COLUMNS satisfies readonly (keyof ListedRecord)[];
export const LISTED_SCORE = [
  "total",
  "s",
  "h",
  "a",
  "r",
  "e",
  "supported_mask",
  "evaluable_mask",
] as const satisfies readonly (keyof ListedScore)[];

export const INSTITUTION = listShownColumns<InstitutionData>(AGGREGATE_TABLES.institution.columns);
export const COUNTRY = listShownColumns<CountryData>(AGGREGATE_TABLES.country.columns);

/**
 * Returns the columns of a table that a page shows: all except `rubric`, because the request already says which version
 * it is for.
 */
export function listShownColumns<T>(columns: Readonly<Record<string, unknown>>): (keyof T & string)[] {
  return Object.keys(columns).filter((name) => name !== "rubric") as (keyof T & string)[];
}

/**
 * Position of a column that every score fills, even one without a total. If the cell is null, the record has no score.
 */
const SCORED = LISTED_SCORE.indexOf("supported_mask");

/**
 * Reads a record and its score from a row: the columns of LISTED_RECORD from `offset`, then those of LISTED_SCORE. A
 * failed record has no score.
 */
export function readRecordRow(cells: readonly Cell[], version: PublicVersion, offset = 0): RecordRow {
  const at = offset + LISTED_RECORD.length;
  const record = toRowObject<ListedRecord>(LISTED_RECORD, cells, offset);
  // In the tables of a server, a failed record also has masks, which come from the pledge.
  const isScored = record.status !== "failed" && cells[at + SCORED] !== null;
  return recordRow(record, isScored ? toRowObject<ListedScore>(LISTED_SCORE, cells, at) : null, version);
}

export function readResearcherRow(cells: readonly Cell[], version: PublicVersion): ResearcherRow {
  return researcherRow(toRowObject<ResearcherData>(RESEARCHER, cells), version);
}

export function readInstitutionRow(cells: readonly Cell[]): InstitutionRow {
  return institutionRow(toRowObject<InstitutionData>(INSTITUTION, cells));
}

export function readCountryRow(cells: readonly Cell[], countries: Countries): CountryRow {
  const row = toRowObject<CountryData>(COUNTRY, cells);
  return countryRow(row, countries.findName(row.country_code) ?? row.country_code);
}

/** SQL of two relations for the pages of researchers. Both use the parameter `rubric`. */
export interface ListedRelations {
  /**
   * One row for each researcher: `place` of the page, `id`, and `row` with the columns of the researcher as JSON
   * (columns.ts).
   */
  readonly persons: string;
  /**
   * One row for each dataset in a list: `place` of the researcher's page, `position` in the list, and `row` with the
   * record and its score as JSON.
   */
  readonly listings: string;
}

/** SQL expressions for the columns of {@link RESEARCHER}. Averages become text, so that they stay exact. */
const PERSON = RESEARCHER.map((name) =>
  AGGREGATE_TABLES.researcher.columns[name] === "hundredths" ? `${name}::varchar` : name,
);

const PLACE = `substr(sha256(slug), 1, ${2 * PLACE_BYTES})`;

/** Relations for one researcher, whose id is in the parameter `id`. */
export const ONE_RESEARCHER: ListedRelations = relationsUnder(
  "$rubric",
  "id = $id",
  "record.id in (select id from researcher_dataset where researcher_id = $id and rubric = $rubric)",
);

/**
 * Returns relations over the files that {@link writeListings} wrote below `folder`. Their rows have places from
 * parameter `from` up to but not including parameter `to`.
 */
export function listingsIn(folder: string, version: PublicVersion): ListedRelations {
  const within = (name: ListedName) =>
    `select * from read_parquet(${quote(getListingPath(folder, name, version))})
     where rubric = $rubric and place >= $from and place < $to`;
  return { persons: within("persons"), listings: within("listings") };
}

/**
 * Writes researchers and their lists of datasets to files below `folder`. Processes one version after another to save
 * memory.
 */
export async function writeListings(
  tables: TablePaths,
  folder: string,
  versions: readonly PublicVersion[],
  options: TablesOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const db = await openTables(tables, options);
  try {
    for (const version of versions) {
      const relations = relationsUnder(quote(version), "true", "true");
      for (const name of LISTED_NAMES) {
        await db.run(
          `copy (select * from (${relations[name]}) order by ${ORDERS[name]})
           to ${quote(getListingPath(folder, name, version))}
           (format parquet, compression zstd, row_group_size ${ROWS_READ_AT_ONCE})`,
        );
      }
    }
  } finally {
    db.close();
  }
}

/**
 * Number of rows in a row group of the files. It is small, so that a task reads few rows that belong to other tasks.
 */
const ROWS_READ_AT_ONCE = 8192;

type ListedName = keyof ListedRelations;
const LISTED_NAMES = ["persons", "listings"] as const satisfies readonly ListedName[];
const ORDERS: Readonly<Record<ListedName, string>> = { persons: "place", listings: "place, position" };

function getListingPath(folder: string, name: ListedName, version: PublicVersion): string {
  return join(folder, `${name}-${version}.parquet`);
}

/**
 * Returns relations for the researchers that match `condition`, and for the rows of lists whose records match
 * `listedCondition`. `version` is SQL: a literal or a parameter. With a column instead, the engine would have to join
 * by it.
 */
function relationsUnder(version: string, condition: string, listedCondition: string): ListedRelations {
  const persons = `select rubric, ${PLACE} as place, id, ${textOfRow(PERSON)} as row
    from researcher where rubric = ${version} and ${condition}`;
  // Makes the text of each row only once, although many lists contain it.
  const rows = `select record.id, ${textOfRow([select("record", LISTED_RECORD), select("score", LISTED_SCORE)])} as row
    from record
    join score on score.id = record.id and score.rubric = ${version}
    where ${listedCondition}`;
  const listings = `select person.rubric, person.place, listed.place as position, rows.row
    from (${persons}) as person
    join researcher_dataset as listed on listed.researcher_id = person.id and listed.rubric = ${version}
    join (${rows}) as rows on rows.id = listed.id`;
  return { persons, listings };
}
