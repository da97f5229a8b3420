/**
 * Renders the lists of a static site in the browser: searches, filters and sorts the datasets and researchers of its
 * data file, and shows the result with the views of the server. Each choice reads every row, because a search index
 * would take longer to load than these lists take to read.
 */

import type { Pagination } from "../../schemas/public/api/common.ts";
import {
  FACET_NAMES,
  type Facet,
  type FacetName,
  MAX_VALUES,
  ORDERS,
  type Order,
  SPELT_FILTERS,
} from "../../schemas/public/api/lists.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { foldLabel } from "../../schemas/public/spelling.ts";
import { searchValues } from "../components/facets.ts";
import { countText } from "../components/figures.ts";
import { suggestionList } from "../components/navigation.ts";
import type { ShownRow } from "../components/record-rows.ts";
import { Html, html } from "../html.ts";
import { chooseOrder, datasetsView } from "../views/datasets.ts";
import {
  chooseResearcherSort,
  MAX_REPOSITORIES,
  type ResearcherWork,
  researchersView,
  type ShownResearcher,
} from "../views/researchers.ts";
import { rewritten } from "./rewrite.ts";

/** A dataset with the values by which it can be filtered. Masks have a bit for each signal. */
export interface ListedDataset {
  readonly row: ShownRow;
  readonly license: string | null;
  readonly accessStatus: string | null;
  readonly recordKind: string | null;
  readonly source: string;
  readonly stated: StatedValues;
  readonly absent: number;
  readonly passed: number;
  /** Ids of those creators who are in the list of researchers. */
  readonly authors: readonly string[];
}

/** Organisations and awards as the source states them. A dataset can have several of each. */
export type StatedValues = Readonly<
  Partial<Record<"ror" | "countryCode" | "funder" | "funderId" | "award", readonly string[]>>
>;

/** The filters by stated values. A dataset matches a filter if one of its values is the wanted value. */
const STATED = {
  ror: ["ror"],
  countryCode: ["countryCode"],
  funder: ["funder", "funderId"],
  award: ["award"],
} as const satisfies Readonly<Record<string, readonly (keyof StatedValues)[]>>;

/** A repository, institution or funder that a search can find, with its page. */
export interface FoundPlace extends Pick<Suggestion, "group" | "name" | "path"> {
  /** The file of the page, relative to the folder of the site. */
  readonly file: string;
}

export interface ListsData {
  readonly datasets: readonly ListedDataset[];
  readonly researchers: readonly ShownResearcher[];
  /** The last year for which researchers have a bar. */
  readonly until: number;
  readonly places: readonly FoundPlace[];
  /** ROR ids and country codes, each with its name. */
  readonly names: readonly (readonly [string, string])[];
  /** Id and name of each signal. */
  readonly signals: readonly (readonly [string, string])[];
}

/**
 * True if a researcher has a page. A person who is only a name beside one dataset has none, because the page would
 * repeat that of the dataset. Most names in a repository are of this kind.
 */
export function hasResearcherPage({ orcid, datasetCount }: Pick<ShownResearcher, "orcid" | "datasetCount">): boolean {
  return orcid !== null || datasetCount > 1;
}

type QueryFields = Readonly<Record<string, string>>;

/** The query parameters with which the page of a list can be shown without a server, by the name of the list. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  datasets: [
    ...["search", "repository", "publishedFrom", "publishedUntil", "license", "accessStatus", "recordKind", "source"],
    ...["ror", "countryCode", "funder", "award", "author", "signals", "minScore", "maxScore", "order", "page", "limit"],
    ...["valuesOf", "valuesWith"],
  ],
  researchers: ["search", "sortBy", "sortOrder", "page"],
};

/** Returns the address of a list with these parameters, in the folder of the site; null if it needs a server. */
export function listAddress(path: string, query: URLSearchParams): string | null {
  const name = path.slice(1);
  const allowed = PARAMETERS[name];
  const given = [...query].filter(([field, value]) => field !== "rubric" || value !== "2.0");
  if (allowed === undefined || given.some(([field]) => !allowed.includes(field))) return null;
  if (
    given.some(
      ([field, value]) =>
        field === "signals" && !/^[SHARE][1-5]:(?:absent|passed)(?:,[SHARE][1-5]:(?:absent|passed))*$/.test(value),
    )
  )
    return null;
  return `${name}.html${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** Returns the markup of the main part of a page with a list. `query` is the query of the page's address. */
export function listMarkup(data: ListsData, name: string, query: URLSearchParams): string {
  const isKnown = ([field, value]: readonly [string, string]) =>
    value !== "" && PARAMETERS[name]?.includes(field) === true;
  const filters = Object.fromEntries(
    [...query].map(([field, value]) => [field === "q" ? "search" : field, value] as const).filter(isKnown),
  );
  const { body } = name === "researchers" ? researchers(data, filters) : datasets(data, filters);
  const files = new Map(data.places.map(({ path, file }) => [path, file]));
  const withoutPage = new Map(
    data.researchers.filter((each) => !hasResearcherPage(each)).map(({ id, slug }) => [slug, id]),
  );
  return rewritten(
    body instanceof Object && "text" in body ? body.text : "",
    (link) => files.get(link.replaceAll("&amp;", "&")) ?? resolve(link, withoutPage),
  );
}

/**
 * Returns the address of a link in a list, relative to the folder of the site, which contains the list; null if there
 * is no such page. `withoutPage` has, by slug, the ids of researchers without a page.
 */
function resolve(link: string, withoutPage: ReadonlyMap<string, string>): string | null {
  if (link.startsWith("#")) return link;
  const author = withoutPage.get(link.slice("/researchers/".length));
  if (author !== undefined) return listAddress("/datasets", new URLSearchParams({ author }));
  const { origin, pathname, searchParams, hash } = new URL(link.replaceAll("&amp;", "&"), "https://site.invalid");
  if (origin !== "https://site.invalid") return link;
  const list = listAddress(pathname, searchParams);
  if (list !== null) return `${list.replaceAll("&", "&amp;")}${hash}`;
  const isFile = /^\/(?:datasets|researchers)\/[a-z0-9-]+$|^\/(?:check|help|funders)$/.test(pathname);
  return isFile && searchParams.size === 0 ? `${pathname.slice(1)}.html${hash}` : null;
}

const ROWS = 20;

function datasets(data: ListsData, fields: QueryFields): { readonly body: Html } {
  const { valuesOf, valuesWith, ...filters } = fields;
  const { datasets: all, signals } = data;
  const names = new Map(data.names);
  const { page = "1", limit = String(ROWS) } = filters;
  const [sortBy = "", sortOrder = ""] = chooseOrder(filters).split(" ");
  const tests = makeTests(filters, names);
  const failed = all.map((dataset) => failedTests(dataset, tests));
  const found = all.filter((_dataset, index) => failed[index] === 0);
  const sorted = found.toSorted(comparing(sortBy, sortOrder));
  const { rows, pagination } = slicePage(sorted, Number(page), Math.min(Number(limit) || ROWS, 100));
  const suggested = page === "1" ? suggestionsFor(data, filters.search ?? "") : [];
  const { body } = datasetsView({
    filters,
    query: { ...filters, sortBy, sortOrder },
    data: rows.map(({ row }) => row),
    pagination,
    repositories: [...new Set(all.flatMap(({ row }) => row.repository ?? []))].sort(),
    facets: searchIn(countFacets(all, names, failed, [...tests.keys()]), valuesOf, valuesWith),
    names: chosenNames(data.researchers, names, filters),
    signals: new Map(signals),
    statedRor: null,
    suggested,
  });
  const markup = html`${body}`;
  if (found.length === 0 || suggested.length === 0) return { body: markup };
  const [before = "", after = ""] = markup.text.split(RESULTS);
  return {
    body: html`${new Html(before)}<div class="note">${suggestionList(suggested, "Also found")}</div>${new Html(RESULTS + after)}`,
  };
}

type Names = ReadonlyMap<string, string>;

/** Returns the names of the chosen researcher, institution and country, by filter. */
function chosenNames(people: ListsData["researchers"], names: Names, filters: QueryFields): Record<string, string> {
  const { author, ror = "", countryCode = "" } = filters;
  const found = {
    author: people.find(({ id }) => id === author)?.name ?? author,
    ror: names.get(bareId(ror)),
    countryCode: names.get(countryCode.toUpperCase()),
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, label]) => (label === undefined ? [] : [[name, label]])),
  );
}

/** The markup at which the results begin in the view. */
const RESULTS = '<div class="faceted">';

/** Maximum number of suggestions of one kind, for example of repositories. */
const MAX_SUGGESTED = 3;

/** Returns researchers, repositories, institutions and funders whose names have the words of a search. */
function suggestionsFor({ researchers: people, places }: ListsData, search: string): Suggestion[] {
  const words = splitWords(search);
  if (words.length === 0) return [];
  const named = people
    .filter((person) => hasWords(person, personText, words))
    .toSorted((one, other) => other.datasetCount - one.datasetCount)
    .slice(0, MAX_SUGGESTED)
    .map(
      ({ name, slug, orcid, affiliation, datasetCount }): Suggestion => ({
        group: "Researchers",
        name,
        note: [orcid, affiliation, countText(datasetCount, "dataset")].filter(Boolean).join(" · "),
        path: `/researchers/${slug}`,
      }),
    );
  const groups = ["Repositories", "Institutions", "Funders"] as const;
  return [
    ...named,
    ...groups.flatMap((kind) =>
      places
        .filter((place) => place.group === kind && hasWords(place, placeText, words))
        .slice(0, MAX_SUGGESTED)
        .map((place): Suggestion => ({ ...place, note: "" })),
    ),
  ];
}

function researchers({ researchers: all, datasets: works, until }: ListsData, filters: QueryFields) {
  const { search = "", sortOrder = "asc", page = "1" } = filters;
  const words = splitWords(search);
  const found = all.filter((person) => hasWords(person, personText, words));
  const sorted = found.toSorted(comparingResearchers(chooseResearcherSort(filters), sortOrder));
  const { rows: data, pagination } = slicePage(sorted, Number(page), 25);
  const { page: _page, ...kept } = filters;
  const named = Map.groupBy(all, ({ name }) => name);
  return researchersView({
    filters: kept,
    data,
    work: {
      until,
      byId: new Map(data.map(({ id, name }) => [id, summariseWork(id, works, named.get(name)?.length ?? 1)])),
    },
    known: words.length > 0 ? null : countKnown(all),
    pagination,
    institution: null,
    suggested: [],
    orcidFault: null,
  });
}

/**
 * Returns a function that compares two researchers for sorting. In the data file they are sorted by name, and equal
 * researchers stay in that order.
 */
function comparingResearchers(sortBy: string, sortOrder: string) {
  const turn = sortOrder === "desc" ? -1 : 1;
  const byName = (one: ShownResearcher, other: ShownResearcher) => compare(one.name, other.name, turn);
  const byDatasets = (one: ShownResearcher, other: ShownResearcher) => one.datasetCount - other.datasetCount;
  return (one: ShownResearcher, other: ShownResearcher): number => {
    if (sortBy === "datasetCount") return turn * byDatasets(one, other);
    if (sortBy !== "identity") return byName(one, other);
    const part = (one.orcid === null ? 1 : 0) - (other.orcid === null ? 1 : 0);
    return turn * part || byName(one, other) || -byDatasets(one, other);
  };
}

function countKnown(all: readonly ShownResearcher[]) {
  const count = (isCounted: (person: ShownResearcher) => boolean) => all.filter(isCounted).length;
  return {
    withOrcid: count(({ orcid }) => orcid !== null),
    nameOnly: count(({ identityBasis }) => identityBasis === "name"),
    withIndex: count(({ identityBasis, sIndex }) => identityBasis !== "name" && sIndex > 1),
    initials: [...Map.groupBy(all, ({ name }) => [...name][0] ?? "")].map(
      ([initial, { length }]) => [initial, length] as const,
    ),
  };
}

/** Returns facts that distinguish a researcher from others of the same name, as the server does. */
function summariseWork(id: string, datasets: ListsData["datasets"], namesakes: number): ResearcherWork {
  const own = datasets.filter(({ authors }) => authors.includes(id)).map(({ row }) => row);
  const place = ({ pubDate, id: record }: ShownRow) => `${pubDate ?? ""}/${record}`;
  const titled = own.filter(({ title }) => title !== null);
  const newest = titled.reduce<ShownRow | null>(
    (last, row) => (last === null || place(row) > place(last) ? row : last),
    null,
  );
  const count = (values: readonly (string | null)[]) => [
    ...Map.groupBy(
      values.filter((value) => value !== null),
      (value) => value,
    ),
  ];
  return {
    newest: newest?.title ?? null,
    repositories: count(own.map(({ repository }) => repository))
      .toSorted(([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1))
      .slice(0, MAX_REPOSITORIES)
      .map(([repository]) => repository),
    years: count(own.map(({ pubDate }) => pubDate?.slice(0, 4) ?? null))
      .map(([year, same]) => ({ year: Number(year), datasets: same.length }))
      .toSorted((one, other) => one.year - other.year),
    namesakes,
  };
}

function slicePage<T>(all: readonly T[], asked: number, limit: number): { rows: T[]; pagination: Pagination } {
  const page = Math.max(1, Math.floor(asked) || 1);
  const totalPages = Math.ceil(all.length / limit);
  return {
    rows: all.slice((page - 1) * limit, page * limit),
    pagination: { total: all.length, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
  };
}

type Test = (dataset: ListedDataset) => boolean;

/** Returns the tests that a dataset fails as bits: one bit for each test, in the order of the tests. */
function failedTests(dataset: ListedDataset, tests: ReadonlyMap<string, Test>): number {
  let [failed, bit] = [0, 1];
  for (const test of tests.values()) {
    if (!test(dataset)) failed |= bit;
    bit <<= 1;
  }
  return failed;
}

/** Returns a test of a dataset for each filter. A ROR id and a country can also be given by name. */
function makeTests(filters: QueryFields, names: Names): ReadonlyMap<string, Test> {
  const tests = new Map<string, Test>();
  const { search = "", repository, publishedFrom, publishedUntil, signals, minScore, maxScore, author } = filters;
  const words = splitWords(search);
  if (words.length > 0) {
    tests.set("search", ({ row }) => hasWords(row, ({ title, doi }) => `${title ?? ""} ${doi ?? ""}`, words));
  }
  if (repository !== undefined) {
    const label = repository.toLowerCase();
    tests.set("repository", ({ row }) => row.repository?.toLowerCase() === label);
  }
  for (const name of ["license", "accessStatus", "recordKind", "source"] as const) {
    const value = filters[name];
    if (value === undefined) continue;
    const fold = SPELT_FILTERS.includes(name) ? foldLabel : (label: string) => label;
    const wanted = fold(value);
    tests.set(name, (dataset) => dataset[name] !== null && fold(dataset[name]) === wanted);
  }
  if (publishedFrom !== undefined || publishedUntil !== undefined) {
    const [from, until] = [firstDay(publishedFrom ?? "0000"), publishedUntil ?? "9999"];
    tests.set(
      "year",
      ({ row: { pubDate } }) =>
        pubDate !== null && firstDay(pubDate) >= from && pubDate.slice(0, until.length) <= until,
    );
  }
  for (const [name, kinds] of Object.entries(STATED)) {
    const value = filters[name];
    if (value === undefined) continue;
    const wanted = bareId(value);
    const isWanted = (each: string) => bareId(each) === wanted || bareId(names.get(each) ?? "") === wanted;
    tests.set(name, ({ stated }) => kinds.some((kind) => stated[kind]?.some(isWanted)));
  }
  if (author !== undefined) tests.set("author", ({ authors }) => authors.includes(author));
  if (signals !== undefined) {
    const pairs = signals.split(",").map((pair) => pair.split(":"));
    const makeMask = (state: string) =>
      pairs.reduce(
        (mask, [id = "", each]) =>
          each === state ? mask | (1 << SIGNAL_IDS.indexOf(id as (typeof SIGNAL_IDS)[number])) : mask,
        0,
      );
    const [absent, passed] = [makeMask("absent"), makeMask("passed")];
    tests.set("signals", (each) => (each.absent & absent) === absent && (each.passed & passed) === passed);
  }
  if (minScore !== undefined || maxScore !== undefined) {
    const [least, most] = [Number(minScore ?? 0), Number(maxScore ?? 100)];
    tests.set("score", ({ row: { score } }) => score !== null && score.total >= least && score.total <= most);
  }
  return tests;
}

/** Returns a text in lower case. An id loses the address of its registry, such as `https://ror.org/`. */
function bareId(text: string): string {
  return text.toLowerCase().replace(/^https?:\/\/(?:dx\.)?(?:doi|ror)\.org\//, "");
}

/** Completes a year or month to its first day: `2024` becomes `2024-01-01`. */
function firstDay(date: string): string {
  return date + "-01-01".slice(date.length - 4);
}

/** Returns the words of a search in folded form. A DOI may be a link, or end with the punctuation of a sentence. */
function splitWords(text: string): string[] {
  return folded(
    text
      .trim()
      .replace(/[.,;]$/, "")
      .replace(/^https?:\/\/(?:dx\.)?doi\.org\//i, ""),
  )
    .split(" ")
    .filter((word) => word !== "");
}

function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}./-]+/gu, " ");
}

function personText({ name, orcid }: ShownResearcher): string {
  return `${name} ${orcid ?? ""}`;
}

function placeText({ name, path }: FoundPlace): string {
  return `${name} ${path.split("/").at(-1)}`;
}

/** Folded texts of the rows that were searched, because folding takes most of the time of a search. */
const SEARCHED = new WeakMap<object, string>();

/** True if each word of a search is the beginning of a word in the text of a row. */
function hasWords<T extends object>(row: T, getText: (row: T) => string, words: readonly string[]): boolean {
  const padded = SEARCHED.get(row) ?? ` ${folded(getText(row))}`;
  SEARCHED.set(row, padded);
  return words.every((word) => padded.includes(` ${word}`) || (/\P{ASCII}/u.test(word) && padded.includes(word)));
}

function comparing(sortBy: string, sortOrder: string): (one: ListedDataset, other: ListedDataset) => number {
  const turn = sortOrder === "desc" ? -1 : 1;
  const { ties = [] }: Order = (ORDERS.records as Readonly<Record<string, Order>>)[sortBy] ?? ORDERS.records.id;
  return (one, other) =>
    compare(sortValue(one, sortBy), sortValue(other, sortBy), turn) ||
    ties.reduce((order, tie) => order || compare(sortValue(one, tie), sortValue(other, tie), -1), 0) ||
    (one.row.id < other.row.id ? -1 : 1);
}

/** Returns the value to sort by. `by` is a sort key, or a column that breaks ties. */
function sortValue({ row }: ListedDataset, by: string): string | number | null {
  if (by === "title") return row.title;
  if (by === "pubDate" || by === "pub_date") return row.pubDate;
  if (by === "relevance") return row.title === null ? null : -Array.from(row.title).length;
  if (row.score === null) return null;
  return by === "shareOfCap" ? row.score.total / (row.cap ?? 100) : row.score.total;
}

/** Compares two values. Nulls come last in both directions. `turn` is -1 for a descending order. */
function compare(first: string | number | null, second: string | number | null, turn: 1 | -1): number {
  if (first === second) return 0;
  if (first === null || second === null) return first === null ? 1 : -1;
  return first < second ? -turn : turn;
}

const ABSENT = SIGNAL_IDS.map((id) => `${id}:absent`);
const PASSED = SIGNAL_IDS.map((id) => `${id}:passed`);

const VALUES: Readonly<Partial<Record<FacetName, (dataset: ListedDataset) => readonly (string | null)[]>>> = {
  signals: ({ absent }) => ABSENT.filter((_value, bit) => ((absent >> bit) & 1) === 1),
  passed: ({ passed }) => PASSED.filter((_value, bit) => ((passed >> bit) & 1) === 1),
  year: ({ row }) => [row.pubDate?.slice(0, 4) ?? null],
  repository: ({ row }) => [row.repository],
  license: ({ license }) => [license],
  accessStatus: ({ accessStatus }) => [accessStatus],
  recordKind: ({ recordKind }) => [recordKind],
  countryCode: ({ stated }) => stated.countryCode ?? [null],
  ror: ({ stated }) => stated.ror ?? [],
  funder: ({ stated }) => stated.funder ?? [],
  score: ({ row: { score } }) => [score === null ? null : String(score.total)],
};

/** The facets whose values are ids or codes, and are shown by name. */
const NAMED: readonly FacetName[] = ["ror", "countryCode"];

/** Returns the facets with as many values as a list shows. The facet that is searched has only values that match. */
function searchIn(facets: ReadonlyMap<FacetName, Facet>, of = "", words = ""): ReadonlyMap<FacetName, Facet> {
  const shown = [...facets].map(([name, facet]): [FacetName, Facet] => [
    name,
    name === of && words !== "" ? searchValues(facet, words) : { ...facet, values: facet.values.slice(0, MAX_VALUES) },
  ]);
  return new Map(shown);
}

/** Adds up the counts of different spellings of a value, under the most frequent spelling. */
function mergeSpellings(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sorted = [...counts].toSorted(byRecords);
  const groups = Map.groupBy(sorted, ([value]) => foldLabel(value));
  return new Map(
    [...groups.values()].map((spellings) => [
      spellings[0]?.[0] ?? "",
      spellings.reduce((sum, [, records]) => sum + records, 0),
    ]),
  );
}

function byRecords([one, few]: readonly [string, number], [other, many]: readonly [string, number]): number {
  return many - few || (one < other ? -1 : 1);
}

/**
 * Counts the datasets with each value of each facet. If only one value of a facet can be chosen, its own filter does
 * not apply to it.
 * @param failed the filters that each dataset fails, as bits in the order of `filters`
 */
function countFacets(
  all: readonly ListedDataset[],
  names: Names,
  failed: readonly number[],
  filters: readonly string[],
): ReadonlyMap<FacetName, Facet> {
  const facets = new Map<FacetName, Facet>();
  for (const name of FACET_NAMES) {
    const listValues = VALUES[name];
    if (listValues === undefined) continue;
    const own = name === "signals" ? 0 : filters.includes(name) ? 1 << filters.indexOf(name) : 0;
    const counts = new Map<string, number>();
    let unknown = 0;
    for (const [index, dataset] of all.entries()) {
      if (((failed[index] ?? 0) & ~own) !== 0) continue;
      for (const value of listValues(dataset)) {
        if (value === null) unknown += 1;
        else counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    const values = [...(SPELT_FILTERS.includes(name) ? mergeSpellings(counts) : counts)]
      .toSorted(byRecords)
      .map(([value, records]) => ({
        value,
        label: (NAMED.includes(name) ? names.get(value) : undefined) ?? value,
        records,
      }));
    facets.set(name, { values, total: values.length, unknown });
  }
  return facets;
}
