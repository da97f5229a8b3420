/** Scoring itself: the one statement the batch and the evaluator both run. */

import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";
import type { Policy } from "../../schemas/public/release.ts";
import type { Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import { quote } from "../engine/sql-text.ts";
import { readPledges, supportedMask } from "../pledges/index.ts";
import { columnName, type Scored, scoringSql } from "./compile.ts";

/**
 * Makes `score` a relation over `evidence`, with the rows of the rubrics to publish; both are names in `db`. `pledges`, by
 * source: those of this version, if left out.
 */
export async function scoreEvidence(
  db: Engine,
  scored: readonly Scored[],
  { leastEvaluable }: Policy,
  publish: readonly string[] = scored.map(({ rubric }) => rubric),
  pledges: ReadonlyMap<string, Pledge> | null = null,
): Promise<void> {
  const supported = scored.map(({ contract: { contract } }) => ({
    contract,
    column: `supported_${columnName(contract)}`,
  }));
  const columns: Table["columns"] = {
    source: "text",
    never_carries: "bigint",
    ...Object.fromEntries(supported.map(({ column }) => [column, "int"] as const)),
  };
  const pledged = [...(pledges ?? (await readPledges()))].map(([source, pledge]) => ({
    source,
    never_carries: pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n),
    ...Object.fromEntries(supported.map(({ contract, column }) => [column, supportedMask(pledge, contract)])),
  }));
  await db.fill({ name: "pledge", columns }, pledged);
  const wanted = publish.map(quote).join(", ");
  await db.run(
    `create view score as select * from (${scoringSql(scored, leastEvaluable)}) as scored where rubric in (${wanted})`,
  );
}
