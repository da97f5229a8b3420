/** Filters as SQL: which rows of a list are asked for. Columns are written here; values are always bound. */

import { hash } from "node:crypto";
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

/** What one filter asks of a row, its value bound as the parameter of its own name. */
interface Filter {
  readonly sql: string;
  /** The value as it is compared; the same where not given. */
  readonly value?: (given: string | number) => string | number;
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

const roundUp = (given: string | number) => Math.ceil(Number(given));
const roundDown = (given: string | number) => Math.floor(Number(given));

const RECORD_FILTERS: Readonly<Record<string, Filter>> = {
  // A record's id is made from its identifier, so that both are found by the id: a record's own or an alias.
  identifier: {
    sql: `listed.position in (
      select position from ${TABLES.texts("records")} where id = $identifier
      union all select position from ${TABLES.aliases} where alias_id = $identifier
    )`,
    value: (given) => `r${hash("sha256", String(given)).slice(0, 24)}`,
  },
  repository: labelled("repository", "repository"),
  recordKind: labelled("record_kind", "recordKind"),
  accessStatus: labelled("access_status", "accessStatus"),
  disease: faceted("disease"),
  ageGroup: faceted("ageGroup"),
  dataType: faceted("dataType"),
  // Totals are whole numbers. A failed record has none, and no bound lets it in.
  minScore: { sql: "listed.total >= $minScore", value: roundUp },
  maxScore: { sql: "listed.total <= $maxScore", value: roundDown },
  minSupportedChecks: { sql: "listed.supported >= $minSupportedChecks" },
};

const FILTERS: Readonly<Record<ListName, Readonly<Record<string, Filter>>>> = {
  records: RECORD_FILTERS,
  authors: {
    minSIndex: { sql: "listed.s_index >= $minSIndex", value: roundUp },
    minDatasets: { sql: "listed.dataset_count >= $minDatasets", value: roundUp },
  },
  institutions: { countryCode: { sql: "listed.country_code = $countryCode" } },
  geography: {},
};

/** However many are hidden, they are one value: a hash of them is what every row is looked up in. */
const NOT_HIDDEN = "listed.position not in (select cast(unnest(string_split($hidden, ',')) as integer))";

/** The conditions of a query, but for its search. `hidden`: positions that are left out, with commas between them, or null. */
export function conditionsOf(list: ListName, filters: ListFilters, hidden: string | null = null): Conditions {
  const where: string[] = hidden === null ? [] : [NOT_HIDDEN];
  const parameters: Record<string, string | number> = hidden === null ? {} : { hidden };
  for (const [name, { sql, value }] of Object.entries(FILTERS[list])) {
    const given = filters[name];
    if (typeof given !== "string" && typeof given !== "number") continue;
    where.push(sql);
    parameters[name] = value === undefined ? given : value(given);
  }
  return { where, parameters };
}
