/** HTML documents: those of the site, with navigation and Content-Security-Policy, and standalone documents without them. */

import type { Retraction } from "../../schemas/public/retraction.ts";
import { Html, type HtmlPart, html } from "../html.ts";
import { localLinks, localPath, pathIn } from "../languages/paths.ts";
import { english, LANGUAGE_CODES, LANGUAGES, language, t } from "../languages/translate.ts";
import { reportPath } from "./contact.ts";
import { iconLink, LOGO, type SiteFace, siteMark } from "./face.ts";
import { dayText, timeElement } from "./figures.ts";
import { FIND_BOX, headerFindForm } from "./forms.ts";
import { forPrograms } from "./programs.ts";
import { findScripts } from "./scripts.ts";
import { describePicture, SHARE_PICTURE, type SharePicture } from "./share-picture.ts";
import { STYLE } from "./style.ts";
import { explain, explanationsFor } from "./terms.ts";

/** A view: the content of a document of the site, without navigation and footer. */
export interface View {
  readonly title: string;
  /** One sentence for search engines and previews. */
  readonly description: string;
  readonly body: HtmlPart;
  /** Path and query at which the API has the same content as the view; null if there is none. */
  readonly apiPath?: string | null;
  /** The canonical path, if several URLs show this view. By default, the path of the document. */
  readonly canonical?: string;
  /** True if search engines must not index the view, because it is private, or one of very many similar views. */
  readonly unlisted?: boolean;
  /** Seconds after which the document reloads while a check runs. */
  readonly refreshSeconds?: number;
  /** True if the figures were computed for this request instead of read from the active release. */
  readonly isLive?: boolean;
  /** schema.org metadata as JSON-LD. */
  readonly linkedData?: Readonly<Record<string, unknown>>;
  /** Links for programs: the value of a `Link` header (RFC 8288). */
  readonly links?: string;
  /** Path of the Atom feed of the view's datasets. */
  readonly feed?: string;
  /** The picture that other sites show beside links to the view. Its path is that of the view, followed by `/card.png`. */
  readonly picture?: SharePicture;
}

/** The facts about the service that each document of the site shows besides its view. */
export interface SiteState {
  readonly origin: string;
  /** Path of the document, without language and query. */
  readonly path: string;
  /** The query, if the document exists in several languages. */
  readonly query?: string;
  readonly face: SiteFace;
  /** The active release; null if there is none. */
  readonly release: {
    readonly version: string;
    readonly asOf: string;
    readonly retraction: RetractionNotice | null;
  } | null;
}

/** The published part of a retraction. */
export type RetractionNotice = Pick<Retraction, "retractedAt" | "reason">;

/** Title of the home view. The document shows the title of the site instead. */
export const HOME_TITLE = "SHARE";

/** Path of the Atom feed of releases. Every document links to it for feed readers. */
export const FEED_PATH = "/history.atom";

const MAIN_LINKS = [
  { path: "/datasets", name: english("Datasets") },
  { path: "/researchers", name: english("Researchers") },
  { path: "/repositories", name: english("Repositories") },
  { path: "/signals", name: english("How it is scored") },
  { path: "/check", name: english("Check a dataset") },
] as const;

const FOOTER_LINKS = [
  { path: "/affiliations", name: english("Institutions") },
  { path: "/countries", name: english("Countries") },
  { path: "/funders", name: english("Funders") },
  { path: "/history", name: english("Releases and downloads") },
  { path: "/docs", name: english("API for programs") },
  { path: "/help", name: english("Help and questions") },
  { path: "/about", name: english("About and contact") },
  { path: "/service-status", name: english("Status") },
  { path: "/terms", name: "Terms", meaning: english("Terms of use") },
  { path: "/privacy", name: english("Privacy") },
  { path: "/changelog", name: english("Changelog") },
] as const;

/** Returns the name of a link. If an English name has two meanings, `meaning` is the key of its translation. */
function linkName({ name, meaning = name }: { readonly name: string; readonly meaning?: string }): string {
  return language() === "en" ? name : t(meaning);
}

export function siteDocument(view: View, state: SiteState): string {
  const { face } = state;
  const isHome = view.title === HOME_TITLE;
  const content = html`${renderBanner(state)}${view.body}${renderPrograms(view, state)}`;
  const footer = renderFooter(view, state);
  const body = html`${siteHeader(state.path, content.text.includes(FIND_BOX) ? null : headerFindForm(), face)}${renderLanguages(state)}
<main class="page" id="content" tabindex="-1">
${content}
${explanationsFor(html`${content}${footer}`)}</main>
${footer}`;
  const text = skeleton(
    {
      ...view,
      title: isHome ? `${face.title}: ${t("How well are datasets shared?")}` : `${view.title} – ${face.title}`,
      locale: chooseLocale(face),
    },
    [
      renderHead(isHome ? { ...view, title: face.title } : view, state),
      html`\n<link rel="stylesheet" href="${face.stylePath}">`,
    ],
    [body, findScripts(body)],
  );
  return localLinks(text);
}

/** Returns the locale in which a script formats times. Figures are already formatted for the language of the page. */
function chooseLocale({ locale }: SiteFace): string | null {
  return language() === "en" || locale?.startsWith(language()) === true ? locale : language();
}

/** Returns links to the same page in all languages; null for a page in one language. */
function renderLanguages({ path, query }: SiteState): Html | null {
  if (query === undefined) return null;
  // The result of a draft has no URL of its own, so the links lead to the form.
  const page = path === "/check/draft" ? "/check" : query === "" ? path : `${path}?${query}`;
  return html`
<nav class="languages" aria-label="Languages"><ul>${LANGUAGE_CODES.map((code) => {
    // The path `/` redirects to the language of the browser, so the link to English is `/en`.
    const to = code === "en" && path === "/" ? `/en${page.slice(1)}` : pathIn(code, page);
    return html`<li><a lang="${code}" hreflang="${code}" href="${to}"${code === language() ? html` aria-current="true"` : null}>${LANGUAGES[code]}</a></li>`;
  })}</ul></nav>`;
}

/** Returns links for search engines to the same page in all languages; null for a page in one language. */
function renderAlternates({ origin, query }: SiteState, canonical: string): Html | null {
  if (query === undefined) return null;
  const link = (named: string, to: string) => html`<link rel="alternate" hreflang="${named}" href="${origin}${to}">\n`;
  return html`${LANGUAGE_CODES.map((code) => link(code, pathIn(code, canonical)))}${link("x-default", canonical)}`;
}

/** Returns links to the view's content in the API, if it needs no session. The home view has no such content. */
function renderPrograms({ apiPath = null }: View, { origin, path }: SiteState): Html | null {
  if (apiPath === null || path === "/" || apiPath.startsWith("/account/")) return null;
  return html`\n${forPrograms(origin, apiPath)}`;
}

/** Returns the warning if the active release is retracted. */
function renderBanner({ release }: SiteState): Html | null {
  if (release === null || release.retraction === null) return null;
  return html`${retractedNote(release.version, release.retraction)}\n`;
}

function renderHead(view: View, state: SiteState): Html {
  const { origin, path, face } = state;
  const plain = view.canonical ?? path;
  const canonical = localPath(plain);
  const { apiPath = null, linkedData, picture } = view;
  return html`${iconLink(face)}
<link rel="canonical" href="${origin}${canonical}">
${renderAlternates(state, plain)}<link rel="alternate" type="application/atom+xml" href="${FEED_PATH}" title="Releases of SHARE scores">
${view.feed === undefined ? null : html`<link rel="alternate" type="application/atom+xml" href="${view.feed}" title="Changes of ${view.title}">\n`}${apiPath === null ? null : html`<link rel="alternate" type="application/json" href="${apiPath}">\n`}${
  view.unlisted === true ? html`<meta name="robots" content="noindex">\n` : null
}${view.refreshSeconds === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${view.refreshSeconds}"></noscript>\n`}<meta property="og:site_name" content="${face.title}">
<meta property="og:type" content="website">
<meta property="og:title" content="${view.title}">
<meta property="og:description" content="${view.description}">
<meta property="og:url" content="${origin}${canonical}">
${
  picture === undefined
    ? null
    : html`<meta property="og:image" content="${origin}${plain.replace(/^\/$/, "")}/card.png">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${SHARE_PICTURE.width}">
<meta property="og:image:height" content="${SHARE_PICTURE.height}">
<meta property="og:image:alt" content="${describePicture(picture)}">
<meta name="twitter:card" content="summary_large_image">
`
}${linkedData === undefined ? null : html`<script type="application/ld+json">${jsonIn(linkedData)}</script>`}`;
}

/** Returns JSON in which `<` is escaped, so that no text can end the script element. */
function jsonIn(value: Readonly<Record<string, unknown>>): Html {
  return new Html(JSON.stringify(value).replaceAll("<", "\\u003c"));
}

/**
 * Returns the header of a document. `form` is the search box for the whole site; null if the main part already has a
 * search box, or the content policy forbids forms.
 */
export function siteHeader(path: string, form: Html | null, face: Pick<SiteFace, "logo" | "title">): Html {
  // The list of datasets to check belongs to the page that checks one.
  const isCurrent = (target: string) =>
    path === target || path.startsWith(`${target}/`) || (target === "/check" && path === "/check-list");
  const link = ({ path: to, name }: { readonly path: string; readonly name: string }) =>
    html`<li><a href="${to}"${isCurrent(to) ? html` aria-current="page"` : null}>${t(name)}</a></li>`;
  return html`<header class="bar-top"><div>
${siteMark(face)}
${form}
<button class="quiet menu" type="button" popovertarget="menu">Menu</button>
<nav id="menu" popover aria-label="Main"><ul>${[...MAIN_LINKS, { path: "/me", name: english("Your account") }].map(link)}</ul></nav>
</div></header>`;
}

function renderFooter({ apiPath = null, isLive = false }: View, { path, release, face }: SiteState): Html {
  const imprint = face.imprint === null ? [] : [{ path: "/imprint", name: english("Imprint") }];
  return html`<footer class="bottom"><div>
<ul>${[...FOOTER_LINKS, ...imprint].map((link) => html`<li><a href="${link.path}">${linkName(link)}</a></li>`)}${
    apiPath === null ? null : html`<li><a href="${apiPath}">This page as JSON</a></li>`
  }<li><a rel="nofollow" href="${reportPath(path)}">Report a problem</a></li></ul>
${
  release === null || isLive
    ? null
    : html`<p>Figures are from release ${release.version}${explain("release")}, as of <time datetime="${release.asOf}">${dayText(release.asOf)}</time>${explain("as-of")}. <a href="/history/latest">Changes in this release</a></p>`
}
</div></footer>`;
}

export function retractedNote(version: string, { retractedAt, reason }: RetractionNotice): Html {
  return html`<div class="warn" role="note"><p><b>Release ${version} was retracted</b> on ${timeElement(retractedAt)}: ${reason}</p><p><a href="/history">All releases</a></p></div>`;
}

/** Returns the Content-Security-Policy, which allows these scripts by digest. `digest` returns SHA-256 in base64. */
export function buildContentPolicy(scripts: readonly string[], digest: (text: string) => string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    `script-src ${scripts.map((text) => `'sha256-${digest(text)}'`).join(" ")}`,
    "worker-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

interface DocumentFrame extends Pick<View, "title" | "description"> {
  /** The locale in which a script formats dates and figures; null for the reader's own. */
  readonly locale?: string | null;
}

/** Returns an HTML document. `head` has the elements of the head that differ between documents. */
function skeleton({ title, description, locale = null }: DocumentFrame, head: HtmlPart, body: HtmlPart): string {
  return `${
    html`<!doctype html>
<html lang="${language() === "en" ? "en-GB" : language()}"${locale === null ? null : html` data-locale="${locale}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>`.text
  }\n`;
}

/**
 * Returns a document without navigation. It contains its style or, with a `face`, links to the style sheet of the site.
 * `script` is its only script.
 */
export function standaloneDocument(
  view: Pick<View, "title" | "description" | "body">,
  script: string | null = null,
  face: Pick<SiteFace, "stylePath" | "logo"> | null = null,
): string {
  const { body } = view;
  return skeleton(
    view,
    face === null
      ? html`<style>${new Html(STYLE)}</style>`
      : html`${iconLink(face)}<link rel="stylesheet" href="${face.stylePath}">`,
    script === null ? body : [body, html`\n<script>${new Html(script)}</script>`],
  );
}

/** Returns the main part of a document without navigation. The logo above it links to `home`, unless that is null. */
export function standaloneMain(body: HtmlPart, home: string | null = null): Html {
  return html`<main class="page" id="content" tabindex="-1">
${home === null ? html`<p class="mark">${LOGO} SHARE</p>` : html`<a class="mark" href="${home}">${LOGO} SHARE</a>`}
${body}
</main>`;
}
