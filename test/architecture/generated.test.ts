/** What is generated and kept in the repository is up to date, and `npm run check` would say so. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { REPOSITORY } from "../support/bundled-corpus.ts";

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
    const child = spawn("sh", ["-c", scripts[`${name}:check`] ?? "false"], {
      cwd: REPOSITORY,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close");
    const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    expect({ exitCode: child.exitCode, said: child.exitCode === 0 ? "" : out + problems }).toEqual({
      exitCode: 0,
      said: "",
    });
  });
}
