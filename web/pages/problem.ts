/** The page of a problem: the words of the problem document, and a way on. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { View } from "../frame/view.ts";
import { findForm } from "../parts/find-form.ts";

/** `advice`: what a program can do; `wait`: seconds to wait, where that is known. */
export function problemView({ title, status, detail, type, errors = [] }: Problem, wait: number | null): View {
  return {
    title,
    description: detail,
    unlisted: true,
    body: html`<h1>${title}</h1>
<p class="lead">${detail}</p>
${errors.length === 0 ? null : html`<ul>${errors.map(({ path, message }) => html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`)}</ul>`}
${wait === null ? null : html`<p>Try again in ${wait < 120 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`}.</p>`}
${waysOn(status)}
<p class="small muted">Error ${status} · <a href="${type}">what this means to programs</a></p>`,
  };
}

function waysOn(status: number): Html {
  const find = findForm("A DOI, an accession number, an address, an ORCID iD, a title or a name");
  if (status === 401) return html`<p><a class="button" href="/sign-in">Sign in</a></p>`;
  if (status === 409 || status === 400 || status === 422)
    return html`<p>Go back with your browser’s button: what you typed is still there. Or begin anew:</p>${find}`;
  return find;
}
