/** Views that show documents of this repository: the help with its terms and questions, the guides, and the changelog. */

import { datasetTier } from "../../api-static/pages/numbers.ts";
import { GUIDES, type GuideName } from "../../schemas/public/site/guides.ts";
import { meter } from "../components/bars.ts";
import { contactLink } from "../components/contact.ts";
import { csvSection } from "../components/csv.ts";
import type { View } from "../components/document.ts";
import { termList } from "../components/terms.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { inline, type LinkResolver, readDocument } from "../reference/markdown.ts";

/** Pages of the site that show a document, by the file name of the document. Links to the file lead to the page. */
const PAGES: Readonly<Record<string, string>> = {
  "understanding-scores": "/help",
  glossary: "/help#terms",
  signals: "/signals",
  tables: "/docs/tables",
  endpoints: "/docs",
  validation: "/history#validation",
};

const toPage: LinkResolver = (target) => {
  if (/^(?:https:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  if (name in GUIDES) return `/guides/${name}${fragment}`;
  const page = PAGES[name];
  return page === undefined ? null : name === "understanding-scores" ? page + fragment : page;
};

/**
 * Returns the help. `markdown` is the document on understanding scores in the language of the page, and `original` is
 * the English document. `contact` is the operator's contact; null if it is not set.
 */
export function helpView(markdown: string, contact: string | null, original = markdown): View {
  const withLinks = markdown.replaceAll("`/check`", "[`/check`](/check)");
  const { headings, questions, body } = readDocument(withLinks, toPage, original);
  const title = t("Help and questions");
  return {
    title,
    description: t("The meaning of scores and of the S-Index, how to improve a score, terms, and frequent questions."),
    body: html`<h1>${title}</h1>
${contents([
  ...headings,
  { anchor: "terms", text: t("Terms") },
  { anchor: "guides", text: t("Guides") },
  { anchor: "csv", text: t("Columns of CSV files") },
])}
<ul class="entries names">${questions.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul>
${exampleScore()}
<div class="document">${body}</div>
<h2 id="terms">Terms</h2>
${termList()}
<h2 id="guides">Guides</h2>
<ul class="links">${Object.entries(GUIDES).map(([name, { title: guide, about }]) => html`<li><a href="/guides/${name}">${t(guide)}</a> <span>${t(about)}</span></li>\n`)}</ul>
${csvSection()}
${contact === null ? null : html`<p>Do you have another question? Write to the operator of this site: ${contactLink(contact)}</p>`}`,
  };
}

/** Returns the score of the worked example in the document as a picture, as the page of a dataset shows it. */
function exampleScore(): Html {
  const [total, cap] = [48, 60];
  return html`<div class="score"><div><p><span class="big">${total}</span> <span class="of">${t`of ${cap} possible points`}</span></p>
${meter(total, { most: 100, cap, tier: datasetTier(total, cap) })}</div><div><p>For example, this dataset passed 12 of the 15 signals that its source can show, with 4 points each. The line on the bar marks the possible points.</p></div></div>`;
}

/** Returns the links to the headings of a document. They are closed on phones, and always open on wide screens. */
function contents(headings: readonly { readonly anchor: string; readonly text: HtmlPart }[]): Html {
  return html`<nav aria-label="On this page"><details class="contents"><summary>On this page</summary><ul>${headings.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul></details></nav>`;
}

/** Returns the view of a guide, whose document is `markdown`. */
export function guideView(name: GuideName, markdown: string): View {
  const { headings, body } = readDocument(markdown, toPage);
  const { title, about } = GUIDES[name];
  return {
    title,
    description: about,
    body: html`<p class="crumbs"><a href="/help#guides">Guides</a></p>
<h1>${title}</h1>
${contents(headings.map(({ anchor, text }) => ({ anchor, text: inline(text) })))}
<div class="document">${body}</div>`,
  };
}

/** Returns the view of the changelog, which is `markdown`. */
export function changelogView(markdown: string): View {
  const { title, body } = readDocument(markdown.replaceAll("## [Unreleased]", "## Unreleased"), toPage);
  return {
    title,
    description: "Changes of the program: API, command line and site.",
    body: html`<h1>${title}</h1>
<p class="lead">This page is about the program. For changes of scores, see <a href="/history">Releases and downloads</a>, or follow <a href="/history.atom">the feed of releases</a>.</p>
<div class="document changes">${body}</div>`,
  };
}
