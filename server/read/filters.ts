/** The SQL of the filters that lists accept (schemas/public/api/lists.ts). */

import { hash } from "node:crypto";
import { doiIn, identifierKey, idOfOrcid, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { readOrganisationId } from "../../pipeline/reading/identifiers.ts";
import { FILTERS, type Filter, type ListName } from "../../schemas/public/api/lists.ts";
import { SIGNAL_IDS, type SignalState, signalState } from "../../schemas/public/signal.ts";
import { foldLabelSql } from "../../schemas/public/spelling.ts";
import { ProblemError } from "../http/response.ts";
import { TABLES } from "./list-tables.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";

export type FilterValues = Readonly<Record<string, unknown>>;

/**
 * The SQL of a condition: an expression over the columns of `listed`, or a query for the positions of rows. If the
 * expression is a lower or upper limit of a column, `column` names this column.
 */
type ConditionSql = { readonly where: string; readonly column?: string } | { readonly positions: string };

/** A condition that rows of a list meet, with the values that are bound in its SQL. */
export type Condition = ConditionSql & {
  readonly parameters: Parameters;
};

type FilterSql = ConditionSql & {
  /** Returns the values that are bound in the SQL. By default, the value is bound under the name of the filter. */
  readonly parameters?: (filterValue: string) => Parameters;
};

/**
 * Returns the conditions of all filters of a query, but not of its search. `hidden` has the positions of hidden
 * researchers, separated by commas; null if there are none.
 */
export function buildConditions(list: ListName, values: FilterValues, hidden: string | null): Condition[] {
  const conditions: Condition[] = hidden === null ? [] : [{ where: NOT_HIDDEN, parameters: { hidden } }];
  const filters: Readonly<Record<string, Filter>> = FILTERS[list];
  for (const [name, { finds }] of Object.entries(filters)) {
    const value = values[name];
    if (finds === "search" || finds === "spellings" || (typeof value !== "string" && typeof value !== "number"))
      continue;
    if (name === "signals") {
      conditions.push(...signalConditions(String(value)));
      continue;
    }
    const sql = finds === "own" ? ownSql(list, name) : sqlFor(name, finds, values.spellings === "all");
    conditions.push({ ...sql, parameters: sql.parameters?.(String(value)) ?? { [name]: value } });
  }
  return conditions;
}

/** Excludes the rows of hidden researchers. Their positions are one parameter, which DuckDB turns into a hash table. */
const NOT_HIDDEN = "listed.position not in (select cast(unnest(string_split($hidden, ',')) as integer))";

/** The greatest 32-bit integer. All figures are 32-bit integers, so a greater bound would have the same effect. */
const GREATEST = 2 ** 31 - 1;

/**
 * Returns the SQL of a filter that has no entry in `OWN`. An unknown label matches no record.
 * @param allSpellings whether a label also finds its other spellings
 */
function sqlFor(name: string, finds: Exclude<Filter["finds"], string>, allSpellings: boolean): FilterSql {
  if ("label" in finds) {
    const { label, isSpelt = false } = finds;
    const folded = (sql: string) => (isSpelt && allSpellings ? foldLabelSql(sql) : sql);
    return {
      where: `listed.${label} in (
        select code from ${TABLES.labels} where kind = '${label}' and ${folded("value")} = ${folded(`$${name}`)}
      )`,
    };
  }
  if ("facet" in finds) {
    const { facet } = finds;
    return { positions: `select position from ${TABLES.facets} where kind = '${facet}' and value = $${name}` };
  }
  // Figures are integers. A failed record has no total, so no bound matches it.
  if ("least" in finds) {
    const parameters = (value: string) => ({ [name]: Math.min(Math.ceil(Number(value)), GREATEST) });
    return { where: `listed.${finds.least} >= $${name}`, parameters, column: finds.least };
  }
  const parameters = (value: string) => ({ [name]: Math.min(Math.floor(Number(value)), GREATEST) });
  return { where: `listed.${finds.most} <= $${name}`, parameters, column: finds.most };
}

function ownSql(list: ListName, name: string): FilterSql {
  const sql = OWN[list][name];
  if (sql === undefined) throw new Error(`no SQL is defined for the filter ${name} of the list ${list}; report this`);
  return sql;
}

/**
 * Returns the filter by institution: it finds the datasets, or the researchers, with a reported affiliation to the
 * institution.
 */
function ofInstitution(column: "position" | "researcher"): FilterSql {
  return {
    positions: `select ${column} as position from ${TABLES.affiliations}
      where institution = (select position from ${TABLES.texts("institutions")} where id = $institution)`,
  };
}

const makeRecordId = (identifier: string) => `r${hash("sha256", identifier).slice(0, 24)}`;

/** Returns parameters for the possible meanings of an identifier: the text itself, a record of a source, or a DOI. */
function meanings(filterValue: string): Parameters {
  const identifier = parseIdentifier(filterValue);
  return {
    identifier: makeRecordId(filterValue),
    identifierRead: identifier.kind === "record" ? makeRecordId(identifierKey(identifier)) : "",
    identifierDoi: doiIn(filterValue.trim()) ?? "",
  };
}

const BY_DOI = (parameter: string) => `select position from ${TABLES.dois} where doi = $${parameter}`;

/**
 * Returns SQL that splits a text of IDs. All IDs are one parameter, so the statement does not depend on their number.
 */
const splitIds = (parameter: string) => `select unnest(string_split($${parameter}, ','))`;

function byIds(list: ListName, column: string): FilterSql {
  return { positions: `select position from ${TABLES.texts(list)} where ${column} in (${splitIds("ids")})` };
}

/** SQL for the mask of the signals in each state. The masks of one record do not overlap. */
export const STATE_MASKS = {
  unsupported: "~listed.supported_mask",
  source_missing: "listed.source_missing_mask",
  failed: "listed.failed_mask",
  not_evaluable: "listed.supported_mask & ~listed.evaluable_mask & ~listed.source_missing_mask & ~listed.failed_mask",
  absent: "listed.evaluable_mask & ~listed.passed_mask",
  passed: "listed.passed_mask",
} as const satisfies Record<SignalState, string>;

/**
 * Returns a condition for each pair in a text such as `E1:absent,R1:passed`. Other texts with the same pair share the
 * cached rows of this condition.
 */
function signalConditions(filterValue: string): Condition[] {
  return filterValue.split(",").map((pair) => {
    const [id = "", state = ""] = pair.split(":");
    return {
      where: `((${STATE_MASKS[signalState.parse(state)]}) & $signal) <> 0`,
      parameters: { signal: 1 << SIGNAL_IDS.indexOf(id) },
    };
  });
}

/** The scheme of a funder's number that is written without a scheme, such as `100000002`. */
export const CROSSREF_FUNDER = "Crossref Funder ID";

/** Returns SQL that completes a year or month with its first day. The order of dates stays the same. */
const firstDay = (date: string) => `${date} || substr('-01-01', length(${date}) - 3)`;

/** The SQL of the filters that {@link sqlFor} does not cover, by list. */
const OWN: Readonly<Record<ListName, Readonly<Record<string, FilterSql>>>> = {
  records: {
    // An alias finds the record that superseded it, as under /records/{id}.
    ids: {
      positions: `select position from ${TABLES.texts("records")} where id in (${splitIds("ids")})
        union all select position from ${TABLES.aliases} where alias_id in (${splitIds("ids")})`,
    },
    // The value is the identifier of a record or of an alias, or a DOI.
    identifier: {
      positions: `select position from ${TABLES.texts("records")} where id in ($identifier, $identifierRead)
        union all select position from ${TABLES.aliases} where alias_id in ($identifier, $identifierRead)
        union all ${BY_DOI("identifierDoi")}`,
      parameters: meanings,
    },
    doi: { positions: BY_DOI("doi") },
    // Users do not know how a repository writes its name. If labels differ only by case, the exact one counts.
    repository: {
      where: `listed.repository in (
        select code from ${TABLES.labels} where kind = 'repository' and lower(value) = lower($repository)
        qualify value = $repository or not bool_or(value = $repository) over ()
      )`,
    },
    publishedFrom: {
      where: `listed.pub_date >= (
        select min(key) from ${TABLES.dates} where ${firstDay("value")} >= ${firstDay("$publishedFrom")}
      )`,
    },
    publishedUntil: {
      where: `listed.pub_date <= (
        select max(key) from ${TABLES.dates} where left(value, length($publishedUntil)) <= $publishedUntil
      )`,
    },
    ror: { positions: `select position from ${TABLES.organisations} where ror = $ror` },
    institution: ofInstitution("position"),
    countryCode: {
      where: `listed.countries in (
        select code from ${TABLES.labels} where kind = 'countries' and contains(value, $countryCode)
      )`,
    },
    funder: {
      positions: `select position from ${TABLES.funders} where value in ($funderId, 'name:' || lower($funder))`,
      parameters: (funder) => ({ funder, funderId: readOrganisationId(funder, CROSSREF_FUNDER) ?? "" }),
    },
    award: { positions: `select position from ${TABLES.awards} where value = lower($award)` },
    author: {
      positions: `select position from ${TABLES.authors}
        where researcher = (select position from ${TABLES.texts("authors")} where id = $author)`,
    },
  },
  authors: {
    ids: byIds("authors", "id"),
    orcid: {
      positions: `select position from ${TABLES.texts("authors")} where id = $orcid`,
      parameters: (orcid) => ({ orcid: idOfOrcid(orcid) }),
    },
    institution: ofInstitution("researcher"),
  },
  institutions: {
    ids: byIds("institutions", "id"),
    countryCode: { where: "listed.country_code = $countryCode" },
  },
  geography: {
    ids: { ...byIds("geography", "country_code"), parameters: (ids) => ({ ids: ids.toUpperCase() }) },
  },
};

/**
 * Checks that the release has the tables that the filters of a query need.
 * @throws ProblemError `attribution-not-published` if the release lacks the table of a filter
 */
export function requireTables(engine: QueryEngine, list: ListName, values: FilterValues): void {
  const filters: Readonly<Record<string, Filter>> = FILTERS[list];
  const used = Object.entries(filters).filter(([name]) => values[name] !== undefined);
  if (list !== "institutions" && used.some(([, { needs }]) => needs === "attribution") && !engine.hasAttribution) {
    throw new ProblemError(
      "attribution-not-published",
      "The current release was built without institutions and countries. Leave out the filters for them.",
    );
  }
  const missing = engine.hasJoinTables ? [] : used.filter(([, { needs }]) => needs === "joins").map(([name]) => name);
  if (missing.length === 0) return;
  throw new ProblemError(
    "attribution-not-published",
    `The current release has no tables for the filter ${missing.join(", ")}, because its format is older than 3. Leave the filter out.`,
  );
}
