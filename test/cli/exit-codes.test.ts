/** Tests that a kind of error, such as a missing file, has the same exit code in every command. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAILED, WRONG_USAGE } from "../../cli/options/exit-codes.ts";
import { commandHost } from "../support/command-host.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const DAY = ["--as-of", "2026-11-01"];
const DIGEST = "sha256:3f9c";

/**
 * A command and its environment variables. It runs in a folder with an empty store and the files `words.txt` and `cut.json`
 * (truncated JSON).
 */
type Line = readonly [words: string, settings?: Readonly<Record<string, string>>];

interface Kind {
  readonly name: string;
  readonly exitCode: number;
  /** Part of the error message of each command. */
  readonly says?: string;
  readonly lines: readonly Line[];
}

const buildFiles = ["--ror", "--citations", "--exclude-researchers", "--sign"];

const KINDS: readonly Kind[] = [
  {
    name: "a missing file",
    exitCode: FAILED,
    lines: [
      ["harvest zenodo --from nowhere.json"],
      ...buildFiles.map((option): Line => [`build ${DAY.join(" ")} ${option} nowhere`]),
      ...buildFiles.map((option): Line => [`run zenodo ${option} nowhere`]),
      ["score nowhere.json"],
      ["score ./nowhere"],
      ["score --list nowhere.csv"],
      ["release score --contract nowhere.json --out scores.csv"],
      ["release verify --folder nowhere"],
      ["release fetch http://127.0.0.1:1 --key nowhere"],
      ["release list", { SHARE_CONFIG: "/nowhere.toml" }],
      ["release list", { SHARE_WEBHOOK_SECRET_FILE: "/nowhere" }],
    ],
  },
  {
    name: "a folder in place of a file",
    exitCode: FAILED,
    lines: [
      [`build ${DAY.join(" ")} --ror .`],
      ["score ."],
      ["score --list ."],
      ["release score --contract . --out a.csv"],
    ],
  },
  {
    name: "a file with other content",
    exitCode: FAILED,
    lines: [
      [`build ${DAY.join(" ")} --exclude-researchers words.txt`],
      ["score words.txt"],
      ["score cut.json"],
      ["score cut.json --source zenodo"],
      ["release score --contract words.txt --out scores.csv"],
      ["release fetch http://127.0.0.1:1 --key words.txt"],
    ],
  },
  {
    name: "a missing release",
    exitCode: FAILED,
    lines: [
      [`release show ${DIGEST}`],
      [`release verify ${DIGEST}`],
      [`release diff ${DIGEST} 4a`],
      [`release activate ${DIGEST}`],
      [`release export records --release ${DIGEST}`],
      [`release publish ${DIGEST} --to out`],
    ],
  },
  {
    name: "no release at all, or none that is active",
    exitCode: FAILED,
    lines: [
      ["release show"],
      ["release show active"],
      ["release verify"],
      ["release export records"],
      ["release publish --to out"],
      ["release rollback"],
      ["account hide"],
      ["score --list words.txt"],
    ],
  },
  {
    name: "a missing store",
    exitCode: FAILED,
    says: "there is no store nowhere",
    lines: [
      `build ${DAY.join(" ")}`,
      "release list",
      `release activate ${DIGEST}`,
      "release rollback",
      "release verify",
      `release diff ${DIGEST} 4a`,
      "release log",
      "release prune --keep 2",
      "release publish --to out",
      "serve --port 0",
    ].map((words): Line => [words, { SHARE_STORE: "nowhere" }]),
  },
  { name: "a store without payloads", exitCode: FAILED, lines: [[`build ${DAY.join(" ")}`], ["run"]] },
  {
    name: "something that exists already",
    exitCode: FAILED,
    lines: [["key new --out words.txt"], ["source new zenodo"]],
  },
  {
    name: "a service that cannot be reached",
    exitCode: FAILED,
    lines: [
      ["release fetch http://127.0.0.1:1"],
      ["score zenodo/1 --upstream zenodo=http://127.0.0.1:1"],
      ["account list", { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" }],
    ],
  },
  {
    name: "a day in the future",
    exitCode: WRONG_USAGE,
    lines: [["build --as-of 2999-01-01"], ["harvest zenodo --since 2999-01-01"], ["run zenodo --since 2999-01-01"]],
  },
  {
    name: "an unknown source",
    exitCode: WRONG_USAGE,
    lines: [
      ["harvest none"],
      ["build --source none"],
      ["build --carry-forward none"],
      ["run none"],
      ["score zenodo/1 --source none"],
      ["source check none"],
    ],
  },
  {
    name: "an identifier of the wrong form",
    exitCode: WRONG_USAGE,
    lines: [["score hello"], ["account decide ada approve"], ["account api-keys usage ada"]],
  },
  {
    name: "an invalid setting",
    exitCode: WRONG_USAGE,
    lines: [
      ["serve", { SHARE_PORT: "many" }],
      ["serve --port 0", { SHARE_SITE: "http://share.example" }],
      ["serve --port 0", { SHARE_SITE: "https://share.example", SMTP_URL: "ftp://mail.example" }],
      [
        "serve --port 0",
        {
          SHARE_SITE: "https://share.example",
          ORCID_CLIENT_ID: "a",
          ORCID_CLIENT_SECRET: "b",
          ORCID_ISSUER: "http://orcid.example",
        },
      ],
      ["harvest zenodo", { SHARE_CONTACT: "nobody" }],
      ["harvest figshare", { SHARE_FIGSHARE_TOKEN: "a b" }],
    ],
  },
];

const host = commandHost(join(import.meta.dirname, "share-release.ts"));
let empty: TemporaryStore;
/** The files in the folder, compared before and after each command. */
let files: readonly string[];

beforeAll(async () => {
  empty = await temporaryStore();
  await mkdir(empty.store.root, { recursive: true });
  await writeFile(join(empty.folder, "words.txt"), "not an id\n", { mode: 0o600 });
  await writeFile(join(empty.folder, "cut.json"), '{"metadata": {');
  files = await readdir(empty.folder);
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await empty[Symbol.asyncDispose]();
});

describe.each(KINDS)("an error about $name", ({ exitCode, says = "", lines }) => {
  test.each(lines.map(([words, settings = {}]) => ({ words, settings })))(
    `\`share-release $words\` ends with exit code ${exitCode} (environment: $settings)`,
    async ({ words, settings }) => {
      const environment = { SHARE_STORE: empty.store.root, ...settings };
      const ended = await host.run(words.split(" "), { environment, folder: empty.folder });
      expect({ ...ended, stderr: ended.stderr.split("\n").at(-2) }).toEqual({
        exitCode,
        stdout: "",
        stderr: expect.stringMatching(/^share-release: /),
      });
      expect(ended.stderr).toContain(says);
      expect(await readdir(empty.folder)).toEqual(files);
    },
  );
});
