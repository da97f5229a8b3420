/** What is generated and kept in the repository is up to date, and `npm run check` would say so. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { REPOSITORY } from "../support/bundled-corpus.ts";
import type { Ended } from "../support/command-line.ts";
import { repositoryCopy } from "./repository-copy.ts";

const scripts: Readonly<Record<string, string>> = manifest.scripts;

/** Generators: scripts that have a twin which only looks. */
const GENERATORS = Object.keys(scripts)
  .filter((name) => name.endsWith(":check"))
  .map((name) => name.slice(0, -":check".length));

/** Its own suite runs it, on more than one file. */
const TESTED_ELSEWHERE = ["golden"];

test("there are generators, and a twin is the generator with --check", () => {
  expect(GENERATORS).toEqual(expect.arrayContaining(["docs", "golden"]));
  for (const name of GENERATORS) expect(scripts[`${name}:check`]).toBe(`${scripts[name]} --check`);
});

test("`npm run check` runs every twin, and types and lint", () => {
  for (const name of [...GENERATORS.map((generator) => `${generator}:check`), "types", "lint"]) {
    expect(` ${scripts.check} `).toContain(` npm run --silent ${name} `);
  }
});

for (const name of GENERATORS.filter((generator) => !TESTED_ELSEWHERE.includes(generator))) {
  test(`up to date, or \`npm run ${name}\` is due`, async () => {
    const { exitCode, stdout, stderr } = await run(`${name}:check`, REPOSITORY);
    expect({ exitCode, said: exitCode === 0 ? "" : stdout + stderr }).toEqual({ exitCode: 0, said: "" });
  });
}

test("a table edited by hand is found, named, and put right by the generator", async () => {
  await using copy = await repositoryCopy();
  const document = join(copy.folder, "docs/method.md");
  const before = await readFile(document, "utf8");
  const [row = ""] = /^\| .*\bKeywords\b.*$/m.exec(before) ?? [];
  expect(row).not.toBe("");
  await writeFile(document, before.replace(row, row.replace("Keywords", "Key words")));
  const found = await run("docs:check", copy.folder);
  expect(found).toMatchObject({ exitCode: 1, stdout: "docs/method.md is out of date\n" });
  await run("docs", copy.folder);
  expect(await readFile(document, "utf8")).toBe(before);
});

/** Runs a script of the manifest. */
async function run(name: string, folder: string): Promise<Ended> {
  const script = scripts[name] ?? "false";
  const child = spawn("sh", ["-c", script], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { exitCode: child.exitCode, stdout, stderr };
}
