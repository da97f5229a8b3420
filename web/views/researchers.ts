/** Researchers, to search by name or ORCID iD; the first of them by S-Index, with what that does not mean. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { field } from "../components/fields.ts";
import { counted, decimal, whole } from "../components/figures.ts";
import { addressOf, type Fields, pager } from "../components/pager.ts";
import { table } from "../components/table.ts";
import type { View } from "../components/view.ts";
import { html } from "../html.ts";

export interface ResearchersPage {
  readonly asked: Fields;
  readonly data: readonly ResearcherRow[];
  readonly pagination: Pagination;
}

export function researchersView({ asked, data, pagination }: ResearchersPage): View {
  const search = asked.search ?? "";
  const rows = data.map(({ slug, name, affiliation, sIndex, datasetCount, avgScore, meanCap }) => [
    html`<a href="/researchers/${slug}"><bdi>${name}</bdi></a>${affiliation === "" ? null : html`<br><span class="muted small" dir="auto">${affiliation}</span>`}`,
    whole(sIndex),
    whole(datasetCount),
    decimal(avgScore),
    decimal(meanCap),
  ]);
  return {
    title: search === "" ? "Researchers" : `Researchers: ${search}`,
    description: "Search researchers by name or ORCID iD; their S-Index and datasets.",
    twin: addressOf("/authors", asked),
    unlisted: Object.values(asked).some((value) => value !== ""),
    body: html`<h1>Researchers</h1>
<form action="/researchers" role="search"><div class="row"><div class="grow">${field({
      name: "search",
      label: "Name or ORCID iD",
      type: "search",
      value: search,
    })}</div><button>Search</button></div></form>
<div class="note"><p><strong>What the S-Index says:</strong> somebody with an S-Index of 5 has five datasets that score at least 5, and not six that score at least 6. It grows with the number of datasets: it tells how much was shared with care, and nothing about the worth of anybody’s research. Do not compare people by it.</p></div>
<p role="status"><strong>${counted(pagination.total, "researcher")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>
${
  data.length === 0
    ? html`<div class="note"><p>Nobody of the current release fits. People are listed who have a dataset with a score; who asked to be hidden is not.</p></div>`
    : table(
        "Researchers by S-Index",
        [
          { name: "Name" },
          { name: "S-Index", isNumber: true },
          { name: "Datasets", isNumber: true },
          { name: "Average", isNumber: true },
          { name: "Possible", isNumber: true },
        ],
        rows,
      )
}
${pager("/researchers", asked, pagination)}`,
  };
}
