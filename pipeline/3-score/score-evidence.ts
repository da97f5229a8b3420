/** Scoring itself: the one statement the batch and the evaluator both run. */

import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { Policy } from "../../schemas/public/release.ts";
import type { ReleasedRubric } from "../../schemas/public/rubric.ts";
import { OTHER_SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import { quote } from "../engine/sql-text.ts";
import { readPledges, supportedMask } from "../pledges/index.ts";
import { columnName, type Scored, scoringSql } from "./compile.ts";

/**
 * Makes `score` a relation over `evidence`, with the rows of the rubrics to publish; both are names in `db`. `pledges`, by
 * source: those of this version, if left out. Where there are contracts to score by as well (`also`), `contract_score` is made too.
 */
export async function scoreEvidence(
  db: Engine,
  published: readonly Scored[],
  { leastEvaluable }: Policy,
  publish: readonly string[] = published.map(({ rubric }) => rubric),
  pledges: ReadonlyMap<string, ReleasedPledge> | null = null,
  also: readonly ReleasedRubric[] = [],
): Promise<void> {
  const others = also.map((contract) => ({ rubric: contract.contract, contract }));
  const supported = [...published, ...others].map(({ contract: { contract } }) => ({
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
    `create view score as select * from (${scoringSql(published, leastEvaluable)}) as scored where rubric in (${wanted})`,
  );
  if (others.length === 0) return;
  const names = Object.keys(OTHER_SCORE_TABLES.contract_score.columns);
  const selected = names.map((name) => (name === "contract" ? "rubric as contract" : name)).join(", ");
  await db.run(
    `create view contract_score as select ${selected} from (${scoringSql(others, leastEvaluable)}) as scored`,
  );
}
