/** The choices of the operator for a site: title, logo, colour, own texts, and the locale of dates and figures. */

import { hash } from "node:crypto";
import { type Html, html } from "../html.ts";
import { accentOf, accentRules } from "./accent.ts";
import { STYLE } from "./style.ts";

export interface Logo {
  /** The extension decides the content type. */
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
  /** BCP 47 tag; null for the locale of the reader's browser. */
  readonly locale: string | null;
}

export interface SiteFace extends FaceSettings {
  readonly style: string;
  /** The path contains the digest of the style sheet, so that browsers can cache each version forever. */
  readonly stylePath: string;
  readonly styleVersion: string;
}

export function siteFace(settings: Partial<FaceSettings> = {}): SiteFace {
  const { title = "SHARE", logo = null, colour = null, imprint = null, privacy = null, locale = null } = settings;
  const style = colour === null ? STYLE : STYLE + accentRules(accentOf(colour));
  const styleVersion = hash("sha256", style).slice(0, 16);
  return {
    title,
    logo,
    colour,
    imprint,
    privacy,
    locale,
    style,
    styleVersion,
    stylePath: `/style.css?v=${styleVersion}`,
  };
}

export const DEFAULT_FACE: SiteFace = siteFace();

export const LOGO: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b5a6e"/><path fill="#fff" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/></svg>`;

export const FAVICON = LOGO.text
  .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
  .replace(' aria-hidden="true"', "");

/** Returns logo and title, which lead to the home page. An operator's logo is only ever an image, never markup. */
export function siteMark({ logo, title }: Pick<SiteFace, "logo" | "title">): Html {
  const image = logo === null ? LOGO : html`<img src="${logo.path}" alt="">`;
  return html`<a class="mark" href="/">${image} <span>${title}</span></a>`;
}

export function iconLink({ logo }: Pick<SiteFace, "logo">): Html {
  const [path, type] =
    logo?.path === "/logo.png" ? [logo.path, "image/png"] : [logo?.path ?? "/favicon.svg", "image/svg+xml"];
  return html`<link rel="icon" type="${type}" href="${path}">`;
}
