/** Scoring itself: the one statement the batch and the evaluator both run. */

import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { Policy } from "../../schemas/public/release.ts";
import { type Database, quote } from "../engine/open.ts";
import { readPledges, supportedMask } from "../pledges/index.ts";
import { columnName, type Scored, scoringSql } from "./compile.ts";

/** Makes `score` a relation over `evidence`, with the rows of the rubrics to publish; both are names in `db`. */
export async function scoreEvidence(
  db: Database,
  scored: readonly Scored[],
  { leastEvaluable }: Policy,
  publish: readonly string[] = scored.map(({ rubric }) => rubric),
): Promise<void> {
  const supported = scored.map(({ contract }) => `supported_${columnName(contract.contract)} integer`);
  await db.run(`create table pledge (source varchar, never_carries bigint, ${supported.join(", ")})`);
  for (const [source, pledge] of await readPledges()) {
    const never = pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n);
    const masks = scored.map(({ contract }) => supportedMask(pledge, contract.contract));
    await db.run(`insert into pledge values ($source, ${[never, ...masks].join(", ")})`, { source });
  }
  const wanted = publish.map(quote).join(", ");
  await db.run(
    `create view score as select * from (${scoringSql(scored, leastEvaluable)}) as scored where rubric in (${wanted})`,
  );
}
