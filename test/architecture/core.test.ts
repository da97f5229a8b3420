/**
 * The core, which scores a record, runs anywhere: no module that its entry points load needs Node, a native package or a file.
 */

import { normalize } from "node:path";
import { expect, test } from "vitest";
import { BY_PLATFORM, type SourceFile, sourceFiles } from "./sources-of.ts";

/** The entry points of the core. Pages, users of the npm package, and workers load them. */
const ENTRY_POINTS = ["score/index.ts", "score/check-worker.ts"];

/** Packages of plain JavaScript, which bundlers put into a page. */
const PACKAGES = [
  "fast-xml-parser",
  "html-entities",
  "i18n-iso-countries/index.js",
  "i18n-iso-countries/langs/en.json",
  "lru-cache",
  "spdx-license-list",
  "yaml",
  "zod",
];

/** Globals of Node that browsers lack. */
const NODE_NAMES =
  /(?<![.\w$"])(?:Buffer|process|require|__dirname|__filename|setImmediate)\b(?!["'])|\bimport\.meta\b/;

/** The lines of each file that may use Node, because scoring does not need them and bundlers leave them out. */
const UNUSED: Readonly<Record<string, RegExp>> = {
  // These lines read and write pages of a release as bytes.
  "api-static/pages/record.ts": /\bBuffer\b/,
  "api-static/pages/read-page.ts": /\bBuffer\b/,
};

const files = new Map((await sourceFiles()).map((file) => [file.path, inBrowsers(file)]));

/** Returns the file with its imports as bundlers for browsers resolve them. */
function inBrowsers(file: SourceFile): SourceFile {
  const imports = file.imports.map((each) => {
    const chosen = BY_PLATFORM[each.specifier];
    return chosen === undefined ? each : { ...each, file: normalize(chosen.browser) };
  });
  return { ...file, imports };
}

/** Returns the files that the entry points load, each with the chain of imports that leads to the file. */
function reachable(entries: readonly string[], of: ReadonlyMap<string, SourceFile>): Map<string, string> {
  const found = new Map(entries.map((entry) => [entry, entry]));
  for (const [path, chain] of found) {
    for (const { file, typesOnly } of of.get(path)?.imports ?? []) {
      if (file !== null && !typesOnly && !found.has(file)) found.set(file, `${chain} → ${file}`);
    }
  }
  return found;
}

/** Returns the imports and names that need Node, each after the chain of imports that leads to its file. */
function breaches(entries: readonly string[], of: ReadonlyMap<string, SourceFile>): string[] {
  return [...reachable(entries, of)].flatMap(([path, chain]) => {
    const { imports, code } = of.get(path) ?? { imports: [], code: "" };
    const foreign = imports.filter(({ file, specifier, typesOnly }) => {
      return file === null && !typesOnly && !PACKAGES.includes(specifier);
    });
    const named = code.split("\n").filter((line) => NODE_NAMES.test(line) && UNUSED[path]?.test(line) !== true);
    return [
      ...foreign.map(({ specifier }) => `${chain} → ${specifier}`),
      ...named.map((line) => `${chain}: ${line.trim()}`),
    ];
  });
}

test("the core imports neither Node nor an unlisted package, and uses no global of Node", () => {
  for (const entry of ENTRY_POINTS) expect([entry, files.has(entry)]).toEqual([entry, true]);
  const found = reachable(ENTRY_POINTS, files);
  expect(found.size).toBeGreaterThan(50);
  expect([...found.keys()].filter((path) => path.endsWith(".json")).length).toBeGreaterThan(15);
  expect(breaches(ENTRY_POINTS, files)).toEqual([]);
});

test("the core loads every package that is on its list", () => {
  const loaded = [...reachable(ENTRY_POINTS, files).keys()].flatMap((path) => files.get(path)?.imports ?? []);
  expect(PACKAGES.filter((name) => !loaded.some(({ specifier }) => specifier === name))).toEqual([]);
});

test.each([
  { name: "a module of Node", line: 'import { hash } from "node:crypto";' },
  { name: "a native package", line: 'import { DuckDBInstance } from "@duckdb/node-api";' },
  { name: "a file at run time", line: 'const file = new URL("./rules.json", import.meta.url);' },
  { name: "a global of Node", line: "const text = Buffer.from(bytes);" },
])("$name is found even if an entry point loads it only through another module", ({ line }) => {
  const specifier = /from "([^.][^"]*)"/.exec(line)?.[1];
  const imports = (file: string | null, name: string) => [{ file, specifier: name, typesOnly: false }];
  const made = new Map<string, SourceFile>([
    ["a.ts", { path: "a.ts", code: "", imports: imports("b.ts", "./b.ts") }],
    ["b.ts", { path: "b.ts", code: line, imports: specifier === undefined ? [] : imports(null, specifier) }],
  ]);
  expect(breaches(["a.ts"], made)).toEqual([expect.stringContaining("a.ts → b.ts")]);
});
