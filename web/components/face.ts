/** The face of a site, which its operator chooses: title, logo, colour, own texts, and the locale of dates and figures. */

import { hash } from "node:crypto";
import { FONT_PATH } from "../../api-static/routes/route.ts";
import { type Html, html } from "../html.ts";
import { accentRules, makeAccent } from "./accent.ts";
import { STYLE } from "./style.ts";

export interface Logo {
  /** The path of the logo. Its extension decides the content type. */
  readonly path: "/logo.svg" | "/logo.png";
  readonly bytes: Uint8Array;
}

export interface FaceSettings {
  readonly title: string;
  readonly logo: Logo | null;
  /** Colour of links and buttons, such as `#0b5a6e`. */
  readonly colour: string | null;
  /** Markdown of the imprint. */
  readonly imprint: string | null;
  /** Markdown of the operator's own privacy notice. */
  readonly privacy: string | null;
  /** The locale of dates and figures as a BCP 47 tag, such as `de-CH`; null for the locale of the reader's browser. */
  readonly locale: string | null;
}

export interface SiteFace extends FaceSettings {
  readonly sheet: string;
  /** The path of the style sheet. It contains a digest, so that browsers can cache each version forever. */
  readonly stylePath: string;
  readonly styleVersion: string;
}

/**
 * CSS rules for the font Inter, which has Latin letters. Until it is loaded, and for other letters, the system's font
 * is used in a size that keeps the line breaks. The URL is relative to the style sheet, because a static site can be in
 * a folder.
 */
const FONT_RULES = `@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(${FONT_PATH.slice(1)}) format("woff2");unicode-range:U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC,U+304,U+308,U+329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD}@font-face{font-family:"Inter size";src:local(Arial),local("Liberation Sans");size-adjust:107%;ascent-override:90%;descent-override:22.5%;line-gap-override:0%}`;

export function siteFace(settings: Partial<FaceSettings> = {}): SiteFace {
  const { title = "SHARE", logo = null, colour = null, imprint = null, privacy = null, locale = null } = settings;
  const sheet = FONT_RULES + STYLE + (colour === null ? "" : accentRules(makeAccent(colour)));
  const styleVersion = hash("sha256", sheet).slice(0, 16);
  return {
    title,
    logo,
    colour,
    imprint,
    privacy,
    locale,
    sheet,
    styleVersion,
    stylePath: `/style.css?v=${styleVersion}`,
  };
}

export const DEFAULT_FACE: SiteFace = siteFace();

export const LOGO: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b5a6e"/><path fill="#fff" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/></svg>`;

export const FAVICON = LOGO.text
  .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
  .replace(' aria-hidden="true"', "");

/** Returns logo and title as a link to the home page. The logo is always an image; its markup is never inserted. */
export function siteMark({ logo, title }: Pick<SiteFace, "logo" | "title">): Html {
  const image = logo === null ? LOGO : html`<img src="${logo.path}" alt="">`;
  return html`<a class="mark" href="/">${image} <span>${title}</span></a>`;
}

export function iconLink({ logo }: Pick<SiteFace, "logo">): Html {
  const [path, type] =
    logo?.path === "/logo.png" ? [logo.path, "image/png"] : [logo?.path ?? "/favicon.svg", "image/svg+xml"];
  return html`<link rel="icon" type="${type}" href="${path}">`;
}
