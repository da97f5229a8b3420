/** Lists the columns of a record. Tables, rows, normalisers, pages and documentation are derived from this list. */

/** The tables with one row for each record: `capture` from the workers, and `record` in a release. */
export type RecordTable = "capture" | "record";

/** The parts of a record's page that show columns unchanged. */
export type PagePart = "row" | "about" | "terms";

/** Longest text in a column, in characters. */
export const MAX_TEXT = 1000;

interface RecordColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly meaning: string;
  readonly tables: readonly RecordTable[];
  /** The tables in which the column is never null. */
  readonly always?: readonly RecordTable[];
  /** Name of the field in the result of a normaliser; missing if normalisers do not fill the column. */
  readonly field?: string;
  /** How the value is made safe to show: as cleaned text, as a valid identifier (otherwise null), or as a key. */
  readonly reads?: "words" | "identifier" | "key";
  /** True if a normaliser may leave the field out. It is then null. */
  readonly rare?: true;
  /** The pages that use the column: lists and details, or only details. */
  readonly pages?: "list" | "detail";
  /** The part of the page that shows the column unchanged, and the name of the field there. */
  readonly shown?: { readonly part: PagePart; readonly as: string };
}

const CAPTURE = ["capture"] as const;
const RECORD = ["record"] as const;
const BOTH = ["capture", "record"] as const;

/** All columns, in the order of the tables. In the table of captures, evidence columns follow them (evidence.ts). */
export const RECORD_COLUMNS = [
  { name: "part", type: "int", meaning: "number of the raw part among all parts", tables: CAPTURE, always: CAPTURE },
  { name: "row", type: "int", meaning: "line of the raw part, from 0", tables: CAPTURE, always: CAPTURE },
  { name: "id", type: "text", meaning: "opaque id of the record", tables: BOTH, always: BOTH, pages: "list" },
  { name: "source", type: "text", meaning: "source that described it", tables: BOTH, always: BOTH, pages: "detail" },
  { name: "source_id", type: "text", meaning: "the source's own id", tables: BOTH, always: BOTH, pages: "detail" },
  { name: "piece", type: "text", meaning: "piece of the record in this payload; null = whole record", tables: CAPTURE },
  {
    name: "outcome",
    type: "text",
    meaning: "`record`, `failed`, `tombstone` or `not_dataset`",
    tables: CAPTURE,
    always: CAPTURE,
  },
  {
    name: "status",
    type: "text",
    meaning: "`ok`, or `failed` if the payload was identified but could not be read",
    tables: RECORD,
    always: RECORD,
    pages: "list",
  },
  { name: "reason", type: "text", meaning: "reason why the record has no evidence", tables: BOTH },
  { name: "updated", type: "text", meaning: "instant of the source's own last modification", tables: BOTH },
  { name: "retrieved_at", type: "text", meaning: "instant of retrieval", tables: BOTH, pages: "detail" },
  {
    name: "payload_digest",
    type: "text",
    meaning: "sha256 of the payload, in hex digits",
    tables: BOTH,
    always: BOTH,
    pages: "detail",
  },
  {
    name: "generated",
    type: "bool",
    meaning: "whether `share-release fixtures` generated it; `validation.json` excludes it",
    tables: BOTH,
    always: BOTH,
  },
  {
    name: "doi",
    type: "text",
    meaning: "DOI in lower case, without an address",
    tables: BOTH,
    field: "doi",
    reads: "identifier",
    pages: "list",
    shown: { part: "row", as: "doi" },
  },
  {
    name: "repository",
    type: "text",
    meaning: "label of the repository",
    tables: BOTH,
    field: "repository",
    reads: "words",
    pages: "list",
    shown: { part: "row", as: "repository" },
  },
  {
    name: "title",
    type: "text",
    meaning: "title",
    tables: BOTH,
    field: "title",
    reads: "words",
    pages: "list",
    shown: { part: "row", as: "title" },
  },
  {
    name: "pub_date",
    type: "text",
    meaning: "date of publication, as precise as the source states it",
    tables: BOTH,
    field: "pubDate",
    reads: "identifier",
    pages: "list",
    shown: { part: "row", as: "pubDate" },
  },
  {
    name: "publication_year",
    type: "int",
    meaning: "year of `pub_date`",
    tables: RECORD,
  },
  {
    name: "url",
    type: "text",
    meaning: "landing page",
    tables: BOTH,
    field: "url",
    reads: "identifier",
    pages: "detail",
    shown: { part: "about", as: "url" },
  },
  {
    name: "record_kind",
    type: "text",
    meaning: "kind of record, in the source's own words",
    tables: BOTH,
    field: "recordKind",
    reads: "words",
    pages: "detail",
    shown: { part: "about", as: "recordKind" },
  },
  {
    name: "access_status",
    type: "text",
    meaning: "access state, in the source's own words",
    tables: BOTH,
    field: "accessStatus",
    reads: "words",
    pages: "detail",
    shown: { part: "about", as: "accessStatus" },
  },
  {
    name: "license",
    type: "text",
    meaning: "the licence as given",
    tables: BOTH,
    field: "license",
    reads: "words",
    pages: "detail",
    shown: { part: "terms", as: "license" },
  },
  {
    name: "version",
    type: "text",
    meaning: "version, as the source calls it",
    tables: BOTH,
    field: "version",
    reads: "words",
    pages: "detail",
    shown: { part: "terms", as: "version" },
  },
  {
    name: "version_family",
    type: "text",
    meaning: "key that the versions of one dataset share; in an S-Index the best of them counts",
    tables: BOTH,
    always: RECORD,
    field: "versionFamily",
    reads: "key",
    pages: "list",
    shown: { part: "row", as: "versionFamily" },
  },
  { name: "search_terms", type: "text", meaning: "search terms, separated by spaces", tables: BOTH },
  { name: "views", type: "int", meaning: "views observed", tables: RECORD, pages: "detail" },
  { name: "downloads", type: "int", meaning: "downloads observed", tables: RECORD, pages: "detail" },
  { name: "citations", type: "int", meaning: "citations observed", tables: RECORD, pages: "detail" },
  { name: "derivatives", type: "int", meaning: "works derived from it", tables: RECORD, pages: "detail" },
  { name: "mentions", type: "int", meaning: "mentions observed", tables: RECORD, pages: "detail" },
] as const satisfies readonly RecordColumn[];

type AnyColumn = (typeof RECORD_COLUMNS)[number];
type In<T extends RecordTable, C> = C extends { readonly tables: infer Tables extends readonly RecordTable[] }
  ? T extends Tables[number]
    ? C
    : never
  : never;

export type ColumnsIn<T extends RecordTable> = { readonly [C in In<T, AnyColumn> as C["name"]]: C["type"] };

type AlwaysIn<T extends RecordTable> =
  In<T, AnyColumn> extends infer C
    ? C extends { readonly name: infer Name; readonly always: infer Tables extends readonly RecordTable[] }
      ? T extends Tables[number]
        ? Name
        : never
      : never
    : never;

const LIST: readonly (AnyColumn & RecordColumn)[] = RECORD_COLUMNS;

export function columnsIn<T extends RecordTable>(table: T): ColumnsIn<T> {
  const columns = LIST.filter(({ tables }) => tables.includes(table));
  return Object.fromEntries(columns.map(({ name, type }) => [name, type])) as ColumnsIn<T>;
}

export function alwaysIn<T extends RecordTable>(table: T): readonly AlwaysIn<T>[] {
  return LIST.filter(({ always }) => always?.includes(table)).map(({ name }) => name) as AlwaysIn<T>[];
}

export type FieldColumn = Extract<AnyColumn, { readonly field: string }>;
export const FIELD_COLUMNS: readonly FieldColumn[] = RECORD_COLUMNS.filter((column) => "field" in column);

export type DetailColumn = Extract<AnyColumn, { readonly pages: string }>["name"];
export type ListedColumn = Extract<AnyColumn, { readonly pages: "list" }>["name"];
export const DETAIL_COLUMNS: readonly DetailColumn[] = LIST.filter(({ pages }) => pages !== undefined).map(
  ({ name }) => name as DetailColumn,
);
export const LISTED_COLUMNS: readonly ListedColumn[] = LIST.filter(({ pages }) => pages === "list").map(
  ({ name }) => name as ListedColumn,
);

export type ShownColumn<Part extends PagePart> = Extract<AnyColumn, { readonly shown: { readonly part: Part } }>;

const SHOWN = {
  row: LIST.filter(({ shown }) => shown?.part === "row"),
  about: LIST.filter(({ shown }) => shown?.part === "about"),
  terms: LIST.filter(({ shown }) => shown?.part === "terms"),
} as const satisfies Record<PagePart, readonly AnyColumn[]>;

export function shownIn<Part extends PagePart>(part: Part): readonly ShownColumn<Part>[] {
  return SHOWN[part] as readonly AnyColumn[] as readonly ShownColumn<Part>[];
}

/** The type of a column. `hundredths` is a decimal with two places. */
export type ColumnType = "text" | "int" | "bigint" | "bool" | "hundredths";

interface Values {
  readonly text: string;
  readonly int: number;
  readonly bigint: bigint;
  readonly bool: boolean;
  /** A decimal as exact text. */
  readonly hundredths: string;
}

export type ValueOf<Type extends ColumnType> = Values[Type];

/** A row with these columns. Columns in `Always` are never null. */
export type RowOf<Columns extends Readonly<Record<string, ColumnType>>, Always extends PropertyKey = never> = {
  readonly [Name in keyof Columns]: Name extends Always ? ValueOf<Columns[Name]> : ValueOf<Columns[Name]> | null;
};
