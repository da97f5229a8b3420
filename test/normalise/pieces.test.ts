/** Tests records in pieces: one study of SRA has many packages and summaries, which come in any order and in several files. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { buildDraft } from "../../pipeline/evaluate/draft.ts";
import type { ObtainedPayload } from "../../pipeline/evaluate/obtain.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { POLICY, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { sra } from "../../pipeline/sources/sra/source.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";
import { type OpenEvaluator, openEvaluator } from "../evaluate/open-evaluator.ts";
import { AS_OF, PAYLOADS, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { type Capture, temporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { type Resolved, resolveStore } from "./captures.ts";

/** Normalises and scores a source, and returns the scores of one record by contract, with the field names of the API. */
async function batchScoresOfRecord(store: Store, source: string, sourceId: string, asOf: string) {
  const folder = join(store.work("records"), "2-normalise");
  await normalise(
    store,
    folder,
    { sources: [source], asOf, citations: null, threads: 1, memory: "512MB" },
    recordedEffects(),
  );
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    for (const table of [RECORD_TABLES.record, RECORD_TABLES.evidence]) {
      await db.input(
        { ...table, name: table.name === "evidence" ? "all_evidence" : table.name },
        join(folder, table.name),
      );
    }
    await db.run(
      `create table wanted as select all_evidence.* from all_evidence join record on record.id = all_evidence.id
       where record.source_id = $sourceId`,
      { sourceId },
    );
    await db.run("create view evidence as select * from wanted");
    await scoreEvidence(
      db,
      [...(await readContracts())].map(([rubric, contract]) => ({ rubric, contract })),
      POLICY,
    );
    const rows = await db.rows("select * from score");
    return Object.fromEntries(
      rows.map((row) => [
        String(row.rubric),
        {
          total: row.total,
          passedMask: row.passed_mask,
          evaluableMask: row.evaluable_mask,
          sourceMissingMask: row.source_missing_mask,
          failedMask: row.failed_mask,
        },
      ]),
    );
  } finally {
    db.close();
  }
}

const fixture = (name: string) => join(PAYLOADS, "sra", name);
const PACKAGES = [fixture("packages.xml"), fixture("packages-rest.xml")];
const SUMMARIES = [fixture("summary-of-project.json"), fixture("summaries-of-experiments.json")];
const ALL = [...PACKAGES, ...SUMMARIES];

async function harvest(store: Store, paths: readonly string[], retrievedAt = RETRIEVED_AT): Promise<void> {
  await harvestFiles(store, sra, { paths, retrievedAt, limit: null }, recordedEffects());
}

const resolve = (store: Store, run = "one", threads = 1) => resolveStore(store, run, { sources: ["sra"], threads });

/** Returns the evidence of the study with this id. */
function findEvidence({ tables }: Resolved, sourceId: string) {
  const record = tables.record.find((row) => row.source_id === sourceId);
  return tables.evidence.find((row) => row.id === record?.id);
}

describe("studies in several files", () => {
  let resolved: Resolved;
  const bench = temporaryStore();
  beforeAll(async () => {
    const { store } = await bench;
    await harvest(store, ALL);
    resolved = await resolve(store);
  });
  afterAll(async () => (await bench)[Symbol.asyncDispose]());

  test("a study of SRA in several files becomes one record with the runs, places and protocols of all its packages, each run once", () => {
    expect(findEvidence(resolved, "PRJNA99000021")).toMatchObject({
      file_count: 7,
      place_count: 2,
      coverage_date_count: 1,
      methods_length: 70,
      access_open: true,
      creator_count: 1,
    });
  });

  test("a study of SRA in several files combines the summaries of its project and of its experiments, which are in two files", () => {
    expect(findEvidence(resolved, "PRJNA99000022")).toMatchObject({
      keyword_count: 2,
      file_count: 4,
      methods_length: 70,
      description_length: 131,
      access_open: true,
    });
    const record = resolved.tables.record.find((row) => row.source_id === "PRJNA99000022");
    // A project with only array data is not a dataset, but the experiments of this one have sequencing reads.
    expect(record).toMatchObject({
      status: "ok",
      title: "Example of separate summaries",
      updated: "2023-02-02T00:00:00.000Z",
    });
  });

  test("a study of SRA in several files has the organisation of a package, but neither its abbreviation nor the contact", () => {
    expect(resolved.tables.creator.map(({ name }) => name)).toEqual(["Example University", "Example University"]);
  });

  test("each piece of a study of SRA in several files is counted once, as scored or as superseded", () => {
    expect(resolved.manifest.facts).toMatchObject({
      coverage: {
        harvested: 8,
        superseded: 6,
        duplicates: 0,
        tombstones: 0,
        not_dataset: 0,
        failed: 0,
        scored: 2,
      },
    });
  });

  test.each([
    { name: "the reverse order", runs: [[...ALL].reverse()] },
    { name: "one harvest for each file", runs: ALL.map((path) => [path]) },
    {
      name: "one harvest for each file, in reverse order, on two threads",
      runs: ALL.map((path) => [path]).reverse(),
      threads: 2,
    },
    { name: "one file harvested twice", runs: [ALL, PACKAGES.slice(0, 1)], again: 3 },
  ])("a study of SRA in several files gives the same record with $name", async ({ runs, threads = 1, again = 0 }) => {
    await using other = await temporaryStore();
    for (const paths of runs) await harvest(other.store, paths);
    const tables = await resolve(other.store, "other", threads);
    expect(tables.tables).toEqual(resolved.tables);
    expect(tables.manifest.facts).toMatchObject({ coverage: { harvested: 8 + again, superseded: 6 + again } });
  });
});

describe("checks of studies in pieces", () => {
  let opened: OpenEvaluator;
  beforeAll(async () => {
    opened = await openEvaluator();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function draft(path: string): Promise<ObtainedPayload> {
    const bytes = await readFile(path);
    const language = path.endsWith(".xml") ? "xml" : "json";
    return buildDraft({ document: parsePayload(bytes.toString()), bytes, language }, sra);
  }

  /** Returns the scores that a build gives a study whose pieces are in these files. */
  async function batch(paths: readonly string[], sourceId: string) {
    await using bench = await temporaryStore();
    await harvest(bench.store, paths);
    return await batchScoresOfRecord(bench.store, "sra", sourceId, AS_OF);
  }

  async function evaluated(given: ObtainedPayload) {
    const scores: Record<string, unknown> = {};
    for (const contract of CONTRACTS) {
      const { record } = await opened.score({ ...given, isDraft: false }, contract, AS_OF);
      // A record with too little evidence has masks but no total.
      const { passedMask, evaluableMask, sourceMissingMask, failedMask } = record?.masks ?? {};
      const total = record?.score?.total ?? null;
      scores[contract] = { total, passedMask, evaluableMask, sourceMissingMask, failedMask };
    }
    return scores;
  }

  test.each([
    { name: "a set of packages", path: fixture("packages.xml"), id: "PRJNA99000021" },
    { name: "a response with summaries", path: fixture("summaries-of-experiments.json"), id: "PRJNA99000022" },
  ])("a check of a study in pieces gives the same scores as a build for $name", async ({ path, id }) => {
    const given = await draft(path);
    expect(given.sourceId).toBe(id);
    expect(await evaluated(given)).toEqual(await batch([path], id));
  });

  test("a check of a complete study, as a harvest stores it, gives the same scores as a build from the pieces of the study", async () => {
    const [project, experiments] = await Promise.all(
      SUMMARIES.map(async (path) => JSON.parse(await readFile(path, "utf8"))),
    );
    const payload = JSON.stringify({ project: project.result["99000022"], experiments });
    const whole = { source: "sra", sourceId: "PRJNA99000022", payload, payloadDigest: "0".repeat(64) };
    expect(await evaluated({ ...whole, status: 200, retrievedAt: null })).toEqual(
      await batch(SUMMARIES, "PRJNA99000022"),
    );
  });

  test("a check of a study in pieces rejects a draft with pieces of two studies", async () => {
    const answer = JSON.parse(await readFile(fixture("summaries-of-experiments.json"), "utf8"));
    const [, second] = answer.result.uids;
    answer.result[second].expxml = answer.result[second].expxml.replace("PRJNA99000022", "PRJNA99000014");
    const bytes = Buffer.from(JSON.stringify(answer));
    expect(() => buildDraft({ document: answer, bytes, language: "json" }, sra)).toThrow(/list of several records/);
  });
});

describe("the sequencing runs of an SRA study that count as its files", () => {
  const DAY = (day: number) => `2025-01-0${day}T00:00:00.000Z`;
  type Made = Omit<Capture, "source" | "sourceId">;

  const summary = (accession: string, runs: number, updated = "2024/01/01") => ({
    expxml: `<Experiment acc="${accession}" status="public"/>`,
    runs: Array.from({ length: runs }, (_, index) => `<Run acc="${accession}-${index}" is_public="true"/>`).join(""),
    updatedate: updated,
  });
  const experiment = (accession: string, runs: number, updated?: string, retrievedAt: string | null = null): Made => ({
    payload: summary(accession, runs, updated),
    retrievedAt,
  });
  const packaged = (accession: string, runs: readonly string[]): Made => {
    const RUN = runs.map((run) => ({ "@accession": run, "@is_public": "true" }));
    return { payload: { EXPERIMENT_PACKAGE: { EXPERIMENT: { "@accession": accession }, RUN_SET: { RUN } } } };
  };
  const project: Made = { payload: { project_acc: "PRJNA1", project_title: "t" } };
  const whole = (runs: number): Made => ({
    payload: { project: project.payload, experiments: { result: { uids: ["1"], 1: summary("SRX1", runs) } } },
  });
  const gone = (day: number): Made => ({ payload: "", status: 404, retrievedAt: DAY(day) });

  const CASES: readonly { readonly name: string; readonly made: readonly Made[]; readonly files: number | null }[] = [
    {
      name: "only the latest capture of each experiment",
      made: [experiment("SRX1", 9), experiment("SRX1", 2, "2024/05/01"), experiment("SRX2", 1)],
      files: 3,
    },
    {
      name: "the runs of an experiment's summary and of its package, each once",
      made: [experiment("SRX1", 2), packaged("SRX1", ["SRX1-1", "SRX1-2"])],
      files: 3,
    },
    { name: "a project beside an experiment", made: [project, experiment("SRX1", 2)], files: 2 },
    {
      name: "a capture of the complete study in place of its pieces",
      made: [experiment("SRX1", 9, "2025/01/01"), whole(4), experiment("SRX2", 9)],
      files: 4,
    },
    {
      name: "no pieces that were retrieved before a withdrawal",
      made: [experiment("SRX1", 1, undefined, DAY(1)), experiment("SRX2", 1, undefined, DAY(1)), gone(2)],
      files: null,
    },
    {
      name: "only pieces that were retrieved after a withdrawal",
      made: [
        experiment("SRX1", 9, undefined, DAY(1)),
        gone(2),
        experiment("SRX2", 1, undefined, DAY(3)),
        experiment("SRX3", 1, undefined, DAY(3)),
      ],
      files: 2,
    },
    {
      name: "5,000 experiments in several raw parts",
      made: Array.from({ length: 5000 }, (_, index) => experiment(`SRX${100_000 + index}`, 1)),
      files: 5000,
    },
  ];
  const makeProjectId = (index: number) => `PRJNA990001${String(index).padStart(2, "0")}`;
  const captures = CASES.flatMap(({ made }, index) =>
    made.map((capture): Capture => ({ source: "sra", sourceId: makeProjectId(index), ...capture })),
  );

  async function resolveAll(order: readonly Capture[], perPart: number, threads: number): Promise<Resolved> {
    await using bench = await temporaryStore();
    await writeCaptures(bench.store, order, perPart);
    return await resolve(bench.store, "one", threads);
  }
  let resolved: Resolved;
  beforeAll(async () => {
    resolved = await resolveAll(captures, 1000, 1);
  }, 300_000);

  test.each(CASES.map(({ name, files }, index) => ({ name, files, id: makeProjectId(index) })))(
    "the runs of a study in pieces are counted as expected: $name",
    ({ id, files }) => {
      expect(findEvidence(resolved, id)?.file_count ?? null).toBe(files);
    },
  );

  test("the runs of a study in pieces come from pieces that are each counted once, as scored, superseded or a tombstone", () => {
    const coverage = { harvested: captures.length, superseded: captures.length - CASES.length, tombstones: 1 };
    expect(resolved.manifest.facts).toMatchObject({ coverage: { ...coverage, scored: CASES.length - 1 } });
  });

  test("the runs of a study in pieces are the same in any order of captures and any division into raw parts", async () => {
    const again = await resolveAll([...captures].reverse(), 700, 2);
    expect(again.tables).toEqual(resolved.tables);
    expect(again.manifest.facts).toMatchObject({ coverage: resolved.manifest.facts.coverage });
  }, 300_000);
});

test("an XML file with three packages of SRA is imported as three pieces", async () => {
  await using bench = await temporaryStore();
  const folder = join(bench.store.root, "input");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "packages.xml"), await readFile(fixture("packages.xml")));
  const summary = await harvestFiles(
    bench.store,
    sra,
    { paths: [folder], retrievedAt: null, limit: null },
    recordedEffects(),
  );
  expect(summary).toMatchObject({ records: 3, rejected: {} });
});
