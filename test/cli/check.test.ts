/**
 * Tests `share-release score` with metadata files in a Git repository, and the GitHub action and pre-commit hook that call it.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../score/package.json" with { type: "json" };
import { packedScore } from "../clients/packed-score.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { type Registry, startRegistry } from "../support/registry.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const DRAFTS = {
  ".zenodo.json": JSON.stringify({
    title: "Meadow counts | of *flowers*",
    upload_type: "dataset",
    description: "Counts of flowers in a mown meadow, weekly, with the weather of the day.",
    creators: [{ name: "Nemo, Nora", orcid: "0000-0002-1825-0097", affiliation: "Example University" }],
    license: "cc-by-4.0",
    keywords: ["meadow", "flowers"],
  }),
  // A DataCite record without most of its attributes, so that too few signals can be judged.
  "datacite.json": JSON.stringify({
    id: "10.5072/tides",
    types: { resourceTypeGeneral: "Dataset" },
    titles: [{ title: "Tides" }],
    creators: [{ name: "Nemo, Nora" }],
    publisher: "Example",
    publicationYear: 2024,
  }),
  "dataset_description.json": JSON.stringify({
    Name: "Resting heads",
    BIDSVersion: "1.8.0",
    License: "CC0",
    Authors: ["Nora Nemo", "Otto Other"],
    ReferencesAndLinks: ["https://doi.org/10.5072/example"],
  }),
  "eml.xml": `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="x.1.1" system="s"><dataset><title>Rain</title>
    <creator><individualName><givenName>Nora</givenName><surName>Nemo</surName></individualName></creator></dataset></eml:eml>`,
} as const;

/** Creates a folder like a user's repository: it contains all drafts, and a file that is not metadata. */
async function repository() {
  const place = await temporaryStore();
  for (const [name, text] of Object.entries(DRAFTS)) await writeFile(join(place.folder, name), text);
  await writeFile(join(place.folder, "other.json"), '{"a":1}');
  return place;
}

interface CheckedFile {
  readonly input: string;
  readonly source: string | null;
  readonly total: number | null;
  readonly passed: boolean;
}

test("score recognises the source of each file by its name, and compares its score with the minimum", async () => {
  await using place = await repository();
  const paths = Object.keys(DRAFTS).map((name) => join(place.folder, name));
  const { exitCode, stdout } = await runHosted(["score", "--min-score", "20", "--json", ...paths]);
  const { results }: { results: CheckedFile[] } = JSON.parse(stdout);
  expect(results.map(({ input, source }) => ({ input, source }))).toEqual(
    ["zenodo", "datacite", "openneuro", "edi"].map((source, i) => ({ input: paths[i], source })),
  );
  for (const { total, passed } of results) expect(passed).toBe(total !== null && total >= 20);
  // The DataCite file has too little evidence for a total, so it does not pass.
  expect(results[1]).toMatchObject({ total: null, passed: false, problem: expect.stringContaining("too few signals") });
  expect(exitCode).toBe(1);
  const enough = await runHosted(["score", "--min-score", "10", join(place.folder, ".zenodo.json")]);
  expect([enough.exitCode, enough.stdout]).toEqual([
    0,
    expect.stringMatching(/^ok .*of at most 100 as a record of zenodo \(recognised by the name of the file\)\n/),
  ]);
});

test("score lists an unreadable file among the others, in its output and in the summary table", async () => {
  await using place = await repository();
  const at = (name: string) => join(place.folder, name);
  const summary = at("summary.md");
  await writeFile(summary, "before\n");
  const ended = await runHosted(["score", at("other.json"), at("none.json"), at(".zenodo.json"), "--summary", summary]);
  expect(ended.exitCode).toBe(1);
  expect(ended.stdout).toContain("none.json: there is no file");
  expect(ended.stdout).toContain("2 of 3 failed");
  const [before, ...table] = (await readFile(summary, "utf8")).split("\n");
  expect(before).toBe("before");
  const rows = table.filter((line) => line.startsWith("| ❌") || line.startsWith("| ✅"));
  expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual([7, 7, 7]);
  expect(rows[2]).toMatch(/^\| ✅ \| .*\.zenodo\.json \| zenodo \(recognised by the name of the file\) \| /);
  expect(rows[2]).toMatch(/ \| \*\*\d+\*\* of at most 100 \| \+\d/);
});

test("score reports the line and column of a file that is not JSON, whatever its name", async () => {
  await using place = await repository();
  const files = {
    ".zenodo.json": '{\n  "creators": [,]\n}\n',
    "own.json": "title: Soil\n",
    "page.json": "<html></html>",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(place.folder, name), text);
  const paths = Object.keys(files).map((name) => join(place.folder, name));
  const { exitCode, stdout } = await runHosted(["score", ...paths]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain(
    ".zenodo.json: cannot be read as metadata for Zenodo: JSON with a syntax error at line 2, column 16: a value is missing\n",
  );
  expect(stdout).toContain("own.json: cannot be read as metadata: plain text (neither JSON nor XML)\n");
  expect(stdout).toContain("page.json: is an HTML page and is not supported");
});

test("score writes file names into the summary table as plain text, even if they look like markup or an option", async () => {
  await using place = await repository();
  const odd = join(place.folder, "a|b`<b>.json");
  await writeFile(odd, "{}");
  const summary = join(place.folder, "summary.md");
  await runHosted(["score", "--summary", summary, "--", odd, "--min-score"]);
  const text = await readFile(summary, "utf8");
  expect(text).toContain("a\\|b\\`\\<b\\>.json");
  expect(text).toContain("--min-score");
});

/** An npm registry on loopback that serves the package from this repository, as npm will do after its publication. */
let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry(await packedScore());
}, 600_000);

afterAll(() => registry?.[Symbol.asyncDispose]());

/** Runs a script as a GitHub runner with an empty npm cache would. Returns its exit status and output. */
async function runScript(script: string, folder: string, environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env.PATH, ...registry.environment(folder), ...environment };
  const child = spawn("bash", ["-eo", "pipefail", "-c", script], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { status: child.exitCode, stdout, stderr };
}

const actionText = () => readFile(join(REPOSITORY, "action.yml"), "utf8");

test("the GitHub action and the pre-commit hook install the current version of the package, without its install scripts", async () => {
  const { name, version } = manifest;
  const hooks = await readFile(join(REPOSITORY, ".pre-commit-hooks.yaml"), "utf8");
  for (const file of [await actionText(), hooks]) {
    expect(file).toContain(`npx --yes --ignore-scripts ${name}@${version}`);
  }
});

/** Returns the script of the action's last step, as GitHub would run it. */
async function actionScript(): Promise<string> {
  const text = await actionText();
  const lines = text.slice(text.lastIndexOf("run: |\n") + "run: |\n".length).split("\n");
  return lines.map((line) => line.slice(8)).join("\n");
}

test.each([
  { name: "all metadata files that it finds", files: "", atLeast: "", status: 0, rows: 4 },
  { name: "only the files that it is given", files: ".zenodo.json\n\neml.xml\n", atLeast: "0", status: 0, rows: 2 },
  { name: "that a file has the minimum score", files: ".zenodo.json", atLeast: "99", status: 1, rows: 1 },
])("the GitHub action checks $name", async ({ files, atLeast, status, rows }) => {
  await using place = await repository();
  const summary = join(place.folder, "summary.md");
  const ended = await runScript(await actionScript(), place.folder, {
    GITHUB_STEP_SUMMARY: summary,
    FILES: files,
    MIN_SCORE: atLeast,
    RUBRIC: "2.0",
  });
  const table = await readFile(summary, "utf8");
  expect({ status: ended.status, rows: table.match(/^\| [✅❌]/gmu)?.length }, ended.stderr).toEqual({ status, rows });
});

test("the GitHub action fails with an error message if it finds no file to check", async () => {
  await using place = await temporaryStore();
  await mkdir(join(place.folder, "empty"));
  const environment = { FILES: "", MIN_SCORE: "", RUBRIC: "2.0" };
  const ended = await runScript(await actionScript(), join(place.folder, "empty"), environment);
  expect([ended.status, ended.stdout]).toEqual([1, expect.stringMatching(/^::error::There is no \.zenodo\.json/)]);
});

test("the pre-commit hook runs an existing command, and its pattern matches only metadata files", async () => {
  const hooks = await readFile(join(REPOSITORY, ".pre-commit-hooks.yaml"), "utf8");
  const [, entry = ""] = /^ {2}entry: (.+)$/m.exec(hooks) ?? [];
  const [, pattern = ""] = /^ {2}files: (.+)$/m.exec(hooks) ?? [];
  const files = new RegExp(pattern);
  for (const name of [...Object.keys(DRAFTS), "data/.zenodo.json", "meadow.eml", "a/b.eml.xml"]) {
    expect({ name, taken: files.test(name) }).toEqual({ name, taken: true });
  }
  for (const name of ["package.json", "zenodo.json", "xml", "my-dataset_description.json"]) {
    expect({ name, taken: files.test(name) }).toEqual({ name, taken: false });
  }
  await using place = await repository();
  const ended = await runScript(`${entry} --min-score 10 -- .zenodo.json`, place.folder);
  expect([ended.status, ended.stdout], ended.stderr).toEqual([0, expect.stringContaining("ok  .zenodo.json")]);
});

test("the pre-commit hook treats a file name that looks like an option as a file", async () => {
  const hooks = await readFile(join(REPOSITORY, ".pre-commit-hooks.yaml"), "utf8");
  const [, entry = ""] = /^ {2}entry: (.+)$/m.exec(hooks) ?? [];
  const [, args = ""] = /^ {2}args: \[(.*)\]$/m.exec(hooks) ?? [];
  await using place = await repository();
  await writeFile(join(place.folder, "--min-score=100.eml"), DRAFTS["eml.xml"]);
  const ended = await runScript([entry, ...args.split(", "), "--min-score=100.eml"].join(" "), place.folder);
  expect([ended.status, ended.stdout], ended.stderr).toEqual([0, expect.stringContaining("EDI · edi/draft")]);
});
