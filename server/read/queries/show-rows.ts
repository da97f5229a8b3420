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
} from "../../../pipeline/pages/list-rows.ts";
import type { CountryRow, InstitutionRow } from "../../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type ListName, SHARED_COLUMNS, TABLES } from "./lists.ts";
import { loadedVocabularies } from "./loaded-vocabularies.ts";
import type { Prepared } from "./prepared.ts";

export type ShownRow = RecordRow | ResearcherRow | InstitutionRow | CountryRow;

const COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: [...LISTED_RECORD, ...LISTED_SCORE],
  authors: RESEARCHER,
  institutions: INSTITUTION,
  geography: COUNTRY,
};

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
  const { countries } = await loadedVocabularies();
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
  const parameters = Object.fromEntries(positions.map((position, i) => [`at${i}`, position]));
  const wanted = `position in (${Object.keys(parameters).map((name) => `$${name}`)})`;
  const from = `${TABLES.texts(list)} as texts join ${TABLES.figures(list, version)} as figures using (position)
    where texts.${wanted} and figures.${wanted}`;
  const rows = await prepared.rows(`select position, ${columnsOf(list).join(", ")} from ${from}`, parameters);
  return new Map(rows.map(([position, ...cells]) => [Number(position), cells]));
}

function columnsOf(list: ListName): string[] {
  return COLUMNS[list].map((name) => (SHARED_COLUMNS[list].includes(name) ? `texts.${name}` : `figures.${name}`));
}
