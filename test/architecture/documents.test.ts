/** Checks the documents as a whole: links, paths of documents that the code names, and the number of hand-written words. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { handWrittenWords, isTranslation, markdownFiles } from "../../docs/count-words.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { findPaths } from "./sources-of.ts";

/** Maximum number of hand-written words in all documents together. */
const MAX_WORDS = 45_000;

const DOCUMENTS = await markdownFiles(REPOSITORY);

const readText = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");

/** Removes fenced blocks from Markdown. */
const withoutBlocks = (markdown: string) => markdown.replace(/^```[\s\S]*?^```/gm, "");

/** Lists the anchors of all headings, as GitHub makes them. */
function listAnchors(markdown: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Lists links of a document that lead to a missing file, folder or heading. */
function brokenLinks(path: string, markdown: string): string[] {
  const links = [
    ...withoutBlocks(markdown)
      .replace(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(REPOSITORY, target))) return true;
      if (anchor === undefined) return false;
      return !listAnchors(target === path ? markdown : readText(target)).has(anchor);
    });
}

describe("links, names and length of the documents", () => {
  test("every relative link of a document points to an existing file and heading", () => {
    const broken = DOCUMENTS.flatMap((path) => brokenLinks(path, readText(path)).map((link) => `${path}: ${link}`));
    expect(DOCUMENTS.length).toBeGreaterThan(40);
    expect(broken).toEqual([]);
  });

  test.each([
    ["a missing file", "[x](nowhere.md)", 1],
    ["a missing heading", "# One\n\n[x](#two)", 1],
    ["a heading with code and punctuation", "# The `a-b` of x, y\n\n[x](#the-a-b-of-x-y)", 0],
    ["the second of two equal headings", "# A\n\n# A\n\n[x](#a-1)", 0],
    ["a link inside code", "`[x](nowhere.md)`", 0],
  ])("the check of links judges correctly: %s", (_name, markdown, count) => {
    expect(brokenLinks("README.md", markdown)).toHaveLength(count);
  });

  test("every document that the code names exists", async () => {
    const paths = (await findPaths(/\.(?:ts|sql|py)$/)).filter(
      (path) => path !== "test/architecture/changelog.test.ts",
    );
    const missing = paths.flatMap((path) =>
      [...readText(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .map(([document]) => document)
        .filter((document) => !existsSync(join(REPOSITORY, document)))
        .map((document) => `${path}: ${document}`),
    );
    expect(missing).toEqual([]);
  });

  test("every file that a guide to the code names exists", () => {
    const missing = ["docs/architecture.md", "docs/changing.md", "CONTRIBUTING.md"].flatMap((path) =>
      [
        ...readText(path).matchAll(
          /`((?:api-static|cli|docs|fixtures|pipeline|releases|schemas|server|test|web)\/[\w./-]+)`/g,
        ),
      ]
        .map(([, file = ""]) => file)
        .filter((file) => !existsSync(join(REPOSITORY, file)))
        .map((file) => `${path}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  test("all hand-written documents together have no more words than their limit (`npm run words`)", () => {
    const own = DOCUMENTS.filter((path) => !isTranslation(path));
    const words = own.reduce((sum, path) => sum + handWrittenWords(readText(path)), 0);
    expect(words).toBeGreaterThan(20_000);
    expect(words).toBeLessThanOrEqual(MAX_WORDS);
  });
});
