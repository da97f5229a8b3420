/** The response of an evaluation and its contract are enough to compute the masks and the total again. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { jsonDigest } from "../../pipeline/files/json-digest.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { listParts, readBatches } from "../../pipeline/store/raw-parts.ts";
import { envelope } from "../../schemas/internal/rows.ts";
import { evaluationBasis } from "../../schemas/public/api/evaluation.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { comeToAgain } from "./come-to-again.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

let opened: OpenEvaluator;
let db: Database;

beforeAll(async () => {
  [opened, db] = await Promise.all([openEvaluator(), openDuckDB({ threads: 1 })]);
});

afterAll(async () => {
  db.close();
  await opened[Symbol.asyncDispose]();
});

/** Returns the evaluations of all bundled payloads of a source under every contract, as a client would get them in JSON. */
async function readResponses(source: string) {
  await using bench = await temporaryStore();
  await harvestBundled(bench.store, [source]);
  const lines: string[] = [];
  for (const part of await listParts(bench.store.raw(source))) {
    await readBatches(part.path, (batch) => {
      lines.push(...batch);
    });
  }
  const answers = [];
  for (const line of lines) {
    for (const contract of CONTRACTS) {
      const { url: _url, ...given } = envelope.parse(JSON.parse(line));
      const found = await opened.score(given, contract, AS_OF);
      if (found.record === null) continue;
      const { record, basis } = JSON.parse(JSON.stringify(found));
      answers.push({ record: recordDetail.parse(record), basis: evaluationBasis.parse(basis) });
    }
  }
  return answers;
}

describe("masks and total, computed again from a response and its contract", () => {
  const seen = new Set<string>();

  test.each(SOURCES.map(({ name }) => name))(
    "every fixture of %s can be scored again from its response",
    async (name) => {
      const contracts = await readContracts();
      const answers = await readResponses(name);
      expect(answers.length).toBeGreaterThan(10);
      for (const { record, basis } of answers) {
        const contract = contracts.get(basis.contract.id);
        if (contract === undefined) throw new Error(`the contract ${basis.contract.id} of a response is unknown`);
        expect(basis.contract.digest).toBe(jsonDigest(contract));
        const again = await comeToAgain(db, { basis, record }, contract);
        expect({ identifier: record.identifier, ...again }).toEqual({
          identifier: record.identifier,
          masks: record.masks,
          total: record.score?.total ?? null,
        });
        for (const { state } of record.signals) seen.add(state);
        if (basis.unreadable.length > 0) seen.add("unreadable");
        if (record.scoreStatus !== "scored") seen.add(record.scoreStatus);
      }
    },
  );

  test("the fixtures above contain every state of a signal", () => {
    expect([...seen].sort()).toEqual([
      "absent",
      "failed",
      "insufficient_evidence",
      "not_evaluable",
      "passed",
      "source_missing",
      "unreadable",
      "unsupported",
    ]);
  });
});

test("a change of the evidence in a response changes the computed masks and the total", async () => {
  const contract = (await readContracts()).get("2.0.0-beta.2");
  const [answer] = (await readResponses("zenodo")).filter(({ record }) => record.signals[0]?.state === "passed");
  if (contract === undefined || answer === undefined) throw new Error("no fixture of zenodo passes S1");
  const { basis, record } = answer;
  // S1 and S2 both depend on the number of keywords, so both must fail now.
  const signals = record.signals.map((signal) =>
    "keyword_count" in signal.evidence ? { ...signal, evidence: { keyword_count: 0 } } : signal,
  );
  const { masks, total } = await comeToAgain(db, { basis, record: { ...record, signals } }, contract);
  expect(masks).toEqual({ ...record.masks, passedMask: record.masks.passedMask & ~3 });
  expect(total).toBeLessThan(record.score?.total ?? 0);
});
