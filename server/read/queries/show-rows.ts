/** Rows of a list as the API shows them: fetched for the page alone, made by the functions that pages are made by. */

import type { Cell } from "../../../pipeline/engine/open.ts";
import {
  COUNTRY,
  countryRowOf,
  INSTITUTION,
  institutionRowOf,
  LISTED_RECORD,
  LISTED_SCORE,
  RESEARCHER,
  recordRowOf,
  researcherRowOf,
} from "../../../pipeline/pages/listings.ts";
import { loadVocabularies } from "../../../pipeline/vocabularies/index.ts";
import type { CountryRow, InstitutionRow } from "../../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type ListName, SHARED_COLUMNS, TABLES } from "./lists.ts";
import type { Parameters, Prepared } from "./prepared.ts";

export type ShownRow = RecordRow | ResearcherRow | InstitutionRow | CountryRow;

const COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: [...LISTED_RECORD, ...LISTED_SCORE],
  authors: RESEARCHER,
  institutions: INSTITUTION,
  geography: COUNTRY,
};

/** Rows of a page, at most; of more they are looked up otherwise. */
const MOST_VALUES = 250;

/** The rows found, in their order. */
export async function showRows(
  prepared: Prepared,
  list: ListName,
  version: PublicVersion,
  positions: readonly number[],
): Promise<ShownRow[]> {
  if (positions.length === 0) return [];
  const show = await rowMaker(list, version);
  const rows = await wideRows(prepared, list, version, positions);
  return positions.map((position) => {
    const cells = rows.get(position);
    if (cells === undefined) throw new Error(`the list ${list} has no row at ${position}`);
    return show(cells);
  });
}

async function rowMaker(list: ListName, version: PublicVersion): Promise<(cells: readonly Cell[]) => ShownRow> {
  const { countries } = await loadVocabularies();
  return {
    records: (cells: readonly Cell[]) => recordRowOf(cells, version),
    authors: (cells: readonly Cell[]) => researcherRowOf(cells, version),
    institutions: institutionRowOf,
    geography: (cells: readonly Cell[]) => countryRowOf(cells, countries),
  }[list];
}

/** By lists of values and not by a join with the page: the engine skips every group of rows that has none of them. */
async function wideRows(
  prepared: Prepared,
  list: ListName,
  version: PublicVersion,
  positions: readonly number[],
): Promise<ReadonlyMap<number, readonly Cell[]>> {
  const { where, parameters } = positions.length <= MOST_VALUES ? byValues(positions) : byRange(positions);
  const from = `${TABLES.texts(list)} as texts join ${TABLES.figures(list, version)} as figures using (position)
    where ${where}`;
  const rows = await prepared.rows(`select position, ${columnsOf(list).join(", ")} from ${from}`, parameters);
  return new Map(rows.map(([position, ...cells]) => [Number(position), cells]));
}

/** Which rows of `texts` and `figures` are wanted. */
interface Wanted {
  readonly where: string;
  readonly parameters: Parameters;
}

function byValues(positions: readonly number[]): Wanted {
  const parameters = Object.fromEntries(positions.map((position, i) => [`at${i}`, position]));
  const values = Object.keys(parameters).map((name) => `$${name}`);
  return { where: `texts.position in (${values}) and figures.position in (${values})`, parameters };
}

/** Of thousands a list of values would take longer to read than the rows; those that lie together still skip all others. */
function byRange(positions: readonly number[]): Wanted {
  return {
    where: `texts.position between $least and $most and figures.position between $least and $most
      and texts.position in (select cast(unnest(string_split($at, ',')) as integer))`,
    parameters: { least: Math.min(...positions), most: Math.max(...positions), at: positions.join(",") },
  };
}

function columnsOf(list: ListName): string[] {
  return COLUMNS[list].map((name) => (SHARED_COLUMNS[list].includes(name) ? `texts.${name}` : `figures.${name}`));
}
