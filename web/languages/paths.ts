/**
 * The URLs of the pages in several languages. An English page has the plain path, such as `/datasets/{id}`; in another language,
 * the path begins with the language. Other pages, such as lists and those of the API, exist only in English.
 */

import { isLanguage, type Language, language } from "./translate.ts";

/** The home page, and the pages of a dataset, of checks, of a researcher, of signals, and the help. */
const TRANSLATED = /^\/(?:check|help|signals|(?:check|datasets|researchers|signals)\/[^/]+)?$/;

/** Paths of the search. It leads to translated pages, so its URL keeps the language. */
const LEADING = /^\/find(?:\/suggestions)?$/;

export function isTranslated(path: string): boolean {
  return TRANSLATED.test(path);
}

/** Divides the target of a request into language and plain target. The language is null if the target does not name one. */
export function splitTarget(target: string): { readonly language: Language | null; readonly target: string } {
  const [, named, rest = ""] = /^\/([a-z]{2})(?![^/?])(.*)$/s.exec(target) ?? [];
  if (!isLanguage(named)) return { language: null, target };
  const plain = rest.startsWith("/") ? rest : `/${rest}`;
  const [path = ""] = plain.split("?");
  const isKnown = (isTranslated(path) || LEADING.test(path)) && rest !== "/" && !rest.startsWith("/?");
  return isKnown ? { language: named, target: plain } : { language: null, target };
}

/** Returns a link in a language; a link to a page that exists only in English stays as it is. */
export function pathIn(to: Language, link: string): string {
  const [path = ""] = link.split(/[?#]/, 1);
  if (to === "en" || !(isTranslated(path) || LEADING.test(path))) return link;
  return path === "/" ? `/${to}${link.slice(1)}` : `/${to}${link}`;
}

/** Returns a link in the present language. */
export function localPath(link: string): string {
  return pathIn(language(), link);
}

/** Returns markup whose links and forms lead to pages in the present language. A link with `hreflang` has its own language. */
export function localLinks(markup: string): string {
  if (language() === "en") return markup;
  return markup.replace(
    /(?<! hreflang="[a-z]{2}")( (?:action|data-suggest|href)=")(\/[^"]*)/g,
    (_all, start: string, link: string) => start + localPath(link),
  );
}
