/** The command line as people and programs use it: what it says of its parameters, and where its store is. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { commandHost } from "../support/command-host.ts";
import { runCommand, SHARE_RELEASE, startCommand } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { USAGE_CASES } from "./usage-cases.ts";

/** The command tree: a command alone, or a group with its verbs. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  harvest: [],
  build: [],
  run: [],
  serve: [],
  score: [],
  release: [
    "list",
    "show",
    "verify",
    "diff",
    "log",
    "activate",
    "rollback",
    "retract",
    "prune",
    "export",
    "publish",
    "fetch",
  ],
  key: ["new", "list", "revoke"],
  account: ["list", "decide", "hide", "unhide", "log", "api-keys list", "api-keys usage"],
  source: ["list", "check", "new"],
  doctor: [],
  completion: [],
  fixtures: [],
};
const COMMANDS = Object.entries(TREE).flatMap(([name, verbs]) =>
  verbs.length === 0 ? [name] : verbs.map((verb) => `${name} ${verb}`),
);
const GROUPS = [...Object.keys(TREE).filter((name) => TREE[name]?.length), "account api-keys"];

/** Where it does not matter that a command is a process of its own. */
const host = commandHost(join(import.meta.dirname, "share-release.ts"));

afterAll(() => host[Symbol.asyncDispose]());

describe("help", () => {
  for (const command of COMMANDS) {
    test(`${command} --help has examples of itself`, async () => {
      const { exitCode, stdout, stderr } = await host.run([...command.split(" "), "--help"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      const [usage = "", examples = ""] = stdout.split("\nExamples:\n");
      expect(usage).toContain(`Usage: share-release ${command} [options]`);
      for (const option of ["--store <dir>", "--json", "--help"]) expect(usage).toContain(option);
      const [lines = []] = examples
        .trimEnd()
        .split("\n\n")
        .map((part) => part.split("\n"));
      for (const line of lines) expect(line).toMatch(new RegExp(`^  \\$ share-release ${command}\\b`));
    });
  }

  test("--help names every command and says what the exit codes mean", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const command of Object.keys(TREE)) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    expect(stdout).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but with refused input.");
  });

  test("no command at all is wrong usage, and the help goes to standard error", async () => {
    const { exitCode, stdout, stderr } = await runCommand([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: share-release [options] [command]");
  });

  test("the first level has at most 13 commands", () => expect(Object.keys(TREE).length).toBeLessThanOrEqual(13));

  for (const name of GROUPS) {
    test(`${name} without a verb prints its help to standard error and exits with 2`, async () => {
      const { exitCode, stdout, stderr } = await host.run(name.split(" "));
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(`Usage: share-release ${name} [options] [command]`);
      for (const verb of TREE[name] ?? []) expect(stderr).toMatch(new RegExp(`^  ${verb.split(" ")[0]} `, "m"));
    });
  }

  test("a reader who closes the pipe early ends it quietly", async () => {
    const child = startCommand(["--help"]);
    if (child.stdout === null || child.stderr === null) throw new Error("the command has no output");
    child.stdout.destroy();
    const closed = once(child, "close");
    expect(await text(child.stderr)).toBe("");
    expect((await closed)[0]).toBe(0);
  });
});

describe("version", () => {
  test("--version is the package's", async () => {
    const { version } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    expect(await runCommand(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("what Node 20 lacks is not imported by name, whichever Node runs this test", async () => {
    const files = [SHARE_RELEASE, join(REPOSITORY, "bin/hand-over.js")];
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const imported = texts.flatMap((code) => [...code.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name));
    expect(imported).toEqual(["./hand-over.js", "node:child_process", "node:fs", "node:os", "node:url"]);
  });

  test("npx finds the command in the repository", async () => {
    const { version } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    const { stdout } = await promisify(execFile)("npx", ["share-release", "--version"], { cwd: REPOSITORY });
    expect(stdout).toBe(`${version}\n`);
  });
});

describe("wrong usage and expected failures are one line", () => {
  let empty: TemporaryStore;
  beforeAll(async () => {
    empty = await temporaryStore();
    await writeFile(join(empty.folder, "words.txt"), "not an id\n");
  });
  afterAll(() => empty[Symbol.asyncDispose]());

  for (const { name, parameters, exitCode, says } of USAGE_CASES) {
    test(name, async () => {
      const environment = { SHARE_STORE: empty.store.root };
      const ended = await host.run(parameters, { environment, folder: empty.folder });
      expect({ ...ended, stderr: "" }).toEqual({ exitCode, stdout: "", stderr: "" });
      expect(ended.stderr).toMatch(/^share-release: [^\n]+\n$/);
      let from = 0;
      for (const part of says) {
        expect(ended.stderr.slice(from)).toContain(part);
        from = ended.stderr.indexOf(part, from) + part.length;
      }
      if (exitCode === 2) expect(existsSync(empty.store.root)).toBe(false);
    });
  }

  // The process around it is the same for all: one of each exit code.
  const kinds = new Map(USAGE_CASES.map((one) => [one.exitCode, one]));
  for (const { name, parameters } of kinds.values()) {
    test(`in a process of its own: ${name}`, async () => {
      const options = { environment: { SHARE_STORE: empty.store.root }, folder: empty.folder };
      expect(await runCommand(parameters, options)).toEqual(await host.run(parameters, options));
    });
  }
});

describe("the store", () => {
  const FIXTURES = ["fixtures", "--records", "5", "--seed", "1"];

  test("is .share where nothing says otherwise", async () => {
    await using fresh = await temporaryStore();
    const ended = await runCommand(FIXTURES, { folder: fresh.folder });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "datacite: 5 records\n" });
    expect(existsSync(join(fresh.folder, ".share/raw/datacite"))).toBe(true);
  });

  test("is SHARE_STORE, unless --store is given", async () => {
    await using fresh = await temporaryStore();
    const options = { environment: { SHARE_STORE: "elsewhere" }, folder: fresh.folder };
    await runCommand(FIXTURES, options);
    await runCommand([...FIXTURES, "--store", "here"], options);
    for (const store of ["elsewhere", "here"]) {
      expect(existsSync(join(fresh.folder, store, "raw/datacite"))).toBe(true);
    }
    expect(existsSync(join(fresh.folder, ".share"))).toBe(false);
  });
});
