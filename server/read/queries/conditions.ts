/** Filters as SQL: which rows of a list are asked for. Columns are written here; values are always bound. */

import { hash } from "node:crypto";
import { idOfOrcid } from "../../../pipeline/identifiers/id-range.ts";
import { doiIn, identifierKey, parseIdentifier } from "../../../pipeline/identifiers/parse.ts";
import type { ListName } from "./lists.ts";
import { TABLES } from "./lists.ts";
import type { Parameters } from "./prepared.ts";

/** Values of a list's query by parameter name, as its schema gives them. */
export type ListFilters = Readonly<Record<string, unknown>>;

/** Joined by `and`; each text reads the columns of `listed` and its own parameters. */
export interface Conditions {
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
export function conditionsOf(list: ListName, filters: ListFilters, hidden: string | null = null): Conditions {
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
