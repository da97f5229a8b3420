/** Finds one page of a list: how many rows there are in all, and those of the page. */

import { conditionsOf } from "./conditions.ts";
import { type ListName, type ListQuery, sortColumns, TABLES } from "./lists.ts";
import { loadedVocabularies } from "./loaded-vocabularies.ts";
import type { Parameters, Prepared } from "./prepared.ts";
import { searchJoins } from "./search-joins.ts";
import { type Names, readSearch } from "./search-text.ts";

export interface FoundRows {
  readonly total: number;
  /** In the order asked for. */
  readonly positions: readonly number[];
}

/** What each list can be found by besides the words of its texts. */
const NAMED_BY: Readonly<Record<ListName, Names>> = {
  records: "dois",
  authors: "orcids",
  institutions: null,
  geography: null,
};

/** `from` and `where` of the rows asked for, as `listed`. */
interface Selection {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** `without`: rows that are not there, as HiddenPositions gives them; null for none. */
export async function findRows(
  prepared: Prepared,
  list: ListName,
  query: ListQuery,
  without: string | null = null,
): Promise<FoundRows> {
  const selection = await selectionOf(prepared, list, query, without);
  if (selection === null) return { total: 0, positions: [] };
  const total = await prepared.totals.of(JSON.stringify(selection), () => countRows(prepared, selection));
  const offset = (query.page - 1) * query.limit;
  if (offset >= total) return { total, positions: [] };
  const rows = await prepared.rows(
    `select listed.position ${selection.sql} order by ${orderOf(list, query)} limit $limit offset $offset`,
    { ...selection.parameters, limit: query.limit, offset },
  );
  return { total, positions: rows.map(([position]) => Number(position)) };
}

async function selectionOf(
  prepared: Prepared,
  list: ListName,
  query: ListQuery,
  without: string | null,
): Promise<Selection | null> {
  const { where, parameters } = conditionsOf(list, query, without);
  const { names } = await loadedVocabularies();
  const search = await searchJoins(prepared, list, readSearch(query.search ?? "", names, NAMED_BY[list]));
  if (search === null) return null;
  const sql = [`from ${TABLES.listed(list, query.rubric)} as listed`, ...search.joins];
  if (where.length > 0) sql.push(`where ${where.join(" and ")}`);
  return { sql: sql.join("\n"), parameters: { ...parameters, ...search.parameters } };
}

async function countRows(prepared: Prepared, { sql, parameters }: Selection): Promise<number> {
  const [row] = await prepared.rows(`select cast(count(*) as integer) ${sql}`, parameters);
  return Number(row?.[0] ?? 0);
}

/** Nulls last, ties by id ascending, whatever the direction (decisions.md, "Rows"). */
function orderOf(list: ListName, { rubric, sortBy, sortOrder }: ListQuery): string {
  const column = sortColumns(list, rubric)[sortBy];
  if (column === undefined) throw new Error(`the list ${list} has no order by ${sortBy}`);
  if (column === "position") return `listed.position ${sortOrder}`;
  return column === null ? "listed.position" : `listed.${column} ${sortOrder} nulls last, listed.position`;
}
