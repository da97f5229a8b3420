/** Controls of forms: each with its label, its hint, and what was typed. */

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

export function findForm(hint: string): Html {
  return html`<form class="find" action="/find" role="search"><label for="q">Find a dataset or a researcher</label><p class="hint" id="q-hint">${hint}</p><div class="row"><div class="grow"><input id="q" type="search" name="q" aria-describedby="q-hint" maxlength="2048" autocomplete="off" data-suggest="/find/suggestions"></div><button>Find</button></div></form>`;
}
