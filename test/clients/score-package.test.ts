/** The npm package that scores drafts gives the scores of the full program in Node 20, in Chromium and on the command line. */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { NoDraft } from "../../pipeline/evaluate/evaluation-error.ts";
import { buildDraftScore, scoreDraft } from "../../pipeline/evaluate/scorer.ts";
import { getContractId } from "../../pipeline/rubrics/contracts.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { CONTRACTS, type ContractId } from "../../schemas/public/rubric.ts";
import { CAPTURES, capturesAreThere } from "../golden/golden-cases.ts";
import { CHROMIUM, openBrowser } from "../site/chromium.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { serveModules } from "./module-server.ts";
import { type PackedScore, packedScore } from "./packed-score.ts";

/** The Node of the system, which may be older than the version that this repository pins. */
const NODE = existsSync("/usr/bin/node") ? "/usr/bin/node" : process.execPath;

const AS_OF = "2026-11-01";

/** A record, and the contract under which it is scored. */
interface Case {
  readonly payload: string;
  readonly source: string;
  readonly contract: ContractId;
}

/** Maximum number of captured records of a source, so that the suite ends within minutes. */
const MAX_CAPTURED = 80;

/**
 * The bundled records of all sources, and captured records if there are any. Each is scored under the next contract in turn.
 */
const CASES: readonly Case[] = SOURCES.flatMap((source) => {
  const recordsIn = (folder: string) =>
    filesIn(folder).flatMap((path) => findRecords(readFileSync(path), source).records.map(({ payload }) => payload));
  const captured = capturesAreThere ? recordsIn(join(CAPTURES, source.name)).slice(0, MAX_CAPTURED) : [];
  return [...recordsIn(join(PAYLOADS, source.name)), ...captured].map((payload, i) => ({
    payload,
    source: source.name,
    contract: CONTRACTS[i % CONTRACTS.length] ?? CONTRACTS[0],
  }));
});

function filesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return names
    .filter((name) => /\.(?:json|xml)$/.test(name) && !name.endsWith(".headers.json"))
    .sort()
    .map((name) => join(folder, name));
}

/** Returns the result of the full program for each case, as JSON. A result is a score, or the reason why there is none. */
async function expectedResults(): Promise<unknown[]> {
  return Promise.all(
    CASES.map(async ({ payload, source, contract }) => {
      try {
        const file = new TextEncoder().encode(payload);
        const evaluation = await scoreDraft(sourceNamed(source), file, { contract, asOf: AS_OF, getReader });
        return JSON.parse(JSON.stringify(buildDraftScore(evaluation, contract)));
      } catch (error) {
        if (!(error instanceof NoDraft)) throw error;
        return { noDraft: error.message };
      }
    }),
  );
}

/**
 * A function, as text for Node and for pages, that scores the cases with the package. Its results have the form of the expected
 * ones.
 */
const SCORE_ALL = `async (cases, { score }) => Promise.all(cases.map(async ({ payload, source, contract }) => {
  try {
    return await score(payload, { source, contract, asOf: "${AS_OF}" });
  } catch (error) {
    if (error.code !== "no-draft") throw error;
    return { noDraft: error.message };
  }
}))`;

const PATIENCE = 600_000;

let packed: PackedScore;
let expected: unknown[];

beforeAll(async () => {
  packed = await packedScore();
  expected = await expectedResults();
}, PATIENCE);

afterAll(() => packed?.[Symbol.asyncDispose]());

test("the compared drafts cover every source, and some of them have a reason in place of a score", () => {
  expect(new Set(CASES.map(({ source }) => source)).size).toBe(SOURCES.length);
  const reasons = expected.filter((each) => typeof each === "object" && each !== null && "noDraft" in each);
  expect(reasons.length).toBeGreaterThan(5);
  expect(CASES.length - reasons.length).toBeGreaterThan(200);
});

test(
  "in Node 20, the package gives the scores of the full program",
  () => {
    const folder = packed.project;
    writeFileSync(join(folder, "cases.json"), JSON.stringify(CASES));
    const program = `import { readFileSync, writeFileSync } from "node:fs";
import * as share from "share-release-score";
const results = await (${SCORE_ALL})(JSON.parse(readFileSync("cases.json", "utf8")), share);
writeFileSync("results.json", JSON.stringify(results));`;
    writeFileSync(join(folder, "all.js"), program);
    execFileSync(NODE, ["all.js"], { cwd: folder });
    expect(JSON.parse(readFileSync(join(folder, "results.json"), "utf8"))).toEqual(expected);
  },
  PATIENCE,
);

describe.skipIf(CHROMIUM === null)("in Chromium, the package", () => {
  test(
    "the package gives the scores of the full program in Chromium",
    async () => {
      await using server = await serveModules(packed.project);
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(server.url);
        for (let at = 0; at < CASES.length; at += 50) {
          const some = JSON.stringify(CASES.slice(at, at + 50));
          const address = `${server.url}share-release-score/dist/package/index.js`;
          const results = await page.evaluate(
            `import(${JSON.stringify(address)}).then((share) => (${SCORE_ALL})(${some}, share)).then(JSON.stringify)`,
          );
          expect([at, JSON.parse(String(results))]).toEqual([at, expected.slice(at, at + 50)]);
        }
      } finally {
        await browser.close();
      }
    },
    PATIENCE,
  );
});

test("the module for browsers has at most 200 KB with Brotli, and imports nothing of Node", () => {
  const folder = join(packed.project, "node_modules/share-release-score/dist/package");
  // Each module is one line that begins with its imports. Repairs and the parser of CITATION.cff are loaded when needed.
  const atOnce = new Map<string, Buffer>();
  const later = new Set<string>();
  const load = (name: string) => {
    if (atOnce.has(name)) return;
    const module = readFileSync(join(folder, name));
    atOnce.set(name, module);
    const text = module.toString();
    for (const [, path = ""] of text.matchAll(/\bimport\([`"]([^`"]+)[`"]\)/g)) later.add(path);
    for (const [, path = ""] of text.matchAll(/(?<=^|;)import(?:\{[^}]*\}from)?"([^"]+)"/g)) {
      expect(path).toMatch(/^\.\//);
      load(path);
    }
  };
  load("index.js");
  expect(atOnce.size).toBeGreaterThan(1);
  expect(later.size).toBeGreaterThan(1);
  for (const path of later) expect(path).toMatch(/^\.\//);
  const bytes = [...atOnce.values()].reduce((sum, module) => sum + brotliCompressSync(module).length, 0);
  expect(bytes).toBeLessThanOrEqual(200 * 1024);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["index.d.ts", "described.d.ts", "command.js"]));
});

test("by default, a draft is scored for the source that its file name suggests, under a public contract, as of today", async () => {
  const program = `import { repair, score } from "share-release-score";
const draft = await score({ title: "Soil", upload_type: "dataset" }, { fileName: "a/.zenodo.json" });
console.log(JSON.stringify([draft.source, draft.rubric, draft.contract, draft.asOf, draft.record.signals.length]));
const { repaired } = await repair({ title: "Soil", upload_type: "dataset", description: "As in our paper 10.1000/soil of that year." });
console.log(JSON.stringify([repaired.fileName, repaired.total, JSON.parse(repaired.text).related_identifiers.length]));
for (const given of [["{", {}], [{}, { source: "nowhere" }], [{}, { contract: "3.0" }]]) await score(...given).catch(({ message }) => console.log(message));`;
  writeFileSync(join(packed.project, "one.js"), program);
  const [first = "", repaired = "", ...messages] = execFileSync(NODE, ["one.js"], {
    cwd: packed.project,
    encoding: "utf8",
  })
    .trim()
    .split("\n");
  const today = new Date().toISOString().slice(0, 10);
  expect(JSON.parse(first)).toEqual(["zenodo", "2.0", getContractId("2.0"), today, 25]);
  expect(JSON.parse(repaired)).toEqual([".zenodo.json", expect.any(Number), 1]);
  expect(messages).toEqual([
    expect.stringContaining("JSON with a syntax error"),
    expect.stringMatching(/^there is no source called nowhere; the sources are clinicaltrials, /),
    expect.stringMatching(/^there is no contract 3\.0; the versions are 2\.0, /),
  ]);
});

describe("the command of the package", () => {
  const DRAFT = JSON.stringify({ title: "Meadow | counts", upload_type: "dataset", keywords: ["meadow"] });
  const run = (words: readonly string[]) => {
    try {
      const command = join(packed.project, "node_modules/share-release-score/dist/package/command.js");
      const stdout = execFileSync(NODE, [command, ...words], { cwd: packed.project, encoding: "utf8", stdio: "pipe" });
      return { exitCode: 0, stdout };
    } catch (error) {
      const { status, stdout } = error as { readonly status: number; readonly stdout: string };
      return { exitCode: status, stdout };
    }
  };

  test.each([
    { name: "one file", words: ["draft.json"] },
    { name: "one file as JSON", words: ["draft.json", "--json", "--rubric", "1.0"] },
    { name: "a chosen source", words: ["draft.json", "--source", "zenodo"] },
    { name: "several files, of which one is missing", words: ["draft.json", "none.json", "--min-score", "4"] },
    { name: "a file without metadata", words: ["package.json", "draft.json"] },
    { name: "an unknown source", words: ["draft.json", "--source", "nowhere"] },
    { name: "an unknown option", words: ["draft.json", "--list"] },
    { name: "no file", words: [] },
  ])("the command of the package prints and exits as share-release score does, for $name", async ({ words }) => {
    writeFileSync(join(packed.project, "draft.json"), DRAFT);
    const { exitCode, stdout } = await runCommand(["score", ...words], { folder: packed.project });
    expect(run(words)).toEqual({ exitCode, stdout });
  });
});
