/** share-release serve, as far as it must not start. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "share-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const letter = join(folder, "letter.txt");
writeFileSync(letter, "Dear reader");

test.each([join(folder, "misspelt"), letter])("the store %s is refused, and none is made", async (store) => {
  const ended = await runCommand(["serve", "--port", "0", "--store", store]);
  expect(ended).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `share-release: there is no store ${store}; give another --store, or make the folder for a new one\n`,
  });
  expect(existsSync(join(folder, "misspelt"))).toBe(false);
});
