/** Checks that no folder imports itself through others. */

import { dirname } from "node:path";
import { expect, test } from "vitest";
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
