/**
 * Counts the records that match a query by the values of each filter, for example by licence, for the list of datasets.
 */

import { LRUCache } from "lru-cache";
import type { Cell } from "../../pipeline/engine/open.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import {
  FACET_NAMES,
  FACETS,
  type Facet,
  type FacetName,
  FILTERS,
  type Filter,
  isCombined,
  MAX_VALUES,
} from "../../schemas/public/api/lists.ts";
import type { RecordListQuery } from "../../schemas/public/api/queries.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { foldLabelSql } from "../../schemas/public/spelling.ts";
import { searchValues } from "../../web/components/facets.ts";
import { STATE_MASKS } from "./filters.ts";
import { TABLES } from "./list-tables.ts";
import type { QueryEngine } from "./query-engine.ts";
import { buildSelection, writeSelection } from "./rows.ts";
import { SharedResults } from "./shared-results.ts";

/** Columns with the labels that facets count, by the name of the filter. */
const LABEL_COLUMNS: ReadonlyMap<string, string> = new Map(
  Object.entries<Filter>(FILTERS.records).flatMap(([name, { finds }]) =>
    name in FACETS && typeof finds === "object" && "label" in finds ? [[name, finds.label] as const] : [],
  ),
);

/**
 * SQL that counts the selected records, which are in `chosen`, by the values of a facet. All other facets are counted
 * by the label of their filter.
 */
const OWN_COUNTS: Readonly<Partial<Record<FacetName, string>>> = {
  signals: signalCounts("absent"),
  passed: signalCounts("passed"),
  year: `select left(date.value, 4) as value, count(*) as records
    from chosen left join ${TABLES.dates} as date on date.key = chosen.pub_date group by 1`,
  repository: labelCounts("repository"),
  ror: `select stated.ror as value, count(*) as records
    from chosen join ${TABLES.organisations} as stated on stated.position = chosen.position group by 1`,
  score: `select cast(total as varchar) as value, count(*) as records from chosen group by 1`,
  // A record with several countries has them in one text.
  countryCode: `select value, sum(records) as records
    from (select unnest(coalesce(string_split(value, ','), [null])) as value, records from (${labelCounts("countries")})) as stated
    group by value`,
  funder: `select substr(stated.value, 6) as value, count(*) as records
    from chosen join ${TABLES.funders} as stated on stated.position = chosen.position
    where stated.value ^@ 'name:' group by 1`,
};

/**
 * Returns SQL that counts records by the value of a facet. The value is null for records whose source does not state
 * it.
 */
function writeCountsSql(name: FacetName): string {
  const column = LABEL_COLUMNS.get(name);
  const counts = OWN_COUNTS[name] ?? (column === undefined ? undefined : spellingCounts(column));
  if (counts === undefined)
    throw new Error(`no SQL is defined for the facet ${name} of the list of records; report this`);
  return counts;
}

/**
 * Returns SQL that counts the records with each signal in this state, under values such as `E1:absent`, as in the
 * filter `signals`.
 */
function signalCounts(state: "absent" | "passed"): string {
  return `select signal.id || ':${state}' as value, sum(masks.records) as records
    from (select ${state} as mask, count(*) as records from chosen group by 1) as masks
    join (select unnest(range(${SIGNAL_IDS.length})) as bit, unnest(string_split('${SIGNAL_IDS.join(",")}', ',')) as id) as signal
      on (masks.mask >> signal.bit) & 1 = 1
    group by 1`;
}

/**
 * Returns SQL that counts records by label. Grouping by the label's code comes first, because it is faster than by
 * text.
 */
function labelCounts(column: string): string {
  return `select label.value, counted.records
    from (select ${column} as code, count(*) as records from chosen group by 1) as counted
    left join ${TABLES.labels} as label on label.kind = '${column}' and label.code = counted.code`;
}

/** Returns SQL that counts all spellings of a label together, under the most frequent spelling. */
function spellingCounts(column: string): string {
  return `select first(value order by records desc, value) as value, sum(records) as records
    from (${labelCounts(column)}) as spelt(value, records) group by ${foldLabelSql("value")}`;
}

/** Columns with codes of labels that facets count. */
const LABELS_COUNTED = ["repository", "countries", ...LABEL_COLUMNS.values()];

type Facets = ReadonlyMap<FacetName, Facet>;

/** Largest number of lists of facets that are cached for a release. Each takes a few kilobytes. */
const MAX_CACHED = 500;

const CACHED = new WeakMap<object, SharedResults<Facets>>();

/** Parameters that only select or order a page, so they do not change the facets. */
const PARTS: readonly string[] = ["page", "limit", "sortBy", "sortOrder"];

/** A search among the values of a facet. */
export interface ValueSearch {
  readonly facet: FacetName;
  readonly words: string;
}

/** Number of values in which a search among the values of a facet looks: the most frequent ones. */
const MAX_SEARCHED = 5000;

/**
 * Returns each facet with its most frequent values, counted under all filters of the query. If only one value of a
 * facet can be chosen, its own filter is ignored, so that its other values are counted too. Requests for other pages or
 * orders share the result. If the user searched among the values of a facet, the facet has the values that contain all
 * words of the search.
 */
export async function queryFacets(
  engine: QueryEngine,
  query: RecordListQuery,
  search: ValueSearch | null,
): Promise<Facets> {
  const cached = CACHED.get(engine.totals) ?? new SharedResults<Facets>({ max: MAX_CACHED });
  CACHED.set(engine.totals, cached);
  const filters = Object.entries(query).filter(([name]) => !PARTS.includes(name));
  const facets = await cached.of(JSON.stringify(filters), () => countFacets(engine, query, FACET_NAMES, MAX_VALUES));
  if (search === null) return facets;
  const { facet: name, words } = search;
  const found = (await countFacets(engine, query, [name], MAX_SEARCHED)).get(name);
  return found === undefined ? facets : new Map([...facets, [name, searchValues(found, words)]]);
}

async function countFacets(
  engine: QueryEngine,
  query: RecordListQuery,
  wanted: readonly FacetName[],
  limit: number,
): Promise<Facets> {
  const has = { attribution: engine.hasAttribution, joins: engine.hasJoinTables };
  const names = wanted.filter((name) =>
    FACETS[name].filters.every((filter) => {
      const { needs }: Filter = FILTERS.records[filter];
      return needs === undefined || has[needs];
    }),
  );
  // Facets without an active filter have the same selection, so one statement counts them.
  const groups = Map.groupBy(names, (name) => {
    const isActive = FACETS[name].filters.some((filter) => query[filter] !== undefined);
    return isActive && !isCombined(name) ? name : "";
  });
  const facets = new Map<FacetName, Facet>();
  for (const [active, some] of groups) {
    const without: readonly string[] = active === "" ? [] : FACETS[active].filters;
    const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !without.includes(name)));
    for (const [name, facet] of await countValues(engine, some, { ...filters, rubric: query.rubric }, limit)) {
      facets.set(name, facet);
    }
  }
  return facets;
}

async function countValues(
  engine: QueryEngine,
  names: readonly FacetName[],
  query: Pick<RecordListQuery, "rubric">,
  limit: number,
): Promise<[FacetName, Facet][]> {
  const selection = await buildSelection(engine, "records", query, null);
  const rows =
    selection === null
      ? []
      : await engine.rows(
          `with chosen as materialized (
             select listed.position, listed.pub_date, listed.total, ${LABELS_COUNTED.map((column) => `listed.${column}`).join(", ")},
               ${STATE_MASKS.absent} as absent, ${STATE_MASKS.passed} as passed
             ${writeSelection(selection)}
           ),
           counted as (${names.map((name) => `select '${name}' as facet, value, records from (${writeCountsSql(name)})`).join(" union all ")})
           select facet, value, cast(records as integer), cast(count(*) over (partition by facet, value is null) as integer)
           from counted
           qualify value is null or row_number() over (
             partition by facet, value is null order by records desc, value) <= $limit
           order by facet, records desc, value`,
          { ...selection.parameters, limit },
        );
  return Promise.all(
    names.map(async (name): Promise<[FacetName, Facet]> => [name, await buildFacet(engine, name, rows)]),
  );
}

async function buildFacet(engine: QueryEngine, name: FacetName, rows: readonly Cell[][]): Promise<Facet> {
  const own = rows.filter(([facet]) => facet === name);
  const values = own
    .filter(([, value]) => value !== null)
    .map(([, value, records]) => ({
      value: String(value),
      records: Number(records),
    }));
  const texts = values.map(({ value }) => value);
  const labels =
    name === "countryCode"
      ? countryNames(texts)
      : name in LABELS
        ? await readLabels(engine, name as keyof typeof LABELS, texts)
        : null;
  return {
    values: values.map(({ value, records }) => {
      const label = labels?.get(value) ?? value;
      // The filter of funders accepts the name in any case.
      return { value: name === "funder" ? label : value, label, records };
    }),
    total: Number(own.find(([, value]) => value !== null)?.[3] ?? 0),
    unknown: Number(own.find(([, value]) => value === null)?.[2] ?? 0),
  };
}

/** Returns the English names of countries by their codes. */
export function countryNames(codes: readonly string[]): ReadonlyMap<string, string> {
  const { countries } = loadVocabularies();
  return new Map(codes.map((code) => [code, countries.findName(code) ?? code]));
}

/** SQL for labels: the most frequent name of each organisation, and the most frequent spelling of each funder. */
const LABELS = {
  ror: organisationNames("affiliation.ror in (select unnest(string_split($values, '\t')))"),
  funder: `select lower(funder), mode(funder) from funding
    where lower(funder) in (select unnest(string_split($values, '\t'))) group by 1`,
} as const;

/** Returns SQL for the most frequent name of each ROR id that meets a condition. */
export function organisationNames(condition: string): string {
  return `select ror, first(label order by times desc, label) as name from (
      select affiliation.ror, institution.label, count(*) as times
      from reported_affiliation as affiliation join institution on institution.id = affiliation.institution_id
      where ${condition} group by all
    ) as named group by ror order by ror`;
}

/** Largest number of names that are cached for a release. Names do not depend on the filters. */
const MAX_LABELS = 5000;

const KNOWN_LABELS = new WeakMap<object, LRUCache<string, string>>();

async function readLabels(engine: QueryEngine, name: keyof typeof LABELS, values: readonly string[]) {
  const known = KNOWN_LABELS.get(engine.totals) ?? new LRUCache<string, string>({ max: MAX_LABELS });
  KNOWN_LABELS.set(engine.totals, known);
  const makeKey = (value: string) => `${name}:${value}`;
  const missing = values.filter((value) => !known.has(makeKey(value)));
  if (missing.length > 0) {
    for (const [value, label] of await engine.rows(LABELS[name], { values: missing.join("\t") }))
      known.set(makeKey(String(value)), String(label));
  }
  return new Map(values.map((value) => [value, known.get(makeKey(value)) ?? value]));
}
