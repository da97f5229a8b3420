/** Tests that the folder of a build stage is either complete or missing, whatever an interrupted build left there. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runStage } from "../../pipeline/stage/stage.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const writes = (text: string) => async (draft: string) => {
  await writeFile(join(draft, "rows"), text);
  return { tables: { rows: 1 }, facts: {} };
};

test("a stage replaces incomplete folders of killed builds by a complete one, which later builds reuse", async () => {
  await using bench = await temporaryStore();
  const folder = join(bench.folder, "work", "2-normalise");
  for (const left of [folder, `${folder}.draft-abc123`, `${folder}.draft-def456`]) {
    await mkdir(left, { recursive: true });
    await writeFile(join(left, "rows"), "half");
  }
  const made = await runStage(folder, "2-normalise", writes("whole"));
  expect(made).toEqual({ stage: "2-normalise", tables: { rows: 1 }, facts: {} });
  expect(await readdir(join(bench.folder, "work"))).toEqual(["2-normalise"]);
  expect(await runStage(folder, "2-normalise", writes("again"))).toEqual(made);
  expect(await readFile(join(folder, "rows"), "utf8")).toBe("whole");
});

test("a stage that fails leaves no folder, and runs again the next time", async () => {
  await using bench = await temporaryStore();
  const folder = join(bench.folder, "work", "3-score");
  await expect(runStage(folder, "3-score", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect((await readdir(join(bench.folder, "work"))).filter((name) => name === "3-score")).toEqual([]);
  await runStage(folder, "3-score", writes("whole"));
  expect(await readdir(join(bench.folder, "work"))).toEqual(["3-score"]);
});
