/** Facets of the list of datasets: links that set a filter, with the datasets that each would leave. */

import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { FACET_FILTERS, type Facet, type FacetName } from "../../schemas/public/site/facets.ts";
import { type Html, html } from "../html.ts";
import { countText, integer, UNKNOWN } from "./figures.ts";
import { type Fields, urlOf } from "./navigation.ts";
import { accessWords } from "./words.ts";

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

/** Values of a facet that are shown at once; a disclosure has the others. */
const SHOWN = 10;

/**
 * On narrow screens the facets are a panel that a button opens, which needs no script. A script keeps it open after a
 * choice. `total`: datasets under the current filters.
 */
export function facetParts(
  facets: ReadonlyMap<FacetName, Facet>,
  filters: Fields,
  signals: ReadonlyMap<string, string>,
  total: number,
): Html {
  const { page: _page, ...fields } = filters;
  return html`<button class="quiet" type="button" popovertarget="facets">Filter by value</button>
<nav id="facets" popover aria-label="Filters">${NAMES.map((name) => facetPart(name, facets.get(name), fields, signals))}<button type="button" popovertarget="facets" popovertargetaction="hide">Show ${countText(total, "dataset")}</button></nav>`;
}

function facetPart(
  name: FacetName,
  { values, unknown }: Facet = { values: [], unknown: 0 },
  filters: Fields,
  signals: ReadonlyMap<string, string>,
): Html | null {
  if (values.length === 0) return null;
  const sorted = name === "year" ? values.toSorted((one, other) => (one.value < other.value ? 1 : -1)) : values;
  const isActive = (value: string) =>
    Object.entries(settingsOf(name, value)).every(([filter, text]) => filters[filter] === text);
  const cleared = Object.fromEntries(FACET_FILTERS[name].map((filter) => [filter, ""]));
  const items = sorted.map(({ value, label, records }) => {
    const set = isActive(value) ? cleared : settingsOf(name, value);
    return html`<li><a rel="nofollow" href="${urlOf("/datasets", { ...filters, ...set })}"${
      isActive(value) ? html` aria-current="true"` : null
    }><bdi>${valueWords(name, label, signals)}</bdi></a> <span>${integer(records)}</span></li>\n`;
  });
  const isOpen = sorted.slice(SHOWN).some(({ value }) => isActive(value));
  return html`<section><h2>${HEADINGS[name]}</h2><ul>${items.slice(0, SHOWN)}</ul>${
    items.length <= SHOWN
      ? null
      : html`<details${isOpen ? html` open` : null}><summary>${items.length - SHOWN} more</summary><ul>${items.slice(SHOWN)}</ul></details>`
  }${unknown === 0 ? null : html`<ul><li class="muted">${UNKNOWN} <span>${integer(unknown)}</span></li></ul>`}</section>\n`;
}

/** Returns the words for a value of a facet. `label`: the value, or its name if it is a code. */
export function valueWords(name: string, label: string, signals: ReadonlyMap<string, string>): string {
  if (name === "accessStatus") return accessWords(label);
  return SIGNAL_IDS.includes(label) ? `${label} ${signals.get(label) ?? ""}` : label;
}

/** Returns the parameters that select the datasets with a value. */
function settingsOf(name: FacetName, value: string): Fields {
  if (name === "signals") return { signals: `${value}:absent` };
  return Object.fromEntries(FACET_FILTERS[name].map((filter) => [filter, value]));
}
