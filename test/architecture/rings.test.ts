/** No suite is outside the rings, and `make test` holds at least one of everything. */

import { matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { ASKING_MORE, RINGS, type Ring, ringOf, SECOND, suitesOf, THIRD } from "../rings.ts";
import { pathsOf } from "./sources-of.ts";

const suites = (await pathsOf(/\.test\.ts$/)).filter((path) => path.startsWith("test/"));

const isOneOf = (patterns: readonly string[]) => (path: string) => patterns.some((glob) => matchesGlob(path, glob));

function runBy(ring: Ring): string[] {
  const { include, exclude } = suitesOf(ring);
  return suites.filter((path) => isOneOf(include)(path) && !isOneOf(exclude)(path));
}

const folderOf = (path: string) => path.split("/").slice(0, 2).join("/");

/** Folders of which no suite is quick enough for the first ring, each with the suite there that sees the same things. */
const SEEN_ELSEWHERE: Readonly<Record<string, string>> = {
  "test/clients": "test/openapi/lint.test.ts",
  "test/contract": "test/server/server.test.ts",
  "test/describe": "test/release/golden.test.ts",
  "test/diff": "test/release/golden.test.ts",
  "test/gates": "test/release/golden.test.ts",
  "test/lighthouse": "test/site/with-script.test.ts",
  "test/soak": "test/release/stage.test.ts",
  "test/trust": "test/release/verify.test.ts",
};

test("every suite is in a ring", () => {
  const seen = new Set(RINGS.flatMap(runBy));
  expect(suites.length).toBeGreaterThan(150);
  expect(suites.filter((path) => !seen.has(path))).toEqual([]);
});

test("CI runs everything but the long runs, and `make test` nothing that CI does not", () => {
  const all = new Set(runBy("all"));
  expect(suites.filter((path) => !all.has(path) && !isOneOf(THIRD)(path))).toEqual([]);
  expect(runBy("first").filter((path) => !all.has(path))).toEqual([]);
});

test("every line of the rings names a suite that there is", () => {
  const idle = [...SECOND, ...THIRD, ...ASKING_MORE].filter((glob) => !suites.some((path) => matchesGlob(path, glob)));
  expect(idle).toEqual([]);
});

test("the first ring holds a suite of every folder, or one that sees the same", () => {
  const first = new Set(runBy("first"));
  const seen = new Set([...first].map(folderOf));
  const missing = [...new Set(suites.map(folderOf))].filter((folder) => !seen.has(folder));
  expect(missing.sort()).toEqual(Object.keys(SEEN_ELSEWHERE).sort());
  expect(Object.values(SEEN_ELSEWHERE).filter((path) => !first.has(path))).toEqual([]);
});

test("a ring that there is not is refused", () => {
  expect(ringOf(undefined)).toBe("all");
  expect(ringOf("first")).toBe("first");
  expect(() => ringOf("outer")).toThrow("the rings are first, all, soak");
});
