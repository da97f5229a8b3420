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
  mostDatasets,
  type OverTime,
  sharePanel,
  yearBars,
  yearsColumn,
} from "../components/list-columns.ts";
import { addQuery, pager, type QueryFields, suggestionList } from "../components/navigation.ts";
import { table } from "../components/table.ts";
import { computeChange, datasetsPath, type EarlierCountries, MIN_SCORED, worldMap } from "../components/world-map.ts";
import { type Html, type HtmlPart, html } from "../html.ts";

type Attribution = Receipt["attribution"];

/**
 * Returns a note with the share of datasets that name an institution. For an older release, which has no count of these
 * datasets, returns null.
 */
function institutionNote(attribution: Attribution): Html | null {
  if (attribution?.withoutAffiliation === undefined) return null;
  const { records, withoutAffiliation } = attribution;
  const note = "A dataset with creators of two institutions counts in both.";
  return sharePanel(records - withoutAffiliation, records, "name an institution", note);
}

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
  return html`<form action="/affiliations" role="search"><div class="row"><div class="grow">${field({ ...filled("search"), label: "Name of an institution", type: "search" })}</div><div>${field({ ...filled("countryCode"), label: "Country", hint: "For example Norway or NOR" })}</div><button>Search</button></div></form>`;
}

export function affiliationsView(page: InstitutionsPage): View {
  const { filters, pagination, attribution, suggested } = page;
  return {
    title: "Institutions",
    description: "Institutions as reported by the creators of datasets, with the average score of their datasets.",
    apiPath: addQuery("/institutions", filters),
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<div class="beside"><div><h1>Institutions</h1>
<p class="lead">${finding(page)}</p>
<p class="small muted">We show each institution as creators reported it, so a name in two spellings has two rows. A name opens its datasets, and a ROR id a summary of all datasets with this id.</p>
${affiliationsForm(filters, new Map())}</div>
${institutionNote(attribution)}</div>
<p role="status"><strong>${countText(pagination.total, "reported institution")}</strong></p>
${pagination.total === 0 ? noInstitution(filters, suggested) : institutionTable(page)}
${pager("/affiliations", filters, pagination)}`,
  };
}

/**
 * Returns the sentence below the heading: on the whole list, which institution has the most datasets; for a search, a
 * later page or an older release, the purpose of the list.
 */
function finding({ filters, data, pagination, attribution }: InstitutionsPage): HtmlPart {
  const [first] = data;
  const isWhole = pagination.page === 1 && Object.values(filters).every((value) => value === "");
  if (first === undefined || !isWhole || attribution?.withoutAffiliation === undefined)
    return "Find an institution, its datasets and its researchers.";
  const { records, withoutAffiliation } = attribution;
  return mostDatasets(first.label, first.recordCount, records - withoutAffiliation, "name an institution");
}

/** Returns the note for a list without results: institutions of similar names, and a link to a search without the country. */
function noInstitution({ search = "", countryCode = "" }: QueryFields, suggested: readonly Suggestion[]): Html {
  return html`<div class="note"><p>No institution in the current release matches.</p>${suggestionList(suggested)}${
    countryCode === ""
      ? null
      : html`<p><a href="${addQuery("/affiliations", { search })}">Search in all countries</a></p>`
  }</div>`;
}

function institutionTable({ data, rors, over, countries }: InstitutionsPage): Html {
  const before = earlierIfChanged(
    data.map(({ id }) => [id, over.groups.get(id)]),
    over.before,
  );
  return table(
    "Reported institutions by number of datasets. Averages are shown with the possible average",
    [
      { name: "Reported name" },
      ...FIGURES,
      yearsColumn(over.until),
      { name: "Researchers", isNumber: true },
      ...changeColumn(before),
    ],
    data.map(({ id, label, countryCode, recordCount, meanScore, meanCap, authorCount }) => [
      html`<a href="${addQuery("/datasets", { institution: id })}"><bdi>${label}</bdi></a>${identityLine(countryCode === null ? null : (countries.get(countryCode) ?? countryCode), rors.get(id))}`,
      integer(recordCount),
      averageCell(meanScore, meanCap),
      yearBars(over.groups.get(id)?.years ?? [], over.until),
      authorCount === 0 ? "0" : linkedFigure(authorCount, addQuery("/researchers", { institution: id })),
      ...changeCells(id, over.groups.get(id), before),
    ]),
  );
}

/**
 * Returns a second line with the country and the ROR id, for example "Norway · ROR 03yrm5c26"; null if neither is known. The
 * metadata state the ROR id. It is never guessed from a name.
 */
function identityLine(country: string | null, ror: string | undefined): Html | null {
  if (country === null && ror === undefined) return null;
  return html`<br><span class="muted small">${country}${country === null || ror === undefined ? null : " · "}${ror === undefined ? null : html`<a class="nowrap" href="/organisations/${ror}">ROR ${ror}</a>`}</span>`;
}

function linkedFigure(figure: number, path: string): Html {
  return html`<a href="${path}"><data value="${figure}">${integer(figure)}</data></a>`;
}

/** Returns the change of an average; muted if it is that of few datasets. */
function changeCell(row: CountryRow, before: EarlierCountries): HtmlPart {
  const change = computeChange(row, before);
  const text = change === null ? "–" : change === 0 ? "0" : signedNumber(change, 2);
  return row.scoredCount < MIN_SCORED ? html`<span class="muted">${text}</span>` : text;
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
${worldMap(data, before)}
${countryNote(attribution)}
${table(
  `Countries by number of datasets. Averages are shown with the possible average${before === null ? "" : `, changes since ${before.scoreReleaseVersion}`}`,
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
      averageCell(row.meanScore, row.meanCap),
      linkedFigure(row.institutionCount, addQuery("/affiliations", { countryCode: row.countryCode })),
      ...(before === null ? [] : [changeCell(row, before)]),
    ]),
  true,
)}${data.length > MAX_COUNTRIES ? html`<details class="rest"><summary>All ${integer(data.length)} countries</summary></details>` : null}`,
  };
}
