/** Folders as rooms: none in a circle with others, none overfull, each with a few lines on what lives there. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { type SourceFile, sourceFiles } from "./sources-of.ts";

const PRODUCT = ["schemas", "api-static", "pipeline", "operations", "evaluate", "web", "client", "server", "cli"];

const topOf = (path: string) => path.split("/")[0] ?? "";
const files = (await sourceFiles()).filter(({ path }) => PRODUCT.includes(topOf(path)));

/** Which folders each folder imports from, types included: what reads another's types depends on it too. */
function folderGraph(of: readonly Pick<SourceFile, "path" | "imports">[]): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of of) {
    const from = dirname(path);
    const to = graph.get(from) ?? new Set();
    graph.set(from, to);
    for (const { file } of imports) if (file?.endsWith(".ts") && dirname(file) !== from) to.add(dirname(file));
  }
  return graph;
}

/** Folders that can be reached from themselves, each with one way around. */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...graph.keys()].flatMap((start) => {
    const queue: string[][] = [[start]];
    const seen = new Set<string>();
    for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
      for (const next of graph.get(way.at(-1) ?? "") ?? []) {
        if (next === start) return [[...way, start].join(" → ")];
        if (!seen.has(next)) queue.push([...way, next]);
        seen.add(next);
      }
    }
    return [];
  });
}

test("no folder imports itself through others, not even for types", () => {
  const graph = folderGraph(files);
  expect(graph.size).toBeGreaterThan(50);
  expect(circles(graph)).toEqual([]);
});

test("a circle of folders is seen", () => {
  const imports = (file: string) => [{ file, specifier: file, typesOnly: true }];
  const made = [
    { path: "server/a/one.ts", imports: imports("server/b/two.ts") },
    { path: "server/b/three.ts", imports: imports("server/a/four.ts") },
  ];
  expect(circles(folderGraph(made))).toEqual(["server/a → server/b → server/a", "server/b → server/a → server/b"]);
});

/** Files of code in one folder beyond which it wants rooms. */
const MOST_FILES = 25;

test(`no folder has more than ${MOST_FILES} files of code`, () => {
  const byFolder = Map.groupBy(files, ({ path }) => dirname(path));
  const full = [...byFolder].filter(([, { length }]) => length > MOST_FILES).map(([folder]) => folder);
  expect(full).toEqual([]);
});

test("every room of the top folders, and every folder with rooms of its own, says what lives there", () => {
  const folders = new Set(files.map(({ path }) => dirname(path)));
  const rooms = [...folders].filter((folder) => folder.split("/").length <= 2);
  const withRooms = [...folders].map(dirname).filter((folder) => folder !== "." && folder !== "pipeline/sources");
  const silent = [...new Set([...PRODUCT, ...rooms, ...withRooms])].filter(
    (folder) => !existsSync(join(REPOSITORY, folder, "README.md")),
  );
  expect(silent.sort()).toEqual([]);
});
