/** Generated files in the repository are up to date, and `npm run check` checks them. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { REPOSITORY } from "../support/bundled-corpus.ts";
import type { Ended } from "../support/command-line.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { repositoryCopy } from "./repository-copy.ts";

const scripts: Readonly<Record<string, string>> = manifest.scripts;

/** The scripts that `npm run generate` runs, in order. */
const GENERATORS = (scripts.generate ?? "").split(" ").slice(2);

/** Generators that have a suite of their own. */
const TESTED_ELSEWHERE = ["golden"];

test("`npm run check` includes the check of generated files, which is `npm run generate` with --check", () => {
  expect(GENERATORS).toEqual(expect.arrayContaining(["docs", "golden"]));
  expect(GENERATORS.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(scripts["generate:check"]).toBe(`${scripts.generate} --check`);
  expect((scripts.check ?? "").split(" ").slice(2)).toEqual(["types", "lint", "spelling", "generate:check"]);
});

test("run-scripts.ts runs every script even if one fails, and names those that failed", async () => {
  await using place = await temporaryStore();
  const manifest = { scripts: { one: "echo one; exit 3", two: "echo two", three: "exit 1" } };
  await writeFile(join(place.folder, "package.json"), JSON.stringify(manifest));
  const runner = join(REPOSITORY, "test/support/run-scripts.ts");
  expect(await shell(`node '${runner}' one two three`, place.folder)).toEqual({
    exitCode: 1,
    stdout: "one\ntwo\n",
    stderr: "failed: one, three\n",
  });
  expect(await shell(`node '${runner}' two`, place.folder)).toMatchObject({ exitCode: 0, stderr: "" });
});

for (const name of GENERATORS.filter((generator) => !TESTED_ELSEWHERE.includes(generator))) {
  test(`the files that \`npm run ${name}\` generates are up to date`, async () => {
    const { exitCode, stdout, stderr } = await shell(`${scripts[name]} --check`, REPOSITORY);
    expect({ exitCode, said: exitCode === 0 ? "" : stdout + stderr }).toEqual({ exitCode: 0, said: "" });
  });
}

test("npm run docs restores a table that was edited by hand, and its --check names the document", async () => {
  await using copy = await repositoryCopy();
  const document = join(copy.folder, "docs/reference/signals.md");
  const before = await readFile(document, "utf8");
  const [row = ""] = /^\| .*\bKeywords\b.*$/m.exec(before) ?? [];
  expect(row).not.toBe("");
  await writeFile(document, before.replace(row, row.replace("Keywords", "Key words")));
  const found = await shell(`${scripts.docs} --check`, copy.folder);
  expect(found).toMatchObject({ exitCode: 1, stdout: "docs/reference/signals.md is out of date\n" });
  await shell(scripts.docs ?? "false", copy.folder);
  expect(await readFile(document, "utf8")).toBe(before);
});

async function shell(script: string, folder: string): Promise<Ended> {
  const child = spawn("sh", ["-c", script], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { exitCode: child.exitCode, stdout, stderr };
}
