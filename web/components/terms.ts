/** Terms with an explanation in one sentence each, and a button beside the term that shows it without a script. */

import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";

interface Term {
  readonly name: string;
  readonly meaning: string;
}

/** The terms by id, in the order of the help page. */
export const TERMS = {
  score: {
    name: "Score",
    meaning: "Four points for each signal that a dataset passes, from 0 to 100 points.",
  },
  signal: {
    name: "Signal",
    meaning: "A yes-or-no question about the metadata of a dataset, worth four points.",
  },
  bucket: {
    name: "Bucket",
    meaning:
      "Five signals of one topic: Stewardship, Harmonization, Access, Reusability or Engagement, with 20 points each.",
  },
  cap: {
    name: "Highest possible score",
    meaning: "The points that a dataset can reach. The source of its metadata may have no field for some signals.",
  },
  unknown: {
    name: "Not known",
    meaning: "The published metadata do not show whether the dataset passes, so this is not a fault of the dataset.",
  },
  range: {
    name: "Range",
    meaning: "The lowest and the highest score that are possible while some signals are not known.",
  },
  "s-index": {
    name: "S-Index",
    meaning: "The largest number k such that k datasets of a researcher have a score of at least k.",
  },
  "s-impact": {
    name: "S-Impact",
    meaning: "The largest number k such that k datasets of a researcher have at least k citations.",
  },
  release: {
    name: "Release",
    meaning: "A set of scores that never changes, with a digest, so that you can cite and verify it.",
  },
  "as-of": {
    name: "As of",
    meaning: "The day that the calculation treats as today. Later changes are not in the release.",
  },
} as const satisfies Readonly<Record<string, Term>>;

export type TermId = keyof typeof TERMS;

/** Returns a button that shows the explanation of a term. The document contains the explanation only once. */
export function explain(id: TermId): Html {
  return html` <button type="button" class="why" popovertarget="term-${id}" aria-label="Explain: ${t(TERMS[id].name)}">?</button>`;
}

/** Returns the explanations that the buttons in the markup show. Browsers hide an explanation until a button is pressed. */
export function explanationsFor({ text }: Html): Html[] {
  return Object.entries(TERMS)
    .filter(([id]) => text.includes(` popovertarget="term-${id}"`))
    .map(
      ([id, { name, meaning }]) =>
        html`<div popover class="term" id="term-${id}"><p><strong>${t(name)}.</strong> ${t(meaning)}</p><p><a href="/help#${id}">All terms</a></p></div>\n`,
    );
}

/** Returns the list of all terms, each with an anchor. */
export function termList(): Html {
  return html`<dl class="facts">${Object.entries(TERMS).map(([id, { name, meaning }]) => html`<dt id="${id}">${t(name)}</dt><dd>${t(meaning)}</dd>`)}</dl>`;
}
