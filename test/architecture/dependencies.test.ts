/** Every direct dependency has its line in ADR 3, and no line outlives its package. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

test("the dependencies of the manifest are those that ADR 3 gives a reason for", async () => {
  const manifest = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
  const decision = await readFile(join(REPOSITORY, "docs/adr/0003-dependencies.md"), "utf8");
  const rows = decision.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(named.sort()).toEqual(names.sort());
});

test("versions are exact", async () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    await readFile(join(REPOSITORY, "package.json"), "utf8"),
  );
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect(`${name} ${version}`).toMatch(/^\S+ \d+\.\d+\.\d+(?:-[\w.]+)?$/);
  }
});
