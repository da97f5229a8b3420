/**
 * Parses XML strictly, to check that SVG is well formed. Only elements, attributes and text are allowed: no prologue, DTD,
 * comments or CDATA.
 */

const NAME = "[A-Za-z_][\\w.:-]*";
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, "gy");
const OPENING = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, "y");
const CLOSING = new RegExp(`</(${NAME})\\s*>`, "y");
const TEXT = /[^<]+/y;
const STRAY_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids these characters.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;

/** An XML element: its name, its attributes, and the text of it and of all elements in it. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * Returns all elements of a document in the order of their start tags, the root first.
 * @throws Error that names the first place where the text is not well-formed XML
 */
export function parseElements(xml: string): Element[] {
  const found: { name: string; attributes: Map<string, string>; text: string }[] = [];
  const open: (typeof found)[number][] = [];
  let at = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(xml);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const forbidden = FORBIDDEN.exec(xml);
  if (forbidden !== null) throw new Error(`the text has a character that XML forbids at position ${forbidden.index}`);
  while (at < xml.length) {
    const text = next(TEXT);
    if (text !== null) {
      if (open.length === 0 && text[0].trim() !== "")
        throw new Error(`there is text outside the root element: ${text[0]}`);
      for (const element of open) element.text += decoded(text[0]);
      continue;
    }
    const closing = next(CLOSING);
    if (closing !== null) {
      const name = open.pop()?.name;
      if (name !== closing[1]) throw new Error(`</${closing[1]}> closes ${name ?? "nothing"}`);
      continue;
    }
    const opening = next(OPENING);
    if (opening === null) throw new Error(`expected a tag at position ${at}: ${xml.slice(at, at + 40)}`);
    if (open.length === 0 && found.length > 0) throw new Error(`there is a second root element: ${opening[0]}`);
    const element = { name: opening[1] ?? "", attributes: parseAttributes(opening[2] ?? ""), text: "" };
    found.push(element);
    if (opening[3] === "") open.push(element);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  if (found.length === 0) throw new Error("there is no root element");
  return found;
}

function parseAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw new Error(`the attribute ${name} is repeated`);
    attributes.set(name, decoded(double ?? single ?? ""));
  }
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  if (STRAY_AMPERSAND.test(text)) throw new Error(`an ampersand is not escaped: ${text}`);
  return text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
