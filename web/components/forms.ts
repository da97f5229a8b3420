/** Forms: controls with a label, a hint and the typed text, the search form, and the reason that a form was rejected. */

import type { Problem } from "../../schemas/public/problem.ts";
import { type Html, html, type Part } from "../html.ts";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly hint?: string;
  readonly type?: "text" | "search" | "email";
  readonly required?: boolean;
  /** What browsers may fill in (HTML, "autofill"). */
  readonly autocomplete?: string;
}

export function field({ name, label, value = "", hint, type = "text", required, autocomplete }: Field): Html {
  return html`<label for="f-${name}">${label}</label>${hintOf(name, hint)}<input id="f-${name}" name="${name}" type="${type}" value="${value}"${
    hint === undefined ? null : html` aria-describedby="h-${name}"`
  }${required === true ? html` required` : null}${
    autocomplete === undefined ? null : html` autocomplete="${autocomplete}"`
  }>`;
}

export function area({ name, label, value = "", hint }: Field): Html {
  return html`<label for="f-${name}">${label}</label>${hintOf(name, hint)}<textarea id="f-${name}" name="${name}"${
    hint === undefined ? null : html` aria-describedby="h-${name}"`
  }>\n${value}</textarea>`;
}

export function choice(
  { name, label, value = "", hint }: Field,
  options: readonly (readonly [value: string, name: string])[],
): Html {
  return html`<label for="f-${name}">${label}</label>${hintOf(name, hint)}<select id="f-${name}" name="${name}"${
    hint === undefined ? null : html` aria-describedby="h-${name}"`
  }>${options.map(
    ([each, text]) => html`<option value="${each}"${each === value ? html` selected` : null}>${text}</option>`,
  )}</select>`;
}

/** A form of one button: what it does, with what, in words. */
export function press(action: string, values: Readonly<Record<string, string>>, words: Part, look = "quiet"): Html {
  return html`<form class="inline" method="post" action="${action}">${Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${look}">${words}</button></form>`;
}

function hintOf(name: string, hint: string | undefined): Html | null {
  return hint === undefined ? null : html`<span class="hint" id="h-${name}">${hint}</span>`;
}

/** The search form. It leads to a dataset, a researcher, or a search for either. */
export function findForm(hint: string): Html {
  return html`<form class="find" action="/find" role="search"><label for="q">Find a dataset or a researcher</label><p class="hint" id="q-hint">${hint}</p><div class="row"><div class="grow"><input id="q" type="search" name="q" aria-describedby="q-hint" maxlength="2048" autocomplete="off" data-suggest="/find/suggestions"></div><button>Find</button></div></form>`;
}

/** Names of fields as their forms show them, where programs call them otherwise. */
const LABELS: Readonly<Record<string, string>> = {
  identifier: "What you typed:",
  email: "The mail address",
  name: "The name",
  reason: "The reason",
  note: "The note",
  evidence: "What shows it",
  evidenceUrl: "The address of the page",
  statement: "What you say to who looks at it",
  says: "What you say is true",
  role: "As whom you speak",
  signal: "The signal",
};

/** The reason that a form was rejected, above it: by field if known, else in the words of the problem document. */
export function refusal({ title, detail, errors = [] }: Problem): Html {
  const [first] = errors;
  if (first === undefined)
    return html`<div class="warn" role="alert"><p><strong>${title}</strong></p><p>${detail}</p></div>`;
  const words = ({ path, message }: typeof first) => {
    if (path === "") return `What you sent ${message}`;
    return path in LABELS ? `${LABELS[path]} ${message}` : `${path}: ${message}`;
  };
  return html`<div class="warn" role="alert"><p><strong>Please look at this again</strong></p>${
    errors.length === 1
      ? html`<p>${words(first)}.</p>`
      : html`<ul>${errors.map((error) => html`<li>${words(error)}</li>`)}</ul>`
  }</div>`;
}
