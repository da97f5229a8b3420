/** Views of problems: the view of a failed request, with next steps, and the page of a problem type. */

import type { ProblemPage } from "../../schemas/public/api/service.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { standaloneDocument, standaloneMain, type View } from "../components/document.ts";
import { countText } from "../components/figures.ts";
import { findForm } from "../components/forms.ts";
import { type Html, html } from "../html.ts";

/**
 * Texts for users of the site, by problem type. They replace the details of the API, which are about API keys, quotas and HTTP
 * methods.
 */
const DETAILS: Readonly<Record<string, string>> = {
  "/problems/rate-limited":
    "There were too many requests from your network in the last minute. Your request itself is valid.",
  "/problems/method-not-allowed": "This URL only receives a form. Open the page of the form, and send it again.",
};

/**
 * Returns the view of a failed request. `wait` is the number of seconds to wait; null if it is not known. `retryUrl` is
 * the URL to try again; null if the request sent a form.
 */
export function problemView(
  { title, status, detail, type, errors = [] }: Problem,
  wait: number | null,
  retryUrl: string | null,
): View {
  const words = DETAILS[type] ?? detail;
  return {
    title,
    description: words,
    unlisted: true,
    body: html`<h1>${title}</h1>
<p class="lead">${words}</p>
${errors.length === 0 ? null : html`<ul>${errors.map(({ path, message }) => html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`)}</ul>`}
${wait === null ? null : html`<p>Try again in ${wait < 120 ? countText(wait, "second") : `${Math.ceil(wait / 60)} minutes`}.</p>`}
${nextActions(type, status, retryUrl)}
<p class="small muted">Error ${status} · <a href="${type}">Description of this problem type for programs</a></p>`,
  };
}

/** Types of problems after which the user has to start the sign-in again. */
const SIGN_IN_PROBLEMS = [
  "/problems/sign-in-failed",
  "/problems/provider-unreachable",
  "/problems/sign-in-not-configured",
];

function nextActions(type: string, status: number, retryUrl: string | null): Html {
  if (SIGN_IN_PROBLEMS.includes(type)) return html`<p><a class="button" href="/sign-in">Sign in again</a></p>`;
  const find = findForm("A DOI, an accession number, a URL, an ORCID iD, a title or a name");
  if (status === 401) return html`<p><a class="button" href="/sign-in">Sign in</a></p>`;
  if (status === 410) return html`<p><a class="button" href="/sign-in">Request another link</a></p>`;
  if (status === 429 || status >= 500) return retryLater(status, retryUrl);
  if (status === 409 || status === 400 || status === 422)
    return html`<p>Use the back button of your browser to return to your text. Or start a new search:</p>${find}`;
  return html`${find}
${ELSEWHERE}`;
}

/** The lists of the site, for a reader who followed an old or mistyped link. */
const ELSEWHERE = html`<h2>Or start from a list</h2>
<ul class="links"><li><a href="/datasets">Datasets</a> <span>With scores, filters and downloads</span></li><li><a href="/researchers">Researchers</a> <span>By name or ORCID iD</span></li><li><a href="/repositories">Repositories</a> <span>With averages and signals to fix first</span></li><li><a href="/signals">How it is scored</a> <span>The 25 questions behind each score</span></li></ul>`;

/** Returns the links with which the user can try again after a temporary problem. */
function retryLater(status: number, retryUrl: string | null): Html {
  return html`${status === 429 ? null : html`<p>This is a fault of the service.</p>`}${
    retryUrl === null
      ? html`<p>Use the back button of your browser to return to your text, and send it again later.</p>`
      : html`<div class="actions"><a class="button" href="${retryUrl}">Try again</a><a class="button quiet" href="/">Home page</a></div>`
  }`;
}

/** Returns the page of a problem type: its meaning and advice. Servers and static copies without the site have it too. */
export function problemTypePage({ type, status, title, advice }: ProblemPage): string {
  return standaloneDocument({
    title: `${title} (${status})`,
    description: advice,
    body: standaloneMain(html`<h1>${title}</h1>
<p class="lead">${advice}</p>
<dl class="facts"><dt>HTTP status</dt><dd>${status}</dd><dt>Type</dt><dd><code>${type}</code></dd></dl>
<footer><a href="/docs/problems">All problem types</a> · <a href="/docs">API reference</a> · <a href="/">Home page</a></footer>`),
  });
}
