/** ADR 3 has a line for every direct dependency, and none for a package that is not used any more. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

/** Manifests with the dependencies of the program and its development, of the npm client, and of single test suites. */
const MANIFESTS = ["package.json", "client/package.json", "test/clients/package.json", "test/lighthouse/package.json"];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifestAt(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(REPOSITORY, path), "utf8"));
}

test("ADR 3 has a reason for each dependency in the package.json files, and lists no other packages", async () => {
  const manifests = await Promise.all(MANIFESTS.map(manifestAt));
  const decision = await readFile(join(REPOSITORY, "docs/adr/0003-dependencies.md"), "utf8");
  const rows = decision.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const names = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  expect([...new Set(named)].sort()).toEqual([...new Set(names)].sort());
});

test.each(MANIFESTS)("all versions in %s are exact", async (path) => {
  const { dependencies, devDependencies } = await manifestAt(path);
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(`${name} ${version}`).toMatch(/^\S+ \d+\.\d+\.\d+(?:-[\w.]+)?$/);
  }
});

/** Lists of Python packages. Each is a file with the ending `.in` and a file with the ending `.txt`. */
const LISTS = [
  "python/requirements",
  "test/clients/requirements",
  "test/describe/validators/extension",
  "test/describe/validators/requirements",
  "test/engine/requirements",
];

test.each(LISTS)(
  "all Python versions in %s.in are exact, and the .txt file beside it has the same versions with digests",
  async (list) => {
    const text = await readFile(join(REPOSITORY, `${list}.in`), "utf8");
    const wanted = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(wanted).not.toEqual([]);
    for (const line of wanted) expect(line).toMatch(/^[\w.-]+==\d+(?:\.\d+)+$/);
    const pinned = await readFile(join(REPOSITORY, `${list}.txt`), "utf8");
    // Names of packages have no case, and the same meaning with "-", "_" and ".".
    const normal = (name: string) => name.toLowerCase().replaceAll(/[-_.]+/g, "-");
    const [head, ...entries] = pinned.split(/^(?=[\w.-]+==)/m);
    expect(head).toMatch(/^(?:#.*\n)+$/);
    for (const entry of entries)
      expect(entry).toMatch(/^[\w.-]+==[\w.]+(?: ; [^\\]+)?(?: \\\n {4}--hash=sha256:[0-9a-f]{64})+\n$/);
    const versions = entries.map((entry) => normal(entry.split(/[ \\]/)[0] ?? ""));
    expect(versions).toEqual(expect.arrayContaining(wanted.map(normal)));
  },
);

test("make installs Python packages from these lists alone, and checks their digests", async () => {
  const makefile = await readFile(join(REPOSITORY, "Makefile"), "utf8");
  expect(makefile).toMatch(/^PIP_INSTALL := install .*--require-hashes$/m);
  const installed = [...makefile.matchAll(/\/pip (.+)$/gm)].map(([, words]) => words);
  expect(installed).toHaveLength(LISTS.length);
  for (const words of installed) expect(words).toMatch(/^\$\(PIP_INSTALL\) (?:--no-deps )?--requirement \S+\.txt$/);
});
