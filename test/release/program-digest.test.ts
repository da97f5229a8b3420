/**
 * Tests the digest of the program, by which a build decides whether it may reuse results of an earlier build: which files
 * change the digest.
 */

import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM_FOLDERS } from "../../pipeline/reuse.ts";
import { PREPARING_FOLDERS } from "../../server/read/prepared-tables.ts";
import { sourceFiles } from "../architecture/sources-of.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";

/** The modules from which all rows and pages are made: the stages, and the modules that their workers run. */
const BEGINNINGS = [
  "pipeline/2-normalise/index.ts",
  "pipeline/2-normalise/worker.ts",
  "pipeline/3-score/index.ts",
  "pipeline/4-aggregate/index.ts",
  "pipeline/5-render/index.ts",
  "pipeline/5-render/worker.ts",
  "pipeline/6-release/index.ts",
];

/** Folders whose modules stages import although they cannot change a row or a page, and what the modules are about. */
const BESIDE: Readonly<Record<string, string>> = {
  "pipeline/store": "where a release lies, and when it was activated",
  "pipeline/store/signing": "who signed a release",
};

/**
 * Returns the modules that `beginnings` import, directly or indirectly, and those of them that are outside the folders in
 * `rooms`.
 */
async function importedBy(beginnings: readonly string[], rooms: readonly string[]) {
  const files = new Map((await sourceFiles()).map((file) => [file.path, file]));
  const seen = new Set(beginnings);
  for (const path of seen) {
    for (const { file, typesOnly } of files.get(path)?.imports ?? []) {
      if (file?.endsWith(".ts") && !typesOnly && BESIDE[dirname(file)] === undefined) seen.add(file);
    }
  }
  const isInRoom = (path: string) => rooms.some((room) => path === room || path.startsWith(`${room}/`));
  return { seen, outside: [...seen].filter((path) => !isInRoom(path)) };
}

test("the digest of the program covers the folder of every module that makes rows or pages", async () => {
  const { seen, outside } = await importedBy(BEGINNINGS, PROGRAM_FOLDERS);
  expect(seen.size).toBeGreaterThan(100);
  expect(outside).toEqual([]);
});

test("the digest of the program that prepares tables covers every module that it imports", async () => {
  const { seen, outside } = await importedBy(
    ["server/read/prepare.ts", "pipeline/pages/columns.ts"],
    PREPARING_FOLDERS,
  );
  expect(seen.size).toBeGreaterThan(20);
  expect(outside).toEqual([]);
});

let program: string;

beforeAll(async () => {
  program = await mkdtemp(join(tmpdir(), "share-program-"));
  for (const part of ["api-static", "web", "pipeline", "releases", "schemas", "package.json", "package-lock.json"]) {
    await cp(join(REPOSITORY, part), join(program, part), { recursive: true });
  }
  await symlink(join(REPOSITORY, "node_modules"), join(program, "node_modules"));
});

afterAll(() => rm(program, { recursive: true, force: true }));

const digest = () => printed("programDigest", "pipeline/reuse.ts", "await programDigest()");

/** Evaluates an expression with one export of a file in the copied program, and returns its value as text. */
async function printed(name: string, file: string, expression: string): Promise<string> {
  const script = `import { ${name} } from "./${file}"; console.log(${expression});`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: program,
  });
  return stdout.trim();
}

/** Adds text to one file, returns the digest of the changed program, and restores the file. */
async function digestWith(path: string, made: () => Promise<string> = digest, added = ""): Promise<string> {
  const text = await readFile(join(program, path), "utf8");
  await writeFile(join(program, path), `${text}${added}\n`);
  try {
    return await made();
  } finally {
    await writeFile(join(program, path), text);
  }
}

/** Returns the first file of code or data in a folder, or the file itself. */
async function findFirstFile(room: string): Promise<string> {
  if (/\.(?:json|ts)$/.test(room)) return room;
  const names = (await readdir(join(program, room), { recursive: true })).sort();
  const name = names.find((each) => /\.(?:ts|sql|csv)$/.test(each));
  if (name === undefined) throw new Error(`there is no code in ${room}`);
  return join(room, name);
}

test("a change in any folder of PROGRAM_FOLDERS changes the digest of the program", async () => {
  const before = await digest();
  const same: string[] = [];
  for (const room of PROGRAM_FOLDERS) if ((await digestWith(await findFirstFile(room))) === before) same.push(room);
  expect(same).toEqual([]);
}, 300_000);

test("a change that cannot affect a row or a page does not change the digest of the program", async () => {
  const before = await digest();
  for (const path of [
    "releases/doctor/index.ts",
    "releases/verify/index.ts",
    "api-static/openapi/operation.ts",
    "pipeline/1-harvest/index.ts",
    // Contracts and pledges have digests of their own among the inputs.
    "pipeline/rubrics/2.0.0-beta.2.json",
    "pipeline/sources/zenodo/pledge.json",
    "package.json",
  ]) {
    expect({ path, digest: await digestWith(path) }).toEqual({ path, digest: before });
  }
}, 300_000);

const readers = () =>
  printed(
    "getReader",
    "pipeline/sources/reader-of.ts",
    `(await Promise.all(["zenodo", "datacite"].map(getReader))).map(({ digest }) => digest).join(" ")`,
  );

test("the digest of a source's reader changes only with its normaliser, shared reading code or a word list", async () => {
  const [zenodo, datacite] = (await readers()).split(" ");
  expect(zenodo).not.toBe(datacite);
  for (const [path, added, changed] of [
    ["pipeline/sources/zenodo/normalise.ts", "const added = 1;", [true, false]],
    ["pipeline/sources/zenodo/normalise.ts", "/** A comment. */", [false, false]],
    ["pipeline/sources/zenodo/pledge.json", "", [false, false]],
    ["pipeline/reading/evidence.ts", "const added = 1;", [true, true]],
    ["pipeline/vocabularies/licence-aliases.csv", "", [true, true]],
    ["pipeline/rubrics/contracts.ts", "const added = 1;", [false, false]],
    ["pipeline/rubrics/2.0.0-beta.2.json", "", [false, false]],
  ] as const) {
    const [one, other] = (await digestWith(path, readers, added)).split(" ");
    expect({ path, added, changed: [one !== zenodo, other !== datacite] }).toEqual({ path, added, changed });
  }
}, 300_000);

test("the digest of a source's reader stays the same if a function moves to another file", async () => {
  const before = await readers();
  const folder = join(program, "pipeline/sources/zenodo");
  const [from, to] = [join(folder, "normalise.ts"), join(folder, "moved.ts")];
  const text = await readFile(from, "utf8");
  const last = text.lastIndexOf("\n\n");
  await writeFile(from, `import "./moved.ts";\n${text.slice(0, last)}\n`);
  await writeFile(to, `/** The last function of normalise.ts. */\n\nexport ${text.slice(last).trimStart()}`);
  try {
    expect(await readers()).toBe(before);
  } finally {
    await writeFile(from, text);
    await rm(to);
  }
});
