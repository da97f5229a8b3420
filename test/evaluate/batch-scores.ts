/** What the batch makes of every capture of a store: stage 2's rows, stage 3's statement, all three contracts. */

import { join } from "node:path";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { POLICY, readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CAPTURE_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { recordedEffects } from "../support/effects.ts";

export interface BatchCapture {
  readonly key: string;
  readonly outcome: string;
  readonly reason: string | null;
  /** By contract: total, buckets and masks, by the names of the score table. */
  readonly scores: ReadonlyMap<string, Readonly<Record<string, number | null>>>;
}

/** Which capture it is: `<source>/<source-id> <payload digest>`. */
export function captureKey(source: string, sourceId: string, payloadDigest: string): string {
  return `${source}/${sourceId} ${payloadDigest}`;
}

/** Every capture, superseded ones included, by its key. */
export async function batchScores(
  store: Store,
  sources: readonly string[],
  asOf: string,
): Promise<ReadonlyMap<string, BatchCapture>> {
  const folder = join(store.work("parity"), "2-normalise");
  const options = { sources, asOf, citations: null, threads: 2, memory: "512MB" };
  await normalise(store, folder, options, recordedEffects());
  const db = await openDuckDB({ threads: 2, memory: "512MB" });
  try {
    await db.inputFile(CAPTURE_TABLES.capture, join(folder, "captures/capture/*.parquet"));
    await db.run(`create table numbered as select * exclude (id), part || '-' || "row" as id from capture`);
    await db.run("create view evidence as select * from numbered where outcome = 'record'");
    const scored = [...(await readContracts())].map(([rubric, contract]) => ({ rubric, contract }));
    await scoreEvidence(db, scored, POLICY);
    const captures = await db.rows("select id, source, source_id, payload_digest, outcome, reason from numbered");
    const scores = Map.groupBy(await db.rows("select * from score"), ({ id }) => id);
    return new Map(
      captures.map(({ id, source, source_id, payload_digest, outcome, reason }) => {
        const key = captureKey(String(source), String(source_id), String(payload_digest));
        const rows = (scores.get(id ?? null) ?? []).map((row): [string, Record<string, number | null>] => [
          String(row.rubric),
          numbersOf(row),
        ]);
        const capture = { key, outcome: String(outcome), reason: reason === null ? null : String(reason) };
        return [key, { ...capture, scores: new Map(rows) }];
      }),
    );
  } finally {
    db.close();
  }
}

function numbersOf(row: Readonly<Record<string, unknown>>): Record<string, number | null> {
  const names = Object.keys(SCORE_TABLES.score.columns).filter((name) => !["id", "rubric", "status"].includes(name));
  return Object.fromEntries(names.map((name) => [name, row[name] === null ? null : Number(row[name])]));
}
