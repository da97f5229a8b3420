/**
 * One identifier or draft → its score now, by the code and SQL of the batch. Worker processes read the payloads; this
 * process sends the requests, keeps the deadlines and shares the answers, so no payload can block it or take its memory.
 */

import { z } from "zod";
import { withholding } from "../../api-static/pages/rows.ts";
import { evaluationBasis, improvement } from "../../schemas/public/api/evaluation.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import { type ContractId, contractId, publicVersion } from "../../schemas/public/rubric.ts";
import { type Identifier, identifierKey } from "../parse-identifier.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import { NoDraft } from "./draft.ts";
import { type Evaluation, peopleNamed } from "./evaluation.ts";
import { EvaluationError, ServiceBusy, upstreamFault } from "./evaluation-error.ts";
import { question, type Reply, type RequestOptions, type Result, result, type Task } from "./messages.ts";
import { Requests } from "./requests.ts";
import { TaskKilled, type WorkerLimits, WorkerLost, Workers } from "./workers.ts";

export interface EvaluatorOptions {
  /** Contact for the services' polite pools, or null. */
  readonly contact: string | null;
  /** Other addresses of services, by source or `doi.org`: for tests on loopback. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Whether the researcher with this id is hidden now; by default nobody is. */
  readonly isWithheld?: (researcherId: string) => boolean;
  /** Positions of creators who are hidden for another reason than their ids; by default none. */
  readonly unshown?: (record: RecordDetail) => Promise<ReadonlySet<number>>;
  /** Limit of one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** Limit of one evaluation with all its requests; 30 s by default. */
  readonly deadlineMs?: number;
  readonly workers?: Partial<WorkerLimits>;
}

const WORKER = new URL("./worker.ts", import.meta.url);

/** Memory is several times what the largest known record needs. */
const LIMITS: WorkerLimits = {
  size: 2,
  turnMilliseconds: 10_000,
  taskMilliseconds: 20_000,
  heapMegabytes: 384,
  residentMegabytes: 1024,
};

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

/** Evaluations under way at once. Each holds at most one answer of 5 MB in this process. */
const MOST_AT_ONCE = 50;

/** Milliseconds after which there usually is room for another evaluation. */
const SOON = 30_000;

/** Requests and waits of one evaluation. */
const MOST_QUESTIONS = 300;

/** An identifier whose payload killed a worker is refused for this time. */
const SHUNNED_MS = 600_000;
const MOST_SHUNNED = 1000;

/** An answer is reused for this time. */
const REMEMBERED_MS = 60_000;

/** Characters of all remembered answers. */
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

type Scored = Extract<Result, { kind: "scored" }>;

const evaluationText = z.object({
  outcome: z.enum(["record", "failed", "tombstone", "not_dataset"]),
  reason: z.string().nullable(),
  identifier: z.string(),
  contract: contractId,
  rubric: publicVersion,
  asOf: z.string(),
  record: recordDetail.nullable(),
  basis: evaluationBasis,
  improvements: z.array(improvement),
});

export class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #effects: Effects;
  readonly #requestOptions: RequestOptions;
  readonly #requests: Requests;
  readonly #workers: Workers;
  /** By identifier and day. */
  readonly #answers: SharedAnswers<Scored>;
  readonly #shunned = new Map<string, { readonly error: EvaluationError; readonly until: number }>();
  #underWay = 0;

  /** Workers start when they are first needed, which takes a second. */
  constructor(options: EvaluatorOptions, effects: Effects) {
    const { contact, upstreams = {}, timeoutMs = TIMEOUT_MS, workers } = options;
    this.#options = options;
    this.#effects = effects;
    this.#requestOptions = { contact, upstreams, timeoutMs };
    this.#requests = new Requests(this.#requestOptions, effects);
    this.#workers = new Workers(WORKER, { kind: "open" } satisfies Task, { ...LIMITS, ...workers }, effects);
    this.#answers = new SharedAnswers(REMEMBERED_MS, effects.now, { most: REMEMBERED_CHARACTERS, sizeOf });
  }

  /** The worker processes. */
  get pids(): readonly number[] {
    return this.#workers.pids;
  }

  /**
   * Scores the record of an identifier. It is fetched from its source unless it was requested a moment ago.
   * @throws EvaluationError
   */
  async evaluate(identifier: Identifier, contract: ContractId): Promise<Evaluation> {
    const asOf = this.#today();
    const key = identifierKey(identifier);
    this.#refuseShunned(key);
    const answer = this.#answers.get(`${asOf} ${key}`, () => this.#evaluated(identifier, asOf));
    return this.#shown(await this.#inTime(answer), contract);
  }

  /**
   * Scores metadata as if they were deposited as they are, without a request to a service.
   * @throws NoDraft if the file does not hold the metadata of one record; EvaluationError if it takes too much
   */
  async draft(source: Source, file: Uint8Array, contract: ContractId): Promise<Evaluation> {
    const task: Task = { kind: "draft", source: source.name, file, asOf: this.#today() };
    const nothing = () => Promise.reject(new Error("a draft asks nobody"));
    const answer = await this.#run(task, nothing).catch((error: unknown) => {
      throw error instanceof TaskKilled ? tooMuch(error, "the draft") : error;
    });
    if (answer.kind === "scored") return this.#shown(answer, contract);
    if (answer.kind === "no-draft") throw new NoDraft(answer.message);
    if (answer.kind === "fault") throw errorOf(answer);
    throw new Error(`a worker answered a draft with "${answer.kind}"`);
  }

  /** Ends all requests and workers. */
  async close(): Promise<void> {
    this.#requests.stop();
    await this.#workers.close();
  }

  async #evaluated(identifier: Identifier, asOf: string): Promise<Scored> {
    if (this.#underWay >= MOST_AT_ONCE) throw upstreamFault(new ServiceBusy(SOON), "the evaluator");
    this.#underWay += 1;
    const { now, random } = this.#effects;
    const options = this.#requestOptions;
    const task: Task = { kind: "evaluate", identifier, asOf, at: now().toISOString(), share: random(), options };
    try {
      const answer = await this.#run(task, this.#answering());
      if (answer.kind === "scored") return answer;
      if (answer.kind === "fault") throw errorOf(answer);
      throw new Error(`a worker answered with "${answer.kind}"`);
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw this.#shun(identifierKey(identifier), tooMuch(error, "the payload of the source"));
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Replies to the questions of one evaluation. */
  #answering(): (asked: unknown) => Promise<Reply> {
    let questions = 0;
    return async (asked) => {
      const next = question.parse(asked);
      for (const event of next.logged) this.#effects.log(event);
      questions += 1;
      if (questions > MOST_QUESTIONS) throw new TaskKilled("time", `it needs more than ${MOST_QUESTIONS} requests`);
      try {
        return await this.#requests.reply(next);
      } catch (error) {
        throw upstreamFault(error, next.service);
      }
    };
  }

  async #run(task: Task, answer: (asked: unknown) => Promise<unknown>): Promise<Result> {
    try {
      return result.parse(await this.#workers.run(task, answer));
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const message = "the process that worked on this was ended because of another evaluation; ask again";
      throw new EvaluationError("source-unreachable", message, { cause: error, retryAfter: 1 });
    }
  }

  /** The work continues after the deadline, so that a repeated request finds its result. */
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

  /** Picks the evaluation under one contract, and withholds the people who are hidden by now. */
  async #shown({ evaluations, researcherIds }: Scored, contract: ContractId): Promise<Evaluation> {
    const { isWithheld = () => false, unshown = async () => new Set() } = this.#options;
    const evaluation = evaluationText.parse(JSON.parse(evaluations[contract] ?? "null"));
    const { record } = evaluation;
    if (record === null) return evaluation;
    const places = await unshown(record);
    const authors = withholding(record.authors, researcherIds, (id, place) => places.has(place) || isWithheld(id));
    return peopleNamed({ ...evaluation, record: { ...record, authors } }, researcherIds);
  }

  #shun(key: string, error: EvaluationError): EvaluationError {
    this.#shunned.delete(key);
    this.#shunned.set(key, { error, until: this.#effects.now().getTime() + SHUNNED_MS });
    const [oldest] = this.#shunned.keys();
    if (this.#shunned.size > MOST_SHUNNED && oldest !== undefined) this.#shunned.delete(oldest);
    return error;
  }

  #refuseShunned(key: string): void {
    const shunned = this.#shunned.get(key);
    if (shunned === undefined) return;
    const left = shunned.until - this.#effects.now().getTime();
    if (left <= 0) {
      this.#shunned.delete(key);
      return;
    }
    const { code, message } = shunned.error;
    throw new EvaluationError(code, message, { retryAfter: Math.ceil(left / 1000) });
  }

  #today(): string {
    return this.#effects.now().toISOString().slice(0, 10);
  }
}

/** In characters. */
function sizeOf({ evaluations, researcherIds }: Scored): number {
  return Object.values(evaluations).reduce((sum, { length }) => sum + length, 40 * researcherIds.length);
}

/** Reports a killed worker like a service whose answer is unusable or too late. */
function tooMuch(killed: TaskKilled, what: string): EvaluationError {
  const options = { cause: killed, retryAfter: SHUNNED_MS / 1000 };
  if (killed.why === "time") {
    return new EvaluationError("source-too-slow", `${what} takes longer to score than an evaluation may`, options);
  }
  return new EvaluationError("source-unreachable", `${what} takes more to score than an evaluation may have`, options);
}

function errorOf({ code, message, retryAfter }: Extract<Result, { kind: "fault" }>): EvaluationError {
  return new EvaluationError(code, message, retryAfter === null ? {} : { retryAfter });
}

/** Answers remembered at once. */
const MOST = 500;

/** How much of answers is remembered at once, where they differ in size. */
interface Room<T> {
  readonly most: number;
  sizeOf(answer: T): number;
}

interface Remembered<T> {
  readonly answer: T;
  readonly until: number;
}

/** Answers that are shared: by all who ask at the same time, and for a short while after. A failure is never remembered. */
class SharedAnswers<T> {
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #remembered = new Map<string, Remembered<T>>();
  readonly #milliseconds: number;
  readonly #now: () => Date;
  readonly #room: Room<T>;
  #size = 0;

  constructor(milliseconds: number, now: () => Date, room: Room<T>) {
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#room = room;
  }

  /** The answer under `key`: one that is remembered or under way, else what `make` gives. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#remembered.get(key);
    if (known !== undefined && this.#now().getTime() < known.until) return Promise.resolve(known.answer);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const making = make().then((answer) => {
      this.#remember(key, answer);
      return answer;
    });
    this.#underWay.set(key, making);
    const done = () => this.#underWay.delete(key);
    making.then(done, done);
    return making;
  }

  /** The oldest answers go first, whether or not their time has come. */
  #remember(key: string, answer: T): void {
    this.#forget(key);
    this.#remembered.set(key, { answer, until: this.#now().getTime() + this.#milliseconds });
    this.#size += this.#room.sizeOf(answer);
    while (this.#remembered.size > MOST || this.#size > this.#room.most) {
      const [oldest] = this.#remembered.keys();
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    this.#remembered.delete(key);
    this.#size -= this.#room.sizeOf(known.answer);
  }
}
