/** One payload → its score under every contract, by the code and SQL of the batch; asks nobody, and knows no clock. */

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
import { type Evaluation, type Explaining, evaluationOf, type FallingShort } from "./evaluation.ts";
import type { Given } from "./obtain.ts";

/** Read once, when a scorer is opened. */
async function readAll() {
  return { vocabularies: await loadVocabularies(), contracts: await readContracts(), pledges: await readPledges() };
}
type Reading = Awaited<ReturnType<typeof readAll>>;

/** A file as the payload it would become, and whether it says what its id is. */
export interface GivenDraft {
  readonly given: Given;
  readonly named: boolean;
}

/** Rows of one source on one day, on their way into the tables. */
interface Appending {
  readonly asOf: string;
  readonly rows: CaptureRows;
  readonly flush: () => void;
}

export class Scorer {
  readonly #tables: OneRecord;
  readonly #reading: Reading;
  readonly #rows = new Map<string, Appending>();
  /** What of the payload under way is named in advice. */
  #short: { readonly plainNames: string[]; readonly unidentifiedWorks: string[] } = nothingShort();

  private constructor(tables: OneRecord, reading: Reading) {
    this.#tables = tables;
    this.#reading = reading;
  }

  /** Takes half a second: statements are planned here, once. Close it when no more is to be scored. */
  static async open(): Promise<Scorer> {
    const reading = await readAll();
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

  /** The scores of a payload, as of a day. */
  async score(given: Given, asOf: string): Promise<OneScored> {
    const reader = await readerOf(given.source);
    let fallingShort: FallingShort = nothingShort();
    const scored = await this.#tables.with(async (db) => {
      this.#short = nothingShort();
      await this.#append(db, given, asOf);
      fallingShort = this.#short;
    });
    return { ...scored, reader, fallingShort };
  }

  /** What a score under a contract means. */
  explain(
    scored: OneScored,
    id: ContractId,
    { asOf, isWithheld }: Pick<Explaining, "asOf" | "isWithheld">,
  ): Evaluation {
    return evaluationOf(scored, { contract: this.#contract(id), pledges: this.#reading.pledges, asOf, isWithheld });
  }

  /** Waits for what is being scored. */
  close(): Promise<void> {
    return this.#tables.close();
  }

  /** Within the transaction of its turn. */
  async #append(db: Database, given: Given, asOf: string): Promise<void> {
    const { rows, flush } = await this.#rowsOf(db, given.source, asOf);
    const { isDraft, ...captured } = given;
    const envelope: Envelope = { ...captured, url: null };
    try {
      await db.run("insert into as_of values ($asOf)", { asOf });
      rows.add(JSON.stringify(envelope), isDraft);
      flush();
    } catch (error) {
      // Half a row may be left in it.
      this.#rows.clear();
      throw error;
    }
  }

  /** Appenders are large, and freed only when JavaScript's memory is collected: they are kept, for one day of one source. */
  async #rowsOf(db: Database, name: string, asOf: string): Promise<Appending> {
    const known = this.#rows.get(name);
    if (known !== undefined && known.asOf === asOf) return known;
    const source = sourceNamed(name);
    if (source === null) throw new Error(`there is no source called ${name}`);
    const vocabularies = this.#noting(this.#reading.vocabularies);
    const { sinks, flush } = await captureAppenders(db);
    const appending = { asOf, rows: new CaptureRows(sinks, source, 0, { asOf, vocabularies }), flush };
    this.#rows.set(name, appending);
    return appending;
  }

  /** The vocabularies, which remember what they were asked about and found wanting. */
  #noting(vocabularies: Reading["vocabularies"]): Reading["vocabularies"] {
    const { fileNames } = vocabularies;
    const isDescriptive = (name: string): boolean => {
      const descriptive = fileNames.isDescriptive(name);
      if (!descriptive) this.#short.plainNames.push(name);
      return descriptive;
    };
    const noteUnidentified = (work: string): void => void this.#short.unidentifiedWorks.push(work);
    return { ...vocabularies, fileNames: { ...fileNames, isDescriptive }, noteUnidentified };
  }

  #contract(id: ContractId): Rubric {
    const contract = this.#reading.contracts.get(id);
    if (contract === undefined) throw new Error(`there is no contract ${id}`);
    return contract;
  }
}

function nothingShort() {
  return { plainNames: [] as string[], unidentifiedWorks: [] as string[] };
}

/**
 * Reads a file of metadata that are not deposited yet.
 * @throws NoDraft where it holds no metadata of one record
 */
export async function givenDraft(source: Source, file: Uint8Array): Promise<GivenDraft> {
  const pledges = await readPledges();
  const draft = readDraft(Buffer.from(file), source, ({ name }) => pledges.get(name)?.name ?? name);
  return {
    given: { ...draft, source: source.name, status: 200, retrievedAt: null, isDraft: true },
    named: draft.sourceId !== UNNAMED,
  };
}

/**
 * A draft that has no id yet has no landing page either.
 * @throws NoDraft where it could not be read: nothing can be said of what it lacks
 */
export function shownDraft(evaluation: Evaluation, named: boolean): Evaluation {
  const { outcome, reason, record } = evaluation;
  if (outcome === "failed") throw new NoDraft(`cannot be read: ${reason ?? "nothing in it is known"}`);
  return named || record === null ? evaluation : { ...evaluation, record: { ...record, url: null } };
}

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

class OneRecord {
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
