/** The real scoring statement over rows of evidence, all three contracts at once, for tests that look at masks and states. */

import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { columnName, NO_POLICY, readContracts, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import { EVIDENCE, evidenceBit } from "../../schemas/public/evidence.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { type Masks, SIGNAL_IDS, type SignalState, stateOf } from "../../schemas/public/signal.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";

export interface EvidenceRow {
  readonly source: string;
  readonly evidence: Evidence;
  readonly errors: ReadonlySet<EvidenceName>;
}

/** The evidence that a made-up source can carry: one mask for all contracts. */
export interface MadeUpPledge {
  readonly source: string;
  readonly supported: number;
  readonly neverCarries: readonly EvidenceName[];
}

/** A row of the `score` table as DuckDB gives it back. */
export interface ScoreRow extends Masks {
  readonly total: number;
  readonly buckets: readonly number[];
  readonly observedUse: number;
}

export class ScoringBench {
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  /** Over the real pledges, or over `pledges` alone. */
  static async open(pledges: readonly MadeUpPledge[] | null = null): Promise<ScoringBench> {
    const db = await openDuckDB({ threads: 2, memory: "512MB" });
    await db.create(RECORD_TABLES.evidence);
    const contracts = await readContracts();
    const scored = [...contracts].map(([rubric, contract]) => ({ rubric, contract }));
    if (pledges === null) await scoreEvidence(db, scored, NO_POLICY);
    else {
      const columns = CONTRACTS.map((contract) => `supported_${columnName(contract)} integer`);
      await db.run(`create table pledge (source varchar, never_carries bigint, ${columns.join(", ")})`);
      for (const { source, supported, neverCarries } of pledges) {
        const never = neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n);
        const masks = CONTRACTS.map(() => supported);
        await db.run(`insert into pledge values ($source, ${[never, ...masks].join(", ")})`, { source });
      }
      await db.run(`create view score as ${scoringSql(scored, NO_POLICY.leastEvaluable)}`);
    }
    return new ScoringBench(db);
  }

  /** The scores of every row under every contract, in the order of the rows. */
  async score(rows: readonly EvidenceRow[]): Promise<Map<ContractId, ScoreRow>[]> {
    await this.#db.run("delete from evidence");
    const appender = await this.#db.appender(RECORD_TABLES.evidence);
    for (const [index, row] of rows.entries()) {
      appender.appendVarchar(String(index));
      appender.appendVarchar(row.source);
      for (const { name } of EVIDENCE) {
        const value = row.evidence[name];
        if (value === null) appender.appendNull();
        else if (typeof value === "number") appender.appendInteger(value);
        else if (typeof value === "boolean") appender.appendBoolean(value);
        else appender.appendVarchar(value);
      }
      appender.appendBigInt([...row.errors].reduce((mask, name) => mask | evidenceBit(name), 0n));
      appender.endRow();
    }
    appender.closeSync();
    const scores = rows.map(() => new Map<ContractId, ScoreRow>());
    for (const row of await this.#db.rows("select * from score")) {
      const contract = CONTRACTS.find((id) => id === row.rubric);
      if (contract !== undefined) scores[Number(row.id)]?.set(contract, scoreRow(row));
    }
    return scores;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function scoreRow(row: Readonly<Record<string, unknown>>): ScoreRow {
  const number = (name: string) => Number(row[name]);
  return {
    total: number("total"),
    buckets: ["s", "h", "a", "r", "e"].map(number),
    observedUse: number("observed_use"),
    supportedMask: number("supported_mask"),
    evaluableMask: number("evaluable_mask"),
    passedMask: number("passed_mask"),
    sourceMissingMask: number("source_missing_mask"),
    failedMask: number("failed_mask"),
  };
}

/** The 25 states by signal id. */
export function statesOf(masks: Masks): Record<string, SignalState> {
  return Object.fromEntries(SIGNAL_IDS.map((id, bit) => [id, stateOf(bit, masks)]));
}
