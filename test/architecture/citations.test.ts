/** Comments cite the specification correctly: the cited page is in docs/spec/, and has the cited heading or term. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { findPaths } from "./sources-of.ts";

const SPEC = join(REPOSITORY, "docs", "spec");
const PAGES = new Map(
  await Promise.all(
    (await readdir(SPEC))
      .filter((name) => name !== "README.md")
      .map(async (name): Promise<[string, string]> => [name, await readFile(join(SPEC, name), "utf8")]),
  ),
);

interface Citation {
  readonly page: string;
  /** The heading or term without its quotes, or the number of a section; null if the whole page is cited. */
  readonly part: string | null;
}

/** Matches the four forms of a citation: `page.md`, `page.md, "Heading"`, `page.md, `term`` and `page.md, 7`. */
const CITATION = /\b(interface|decisions|rubrics|sources)\.md(?:, (?:"([^"\n]+)"|`([^`\n]+)`|(\d+)\b))?/g;

function citationsIn(text: string): Citation[] {
  return [...text.matchAll(CITATION)].map(([, page = "", heading, term, number]) => ({
    page: `${page}.md`,
    part: heading ?? term ?? number ?? null,
  }));
}

/** True if the page has the cited part: as the beginning of a heading, paragraph or list item, or as a term in code. */
function holds({ page, part }: Citation): boolean {
  const text = PAGES.get(page);
  if (text === undefined) return false;
  if (part === null) return true;
  const quoted = part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const section = /^\d+$/.test(part) && new RegExp(`^## (?:\\d+–)?${quoted}(?:–\\d+)?\\. `, "m").test(text);
  return (
    section || new RegExp(`^(?:#+ |- |\\| (?:[^|\n]*, )?)?(?:\\*\\*|\`)?${quoted}|\\W\`${quoted}\``, "m").test(text)
  );
}

test("every citation of the specification in a comment names an existing section", async () => {
  const paths = await findPaths(/\.(?:ts|sql|csv)$/);
  const cited = await Promise.all(
    paths
      .filter((path) => path !== "test/architecture/citations.test.ts")
      .map(async (path) =>
        citationsIn(await readFile(join(REPOSITORY, path), "utf8")).map((citation) => ({ path, ...citation })),
      ),
  );
  const citations = cited.flat();
  expect(citations.length).toBeGreaterThan(100);
  expect(citations.filter((citation) => !holds(citation))).toEqual([]);
});

test("the check of citations finds a citation of a missing section", () => {
  const CASES: readonly [text: string, holding: boolean][] = [
    ['(decisions.md, "Rows")', true],
    ['(decisions.md, "Columns")', false],
    ["(rubrics.md, `person_creator_count`)", true],
    ["(rubrics.md, `person_count`)", false],
    ["(sources.md, 6)", true],
    ["(sources.md, 60)", false],
    ["interface.md", true],
  ];
  expect(CASES.map(([text]) => citationsIn(text).map(holds))).toEqual(CASES.map(([, holding]) => [holding]));
});
