/** Problems for people: the page of a request that failed, with a way on, and the page that its type links to. */

import type { ProblemPage } from "../../schemas/public/api/service.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { mainAlone, standaloneDocument, type View } from "../components/document.ts";
import { counted } from "../components/figures.ts";
import { findForm } from "../components/forms.ts";
import { type Html, html } from "../html.ts";

/** What the document says of keys and quotas is for programs. */
const TOO_MANY =
  "More was asked for at once from where you are than one place may ask. Nothing is wrong with your request.";

/** `wait`: seconds to wait, where that is known; `again`: the address that may answer later, null where it was sent something. */
export function problemView(
  { title, status, detail, type, errors = [] }: Problem,
  wait: number | null,
  again: string | null,
): View {
  const words = type === "/problems/rate-limited" ? TOO_MANY : detail;
  return {
    title,
    description: words,
    unlisted: true,
    body: html`<h1>${title}</h1>
<p class="lead">${words}</p>
${errors.length === 0 ? null : html`<ul>${errors.map(({ path, message }) => html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`)}</ul>`}
${wait === null ? null : html`<p>Try again in ${wait < 120 ? counted(wait, "second") : `${Math.ceil(wait / 60)} minutes`}.</p>`}
${waysOn(type, status, again)}
<p class="small muted">Error ${status} · <a href="${type}">what this means to programs</a></p>`,
  };
}

/** Problems of a sign-in, which begins again. */
const SIGN_IN_PROBLEMS = [
  "/problems/sign-in-failed",
  "/problems/provider-unreachable",
  "/problems/sign-in-not-configured",
];

function waysOn(type: string, status: number, again: string | null): Html {
  if (SIGN_IN_PROBLEMS.includes(type)) return html`<p><a class="button" href="/sign-in">Sign in again</a></p>`;
  const find = findForm("A DOI, an accession number, an address, an ORCID iD, a title or a name");
  if (status === 401) return html`<p><a class="button" href="/sign-in">Sign in</a></p>`;
  if (status === 410) return html`<p><a class="button" href="/sign-in">Ask for another link</a></p>`;
  if (status === 429 || status >= 500) return later(status, again);
  if (status === 409 || status === 400 || status === 422)
    return html`<p>Go back with your browser’s button: what you typed is still there. Or begin anew:</p>${find}`;
  return find;
}

/** It is not for who reads to mend; what was typed is not lost where a form was sent. */
function later(status: number, again: string | null): Html {
  return html`${status === 429 ? null : html`<p>The fault is not yours.</p>`}${
    again === null
      ? html`<p>Go back with your browser’s button, and send it again later: what you typed is still there.</p>`
      : html`<div class="actions"><a class="button" href="${again}">Try again</a><a class="button quiet" href="/">To the first page</a></div>`
  }`;
}

/** The meaning of a problem's type and what to do about it, on a server or in a copy without the site too. */
export function problemTypePage({ type, status, title, advice }: ProblemPage): string {
  return standaloneDocument({
    title: `${title} (${status})`,
    description: advice,
    body: mainAlone(html`<h1>${title}</h1>
<p class="lead">${advice}</p>
<dl class="facts"><dt>HTTP status</dt><dd>${status}</dd><dt>Type</dt><dd><code>${type}</code></dd></dl>
<footer><a href="/docs#refusals">All refusals</a> · <a href="/docs">Reference</a> · <a href="/">Beginning</a></footer>`),
  });
}
