/** Datasets, to search: every filter is a field, and every answer an address that can be kept. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../../schemas/public/rubric.ts";
import type { View } from "../components/document.ts";
import { counted } from "../components/figures.ts";
import { choice, field } from "../components/forms.ts";
import { addressOf, type Fields, olderVersion, pager } from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { type Html, html } from "../html.ts";

export interface DatasetsPage {
  /** The fields that were filled in, by their names. */
  readonly asked: Fields;
  /** The same as the twin is asked it. */
  readonly query: Fields;
  readonly data: readonly RecordRow[];
  readonly pagination: Pagination;
  /** Labels to choose from. */
  readonly repositories: readonly string[];
}

const ORDERS = [
  ["score desc", "Highest score"],
  ["score asc", "Lowest score"],
  ["pubDate desc", "Newest"],
  ["pubDate asc", "Oldest"],
  ["title asc", "Title"],
] as const;

export function datasetsView({ asked, query, data, pagination, repositories }: DatasetsPage): View {
  const search = asked.search ?? "";
  const twin = addressOf("/records", query);
  const { rubric, ...fields } = asked;
  const version = publicVersion.catch(PUBLIC_VERSIONS[0]).parse(rubric);
  return {
    title: search === "" ? "Datasets" : `Datasets: ${search}`,
    description: "Search datasets by title, DOI, repository and score.",
    twin,
    unlisted: Object.values(asked).some((value) => value !== ""),
    body: html`<h1>Datasets</h1>${olderVersion(version, addressOf("/datasets", fields))}
${form(asked, repositories)}
<p role="status"><strong>${counted(pagination.total, "dataset")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`} ${
      data.length === 0
        ? null
        : html`<span class="muted">· the same <a href="${addressOf("/datasets.csv", asked)}">as CSV</a> or <a href="${twin}">as JSON</a></span>`
    }</p>
${data.length === 0 ? nothing(search) : recordRows(data, 2, version)}
${pager("/datasets", asked, pagination)}`,
  };
}

function form(asked: Fields, repositories: readonly string[]): Html {
  const more = ["repository", "minScore", "maxScore", "accessStatus", "recordKind"].some(
    (name) => (asked[name] ?? "") !== "",
  );
  return html`<form action="/datasets" role="search"><div class="row"><div class="grow">${field({
    name: "search",
    label: "Title or DOI",
    type: "search",
    value: asked.search ?? "",
  })}</div><div>${choice({ name: "order", label: "Order", value: asked.order ?? "" }, ORDERS)}</div><button>Search</button></div>
<details${more ? html` open` : null}><summary>More filters</summary><div class="row"><div class="grow">${choice(
    { name: "repository", label: "Repository", value: asked.repository ?? "" },
    [["", "All"], ...repositories.map((label) => [label, label] as const)],
  )}</div><div>${field({ name: "minScore", label: "Least score", value: asked.minScore ?? "", hint: "0 to 100" })}</div><div>${field(
    {
      name: "maxScore",
      label: "Greatest score",
      value: asked.maxScore ?? "",
      hint: "0 to 100",
    },
  )}</div><div>${field({ name: "accessStatus", label: "Access", value: asked.accessStatus ?? "", hint: "In the repository’s own word, such as open" })}</div></div></details></form>`;
}

function nothing(search: string): Html {
  return html`<div class="note"><p>No dataset of the current release fits. If you have a DOI, <a href="${addressOf("/check", { identifier: search })}">measure it now</a>.</p></div>`;
}
