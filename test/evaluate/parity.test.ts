/**
 * The three ways to score a payload have the same results under every contract: the build of a release (batch), the evaluator,
 * and the function scorePayload (core).
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { besideTotal } from "../../api-static/pages/record.ts";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { type OneScored, scoreOne } from "../../pipeline/evaluate/scorer.ts";
import { POLICY, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { type ScoredPayload, scorePayload } from "../../pipeline/score-payload.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { listParts, readBatches } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { envelope } from "../../schemas/internal/rows.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { DETAIL_COLUMNS } from "../../schemas/public/record-columns.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { CAPTURE_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { writeCaptureTables } from "../normalise/captures.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

interface BatchCapture {
  readonly key: string;
  readonly outcome: string;
  readonly reason: string | null;
  /** The total, bucket scores and masks by contract, under the column names of the score table. */
  readonly scores: ReadonlyMap<string, Readonly<Record<string, number | null>>>;
}

/** The parts of a record that the tables of a release contain. */
interface BatchRecord {
  readonly record: Cells;
  readonly creators: readonly Cells[];
  readonly facets: readonly Cells[];
}
type Cells = Readonly<Record<string, unknown>>;

interface Batch {
  readonly captures: ReadonlyMap<string, BatchCapture>;
  readonly records: ReadonlyMap<string, BatchRecord>;
}

/** Returns the key of a capture (a harvested payload): `<source>/<source-id> <payload digest>`. */
function captureKey(source: string, sourceId: string, payloadDigest: string): string {
  return `${source}/${sourceId} ${payloadDigest}`;
}

/** Scores every capture as a build does, and returns the results by key. Superseded captures are included. */
async function batchScores(store: Store, sources: readonly string[], asOf: string): Promise<Batch> {
  const folder = store.work("parity");
  await writeCaptureTables(store, folder, { sources, asOf });
  const db = await openDuckDB({ threads: 2, memory: "512MB" });
  try {
    for (const table of Object.values(CAPTURE_TABLES)) {
      await db.inputFile(table, join(folder, `${table.name}/*.parquet`));
    }
    await db.run(`create table numbered as select * exclude (id), part || '-' || "row" as id from capture`);
    await db.run("create view evidence as select * from numbered where outcome = 'record'");
    const scored = [...(await readContracts())].map(([rubric, contract]) => ({ rubric, contract }));
    await scoreEvidence(db, scored, POLICY);
    const captures = await db.rows("select id, source, source_id, payload_digest, outcome, reason from numbered");
    const scores = Map.groupBy(await db.rows("select * from score"), ({ id }) => id);
    const keys = new Map(
      captures.map((each) => [
        each.id,
        captureKey(String(each.source), String(each.source_id), String(each.payload_digest)),
      ]),
    );
    const found = new Map(
      captures.map(({ id, source, source_id, payload_digest, outcome, reason }) => {
        const key = captureKey(String(source), String(source_id), String(payload_digest));
        const rows = (scores.get(id ?? null) ?? []).map((row): [string, Record<string, number | null>] => [
          String(row.rubric),
          readNumbers(row),
        ]);
        const capture = { key, outcome: String(outcome), reason: reason === null ? null : String(reason) };
        return [key, { ...capture, scores: new Map(rows) }];
      }),
    );
    return { captures: found, records: await batchRecords(db, keys, asOf) };
  } finally {
    db.close();
  }
}

/** Returns the records by the key of their capture, computed in SQL from the tables of stage 2. */
async function batchRecords(
  db: Database,
  keys: ReadonlyMap<unknown, string>,
  asOf: string,
): Promise<ReadonlyMap<string, BatchRecord>> {
  const id = `part || '-' || "row" as capture`;
  const records = await db.rows(
    `select ${id}, * exclude (pub_date, version_family), publication_date(pub_date, '${asOf}') as pub_date,
       case when outcome = 'failed' then 'failed' else 'ok' end as status, coalesce(version_family, '') as version_family,
       view_count as views, download_count as downloads, citation_count as citations, derivative_count as derivatives,
       mention_count as mentions
     from capture`,
  );
  const creators = await db.rows(
    `select c.part || '-' || c."row" as capture, c.name, c.affiliation, c.orcid,
       case when is_researcher(person, folded_name, orcid)
         then researcher_id(orcid, full_name, folded_name, coalesce(first.folded, ''), capture.version_family)
       end as researcher
     from capture_creator as c
     join capture using (part, "row")
     left join capture_affiliation as first
       on first.part = c.part and first."row" = c."row" and first.position = c.position and first.place = 0
     order by c.part, c."row", c.position`,
  );
  const facets = await db.rows(`select ${id}, kind, value from capture_facet order by part, "row", place`);
  const ofCapture = (rows: readonly Cells[]) => Map.groupBy(rows, ({ capture }) => capture);
  const [creatorsByCapture, facetsByCapture] = [ofCapture(creators), ofCapture(facets)];
  const without = (rows: readonly Cells[] = []) => rows.map(({ capture: _capture, ...row }) => row);
  return new Map(
    records.map(({ capture, ...row }) => [
      keys.get(capture) ?? "",
      {
        record: Object.fromEntries(DETAIL_COLUMNS.map((name) => [name, row[name]])),
        creators: without(creatorsByCapture.get(capture)),
        facets: without(facetsByCapture.get(capture)),
      },
    ]),
  );
}

/** Returns the same parts of a record as `batchRecords`, from a payload that was scored alone. */
function toBatchRecord({ bundle, researcherIds }: OneScored): BatchRecord {
  const { record, authors, facets } = bundle;
  return {
    record: Object.fromEntries(DETAIL_COLUMNS.map((name) => [name, record[name]])),
    creators: authors.map(({ name, affiliation, orcid }, i) => ({
      ...{ name, affiliation, orcid },
      researcher: researcherIds[i],
    })),
    facets,
  };
}

function readNumbers(row: Readonly<Record<string, unknown>>): Record<string, number | null> {
  const names = Object.keys(SCORE_TABLES.score.columns).filter((name) => !["id", "rubric", "status"].includes(name));
  return Object.fromEntries(names.map((name) => [name, row[name] === null ? null : Number(row[name])]));
}

const FOLDER = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");
const there = existsSync(FOLDER);
if (!there)
  console.warn(
    `The parity test on real payloads is skipped, because the folder ${FOLDER} is missing. Set SHARE_REAL_PAYLOADS to a folder with payloads.`,
  );

const MINUTES = 60_000;

let opened: OpenEvaluator;
beforeAll(async () => {
  opened = await openEvaluator();
});
afterAll(() => opened[Symbol.asyncDispose]());

/** Returns the score of an evaluation in the form of the batch; null if the evaluation has no score row. */
function getScore({ record }: ScoredEvaluation): Record<string, number | null> | null {
  if (record === null || record.scoreStatus === "failed") return null;
  const { score, masks } = record;
  const { S: s = null, H: h = null, A: a = null, R: r = null, E: e = null } = { ...score?.bucketScores };
  return {
    total: score?.total ?? null,
    s,
    h,
    a,
    r,
    e,
    supported_mask: masks.supportedMask,
    evaluable_mask: masks.evaluableMask,
    passed_mask: masks.passedMask,
    source_missing_mask: masks.sourceMissingMask,
    failed_mask: masks.failedMask,
  };
}

/** Returns the result of scorePayload in the form of the batch. */
function toResult({ normalised, scores }: ScoredPayload): Omit<BatchCapture, "key"> {
  const rows = [...scores].map(([contract, score]): [string, Record<string, number | null>] => [
    contract,
    readNumbers({ ...score }),
  ]);
  const reason = normalised.outcome === "record" ? null : normalised.reason;
  return { outcome: normalised.outcome, reason, scores: new Map(rows) };
}

/** True to score each recorded response under only one contract in turn. `make soak` uses all contracts. */
const BY_TURNS = !IS_SOAK;

/** Scores every capture of a source in all three ways, expects the same results, and returns the number of captures. */
async function compare(store: Store, source: string, byTurns = false): Promise<number> {
  const batch = await batchScores(store, [source], AS_OF);
  const seen = new Set<string>();
  for (const part of await listParts(store.raw(source))) {
    const lines: string[] = [];
    await readBatches(part.path, (batchOfLines) => {
      lines.push(...batchOfLines);
    });
    for (const line of lines) {
      const { sourceId, payload, payloadDigest, status, retrievedAt } = envelope.parse(JSON.parse(line));
      const key = captureKey(source, sourceId, payloadDigest);
      if (seen.has(key)) continue;
      seen.add(key);
      const due = batch.captures.get(key);
      const core = scorePayload({ source, sourceId, payload, status }, { asOf: AS_OF });
      expect({ key, ...toResult(core) }).toEqual({ key, ...due });
      const given = { source, sourceId, payload, payloadDigest, status, retrievedAt };
      expect({ key, ...toBatchRecord(scoreOne(given, AS_OF, await getReader(source))) }).toEqual({
        key,
        ...batch.records.get(key),
      });
      const turn = seen.size % CONTRACTS.length;
      for (const contract of byTurns ? CONTRACTS.slice(turn, turn + 1) : CONTRACTS) {
        const found = await opened.score(given, contract, AS_OF);
        expect({ key, outcome: found.outcome, reason: found.reason }).toEqual({
          key,
          outcome: due?.outcome,
          reason: due?.reason,
        });
        const { observed_use: _observed, ...masks } = due?.scores.get(contract) ?? {};
        expect({ key, contract, score: getScore(found) }).toEqual({
          key,
          contract,
          score: found.outcome === "record" ? masks : null,
        });
        const score = core.scores.get(contract);
        const total = score?.total ?? null;
        const { cap = found.record?.cap, range = null } = score === undefined ? {} : besideTotal(score);
        if (found.record !== null) {
          expect({ key, total, cap, range }).toEqual({
            ...{ key, total: found.record.shareScore, cap: found.record.cap, range: found.record.range },
          });
          recordDetail.parse(found.record);
        }
      }
    }
  }
  expect(seen.size).toBe(batch.captures.size);
  return seen.size;
}

describe("fixtures of every source", () => {
  test.each(SOURCES.map(({ name }) => name))(
    "every fixture of %s gets the same score in a build and in an evaluation",
    async (name) => {
      await using bench = await temporaryStore();
      await harvestBundled(bench.store, [name]);
      expect(await compare(bench.store, name)).toBeGreaterThan(5);
    },
  );
});

describe.skipIf(!there)("recorded responses of every source", () => {
  test.each(SOURCES.map((source) => [source.name, source] as const))(
    "every recorded response of %s gets the same score in a build and in an evaluation",
    async (name, source) => {
      await using bench = await temporaryStore();
      const options = { paths: [join(FOLDER, name)], retrievedAt: null, limit: null };
      await harvestFiles(bench.store, source, options, recordedEffects());
      expect(await compare(bench.store, name, BY_TURNS)).toBeGreaterThan(0);
    },
    10 * MINUTES,
  );
});
