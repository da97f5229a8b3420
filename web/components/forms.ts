/** Parts of forms: labelled controls, one-button forms, the search form, and error messages. */

import type { Problem } from "../../schemas/public/problem.ts";
import { Html, type HtmlPart, html } from "../html.ts";
import { english, t, translateIfKnown } from "../languages/translate.ts";
import { capitalised } from "./state-words.ts";

export interface Field {
  readonly name: string;
  /** The id of the field in the document, by default its name. It is needed if several fields have the same name. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string;
  readonly hint?: string;
  readonly type?: "text" | "search" | "email";
  readonly required?: boolean;
  /** Longest text of a text area, in UTF-16 code units. */
  readonly maxLength?: number;
  /** The autofill token of HTML, for example `email`. */
  readonly autocomplete?: string;
  /** The error in the value as a sentence, for example "Must be at most 100." */
  readonly error?: string;
  /** Values that the browser suggests, each with a note. */
  readonly suggested?: readonly (readonly [value: string, note: string])[];
  /** The id of a `datalist` that several fields share. */
  readonly list?: string;
}

export function field({
  name,
  id = name,
  label,
  value = "",
  hint,
  type = "text",
  required,
  autocomplete,
  error,
  suggested,
  list = suggested === undefined ? undefined : `l-${id}`,
}: Field): Html {
  return html`<label for="f-${id}">${label}</label>${renderHint(id, hint)}${renderError(id, error)}<input id="f-${id}" name="${name}" type="${type}" value="${value}"${describedBy(id, hint, error)}${required === true ? html` required` : null}${
    autocomplete === undefined ? null : html` autocomplete="${autocomplete}"`
  }${list === undefined ? null : html` list="${list}"`}>${suggested === undefined ? null : datalist(`l-${id}`, suggested)}`;
}

export function datalist(id: string, suggested: NonNullable<Field["suggested"]>): Html {
  return html`<datalist id="${id}">${suggested.map(([each, note]) => html`<option value="${each}">${note}</option>`)}</datalist>`;
}

/** Errors in the fields of a form, by the name of the field. */
export type FieldErrors = ReadonlyMap<string, string>;

/** Returns the properties that `field` needs to show the value that the user typed, and the error in it, if there is one. */
export function filledIn(name: string, values: Readonly<Record<string, string>>, errors: FieldErrors) {
  const error = errors.get(name);
  const sentence = error === undefined ? {} : { error: `${capitalised(translateIfKnown(error))}.` };
  return { name, value: values[name] ?? "", ...sentence };
}

export function textArea({ name, label, value = "", hint, error, maxLength }: Field): Html {
  return html`<label for="f-${name}">${label}</label>${renderHint(name, hint)}${renderError(name, error)}<textarea id="f-${name}" name="${name}"${maxLength === undefined ? null : html` maxlength="${maxLength}"`}${describedBy(name, hint, error)}>\n${value}</textarea>`;
}

export function selectField(
  { name, label, value = "", hint }: Field,
  options: readonly (readonly [value: string, name: string])[],
): Html {
  return html`<label for="f-${name}">${label}</label>${renderHint(name, hint)}<select id="f-${name}" name="${name}"${
    hint === undefined ? null : html` aria-describedby="h-${name}"`
  }>${options.map(
    ([each, text]) => html`<option value="${each}"${each === value ? html` selected` : null}>${text}</option>`,
  )}</select>`;
}

export function buttonForm(
  action: string,
  values: Readonly<Record<string, string>>,
  label: HtmlPart,
  look = "quiet",
): Html {
  return html`<form class="inline" method="post" action="${action}">${hiddenInputs(values)}<button class="${look}">${label}</button></form>`;
}

/** Returns values that a form sends without showing them. */
export function hiddenInputs(values: Readonly<Record<string, string>>): Html[] {
  return Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

function renderHint(id: string, hint: string | undefined): Html | null {
  return hint === undefined ? null : html`<span class="hint" id="h-${id}">${hint}</span>`;
}

function renderError(id: string, error: string | undefined): Html | null {
  if (error === undefined) return null;
  return html`<span class="error" id="e-${id}"><span class="visually-hidden">Error: </span>${error}</span>`;
}

/** Returns the attributes that connect a control with its hint and its error. A control with an error gets the focus. */
function describedBy(id: string, hint: string | undefined, error: string | undefined): Html {
  const described = [hint === undefined ? null : `h-${id}`, error === undefined ? null : `e-${id}`];
  const ids = described.filter((each) => each !== null).join(" ");
  return html`${ids === "" ? null : html` aria-describedby="${ids}"`}${error === undefined ? null : html` aria-invalid="true" autofocus`}`;
}

/** The attributes of the search box of the whole site. A script shows suggestions below it. */
export const FIND_BOX = ' type="search" name="q" maxlength="2048" autocomplete="off" data-suggest="/find/suggestions"';
const BOX = new Html(FIND_BOX);

/** Returns the search form, which opens a dataset, a researcher, or a list of results. `text` is already in its field. */
export function findForm(hint: string, text = ""): Html {
  return html`<form class="find" action="/find" role="search"><label for="q">Find a dataset or a researcher</label><p class="hint" id="q-hint">${hint}</p><div class="row"><div class="grow"><input id="q" aria-describedby="q-hint"${text === "" ? null : html` value="${text}"`}${BOX}></div><button>Find</button></div></form>`;
}

/** Returns the search form for the header, without a visible label. */
export function headerFindForm(): Html {
  return html`<form action="/find" role="search" aria-label="Site"><input aria-label="Find a dataset, researcher, repository, institution or funder" placeholder="DOI, title or name"${BOX}><button class="quiet" aria-label="Find"><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="M13 13l5 5"/></svg></button></form>`;
}

/** Names of fields in error messages, for fields that users know under another name than that in the API. */
const LABELS: Readonly<Record<string, string>> = {
  identifier: english("The identifier"),
  email: english("The email address"),
  name: english("The name"),
  reason: english("The reason"),
  page: english("The page"),
  text: english("The description of the problem"),
  note: english("The note"),
  evidence: english("The evidence"),
};

/** Returns the errors of a rejected form, by field if they are about fields; otherwise title and detail of the problem. */
export function errorSummary({ title, detail, errors = [] }: Problem): Html {
  const [first] = errors;
  if (first === undefined)
    return html`<div class="warn" role="alert"><p><strong>${translateIfKnown(title)}</strong></p><p>${translateIfKnown(detail)}</p></div>`;
  const sentence = ({ path, message }: typeof first) => {
    if (path === "") return t`Your input ${translateIfKnown(message)}`;
    const label = LABELS[path];
    return label === undefined ? `${path}: ${translateIfKnown(message)}` : `${t(label)} ${translateIfKnown(message)}`;
  };
  return html`<div class="warn" role="alert"><p><strong>Please correct your input</strong></p>${
    errors.length === 1
      ? html`<p>${sentence(first)}.</p>`
      : html`<ul>${errors.map((error) => html`<li>${sentence(error)}</li>`)}</ul>`
  }</div>`;
}
