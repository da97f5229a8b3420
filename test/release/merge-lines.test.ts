/** The manifest is merged of two ordered streams of lines, whatever the batches they come in. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeLines } from "../../pipeline/6-release/merge-lines.ts";

/** Two sets of paths without a path in both, as pages that are made and pages that are taken over. */
const streams = fc
  .uniqueArray(fc.stringMatching(/^[a-c]{1,3}\/[a-z0-9-]{1,6}\.json$/), { maxLength: 60 })
  .chain((paths) => fc.tuple(fc.constant(paths.sort()), fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })));

const size = fc.integer({ min: 1, max: 9 });

test("two ordered streams come out as one, whatever the batches", async () => {
  await fc.assert(
    fc.asyncProperty(streams, size, size, async ([paths, sides], one, other) => {
      const left = paths.filter((_, i) => sides[i]);
      const right = paths.filter((_, i) => !sides[i]);
      const merged: Buffer[] = [];
      for await (const lines of mergeLines(linesOf(left, one), linesOf(right, other))) merged.push(lines);
      expect(Buffer.concat(merged).toString()).toBe(paths.map(lineOf).join(""));
    }),
    { numRuns: 300 },
  );
});

function lineOf(path: string): string {
  return `{"path":"${path}","bytes":1}\n`;
}

/** Whole lines, `atOnce` a batch; an empty batch is no end. */
async function* linesOf(paths: readonly string[], atOnce: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < paths.length; i += atOnce) {
    yield Buffer.alloc(0);
    yield Buffer.from(
      paths
        .slice(i, i + atOnce)
        .map(lineOf)
        .join(""),
    );
  }
}
