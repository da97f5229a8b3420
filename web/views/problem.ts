/** Views of problems: the view of a failed request, with next steps, and the page of a problem type. */

import { decoded, digestKey, recordKey, repositoryKey, slugKey } from "../../api-static/routes/route.ts";
import type { ProblemPage } from "../../schemas/public/api/service.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { standaloneDocument, standaloneMain, type View } from "../components/document.ts";
import { countText } from "../components/figures.ts";
import { findForm } from "../components/forms.ts";
import { type Html, html } from "../html.ts";

interface Words {
  readonly title: string;
  readonly text: string;
  /** A link that follows the text. */
  readonly link?: Html;
}

/**
 * Texts for users of the site, by problem type. They replace the texts of the API, which are about API keys, quotas, parameters
 * and HTTP methods.
 */
const WORDS_OF_TYPES: Readonly<Record<string, Words>> = {
  "/problems/rate-limited": {
    title: "Too many requests",
    text: "There were too many requests from your network in the last minute. Your request itself is valid.",
  },
  "/problems/method-not-allowed": {
    title: "This address only receives a form",
    text: "Open the page of the form, and send it again.",
  },
  "/problems/invalid-parameter": {
    title: "Part of this address is not valid",
    text: "The link may be old or mistyped. This page cannot use one of its values.",
  },
};

const CHECK_NOW = html` If it is not here, <a href="/check">check it now</a>.`;

/** Texts for users of the site, by the general details of the API. A detail that has a reason is shown as it is. */
const WORDS_OF_DETAILS: readonly (readonly [detail: string, Words])[] = [
  [
    "There is nothing at this URL.",
    { title: "There is no page at this address", text: "The link may be old or mistyped, or the page has moved." },
  ],
  [
    recordKey.unknown.detail,
    {
      title: "There is no dataset at this address",
      text: "The link may be mistyped. If you know the DOI or the title of the dataset, search for it.",
      link: CHECK_NOW,
    },
  ],
  [
    "No dataset with this ID has been harvested.",
    {
      title: "There is no dataset at this address",
      text: "No release has had a dataset here. If you know its DOI, search for it.",
      link: CHECK_NOW,
    },
  ],
  [
    slugKey.unknown.detail,
    {
      title: "There is no researcher at this address",
      text: "The link may be mistyped, or the current release does not show this person. Search for the name or the ORCID iD.",
    },
  ],
  [
    repositoryKey.unknown.detail,
    {
      title: "There is no repository at this address",
      text: "The name must be written exactly as in the list of repositories, with capital letters.",
    },
  ],
  [
    digestKey.unknown.detail,
    {
      title: "There is no release at this address",
      text: "The link may be mistyped. Choose a release from the list below.",
    },
  ],
];

/** Returns the texts for users; null if the texts of the API are about this request, and users need them. */
function findWords({ type, detail }: Problem): Words | null {
  const words = WORDS_OF_TYPES[type] ?? WORDS_OF_DETAILS.find(([start]) => detail.startsWith(start))?.[1];
  if (words !== undefined) return words;
  return type === "/problems/not-found" ? { title: "There is no page at this address", text: detail } : null;
}

/** Returns a text in which paths such as `/help` in "/help lists all guides." are links. */
function linkPaths(text: string): Html[] {
  return text
    .split(/(?<=\. )(\/[a-z/]+)(?= lists )/)
    .map((part, i) => (i % 2 === 0 ? html`${part}` : html`<a href="${part}">${part}</a>`));
}

/** Longest message about a value that users see, in characters. Longer ones list all values that the API accepts. */
const MAX_MESSAGE_LENGTH = 80;

/** Returns a message about a value in the address in words for users. */
function explainValue(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH
    ? "has a value that this page does not know"
    : message.replace("is not a parameter of this endpoint", "is not known on this page");
}

function listErrors(errors: NonNullable<Problem["errors"]>): Html | null {
  if (errors.length === 0) return null;
  return html`<ul>${errors.map(({ path, message }) => html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`)}</ul>`;
}

/**
 * Returns the view of a failed request. `wait` is the number of seconds to wait; null if it is not known. `retryUrl` is
 * the URL to try again; null if the request sent a form.
 */
export function problemView(problem: Problem, wait: number | null, retryUrl: string | null): View {
  const { title, status, detail, type, errors = [] } = problem;
  const words = findWords(problem);
  const shown = errors.map(({ path, message }) => ({ path, message: explainValue(message) }));
  return {
    title: words?.title ?? title,
    description: words?.text ?? detail,
    unlisted: true,
    body: html`<h1>${words?.title ?? title}</h1>
<p class="lead">${linkPaths(words?.text ?? detail)}${words?.link ?? null}</p>
${listErrors(shown)}
${wait === null ? null : html`<p>Try again in ${wait < 120 ? countText(wait, "second") : `${Math.ceil(wait / 60)} minutes`}.</p>`}
${nextActions(problem, retryUrl)}
<details class="programs"><summary>Error ${status}: details for programs</summary>${
      words === null || wait !== null ? null : html`<p>${title}. ${detail}</p>${listErrors(errors)}`
    }<p><a href="${type}">Description of this problem type</a></p></details>`,
  };
}

/** Types of problems after which the user has to start the sign-in again. */
const SIGN_IN_PROBLEMS = [
  "/problems/sign-in-failed",
  "/problems/provider-unreachable",
  "/problems/sign-in-not-configured",
];

function nextActions({ type, status, instance }: Problem, retryUrl: string | null): Html {
  if (SIGN_IN_PROBLEMS.includes(type)) return html`<p><a class="button" href="/sign-in">Sign in again</a></p>`;
  const find = findForm("A DOI, an accession number, a URL, an ORCID iD, a title or a name", findNamed(instance));
  if (status === 401) return html`<p><a class="button" href="/sign-in">Sign in</a></p>`;
  if (type === "/problems/link-used") return html`<p><a class="button" href="/sign-in">Request another link</a></p>`;
  if (status === 429 || status >= 500) return retryLater(status, retryUrl);
  const [page = "", query] = (retryUrl ?? "").split("?");
  if (query !== undefined && status !== 404)
    return html`<div class="actions"><a class="button" href="${page}">Open the page without these values</a></div>${find}`;
  if (status === 409 || status === 400 || status === 422)
    return html`<p>Use the back button of your browser to return to your text. Or start a new search:</p>${find}`;
  return html`${find}
${ELSEWHERE}`;
}

/**
 * Returns the words of a URL that users can search for, for example the name in the URL of an unknown researcher; empty
 * for an address that has none.
 */
function findNamed(path: string): string {
  const [, list = "", named = ""] =
    /^\/(datasets|records|researchers|repositories|funders|affiliations)\/(.+)$/.exec(path) ?? [];
  const text = decoded(named) ?? "";
  if (list === "researchers") return text.replace(/(?:-[\dX]{4}){4}$/, "").replaceAll("-", " ");
  return /^r[0-9a-f]+$/.test(text) ? "" : text;
}

/** The lists of the site, for a reader who followed an old or mistyped link. */
const ELSEWHERE = html`<h2>Or start from a list</h2>
<ul class="links"><li><a href="/datasets">Datasets</a> <span>With scores, filters and downloads</span></li><li><a href="/researchers">Researchers</a> <span>By name or ORCID iD</span></li><li><a href="/repositories">Repositories</a> <span>With averages and signals to fix first</span></li><li><a href="/affiliations">Institutions</a> <span>With the datasets of their researchers</span></li><li><a href="/funders">Funders</a> <span>With the datasets of their grants</span></li><li><a href="/countries">Countries</a> <span>With the datasets of their institutions</span></li><li><a href="/signals">Signals</a> <span>With rules and examples</span></li><li><a href="/history">Releases</a> <span>With downloads and changes</span></li></ul>`;

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
