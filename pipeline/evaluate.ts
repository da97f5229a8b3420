/** One identifier, draft or payload → its score now: fetched, normalised and scored by the code and SQL of the batch. */

import type { Envelope } from "../schemas/envelope.ts";
import type { ContractId, Rubric } from "../schemas/rubric.ts";
import { CAPTURE_TABLES } from "../schemas/tables.ts";
import { parseDocument } from "./1-harvest/document.ts";
import { OneRecordService } from "./1-harvest/one-record.ts";
import { userAgent } from "./1-harvest/user-agent.ts";
import { CaptureRows } from "./2-normalise/rows.ts";
import { scoreEvidence } from "./3-score/score-evidence.ts";
import { type Database, openDuckDB } from "./duckdb/open.ts";
import type { Effects } from "./effects.ts";
import { draftOf, NoDraft, UNNAMED } from "./evaluate/draft.ts";
import { type Evaluation, evaluationOf } from "./evaluate/evaluation.ts";
import { EvaluationError } from "./evaluate/evaluation-error.ts";
import { type Given, obtain } from "./evaluate/obtain.ts";
import { OneRecord, type OneScored } from "./evaluate/one-record.ts";
import { agencyOf, DOI_ORG } from "./evaluate/registration-agency.ts";
import { SharedAnswers } from "./evaluate/shared-answers.ts";
import { PATIENCE_MS, ServiceBusy } from "./evaluate/upstream-fault.ts";
import { type Identifier, identifierKey, parseIdentifier } from "./identifiers/parse.ts";
import { readPledges } from "./pledges.ts";
import { POLICY } from "./policy.ts";
import { instantOf } from "./reading/dates.ts";
import { readContracts } from "./rubrics.ts";
import { sourceNamed } from "./sources/index.ts";
import type { Source } from "./sources/source.ts";
import { loadVocabularies } from "./vocabularies/index.ts";

export interface EvaluatorOptions {
  /** Contact for the services' polite pools, or null. */
  readonly contact: string | null;
  /** Other addresses of services, by source or `doi.org`: for tests on loopback. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Whether the researcher of this id has asked not to be shown, as of now; nobody has where it is not given. */
  readonly isWithheld?: (researcherId: string) => boolean;
  /** Of one request; 10 s unless a test is in a hurry. */
  readonly timeoutMs?: number;
  /** Of all requests of one evaluation together; 30 s. */
  readonly deadlineMs?: number;
}

/** decisions.md, "Evaluation": 10 s a request, 5 MB a body, one retry. */
const TIMEOUT_MS = 10_000;
const LIMITS = { bodyBytes: 5 * 1024 * 1024, attempts: 2, redirects: 3 };
const DEADLINE_MS = 30_000;

/** For how long an answer, and the score of a payload, serve those who ask again. */
const REMEMBERED_MS = 60_000;

/** Read once, when an evaluator is opened. */
async function readAll() {
  return { vocabularies: await loadVocabularies(), contracts: await readContracts(), pledges: await readPledges() };
}
type Reading = Awaited<ReturnType<typeof readAll>>;

export class Evaluator {
  readonly #tables: OneRecord;
  readonly #reading: Reading;
  readonly #options: EvaluatorOptions;
  readonly #effects: Effects;
  readonly #services = new Map<string, OneRecordService>();
  readonly #rows = new Map<string, { readonly asOf: string; readonly rows: CaptureRows }>();
  /** By identifier and day. */
  readonly #answers: SharedAnswers<OneScored>;
  /** By payload digest, identifier and day. */
  readonly #scored: SharedAnswers<OneScored>;

  private constructor(tables: OneRecord, reading: Reading, options: EvaluatorOptions, effects: Effects) {
    this.#tables = tables;
    this.#reading = reading;
    this.#options = options;
    this.#effects = effects;
    this.#answers = new SharedAnswers(REMEMBERED_MS, effects.now);
    this.#scored = new SharedAnswers(REMEMBERED_MS, effects.now);
  }

  /** Takes half a second: statements are planned here, once. Close it when no more is to be evaluated. */
  static async open(options: EvaluatorOptions, effects: Effects): Promise<Evaluator> {
    const reading = await readAll();
    const db = await openDuckDB({ threads: 1, memory: "256MB" });
    try {
      for (const table of Object.values(CAPTURE_TABLES)) await db.create(table);
      await db.runFile(new URL("./evaluate/one-record.sql", import.meta.url));
      await scoreEvidence(
        db,
        [...reading.contracts].map(([rubric, contract]) => ({ rubric, contract })),
        POLICY,
      );
      return new Evaluator(await OneRecord.open(db), reading, options, effects);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /**
   * The score of what an identifier names, fetched from its source unless someone asked just now.
   * @throws EvaluationError saying why there is none
   */
  async evaluate(text: string, contract: ContractId): Promise<Evaluation> {
    const identifier = parseIdentifier(text);
    if (identifier.kind !== "refused") return this.evaluateIdentifier(identifier, contract);
    const code = identifier.refusal === "malformed" ? "malformed-identifier" : "unsupported-source";
    throw new EvaluationError(code, identifier.reason);
  }

  /** As `evaluate`, of an identifier that was parsed already. */
  async evaluateIdentifier(identifier: Identifier, contract: ContractId): Promise<Evaluation> {
    const asOf = this.#today();
    const answer = this.#answers.get(`${asOf} ${identifierKey(identifier)}`, async () =>
      this.#scoreOf(await obtain(identifier, this.#upstream()), asOf),
    );
    return this.#explain(await this.#inTime(answer), contract, asOf);
  }

  /** The score of one payload of a source, as of a day. */
  async score(given: Given, contract: ContractId, asOf = this.#today()): Promise<Evaluation> {
    return this.#explain(await this.#scoreOf(given, asOf), contract, asOf);
  }

  /**
   * The score that metadata would have if they were deposited as they are; asks no one.
   * @throws NoDraft where the file holds no metadata of one record
   */
  async draft(source: Source, file: Uint8Array, contract: ContractId): Promise<Evaluation> {
    const parsed = parseDocument(Buffer.from(file), source);
    if (parsed.objection !== null) throw new NoDraft(`not a draft for ${source.name}: ${parsed.objection.detail}`);
    const draft = draftOf(parsed, source);
    const evaluation = await this.score({ ...draft, source: source.name, status: 200, retrievedAt: null }, contract);
    // What has no id yet has no landing page either.
    if (draft.sourceId !== UNNAMED || evaluation.record === null) return evaluation;
    return { ...evaluation, record: { ...evaluation.record, url: null } };
  }

  /** Ends what is being fetched, and waits for what is being scored. */
  close(): Promise<void> {
    for (const service of this.#services.values()) service.stop();
    return this.#tables.close();
  }

  /** Whoever asked for the same payload has scored it; when it was retrieved is another matter. */
  async #scoreOf(given: Given, asOf: string): Promise<OneScored> {
    const { source, sourceId, payloadDigest, status, retrievedAt } = given;
    const key = `${asOf} ${status} ${payloadDigest} ${source}/${sourceId}`;
    const scored = await this.#scored.get(key, () => this.#tables.with((db) => this.#append(db, given, asOf)));
    const record = { ...scored.bundle.record, retrieved_at: instantOf(retrievedAt) };
    return { ...scored, bundle: { ...scored.bundle, record } };
  }

  /** Within the transaction of its turn. */
  async #append(db: Database, given: Given, asOf: string): Promise<void> {
    const rows = await this.#rowsOf(db, given.source, asOf);
    const envelope: Envelope = { ...given, url: null };
    try {
      await db.run("insert into as_of values ($asOf)", { asOf });
      rows.add(JSON.stringify(envelope));
      rows.flush();
    } catch (error) {
      // Half a row may be left in it.
      this.#rows.clear();
      throw error;
    }
  }

  /** Appenders are large, and freed only when JavaScript's memory is collected: they are kept, for one day of one source. */
  async #rowsOf(db: Database, name: string, asOf: string): Promise<CaptureRows> {
    const known = this.#rows.get(name);
    if (known !== undefined && known.asOf === asOf) return known.rows;
    const source = sourceNamed(name);
    if (source === null) throw new Error(`there is no source called ${name}`);
    const { vocabularies } = this.#reading;
    const rows = await CaptureRows.open(db, source, 0, { asOf, vocabularies });
    this.#rows.set(name, { asOf, rows });
    return rows;
  }

  #explain(scored: OneScored, id: ContractId, asOf: string): Evaluation {
    const { isWithheld = () => false } = this.#options;
    return evaluationOf(scored, { contract: this.#contract(id), pledges: this.#reading.pledges, asOf, isWithheld });
  }

  #contract(id: ContractId): Rubric {
    const contract = this.#reading.contracts.get(id);
    if (contract === undefined) throw new Error(`there is no contract ${id}`);
    return contract;
  }

  #today(): string {
    return this.#effects.now().toISOString().slice(0, 10);
  }

  #upstream() {
    const { contact, upstreams, timeoutMs = TIMEOUT_MS } = this.#options;
    const agency = { base: upstreams?.["doi.org"] ?? DOI_ORG, agent: userAgent(contact), timeoutMs };
    return {
      recordOf: (source: Source, sourceId: string) => this.#service(source).byId(sourceId),
      agencyOf: (doi: string) => agencyOf(doi, agency, this.#effects),
    };
  }

  /** One a source, so that all evaluations together keep its rate. */
  #service(source: Source): OneRecordService {
    const known = this.#services.get(source.name);
    if (known !== undefined) return known;
    const { contact, upstreams, timeoutMs = TIMEOUT_MS } = this.#options;
    const base = upstreams?.[source.name] ?? source.walk.base;
    const options = { base, contact, allowPrivate: base !== source.walk.base, limits: { ...LIMITS, timeoutMs } };
    const service = new OneRecordService(source, options, {
      ...this.#effects,
      sleep: (ms, signal) => this.#wait(ms, signal),
    });
    this.#services.set(source.name, service);
    return service;
  }

  /** A person is waiting: beyond some seconds they had better be told. */
  #wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (milliseconds > PATIENCE_MS) return Promise.reject(new ServiceBusy(milliseconds));
    return this.#effects.sleep(milliseconds, signal);
  }

  /** The work goes on behind a deadline that has passed: who asks again finds it done. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { deadlineMs = DEADLINE_MS } = this.#options;
    const done = new AbortController();
    const late = this.#effects.sleep(deadlineMs, done.signal).then(
      () => {
        const message = `no answer within ${deadlineMs / 1000} s; try again later`;
        throw new EvaluationError("source-too-slow", message, { retryAfter: 30 });
      },
      () => work,
    );
    try {
      return await Promise.race([work, late]);
    } finally {
      done.abort();
    }
  }
}
