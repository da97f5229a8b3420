/** Every suite is in a test tier, and `make test` covers every folder. */

import { matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { chooseSuites, MORE_CASES_IN_THIRD, readTier, SECOND, THIRD, TIERS, type Tier } from "../tiers.ts";
import { findPaths } from "./sources-of.ts";

const suites = (await findPaths(/\.test\.ts$/)).filter((path) => path.startsWith("test/"));

const matchesAny = (patterns: readonly string[]) => (path: string) => patterns.some((glob) => matchesGlob(path, glob));

function runBy(tier: Tier): string[] {
  const { include, exclude } = chooseSuites(tier);
  return suites.filter((path) => matchesAny(include)(path) && !matchesAny(exclude)(path));
}

const getFolder = (path: string) => path.split("/").slice(0, 2).join("/");

/** Folders that have no suite in the first tier, each with a suite of the first tier elsewhere that tests the same code. */
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

test("every suite is in a tier", () => {
  const seen = new Set(TIERS.flatMap(runBy));
  expect(suites.length).toBeGreaterThan(150);
  expect(suites.filter((path) => !seen.has(path))).toEqual([]);
});

test("CI runs every suite except the third tier, and `make test` runs a subset of CI", () => {
  const all = new Set(runBy("all"));
  expect(suites.filter((path) => !all.has(path) && !matchesAny(THIRD)(path))).toEqual([]);
  expect(runBy("first").filter((path) => !all.has(path))).toEqual([]);
});

test("every pattern of the tiers matches a suite", () => {
  const idle = [...SECOND, ...THIRD, ...MORE_CASES_IN_THIRD].filter(
    (glob) => !suites.some((path) => matchesGlob(path, glob)),
  );
  expect(idle).toEqual([]);
});

test("every folder has a suite in the first tier, or a suite elsewhere that tests the same code", () => {
  const first = new Set(runBy("first"));
  const seen = new Set([...first].map(getFolder));
  const missing = [...new Set(suites.map(getFolder))].filter((folder) => !seen.has(folder));
  expect(missing.sort()).toEqual(Object.keys(SEEN_ELSEWHERE).sort());
  expect(Object.values(SEEN_ELSEWHERE).filter((path) => !first.has(path))).toEqual([]);
});

test("an unknown tier is rejected", () => {
  expect(readTier(undefined)).toBe("all");
  expect(readTier("first")).toBe("first");
  expect(() => readTier("outer")).toThrow("the tiers are first, all, soak");
});
