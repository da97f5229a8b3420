/**
 * The texts of the site in other languages. Views are written in English, and an English text is the key of its translation.
 * A text without a translation stays English.
 */

/** The languages of the site, each with its own name. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português",
  zh: "中文",
} as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_CODES: readonly Language[] = Object.keys(LANGUAGES).filter(isLanguage);

/** The forms of a text with a number, such as `one` and `other`, by the categories of `Intl.PluralRules`. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** Translations by English text. The key of a text with a number has both English forms: `{0} dataset|{0} datasets`. */
export type Texts = Readonly<Record<string, string | PluralForms>>;

/** A function that gets every text that is looked up, so that tests find unused texts and missing translations. */
type Listener = (key: string, language: Language, isMissing: boolean) => void;

const KNOWN = new Map<Language, Texts>();
let find: () => Language = () => "en";
let listener: Listener | null = null;

/** Adds the translations of a language. */
export function addTexts(language: Language, texts: Texts): void {
  KNOWN.set(language, texts);
}

/** Sets the function that returns the present language: on a server that of the request, in a worker that of the page. */
export function followLanguage(current: () => Language): void {
  find = current;
}

export function listenToTexts(to: Listener | null): void {
  listener = to;
}

export function language(): Language {
  return find();
}

export function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && Object.hasOwn(LANGUAGES, text);
}

/** Returns the translation of a key; null if there is none. */
export function lookUp(key: string, to: Language): string | PluralForms | null {
  const found = KNOWN.get(to)?.[key] ?? null;
  listener?.(key, to, found === null);
  return found;
}

/** Returns a text in the present language: a string, such as one from data, or a template with its parts unchanged. */
export function t(text: string): string;
export function t(text: TemplateStringsArray, ...parts: readonly (string | number)[]): string;
export function t(text: string | TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  const to = find();
  if (typeof text === "string") return to === "en" || !hasWords(text) ? text : translated(text, to);
  if (to !== "en") return fillIn(translated(joinStrings(text), to), parts);
  let joined = "";
  text.forEach((string, i) => {
    joined += string + (parts[i] ?? "");
  });
  return joined;
}

/** Returns the translation of a text from elsewhere, such as the title of an error. Many of these exist only in English. */
export function translateIfKnown(text: string): string {
  const found = KNOWN.get(find())?.[text];
  return typeof found === "string" ? found : text;
}

/** Returns the text unchanged. It marks an English text of a table, which `t` translates where the text is shown. */
export function english<Text extends string>(text: Text): Text {
  return text;
}

/** Signs between texts, by the English sign. Chinese has full-width signs, which include the space. */
const SIGNS = { ", ": "、", "; ": "；", ": ": "：", " (": "（", ")": "）", " ": "" } as const;

/** Returns a sign between two texts as the present language writes it. */
export function sign(english: keyof typeof SIGNS): string {
  return find() === "zh" ? SIGNS[english] : english;
}

function translated(key: string, to: Language): string {
  const found = lookUp(key, to);
  return typeof found === "string" ? found : key;
}

const RULES = new Map<Language, Intl.PluralRules>();

/**
 * Returns the form of a text that fits a number. In the text, `{0}` stands for the number as `figure` shows it, and
 * `{1}` and so on for `more`.
 */
export function pluralText(
  value: number,
  [one, many]: readonly [one: string, many: string],
  figure: string,
  more: readonly (string | number)[] = [],
): string {
  const to = find();
  return fillIn(chooseForm(value, one, many, to), [figure, ...more]);
}

function chooseForm(value: number, one: string, many: string, to: Language): string {
  const english = value === 1 ? one : many;
  if (to === "en") return english;
  const forms = lookUp(`${one}|${many}`, to);
  if (forms === null || typeof forms === "string") return english;
  const rules = RULES.get(to) ?? new Intl.PluralRules(to);
  RULES.set(to, rules);
  return forms[rules.select(value)] ?? forms.other ?? english;
}

/** Returns the key of a template, in which `{0}`, `{1}` and so on stand for its parts. */
export function joinStrings(strings: readonly string[]): string {
  return strings.map((string, i) => (i === 0 ? string : `{${i - 1}}${string}`)).join("");
}

function fillIn(text: string, parts: readonly (string | number)[]): string {
  return text.replace(/\{(\d+)\}/g, (all, number) => String(parts[Number(number)] ?? all));
}

/** True if a text has words to translate, and not only figures, signs, and abbreviations such as DOI. */
export function hasWords(text: string): boolean {
  return /\p{Ll}\p{L}|\p{Lu}\p{Ll}/u.test(text);
}
