/** XML is parsed into the shapes that normalisers rely on. Documents that try to exhaust or mislead the parser do no harm. */

import { describe, expect, test } from "vitest";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { readXmlText } from "../../pipeline/reading/text.ts";
import { parseXml, parseXmlFragment } from "../../pipeline/reading/xml.ts";

describe("parsing an XML document", () => {
  test.each([
    { name: "text", xml: "<a> 007 </a>", is: { a: "007" } },
    { name: "an empty element", xml: "<a/>", is: { a: "" } },
    { name: "white space", xml: "<a>\n\t</a>", is: { a: "" } },
    { name: "attributes", xml: `<a b="1" c='x"y'/>`, is: { a: { "@b": "1", "@c": 'x"y' } } },
    { name: "text and an attribute", xml: `<a b="1">t</a>`, is: { a: { "@b": "1", "#text": "t" } } },
    { name: "one element", xml: "<a><b>1</b></a>", is: { a: { b: "1" } } },
    { name: "two elements with one name", xml: "<a><b>1</b><c/><b>2</b></a>", is: { a: { b: ["1", "2"], c: "" } } },
    {
      name: "text around elements",
      xml: "<a>one <b>two</b> three</a>",
      is: { a: { b: "two", "#text": "one  three" } },
    },
    { name: "prefixes", xml: `<x:a xmlns:x="u" x:b="1"><x:c/></x:a>`, is: { a: { "@b": "1", c: "" } } },
    { name: "a default namespace", xml: `<a xmlns="u"><b/></a>`, is: { a: { b: "" } } },
    {
      name: "numbers, booleans and empty elements stay text",
      xml: "<a><b>1e3</b><b>true</b></a>",
      is: { a: { b: ["1e3", "true"] } },
    },
    {
      name: "a declaration, comments and instructions",
      xml: `<?xml version="1.0"?><!-- <z> --><?p q?><a/>`,
      is: { a: "" },
    },
    { name: "a byte order mark", xml: "\ufeff<a>t</a>", is: { a: "t" } },
    {
      name: "the five entities and character references",
      xml: "<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;</a>",
      is: { a: `<&>"'A😀` },
    },
    { name: "text that is decoded once", xml: "<a>&amp;lt;</a>", is: { a: "&lt;" } },
    { name: "references in attributes", xml: `<a b="&#x26;amp;"/>`, is: { a: { "@b": "&amp;" } } },
    { name: "CDATA unchanged", xml: "<a>x <![CDATA[&amp; <b>]]> y</a>", is: { a: "x &amp; <b> y" } },
    { name: "names beyond ASCII", xml: "<größe 数='1'/>", is: { größe: { "@数": "1" } } },
  ])("an XML document with $name becomes the expected object", ({ xml, is }) => {
    expect(parseXml(xml)).toEqual(is);
  });
});

describe("parsing XML with entities and document types", () => {
  const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");
  test.each([
    {
      name: "a billion laughs",
      xml: `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l9;</a>`,
      is: { a: "&l9;" },
    },
    {
      name: "an external file",
      xml: `<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/hostname">]><a>&f;</a>`,
      is: { a: "&f;" },
    },
    { name: "a redefinition of an entity", xml: `<!DOCTYPE a [<!ENTITY amp "evil">]><a>&amp;</a>`, is: { a: "&" } },
    { name: "a default attribute", xml: `<!DOCTYPE a [<!ATTLIST a b CDATA "evil">]><a/>`, is: { a: "" } },
    { name: "an external subset", xml: `<!DOCTYPE a SYSTEM "http://example.org/a>b.dtd"><a/>`, is: { a: "" } },
    { name: "a subset with special characters", xml: `<!DOCTYPE a [<!-- ]> --><!ENTITY b "]>">]><a/>`, is: { a: "" } },
    { name: "an entity of HTML", xml: "<a>caf&eacute;&nbsp;</a>", is: { a: "caf&eacute;&nbsp;" } },
    { name: "an ampersand without an entity", xml: "<a>R&D & co</a>", is: { a: "R&D & co" } },
    {
      name: "references to invalid characters",
      xml: "<a>&#0;&#xD800;&#x110000;&#xFFFF;</a>",
      is: { a: "&#0;&#xD800;&#x110000;&#xFFFF;" },
    },
  ])("parseXml expands no entities and uses no document types, as in $name", ({ xml, is }) => {
    expect(parseXml(xml)).toEqual(is);
  });
});

describe("rejecting malformed or oversized XML", () => {
  test.each([
    { name: "an empty text", xml: "", reason: "empty" },
    { name: "white space", xml: " \n", reason: "empty" },
    { name: "only a declaration", xml: `<?xml version="1.0"?>`, reason: "empty" },
    { name: "plain text", xml: "Not found", reason: "not-xml" },
    { name: "JSON", xml: `{"a": 1}`, reason: "not-xml" },
    { name: "text after the root", xml: "<a/>x", reason: "not-xml" },
    { name: "two roots", xml: "<a/><b/>", reason: "not-xml" },
    { name: "an end tag too many", xml: "<a/></a>", reason: "not-xml" },
    { name: "crossed end tags", xml: "<a><b></a></b>", reason: "not-xml" },
    { name: "an attribute without quotes", xml: "<a b=1/>", reason: "not-xml" },
    { name: "an attribute without a value", xml: "<a b/>", reason: "not-xml" },
    { name: "a name that begins with a digit", xml: "<1/>", reason: "not-xml" },
    { name: "a DOCTYPE inside the root", xml: "<a><!DOCTYPE a></a>", reason: "not-xml" },
    { name: "CDATA after the root", xml: "<a/><![CDATA[x]]>", reason: "not-xml" },
    {
      name: "an element name that changes an object's prototype",
      xml: "<__proto__><x/></__proto__>",
      reason: "not-xml",
    },
    {
      name: "an attribute name that changes an object's prototype",
      xml: `<a><constructor b="1"/></a>`,
      reason: "not-xml",
    },
    { name: "truncated within text", xml: "<a><b>tex", reason: "truncated" },
    { name: "truncated within a tag", xml: `<a b="1`, reason: "truncated" },
    { name: "truncated within a name", xml: "<a", reason: "truncated" },
    { name: "truncated within a comment", xml: "<a><!-- x", reason: "truncated" },
    { name: "truncated within CDATA", xml: "<a><![CDATA[x", reason: "truncated" },
    { name: "truncated within a DOCTYPE", xml: `<!DOCTYPE a [<!ENTITY b "`, reason: "truncated" },
    { name: "a hundred thousand nested elements", xml: "<a>".repeat(100_000), reason: "too-deep" },
    { name: "101 nested elements", xml: "<a>".repeat(101) + "</a>".repeat(101), reason: "too-deep" },
    { name: "a huge attribute", xml: `<a b="${"x".repeat(2_000_000)}"/>`, reason: "too-large" },
    { name: "a huge name", xml: `<${"x".repeat(2_000_000)}/>`, reason: "not-xml" },
    { name: "too many elements", xml: `<a>${"<b/>".repeat(500_000)}</a>`, reason: "too-large" },
    {
      name: "too many attributes",
      xml: `<a${Array.from({ length: 2001 }, (_, i) => ` b${i}=""`).join("")}/>`,
      reason: "too-large",
    },
    { name: "too many characters", xml: `<a>${"x".repeat(33 * 1024 * 1024)}</a>`, reason: "too-large" },
    { name: "only start tags", xml: "<".repeat(1_000_000), reason: "not-xml" },
    { name: "a tag of white space", xml: `<a${" ".repeat(1_000_000)}`, reason: "truncated" },
  ])("malformed or oversized XML is rejected with a reason: $name", ({ xml, reason }) => {
    expect(() => parseXml(xml)).toThrow(expect.objectContaining({ code: "bad-xml", reason }));
  });

  test("XML with a hundred nested elements is still read", () => {
    expect(JSON.stringify(parseXml("<a>".repeat(100) + "</a>".repeat(100)))).toHaveLength(602);
  });

  test("XML cannot change the prototypes of objects", () => {
    expect(() => parseXml(`<a><__proto__ polluted="1"/></a>`)).toThrow();
    expect(parseXml(`<a toString="1"><hasOwnProperty>x</hasOwnProperty></a>`)).toHaveProperty("a");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(String({})).toBe("[object Object]");
  });
});

describe("parsing XML fragments without a root", () => {
  test.each([
    {
      name: "several elements",
      xml: `<Summary><Title>T</Title></Summary><Run acc="SRR1"/>`,
      is: { Summary: { Title: "T" }, Run: { "@acc": "SRR1" } },
    },
    { name: "several elements with one name", xml: "  <Run>1</Run><Run>2</Run>  ", is: { Run: ["1", "2"] } },
    { name: "an empty text", xml: " ", is: {} },
    { name: "only text", xml: "none &amp; nothing", is: { "#text": "none & nothing" } },
  ])("XML fragments without a root become an object: $name", ({ xml, is }) => {
    expect(parseXmlFragment(xml)).toEqual(is);
  });

  test.each(["</root><root>", "<a>", "<!DOCTYPE a><a/>"])("the XML fragment %s is rejected", (xml) => {
    expect(() => parseXmlFragment(xml)).toThrow(expect.objectContaining({ code: "bad-xml" }));
  });
});

test.each([
  {
    name: "text of an element and of its children",
    element: { "#text": "See", em: "this", "@id": "9" },
    text: "See this",
  },
  { name: "lists", element: { para: ["one", { "#text": "two", b: "three" }] }, text: "one two three" },
  { name: "plain text", element: " x ", text: "x" },
  { name: "only attributes", element: { "@id": "9" }, text: null },
])("readXmlText returns the text of an XML element with $name", ({ element, text }) => {
  expect(readXmlText(element)).toBe(text);
});

describe("parsing a stored payload", () => {
  test.each([
    { name: "JSON", text: `{"a":"<b/>"}`, parts: [], is: { a: "<b/>" } },
    { name: "XML", text: "\n<a><b/></a>", parts: ["a"], is: { a: { b: "" } } },
    {
      name: "XML within JSON",
      text: `{"eml":"<a>1</a>","reads":null,"x":"<c/>"}`,
      parts: ["eml", "reads"],
      is: { eml: { a: "1" }, reads: null, x: "<c/>" },
    },
    { name: "a part that is already parsed", text: `{"eml":{"a":"1"}}`, parts: ["eml"], is: { eml: { a: "1" } } },
  ])("a stored payload is parsed by its format: $name", ({ text, parts, is }) => {
    expect(parsePayload(text, parts)).toEqual(is);
  });

  test("parsePayload throws for malformed XML, so that the record fails", () => {
    expect(() => parsePayload("<a>")).toThrow(expect.objectContaining({ reason: "truncated" }));
  });
});
