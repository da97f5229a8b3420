/** Batch and evaluator give the same outcome, total and masks for the same payload, under each of the three contracts. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { listParts, readBatches } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { envelope } from "../../schemas/internal/rows.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { batchScores, captureKey } from "./batch-scores.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

const FOLDER = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");
const there = existsSync(FOLDER);
if (!there) console.warn(`parity on real payloads skipped: no folder ${FOLDER} (set SHARE_REAL_PAYLOADS)`);

const MINUTES = 60_000;

let opened: OpenEvaluator;
beforeAll(async () => {
  opened = await openEvaluator();
});
afterAll(() => opened[Symbol.asyncDispose]());

/** What the batch's row of a score would be. */
function scoreOf({ record }: Evaluation): Record<string, number | null> | null {
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

/** Recorded answers are scored under the contracts by turns where time is short, and under all of them in `make soak`. */
const BY_TURNS = process.env.SHARE_SOAK === undefined;

/** Evaluates every capture of a source and compares it with what the batch made of it; gives how many there were. */
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
      const due = batch.get(key);
      const turn = seen.size % CONTRACTS.length;
      for (const contract of byTurns ? CONTRACTS.slice(turn, turn + 1) : CONTRACTS) {
        const given = { source, sourceId, payload, payloadDigest, status, retrievedAt };
        const found = await opened.score(given, contract, AS_OF);
        expect({ key, outcome: found.outcome, reason: found.reason }).toEqual({
          key,
          outcome: due?.outcome,
          reason: due?.reason,
        });
        const { observed_use: _observed, ...masks } = due?.scores.get(contract) ?? {};
        expect({ key, contract, score: scoreOf(found) }).toEqual({
          key,
          contract,
          score: found.outcome === "record" ? masks : null,
        });
        if (found.record !== null) recordDetail.parse(found.record);
      }
    }
  }
  expect(seen.size).toBe(batch.size);
  return seen.size;
}

describe("every fixture", () => {
  test.each(SOURCES.map(({ name }) => name))("of %s", async (name) => {
    await using bench = await temporaryStore();
    await harvestBundled(bench.store, [name]);
    expect(await compare(bench.store, name)).toBeGreaterThan(5);
  });
});

describe.skipIf(!there)("every recorded answer", () => {
  test.each(SOURCES.map((source) => [source.name, source] as const))(
    "of %s",
    async (name, source) => {
      await using bench = await temporaryStore();
      const options = { paths: [join(FOLDER, name)], retrievedAt: null, limit: null };
      await harvestFiles(bench.store, source, options, recordedEffects());
      expect(await compare(bench.store, name, BY_TURNS)).toBeGreaterThan(0);
    },
    10 * MINUTES,
  );
});
