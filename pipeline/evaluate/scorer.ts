/** Scores one payload under every contract, with the code and SQL of the batch. Uses no network and no clock. */

import type { AuthorData, RecordBundle, RecordData, ScoreData } from "../../api-static/pages/rows.ts";
import type { Envelope } from "../../schemas/internal/rows.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/public/evidence.ts";
import type { Reader } from "../../schemas/public/release.ts";
import { CONTRACTS, type ContractId, type Rubric } from "../../schemas/public/rubric.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { CaptureRows, captureAppenders } from "../2-normalise/rows.ts";
import { scoreEvidence } from "../3-score/index.ts";
import { type Cell, type Database, openDuckDB, type Statement } from "../engine/open.ts";
import { objectOf } from "../pages/columns.ts";
import { RECORD, SCORE } from "../pages/keyed-pages.ts";
import { POLICY, readContracts } from "../rubrics/contracts.ts";
import type { Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { readPledges } from "../sources/pledges.ts";
import { readerOf } from "../sources/reader-of.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { NoDraft, readDraft, UNNAMED } from "./draft.ts";
import { type Evaluation, type EvaluationInputs, evaluationOf, type Shortcomings } from "./evaluation.ts";
import type { SourcePayload } from "./obtain.ts";

async function readRules() {
  return { vocabularies: await loadVocabularies(), contracts: await readContracts(), pledges: await readPledges() };
}
type Rules = Awaited<ReturnType<typeof readRules>>;

/** The later payload of a file that is not deposited. */
export interface DraftPayload {
  readonly payload: SourcePayload;
  readonly hasId: boolean;
}

/** Appended rows of one source and one day. */
interface AppendedRows {
  readonly asOf: string;
  readonly rows: CaptureRows;
  readonly flush: () => void;
}

export class Scorer {
  readonly #tables: OneRecord;
  readonly #reading: Rules;
  readonly #rows = new Map<string, AppendedRows>();
  /** Names in the current payload that the advice mentions. */
  #shortcomings: { readonly plainNames: string[]; readonly unidentifiedWorks: string[] } = noShortcomings();

  private constructor(tables: OneRecord, reading: Rules) {
    this.#tables = tables;
    this.#reading = reading;
  }

  /** Opens a database and plans its statements, which takes half a second. Close the scorer after use. */
  static async open(): Promise<Scorer> {
    const reading = await readRules();
    const db = await openDuckDB({ threads: 1, memory: "256MB" });
    try {
      for (const table of Object.values(CAPTURE_TABLES)) await db.create(table);
      await db.runFile(new URL("./one-record.sql", import.meta.url));
      await scoreEvidence(
        db,
        [...reading.contracts].map(([rubric, contract]) => ({ rubric, contract })),
        POLICY,
      );
      return new Scorer(await OneRecord.open(db), reading);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  get contracts(): readonly ContractId[] {
    return [...this.#reading.contracts.values()].map(({ contract }) => contract);
  }

  async score(payload: SourcePayload, asOf: string): Promise<OneScored> {
    const reader = await readerOf(payload.source);
    let shortcomings: Shortcomings = noShortcomings();
    const scored = await this.#tables.with(async (db) => {
      this.#shortcomings = noShortcomings();
      await this.#append(db, payload, asOf);
      shortcomings = this.#shortcomings;
    });
    return { ...scored, reader, shortcomings };
  }

  explain(
    scored: OneScored,
    id: ContractId,
    { asOf, isWithheld }: Pick<EvaluationInputs, "asOf" | "isWithheld">,
  ): Evaluation {
    return evaluationOf(scored, { contract: this.#contract(id), pledges: this.#reading.pledges, asOf, isWithheld });
  }

  close(): Promise<void> {
    return this.#tables.close();
  }

  /** Appends the payload. Call it within a transaction of `OneRecord`. */
  async #append(db: Database, payload: SourcePayload, asOf: string): Promise<void> {
    const { rows, flush } = await this.#rowsOf(db, payload.source, asOf);
    const { isDraft, ...captured } = payload;
    const envelope: Envelope = { ...captured, url: null };
    try {
      await db.run("insert into as_of values ($asOf)", { asOf });
      rows.add(JSON.stringify(envelope), isDraft);
      flush();
    } catch (error) {
      // The appender may contain an incomplete row.
      this.#rows.clear();
      throw error;
    }
  }

  /**
   * Returns the appender of a source and day. Appenders are large and are only freed by garbage collection, so one of each
   * is cached.
   */
  async #rowsOf(db: Database, name: string, asOf: string): Promise<AppendedRows> {
    const known = this.#rows.get(name);
    if (known !== undefined && known.asOf === asOf) return known;
    const source = sourceNamed(name);
    if (source === null) throw new Error(`there is no source called ${name}`);
    const vocabularies = this.#recordFailures(this.#reading.vocabularies);
    const { sinks, flush } = await captureAppenders(db);
    const appending = { asOf, rows: new CaptureRows(sinks, source, 0, { asOf, vocabularies }), flush };
    this.#rows.set(name, appending);
    return appending;
  }

  /** Returns vocabularies that record the names that fail. */
  #recordFailures(vocabularies: Rules["vocabularies"]): Rules["vocabularies"] {
    const { fileNames } = vocabularies;
    const isDescriptive = (name: string): boolean => {
      const descriptive = fileNames.isDescriptive(name);
      if (!descriptive) this.#shortcomings.plainNames.push(name);
      return descriptive;
    };
    const noteUnidentified = (work: string): void => void this.#shortcomings.unidentifiedWorks.push(work);
    return { ...vocabularies, fileNames: { ...fileNames, isDescriptive }, noteUnidentified };
  }

  #contract(id: ContractId): Rubric {
    const contract = this.#reading.contracts.get(id);
    if (contract === undefined) throw new Error(`there is no contract ${id}`);
    return contract;
  }
}

function noShortcomings() {
  return { plainNames: [] as string[], unidentifiedWorks: [] as string[] };
}

/**
 * Reads a file of metadata that are not deposited yet. If `chosen` is null, the format decides about the source.
 * @throws NoDraft if the file does not hold the metadata of one record of a known source
 */
export async function readDraftPayload(chosen: Source | null, file: Uint8Array): Promise<DraftPayload> {
  const pledges = await readPledges();
  const { source, ...draft } = readDraft(Buffer.from(file), chosen, ({ name }) => pledges.get(name)?.name ?? name);
  return {
    payload: { ...draft, source: source.name, status: 200, retrievedAt: null, isDraft: true },
    hasId: draft.sourceId !== UNNAMED,
  };
}

/**
 * Removes the landing page from a draft without an id.
 *
 * @throws NoDraft if the draft could not be read, because the advice would then be wrong
 */
export function withoutLandingPage(evaluation: Evaluation, hasId: boolean): Evaluation {
  const { outcome, reason, record } = evaluation;
  if (outcome === "failed") throw new NoDraft(`cannot be read: ${reason ?? "nothing in it is known"}`);
  return hasId || record === null ? evaluation : { ...evaluation, record: { ...record, url: null } };
}

/** The scores of one capture by contract, with the data that explain them. */
export interface OneScored {
  readonly outcome: "record" | "failed" | "tombstone" | "not_dataset";
  readonly reason: string | null;
  readonly bundle: RecordBundle;
  /** The researcher of each author, as in a release if one record suffices to know. Null for an organisation. */
  readonly researcherIds: readonly (string | null)[];
  /** A bit for each unreadable column of evidence. */
  readonly evidenceErrors: bigint;
  readonly reader: Reader;
  /** Names for the advice. */
  readonly shortcomings: Shortcomings;
  /** Empty unless the outcome is `record`. */
  readonly scores: ReadonlyMap<ContractId, ScoreData>;
}

type StoredScore = Omit<OneScored, "reader" | "shortcomings">;

type CreatorData = Pick<AuthorData, "name" | "affiliation" | "orcid">;
const CREATOR = ["name", "affiliation", "orcid"] as const satisfies readonly (keyof CreatorData)[];

/** Columns before those of the record. */
const LEADING_COLUMNS = 3;

class OneRecord {
  readonly #db: Database;
  readonly #record: Statement;
  readonly #score: Statement;
  readonly #creators: Statement;
  readonly #facets: Statement;
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

  /** Returns the result for the capture that `append` adds to the tables, and rolls the transaction back. */
  with(append: (db: Database) => Promise<void>): Promise<StoredScore> {
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

  async #read(): Promise<StoredScore> {
    const [row, ...others] = await this.#record.rows();
    // More than one row would mix the scores of different records.
    if (row === undefined || others.length > 0) {
      throw new Error(`expected one capture in the tables, found ${others.length + (row === undefined ? 0 : 1)}`);
    }
    const [outcome, reason, errors] = row;
    const record = objectOf<RecordData>(RECORD, row, LEADING_COLUMNS);
    const creators = await this.#creators.rows();
    const authors = creators.map(authorOf);
    const facets = (await this.#facets.rows()).map((facet) =>
      objectOf<{ kind: string; value: string }>(["kind", "value"], facet),
    );
    const evidence =
      outcome === "record" ? objectOf<Evidence>(EVIDENCE_NAMES, row, LEADING_COLUMNS + RECORD.length) : null;
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

/** Returns the author without a link to a researcher, because an evaluation is not part of a release. */
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
