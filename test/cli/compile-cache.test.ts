/**
 * Tests that Node's compiled code is stored only in a folder to which nobody but the user can write, because a command runs the
 * code in it.
 */

import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";

const { makeOwnFolder }: { makeOwnFolder(folder: string): Promise<boolean> } = await import(
  join(REPOSITORY, "bin/compile-cache.js")
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "share-compiled-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Case {
  readonly name: string;
  /** Creates files and folders below the home, and returns the folder that the command is asked to use. */
  readonly given: (home: string) => Promise<string>;
  readonly own: boolean;
}

const CASES: readonly Case[] = [
  { name: "a missing folder", given: async (home) => join(home, "a/b"), own: true },
  {
    name: "a folder that others can read",
    given: async (home) => made(join(home, "cache"), 0o755),
    own: false,
  },
  {
    name: "a folder that others can write to",
    given: async (home) => made(join(home, "cache"), 0o777),
    own: false,
  },
  {
    name: "a private folder inside one in which others can replace it",
    given: async (home) => join(await made(join(home, "shared"), 0o777), "cache"),
    own: false,
  },
  {
    name: "a private folder inside a shared one in which nobody can replace it",
    given: async (home) => join(await made(join(home, "shared"), 0o1777), "cache"),
    own: true,
  },
  {
    name: "a link to another place",
    given: async (home) => {
      await made(join(home, "elsewhere"), 0o700);
      await symlink(join(home, "elsewhere"), join(home, "cache"));
      return join(home, "cache");
    },
    own: false,
  },
  { name: "a folder in a missing home", given: async (home) => join(home, "not/there/.cache/a/b"), own: false },
  { name: "a folder in which no file can be created", given: async () => "/proc/no/folder", own: false },
];

async function made(path: string, mode: number): Promise<string> {
  await mkdir(path);
  await chmod(path, mode);
  return path;
}

describe("a folder for compiled code", () => {
  for (const [i, { name, given, own }] of CASES.entries()) {
    test(`compiled code ${own ? "is" : "is not"} stored in ${name}`, async () => {
      const home = await made(join(folder, `home-${i}`), 0o700);
      const asked = await given(home);
      expect(await makeOwnFolder(asked)).toBe(own);
      if (own) expect((await stat(asked)).mode & 0o777).toBe(0o700);
    });
  }
});

test("a command stores its compiled code in a folder of the user, and nothing in the shared temporary folder", async () => {
  const home = await made(join(folder, "home"), 0o700);
  const shared = await made(join(folder, "tmp"), 0o1777);
  const environment = { HOME: home, XDG_CACHE_HOME: "", TMPDIR: shared };
  expect((await runCommand(["--version"], { environment })).exitCode).toBe(0);
  expect(await readdir(join(home, ".cache/share-release/compiled"))).toHaveLength(1);
  expect(await readdir(shared)).toEqual([]);
});

test("a command stores no compiled code in a home folder to which others can write", async () => {
  const home = await made(join(folder, "open"), 0o777);
  const cache = await made(join(home, ".cache"), 0o700);
  expect((await runCommand(["--version"], { environment: { XDG_CACHE_HOME: cache } })).exitCode).toBe(0);
  expect(existsSync(join(cache, "share-release/compiled"))).toBe(true);
  expect(await readdir(join(cache, "share-release/compiled"))).toEqual([]);
  expect(homedir()).not.toBe(home);
});
