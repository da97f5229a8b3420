/** Every direct dependency has its line in ADR 3, and no line outlives its package. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

/** Dependencies of the program and its development, of the npm client, and of single test suites. */
const MANIFESTS = ["package.json", "client/package.json", "test/clients/package.json", "test/lighthouse/package.json"];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifestAt(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(REPOSITORY, path), "utf8"));
}

test("the dependencies in the manifest are those with a reason in ADR 3", async () => {
  const manifests = await Promise.all(MANIFESTS.map(manifestAt));
  const decision = await readFile(join(REPOSITORY, "docs/adr/0003-dependencies.md"), "utf8");
  const rows = decision.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const names = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  expect([...new Set(named)].sort()).toEqual([...new Set(names)].sort());
});

test.each(MANIFESTS)("versions are exact in %s", async (path) => {
  const { dependencies, devDependencies } = await manifestAt(path);
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(`${name} ${version}`).toMatch(/^\S+ \d+\.\d+\.\d+(?:-[\w.]+)?$/);
  }
});

test.each([
  ["test/clients/requirements.txt", /^openapi-python-client==/],
  ["python/requirements.txt", /^pyarrow==/],
])("versions are exact for Python in %s", async (path, known) => {
  const lines = (await readFile(join(REPOSITORY, path), "utf8")).trimEnd().split("\n");
  expect(lines).toContainEqual(expect.stringMatching(known));
  for (const line of lines) expect(line).toMatch(/^[\w.-]+==\d+(?:\.\d+)+$/);
});
