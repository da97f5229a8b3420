/** The language of a request. It is in the asynchronous context of the request, so that views find it without a parameter. */

import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import {
  addTexts,
  followLanguage,
  isLanguage,
  LANGUAGE_CODES,
  type Language,
  type Texts,
} from "../../web/languages/translate.ts";

/** The folder with the texts of each language. */
const LANGUAGES_FOLDER = new URL("../../web/languages/", import.meta.url);

/** The languages other than English. */
export const TRANSLATIONS = LANGUAGE_CODES.filter((each) => each !== "en");

const REQUESTS = new AsyncLocalStorage<Language>();

for (const each of TRANSLATIONS) addTexts(each, readTexts(each));
followLanguage(() => REQUESTS.getStore() ?? "en");

export function readTexts(of: Language): Texts {
  return JSON.parse(readFileSync(new URL(`${of}.json`, LANGUAGES_FOLDER), "utf8"));
}

/** Runs `work` for a request, so that the texts of its view are in the language `of`. */
export function inLanguage<T>(of: Language, work: () => T): T {
  return of === "en" ? work() : REQUESTS.run(of, work);
}

/** Returns the language of the site that a browser prefers (RFC 9110, 12.5.4); English if the browser accepts none of them. */
export function preferredLanguage(accepted: string | undefined): Language {
  const wishes = (accepted ?? "").split(",").flatMap((text) => {
    const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
    const [named = ""] = range.split("-");
    const quality = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
    return isLanguage(named) && quality > 0 ? [{ named, quality }] : [];
  });
  // The sort is stable, so equal wishes keep their order.
  return wishes.toSorted((one, other) => other.quality - one.quality)[0]?.named ?? "en";
}
