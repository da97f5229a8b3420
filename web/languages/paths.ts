/**
 * The URLs of pages that exist in several languages. The English page has the plain path, such as `/signals`; in
 * another language, the path begins with the language, such as `/de/signals`. All other pages, such as lists and the
 * API, exist only in English.
 */

import { isLanguage, type Language, language } from "./translate.ts";

/** Matches translated pages: the home page, the pages of datasets, checks, researchers and signals, and the help. */
const TRANSLATED = /^\/(?:check|help|signals|(?:check|datasets|researchers|signals)\/[^/]+)?$/;

/** Matches the paths of the search. The search leads to translated pages, so its URL keeps the language. */
const LEADING = /^\/find(?:\/suggestions)?$/;

export function isTranslated(path: string): boolean {
  return TRANSLATED.test(path);
}

/**
 * Divides the target of a request into the language and the plain target, for example `/de/signals` into `de` and
 * `/signals`. The language is null if the target does not name one.
 */
export function splitTarget(target: string): { readonly language: Language | null; readonly target: string } {
  const [, named, rest = ""] = /^\/([a-z]{2})(?![^/?])(.*)$/s.exec(target) ?? [];
  if (!isLanguage(named)) return { language: null, target };
  const plain = rest.startsWith("/") ? rest : `/${rest}`;
  const [path = ""] = plain.split("?");
  const isKnown = (isTranslated(path) || LEADING.test(path)) && rest !== "/" && !rest.startsWith("/?");
  return isKnown ? { language: named, target: plain } : { language: null, target };
}

/** Returns a link to a page in a language. A link to a page that exists only in English stays as it is. */
export function pathIn(to: Language, link: string): string {
  const [path = ""] = link.split(/[?#]/, 1);
  if (to === "en" || !(isTranslated(path) || LEADING.test(path))) return link;
  return path === "/" ? `/${to}${link.slice(1)}` : `/${to}${link}`;
}

/** Returns a link to a page in the language of the present page. */
export function localPath(link: string): string {
  return pathIn(language(), link);
}

/** Returns markup whose links and forms lead to pages in the present language, except links with `hreflang`. */
export function localLinks(markup: string): string {
  if (language() === "en") return markup;
  return markup.replace(
    /(?<! hreflang="[a-z]{2}")( (?:action|data-suggest|href)=")(\/[^"]*)/g,
    (_all, start: string, link: string) => start + localPath(link),
  );
}
