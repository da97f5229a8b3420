/** The reason a form could not be taken, above it: field by field where it is known, else in the words of the problem document. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { Problem } from "../../schemas/public/problem.ts";

export function refusal({ title, detail, errors = [] }: Problem): Html {
  const [first] = errors;
  if (first === undefined)
    return html`<div class="warn" role="alert"><p><strong>${title}</strong></p><p>${detail}</p></div>`;
  const words = ({ path, message }: typeof first) => (path === "" ? `What you sent ${message}` : `${path}: ${message}`);
  return html`<div class="warn" role="alert"><p><strong>Please look at this again</strong></p>${
    errors.length === 1
      ? html`<p>${words(first)}.</p>`
      : html`<ul>${errors.map((error) => html`<li>${words(error)}</li>`)}</ul>`
  }</div>`;
}
