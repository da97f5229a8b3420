/** The document around a view, and the policy that lets its own style and scripts through and nothing else. */

import { Html, html } from "../html.ts";
import { SCRIPTS, scriptsOf } from "../script/index.ts";
import { MARK, page } from "./layout.ts";
import { PREVIEW_PICTURE } from "./preview-picture.ts";
import { retractedNote } from "./retracted.ts";
import { STYLE_ADDRESS } from "./style.ts";
import { FEED_ADDRESS, type Surroundings, type View } from "./view.ts";

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

/** The style of all pages is a file of its own: who reads a second page has it. */
const LOOK = html`<link rel="stylesheet" href="${STYLE_ADDRESS}">`;

export function documentOf(view: View, around: Surroundings): string {
  const { title, description } = view;
  const body = html`${top(around.path)}
<main class="page" id="content" tabindex="-1">
${bannerOf(around)}${view.body}
</main>
${bottom(view, around)}`;
  return page({
    title: title === "SHARE" ? "SHARE: how well are datasets shared?" : `${title} – SHARE`,
    description,
    head: headOf(view, around),
    look: LOOK,
    body: [body, scriptsOf(body)],
  });
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
