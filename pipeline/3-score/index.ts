/** Stage 3: evidence × contract × pledge → masks, buckets and total of every record, all public versions in one pass. */

import { join } from "node:path";
import type { ContractId, PublicVersion } from "../../schemas/public/rubric.ts";
import { OTHER_SCORE_TABLES, RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import { runtimeOf } from "../engine/local-runtime.ts";
import type { Runtime } from "../engine/runtime.ts";
import { contractsNamed, publicContracts } from "../rubrics/contracts.ts";
import { POLICY } from "../rubrics/policy.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest } from "../stage/stage.ts";
import { StepProgress } from "../stage/step-progress.ts";
import { scoreEvidence } from "./score-evidence.ts";

export interface ScoreOptions {
  readonly rubrics: readonly PublicVersion[];
  /** To score by as well; none, if left out. */
  readonly alsoContracts?: readonly ContractId[];
  readonly threads: number;
  readonly memory: string;
  /** This machine, if left out. */
  readonly runtime?: Runtime;
}

/** Records without a total, by source and version: the receipt's coverage counts them apart. */
const INSUFFICIENT = `
  select evidence.source, score.rubric, cast(count(*) as integer) as records
  from score join evidence on evidence.id = score.id
  where score.status = 'insufficient_evidence'
  group by evidence.source, score.rubric order by evidence.source, score.rubric`;

const CHECKS = new URL("./checks.sql", import.meta.url);

/** Reads stage 2's folder `records`, writes `folder`. */
export function score(
  records: string,
  folder: string,
  options: ScoreOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "3-score", async (draft) => {
    const steps = new StepProgress("score", 2, effects);
    const db = await runtimeOf(options).open(join(draft, "spill"), steps.share);
    try {
      steps.begin("signals");
      await db.input(RECORD_TABLES.evidence, join(records, "evidence"));
      const scored = (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract }));
      const also = await contractsNamed(options.alsoContracts ?? []);
      await scoreEvidence(db, scored, POLICY, options.rubrics, null, also);
      const folder = join(draft, "score");
      const rows = await db.output(SCORE_TABLES.score, folder);
      steps.begin("checks");
      await db.run("drop view score");
      const others = also.length === 0 ? {} : await writeOthers(db, join(draft, "contract_score"));
      await db.input(SCORE_TABLES.score, folder);
      await db.check(CHECKS);
      const insufficient = await db.rows(INSUFFICIENT);
      steps.share(1);
      return { tables: { score: rows, ...others }, facts: { insufficient } };
    } finally {
      await db.close();
    }
  });
}

/** Writes the scores under other contracts, which are held to what all scores are. */
async function writeOthers(db: Engine, folder: string): Promise<{ contract_score: number }> {
  const rows = await db.output(OTHER_SCORE_TABLES.contract_score, folder);
  await db.run("drop view contract_score");
  await db.input(OTHER_SCORE_TABLES.contract_score, folder);
  await db.run("create view score as select *, contract as rubric from contract_score");
  await db.check(CHECKS);
  await db.run("drop view score");
  return { contract_score: rows };
}
