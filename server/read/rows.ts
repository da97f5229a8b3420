/** Finds and counts the rows of a list, and reads the rows of one page or the rows that come after another row. */

import type { Cell } from "../../pipeline/engine/open.ts";
import { readCountryRow, readInstitutionRow, readRecordRow, readResearcherRow } from "../../pipeline/pages/listings.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { getSignalState, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { buildConditions, type Condition, type FilterValues, requireTables } from "./filters.ts";
import { type ListQuery, orderBy, TABLES } from "./list-tables.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";
import { RowSet } from "./row-set.ts";
import { readSearch, type SearchIdentifiers, searchConditions } from "./search.ts";

/** For each list, the type of a row in the API. */
export interface ListRows {
  readonly records: RecordRow;
  readonly authors: ResearcherRow;
  readonly institutions: InstitutionRow;
  readonly geography: CountryRow;
}

/**
 * Largest number of matching rows that are read by position. If more rows match, the table that is sorted by the order
 * is read until there are enough.
 */
const MAX_VALUES = 250;

/** Reads the rows at these positions, in their order. */
export async function readRows<Name extends ListName>(
  engine: QueryEngine,
  list: Name,
  version: PublicVersion,
  positions: readonly number[],
): Promise<ListRows[Name][]> {
  if (positions.length === 0) return [];
  const show = await rowMaker(list, version);
  return (await engine.readStored(list, version, positions)).map(show);
}

/**
 * Reads the fields that CSV files have in addition to the rows of a list, such as the states of signals, for the
 * records at these positions, in the same order.
 */
export async function readCsvFields(
  engine: QueryEngine,
  version: PublicVersion,
  positions: readonly number[],
): Promise<object[]> {
  if (positions.length === 0) return [];
  const labels = ["license", "access_status", "countries"];
  const rows = await engine.rows(
    `select listed.position, listed.supported_mask, listed.evaluable_mask, listed.passed_mask, listed.source_missing_mask,
       listed.failed_mask, ${labels.map((name) => `${name}_label.value`).join(", ")}
     from ${TABLES.listed("records", version)} as listed
     ${labels.map((name) => `left join ${TABLES.labels} as ${name}_label on ${name}_label.kind = '${name}' and ${name}_label.code = listed.${name}`).join(" ")}
     where listed.position between $least and $most
       and listed.position in (select cast(unnest(string_split($at, ',')) as integer))`,
    { least: Math.min(...positions), most: Math.max(...positions), at: positions.join(",") },
  );
  const fields = new Map(
    rows.map(([position, supported, evaluable, passed, missing, failed, license, accessStatus, countries]) => {
      const masks = {
        supportedMask: Number(supported),
        evaluableMask: Number(evaluable),
        passedMask: Number(passed),
        sourceMissingMask: Number(missing),
        failedMask: Number(failed),
      };
      const signals = Object.fromEntries(SIGNAL_IDS.map((id, bit) => [id, getSignalState(bit, masks)]));
      return [Number(position), { signals, license, accessStatus, countries }];
    }),
  );
  return positions.map((position) => fields.get(position) ?? {});
}

type RowMakers = { readonly [Name in ListName]: (cells: readonly Cell[]) => ListRows[Name] };

async function rowMaker<Name extends ListName>(list: Name, version: PublicVersion): Promise<RowMakers[Name]> {
  const { countries } = loadVocabularies();
  const makers: RowMakers = {
    records: (cells) => readRecordRow(cells, version),
    authors: (cells) => readResearcherRow(cells, version),
    institutions: readInstitutionRow,
    geography: (cells) => readCountryRow(cells, countries),
  };
  return makers[list];
}

export interface FoundRows {
  readonly total: number;
  readonly positions: readonly number[];
}

const IDENTIFIERS: Readonly<Record<ListName, SearchIdentifiers>> = {
  records: "dois",
  authors: "orcids",
  institutions: null,
  geography: null,
};

/** The rows that match a query, as `from` and `where` clauses over `listed`. */
export interface RowSelection {
  readonly from: string;
  readonly where: readonly string[];
  readonly parameters: Parameters;
  readonly total: number;
  /** The positions of the rows that match; null if all rows match. */
  readonly rows: RowSet | null;
  readonly conditions: readonly Condition[];
  readonly isSearch: boolean;
}

/** Finds the rows of one page. `without` has the positions of hidden researchers, as HiddenPositions returns them. */
export async function findRows(
  engine: QueryEngine,
  list: ListName,
  query: ListQuery,
  without: string | null = null,
): Promise<FoundRows> {
  const selection = await buildSelection(engine, list, query, without);
  if (selection === null) return NO_ROWS;
  const { total } = selection;
  const offset = (query.page - 1) * query.limit;
  if (offset >= total) return { total, positions: [] };
  const order = orderFor(selection, list, query);
  const positions = await readPositions(engine, selectOrdered(selection, order), order, { limit: query.limit, offset });
  return { total, positions };
}

export interface FollowingRows extends FoundRows {
  /** Position of the last of these rows; null if no further row follows. */
  readonly next: number | null;
}

/**
 * Finds up to `query.limit` rows that come after another row. `after` is the position of that row; null for the
 * beginning of the list.
 */
export async function findRowsAfter(
  engine: QueryEngine,
  list: ListName,
  query: ListQuery,
  without: string | null,
  after: number | null,
): Promise<FollowingRows> {
  const selection = await buildSelection(engine, list, query, without);
  if (selection === null) return { ...NO_ROWS, next: null };
  const { total } = selection;
  const order = orderFor(selection, list, query);
  const ordered = selectOrdered(selection, order);
  const rest = after === null ? ordered : rowsAfter(ordered, order, after);
  // One extra row shows if more rows follow.
  const found = await readPositions(engine, rest, order, { limit: query.limit + 1, offset: 0 });
  const positions = found.slice(0, query.limit);
  return { total, positions, next: found.length > query.limit ? (positions.at(-1) ?? null) : null };
}

const NO_ROWS: FoundRows = { total: 0, positions: [] };

/** The SQL clauses that select rows, with their parameters. */
type Clauses = Pick<RowSelection, "from" | "where" | "parameters">;

/** The order of a list: its sort keys, the table with all rows, and a table that is sorted by the first key. */
interface ListOrder {
  readonly keys: readonly SortKey[];
  readonly listed: string;
  readonly sorted: string;
}

/**
 * Returns the clauses by which the selected rows are read. A few rows are read by position. Many are read from the
 * table that is sorted by the order, until there are enough; with the limits of its first column, DuckDB skips parts of
 * it.
 */
function selectOrdered(selection: RowSelection, { keys, sorted }: ListOrder): Clauses {
  const { rows, where, parameters, conditions } = selection;
  if (rows !== null && rows.count <= MAX_VALUES) return selection;
  const limits = conditions.flatMap((condition) =>
    "where" in condition && condition.column === keys[0]?.column ? [condition] : [],
  );
  return {
    from: `from ${sorted} as listed`,
    where: [...where, ...limits.map((limit) => limit.where)],
    parameters: Object.assign({}, parameters, ...limits.map((limit) => limit.parameters)),
  };
}

/**
 * Returns clauses that select the rows after one row. The cursor only has its position, so the sort keys are looked up.
 */
function rowsAfter({ from, where, ...rest }: Clauses, { keys, listed }: ListOrder, after: number): Clauses {
  const parameters = { ...rest.parameters, after };
  const [only, ...further] = keys;
  if (only?.column === "position" && further.length === 0) {
    return { from, where: [...where, `listed.position ${beyond(only)} $after`], parameters };
  }
  const last = `join (
    select ${keys.map(({ column }, i) => `${column} as key${i}`).join(", ")} from ${listed} where position = $after
  ) as last on true`;
  const isBehind = keys.map((key, i) => {
    const areEqual = keys.slice(0, i).map(({ column }, j) => `listed.${column} is not distinct from last.key${j}`);
    const isNext = `(listed.${key.column} ${beyond(key)} last.key${i} or (listed.${key.column} is null and last.key${i} is not null))`;
    return [...areEqual, isNext].join(" and ");
  });
  return { from: `${from}\n${last}`, where: [...where, `(${isBehind.join(" or ")})`], parameters };
}

function beyond({ direction }: SortKey): ">" | "<" {
  return direction === "asc" ? ">" : "<";
}

async function readPositions(
  engine: QueryEngine,
  clauses: Clauses,
  { keys }: ListOrder,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<number[]> {
  const order = keys.map(({ column, direction }) => `listed.${column} ${direction} nulls last`).join(", ");
  const rows = await engine.rows(
    `select listed.position ${writeSelection(clauses)} order by ${order} limit $limit offset $offset`,
    { ...clauses.parameters, limit, offset },
  );
  return rows.map(([position]) => Number(position));
}

export function writeSelection({ from, where }: Pick<RowSelection, "from" | "where">): string {
  return where.length === 0 ? from : `${from}\nwhere ${where.join(" and ")}`;
}

/**
 * Returns the selection of the matching rows; null if no row can match the search.
 * @throws ProblemError `attribution-not-published` if the release lacks the table of a filter
 */
export async function buildSelection(
  engine: QueryEngine,
  list: ListName,
  query: FilterValues & Pick<ListQuery, "rubric" | "search">,
  without: string | null,
): Promise<RowSelection | null> {
  requireTables(engine, list, query);
  const { names } = loadVocabularies();
  const search = await searchConditions(engine, list, readSearch(query.search ?? "", names, IDENTIFIERS[list]));
  if (search === null) return null;
  const conditions = [...buildConditions(list, query, without), ...search];
  const listed = TABLES.listed(list, query.rubric);
  const rows = await findSet(engine, list, listed, conditions);
  return {
    from: `from ${listed} as listed`,
    ...isIn(rows),
    total: rows === null ? await countTable(engine, listed) : rows.count,
    rows,
    conditions,
    isSearch: search.length > 0,
  };
}

/**
 * Returns the condition that a row of `listed` is in the set. If the set has few rows, they are listed by position,
 * because DuckDB finds them fast.
 */
function isIn(rows: RowSet | null): Pick<RowSelection, "where" | "parameters"> {
  if (rows === null) return { where: [], parameters: {} };
  if (rows.count === 0) return { where: ["false"], parameters: {} };
  if (rows.count > MAX_VALUES)
    return { where: ["get_bit($selected, listed.position) = 1"], parameters: { selected: rows.toParameter() } };
  const parameters = Object.fromEntries(rows.positions().map((position, i) => [`at${i}`, position]));
  const values = Object.keys(parameters).map((name) => `$${name}`);
  return { where: [`listed.position in (${values.join(", ")})`], parameters };
}

/** Returns the rows of a list that meet all conditions; null if there are no conditions. */
async function findSet(
  engine: QueryEngine,
  list: ListName,
  listed: string,
  conditions: readonly Condition[],
): Promise<RowSet | null> {
  if (conditions.length === 0) return null;
  const size = RowSet.sizeFor(await countTable(engine, TABLES.texts(list)));
  const sets: RowSet[] = [];
  for (const condition of conditions) {
    const set = await engine.readSet(positionsSql(list, listed, condition), condition.parameters, size);
    if (set.count === 0) return set;
    sets.push(set);
  }
  return RowSet.intersect(sets);
}

function positionsSql(list: ListName, listed: string, condition: Condition): string {
  // Every version has all records, but not all researchers and institutions.
  if ("positions" in condition && list === "records") return condition.positions;
  const where = "where" in condition ? condition.where : `listed.position in (${condition.positions})`;
  return `select listed.position from ${listed} as listed where ${where}`;
}

function countTable(engine: QueryEngine, table: string): Promise<number> {
  return engine.totals.of(table, async () => {
    const [row] = await engine.rows(`select cast(count(*) as integer) from ${table}`);
    return Number(row?.[0] ?? 0);
  });
}

/** A column by which rows are sorted. Nulls come last in ascending and in descending order. */
interface SortKey {
  readonly column: string;
  readonly direction: ListQuery["sortOrder"];
}

/**
 * Returns the order of a list in SQL. Rows with equal sort keys have the same order in an ascending and in a descending
 * list (decisions.md, "Rows").
 */
function orderFor(selection: RowSelection, list: ListName, query: ListQuery): ListOrder {
  const { sortOrder: direction, rubric } = query;
  const order = orderBy(list, query);
  const listed = TABLES.listed(list, rubric);
  if (order?.column === "position") return { keys: [{ column: "position", direction }], listed, sorted: listed };
  const ties = order?.ties?.map((column): SortKey => ({ column, direction: "desc" })) ?? [];
  const first = order === null ? [] : [{ column: order.column, direction }];
  const keys: SortKey[] = [...first, ...ties, { column: chooseTieBreaker(selection, list, query), direction: "asc" }];
  return { keys, listed, sorted: order === null ? listed : TABLES.ordered(list, rubric, order) };
}

/**
 * Returns the column that orders rows with equal sort keys. Without a search it is the position, because pre-rendered
 * pages are in the order of IDs.
 */
function chooseTieBreaker({ isSearch }: RowSelection, list: ListName, { sortBy }: ListQuery): "namesake" | "position" {
  return isSearch && list === "authors" && sortBy === "name" ? "namesake" : "position";
}
