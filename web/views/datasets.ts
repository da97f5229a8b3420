/** The view to search datasets. Each filter is a form field, and each result has its own URL. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../../schemas/public/rubric.ts";
import type { View } from "../components/document.ts";
import { countText } from "../components/figures.ts";
import { field, selectField } from "../components/forms.ts";
import { type Fields, pager, urlOf, versionNote } from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { type Html, html } from "../html.ts";

export interface DatasetsPage {
  readonly filters: Fields;
  /** The query of the API for the same list. */
  readonly query: Fields;
  readonly data: readonly RecordRow[];
  readonly pagination: Pagination;
  /** Labels to choose from. */
  readonly repositories: readonly string[];
}

/** These orders compare points, so they only compare datasets of one repository. */
const ORDERS = [
  ["shareOfCap desc", "Highest share of the possible score"],
  ["shareOfCap asc", "Lowest share of the possible score"],
  ["score desc", "Most points"],
  ["score asc", "Fewest points"],
  ["pubDate desc", "Newest"],
  ["pubDate asc", "Oldest"],
  ["title asc", "Title"],
] as const;

export function datasetsView({ filters, query, data, pagination, repositories }: DatasetsPage): View {
  const search = filters.search ?? "";
  const apiPath = urlOf("/records", query);
  const { rubric, ...fields } = filters;
  const version = publicVersion.catch(PUBLIC_VERSIONS[0]).parse(rubric);
  return {
    title: search === "" ? "Datasets" : `Datasets: ${search}`,
    description: "Search datasets by title, DOI, repository and score.",
    apiPath,
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<h1>Datasets</h1>${versionNote(version, urlOf("/datasets", fields))}
${form(filters, repositories)}
<p role="status"><strong>${countText(pagination.total, "dataset")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`} ${
      data.length === 0
        ? null
        : html`<span class="muted">· download <a href="${urlOf("/datasets.csv", filters)}">as CSV</a> or <a href="${apiPath}">as JSON</a></span>`
    }</p>
${data.length === 0 ? nothing(search) : [orderNote(query, filters), recordRows(data, 2, version)]}
${pager("/datasets", filters, pagination)}`,
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

function form(filters: Fields, repositories: readonly string[]): Html {
  const more = ["repository", "minScore", "maxScore", "accessStatus", "recordKind"].some(
    (name) => (filters[name] ?? "") !== "",
  );
  return html`<form action="/datasets" role="search"><div class="row"><div class="grow">${field({
    name: "search",
    label: "Title or DOI",
    type: "search",
    value: filters.search ?? "",
  })}</div><div>${selectField({ name: "order", label: "Order", value: filters.order ?? "" }, ORDERS)}</div><button>Search</button></div>
<details${more ? html` open` : null}><summary>More filters</summary><div class="row"><div class="grow">${selectField(
    { name: "repository", label: "Repository", value: filters.repository ?? "" },
    [["", "All"], ...repositories.map((label) => [label, label] as const)],
  )}</div><div>${field({ name: "minScore", label: "Minimum score", value: filters.minScore ?? "", hint: "0 to 100" })}</div><div>${field(
    {
      name: "maxScore",
      label: "Maximum score",
      value: filters.maxScore ?? "",
      hint: "0 to 100",
    },
  )}</div><div>${field({ name: "accessStatus", label: "Access", value: filters.accessStatus ?? "", hint: "The term of the repository, for example open" })}</div></div></details></form>`;
}

function nothing(search: string): Html {
  return html`<div class="note"><p>No dataset in the current release matches. If you have a DOI, <a href="${urlOf("/check", { identifier: search })}">check the dataset now</a>.</p></div>`;
}
