/** Views of institutions and countries. Each view begins with the share of datasets that have an institution or a country. */

import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { Pagination } from "../../schemas/public/api/common.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import type { View } from "../components/document.ts";
import { countText, integer, percent, signedNumber } from "../components/figures.ts";
import { type FieldErrors, field, filledIn } from "../components/forms.ts";
import {
  averageCell,
  changeCells,
  changeColumn,
  earlierIfChanged,
  type OverTime,
  shareText,
  yearBars,
  yearsColumn,
} from "../components/list-columns.ts";
import { addQuery, pager, type QueryFields, suggestionList } from "../components/navigation.ts";
import { columnSort, table } from "../components/table.ts";
import { computeChange, datasetsPath, type EarlierCountries, worldMap } from "../components/world-map.ts";
import { type Html, html } from "../html.ts";

type Attribution = Receipt["attribution"];

/** Returns a note with the share of datasets that have a country. */
function countryNote(attribution: Attribution): Html | null {
  if (attribution === null) return null;
  const { records, attributed, withoutAffiliation: without } = attribution;
  const missing =
    without === undefined
      ? null
      : ` ${integer(without)} name no institution, and ${integer(records - attributed - without)} only institutions without a known country.`;
  return html`<p class="small muted">${percent(attributed, records)} of the datasets have a country: ${integer(attributed)} of ${integer(records)}.${missing}</p>`;
}

const CAPTION = "Each average is beside the possible average, which is the mark on its bar.";

const FIGURES = [
  { name: "Datasets", isNumber: true },
  { name: "Average score", isNumber: true },
] as const;

export interface InstitutionsPage {
  readonly filters: QueryFields;
  readonly data: readonly InstitutionRow[];
  readonly pagination: Pagination;
  readonly attribution: Attribution;
  /** The ROR id that metadata state with an institution, by the id of its row. Missing if they state none, or several. */
  readonly rors: ReadonlyMap<string, string>;
  /** Names of the countries of these rows, by code. */
  readonly countries: ReadonlyMap<string, string>;
  /** Figures of each institution over time, by the id of its row. */
  readonly over: OverTime;
  /** Institutions of similar names, if no institution matches. */
  readonly suggested: readonly Suggestion[];
}

/** The fields of the form. */
export const AFFILIATIONS_FIELDS: readonly string[] = ["search", "countryCode"];

/** Returns the view with the form and its errors, after the API has rejected values of its fields. */
export function rejectedAffiliationsView(filters: QueryFields, errors: FieldErrors): View {
  return {
    title: "Error: Institutions",
    description: "Institutions as reported by the creators of datasets.",
    unlisted: true,
    body: html`<h1>Institutions</h1>${affiliationsForm(filters, errors)}
<p role="status" class="muted">Correct the marked fields to see the institutions.</p>`,
  };
}

function affiliationsForm(filters: QueryFields, errors: FieldErrors): Html {
  const filled = (name: string) => filledIn(name, filters, errors);
  return html`<form action="/affiliations" role="search"><div class="row"><div class="grow">${field({ ...filled("search"), label: "Name of an institution", type: "search" })}</div><div>${field({ ...filled("countryCode"), label: "Country or its code" })}</div><button>Search</button></div></form>`;
}

export function affiliationsView(page: InstitutionsPage): View {
  const { filters, pagination, attribution, suggested } = page;
  return {
    title: "Institutions",
    description: "Institutions as reported by the creators of datasets, with the average score of their datasets.",
    apiPath: addQuery("/institutions", filters),
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<h1>Institutions</h1>
<p class="lead">${finding(attribution)}</p>
<p class="small muted">We show each institution as creators reported it, so a name in two spellings has two rows. A dataset with creators of two institutions counts in both.</p>
${affiliationsForm(filters, new Map())}
<p role="status"><strong>${countText(pagination.total, "reported institution")}</strong></p>
${pagination.total === 0 ? noInstitution(filters, suggested) : institutionTable(page)}
${pager("/affiliations", filters, pagination)}`,
  };
}

/** Returns the share of datasets that name an institution; the purpose of the list for a release that does not count them. */
function finding(attribution: Attribution): string {
  if (attribution?.withoutAffiliation === undefined) return "Find an institution, its datasets and its researchers.";
  const { records, withoutAffiliation } = attribution;
  return `${shareText(records - withoutAffiliation, records, "name an institution")}.`;
}

/** Returns the note for a list without results: institutions of similar names, and a link to a search without the country. */
function noInstitution({ search = "", countryCode = "" }: QueryFields, suggested: readonly Suggestion[]): Html {
  return html`<div class="note"><p>No institution in the current release matches.</p>${suggestionList(suggested)}${
    countryCode === ""
      ? null
      : html`<p><a href="${addQuery("/affiliations", { search })}">Search in all countries</a></p>`
  }</div>`;
}

function institutionTable({ filters, data, rors, over, countries }: InstitutionsPage): Html {
  const before = earlierIfChanged(
    data.map(({ id }) => [id, over.groups.get(id)]),
    over.before,
  );
  return table(
    CAPTION,
    [
      { name: "Reported name", sort: columnOrder(filters, "label", "asc") },
      { ...FIGURES[0], sort: columnOrder(filters, "recordCount") },
      // No order by average, because the top of the list would be institutions with one dataset.
      FIGURES[1],
      yearsColumn(over.until),
      { name: "Researchers", isNumber: true, sort: columnOrder(filters, "authorCount") },
      ...changeColumn(before),
    ],
    data.map(({ id, label, countryCode, recordCount, scoredCount, meanScore, meanCap, authorCount }) => [
      html`${institutionName(label, rors.get(id), addQuery("/datasets", { institution: id }))}${countryCode === null ? null : html`<br><span class="muted small">${countries.get(countryCode) ?? countryCode}</span>`}`,
      linkedFigure(recordCount, addQuery("/datasets", { institution: id })),
      averageCell(meanScore, meanCap, scoredCount),
      yearBars(over.groups.get(id)?.years ?? [], over.until),
      authorCount === 0 ? "0" : linkedFigure(authorCount, addQuery("/researchers", { institution: id })),
      ...changeCells(id, over.groups.get(id), before),
    ]),
  );
}

/** Returns the link of a column head, which keeps the search. */
function columnOrder({ page: _page, ...filters }: QueryFields, by: string, usual: "asc" | "desc" = "desc") {
  const { sortBy = "recordCount", sortOrder = "desc" } = filters;
  const now = { by: sortBy, direction: sortOrder === "asc" ? "asc" : "desc" } as const;
  return columnSort(by, usual, now, (order) =>
    addQuery("/affiliations", { ...filters, sortBy: order.by, sortOrder: order.direction }),
  );
}

/**
 * Returns the name as a link to the summary of the datasets with its ROR id, or to its datasets if the metadata state no such
 * id. The id is never guessed from a name.
 */
function institutionName(label: string, ror: string | undefined, datasets: string): Html {
  return html`<a href="${ror === undefined ? datasets : `/organisations/${ror}`}"><bdi>${label}</bdi></a>`;
}

function linkedFigure(figure: number, path: string): Html {
  return html`<a href="${path}"><data value="${figure}">${integer(figure)}</data></a>`;
}

/** Returns the change of an average; a dash if it is not known. */
function changeCell(row: CountryRow, before: EarlierCountries): string {
  const change = computeChange(row, before);
  return change === null ? "–" : change === 0 ? "0" : signedNumber(change, 2);
}

/** The table of countries shows this many rows at first, which the style sheet also has. */
const MAX_COUNTRIES = 20;

/** Returns the view of countries. `before` is null if there is no release to compare with. */
export function countriesView(
  data: readonly CountryRow[],
  attribution: Attribution,
  before: EarlierCountries | null,
): View {
  return {
    title: "Countries",
    description: "Datasets and average scores by country of the creators’ institutions.",
    apiPath: "/geography",
    body: html`<h1>Countries</h1>
<p class="lead">Where the creators of datasets work, by the institutions that they reported.</p>
${worldMap(data, before, attribution?.attributed ?? 0)}
${countryNote(attribution)}
${table(
  `${CAPTION}${before === null ? "" : ` Changes are since release ${before.scoreReleaseVersion}.`}`,
  [
    { name: "Country" },
    ...FIGURES,
    { name: "Institutions", isNumber: true },
    ...(before === null ? [] : [{ name: "Change", isNumber: true }]),
  ],
  data
    .toSorted((one, other) => other.recordCount - one.recordCount)
    .map((row) => [
      html`<a href="${datasetsPath(row.countryCode)}">${row.name}</a>`,
      integer(row.recordCount),
      averageCell(row.meanScore, row.meanCap, row.scoredCount),
      linkedFigure(row.institutionCount, addQuery("/affiliations", { countryCode: row.countryCode })),
      ...(before === null ? [] : [changeCell(row, before)]),
    ]),
  true,
)}${data.length > MAX_COUNTRIES ? html`<details class="rest"><summary>All ${integer(data.length)} countries</summary></details>` : null}`,
  };
}
