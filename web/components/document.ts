/** The documents of pages: that of the site, with its navigation and its policy, and that of a page that is read by itself. */

import type { Retraction } from "../../schemas/public/retraction.ts";
import { Html, html, type Part } from "../html.ts";
import { SCRIPTS, scriptsOf } from "../script/index.ts";
import { when } from "./figures.ts";
import { PREVIEW_PICTURE } from "./preview-picture.ts";
import { STYLE, STYLE_ADDRESS } from "./style.ts";

/** A view: the parts of a page that differ from page to page. */
export interface View {
  readonly title: string;
  /** One sentence, for search engines and previews. */
  readonly description: string;
  readonly body: Part;
  /** Path and query of the same for programs; null where there is none. */
  readonly twin?: string | null;
  /** The address of the page among those that show the same; its own unless said. */
  readonly canonical?: string;
  /** Kept out of search engines: it is somebody's own, or one of endless many. */
  readonly unlisted?: boolean;
  /** Seconds after which the page asks again by itself, for what is still under way. */
  readonly refreshSeconds?: number;
  /** What search engines read (schema.org), as JSON-LD. */
  readonly linkedData?: Readonly<Record<string, unknown>>;
  /** Where things stand for programs: the value of a `Link` header (RFC 8288). */
  readonly links?: string;
  /** The picture for previews (Open Graph), in the size of PREVIEW_PICTURE, and its text alternative. */
  readonly picture?: { readonly path: string; readonly words: string };
}

/** The service around a page, as every page names it. */
export interface Surroundings {
  /** `https://share.example`, without a slash at its end. */
  readonly origin: string;
  /** Path of the page, without its query. */
  readonly path: string;
  /** The release that figures are from; null where there is none yet. */
  readonly release: {
    readonly version: string;
    readonly asOf: string;
    /** What was said when it was withdrawn; null mostly. */
    readonly retraction: RetractionSaid | null;
  } | null;
}

/** What a publisher says of a release that is withdrawn. */
export type RetractionSaid = Pick<Retraction, "retractedAt" | "reason">;

/** The feed of releases: every page names it, so that a reader of feeds finds it from any of them. */
export const FEED_ADDRESS = "/history.atom";

/** The mark: five bars, each a little higher, for the five buckets. */
export const MARK: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b5a6e"/><path fill="#fff" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/></svg>`;

/** The mark as a picture of its own. */
export const FAVICON = MARK.text
  .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
  .replace(' aria-hidden="true"', "");

const PLACES = [
  { path: "/datasets", name: "Datasets" },
  { path: "/researchers", name: "Researchers" },
  { path: "/repositories", name: "Repositories" },
  { path: "/signals", name: "How it is scored" },
  { path: "/check", name: "Check a dataset" },
] as const;

const FURTHER = [
  { path: "/affiliations", name: "Institutions" },
  { path: "/countries", name: "Countries" },
  { path: "/history", name: "Releases and downloads" },
  { path: "/privacy", name: "Privacy" },
  { path: "/docs", name: "For programs: the API" },
] as const;

/** On the site the style is a file of its own: a browser that shows a second page has it. */
const LOOK = html`<link rel="stylesheet" href="${STYLE_ADDRESS}">`;

/** A page of the site. */
export function documentOf(view: View, around: Surroundings): string {
  const { title } = view;
  const body = html`${top(around.path)}
<main class="page" id="content" tabindex="-1">
${bannerOf(around)}${view.body}
</main>
${bottom(view, around)}`;
  return skeleton(
    { ...view, title: title === "SHARE" ? "SHARE: how well are datasets shared?" : `${title} – SHARE` },
    [headOf(view, around), html`\n${LOOK}`],
    [body, scriptsOf(body)],
  );
}

/** On every page: its figures are from that release. */
function bannerOf({ release }: Surroundings): Html | null {
  if (release === null || release.retraction === null) return null;
  return html`${retractedNote(release.version, release.retraction)}\n`;
}

function headOf(view: View, { origin, path }: Surroundings): Html {
  const canonical = view.canonical ?? path;
  const { twin = null, linkedData, picture } = view;
  return html`<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="canonical" href="${origin}${canonical}">
<link rel="alternate" type="application/atom+xml" href="${FEED_ADDRESS}" title="Releases of SHARE scores">
${twin === null ? null : html`<link rel="alternate" type="application/json" href="${twin}">\n`}${
  view.unlisted === true ? html`<meta name="robots" content="noindex">\n` : null
}${view.refreshSeconds === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${view.refreshSeconds}"></noscript>\n`}<meta property="og:site_name" content="SHARE">
<meta property="og:type" content="website">
<meta property="og:title" content="${view.title}">
<meta property="og:description" content="${view.description}">
<meta property="og:url" content="${origin}${canonical}">
${
  picture === undefined
    ? null
    : html`<meta property="og:image" content="${origin}${picture.path}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${PREVIEW_PICTURE.width}">
<meta property="og:image:height" content="${PREVIEW_PICTURE.height}">
<meta property="og:image:alt" content="${picture.words}">
<meta name="twitter:card" content="summary_large_image">
`
}${linkedData === undefined ? null : html`<script type="application/ld+json">${jsonIn(linkedData)}</script>`}`;
}

/** JSON that cannot end the element it stands in. */
function jsonIn(value: Readonly<Record<string, unknown>>): Html {
  return new Html(JSON.stringify(value).replaceAll("<", "\\u003c"));
}

function top(path: string): Html {
  const isHere = (place: string) => path === place || path.startsWith(`${place}/`);
  const link = ({ path: to, name }: { readonly path: string; readonly name: string }) =>
    html`<li><a href="${to}"${isHere(to) ? html` aria-current="page"` : null}>${name}</a></li>`;
  return html`<header class="bar-top"><div>
<a class="mark" href="/">${MARK} SHARE</a>
<nav aria-label="Main"><ul>${PLACES.map(link)}</ul></nav>
<nav class="own" aria-label="Account"><ul>${link({ path: "/me", name: "Your account" })}</ul></nav>
</div></header>`;
}

function bottom({ twin = null }: View, { release }: Surroundings): Html {
  return html`<footer class="bottom"><div>
<ul>${FURTHER.map(({ path, name }) => html`<li><a href="${path}">${name}</a></li>`)}${
    twin === null ? null : html`<li><a href="${twin}">This page as JSON</a></li>`
  }</ul>
${
  release === null
    ? null
    : html`<p>Figures are from release ${release.version}, as of <time datetime="${release.asOf}">${release.asOf}</time>. <a href="/history">What moved in it</a></p>`
}
</div></footer>`;
}

export function retractedNote(version: string, { retractedAt, reason }: RetractionSaid): Html {
  return html`<div class="warn" role="note"><p><b>Release ${version} was retracted</b> on ${when(retractedAt)}: ${reason}</p><p><a href="/history">All releases</a></p></div>`;
}

/** The policy of every page: the style of this site, and its scripts by their digests; `digest` gives sha256 in base64. */
export function policyOf(digest: (text: string) => string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${SCRIPTS.map((text) => `'sha256-${digest(text)}'`).join(" ")}`,
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The head and body of every document; `look` is the element that brings the style. */
function skeleton({ title, description }: Pick<View, "title" | "description">, look: Part, body: Part): string {
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${look}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>`.text
  }\n`;
}

/** A document that needs nothing but itself: it links to no other file of the site, and `script` is all that runs in it. */
export function standaloneDocument(
  view: Pick<View, "title" | "description" | "body">,
  script: string | null = null,
): string {
  const { body } = view;
  return skeleton(
    view,
    html`<style>${new Html(STYLE)}</style>`,
    script === null ? body : [body, html`\n<script>${new Html(script)}</script>`],
  );
}

/** The main part of a document without navigation: mark and name stand above it. */
export function mainAlone(body: Part): Html {
  return html`<main class="page" id="content" tabindex="-1">
<p class="mark">${MARK} SHARE</p>
${body}
</main>`;
}
