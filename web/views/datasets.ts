/** The view to search datasets. Each filter is a form field, and each result has its own URL. */

import { computeExactMean, exactMean } from "../../api-static/pages/numbers.ts";
import { writeSavedSearch } from "../../schemas/public/account/saved.ts";
import type { Pagination } from "../../schemas/public/api/common.ts";
import { type Facet, type FacetName, FILTERS, type Filter } from "../../schemas/public/api/lists.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../../schemas/public/rubric.ts";
import { signalState } from "../../schemas/public/signal.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { csvLink } from "../components/csv.ts";
import { describeSpread, findMedian } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import { facetParts, valueWords } from "../components/facets.ts";
import { countText, hundredths } from "../components/figures.ts";
import { type FieldErrors, field, filledIn, selectField } from "../components/forms.ts";
import { scoreSpread } from "../components/histogram.ts";
import { addQuery, pager, type QueryFields, suggestionList, versionNote } from "../components/navigation.ts";
import { recordTable, type ShownRow } from "../components/record-rows.ts";
import { saveSearchButton } from "../components/saving.ts";
import { STATE_WORDS } from "../components/state-words.ts";
import { type Html, html } from "../html.ts";
import { changesFeedPath } from "./changes-feed.ts";

export interface DatasetsPage {
  readonly filters: QueryFields;
  /** The query of the API for the same list. */
  readonly query: QueryFields;
  readonly data: readonly ShownRow[];
  readonly pagination: Pagination;
  /** Labels of the repositories to choose from. */
  readonly repositories: readonly string[];
  readonly facets: ReadonlyMap<FacetName, Facet>;
  /** Names of chosen values by filter, for example `Norway` for a country code, if the facets do not have the name. */
  readonly names: QueryFields;
  /** Names of the signals. */
  readonly signals: ReadonlyMap<string, string>;
  /**
   * The ROR id that metadata state with the institution of the filter, and the datasets that state this id. Null if they
   * state none, or several.
   */
  readonly statedRor: { readonly id: string; readonly datasets: number } | null;
  /** Other searches, if this one has no result. */
  readonly suggested?: readonly Suggestion[];
}

/** The form with its errors, after the API has rejected some of its values. */
export type RejectedDatasets = Pick<DatasetsPage, "filters" | "repositories"> & { readonly errors: FieldErrors };

export function rejectedDatasetsView({ filters, repositories, errors }: RejectedDatasets): View {
  return {
    title: "Error: Datasets",
    description: "Search datasets by title, DOI, repository and score.",
    unlisted: true,
    body: html`<h1>Datasets</h1>${form({ filters, repositories, errors })}
<p role="status" class="muted">Correct the marked fields to see the datasets.</p>`,
  };
}

export function datasetsView(page: DatasetsPage): View {
  const { filters, query, data, pagination, repositories, facets, signals, statedRor, suggested = [] } = page;
  const search = filters.search ?? "";
  const apiPath = addQuery("/records", query);
  const { rubric, ...fields } = filters;
  const { page: _page, sortBy: _sortBy, sortOrder: _sortOrder, ...inOrder } = filters;
  const version = publicVersion.catch(PUBLIC_VERSIONS[0]).parse(rubric);
  const saved = writeSavedSearch(withoutParts(filters));
  return {
    title: search === "" ? "Datasets" : `Datasets: ${search}`,
    description: "Search datasets by title, DOI, repository and score.",
    apiPath,
    unlisted: Object.values(filters).some((value) => value !== ""),
    ...(saved === null ? {} : { feed: changesFeedPath(`/datasets?${saved}`) }),
    body: html`<div class="beside"><div><h1>Datasets${nameChoice(page)}</h1>${data.length === 0 ? null : html`<a class="skip" href="#results">Skip to the results</a>`}${versionNote(version, addQuery("/datasets", fields))}
${form({ filters, repositories, errors: NO_ERRORS }, facets.get("license"))}
${chips(page)}
${data.length === 0 ? null : renderSummaryLink(filters, statedRor)}</div>
${data.length === 0 ? null : scorePanel(page)}</div>
<div class="faceted">${facetParts(facets, filters, signals, pagination.total)}<div id="results" tabindex="-1">
<p role="status"><strong>${countText(pagination.total, "dataset")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`} ${
      data.length === 0
        ? null
        : html`<span class="muted"${Object.values(filters).some((value) => value !== "") ? html` data-server` : null}>· download ${csvLink(filters, "all as CSV")}<span data-server> or <a href="${apiPath}">this page as JSON</a></span></span>`
    }</p>
${pagination.total === 0 ? nothing(filters, suggested) : data.length === 0 ? null : [orderNote(query, filters, inOrder), recordTable(data, version, `${query.sortBy} ${query.sortOrder}`, (order) => addQuery("/datasets", { ...inOrder, order }))]}
${pager("/datasets", filters, pagination, { sizes: true })}
${saved === null ? null : html`<p data-server>For news of changes in these datasets, follow <a href="${changesFeedPath(`/datasets?${saved}`)}">the feed</a>, or save the search to your account and switch emails on there.</p>\n<div class="actions">${saveSearchButton(saved)}</div>`}</div></div>`,
  };
}

/** Longest text of search and filters, in characters, in the heading. A longer text is left out. */
const MAX_NAMED = 60;

/** Returns the search and the chosen values as an addition to the heading; null if there are none, or they are too long. */
function nameChoice(page: Filtered): Html | null {
  const { search = "" } = page.filters;
  const values = Object.keys(RECORD_FILTERS).flatMap((name) => buildChips(name, page).map(({ value }) => value));
  const all = [...new Set([...(search === "" ? [] : [`“${search}”`]), ...values])];
  if (all.length === 0 || all.join(" · ").length > MAX_NAMED) return null;
  return html`: ${all.map((value, i) => html`${i === 0 ? "" : " · "}<bdi>${value}</bdi>`)}`;
}

/** Returns a sentence and a picture of how the scores of the datasets are distributed; null if none has a score. */
function scorePanel({ facets, filters }: Pick<DatasetsPage, "facets" | "filters">): Html | null {
  const totals = Object.fromEntries((facets.get("score")?.values ?? []).map(({ value, records }) => [value, records]));
  const mean = computeExactMean(totals);
  if (mean.count === 0) return null;
  const { minScore = "", maxScore = "" } = filters;
  const bound = (text: string) => (text === "" ? null : Number(text));
  const isBound = minScore !== "" || maxScore !== "";
  const { minScore: _least, maxScore: _most, ...others } = withoutParts(filters);
  const place = Object.values(others).every((value) => value === "") ? "in this release" : "under the other filters";
  return html`<section class="panel"><h2>${describeSpread(totals, isBound ? place : "")}</h2>
<details class="narrow"><summary>Show the distribution</summary>${scoreSpread(totals, { least: bound(minScore), most: bound(maxScore) })}
<p class="small muted">${countText(mean.count, "dataset")} with a score: median ${findMedian(totals)}, average ${hundredths(exactMean(mean.sum, mean.count))}.</p></details></section>`;
}

/** Returns only the filters of a list, without its page, number of rows, order and version. */
function withoutParts({
  rubric: _rubric,
  page: _page,
  limit: _limit,
  order: _order,
  ...rest
}: QueryFields): QueryFields {
  const { sortBy: _by, sortOrder: _sortOrder, ...filters } = rest;
  return filters;
}

/** Returns the order of the list: the user's choice, else by relevance to the search, else the newest first. */
export function chooseOrder({ order = "", search = "" }: QueryFields): string {
  if (order !== "") return order;
  return /[\p{L}\p{N}]/u.test(search) ? "relevance desc" : "pubDate desc";
}

/**
 * Returns a note for an order by score if the datasets are from several repositories, with a link back to the default order of
 * a search.
 */
function orderNote(
  { sortBy = "" }: QueryFields,
  { repository = "", search = "" }: QueryFields,
  { order: _order, ...byDefault }: QueryFields,
): Html | null {
  const sentence =
    repository !== "" || !["shareOfCap", "score"].includes(sortBy)
      ? null
      : `Repositories allow different scores. ${
          sortBy === "score"
            ? "This order is by points, so do not compare datasets of different repositories by it."
            : "This order is therefore by the share of the highest score that is possible for each dataset."
        } `;
  const back =
    search === "" || sortBy === "relevance"
      ? null
      : html`<a href="${addQuery("/datasets", byDefault)}">Sort by relevance</a>`;
  return sentence === null && back === null ? null : html`<p class="muted small">${sentence}${back}</p>`;
}

const NO_ERRORS: FieldErrors = new Map();

/** Returns the form with the search and the filters. The field of the licence suggests the values of the facet `licences`. */
function form({ filters, repositories, errors }: RejectedDatasets, licences?: Facet): Html {
  const isGiven = (name: string) => (filters[name] ?? "") !== "";
  const { search, ...further } = FIELDS;
  const suggested = licences?.values.map(({ value, records }) => [value, countText(records, "dataset")] as const);
  const textField = (name: string, words: NonNullable<Filter["field"]>) =>
    field({
      ...words,
      ...filledIn(name, filters, errors),
      ...(name === "license" && suggested !== undefined ? { suggested } : {}),
    });
  // Filters and an order that came from links have no field of their own, so the form keeps them in hidden inputs.
  const kept = ["order", ...SHOWN].filter((name) => isGiven(name) && name !== "repository" && !(name in FIELDS));
  return html`<form action="/datasets" role="search"><div class="row"><div class="grow">${field({
    ...filledIn("search", filters, errors),
    label: search?.label ?? "",
    type: "search",
  })}</div><button>Search</button></div>
<details${errors.size > 0 ? html` open` : null}><summary>More filters</summary><div class="fields"><div>${selectField(
    { name: "repository", label: FILTERS.records.repository.chip, value: filters.repository ?? "" },
    [["", "All"], ...repositories.map((label) => [label, label] as const)],
  )}</div>${Object.entries(further).map(([name, words]) => html`<div>${textField(name, words)}</div>`)}</div></details>${kept.map((name) => html`<input type="hidden" name="${name}" value="${filters[name] ?? ""}">`)}</form>`;
}

const RECORD_FILTERS: Readonly<Record<string, Filter>> = FILTERS.records;

/** The text fields of the form, by filter. */
const FIELDS: Readonly<Record<string, NonNullable<Filter["field"]>>> = Object.fromEntries(
  Object.entries(RECORD_FILTERS).flatMap(([name, { field }]) => (field === undefined ? [] : [[name, field]])),
);

/** The names of the text fields of the form. */
export const DATASETS_FIELDS: readonly string[] = Object.keys(FIELDS);

/** Filters that are shown as chips above the list. */
const SHOWN = Object.entries(RECORD_FILTERS).flatMap(([name, { chip, upper = [] }]) =>
  chip === undefined ? [] : [name, upper].flat(),
);

interface Chip {
  readonly words: string;
  readonly value: string;
  /** The filters that stay if the user removes the filter of this chip. */
  readonly others: QueryFields;
}

type Filtered = Pick<DatasetsPage, "filters" | "facets" | "names" | "signals">;

function chips(page: Filtered): Html | null {
  const given = Object.keys(RECORD_FILTERS).flatMap((name) => buildChips(name, page));
  if (given.length === 0) return null;
  return html`<ul class="chips">${given.map(({ words, value, others }) => {
    const { page: _page, ...kept } = others;
    return html`<li>${words}: <bdi>${value}</bdi> <a href="${addQuery("/datasets", kept)}" aria-label="Remove the filter ${words}: ${value}">✕</a></li>`;
  })}</ul>`;
}

function buildChips(name: string, { filters, facets, names, signals }: Filtered): readonly Chip[] {
  const { chip: words, upper } = RECORD_FILTERS[name] ?? {};
  if (words === undefined) return [];
  const { [name]: value = "", ...others } = filters;
  if (upper !== undefined) {
    const { [upper]: most = "", ...rest } = others;
    return value === "" && most === "" ? [] : [{ words, value: rangeText(value, most), others: rest }];
  }
  if (value === "") return [];
  if (name === "signals") {
    const pairs = value.split(",");
    return pairs.map((pair) => ({
      words,
      value: stateText(pair, signals),
      others: { ...others, signals: pairs.filter((each) => each !== pair).join(",") },
    }));
  }
  const known = [...facets].find(([facet]) => facet === name)?.[1].values.find((each) => each.value === value);
  return [{ words, value: valueWords(name, names[name] ?? known?.label ?? value, signals), others }];
}

function rangeText(least: string, most: string): string {
  if (least === most) return least;
  return least === "" ? `until ${most}` : most === "" ? `from ${least}` : `${least} to ${most}`;
}

/** Returns words for the state of a signal: its name and "no" for `E1:absent`. */
function stateText(pair: string, signals: DatasetsPage["signals"]): string {
  const [, state] = pair.split(":");
  return `${valueWords("signals", pair, signals)}: ${STATE_WORDS[signalState.parse(state)].word.toLowerCase()}`;
}

/** Returns a link to the summary page of the institution or funder that is the value of a filter. */
function renderSummaryLink({ ror = "", funder = "" }: QueryFields, statedRor: DatasetsPage["statedRor"]): Html | null {
  if (ror !== "") {
    const id = ror.split("/").at(-1) ?? "";
    return html`<p><a href="/organisations/${id}">Summary of the datasets that state the ROR id <code>${id}</code></a></p>`;
  }
  if (statedRor !== null) {
    const { id, datasets } = statedRor;
    return html`<p><a href="/organisations/${id}">Summary of the ${countText(datasets, "dataset that states", "datasets that state")} its ROR id, <code>${id}</code></a></p>`;
  }
  return funder === ""
    ? null
    : html`<p><a href="/funders/${encodeURIComponent(funder)}">Summary of this funder</a></p>`;
}

function nothing(filters: QueryFields, suggested: readonly Suggestion[]): Html {
  const { search = "", funder = "" } = filters;
  const { search: _search, ...others } = withoutParts(filters);
  const hasOthers = Object.values(others).some((value) => value !== "");
  const hasResearchers = suggested.some(({ path }) => path.startsWith("/researchers"));
  return html`<div class="note"><p>No dataset in the current release matches.</p>${hasOthers ? html`<p><a href="${addQuery("/datasets", { search })}">${search === "" ? "Show all datasets" : html`Search all datasets for “<bdi>${search}</bdi>”`}</a>, without the filters.</p>` : null}${suggestionList(suggested)}${
    funder === ""
      ? null
      : html`<p>The filter needs the full name of a funder. <a href="${addQuery("/funders", { search: funder })}">Find funders with these words</a>.</p>`
  }${search === "" ? null : html`${hasResearchers ? null : html`<p>For a person, <a href="${addQuery("/researchers", { search })}">search the researchers</a>.</p>`}<p>If the dataset has a DOI, <a href="/check">check it now</a>.</p>`}</div>`;
}
