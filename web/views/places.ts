/** Institutions and countries: what share could be attributed at all is said first. */

import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { Pagination } from "../../schemas/public/api/common.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { View } from "../components/document.ts";
import { counted, decimal, percent, whole } from "../components/figures.ts";
import { field } from "../components/forms.ts";
import { addressOf, type Fields, pager } from "../components/navigation.ts";
import { table } from "../components/table.ts";
import { worldMap } from "../components/world-map.ts";
import { type Html, html } from "../html.ts";

type Attribution = Receipt["attribution"];

/** Of the datasets of a release, those that could be attributed to a country. */
function attributed(attribution: Attribution): Html | null {
  if (attribution === null) return null;
  const { records, attributed: known, withoutAffiliation } = attribution;
  return html`<div class="note"><p><strong>${percent(known, records)} of the datasets could be attributed to a country</strong>: ${whole(known)} of ${whole(records)}. ${
    withoutAffiliation === undefined ? null : html`${whole(withoutAffiliation)} name no institution at all. `
  }All figures here are of those alone, and a dataset with creators in two places counts in both.</p></div>`;
}

const FIGURES = [
  { name: "Datasets", isNumber: true },
  { name: "Average score", isNumber: true },
  { name: "Possible", isNumber: true },
] as const;

export interface AffiliationsPage {
  readonly asked: Fields;
  readonly data: readonly InstitutionRow[];
  readonly pagination: Pagination;
  readonly attribution: Attribution;
}

export function affiliationsView({ asked, data, pagination, attribution }: AffiliationsPage): View {
  const country = asked.countryCode ?? "";
  return {
    title: "Institutions",
    description: "Institutions as creators of datasets reported them, with the average score of their datasets.",
    twin: addressOf("/institutions", asked),
    unlisted: Object.values(asked).some((value) => value !== ""),
    body: html`<h1>Institutions</h1>
<p class="lead">As creators reported them. The same institution written in two ways is two rows: nothing is guessed.</p>
${attributed(attribution)}
<form action="/affiliations" role="search"><div class="row"><div class="grow">${field({ name: "search", label: "Name of an institution", type: "search", value: asked.search ?? "" })}</div><div>${field({ name: "countryCode", label: "Country", value: country, hint: "Three letters, such as NOR" })}</div><button>Search</button></div></form>
<p role="status"><strong>${counted(pagination.total, "reported institution")}</strong></p>
${table(
  "Reported institutions by number of datasets",
  [{ name: "As it was reported" }, { name: "Country" }, ...FIGURES],
  data.map(({ label, countryCode, recordCount, meanScore, meanCap }) => [
    html`<bdi>${label}</bdi>`,
    countryCode ?? "not known",
    whole(recordCount),
    decimal(meanScore),
    decimal(meanCap),
  ]),
)}
${pager("/affiliations", asked, pagination)}`,
  };
}

export function countriesView(data: readonly CountryRow[], attribution: Attribution): View {
  return {
    title: "Countries",
    description: "Datasets and their average scores by the countries of their creators’ institutions.",
    twin: "/geography",
    body: html`<h1>Countries</h1>
<p class="lead">By the institutions that creators reported.</p>
${attributed(attribution)}
${worldMap(data)}
${table(
  "Countries by number of datasets",
  [{ name: "Country" }, ...FIGURES, { name: "Institutions", isNumber: true }],
  data
    .toSorted((one, other) => other.recordCount - one.recordCount)
    .map(({ name, countryCode, recordCount, meanScore, meanCap, institutionCount }) => [
      html`<a href="/affiliations?countryCode=${countryCode}">${name}</a>`,
      whole(recordCount),
      decimal(meanScore),
      decimal(meanCap),
      whole(institutionCount),
    ]),
  true,
)}`,
  };
}
