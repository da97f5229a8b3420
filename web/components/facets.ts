/** Facets of the list of datasets: links that set a filter, with the datasets that each would leave. */

import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { FACET_FILTERS, type Facet, type FacetName } from "../../schemas/public/site/facets.ts";
import { type Html, html } from "../html.ts";
import { integer, UNKNOWN } from "./figures.ts";
import { type Fields, urlOf } from "./navigation.ts";

const HEADINGS: Readonly<Record<FacetName, string>> = {
  signals: "Missing signal",
  year: "Year of publication",
  repository: "Repository",
  license: "Licence",
  accessStatus: "Access",
  countryCode: "Country",
  ror: "Institution",
  funder: "Funder",
  recordKind: "Kind",
};

const NAMES = Object.keys(HEADINGS) as FacetName[];

/** On narrow screens the facets are a panel that a button opens, which needs no script. */
export function facetParts(
  facets: ReadonlyMap<FacetName, Facet>,
  filters: Fields,
  signals: ReadonlyMap<string, string>,
): Html {
  const { page: _page, ...fields } = filters;
  return html`<button class="quiet" type="button" popovertarget="facets">Filter by value</button>
<nav id="facets" popover aria-label="Filters"><button class="quiet" type="button" popovertarget="facets" popovertargetaction="hide">Close</button>
${NAMES.map((name) => facetPart(name, facets.get(name), fields, signals))}</nav>`;
}

function facetPart(
  name: FacetName,
  { values, unknown }: Facet = { values: [], unknown: 0 },
  filters: Fields,
  signals: ReadonlyMap<string, string>,
): Html | null {
  if (values.length === 0) return null;
  const sorted = name === "year" ? values.toSorted((one, other) => (one.value < other.value ? 1 : -1)) : values;
  const items = sorted.map(({ value, label, records }) => {
    const set = settingsOf(name, value);
    const isActive = Object.entries(set).every(([filter, text]) => filters[filter] === text);
    const cleared = Object.fromEntries(FACET_FILTERS[name].map((filter) => [filter, ""]));
    const words = SIGNAL_IDS.includes(value) ? `${value} ${signals.get(value) ?? ""}` : label;
    return html`<li><a rel="nofollow" href="${urlOf("/datasets", { ...filters, ...(isActive ? cleared : set) })}"${
      isActive ? html` aria-current="true"` : null
    }><bdi>${words}</bdi></a> <span>${integer(records)}</span></li>\n`;
  });
  return html`<section><h2>${HEADINGS[name]}</h2><ul>${items}${
    unknown === 0 ? null : html`<li class="muted">${UNKNOWN} <span>${integer(unknown)}</span></li>`
  }</ul></section>\n`;
}

/** Returns the parameters that select the datasets with a value. */
function settingsOf(name: FacetName, value: string): Fields {
  if (name === "signals") return { signals: `${value}:absent` };
  return Object.fromEntries(FACET_FILTERS[name].map((filter) => [filter, value]));
}
