/** Tests the command line: its help, its messages about wrong parameters, and the location of its store. */

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

interface UsageCase {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly exitCode: 1 | 2;
  /** Parts of the error message, in the order in which they occur. */
  readonly says: readonly string[];
}

/** The options that `init` needs to run without asking questions. */
const SITE_VALUES = [
  ...["--title", "Rain", "--contact", "rain@example.org", "--url", "https://example.org/rain/"],
  ...["--program", "https://example.org/share-release.git"],
];

/**
 * Commands that fail. Their paths are relative to a folder that contains only the file `words.txt`, and their store does not
 * exist.
 */
const USAGE_CASES: readonly UsageCase[] = [
  { name: "an unknown command", parameters: ["bild"], exitCode: 2, says: ["'bild'", "build", "share-release --help"] },
  {
    name: "an unknown option",
    parameters: ["release", "verify", "--fast"],
    exitCode: 2,
    says: ["'--fast'", "verify --help"],
  },
  {
    name: "too many arguments",
    parameters: ["release", "list", "all"],
    exitCode: 2,
    says: ["all", "release list --help"],
  },
  { name: "harvest without a source", parameters: ["harvest"], exitCode: 2, says: ["source", "harvest --help"] },
  {
    name: "harvest of an unknown source",
    parameters: ["harvest", "mendeley", "--from", "words.txt"],
    exitCode: 2,
    says: ['"mendeley"', "clinicaltrials, datacite, dataverse"],
  },
  {
    name: "build of an unknown source",
    parameters: ["build", "--as-of", "2026-11-01", "--source", "zenodo", "mendeley"],
    exitCode: 2,
    says: ["mendeley", "clinicaltrials, datacite, dataverse"],
  },
  ...["zendo", "Zenodo", "zenodo "].flatMap((name): UsageCase[] =>
    [
      ["harvest", name],
      ["build", "--as-of", "2026-11-01", "--source", name],
      ["source", "check", name],
      ["score", "10.5072/x", "--source", name],
    ].map((parameters) => ({
      name: `the mistyped source "${name}" of ${parameters[0]}`,
      parameters,
      exitCode: 2,
      says: [`"${name.trim()}"`, "did you mean zenodo?", "clinicaltrials, datacite"],
    })),
  ),
  {
    name: "a mistyped option in place of a required one",
    parameters: ["release", "prune", "--kep", "5"],
    exitCode: 2,
    says: ["'--kep'", "did you mean --keep?", "release prune --help"],
  },
  {
    name: "a mistyped option",
    parameters: ["release", "verify", "--rebuil"],
    exitCode: 2,
    says: ["'--rebuil'", "--rebuild", "verify --help"],
  },
  {
    name: "a mistyped verb of a group",
    parameters: ["source", "chek"],
    exitCode: 2,
    says: ["'chek'", "check", "source --help"],
  },
  {
    name: "build as of a day in the future",
    parameters: ["build", "--as-of", "2999-12-31"],
    exitCode: 2,
    says: ["--as-of 2999-12-31 is in the future", "(UTC)", "--allow-future"],
  },
  {
    name: "harvest of changes since a day in the future",
    parameters: ["harvest", "zenodo", "--since", "2999-12-31"],
    exitCode: 2,
    says: ["--since 2999-12-31 is in the future", "or last"],
  },
  {
    name: "a URL at which no server listens",
    parameters: ["release", "fetch", "http://127.0.0.1:1"],
    exitCode: 1,
    says: ["cannot reach http://127.0.0.1:1/releases", "Check the URL"],
  },
  {
    name: "publish without a target",
    parameters: ["release", "publish"],
    exitCode: 2,
    says: ["--to", "release publish --help"],
  },
  ...["2026-02-30", "2026-13-01", "2026-11-1"].map(
    (day): UsageCase => ({
      name: `build as of the impossible day "${day}"`,
      parameters: ["build", "--as-of", day],
      exitCode: 2,
      says: ["--as-of", `'${day}'`, "2026-11-01"],
    }),
  ),
  {
    name: "harvest of changes since an impossible date",
    parameters: ["harvest", "zenodo", "--since", "2026-02-30"],
    exitCode: 2,
    says: ["--since", "'2026-02-30'", "2026-11-01"],
  },
  ...["2026-02-30T00:00:00Z", "2026-10-30T25:00:00Z", "2026-10-30"].map(
    (time): UsageCase => ({
      name: `harvest with the invalid time of retrieval "${time}"`,
      parameters: ["harvest", "zenodo", "--from", "words.txt", "--retrieved-at", time],
      exitCode: 2,
      says: ["--retrieved-at", `'${time}'`, "expected"],
    }),
  ),
  {
    name: "harvest from files with an option for a service",
    parameters: ["harvest", "zenodo", "--from", "words.txt", "--since", "2026-10-01"],
    exitCode: 2,
    says: ["--since", "--from", "give one"],
  },
  {
    name: "--installation for a source with a single service",
    parameters: ["harvest", "zenodo", "--host", "zenodo.example.org"],
    exitCode: 2,
    says: ["--host is for dataverse only", "zenodo is one service, at zenodo.org"],
  },
  {
    name: "a host that is not allowed",
    parameters: ["harvest", "dataverse", "--host", "data.example.org"],
    exitCode: 2,
    says: [
      "data.example.org is not an allowed host",
      "not contacted",
      "dataverse.harvard.edu",
      "SHARE_DATAVERSE_HOSTS=data.example.org",
    ],
  },
  {
    name: "a URL in place of a host name",
    parameters: ["harvest", "dataverse", "--host", "https://data.example.org"],
    exitCode: 2,
    says: ["--host https://data.example.org is not a host name", "dataverse.example.org"],
  },
  {
    name: "an OAI-PMH service that is not allowed",
    parameters: ["harvest", "datacite", "--oai-url", "https://data.example.org/oai"],
    exitCode: 2,
    says: ["data.example.org is not an allowed host", "zenodo.org", "SHARE_OAI_HOSTS=data.example.org"],
  },
  {
    name: "a limit of zero records",
    parameters: ["harvest", "zenodo", "--limit", "0"],
    exitCode: 2,
    says: ["--limit", "at least 1"],
  },
  {
    name: "a contract id in place of a public version",
    parameters: ["build", "--as-of", "2026-11-01", "--rubric", "2.0.0-beta.2"],
    exitCode: 2,
    says: ["--rubric", "'2.0.0-beta.2'", "2.0, 1.0"],
  },
  {
    name: "an unknown part to leave out",
    parameters: ["build", "--as-of", "2026-11-01", "--skip", "attribution,badges"],
    exitCode: 2,
    says: ["--skip", "attribution or history", "badges"],
  },
  {
    name: "build with zero threads",
    parameters: ["build", "--as-of", "2026-11-01", "--threads", "0"],
    exitCode: 2,
    says: ["--threads", "at least 1"],
  },
  {
    name: "memory that is not a size",
    parameters: ["build", "--as-of", "2026-11-01", "--memory", "lots"],
    exitCode: 2,
    says: ["--memory", "'lots'", "512MB"],
  },
  {
    name: "a line that is not a researcher id",
    parameters: ["build", "--as-of", "2026-11-01", "--exclude-researchers", "words.txt"],
    exitCode: 1,
    says: ["words.txt:1", '"not an id"', "24 hex digits"],
  },
  {
    name: "fixtures with zero records",
    parameters: ["fixtures", "--records", "0", "--seed", "1"],
    exitCode: 2,
    says: ["at least 1"],
  },
  {
    name: "init without a terminal and without values",
    parameters: ["init", "new-folder"],
    exitCode: 2,
    says: ["give --only, --title, --contact, --url, because there is no terminal on which to ask for them"],
  },
  {
    name: "init into a folder with files",
    parameters: ["init", join(REPOSITORY, "docs")],
    exitCode: 1,
    says: ["docs is not empty", "Choose a new folder"],
  },
  {
    name: "init for an unknown part of a source",
    parameters: ["init", "new-folder", "--only", "shelf=1", ...SITE_VALUES],
    exitCode: 2,
    says: ["shelf=1", 'no source can select by "shelf"'],
  },
  {
    name: "init with a contact that is not an address",
    parameters: ["init", "new-folder", "--only", "client=tib.tib", ...SITE_VALUES, "--contact", "me"],
    exitCode: 2,
    says: ["--contact", "email address"],
  },
  {
    name: "init with a version that Git would read as an option",
    parameters: [
      "init",
      "new-folder",
      "--only",
      "client=tib.tib",
      ...SITE_VALUES,
      "--program-version",
      "--upload-pack=x",
    ],
    exitCode: 2,
    says: ["--program-version"],
  },
  {
    name: "init with a title that is too long for the header of the site",
    parameters: ["init", "new-folder", "--only", "client=tib.tib", ...SITE_VALUES, "--title", "a".repeat(41)],
    exitCode: 2,
    says: ["--title", "at most 40 characters"],
  },
  {
    name: "fixtures without a seed",
    parameters: ["fixtures", "--records", "9"],
    exitCode: 2,
    says: ["--seed", "fixtures --help"],
  },
  {
    name: "serve on an impossible port",
    parameters: ["serve", "--port", "65536"],
    exitCode: 2,
    says: ["--port", "0 to 65535"],
  },
  ...["a*b", "a?b", "a[b]", "a\\b"].map(
    (store): UsageCase => ({
      name: `the store ${store}, which DuckDB would read as a pattern of paths`,
      parameters: ["release", "list", "--store", store],
      exitCode: 2,
      says: [`--store ${store}`, "pattern", "choose a path without"],
    }),
  ),
  {
    name: "verify without a digest, with a missing store",
    parameters: ["release", "verify"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "verify of a digest, with a missing store",
    parameters: ["release", "verify", "3f9c"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "activate with a missing store",
    parameters: ["release", "activate", "sha256:3f9c"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "harvest from a missing path",
    parameters: ["harvest", "zenodo", "--from", "answers"],
    exitCode: 1,
    says: ["answers", "no such file or folder"],
  },
  {
    name: "build with a missing list of researchers to exclude",
    parameters: ["build", "--as-of", "2026-11-01", "--exclude-researchers", "opted-out.txt"],
    exitCode: 1,
    says: ["--exclude-researchers opted-out.txt", "ENOENT", "give another file"],
  },
  {
    name: "build with a folder in place of a ROR dump",
    parameters: ["build", "--as-of", "2026-11-01", "--ror", "."],
    exitCode: 1,
    says: ["--ror .", "folder", "give a file"],
  },
];

/**
 * The commands of share-release. Each is a command without verbs, such as `build`, or a group with its verbs, such as `key`.
 */
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
  init: [],
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

/** Runs commands in this process, for tests that do not need a separate one. */
const host = commandHost(join(import.meta.dirname, "share-release.ts"));

afterAll(() => host[Symbol.asyncDispose]());

describe("help", () => {
  for (const command of COMMANDS) {
    test(`${command} --help shows examples`, async () => {
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

  test("--help lists every command and explains the exit codes", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const command of Object.keys(TREE)) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    expect(stdout).toContain(
      "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 success with rejected input, 4 verified in part.",
    );
  });

  test("share-release without a command prints its help to standard error, and exits with 2", async () => {
    const { exitCode, stdout, stderr } = await runCommand([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: share-release [options] [command]");
  });

  test("share-release has at most 13 commands and groups of commands", () =>
    expect(Object.keys(TREE).length).toBeLessThanOrEqual(13));

  for (const name of GROUPS) {
    test(`${name} without a verb prints its help to standard error and exits with 2`, async () => {
      const { exitCode, stdout, stderr } = await host.run(name.split(" "));
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(`Usage: share-release ${name} [options] [command]`);
      for (const verb of TREE[name] ?? []) expect(stderr).toMatch(new RegExp(`^  ${verb.split(" ")[0]} `, "m"));
    });
  }

  test("share-release ends quietly if the reader of a pipe closes it early", async () => {
    const child = startCommand(["--help"]);
    if (child.stdout === null || child.stderr === null) throw new Error("the command has no output");
    child.stdout.destroy();
    const closed = once(child, "close");
    expect(await text(child.stderr)).toBe("");
    expect((await closed)[0]).toBe(0);
  });
});

describe("version", () => {
  test("--version prints the version of the package", async () => {
    const { version } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    expect(await runCommand(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("the start script imports only modules that Node 20 has, so that it can run there and start the pinned Node", async () => {
    const files = [SHARE_RELEASE, join(REPOSITORY, "bin/hand-over.js")];
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const imported = texts.flatMap((code) => [...code.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name));
    expect(imported).toEqual(["./hand-over.js", "node:child_process", "node:fs", "node:os", "node:url"]);
  });

  test.each([
    { name: "a recent Node of the running npm", agent: "npm/11.0.0 node/v24.0.0 linux x64", isOwn: true },
    { name: "an older Node of the running npm", agent: "npm/10.0.0 node/v23.9.0 linux x64", isOwn: false },
    { name: "no npm", agent: "", isOwn: false },
  ])("with $name, the start script runs the command with that Node: $isOwn", async ({ agent, isOwn }) => {
    await using place = await temporaryStore();
    const [own, used] = [join(place.folder, "node"), join(place.folder, "used")];
    await writeFile(own, `#!/bin/sh\ntouch '${used}'\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const pinned = join(REPOSITORY, "node_modules/.bin/node");
    const env = { PATH: process.env.PATH, npm_node_execpath: own, npm_config_user_agent: agent };
    const { stdout } = await promisify(execFile)(pinned, [SHARE_RELEASE, "--version"], { env });
    expect([stdout, existsSync(used)]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\n$/), isOwn]);
  });

  test("npx share-release runs the command of this repository", async () => {
    const { version } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    const { stdout } = await promisify(execFile)("npx", ["share-release", "--version"], { cwd: REPOSITORY });
    expect(stdout).toBe(`${version}\n`);
  });
});

describe("errors of use and expected failures", () => {
  let empty: TemporaryStore;
  beforeAll(async () => {
    empty = await temporaryStore();
    await writeFile(join(empty.folder, "words.txt"), "not an id\n");
  });
  afterAll(() => empty[Symbol.asyncDispose]());

  for (const { name, parameters, exitCode, says } of USAGE_CASES) {
    test(`share-release fails with one line of error and exit code ${exitCode}: ${name}`, async () => {
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

  test.skipIf(!existsSync(join(REPOSITORY, ".git"))).each([
    { remote: "git@example.org:scores/program.git", shown: "the Git remote git@example.org:scores/program.git," },
    { remote: "/srv/git/program.git", shown: "the Git remote /srv/git/program.git," },
    { remote: "https://me:secret@example.org/program.git", shown: "the Git remote https://example.org/program.git," },
    { remote: "", shown: "no Git remote named origin" },
  ])("init names the remote of the program that others cannot clone: “$remote”", async ({ remote, shown }) => {
    const parameters = ["init", "new-folder", "--only", "client=tib.tib", ...SITE_VALUES.slice(0, -2)];
    const environment = {
      ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "remote.origin.url", GIT_CONFIG_VALUE_0: remote },
      SHARE_STORE: empty.store.root,
    };
    const { exitCode, stderr } = await host.run(parameters, { environment, folder: empty.folder });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^share-release: give --program:/)]);
    expect(stderr).toContain(shown);
    expect(stderr).not.toContain("secret");
  });

  // A separate process treats all errors alike, so one error of each exit code suffices.
  const kinds = new Map(USAGE_CASES.map((one) => [one.exitCode, one]));
  for (const { name, parameters } of kinds.values()) {
    test(`share-release has the same output in a separate process as in this one: ${name}`, async () => {
      const options = { environment: { SHARE_STORE: empty.store.root }, folder: empty.folder };
      expect(await runCommand(parameters, options)).toEqual(await host.run(parameters, options));
    });
  }
});

describe("the location of the store", () => {
  const FIXTURES = ["fixtures", "--records", "5", "--seed", "1"];

  test("the store is .share by default", async () => {
    await using fresh = await temporaryStore();
    const ended = await runCommand(FIXTURES, { folder: fresh.folder });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "datacite: 5 records\n" });
    expect(existsSync(join(fresh.folder, ".share/raw/datacite"))).toBe(true);
  });

  test("the store is the folder in SHARE_STORE, unless --store is given", async () => {
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
