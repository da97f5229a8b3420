/** The pages about the API are well formed and complete, load no files, and are usable with a screen reader and a keyboard. */

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readableJson } from "../../api-static/openapi/readable-json.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { PROBLEMS } from "../../schemas/public/problem.ts";
import { publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { html } from "../../web/html.ts";
import { referencePages } from "../../web/reference/index.ts";
import { highlightedJson, inline } from "../../web/reference/markdown.ts";
import { frontPage } from "../../web/views/home.ts";
import { problemTypePage } from "../../web/views/problem.ts";
import { type Element, parseElements } from "../release/well-formed.ts";
import { DOCUMENT } from "./validator.ts";

const REFERENCE = referencePages(DOCUMENT);
const INDEX = REFERENCE.get("") ?? "";

const PAGES = [
  ...[...REFERENCE].map(([group, text]) => ({ name: `the reference, ${group || "index"}`, text })),
  { name: "the home page", text: frontPage("2.0") },
  ...Object.entries(PROBLEMS).map(([type, { status, title }]) => ({
    name: `the problem ${type}`,
    text: problemTypePage({ type: `/problems/${type}`, status, title, advice: adviceOn(type) }),
  })),
];

/** Lists the names of the pages besides the index, as GET /docs/{group} documents them. */
function referenceKeys(): unknown[] {
  const { parameters = [] } = DOCUMENT.paths["/docs/{group}"]?.get ?? {};
  return parameters.flatMap((parameter) => ("schema" in parameter ? (parameter.schema.enum ?? []) : []));
}

function adviceOn(type: string): string {
  return Object.entries(PROBLEM_ADVICE).find(([name]) => name === type)?.[1] ?? "";
}

/** Parses a page into its elements. Void elements such as `<meta>` are closed before, so that the page is XML. */
function parsed(text: string): Element[] {
  const xml = text.replace(/^<!doctype html>\s*/, "").replace(/<(link|meta|wbr)\b([^>]*)>/g, "<$1$2/>");
  return parseElements(xml);
}

const all = (elements: readonly Element[], name: string) => elements.filter((element) => element.name === name);
const attribute = (element: Element, name: string) => element.attributes.get(name) ?? null;

describe.each(PAGES)("the page of $name", ({ text }) => {
  const elements = parsed(text);

  test("a page about the API is in English, and has a title and a viewport for narrow screens", () => {
    expect(text).toMatch(/^<!doctype html>\n<html lang="en-GB">/);
    expect(all(elements, "title").some(({ text: title }) => title.trim() !== "")).toBe(true);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });

  test("a page about the API runs no scripts and loads no files", () => {
    const names = new Set(elements.map(({ name }) => name));
    // Browsers do not load links to alternates.
    for (const link of all(elements, "link")) expect(attribute(link, "rel")).toBe("alternate");
    for (const name of ["script", "img", "iframe", "object", "embed", "form", "use"]) {
      expect(names).not.toContain(name);
    }
    const attributes = elements.flatMap((element) => [...element.attributes.keys()]);
    expect(attributes.filter((name) => /^on|^src|^style$|^srcset$/.test(name))).toEqual([]);
    expect(text).not.toMatch(/@import|url\((?!"?#)|javascript:/);
    for (const element of all(elements, "a")) expect(attribute(element, "href")).toMatch(/^[/#]/);
  });

  test("a page about the API has unique ids, and its links to them resolve", () => {
    const ids = elements.flatMap((element) => [attribute(element, "id") ?? []].flat());
    expect(ids.length).toBe(new Set(ids).size);
    const inner = all(elements, "a").map((element) => attribute(element, "href") ?? "");
    const targets = inner.filter((href) => href.startsWith("#")).map((href) => href.slice(1));
    const labels = elements.flatMap((element) => [attribute(element, "aria-labelledby") ?? []].flat());
    const used = [...text.matchAll(/url\(#([\w-]+)\)/g)].map(([, id = ""]) => id);
    expect([...targets, ...labels, ...used].filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("a page about the API has one main part, a skip link, and headings that skip no level", () => {
    expect(all(elements, "main").map((element) => attribute(element, "id"))).toEqual(["content"]);
    const levels = elements.filter(({ name }) => /^h[1-6]$/.test(name)).map(({ name }) => Number(name.slice(1)));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
    const [first] = all(elements, "a");
    expect(first?.attributes.get("href")).toBe("#content");
  });

  test("every table of a page about the API has a caption, and every table header has a scope", () => {
    for (const element of all(elements, "th")) expect(["col", "row"]).toContain(attribute(element, "scope"));
    expect(all(elements, "caption").filter(({ text: name }) => name.trim() !== "")).toHaveLength(
      all(elements, "table").length,
    );
  });

  test("a page about the API shows no markup and no missing value as text", () => {
    const [body] = all(elements, "body");
    expect(body?.text).not.toMatch(/undefined|\[object|NaN|\\n|\$\{/);
  });
});

describe("the pages of the API reference", () => {
  const pages = new Map([...REFERENCE].map(([group, text]) => [group, parsed(text)]));
  const elements = [...pages].flatMap(([group, found]) => (group === "" ? [] : found));
  const words = (within: string) => within.replace(/\s+/g, " ");
  const getText = (group: string) => words(all(pages.get(group) ?? [], "main")[0]?.text ?? "");
  const listIds = (group: string) => (pages.get(group) ?? []).map((element) => attribute(element, "id"));

  test("the API reference has an index and one page for each group, each of at most 60 KB when compressed", () => {
    expect([...pages.keys()]).toEqual(["", ...referenceKeys()]);
    const sizes = [...REFERENCE].map(([group, text]) => ({ group, bytes: gzipSync(text).length }));
    expect(sizes.filter(({ bytes }) => bytes > 60 * 1024)).toEqual([]);
  });

  test("every link between pages of the API reference leads to an existing anchor", () => {
    const links = [...pages.values()].flat().flatMap((element) => attribute(element, "href") ?? []);
    const targets = links.filter((href) => href.startsWith("/docs/")).map((href) => href.slice(6).split("#"));
    expect(targets.length).toBeGreaterThan(500);
    const missing = targets.filter(([group = "", anchor]) =>
      anchor === undefined ? !pages.has(group) : !listIds(group).includes(anchor),
    );
    expect(missing).toEqual([]);
  });

  test("the index of the API reference has the anchors of old links to operations, problems, headers and schemas", () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((item) => Object.values(item));
    const anchors = [
      ...["rejections", "headers", "schemas", "tables", "table-scores", "tag-records", "tag-sign-in"],
      ...operations.map(({ operationId }) => `op-${operationId}`),
      ...Object.keys(PROBLEMS).map((type) => `problem-${type}`),
      ...Object.keys(DOCUMENT.components.schemas).map((name) => `schema-${name}`),
    ];
    expect(anchors.filter((anchor) => !listIds("").includes(anchor))).toEqual([]);
  });

  test.each(Object.entries(DOCUMENT.paths))(
    "the API reference documents %s with its methods, parameters and responses",
    (path, item) => {
      for (const [method, { operationId, parameters = [], responses }] of Object.entries(item)) {
        const section = elements.find((element) => attribute(element, "id") === `op-${operationId}`);
        const text = words(section?.text ?? "");
        expect(text).toContain(`${method.toUpperCase()} ${path}`);
        expect(text).toContain("curl ");
        for (const parameter of parameters) if ("name" in parameter) expect(text).toContain(parameter.name);
        for (const status of Object.keys(responses))
          expect(text).toContain(status.replace("default", "any other error"));
      }
    },
  );

  test("the API reference shows the bounds and defaults of parameters", () => {
    const section = elements.find((element) => attribute(element, "id") === "op-records");
    const text = words(section?.text ?? "");
    for (const said of ["integer, 1 to 10,000, default 1", "integer, 1 to 100, default 10", "number, 0 to 100"]) {
      expect(text).toContain(said);
    }
  });

  test.each(Object.keys(DOCUMENT.components.schemas))(
    "the API reference documents the schema %s with its properties",
    (name) => {
      const section = elements.find((element) => attribute(element, "id") === `schema-${name}`);
      const { properties = {} } = DOCUMENT.components.schemas[name] ?? {};
      for (const member of Object.keys(properties)) expect(section?.text).toContain(member);
      expect(listIds("schemas")).toContain(`schema-${name}`);
    },
  );

  test.each([...RELEASE_TABLES, ...Object.values(DIFF_TABLES)])(
    "the API reference documents the published table $name",
    (table) => {
      const name = publishedName(table);
      const section = elements.find((element) => attribute(element, "id") === `table-${name}`);
      expect(section?.text).toContain(table.grain);
      for (const column of Object.keys(table.columns)) expect(section?.text).toContain(column);
    },
  );

  test("the API reference shows each problem with its remedy, and each header with its meaning", () => {
    for (const type of Object.keys(PROBLEMS)) expect(getText("problems")).toContain(words(adviceOn(type)));
    for (const [name, { description }] of Object.entries(DOCUMENT.components.headers)) {
      expect(getText("headers")).toContain(name);
      expect(getText("headers")).toContain(description.replaceAll("`", ""));
    }
  });

  test("the API reference begins with the most frequent tasks", () => {
    const chapters = all(pages.get("") ?? [], "section").filter((element) => attribute(element, "class") === "chapter");
    expect(chapters.slice(0, 6).map((element) => attribute(element, "id"))).toEqual([
      "look-up",
      "badge",
      "key",
      "rates",
      "download",
      "cite",
    ]);
  });

  test("the API reference escapes any text of the document", () => {
    const hostile = "</style><script>alert(1)</script> \"'& `<b>` **<i>**";
    const document = {
      ...DOCUMENT,
      info: { ...DOCUMENT.info, title: hostile, summary: hostile, description: hostile },
    };
    for (const page of referencePages(document).values()) {
      expect(page).not.toContain("<script");
      expect(parsed(page).filter(({ name }) => ["b", "i", "script"].includes(name))).toEqual([]);
    }
  });
});

describe("the colours of pages about the API", () => {
  const [light = "", dark = ""] = [...INDEX.matchAll(/--ground:[^}]*/g)].map(([rules]) => rules);
  const parseColours = (rules: string) =>
    new Map(
      [...rules.matchAll(/--([\w-]+): ?(#[0-9a-f]{3,6})\b/g)].map(([, name = "", colour = ""]) => [name, colour]),
    );
  const pairs = [
    ...["ink", "faint", "accent", "post", "string", "number", "word"].flatMap((text) =>
      ["ground", "soft"].map((ground) => ({ text, ground })),
    ),
    { text: "on-accent", ground: "accent" },
  ];

  /** Computes the relative luminance of a colour as WCAG 2.2 defines it. */
  const luminance = (colour: string) => {
    const hex = colour.length === 4 ? colour.replace(/[0-9a-f]/g, "$&$&") : colour;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string) => {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };

  test("the contrast function of this suite gives 21 to 1 for black on white", () =>
    expect(contrast("#000", "#ffffff")).toBeCloseTo(21));

  test.each(pairs)(
    "the colour $text on $ground has enough contrast, in the light and the dark theme",
    ({ text, ground }) => {
      for (const rules of [light, dark]) {
        const colours = parseColours(rules);
        expect(contrast(colours.get(text) ?? "#000", colours.get(ground) ?? "#000")).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});

describe("functions that make the pages about the API", () => {
  test("the template function escapes text and leaves markup unchanged", () => {
    expect(html`<p title="${'"'}">${"<&>'"}${html`<b>x</b>`}${null}${[1, "a"]}</p>`.text).toBe(
      '<p title="&quot;">&lt;&amp;&gt;&apos;<b>x</b>1a</p>',
    );
  });

  test.each([
    { text: "plain", markup: "plain" },
    { text: "`a < b` and **c**", markup: "<code>a &lt; b</code> and <strong>c</strong>" },
    { text: "2 * 3 ` 4", markup: "2 * 3 ` 4" },
  ])("the Markdown function renders $text", ({ text, markup }) => {
    expect(html`${inline(text)}`.text).toBe(markup);
  });

  test.each([
    { value: { a: [], b: {}, c: null }, text: '{ "a": [], "b": {}, "c": null }' },
    { value: ["x".repeat(90)], text: `[\n  "${"x".repeat(90)}"\n]` },
  ])("the JSON function renders $text", ({ value, text }) => {
    expect(readableJson(value)).toBe(text);
    expect(JSON.parse(readableJson(value))).toEqual(value);
  });

  test("the function that highlights JSON changes no character", () => {
    const text = readableJson({ "a: 1": 'say "1"', b: [-1.5e3, true, null], c: "\\" });
    const marked = html`${highlightedJson(text)}`.text;
    expect(marked.replace(/<[^>]+>/g, "").replaceAll("&quot;", '"')).toBe(text);
    expect(marked).toContain('<span class="k">&quot;a: 1&quot;</span>');
    expect(marked).toContain('<span class="s">&quot;say \\&quot;1\\&quot;&quot;</span>');
    expect(marked).toContain('<span class="n">-1500</span>');
  });
});
