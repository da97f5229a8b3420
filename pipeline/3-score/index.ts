/**
 * Stage 3: computes the masks, the buckets and the total of every record, under each public version. Its inputs are the
 * evidence of the record, the contract, and the signals that the source supports.
 */

import { join } from "node:path";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { Policy } from "../../schemas/public/release.ts";
import type { ContractId, PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { OTHER_SCORE_TABLES, RECORD_TABLES, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/open.ts";
import type { Runtime } from "../engine/runtime.ts";
import { getRuntime } from "../engine/runtime.ts";
import { quote } from "../engine/sql-text.ts";
import {
  columnName,
  contractsNamed,
  POLICY,
  publicContracts,
  type ScoredContract,
  type SignalRules,
  scoringSql,
} from "../rubrics/contracts.ts";
import { readPledges, supportedMask } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest, StepProgress } from "../stage/stage.ts";

export interface ScoreStageOptions {
  readonly rubrics: readonly PublicVersion[];
  /** Additional contracts, whose scores are written to their own table; none by default. */
  readonly alsoContracts?: readonly ContractId[];
  /** The rules of the original release, if a release is rebuilt; by default, the rules of this program version. */
  readonly rules?: ScoringRules;
  readonly threads: number;
  readonly memory: string;
  readonly runtime?: Runtime;
}

/** The contracts and pledges with which a release is scored. */
export interface ScoringRules {
  readonly published: readonly ScoredContract[];
  readonly also: readonly ReleasedRubric[];
  readonly policy: Policy;
  /** The pledges (supported signals) of each source, by the name of the source. */
  readonly pledges: ReadonlyMap<string, ReleasedPledge>;
}

async function currentRules(also: readonly ContractId[]): Promise<ScoringRules> {
  return {
    published: (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract })),
    also: await contractsNamed(also),
    policy: POLICY,
    pledges: await readPledges(),
  };
}

/** Counts records without a total by source and version. The receipt reports them as coverage. */
const INSUFFICIENT = `
  select evidence.source, score.rubric, cast(count(*) as integer) as records
  from score join evidence on evidence.id = score.id
  where score.status = 'insufficient_evidence'
  group by evidence.source, score.rubric order by evidence.source, score.rubric`;

const CHECKS = new URL("./checks.sql", import.meta.url);

export function score(
  records: string,
  folder: string,
  options: ScoreStageOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "3-score", async (draft) => {
    const steps = new StepProgress("score", 2, effects);
    const db = await getRuntime(options).open(join(draft, "spill"), steps.share);
    try {
      steps.begin("signals");
      await db.input(RECORD_TABLES.evidence, join(records, "evidence"));
      const { published, also, policy, pledges } = options.rules ?? (await currentRules(options.alsoContracts ?? []));
      await scoreEvidence(db, published, policy, options.rubrics, pledges, also);
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

/** Writes the scores under the additional contracts, and checks them like the others. */
async function writeOthers(db: Engine, folder: string): Promise<{ contract_score: number }> {
  const rows = await db.output(OTHER_SCORE_TABLES.contract_score, folder);
  await db.run("drop view contract_score");
  await db.input(OTHER_SCORE_TABLES.contract_score, folder);
  await db.run("create view score as select *, contract as rubric from contract_score");
  await db.check(CHECKS);
  await db.run("drop view score");
  return { contract_score: rows };
}

/**
 * Makes the relation `score` from `evidence`, with rows for the public versions in `publish`. Uses the pledges of this
 * program version if `pledges` is null. The scores under the contracts in `also` go to the relation `contract_score`.
 */
export async function scoreEvidence(
  db: Engine,
  published: readonly ScoredContract[],
  { leastEvaluable }: Policy,
  publish: readonly string[] = published.map(({ rubric }) => rubric),
  pledges: ReadonlyMap<string, ReleasedPledge> | null = null,
  also: readonly ReleasedRubric[] = [],
): Promise<void> {
  const others = also.map((contract) => ({ rubric: contract.contract, contract }));
  const scored = [...published, ...others];
  await fillPledges(db, scored, pledges ?? (await readPledges()), supportedMask);
  const quotedRubrics = publish.map(quote).join(", ");
  await db.run(
    `create view score as select * from (${scoringSql(published, leastEvaluable)}) as scored where rubric in (${quotedRubrics})`,
  );
  if (others.length === 0) return;
  const names = Object.keys(OTHER_SCORE_TABLES.contract_score.columns);
  const selected = names.map((name) => (name === "contract" ? "rubric as contract" : name)).join(", ");
  await db.run(
    `create view contract_score as select ${selected} from (${scoringSql(others, leastEvaluable)}) as scored`,
  );
}

/**
 * Fills the relation `pledge`, which the scoring statement reads. `getMask` returns a mask of the signals that a source
 * supports.
 */
export async function fillPledges(
  db: Engine,
  scored: readonly ScoredContract<SignalRules>[],
  pledges: ReadonlyMap<string, ReleasedPledge>,
  getMask: (pledge: ReleasedPledge, contract: string) => number,
): Promise<void> {
  const supported = scored.map(
    ({ contract: { contract } }) => [`supported_${columnName(contract)}`, contract] as const,
  );
  const columns: Table["columns"] = {
    source: "text",
    never_carries: "bigint",
    ...Object.fromEntries(supported.map(([column]) => [column, "int"] as const)),
  };
  const rows = [...pledges].map(([source, pledge]) => ({
    source,
    never_carries: pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n),
    ...Object.fromEntries(supported.map(([column, contract]) => [column, getMask(pledge, contract)])),
  }));
  await db.fill({ name: "pledge", columns }, rows);
}
