/** The reason a form could not be taken, above it: field by field where it is known, else in the words of the problem document. */

import type { Problem } from "../../schemas/public/problem.ts";
import { type Html, html } from "../html.ts";

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
