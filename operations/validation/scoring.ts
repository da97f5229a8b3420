/** The scoring that validation needs besides the release's own: of evidence that lost, and under scaled thresholds. */

import { columnName, type Scored, scoringSql } from "../../pipeline/3-score/compile.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { Rules } from "../diff/rules.ts";
import { scaledContract } from "./scaled-contract.ts";

/** Halves and doubles, in halves. */
const SCALES = [1, 4];

/** Makes `pledge` as scoring reads it. */
export async function loadPledges(db: Database, { pledges }: Rules, scored: readonly Scored[]): Promise<void> {
  const supported = scored.map(({ contract: { contract } }) => ({
    contract,
    column: `supported_${columnName(contract)}`,
  }));
  const ints = Object.fromEntries(supported.map(({ column }) => [column, "int"] as const));
  await db.fill(
    { name: "pledge", columns: { source: "text", never_carries: "bigint", ...ints } },
    [...pledges].map(([source, pledge]) => ({
      source,
      never_carries: pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n),
      ...Object.fromEntries(supported.map(({ column, contract }) => [column, supportedMask(pledge, contract)])),
    })),
  );
}

/** Makes `duplicate_score`: what duplicates would have scored. */
export async function scoreDuplicates(db: Database, scored: readonly Scored[]): Promise<void> {
  await db.run("create or replace view evidence as select * from duplicate_evidence");
  await db.run(`create table duplicate_score as ${scoringSql(scored, 0)}`);
}

/** Makes `scaled_score` of the harvested records whose id comes before `below`; of all where that is null. */
export async function scoreScaled(db: Database, scored: readonly Scored[], below: string | null): Promise<void> {
  const sample = below === null ? "" : `and record.id < '${below}'`;
  await db.run(`create or replace view evidence as
    select read_evidence.* from read_evidence join record on record.id = read_evidence.id where not record.generated ${sample}`);
  const parts = SCALES.map((halves) => {
    const scaled = scored.map(({ rubric, contract }) => ({ rubric, contract: scaledContract(contract, halves) }));
    return `select ${halves} as scale, * from (${scoringSql(scaled, 0)})`;
  });
  await db.run(`create table scaled_score as ${parts.join(" union all ")}`);
}
