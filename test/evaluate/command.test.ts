/** The command `share-release score` for drafts and identifiers: its output as text and with --json. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { commandHost } from "../support/command-host.ts";
import { type Ended, jsonLines, runCommand } from "../support/command-line.ts";
import { services, zenodoRecord } from "./services.ts";

const RECORD = join(PAYLOADS, "zenodo/readme-code-manifest.json");

const folder = mkdtempSync(join(tmpdir(), "share-evaluate-"));
const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const evaluate = (parameters: readonly string[]): Promise<Ended> => host.run(["score", ...parameters]);

/** Runs `share-release score` in a process of its own, with these environment variables. */
function evaluateAlone(parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runCommand(["score", ...parameters], { environment });
}

/** Writes a file in the folder of this test, and returns its path. */
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const printed = z.looseObject({
  record: recordDetail,
  improvements: z.array(z.object({ points: z.int().min(4).nullable(), signals: z.array(z.unknown()) })),
});

const METADATA = {
  upload_type: "dataset",
  title: "Soil moisture of the lower valley",
  description: "Hourly readings of twelve probes. ".repeat(5),
  creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
  keywords: ["soil"],
  access_right: "open",
  license: "cc-by-4.0",
};

describe("a draft without --source", () => {
  const bare = { identificationModule: { officialTitle: "A trial of two teas" } };
  const SHAPES: readonly { readonly name: string; readonly what: () => string; readonly source: string }[] = [
    { name: "a deposit of Zenodo", what: () => file("zenodo.json", METADATA), source: "zenodo" },
    { name: "a protocol of ClinicalTrials.gov", what: () => file("trial.json", bare), source: "clinicaltrials" },
    {
      name: "metadata of DataCite",
      what: () => file("datacite.json", { titles: [{ title: "Tides" }], types: { resourceTypeGeneral: "Dataset" } }),
      source: "datacite",
    },
    {
      name: "a deposit of Dataverse",
      what: () => file("dataverse.json", { datasetVersion: { metadataBlocks: { citation: { fields: [] } } } }),
      source: "dataverse",
    },
    { name: "a published record", what: () => RECORD, source: "zenodo" },
    {
      name: "a published record of DataCite",
      what: () => join(PAYLOADS, "datacite/complete-modern.json"),
      source: "datacite",
    },
  ];
  for (const { name, what, source } of SHAPES) {
    test(`the source of a file is recognised without --source: ${name}`, async () => {
      const path = what();
      const recognised = await evaluate([path, "--json"]);
      expect(recognised.stderr).toBe("");
      const chosen = await evaluate([path, "--source", source, "--json"]);
      const { sourceGuessedBy, ...evaluation } = JSON.parse(recognised.stdout);
      expect({ sourceGuessedBy, evaluation }).toEqual({
        sourceGuessedBy: expect.toBeOneOf(["name", "format"]),
        evaluation: JSON.parse(chosen.stdout),
      });
    });
  }

  test("the output says how the source of a draft was recognised", async () => {
    const named = file("datacite.json", { titles: [{ title: "Tides" }], types: { resourceTypeGeneral: "Dataset" } });
    const guess = /^Read as a record of (\w+), recognised by (.*)\.\nChoose another with --source\.$/m;
    const readGuess = async (...parameters: string[]) => guess.exec((await evaluate(parameters)).stdout)?.slice(1);
    expect(await readGuess(named)).toEqual(["datacite", "the name of the file"]);
    expect(await readGuess(RECORD)).toEqual(["zenodo", "its format"]);
    expect(await readGuess(RECORD, "--source", "zenodo")).toBeUndefined();
    const { stdout } = await evaluate([named, RECORD]);
    expect(stdout).toContain("as a record of datacite (recognised by the name of the file)");
    expect(stdout).toContain("as a record of zenodo (recognised by its format)");
  });

  test("a draft that fits no source is rejected, and the error asks for --source", async () => {
    const asked = await evaluate([file("nothing.json", { title: "Soil" })]);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toMatch(
      / does not have the form of a dataset of any source: if it is one, give --source, one of clinicaltrials, /,
    );
  });

  test("a draft that states no type is scored as a dataset, and the output explains the sign for unreadable evidence", async () => {
    const untyped = { title: "Soil", creators: [{ name: "Carberry, Josiah" }], keywords: 7 };
    const { stdout } = await evaluate([file("untyped.json", untyped)]);
    expect(stdout).toMatch(/^Soil\n/);
    expect(stdout).toMatch(/! unreadable/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});

/** A module that appends the URL of each module that a process loads to `modules.txt`. */
const NOTE_MODULES = `
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      appendFileSync(new URL("./modules.txt", import.meta.url), url + "\\n");
      return next(url, context);
    },
  });`;

test("scoring a file does not load the database, the server, the network or unneeded parsers", async () => {
  const hook = file("note-modules.mjs", NOTE_MODULES);
  const ended = await evaluateAlone([RECORD], { NODE_OPTIONS: `--import ${hook}` });
  expect(ended.exitCode).toBe(0);
  const modules = readFileSync(join(folder, "modules.txt"), "utf8").split("\n");
  expect(modules.filter((url) => url.endsWith("/pipeline/score-payload.ts"))).toHaveLength(1);
  const unneeded =
    /node_modules\/(?:@duckdb|fastify|undici|yaml|smol-toml|jose|badge-maker)\/|\/server\/|\/engine\/open\.ts/;
  expect(modules.filter((url) => unneeded.test(url))).toEqual([]);
});

describe("a draft", () => {
  test("a draft is scored without the network, and explained in at most 80 columns", async () => {
    const { exitCode, stdout, stderr } = await evaluate([file("draft.json", METADATA), "--source", "zenodo"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("Soil moisture of the lower valley");
    expect(lines[1]).toMatch(/^Zenodo · zenodo\/draft · dataset · as of \d{4}-\d\d-\d\d$/);
    expect(lines.slice(3, 9)).toEqual([
      "36 of 100  █████████░░░░░░░░░░░░░░░░  basic   SHARE 2.0 (2.0.0-beta.2)",
      "",
      "  S  Stewardship     ■ □ □ □ □   4 of 20",
      "  H  Harmonization   ■ □ □ □ □   4 of 20",
      "  A  Access          ■ ■ ■ ■ ■  20 of 20",
      "  R  Reusability     ? ? ? ? ?   0 of 20",
    ]);
    const bestFirst = Array.from(stdout.matchAll(/^ +\+(\d+) {2}/gm), ([, gain]) => Number(gain));
    expect(bestFirst).toEqual(bestFirst.toSorted((one, other) => other - one));
    expect(stdout).toContain(`Enter at least three different keywords in "Keywords and subjects"`);
    expect(stdout).toMatch(/^S1 ■ Keywords {25}keyword_count 1$/m);
    expect(lines.filter((line) => Array.from(line).length > 80)).toEqual([]);
  });

  test("a draft may be a complete request or response of the API of its source", async () => {
    const FILES: readonly (readonly [path: string, source: string])[] = [
      [RECORD, "zenodo"],
      [file("deposit.json", { metadata: METADATA }), "zenodo"],
      [join(PAYLOADS, "datacite/complete-modern.json"), "datacite"],
      [join(PAYLOADS, "datacite/draft.json"), "datacite"],
      [join(PAYLOADS, "clinicaltrials/complete.json"), "clinicaltrials"],
      [join(PAYLOADS, "edi/complete.json"), "edi"],
      [join(PAYLOADS, "edi/minimal.xml"), "edi"],
      [join(PAYLOADS, "dataverse/draft.json"), "dataverse"],
      [join(PAYLOADS, "figshare/private.json"), "figshare"],
      [join(PAYLOADS, "osf/private.json"), "osf"],
    ];
    for (const [path, source] of FILES) {
      const { exitCode, stdout } = await evaluate([path, "--source", source, "--json"]);
      expect({ path, exitCode, found: jsonLines(stdout) }).toMatchObject({
        path,
        exitCode: 0,
        found: [{ outcome: "record", record: { scoreStatus: "scored" } }],
      });
    }
  });

  test.each(["2.0", "1.0", "1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"])(
    "a draft with --json is scored under the contract or version %s",
    async (rubric) => {
      const { exitCode, stdout } = await evaluate([RECORD, "--source", "zenodo", "--rubric", rubric, "--json"]);
      expect(exitCode).toBe(0);
      const evaluation = printed.parse(jsonLines(stdout)[0]);
      const contracts: Readonly<Record<string, string>> = { "2.0": "2.0.0-beta.2", "1.0": "1.0.0" };
      expect(evaluation).toMatchObject({
        contract: contracts[rubric] ?? rubric,
        rubric: rubric.startsWith("1") ? "1.0" : "2.0",
      });
      const { record, improvements } = evaluation;
      const gains = improvements.reduce((sum, { points }) => sum + (points ?? 0), 0);
      const asked = improvements.flatMap(({ points, signals }) => (points === null ? signals : []));
      expect((record.score?.total ?? 0) + gains + 4 * asked.length).toBe(record.cap);
    },
  );

  test("the explanation lists next steps with form labels, person and effort, and after them questions about unknown evidence", async () => {
    const path = file("restricted.json", { ...METADATA, access_right: "restricted", access_conditions: "Ask." });
    const { stdout } = await evaluate([path, "--source", "zenodo"]);
    const places = [
      /Next steps, those of the depositor first/,
      /\+\d+ {2}.*\n(?: {7}.*\n)*? {7}for the depositor · edit the record · /,
      /Unknown, without effect on the score/,
      / {4}\? {2}.*\n(?: {7}.*\n)*? {7}.*could not be judged/,
    ].map((pattern) => stdout.search(pattern));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    expect(stdout).toContain('in "Keywords and subjects"');
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("a draft with too little evidence has no score, and the output says so", async () => {
    const path = join(PAYLOADS, "datacite/malformed-values.json");
    const { exitCode, stdout } = await evaluate([path, "--source", "datacite"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^insufficient evidence {3}SHARE 2\.0/m);
    expect(stdout).toMatch(/\d of 25 signals could be judged, but a total needs at least 5/);
    expect(stdout).not.toMatch(/\d+ \/ (?:20|100)/);
    const [line] = jsonLines((await evaluate([path, "--source", "datacite", "--json"])).stdout);
    expect(line).toMatchObject({ record: { scoreStatus: "insufficient_evidence", score: null, shareScore: null } });
  });

  test.each([
    [
      "all people",
      [{ name: "Vance, Mirela" }, { name: "Okoro, Ada" }],
      /Without one: Vance, Mirela; Okoro, Ada; Carberry, Josiah\./,
    ],
    [
      "some organisations",
      [{ name: "Norvale Data Archive" }, { name: "Okoro, Ada" }],
      /Without one: Okoro, Ada; Carberry, Josiah\./,
    ],
  ] as const)("the advice names the creators without an ORCID iD: %s", async (_name, creators, said) => {
    const path = file("creators.json", { ...METADATA, creators: [...creators, { name: "Carberry, Josiah" }] });
    const { stdout } = await evaluate([path, "--source", "zenodo"]);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("Add the ORCID iD of every person");
    expect(text).toMatch(said);
  });

  test("the advice names five meaningless file names, without their control characters", async () => {
    const names = ["a.csv", "b\u001b[2J.csv", "data1.csv", "x1.csv", "x2.csv", "x3.csv", "x4.csv"];
    const path = file("plain-names.json", {
      id: 1,
      metadata: { ...METADATA, resource_type: { type: "dataset" } },
      files: names.map((key) => ({ key, size: 1 })),
    });
    const { stdout } = await evaluate([path, "--source", "zenodo"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/say what they hold|says what they hold/);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/Not yet: a\.csv, b.*, data1\.csv, x1\.csv, x2\.csv and 2 more\./);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  test("the output has colours if the terminal supports them, and otherwise the same text", async () => {
    const plain = await evaluate([RECORD, "--source", "zenodo"]);
    const coloured = await evaluateAlone([RECORD, "--source", "zenodo"], { FORCE_COLOR: "1" });
    expect(plain.stdout).toBe(stripVTControlCharacters(plain.stdout));
    expect(coloured.stdout).not.toBe(plain.stdout);
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
  });

  test("the output contains no control sequences from the metadata, even in colour", async () => {
    const title = "\u001b[2J\u001b]0;owned\u0007Title\u202e\r\nnext";
    const path = file("hostile.json", { ...METADATA, title, license: "\u001b[31mred", version: "\u009b1m" });
    const { stdout } = await evaluate([path, "--source", "zenodo"]);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    const coloured = await evaluateAlone([path, "--source", "zenodo"], { FORCE_COLOR: "1" });
    expect(stripVTControlCharacters(coloured.stdout)).toBe(stdout);
    const [, ...afterEscapes] = coloured.stdout.split("\u001b");
    expect(afterEscapes.length).toBeGreaterThan(25);
    expect(afterEscapes.filter((each) => !/^\[(?:1|2|22|31|32|33|39)m\P{Cc}*(?:\n\P{Cc}*)*$/u.test(each))).toEqual([]);
  });
});

interface Rejected {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly exitCode: number;
  readonly says: RegExp;
}

const REJECTED: readonly Rejected[] = [
  {
    name: "a draft that fits no source",
    parameters: [file("no-source.json", { a: 1 })],
    exitCode: 2,
    says: /give --source, one of/,
  },
  {
    name: "an unknown source",
    parameters: ["zenodo/1", "--source", "none"],
    exitCode: 2,
    says: /no source called/,
  },
  { name: "a missing file", parameters: ["nowhere.json"], exitCode: 1, says: /no file nowhere\.json/ },
  { name: "a missing path", parameters: ["./drafts/rain"], exitCode: 1, says: /no file \.\/drafts\/rain/ },
  { name: "a folder", parameters: [folder, "--source", "zenodo"], exitCode: 1, says: /is not a file/ },
  { name: "an invalid identifier", parameters: ["hello"], exitCode: 2, says: /not a known identifier/ },
  { name: "an unknown rubric", parameters: ["zenodo/1", "--rubric", "3.0"], exitCode: 2, says: /Allowed choices/ },
  { name: "an identifier that no source has", parameters: ["phs000001"], exitCode: 1, says: /dbGaP/ },
  {
    name: "a draft that is too large",
    parameters: [file("large.json", `{"a":"${"x".repeat(MAX_DRAFT_BYTES)}"}`), "--source", "zenodo"],
    exitCode: 1,
    says: /more than 5242880 bytes, the limit of a metadata file/,
  },
  {
    name: "a draft with invalid JSON",
    parameters: [file("broken.json", '{"metadata": {'), "--source", "zenodo"],
    exitCode: 1,
    says: /cannot be read as metadata for Zenodo: JSON with a syntax error at line 1, column 15/,
  },
  {
    name: "a draft for another source",
    parameters: [file("titles.json", { titles: [{ title: "Tides" }] }), "--source", "zenodo"],
    exitCode: 1,
    says: /titles\.json is not metadata for Zenodo: it fits DataCite \(datacite\); choose that source/,
  },
  {
    name: "a format that is not supported",
    parameters: [file("CITATION.cff", "cff-version: 1.2.0\ntitle: Tides\n")],
    exitCode: 1,
    says: /CITATION\.cff describes software, and only datasets have a score: .* add the line type: dataset/,
  },
  {
    name: "a file without a draft's fields",
    parameters: [file("other.json", { name: "me" }), "--source", "zenodo"],
    exitCode: 1,
    says: /neither a Zenodo record/,
  },
  {
    name: "several records",
    parameters: [join(PAYLOADS, "zenodo/version-family.json"), "--source", "zenodo"],
    exitCode: 1,
    says: /a list of several records/,
  },
];

test.each(REJECTED)("score rejects $name with a message on standard error", async ({ parameters, exitCode, says }) => {
  const ended = await evaluate(parameters);
  expect(ended).toMatchObject({ exitCode, stdout: "", stderr: expect.stringMatching(says) });
});

test("software is not scored: the output says why, and the exit code is 3", async () => {
  const ended = await evaluateAlone([join(PAYLOADS, "datacite/type-text.json"), "--source", "datacite"]);
  expect(ended).toMatchObject({
    exitCode: 3,
    stdout: "datacite/10.5072/type-text is not a dataset: resource type Text\n",
  });
});

describe("an identifier", () => {
  test("a record that an identifier names is fetched, scored and explained", async () => {
    await using there = await services({ "/api/records/99000001": zenodoRecord(99000001) });
    const upstream = ["--upstream", `zenodo=${there.base}`];
    const { exitCode, stdout } = await evaluate(["10.5281/zenodo.99000001", ...upstream]);
    expect({ exitCode, asked: there.asked }).toEqual({ exitCode: 0, asked: ["/api/records/99000001"] });
    expect(stdout).toMatch(/^Record 99000001\nZenodo · 10\.5281\/zenodo\.99000001 · dataset/);
  });

  test("an identifier that its source does not have is reported in one line", async () => {
    await using there = await services();
    const ended = await evaluateAlone(["zenodo/99000001", "--upstream", `zenodo=${there.base}`]);
    expect(ended).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "share-release: Zenodo has no public record 99000001; check the identifier\n",
    });
  });
});

test("the help of share-release score shows examples, and no options that only tests use", async () => {
  const { stdout } = await evaluate(["--help"]);
  expect(stdout).toContain("share-release score draft.json --source zenodo");
  expect(stdout).not.toContain("--upstream");
});
