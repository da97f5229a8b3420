/** What the batch makes of one record of a store: stage 2's resolved evidence, stage 3's statement, all three contracts. */

import { join } from "node:path";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { POLICY, readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";
import { recordedEffects } from "../support/effects.ts";

/** By contract, in the names of the API. */
export async function batchScoresOfRecord(store: Store, source: string, sourceId: string, asOf: string) {
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
