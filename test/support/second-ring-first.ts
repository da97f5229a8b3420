/** The order of suites: those of the second tier take longest and start first, so that no core waits for the last of them. */

import { join, matchesGlob, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SECOND } from "../rings.ts";

const REPOSITORY = join(import.meta.dirname, "../..");

export class SecondRingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSecond = new Set(sorted.filter(({ moduleId }) => isOfSecondRing(relative(REPOSITORY, moduleId))));
    return [...isSecond, ...sorted.filter((file) => !isSecond.has(file))];
  }
}

function isOfSecondRing(path: string): boolean {
  return SECOND.some((glob) => matchesGlob(path, glob));
}
