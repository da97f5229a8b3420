/** Finds rows of a list: how many there are in all, and those of one page, or behind one row. */

import { loadVocabularies } from "../../../pipeline/vocabularies/index.ts";
import { conditionsOf } from "./conditions.ts";
import { type ListName, type ListQuery, sortColumns, TABLES } from "./lists.ts";
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
  readonly from: readonly string[];
  readonly where: readonly string[];
  readonly parameters: Parameters;
}

/** A page, by its number. `without`: rows that are not there, as HiddenPositions gives them; null for none. */
export async function findRows(
  prepared: Prepared,
  list: ListName,
  query: ListQuery,
  without: string | null = null,
): Promise<FoundRows> {
  const selection = await selectionOf(prepared, list, query, without);
  if (selection === null) return NOTHING;
  const total = await totalOf(prepared, selection);
  const offset = (query.page - 1) * query.limit;
  if (offset >= total) return { total, positions: [] };
  const positions = await positionsOf(prepared, selection, orderOf(list, query), { limit: query.limit, offset });
  return { total, positions };
}

/** Rows that follow one. */
export interface FollowingRows extends FoundRows {
  /** Position of the last of them, where more follow it; null where none do. */
  readonly next: number | null;
}

/**
 * The rows that follow one in the order asked for, up to `query.limit`. `after`: position of the row they follow; null for
 * those the list begins with.
 */
export async function findRowsAfter(
  prepared: Prepared,
  list: ListName,
  query: ListQuery,
  without: string | null,
  after: number | null,
): Promise<FollowingRows> {
  const selection = await selectionOf(prepared, list, query, without);
  if (selection === null) return { ...NOTHING, next: null };
  const total = await totalOf(prepared, selection);
  const rest = after === null ? selection : following(selection, list, query, after);
  // One more than is asked for tells whether there are more.
  const found = await positionsOf(prepared, rest, orderOf(list, query), { limit: query.limit + 1, offset: 0 });
  const positions = found.slice(0, query.limit);
  return { total, positions, next: found.length > query.limit ? (positions.at(-1) ?? null) : null };
}

const NOTHING: FoundRows = { total: 0, positions: [] };

/** The rows behind one: what it is ordered by is looked up, since cursors say only which row it is. */
function following(selection: Selection, list: ListName, query: ListQuery, after: number): Selection {
  const { from, where, parameters } = selection;
  const bound = { ...parameters, after };
  const column = columnOf(list, query);
  const beyond = query.sortOrder === "asc" ? ">" : "<";
  if (column === "position" || column === null) {
    const way = column === null ? ">" : beyond;
    return { from, where: [...where, `listed.position ${way} $after`], parameters: bound };
  }
  const last = `join (
    select ${column} as key from ${TABLES.listed(list, query.rubric)} where position = $after
  ) as last on true`;
  const isBehind = `(
    listed.${column} ${beyond} last.key
    or (listed.${column} is not distinct from last.key and listed.position > $after)
    or (listed.${column} is null and last.key is not null)
  )`;
  return { from: [...from, last], where: [...where, isBehind], parameters: bound };
}

async function positionsOf(
  prepared: Prepared,
  selection: Selection,
  order: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<number[]> {
  const rows = await prepared.rows(
    `select listed.position ${textOf(selection)} order by ${order} limit $limit offset $offset`,
    { ...selection.parameters, limit, offset },
  );
  return rows.map(([position]) => Number(position));
}

/** Counted once, whatever the page and the order. */
function totalOf(prepared: Prepared, selection: Selection): Promise<number> {
  return prepared.totals.of(JSON.stringify(selection), () => countRows(prepared, selection));
}

function textOf({ from, where }: Selection): string {
  return [...from, ...(where.length === 0 ? [] : [`where ${where.join(" and ")}`])].join("\n");
}

async function selectionOf(
  prepared: Prepared,
  list: ListName,
  query: ListQuery,
  without: string | null,
): Promise<Selection | null> {
  const { where, parameters } = conditionsOf(list, query, without);
  const { names } = await loadVocabularies();
  const search = await searchJoins(prepared, list, readSearch(query.search ?? "", names, NAMED_BY[list]));
  if (search === null) return null;
  const from = [`from ${TABLES.listed(list, query.rubric)} as listed`, ...search.joins];
  return { from, where, parameters: { ...parameters, ...search.parameters } };
}

async function countRows(prepared: Prepared, selection: Selection): Promise<number> {
  const [row] = await prepared.rows(`select cast(count(*) as integer) ${textOf(selection)}`, selection.parameters);
  return Number(row?.[0] ?? 0);
}

/** Nulls last, ties by id ascending, whatever the direction (decisions.md, "Rows"). */
function orderOf(list: ListName, query: ListQuery): string {
  const { sortOrder } = query;
  const column = columnOf(list, query);
  if (column === "position") return `listed.position ${sortOrder}`;
  return column === null ? "listed.position" : `listed.${column} ${sortOrder} nulls last, listed.position`;
}

function columnOf(list: ListName, { rubric, sortBy }: ListQuery): string | null {
  const column = sortColumns(list, rubric)[sortBy];
  if (column === undefined) throw new Error(`the list ${list} has no order by ${sortBy}`);
  return column;
}
