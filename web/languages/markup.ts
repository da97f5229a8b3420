/**
 * Translates the literal text of a template. The text is divided at block elements into units, such as a paragraph. A
 * unit is looked up together with its inline elements, because their order can differ between languages. Attributes are
 * not in the key: the key of `See <a href="/signals">all signals</a> of ${name}.` is `See <a>all signals</a> of {0}.`
 */

import { hasWords, type Language, lookUp } from "./translate.ts";

/** The strings of a translated template. `order` has the index of the part that follows each string except the last. */
export interface TranslatedTemplate {
  readonly strings: readonly string[];
  readonly order: readonly number[];
}

type Find = (key: string) => string | null;

const MADE = new WeakMap<TemplateStringsArray, Map<Language, TranslatedTemplate>>();

/** Returns a template in a language. Each template in the code is translated only once, and then cached. */
export function translateTemplate(strings: TemplateStringsArray, to: Language): TranslatedTemplate {
  const own = MADE.get(strings) ?? new Map<Language, TranslatedTemplate>();
  MADE.set(strings, own);
  const made = own.get(to) ?? makeTemplate(strings, to);
  own.set(to, made);
  return made;
}

function makeTemplate(strings: readonly string[], to: Language): TranslatedTemplate {
  const text = translateMarkup(strings, (key) => {
    const found = lookUp(key, to);
    return typeof found === "string" ? found : null;
  });
  return {
    strings: text.split(PART),
    order: Array.from(text.matchAll(PART), ([part]) => (part.codePointAt(0) ?? FIRST_PART) - FIRST_PART),
  };
}

/** Returns the keys under which a template looks up its translations. */
export function listKeys(strings: readonly string[]): string[] {
  const keys: string[] = [];
  translateMarkup(strings, (key) => {
    keys.push(key);
    return null;
  });
  return keys;
}

/**
 * The character that stands for the first part of a template. The characters after it, which no text uses, stand for
 * the other parts.
 */
const FIRST_PART = 0xe000;
const PART = /[\ue000-\uf8ff]/g;

/** Elements that are parts of a sentence. All other elements divide the text into units. */
const INLINE = new Set("a abbr b bdi cite code del em i ins kbd q s small span strong sub sup time".split(" "));

/** Elements whose text is shown as it is. */
const VERBATIM = new Set(["pre", "script", "style"]);

/** Attributes that people see or hear. */
const SEEN = /( (?:alt|aria-label|placeholder|title)=")([^"]*)(?=")/g;

/** Matches a template that consists of attributes, because it is inserted into a tag. */
const ATTRIBUTES =
  /^(?: [a-z][a-z-]*="[^"]*"| (?:autofocus|checked|data-[a-z-]+|hidden|open|required|selected)|[\ue000-\uf8ff])+$/;

interface Token {
  readonly raw: string;
  /** The name of the element; null for text. */
  readonly name: string | null;
  readonly isEnd: boolean;
  readonly isInline: boolean;
}

function translateMarkup(strings: readonly string[], find: Find): string {
  const joined = strings
    .map((string, i) => (i === 0 ? string : String.fromCharCode(FIRST_PART + i - 1) + string))
    .join("");
  if (ATTRIBUTES.test(joined)) return translateAttributes(joined, find);
  let out = "";
  let unit: Token[] = [];
  let verbatim: string | null = null;
  for (const token of splitTokens(joined)) {
    const { name, isEnd } = token;
    if (verbatim !== null && !(isEnd && name === verbatim)) {
      out += token.raw;
      continue;
    }
    if (token.isInline) {
      unit.push(token);
      continue;
    }
    out += translateUnit(unit, find) + translateAttributes(token.raw, find);
    unit = [];
    verbatim = !isEnd && name !== null && VERBATIM.has(name) ? name : null;
  }
  return out + translateUnit(unit, find);
}

const TOKEN = /<(\/?)([A-Za-z][A-Za-z0-9]*)(?![A-Za-z0-9])(?:[^<>"]|"[^"<]*")*>|<!--[^<>]*-->|<![a-z][^<>]*>/g;

function splitTokens(markup: string): Token[] {
  const tokens: Token[] = [];
  const push = (raw: string) => {
    if (raw !== "") tokens.push({ raw, name: null, isEnd: false, isInline: true });
  };
  let at = 0;
  // A link that looks like a button stands beside the text, so it divides the text too.
  let isButton = false;
  for (const found of markup.matchAll(TOKEN)) {
    push(markup.slice(at, found.index));
    const [raw, end, element = "!"] = found;
    const [name, isEnd] = [element.toLowerCase(), end === "/"];
    if (name === "a" && !isEnd) isButton = / class="(?:button|skip|mark)/.test(raw);
    tokens.push({ raw, name, isEnd, isInline: INLINE.has(name) && !(name === "a" && isButton) });
    at = found.index + raw.length;
  }
  push(markup.slice(at));
  return tokens;
}

function translateAttributes(raw: string, find: Find): string {
  return raw.replace(SEEN, (all, start: string, value: string) => {
    if (!hasWords(value)) return all;
    const { key, parts } = numbered(value);
    const found = find(key);
    return found === null ? all : start + insertParts(found, parts).replaceAll('"', "&quot;");
  });
}

/** Returns a text in which `{0}`, `{1}` and so on stand for the parts, and the characters that stood for them before. */
function numbered(text: string): { readonly key: string; readonly parts: readonly string[] } {
  const parts: string[] = [];
  const key = text.replace(PART, (part) => `{${parts.push(part) - 1}}`);
  return { key: key.replace(/\s+/g, " "), parts };
}

function insertParts(text: string, parts: readonly string[]): string {
  return text.replace(/\{(\d+)\}/g, (all, number) => parts[Number(number)] ?? all);
}

function translateUnit(unit: readonly Token[], find: Find): string {
  const around = (some: readonly Token[]) => some.map(({ raw }) => translateAttributes(raw, find)).join("");
  if (!hasWordsOutsideCode(unit)) return around(unit);
  const [from, to] = innerRange(unit);
  const inner = unit.slice(from, to);
  const text = inner.map((token) => token.raw).join("");
  const start = text.slice(0, text.length - text.trimStart().length);
  const end = text.slice(text.trimEnd().length);
  const tags = new Map<string, string>();
  const { key, parts } = numbered(nameTags(inner, tags).trim());
  const found = find(key);
  if (found === null) return around(unit);
  const body = found.replace(/<\/?[a-z]+\d*>|\{\d+\}|[&<>]/g, (piece) => {
    if (piece.length === 1) return ESCAPES[piece] ?? piece;
    return piece.startsWith("{") ? insertParts(piece, parts) : translateAttributes(tags.get(piece) ?? "", find);
  });
  return `${around(unit.slice(0, from))}${start}${body}${end}${around(unit.slice(to))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function hasWordsOutsideCode(unit: readonly Token[]): boolean {
  let depth = 0;
  return unit.some(({ name, isEnd, raw }) => {
    if (name === "code") depth += isEnd ? -1 : 1;
    return name === null && depth === 0 && hasWords(raw);
  });
}

/** Returns the range of tokens inside the elements that surround the whole unit. */
function innerRange(unit: readonly Token[]): readonly [from: number, to: number] {
  let [from, to] = [0, unit.length];
  for (;;) {
    while (from < to && isBlank(unit[from])) from += 1;
    while (to > from && isBlank(unit[to - 1])) to -= 1;
    if (!surroundsAll(unit.slice(from, to))) return [from, to];
    from += 1;
    to -= 1;
  }
}

function isBlank(token: Token | undefined): boolean {
  return token?.name === null && token.raw.trim() === "";
}

/** True if the first token starts an element that the last token ends. */
function surroundsAll(tokens: readonly Token[]): boolean {
  let depth = 0;
  const closes = tokens.findIndex(({ name, isEnd }) => {
    if (name !== null) depth += isEnd ? -1 : 1;
    return depth <= 0;
  });
  return tokens.length > 1 && closes === tokens.length - 1 && tokens[0]?.name !== null;
}

/** Returns the text with short names for its tags, such as `<a>` and `<a2>`, under which `tags` then has each tag. */
function nameTags(tokens: readonly Token[], tags: Map<string, string>): string {
  const counts = new Map<string, number>();
  const open: string[] = [];
  return tokens
    .map(({ name, isEnd, raw }) => {
      if (name === null) return raw;
      if (isEnd) {
        const short = `</${open.pop() ?? name}>`;
        tags.set(short, raw);
        return short;
      }
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const own = count === 1 ? name : `${name}${count}`;
      open.push(own);
      tags.set(`<${own}>`, raw);
      return `<${own}>`;
    })
    .join("");
}
