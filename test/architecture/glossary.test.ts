/** Texts use one word for each thing, and avoid the other words that docs/glossary.md lists beside it. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApi } from "../../api-static/openapi/index.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const read = (path: string) => readFile(join(REPOSITORY, path), "utf8");

/** The rows of the glossary. Each has a word, and the words that texts avoid because they mean the same. */
const ROWS = [
  ...(await read("docs/glossary.md")).matchAll(/^\| (?!word |---)([^|]+?) +\| ([^|]+?) +\|([^|]*)\|$/gm),
].map(([, word = "", , not = ""]) => ({
  word,
  not: not
    .split(",")
    .map((other) => other.trim())
    .filter((other) => other !== ""),
}));

/** Lists the avoided words of a text, in every form that begins alike: crawl, crawls, crawler. */
const avoided = (text: string) =>
  ROWS.flatMap(({ not }) => not).filter((other) => new RegExp(`\\b${other}(?:s|d|ed|er|ers|ing)?\\b`, "i").test(text));

/** Removes quotations, code, field names and URLs from Markdown. */
const prose = (markdown: string) =>
  markdown
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`]*`/g, "")
    .replace(/\]\([^)]*\)/g, "]");

/** Lists the documents to check. The specification is left out, because it uses the words of the contract. */
async function documents(): Promise<string[]> {
  const below = await readdir(join(REPOSITORY, "docs"), { recursive: true });
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...below.map((name) => join("docs", name))].filter(
    (path) => path.endsWith(".md") && !path.startsWith("docs/spec/") && path !== "docs/glossary.md",
  );
}

test("the glossary has each word once, and does not use a word that it avoids elsewhere", () => {
  expect(ROWS.length).toBeGreaterThan(40);
  expect(new Set(ROWS.map(({ word }) => word)).size).toBe(ROWS.length);
  expect(ROWS.map(({ word }) => word).filter((word) => avoided(word).length > 0)).toEqual([]);
});

test("documents use the words of the glossary", async () => {
  const found = await Promise.all(
    (await documents()).map(async (path) => avoided(prose(await read(path))).map((word) => `${path}: ${word}`)),
  );
  expect(found.flat()).toEqual([]);
});

/** Returns every text of the OpenAPI document that people read. */
function descriptions(): string[] {
  const texts: string[] = [];
  JSON.stringify(openApi(), (key, value: unknown) => {
    if (["description", "summary", "title"].includes(key) && typeof value === "string") texts.push(value);
    return value;
  });
  return texts;
}

test("the API's descriptions use the words of the glossary", () => {
  const texts = descriptions();
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.flatMap((text) => avoided(prose(text)).map((word) => `${word}: ${text.slice(0, 80)}`))).toEqual([]);
});

/** Matches a description that begins with a clause in place of a subject, such as "Where the moderator said it". */
const WITHOUT_SUBJECT = /^(?:What|Of|As|By|That|Who|Whose|Which|Where|When|Why|How|Whether|From)\b/;

test("descriptions of the API begin with their subject", () => {
  expect(descriptions().filter((text) => WITHOUT_SUBJECT.test(text))).toEqual([]);
  expect("Where the moderator said it").toMatch(WITHOUT_SUBJECT);
  expect("Asked for by name").not.toMatch(WITHOUT_SUBJECT);
});

test("the check of words finds an avoided word in any of its forms", () => {
  expect(avoided("Sources are crawled at night")).toEqual(["crawl"]);
  expect(avoided("The Data Set")).toEqual(["data set"]);
  expect(avoided("Sources are harvested")).toEqual([]);
});
