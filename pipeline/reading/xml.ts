/**
 * Parses XML into objects. Decodes only character references and the five standard entities, and skips the document
 * type. Numbers stay text.
 */

import { XMLParser } from "fast-xml-parser";
import { asObject, type Json } from "./reader.ts";

/** Limits for one document. Characters are UTF-16 units. */
const LIMITS = {
  characters: 32 * 1024 * 1024,
  depth: 100,
  elements: 500_000,
  attributes: 2000,
  attribute: 1024 * 1024,
  name: 1000,
};

/** Matches the name of an element or attribute. Allows a few more characters than the specification (XML 1.0, 2.3). */
const NAME = /[\p{L}_:][\p{L}\p{N}\p{M}\-._:·]*/uy;

const SPACE = /\s*/y;

export type XmlFault = "empty" | "truncated" | "not-xml" | "too-deep" | "too-large";

/**
 * An error for a text that is not XML, or that exceeds a limit. `reason` is the kind of fault; the message says where
 * it is.
 */
export class XmlError extends Error {
  readonly code = "bad-xml";
  readonly reason: XmlFault;

  constructor(reason: XmlFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Checks that a text is XML within the limits, and returns it without its document type, which is never read. A
 * fragment may have several root elements.
 * @throws XmlError
 */
export function checkXml(text: string, form: "document" | "fragment"): string {
  if (text.length > LIMITS.characters) {
    throw new XmlError("too-large", `XML of ${text.length} characters; the limit is ${LIMITS.characters}`);
  }
  return new Check(text, form).run();
}

class Check {
  private readonly text: string;
  private readonly form: "document" | "fragment";
  private readonly open: string[] = [];
  private at = 0;
  private elements = 0;
  private roots = 0;
  private documentType: { readonly from: number; readonly to: number } | null = null;

  constructor(text: string, form: "document" | "fragment") {
    this.text = text;
    this.form = form;
  }

  run(): string {
    const { text } = this;
    while (this.at < text.length) {
      const tag = text.indexOf("<", this.at);
      this.characters(tag < 0 ? text.length : tag);
      if (tag >= 0) this.markup();
    }
    if (this.open.length > 0) throw new XmlError("truncated", `XML that ends within <${this.open.at(-1)}>`);
    if (this.form === "document" && this.roots === 0) throw new XmlError("empty", "XML without an element");
    const { documentType } = this;
    return documentType === null ? text : text.slice(0, documentType.from) + text.slice(documentType.to);
  }

  /** Checks the characters outside the root element: only white space and a byte order mark are valid. */
  private characters(end: number): void {
    const stray = this.form === "document" && this.open.length === 0 && end > this.at;
    if (stray && /[^\s\ufeff]/.test(this.text.slice(this.at, end))) this.fail("text stands outside the root element");
    this.at = end;
  }

  private markup(): void {
    const { text, at } = this;
    if (text.startsWith("<!--", at)) this.at = this.behind("-->", at + 4);
    else if (text.startsWith("<?", at)) this.at = this.behind("?>", at + 2);
    else if (text.startsWith("<![CDATA[", at)) {
      if (this.open.length === 0 && this.form === "document")
        this.fail("a CDATA section stands outside the root element");
      this.at = this.behind("]]>", at + 9);
    } else if (text.startsWith("<!DOCTYPE", at)) this.skipDocumentType();
    else if (text.startsWith("</", at)) this.endTag();
    else this.startTag();
  }

  /** Skips the document type. Does not read the entities in it. */
  private skipDocumentType(): void {
    if (this.form === "fragment" || this.roots > 0 || this.documentType !== null)
      this.fail("a DOCTYPE is not at the beginning of the document");
    const from = this.at;
    let brackets = 0;
    for (let i = from + 9; i < this.text.length; i++) {
      const sign = this.text[i];
      if (sign === '"' || sign === "'") i = this.behind(sign, i + 1) - 1;
      else if (this.text.startsWith("<!--", i)) i = this.behind("-->", i + 4) - 1;
      else if (sign === "[") brackets += 1;
      else if (sign === "]") brackets -= 1;
      else if (sign === ">" && brackets <= 0) {
        this.at = i + 1;
        this.documentType = { from, to: this.at };
        return;
      }
    }
    throw new XmlError("truncated", "XML with a DOCTYPE that does not end");
  }

  private endTag(): void {
    this.at += 2;
    const name = this.name();
    this.space();
    this.take(">");
    const opened = this.open.pop();
    if (opened === name) return;
    throw this.syntaxError(
      `the end tag </${name}> ${opened === undefined ? "has no start tag" : `does not close <${opened}>`}`,
    );
  }

  private startTag(): void {
    if (this.open.length === 0) this.roots += 1;
    if (this.form === "document" && this.roots > 1) this.fail("a second root element begins");
    this.elements += 1;
    if (this.elements > LIMITS.elements)
      throw new XmlError("too-large", `XML with more than ${LIMITS.elements} elements`);
    this.at += 1;
    const name = this.name();
    this.attributes(name);
    if (this.text[this.at] === "/") {
      this.at += 1;
      this.take(">");
      return;
    }
    this.take(">");
    this.open.push(name);
    if (this.open.length > LIMITS.depth)
      throw new XmlError("too-deep", `XML that is nested deeper than ${LIMITS.depth} elements`);
  }

  private attributes(element: string): void {
    let count = 0;
    for (this.space(); !this.endsTag(); this.space()) {
      this.attribute();
      count += 1;
      if (count > LIMITS.attributes)
        throw new XmlError(
          "too-large",
          `XML with more than ${LIMITS.attributes} attributes in one element (<${element}>)`,
        );
    }
  }

  private endsTag(): boolean {
    const sign = this.text[this.at];
    return sign === ">" || sign === "/" || sign === undefined;
  }

  private attribute(): void {
    this.name();
    this.space();
    this.take("=");
    this.space();
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") this.fail("the value of an attribute has no quotes");
    const from = this.at + 1;
    this.at = this.behind(quote ?? '"', from);
    if (this.at - from > LIMITS.attribute) {
      throw new XmlError(
        "too-large",
        `XML with an attribute of ${this.at - from} characters; the limit is ${LIMITS.attribute}`,
      );
    }
  }

  private name(): string {
    NAME.lastIndex = this.at;
    const name = NAME.exec(this.text)?.[0];
    if (name === undefined || name.length > LIMITS.name)
      return this.fail("the name of an element or attribute is missing or invalid");
    this.at += name.length;
    return name;
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    this.at += SPACE.exec(this.text)?.[0].length ?? 0;
  }

  private take(sign: string): void {
    if (this.text[this.at] !== sign) this.fail(`the character ${sign} is missing`);
    this.at += 1;
  }

  private behind(mark: string, from: number): number {
    const found = this.text.indexOf(mark, from);
    if (found < 0) throw new XmlError("truncated", `XML that ends before a required ${mark}`);
    return found + mark.length;
  }

  private fail(what: string): never {
    if (this.at >= this.text.length) throw new XmlError("truncated", "XML that ends within a tag");
    throw this.syntaxError(what);
  }

  private syntaxError(what: string): XmlError {
    return new XmlError("not-xml", `XML with a syntax error at character ${this.at}: ${what}`);
  }
}

/** The only named entities that are decoded. Other entities stay as they are written (XML 1.0, 4.6). */
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  parseAttributeValue: false,
  // Trimmed later, because texts that are joined would lose the space between them.
  trimValues: false,
  tagValueProcessor: (_name, value) => (value.trim() === "" ? "" : value),
  processEntities: true,
  entityDecoder: {
    decode: withReferences,
    setExternalEntities: () => {},
    addInputEntities: () => {},
    reset: () => {},
    setXmlVersion: () => {},
  },
});

/**
 * Returns a document as an object with one key, the name of the root element. An element with only text becomes this text.
 * Otherwise it becomes an object: attributes are `@name`, and text is `#text`. A child element is a list only if it occurs
 * more than once. Namespace prefixes are removed. Text is trimmed, and numbers stay text.
 * @throws XmlError
 */
export function parseXml(text: string): Json {
  return parseWithOptions(checkXml(text, "document"));
}

/**
 * Returns the elements of a text without a root element, such as NCBI's `expxml`, as one object. A blank text returns {}.
 */
export function parseXmlFragment(text: string): Json {
  const root = parseWithOptions(`<root>${checkXml(text, "fragment")}</root>`).root;
  if (typeof root === "string") return root === "" ? {} : { "#text": root };
  return asObject(root) ?? {};
}

function parseWithOptions(text: string): Json {
  try {
    return asObject(trimTexts(parser.parse(text))) ?? {};
  } catch (error) {
    // The parser rejects element names that are unsafe as keys.
    throw new XmlError(
      "not-xml",
      "XML that the parser rejects, for example because of an unsafe element name such as __proto__",
      { cause: error },
    );
  }
}

/** Returns a value with all its texts trimmed. Recursion is safe, because the depth was checked before. */
function trimTexts(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trimTexts(member)]));
}

function withReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (reference, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? reference;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return isCharacter(code) ? String.fromCodePoint(code) : reference;
  });
}

/** True for a character that XML allows (XML 1.0, 2.2): only three control characters, and no surrogates. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff && code <= 0x10ffff;
}
