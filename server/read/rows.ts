/** Finds rows of a list: how many there are in all, and those of one page, or behind one row. */

import { hash } from "node:crypto";
import type { Cell } from "../../pipeline/engine/open.ts";
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
} from "../../pipeline/pages/listings.ts";
import { doiIn, identifierKey, idOfOrcid, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { type ListName, type ListQuery, SHARED_COLUMNS, sortColumns, TABLES } from "./list-tables.ts";
import type { Parameters, Prepared } from "./query-engine.ts";
import { type Names, readSearch, searchJoins } from "./search.ts";

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

/** Values of a list's query by parameter name, as its schema gives them. */
type ListFilters = Readonly<Record<string, unknown>>;

/** Joined by `and`; each text reads the columns of `listed` and its own parameters. */
interface Conditions {
  readonly where: readonly string[];
  readonly parameters: Parameters;
}

/** What one filter asks of a row. */
interface Filter {
  readonly sql: string;
  /** The value as it is compared, bound as the parameter of the filter's own name; the same where not given. */
  readonly value?: (given: string | number) => string | number;
  /** All parameters of a filter that has more than one. */
  readonly parameters?: (given: string) => Parameters;
}

/** A field kept as the number of its label: what no record has matches none. */
function labelled(column: string, parameter: string): Filter {
  return {
    sql: `listed.${column} = (select code from ${TABLES.labels} where kind = '${column}' and value = $${parameter})`,
  };
}

function faceted(kind: string): Filter {
  return {
    sql: `listed.position in (select position from ${TABLES.facets} where kind = '${kind}' and value = $${kind})`,
  };
}

/** Figures of rows are 32-bit integers: no bound beyond them says more. */
const GREATEST = 2 ** 31 - 1;

const roundUp = (given: string | number) => Math.min(Math.ceil(Number(given)), GREATEST);
const roundDown = (given: string | number) => Math.min(Math.floor(Number(given)), GREATEST);

/** A record's id is made from its identifier. */
const idOf = (identifier: string) => `r${hash("sha256", identifier).slice(0, 24)}`;

/** What a text can mean: an identifier as it stands, the record of a source, a DOI. */
function meanings(given: string): Parameters {
  const identifier = parseIdentifier(given);
  return {
    identifier: idOf(given),
    identifierRead: identifier.kind === "record" ? idOf(identifierKey(identifier)) : "",
    identifierDoi: doiIn(given.trim()) ?? "",
  };
}

const BY_DOI = (parameter: string) => `select position from ${TABLES.dois} where doi = $${parameter}`;

/** Ids with commas between them are one value, however many there are. */
const named = (given: string) => `select unnest(string_split($${given}, ','))`;

/** Rows by their own ids, in the column that tells them apart. */
function byIds(list: ListName, column: string): Filter {
  return {
    sql: `listed.position in (select position from ${TABLES.texts(list)} where ${column} in (${named("ids")}))`,
  };
}

const RECORD_FILTERS: Readonly<Record<string, Filter>> = {
  // As single addresses of records are: those of aliases lead to the record that is kept.
  ids: {
    sql: `listed.position in (
      select position from ${TABLES.texts("records")} where id in (${named("ids")})
      union all select position from ${TABLES.aliases} where alias_id in (${named("ids")})
    )`,
  },
  // A record's own id, or an alias.
  identifier: {
    sql: `listed.position in (
      select position from ${TABLES.texts("records")} where id in ($identifier, $identifierRead)
      union all select position from ${TABLES.aliases} where alias_id in ($identifier, $identifierRead)
      union all ${BY_DOI("identifierDoi")}
    )`,
    parameters: meanings,
  },
  doi: { sql: `listed.position in (${BY_DOI("doi")})` },
  // As nobody remembers how a repository writes itself.
  repository: {
    sql: `listed.repository in (select code from ${TABLES.labels} where kind = 'repository' and lower(value) = lower($repository))`,
  },
  recordKind: labelled("record_kind", "recordKind"),
  accessStatus: labelled("access_status", "accessStatus"),
  disease: faceted("disease"),
  ageGroup: faceted("ageGroup"),
  dataType: faceted("dataType"),
  // Totals are whole numbers. A failed record has none, and no bound lets it in.
  minScore: { sql: "listed.total >= $minScore", value: roundUp },
  maxScore: { sql: "listed.total <= $maxScore", value: roundDown },
  minSupportedChecks: { sql: "listed.supported >= $minSupportedChecks", value: roundUp },
};

const FILTERS: Readonly<Record<ListName, Readonly<Record<string, Filter>>>> = {
  records: RECORD_FILTERS,
  authors: {
    ids: byIds("authors", "id"),
    orcid: {
      sql: `listed.position in (select position from ${TABLES.texts("authors")} where id = $orcid)`,
      value: (given) => idOfOrcid(String(given)),
    },
    minSIndex: { sql: "listed.s_index >= $minSIndex", value: roundUp },
    minDatasets: { sql: "listed.dataset_count >= $minDatasets", value: roundUp },
  },
  institutions: {
    ids: byIds("institutions", "id"),
    countryCode: { sql: "listed.country_code = $countryCode" },
  },
  geography: { ids: { ...byIds("geography", "country_code"), value: (given) => String(given).toUpperCase() } },
};

/** However many are hidden, they are one value: a hash of them is what every row is looked up in. */
const NOT_HIDDEN = "listed.position not in (select cast(unnest(string_split($hidden, ',')) as integer))";

/** The conditions of a query, but for its search. `hidden`: positions that are left out, with commas between them, or null. */
function conditionsOf(list: ListName, filters: ListFilters, hidden: string | null = null): Conditions {
  const where: string[] = hidden === null ? [] : [NOT_HIDDEN];
  const parameters: Record<string, string | number> = hidden === null ? {} : { hidden };
  for (const [name, { sql, value, parameters: several }] of Object.entries(FILTERS[list])) {
    const given = filters[name];
    if (typeof given !== "string" && typeof given !== "number") continue;
    where.push(sql);
    Object.assign(parameters, several?.(String(given)) ?? { [name]: value === undefined ? given : value(given) });
  }
  return { where, parameters };
}
