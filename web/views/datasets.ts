/** The view to search datasets. Each filter is a form field, and each result has its own URL. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../../schemas/public/rubric.ts";
import { signalState } from "../../schemas/public/signal.ts";
import type { Facet, FacetName } from "../../schemas/public/site/facets.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { csvLink } from "../components/csv.ts";
import type { View } from "../components/document.ts";
import { facetParts, valueWords } from "../components/facets.ts";
import { countText } from "../components/figures.ts";
import { type FieldErrors, field, filledIn, selectField } from "../components/forms.ts";
import { type Fields, pager, suggestionList, urlOf, versionNote } from "../components/navigation.ts";
import { recordTable } from "../components/record-rows.ts";
import { STATE_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";

export interface DatasetsPage {
  readonly filters: Fields;
  /** The query of the API for the same list. */
  readonly query: Fields;
  readonly data: readonly RecordRow[];
  readonly pagination: Pagination;
  /** Labels to choose from. */
  readonly repositories: readonly string[];
  readonly facets: ReadonlyMap<FacetName, Facet>;
  /** Names of values of filters, by the filter, if the facets do not have them. */
  readonly names: Fields;
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

/** The form, after the API has rejected values of these fields. */
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
  const apiPath = urlOf("/records", query);
  const { rubric, ...fields } = filters;
  const { page: _page, sortBy: _sortBy, sortOrder: _sortOrder, ...inOrder } = filters;
  const version = publicVersion.catch(PUBLIC_VERSIONS[0]).parse(rubric);
  return {
    title: search === "" ? "Datasets" : `Datasets: ${search}`,
    description: "Search datasets by title, DOI, repository and score.",
    apiPath,
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<h1>Datasets</h1>${versionNote(version, urlOf("/datasets", fields))}
${form({ filters, repositories, errors: NO_ERRORS }, facets.get("license"))}
${chips(page)}
${data.length === 0 ? null : summaryOf(filters, statedRor)}
<div class="faceted">${facetParts(facets, filters, signals, pagination.total)}<div>
<p role="status"><strong>${countText(pagination.total, "dataset")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`} ${
      data.length === 0
        ? null
        : html`<span class="muted">· download ${csvLink(filters, "all as CSV")} or <a href="${apiPath}">this page as JSON</a>${data.length < 2 ? null : html` · select two to four to <a href="#compare">compare</a> them`}</span>`
    }</p>
${pagination.total === 0 ? nothing(filters, suggested) : data.length === 0 ? null : [orderNote(query, filters), recordTable(data, version, `${query.sortBy} ${query.sortOrder}`, (order) => urlOf("/datasets", { ...inOrder, order }))]}
${pager("/datasets", filters, pagination, { sizes: true })}</div></div>`,
  };
}

/** Returns a sentence about ordering datasets of several repositories by score. */
function orderNote({ sortBy = "" }: Fields, { repository = "" }: Fields): Html | null {
  if (repository !== "" || !["shareOfCap", "score"].includes(sortBy)) return null;
  return html`<p class="muted small">Repositories allow different scores. ${
    sortBy === "score"
      ? "This order is by points, so do not compare datasets of different repositories by it."
      : "This order is therefore by the share of the highest score that is possible for each dataset."
  }</p>`;
}

const NO_ERRORS: FieldErrors = new Map();

/** `licences`: the facet whose values the field suggests. */
function form({ filters, repositories, errors }: RejectedDatasets, licences?: Facet): Html {
  const isGiven = (name: string) => (filters[name] ?? "") !== "";
  const names = ["repository", "minScore", "maxScore", "accessStatus", ...FURTHER.map(({ name }) => name)];
  const filled = (name: string) => filledIn(name, filters, errors);
  const suggested = licences?.values.map(({ value, records }) => [value, countText(records, "dataset")] as const);
  const suggestedFor = (name: string) => (name === "license" && suggested !== undefined ? { suggested } : {});
  // Filters and the order of links, without a field of their own. The form keeps them.
  const kept = ["order", ...FILTERS].filter((name) => isGiven(name) && !names.includes(name));
  return html`<form action="/datasets" role="search"><div class="row"><div class="grow">${field({
    ...filled("search"),
    label: "Title or DOI",
    type: "search",
  })}</div><button>Search</button></div>
<details${errors.size > 0 ? html` open` : null}><summary>More filters</summary><div class="fields"><div>${selectField(
    { name: "repository", label: "Repository", value: filters.repository ?? "" },
    [["", "All"], ...repositories.map((label) => [label, label] as const)],
  )}</div><div>${field({ ...filled("minScore"), label: "Minimum score", hint: "0 to 100" })}</div><div>${field({ ...filled("maxScore"), label: "Maximum score", hint: "0 to 100" })}</div><div>${field({ ...filled("accessStatus"), label: "Access", hint: "The term of the repository, for example open" })}</div>${FURTHER.map((each) => html`<div>${field({ ...each, ...filled(each.name), ...suggestedFor(each.name) })}</div>`)}</div></details>${kept.map((name) => html`<input type="hidden" name="${name}" value="${filters[name] ?? ""}">`)}</form>`;
}

/** The fields of text in the form. */
export const DATASETS_FIELDS: readonly string[] = [
  ...["search", "minScore", "maxScore", "accessStatus"],
  ...["publishedFrom", "publishedUntil", "countryCode", "license", "ror", "funder", "award"],
];

/** Further fields of the form. */
const FURTHER = [
  { name: "publishedFrom", label: "Published from", hint: "A year, month or day" },
  { name: "publishedUntil", label: "Published until", hint: "A year, month or day" },
  { name: "countryCode", label: "Country", hint: "A name or three letters, for example Norway or NOR" },
  { name: "license", label: "Licence", hint: "For example CC-BY-4.0" },
  { name: "ror", label: "Institution", hint: "A ROR id" },
  { name: "funder", label: "Funder", hint: "A ROR id, Crossref Funder id or full name" },
  { name: "award", label: "Award number", hint: "As the depositor wrote it" },
] as const;

/** Words of the filters that are shown above the list, each with a link that removes it. */
const CHIPS: Readonly<Record<string, string>> = {
  repository: "Repository",
  source: "Read through",
  signals: "Signal",
  minScore: "Score",
  license: "Licence",
  accessStatus: "Access",
  countryCode: "Country",
  institution: "Institution",
  recordKind: "Kind",
  publishedFrom: "Published",
  ror: "Institution by ROR id",
  funder: "Funder",
  award: "Award",
  author: "Researcher",
  ids: "Chosen datasets",
  disease: "Disease",
  ageGroup: "Age group",
  dataType: "Data type",
};

/** The upper bounds of filters. Both bounds have one chip. */
const UPPER: Readonly<Record<string, string>> = { minScore: "maxScore", publishedFrom: "publishedUntil" };

/** Filters with a field of their own in `CHIPS`, or in the chip of the lower bound. */
const FILTERS = [...Object.keys(CHIPS), ...Object.values(UPPER)];

interface Chip {
  readonly words: string;
  readonly value: string;
  /** The filters without this one. */
  readonly others: Fields;
}

type Filtered = Pick<DatasetsPage, "filters" | "facets" | "names" | "signals">;

function chips(page: Filtered): Html | null {
  const given = Object.keys(CHIPS).flatMap((name) => chipsOf(name, page));
  if (given.length === 0) return null;
  return html`<ul class="chips">${given.map(({ words, value, others }) => {
    const { page: _page, ...kept } = others;
    return html`<li>${words}: <bdi>${value}</bdi> <a href="${urlOf("/datasets", kept)}" aria-label="Remove the filter ${words}: ${value}">✕</a></li>`;
  })}</ul>`;
}

function chipsOf(name: string, { filters, facets, names, signals }: Filtered): readonly Chip[] {
  const words = CHIPS[name] ?? name;
  const { [name]: value = "", ...others } = filters;
  const upper = UPPER[name];
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

/** Returns words for the state of a signal such as `E1:absent`. */
function stateText(pair: string, signals: DatasetsPage["signals"]): string {
  const [, state] = pair.split(":");
  return `${valueWords("signals", pair, signals)}: ${STATE_WORDS[signalState.parse(state)].word.toLowerCase()}`;
}

/** Returns a link to the summary of the institution or funder of the filter. */
function summaryOf({ ror = "", funder = "" }: Fields, statedRor: DatasetsPage["statedRor"]): Html | null {
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

function nothing({ search = "", funder = "" }: Fields, suggested: readonly Suggestion[]): Html {
  const hasResearchers = suggested.some(({ path }) => path.startsWith("/researchers"));
  return html`<div class="note"><p>No dataset in the current release matches.</p>${suggestionList(suggested)}${
    funder === ""
      ? null
      : html`<p>The filter needs the full name of a funder. <a href="${urlOf("/funders", { search: funder })}">Find funders with these words</a>.</p>`
  }${search === "" ? null : html`${hasResearchers ? null : html`<p>For a person, <a href="${urlOf("/researchers", { search })}">search the researchers</a>.</p>`}<p>If the dataset has a DOI, <a href="/check">check it now</a>.</p>`}</div>`;
}
