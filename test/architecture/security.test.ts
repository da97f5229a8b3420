/** Checks that every threat in SECURITY.md names a test, and that the test exists. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PROSE = readFileSync(join(ROOT, "SECURITY.md"), "utf8");

/** Returns the text as readers see it, without escapes and line breaks. */
const plain = (text: string) => text.replace(/\\(["'`])/g, "$1").replace(/\s+/g, " ");

/** Lists the test files that SECURITY.md names, each with the quoted names of tests that follow the file's name. */
function named(): { readonly file: string; readonly words: readonly string[] }[] {
  return PROSE.split(/(?=`[a-z-]+\/[\w./-]+\.ts`)/).flatMap((part) => {
    const [whole = "", file] = /^`([a-z-]+\/[\w./-]+\.ts)`/.exec(part) ?? [];
    if (file === undefined || file.startsWith("test/")) return [];
    const rest = part.slice(whole.length).split(/\n\s*\n|\n- |\|\n/)[0] ?? "";
    return [{ file, words: [...rest.matchAll(/"([^"]+)"/g)].map(([, text = ""]) => plain(text)) }];
  });
}

/** Lists the names of tests and cases: strings that are the first argument of a call, or follow `name:`. */
function titlesIn(source: string): string {
  const titles = source.matchAll(/(?:\(\s*|\bname: )(["'`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g);
  return plain([...titles].map(([, , title]) => title).join("\n"));
}

describe("the tests that SECURITY.md names", () => {
  test.each(named())("$file contains the tests that SECURITY.md names", ({ file, words }) => {
    const path = join(ROOT, "test", file);
    expect([file, existsSync(path)]).toEqual([file, true]);
    expect([file, words.length > 0]).toEqual([file, true]);
    const titles = titlesIn(readFileSync(path, "utf8"));
    for (const text of words) expect([file, text, titles.includes(text)]).toEqual([file, text, true]);
  });

  test("the check of SECURITY.md finds names of tests and of their cases, and no other strings", () => {
    expect(
      titlesIn('test("a name", () => expect(text).toBe("no name")); const row = { name: "a case", text: "none" };'),
    ).toBe("a name a case");
  });

  test("the threat table names an existing test for each threat", () => {
    const table = PROSE.slice(PROSE.indexOf("| threat |"), PROSE.indexOf("## Limits"));
    const rows = table.split("\n").filter((line) => line.startsWith("| ") && !/^\| (threat|---|\*\*)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) expect(row.split(" | ").at(-1)).toMatch(/`[a-z-]+\/[\w./-]+\.ts`/);
  });
});
