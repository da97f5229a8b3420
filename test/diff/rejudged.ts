/** Scores a release again under other contracts and pledges, so that the same evidence has other scores. */

import { join } from "node:path";
import type { ReleaseSide } from "../../pipeline/diff/compare.ts";
import type { Rules } from "../../pipeline/diff/rules.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { columnName, POLICY, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import { type Pledge, pledge } from "../../schemas/public/pledge.ts";
import { type ContractId, type Rubric, rubric } from "../../schemas/public/rubric.ts";
import { RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";

/**
 * Scores the release again under the given rules, writes the scores into `folder`, and returns the release with these scores.
 */
export async function rejudged(side: ReleaseSide, rules: Rules, folder: string): Promise<ReleaseSide> {
  const scored = side.receipt.rubrics.flatMap(({ version, contract }) => {
    const found = rules.contracts.get(contract);
    return found === undefined ? [] : [{ rubric: version, contract: found }];
  });
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    await db.input(RECORD_TABLES.evidence, side.tables.evidence ?? "");
    const columns = scored.map(({ contract }) => `supported_${columnName(contract.contract)} integer`);
    await db.run(`create table pledge (source varchar, never_carries bigint, ${columns.join(", ")})`);
    for (const [source, each] of rules.pledges) {
      const never = each.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n);
      const masks = scored.map(({ contract }) => supportedMask(each, contract.contract));
      await db.run(`insert into pledge values ($source, ${[never, ...masks].join(", ")})`, { source });
    }
    await db.run(`create view score as ${scoringSql(scored, POLICY.leastEvaluable)}`);
    const path = join(folder, "scores");
    await db.output(SCORE_TABLES.score, path);
    return { ...side, rules, tables: { ...side.tables, score: path } };
  } finally {
    db.close();
  }
}

/** Returns the rules with one change: the pledge of the source no longer supports this signal under this contract. */
export function withoutSignal({ contracts, pledges }: Rules, source: string, contract: ContractId, id: string): Rules {
  const old = pledges.get(source);
  if (old === undefined) throw new Error(`the release has no pledge of ${source}`);
  const signals = { ...old.contracts[contract], [id]: { supported: false, why: "Not yet read." } };
  const changed: Pledge = pledge.parse({ ...old, contracts: { ...old.contracts, [contract]: signals } });
  return { contracts, pledges: new Map([...pledges, [source, changed]]) };
}

/** Returns the rules with one change: this contract has another rule for this signal. */
export function withRule({ contracts, pledges }: Rules, contract: ContractId, id: string, rule: string): Rules {
  const old = contracts.get(contract);
  if (old === undefined) throw new Error(`the release has no contract ${contract}`);
  const signals = old.signals.map((signal) => (signal.id === id ? { ...signal, rule } : signal));
  const changed: Rubric = rubric.parse({ ...old, signals });
  return { contracts: new Map([...contracts, [contract, changed]]), pledges };
}
