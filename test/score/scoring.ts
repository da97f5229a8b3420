/**
 * Scores rows of evidence with both scorers, the SQL statement and the JavaScript function, under all three contracts.
 * ScoringBench returns the result of the statement, and throws if the function has another result.
 */

import { isDeepStrictEqual } from "node:util";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { type Cell, type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { columnName, NO_POLICY, readContracts, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import { scoreEvidence as scoreInJavaScript } from "../../pipeline/rubrics/score.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import { EVIDENCE, evidenceBit } from "../../schemas/public/evidence.ts";
import type { ContractId, Rubric } from "../../schemas/public/rubric.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { getSignalState, type Masks, SIGNAL_IDS, type SignalState } from "../../schemas/public/signal.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";

export interface EvidenceRow {
  readonly source: string;
  readonly evidence: Evidence;
  readonly errors: ReadonlySet<EvidenceName>;
}

/**
 * The pledge of an invented source: its supported signals as a mask for all contracts, and the columns that it never carries.
 */
export interface MadeUpPledge {
  readonly source: string;
  readonly supported: number;
  readonly neverCarries: readonly EvidenceName[];
}

/** A row of the table `score`, with the names of the API. */
export interface ScoreRow extends Masks {
  readonly total: number;
  readonly buckets: readonly number[];
  readonly observedUse: number;
}

/** The pledge of a source as the JavaScript function needs it. */
interface Carries {
  readonly neverCarries: readonly EvidenceName[];
  readonly supported: (contract: ContractId) => number;
}

export class ScoringBench {
  readonly #db: Database;
  readonly #carries: ReadonlyMap<string, Carries>;
  readonly #contracts: ReadonlyMap<string, Rubric>;

  private constructor(db: Database, carries: ReadonlyMap<string, Carries>, contracts: ReadonlyMap<string, Rubric>) {
    this.#db = db;
    this.#carries = carries;
    this.#contracts = contracts;
  }

  /** Opens a bench with the real pledges, or with these pledges of invented sources. */
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
    return new ScoringBench(db, await readCarries(pledges), contracts);
  }

  /** Returns the scores of every row under every contract, in the order of the rows. */
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
      this.#requireSame(rows[Number(row.id)], row);
      const contract = CONTRACTS.find((id) => id === row.rubric);
      if (contract !== undefined) scores[Number(row.id)]?.set(contract, scoreRow(row));
    }
    return scores;
  }

  /**
   * Compares the score of the JavaScript function with that of the SQL statement.
   * @throws Error if the function returns another score than this row of the statement
   */
  #requireSame(given: EvidenceRow | undefined, { id, ...row }: Readonly<Record<string, Cell>>): void {
    const carries = this.#carries.get(given?.source ?? "");
    if (given === undefined || carries === undefined) throw new Error(`the source of row ${id} has no pledge`);
    const { neverCarries, supported } = carries;
    const scored = [...this.#contracts].map(([rubric, contract]) => {
      return { rubric, contract, supported: supported(contract.contract) };
    });
    const scores = scoreInJavaScript(scored, { ...given, neverCarries }, NO_POLICY.leastEvaluable);
    const found = scores.find(({ rubric }) => rubric === row.rubric);
    if (!isDeepStrictEqual({ ...found }, row)) {
      throw new Error(
        `JavaScript gives ${JSON.stringify(found)}, SQL ${JSON.stringify(row)} for ${JSON.stringify(given)}`,
      );
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

async function readCarries(pledges: readonly MadeUpPledge[] | null): Promise<ReadonlyMap<string, Carries>> {
  if (pledges !== null)
    return new Map(pledges.map((each) => [each.source, { ...each, supported: () => each.supported }]));
  return new Map(
    [...(await readPledges())].map(([source, pledge]) => {
      const supported = (contract: ContractId) => supportedMask(pledge, contract);
      return [source, { neverCarries: pledge.neverCarries, supported }];
    }),
  );
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

/** Returns the states of the 25 signals by signal id, from the masks of a score. */
export function listStates(masks: Masks): Record<string, SignalState> {
  return Object.fromEntries(SIGNAL_IDS.map((id, bit) => [id, getSignalState(bit, masks)]));
}
