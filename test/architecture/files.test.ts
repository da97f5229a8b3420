/** What every file of code looks like: short, named in one way, opening with its purpose. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { pathsOf } from "./sources-of.ts";

const paths = await pathsOf(/\.(?:ts|js|sql)$/);
const texts = new Map(
  await Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await readFile(join(REPOSITORY, path), "utf8")]),
  ),
);

const MOST_LINES = 300;

/** Longer, and why that is right. */
const LONGER: Readonly<Record<string, string>> = {
  "client/described.ts": "written by a generator: every shape of the API",
  "schemas/public/tables.ts": "data: every column of every table, one a line",
};

/** A comment of at least a few words, before anything else but the line that names the interpreter. */
const PURPOSE = /^(?:#![^\n]+\n)?(?:\/\*\*\s+(?:\* )?(?:[^*]|\*(?!\/)){20,}?\*\/\n|(?:--|\/\/) \S.{20,}\n)/;

test(`none has more than ${MOST_LINES} lines, but for data and the tables of tests`, () => {
  const long = [...texts].filter(
    ([path, text]) => !path.startsWith("test/") && text.split("\n").length > MOST_LINES + 1,
  );
  expect(long.map(([path]) => path)).toEqual(Object.keys(LONGER));
});

test("each opens with a sentence on its purpose", () => {
  for (const text of [
    'import x from "./x.ts";\n/** What this file is for, in words. */\n',
    "/** */\n",
    "select 1;\n",
  ]) {
    expect(text).not.toMatch(PURPOSE);
  }
  expect(texts.size).toBeGreaterThan(300);
  expect([...texts].filter(([, text]) => !PURPOSE.test(text)).map(([path]) => path)).toEqual([]);
});

test("each is named in kebab-case, and none is a drawer of odds and ends", () => {
  const name = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.(?:ts|js|sql)$/;
  expect(paths.filter((path) => !name.test(basename(path)))).toEqual([]);
  expect(paths.filter((path) => /(?:^|\/)(?:utils?|helpers?|misc|common-\w+)\b/.test(path))).toEqual([]);
});
