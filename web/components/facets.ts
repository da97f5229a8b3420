/** Facets of the list of datasets: links to the values of filters, with the number of datasets that each would leave. */

import {
  FACET_NAMES,
  FACETS,
  type Facet,
  type FacetName,
  isCombined,
  MAX_VALUES,
} from "../../schemas/public/api/lists.ts";
import { foldLabel } from "../../schemas/public/spelling.ts";
import { type Html, html } from "../html.ts";
import { countText, integer, UNKNOWN } from "./figures.ts";
import { hiddenInputs } from "./forms.ts";
import { addQuery, type QueryFields } from "./navigation.ts";
import { accessWords } from "./state-words.ts";

/** Number of values of a facet that are shown at once; the others are folded. */
const SHOWN = 6;

/** The facets whose values are shown at once. All others are folded, because they would be longer than the list. */
const OPEN: readonly FacetName[] = ["repository", "year", "signals", "passed"];

/** The facets that are lists of links. The scores are a picture above the list of datasets instead. */
const LISTED = [...OPEN, ...FACET_NAMES.filter((name) => name !== "score" && !OPEN.includes(name))];

/**
 * Returns the facets, those with a chosen value first; null if there is nothing to choose. On narrow screens, they are a panel that a button opens
 * without a script, and that a script keeps open after a choice. `total` is the number of datasets under the current
 * filters.
 */
export function facetParts(
  facets: ReadonlyMap<FacetName, Facet>,
  filters: QueryFields,
  signals: ReadonlyMap<string, string>,
  total: number,
): Html | null {
  const { page: _page, ...fields } = filters;
  const hasChosen = (name: FacetName) =>
    Number(facets.get(name)?.values.some(({ value }) => isChosenIn(name, value, fields)) ?? false);
  if (LISTED.every((name) => (facets.get(name)?.values.length ?? 0) === 0)) return null;
  return html`<div class="facets"><button class="quiet" type="button" popovertarget="facets">Filter by value</button>
<nav id="facets" popover aria-label="Filters"><button class="quiet" type="button" popovertarget="facets" popovertargetaction="hide">Close</button>
${LISTED.toSorted((one, other) => hasChosen(other) - hasChosen(one)).map((name) => facetPart(name, facets.get(name), fields, signals))}<button type="button" popovertarget="facets" popovertargetaction="hide">Show ${countText(total, "dataset")}</button></nav></div>`;
}

/** Returns a facet with only the values that match a search. Each word of the search must occur in the value. */
export function searchValues(facet: Facet, search: string): Facet {
  const words = foldWords(search).split(" ");
  const found = facet.values.filter(({ label }) => words.every((word) => foldWords(label).includes(word)));
  return { values: found.slice(0, MAX_VALUES), total: found.length, unknown: 0, search };
}

/** Returns a text in lower case, without accents, and with a space in place of other signs. */
function foldWords(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function facetPart(
  name: FacetName,
  facet: Facet = { values: [], total: 0, unknown: 0 },
  filters: QueryFields,
  signals: ReadonlyMap<string, string>,
): Html | null {
  const { values, total, unknown, search } = facet;
  if (values.length === 0 && search === undefined) return null;
  const isChosen = (value: string) => isChosenIn(name, value, filters);
  // The chosen values come first.
  const inOrder = name === "year" ? values.toSorted((one, other) => (one.value < other.value ? 1 : -1)) : values;
  const sorted = [...inOrder].sort((one, other) => Number(isChosen(other.value)) - Number(isChosen(one.value)));
  const items = sorted.map(
    ({ value, label, records }) =>
      html`<li><a rel="nofollow" href="${addQuery("/datasets", toggled(name, value, filters, isChosen(value)))}"${
        isChosen(value) ? html` aria-current="true"` : null
      }><bdi>${valueWords(name, label, signals)}</bdi></a> <span>${integer(records)}</span></li>\n`,
  );
  const heading = html`<h2>${FACETS[name].heading}</h2>`;
  if (search !== undefined) {
    return html`<section>${heading}${valueSearch(name, filters, search)}<p class="muted small" role="status">${
      total === items.length
        ? countText(total, "value")
        : `The ${items.length} most frequent of ${countText(total, "value")}`
    } with “${search}” · <a rel="nofollow" href="${addQuery("/datasets", filters)}">Show the most frequent</a></p><ul>${items}</ul></section>\n`;
  }
  const isAnyChosen = sorted.some(({ value }) => isChosen(value));
  const isOpen = sorted.slice(SHOWN).some(({ value }) => isChosen(value));
  const shown = html`<ul>${items.slice(0, SHOWN)}</ul>${
    items.length <= SHOWN
      ? null
      : html`<details${isOpen ? html` open` : null}><summary>${integer(total - SHOWN)} more</summary><ul>${items.slice(SHOWN)}</ul>${total === items.length ? null : html`<p class="muted small">The ${items.length} most frequent of ${integer(total)}</p>${valueSearch(name, filters, "")}`}</details>`
  }${unknown === 0 ? null : html`<ul><li class="muted">${UNKNOWN} <span>${integer(unknown)}</span></li></ul>`}`;
  if (OPEN.includes(name)) return html`<section>${heading}${shown}</section>\n`;
  return html`<section><details class="facet"${isAnyChosen ? html` open` : null}><summary>${heading}</summary>${shown}</details></section>\n`;
}

/** Returns a form that searches among all values of a facet, and keeps the filters. */
function valueSearch(name: FacetName, filters: QueryFields, words: string): Html {
  const kept = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  return html`<form class="find-value" action="/datasets">${hiddenInputs({ ...kept, valuesOf: name })}<input type="search" name="valuesWith" value="${words}" required maxlength="100" aria-label="Find in ${FACETS[name].heading}"><button class="quiet">Find</button></form>`;
}

/** Returns the text that is shown for a value of a facet. `label` is the value, or the name of the value if it is a code. */
export function valueWords(name: string, label: string, signals: ReadonlyMap<string, string>): string {
  if (name === "accessStatus") return accessWords(label);
  if (name !== "signals" && name !== "passed") return label;
  const [signal = ""] = label.split(":");
  return `${signal} ${signals.get(signal) ?? ""}`;
}

function isChosenIn(name: FacetName, value: string, filters: QueryFields): boolean {
  return FACETS[name].filters.every((filter) =>
    chosenIn(name, filters[filter]).some((chosen) => foldLabel(chosen) === foldLabel(value)),
  );
}

/** Returns the chosen values of a facet from the text of its filter, in which commas separate several values. */
function chosenIn(name: FacetName, text = ""): readonly string[] {
  if (text === "") return [];
  return isCombined(name) ? text.split(",") : [text];
}

/** Returns the filters with a value added or removed. If a facet allows one value only, a new value replaces the old one. */
function toggled(name: FacetName, value: string, filters: QueryFields, isChosen: boolean): QueryFields {
  const formatText = (filter: string) => {
    const others = isCombined(name) ? chosenIn(name, filters[filter]).filter((each) => each !== value) : [];
    return (isChosen ? others : [...others, value]).join(",");
  };
  return { ...filters, ...Object.fromEntries(FACETS[name].filters.map((filter) => [filter, formatText(filter)])) };
}
