/**
 * The patterns of plain-words.json, which show that a text is hard to read, do not match in documents, code, comments, messages,
 * test names or the OpenAPI document. A match is a symptom: write the sentence again with a subject that acts.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { openApi } from "../../api-static/openapi/index.ts";
import { markdownFiles } from "../../docs/count-words.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { findPaths } from "./sources-of.ts";

/** The expression that replaces `START` in a pattern. It matches the beginning of a statement. */
const START = String.raw`(?:(?<=^\s*(?:(?:/\*\*|\*|//|--|#+|-|>|\d+\.|\|)\s+)?)(?=[A-Z])|(?<=[.!]\s+)(?=[A-Z])|(?<=["'\x60|>]\s?)(?=[A-Z])|(?<=\b(?:test|it|describe)(?:\.\w+)*\(\s*["'\x60]|\bname: ["'\x60]))`;

const patterns = z.array(
  z.strictObject({
    name: z.string(),
    pattern: z.string(),
    flags: z.literal("i").optional(),
    instead: z.string(),
    bad: z.array(z.string()).min(1),
    good: z.array(z.string()).min(1),
  }),
);

const PATTERNS = patterns
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "plain-words.json"), "utf8")))
  .map(({ pattern, flags = "", ...rest }) => ({
    ...rest,
    pattern: new RegExp(pattern.replaceAll("START", START), `gm${flags}`),
  }));

/** Matches files of code and data with text for people. Contracts are left out, because a digest covers their texts. */
const TEXTS = /\.(?:ts|js|sql|py)$|\/pledge\.json$/;

function matchesIn(path: string, text: string): string[] {
  return PATTERNS.flatMap(({ name, pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${path}:${line}: "${match}" is ${name}; ${instead}`;
    }),
  );
}

/** Removes code from Markdown, but not its line breaks, so that messages have the right line numbers. */
function removeCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, "")).replace(/`[^`\n]*`/g, "x");
}

test.each(PATTERNS)("the pattern for $name matches the texts that it should, and no others", ({ bad, good }) => {
  for (const text of bad) expect(matchesIn("text", text), text).toHaveLength(1);
  for (const text of good) expect(matchesIn("text", text), text).toEqual([]);
});

test("no text of the repository matches a plain-words pattern", async () => {
  const paths = [...(await findPaths(TEXTS)), ...(await markdownFiles(REPOSITORY)), "Makefile", ".ci/run"];
  expect(paths.length).toBeGreaterThan(500);
  const found = paths.flatMap((path) => {
    const text = readFileSync(join(REPOSITORY, path), "utf8");
    return matchesIn(path, path.endsWith(".md") ? removeCode(text) : text);
  });
  expect(found).toEqual([]);
});

test("no text of the OpenAPI document matches a plain-words pattern", () => {
  const texts: string[] = [];
  JSON.stringify(openApi(), (name, value: unknown) => {
    if (name === "example" || name === "examples") return undefined;
    if (typeof value === "string" && ["summary", "description", "title"].includes(name)) texts.push(value);
    return value;
  });
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.flatMap((text) => matchesIn(text, text))).toEqual([]);
});
