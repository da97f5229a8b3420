/**
 * Orders the suites of a run. Suites of the second tier start first, because they take longest. If such a suite started late, it
 * would run alone at the end while other cores are idle.
 */

import { join, matchesGlob, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SECOND } from "../tiers.ts";

const REPOSITORY = join(import.meta.dirname, "../..");

export class SecondTierFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSecond = new Set(sorted.filter(({ moduleId }) => isInSecondTier(relative(REPOSITORY, moduleId))));
    return [...isSecond, ...sorted.filter((file) => !isSecond.has(file))];
  }
}

function isInSecondTier(path: string): boolean {
  return SECOND.some((glob) => matchesGlob(path, glob));
}
