/** A database that holds one capture at a time, and answers what the pages of a record show of it, from plans made once. */

import type { AuthorData, RecordBundle, RecordData, ScoreData } from "../../api-static/pages/rows.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/public/evidence.ts";
import type { Reader } from "../../schemas/public/release.ts";
import { CONTRACTS, type ContractId } from "../../schemas/public/rubric.ts";
import type { Cell, Database, Statement } from "../engine/open.ts";
import { objectOf } from "../pages/columns.ts";
import { RECORD, SCORE } from "../pages/record-pages.ts";
import type { FallingShort } from "./evaluation.ts";

/** The outcome of one capture: scores by contract, and all that explains them. */
export interface OneScored {
  readonly outcome: "record" | "failed" | "tombstone" | "not_dataset";
  /** Why it is no record with a score, or null. */
  readonly reason: string | null;
  readonly bundle: RecordBundle;
  /** The researcher that each author would be in a release, as far as one record tells; null for what is no person. */
  readonly researcherIds: readonly (string | null)[];
  /** Columns of evidence that could not be read, a bit each. */
  readonly evidenceErrors: bigint;
  readonly reader: Reader;
  /** What the advice on it names. */
  readonly fallingShort: FallingShort;
  /** Empty but for the outcome `record`. */
  readonly scores: ReadonlyMap<ContractId, ScoreData>;
}

/** What the tables tell of it. */
type ReadBack = Omit<OneScored, "reader" | "fallingShort">;

type CreatorData = Pick<AuthorData, "name" | "affiliation" | "orcid">;
const CREATOR = ["name", "affiliation", "orcid"] as const satisfies readonly (keyof CreatorData)[];

/** How many columns stand before those of the record. */
const SAID = 3;

export class OneRecord {
  readonly #db: Database;
  readonly #record: Statement;
  readonly #score: Statement;
  readonly #creators: Statement;
  readonly #facets: Statement;
  /** One capture at a time: whoever comes waits for those before. */
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(
    db: Database,
    [record, score, creators, facets]: readonly [Statement, Statement, Statement, Statement],
  ) {
    this.#db = db;
    this.#record = record;
    this.#score = score;
    this.#creators = creators;
    this.#facets = facets;
  }

  /** Over a database with the views of one-record.sql and the relation `score` under every contract. */
  static async open(db: Database): Promise<OneRecord> {
    return new OneRecord(db, [
      await db.prepare(
        `select outcome, reason, cast(evidence_errors as bigint), ${[...RECORD, ...EVIDENCE_NAMES].join(", ")} from record`,
      ),
      await db.prepare(`select rubric, ${SCORE.join(", ")} from score`),
      await db.prepare(`select ${CREATOR.join(", ")}, researcher_id from creator`),
      await db.prepare("select kind, value from facet"),
    ]);
  }

  /** What becomes of the capture that `append` adds to the tables. Nothing of it stays: the transaction is undone. */
  with(append: (db: Database) => Promise<void>): Promise<ReadBack> {
    const turn = this.#tail.then(async () => {
      await this.#db.run("begin transaction");
      try {
        await append(this.#db);
        return await this.#read();
      } finally {
        await this.#db.run("rollback");
      }
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    await this.#tail;
    this.#db.close();
  }

  async #read(): Promise<ReadBack> {
    const [row, ...others] = await this.#record.rows();
    // Anything else than the one would be a score of something else.
    if (row === undefined || others.length > 0) {
      throw new Error(`one capture was appended, and there are ${others.length + (row === undefined ? 0 : 1)}`);
    }
    const [outcome, reason, errors] = row;
    const record = objectOf<RecordData>(RECORD, row, SAID);
    const creators = await this.#creators.rows();
    const authors = creators.map(authorOf);
    const facets = (await this.#facets.rows()).map((facet) =>
      objectOf<{ kind: string; value: string }>(["kind", "value"], facet),
    );
    const evidence = outcome === "record" ? objectOf<Evidence>(EVIDENCE_NAMES, row, SAID + RECORD.length) : null;
    return {
      outcome: outcomeOf(outcome),
      reason: textIn(reason),
      bundle: { record, evidence, authors, facets, aliases: [] },
      researcherIds: creators.map((row) => textIn(row[CREATOR.length])),
      evidenceErrors: typeof errors === "bigint" ? errors : 0n,
      scores: outcome === "record" ? await this.#scores() : new Map(),
    };
  }

  async #scores(): Promise<Map<ContractId, ScoreData>> {
    const scores = new Map<ContractId, ScoreData>();
    for (const row of await this.#score.rows()) {
      const contract = CONTRACTS.find((id) => id === row[0]);
      if (contract !== undefined) scores.set(contract, objectOf<ScoreData>(SCORE, row, 1));
    }
    return scores;
  }
}

/** Researchers are people of a release: an evaluation, which belongs to none, names creators and links to nobody. */
function authorOf(row: readonly Cell[]): AuthorData {
  return { ...objectOf<CreatorData>(CREATOR, row), researcher_id: null, slug: null };
}

function outcomeOf(cell: Cell | undefined): OneScored["outcome"] {
  switch (cell) {
    case "record":
    case "failed":
    case "tombstone":
    case "not_dataset":
      return cell;
    default:
      throw new Error(`a capture has the outcome ${cell}`);
  }
}

function textIn(cell: Cell | undefined): string | null {
  return typeof cell === "string" ? cell : null;
}
