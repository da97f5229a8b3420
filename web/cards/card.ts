/** A card: figures as a small page of its own, for a frame on somebody else's: light or dark, 280 pixels wide or more. */

import { Html, html } from "../../api-static/html/html.ts";
import { MARK } from "../../api-static/html/layout.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Theme } from "../../schemas/public/site/embeds.ts";
import type { Surroundings } from "../frame/view.ts";
import { underVersion } from "../parts/under-version.ts";

/** The part of a card that differs from kind to kind. */
export interface Card {
  /** Path of the page that it leads to, without its version. */
  readonly page: string;
  readonly version: PublicVersion;
  /** The name of what it shows, in whatever script it is. */
  readonly title: string;
  /** All of it in one or two sentences, for who does not see it. */
  readonly words: string;
  /** Figures and bars: what stands in a link can be no link. */
  readonly figures: Html;
}

const LIGHT =
  "color-scheme:light;--ground:#fff;--ink:#1b2228;--faint:#55616b;--line:#d9dfe3;--accent:#0b5a6e;--bar:#0b5a6e;--cap:#7a4a00";
const DARK =
  "color-scheme:dark;--ground:#11161a;--ink:#e4e9ec;--faint:#a2afb8;--line:#2f3a42;--accent:#74c7da;--bar:#74c7da;--cap:#f0b866";

/** The frame that it fills has its height: nothing in it scrolls unless the reader's letters are much larger. */
const LOOK = `:root{${LIGHT}}:root.dark{${DARK}}@media(prefers-color-scheme:dark){:root.auto{${DARK}}}
*{box-sizing:border-box}html,body,main{height:100%}body{margin:0;font:14px/1.4 system-ui,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--ground)}
.card{display:flex;flex-direction:column;min-height:100%;padding:12px 16px;border:1px solid var(--line);border-radius:8px;text-decoration:none;color:inherit}
.card:focus-visible{outline:3px solid var(--accent);outline-offset:-3px}.card:hover .title{text-decoration:underline}
.of-share{display:flex;align-items:center;gap:6px;margin:0;font-weight:700;letter-spacing:.06em;font-size:12px;color:var(--faint)}.of-share svg{width:18px;height:18px}.of-share span:last-child{margin-left:auto;font-weight:400;letter-spacing:0}
.title{margin:6px 0 0;font-size:14px;font-weight:600;line-height:1.3;overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow-wrap:anywhere}
.total{margin:4px 0 0;color:var(--faint)}.total b{font-size:34px;line-height:1.15;color:var(--ink);font-variant-numeric:tabular-nums;margin-right:2px}
.basis{margin:0;font-size:12px;color:var(--faint)}
svg.meter{display:block;width:100%;height:10px;overflow:visible}.meter .back{fill:var(--line)}.meter .fill{fill:var(--bar)}.meter .cap{fill:var(--cap)}
.buckets{list-style:none;margin:auto 0 0;padding:8px 0 0;display:grid;gap:2px;font-size:12px}.buckets li{display:grid;grid-template-columns:92px minmax(0,1fr) 56px;gap:8px;align-items:center}.buckets .num{text-align:right;color:var(--faint);font-variant-numeric:tabular-nums}`;

/** The one style of all cards: their policy names it by its digest. */
export const CARD_STYLE = new Html(LOOK.replace(/\n/g, ""));

/** The whole document. */
export function cardDocument(
  { page, version, title, words, figures }: Card,
  theme: Theme,
  around: Surroundings,
): string {
  const { origin, release } = around;
  const address = origin + underVersion(page, version);
  return `${
    html`<!doctype html>
<html lang="en-GB" class="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${words}</title>
<link rel="canonical" href="${address}">
<style>${CARD_STYLE}</style>
</head>
<body>
<main><a class="card" href="${address}" target="_blank" rel="noopener">
<p class="of-share">${MARK}<span>SHARE ${version}</span>${release === null ? null : html`<span>as of ${release.asOf}${release.retraction === null ? null : ", retracted"}</span>`}</p>
<h1 class="title" dir="auto">${title}</h1>
${figures}
</a></main>
</body>
</html>`.text
  }\n`;
}

/** The policy of a card: its style by its digest, any page may frame it, and it leads to a window of its own. */
export function cardPolicy(digest: (text: string) => string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${digest(CARD_STYLE.text)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "sandbox allow-popups allow-popups-to-escape-sandbox",
  ].join("; ");
}
