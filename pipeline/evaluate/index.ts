/**
 * Scores one identifier or draft with the same readers and rules as a build. Worker processes read the payloads. This
 * process sends requests, enforces deadlines and shares results, so that no payload can block it or use up its memory.
 */

import { z } from "zod";
import { withholding } from "../../api-static/pages/rows.ts";
import { evaluationBasis, improvement } from "../../schemas/public/api/evaluation.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import { type ContractId, contractId, publicVersion } from "../../schemas/public/rubric.ts";
import { type Identifier, identifierKey } from "../parse-identifier.ts";
import type { Source } from "../sources/adapter/source.ts";
import { getPublicName } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { NoDraft } from "./draft.ts";
import { addPeopleNames, type ScoredEvaluation } from "./evaluation.ts";
import { EvaluationError, ServiceBusy, upstreamFault } from "./evaluation-error.ts";
import {
  type EvaluationTask,
  type Reply,
  type RequestOptions,
  type Result,
  result,
  workerRequest,
} from "./messages.ts";
import { Requests } from "./requests.ts";
import { TaskKilled, type WorkerLimits, WorkerLost, Workers } from "./workers.ts";

export interface EvaluatorOptions {
  readonly contact: string | null;
  /** Other base URLs of services, by the name of the source or `doi.org`. Tests use them. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Returns true if this researcher is hidden now. By default, nobody is. */
  readonly isWithheld?: (researcherId: string) => boolean;
  /** Returns the positions of creators to hide although their ids are not hidden. By default, none. */
  readonly hiddenPositions?: (record: RecordDetail) => Promise<ReadonlySet<number>>;
  /** Limit of one request in milliseconds; 10 s by default. */
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  readonly workers?: Partial<WorkerLimits>;
}

const WORKER = new URL("./worker.ts", import.meta.url);

/** Limits of worker processes. Their memory is several times what the largest known record needs. */
const LIMITS: WorkerLimits = {
  size: 2,
  turnMilliseconds: 10_000,
  taskMilliseconds: 20_000,
  heapMegabytes: 384,
  residentMegabytes: 1024,
};

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

/**
 * Largest numbers of evaluations at the same time: in total, and of one source. Each evaluation reserves memory for a
 * response of 5 MB before it sends a request. The second limit leaves room for others if one source does not respond.
 */
const MAX_AT_ONCE = { all: 50, source: 15 } as const;

/** Milliseconds after which an evaluation that found no free place can usually start. */
const SOON = 30_000;

const MAX_REQUESTS = 300;

/** Milliseconds for which an identifier is rejected after its payload killed a worker. */
const BLOCKED_MS = 600_000;
const MAX_BLOCKED = 1000;

/** Milliseconds for which a result is reused. */
const CACHED_MS = 60_000;

/** Limit of all cached results together, in characters. */
const CACHED_CHARACTERS = 32 * 1024 * 1024;

type ScoredAnswer = Extract<Result, { kind: "scored" }>;

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
  /** Cached and pending results by day and identifier. */
  readonly #answers: PendingResults<ScoredAnswer>;
  readonly #blocked = new Map<string, { readonly error: EvaluationError; readonly until: number }>();
  /** Running evaluations, each with the name of its source. */
  readonly #underWay = new Map<object, string>();

  /** Starts no worker yet. The first task starts them, which takes a second. */
  constructor(options: EvaluatorOptions, effects: Effects) {
    const { contact, upstreams = {}, timeoutMs = TIMEOUT_MS, workers } = options;
    this.#options = options;
    this.#effects = effects;
    this.#requestOptions = { contact, upstreams, timeoutMs };
    this.#requests = new Requests(this.#requestOptions, effects);
    this.#workers = new Workers(WORKER, { kind: "open" } satisfies EvaluationTask, { ...LIMITS, ...workers }, effects);
    this.#answers = new PendingResults(CACHED_MS, effects.now, { most: CACHED_CHARACTERS, measureSize });
  }

  get pids(): readonly number[] {
    return this.#workers.pids;
  }

  /**
   * Scores the record of an identifier. Uses a cached result if there is a recent one and `fresh` is false; otherwise
   * fetches the record from its source.
   * @throws EvaluationError
   */
  async evaluate(identifier: Identifier, contract: ContractId, fresh = false): Promise<ScoredEvaluation> {
    const asOf = this.#today();
    const key = identifierKey(identifier);
    this.#rejectBlocked(key);
    const answer = this.#answers.get(`${asOf} ${key}`, () => this.#evaluated(identifier, asOf), fresh);
    return this.#selectContract(await this.#withDeadline(answer), contract);
  }

  /**
   * Scores metadata as if they were deposited unchanged. Does not send a request. If `source` is null, the format of the
   * file decides.
   * @throws NoDraft if the file does not hold the metadata of one record; EvaluationError if scoring exceeds a limit
   */
  async draft(source: Source | null, file: Uint8Array, contract: ContractId): Promise<ScoredEvaluation> {
    const task: EvaluationTask = { kind: "draft", source: source?.name ?? null, file, asOf: this.#today() };
    const nothing = () => Promise.reject(new Error("a draft sends no requests"));
    const answer = await this.#run(task, nothing).catch((error: unknown) => {
      if (!(error instanceof TaskKilled)) throw error;
      const limit = error.why === "time" ? "time" : "memory";
      throw new EvaluationError(
        "draft-too-large",
        `the draft takes more ${limit} to score than a draft may take; shorten its longest texts and lists`,
        {
          cause: error,
        },
      );
    });
    if (answer.kind === "scored") return this.#selectContract(answer, contract);
    if (answer.kind === "no-draft") throw new NoDraft(answer.message);
    if (answer.kind === "fault") throw makeError(answer);
    throw new Error(`a worker returned "${answer.kind}" for a draft`);
  }

  async close(): Promise<void> {
    this.#requests.stop();
    await this.#workers.close();
  }

  async #evaluated(identifier: Identifier, asOf: string): Promise<ScoredAnswer> {
    const source = identifier.kind === "doi" ? "doi.org" : identifier.source;
    const ofSource = this.#underWay.values().filter((each) => each === source);
    if (this.#underWay.size >= MAX_AT_ONCE.all) throw upstreamFault(new ServiceBusy(SOON), "the evaluator");
    if ([...ofSource].length >= MAX_AT_ONCE.source) throw upstreamFault(new ServiceBusy(SOON), getPublicName(source));
    const { now, random } = this.#effects;
    const options = this.#requestOptions;
    const task: EvaluationTask = {
      kind: "evaluate",
      identifier,
      asOf,
      at: now().toISOString(),
      share: random(),
      options,
    };
    this.#underWay.set(task, source);
    try {
      const answer = await this.#run(task, this.#replyFunction());
      if (answer.kind === "scored") return answer;
      if (answer.kind === "fault") throw makeError(answer);
      throw new Error(`a worker returned "${answer.kind}"`);
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw this.#block(identifierKey(identifier), tooMuch(error));
    } finally {
      this.#underWay.delete(task);
    }
  }

  /** Returns a function that sends the requests of one evaluation and replies with their responses. */
  #replyFunction(): (message: unknown) => Promise<Reply> {
    let requests = 0;
    return async (message) => {
      const next = workerRequest.parse(message);
      for (const event of next.logged) this.#effects.log(event);
      requests += 1;
      if (requests > MAX_REQUESTS) throw new TaskKilled("time", `it needs more than ${MAX_REQUESTS} requests`);
      try {
        return await this.#requests.reply(next);
      } catch (error) {
        throw upstreamFault(error, getPublicName(next.service));
      }
    };
  }

  async #run(task: EvaluationTask, answer: (message: unknown) => Promise<unknown>): Promise<Result> {
    try {
      return result.parse(await this.#workers.run(task, answer));
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const message = "the process that worked on this was ended because of another evaluation; try again";
      throw new EvaluationError("source-unreachable", message, { cause: error, retryAfter: 1 });
    }
  }

  /**
   * Waits for a result until the deadline. The work continues afterwards, so that a repeated request can use its result.
   */
  async #withDeadline<T>(work: Promise<T>): Promise<T> {
    const { deadlineMs = DEADLINE_MS } = this.#options;
    const done = new AbortController();
    const late = this.#effects.sleep(deadlineMs, done.signal).then(
      () => {
        const message = `no result within ${deadlineMs / 1000} s; try again later`;
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

  /** Returns the evaluation under one contract. Removes the names of people who are hidden now. */
  async #selectContract({ evaluations, researcherIds }: ScoredAnswer, contract: ContractId): Promise<ScoredEvaluation> {
    const { isWithheld = () => false, hiddenPositions = async () => new Set() } = this.#options;
    const evaluation = evaluationText.parse(JSON.parse(evaluations[contract] ?? "null"));
    const { record } = evaluation;
    if (record === null) return evaluation;
    const places = await hiddenPositions(record);
    const authors = withholding(record.authors, researcherIds, (id, place) => places.has(place) || isWithheld(id));
    return addPeopleNames({ ...evaluation, record: { ...record, authors } }, researcherIds);
  }

  #block(key: string, error: EvaluationError): EvaluationError {
    this.#blocked.delete(key);
    this.#blocked.set(key, { error, until: this.#effects.now().getTime() + BLOCKED_MS });
    const [oldest] = this.#blocked.keys();
    if (this.#blocked.size > MAX_BLOCKED && oldest !== undefined) this.#blocked.delete(oldest);
    return error;
  }

  #rejectBlocked(key: string): void {
    const blocked = this.#blocked.get(key);
    if (blocked === undefined) return;
    const remainingMs = blocked.until - this.#effects.now().getTime();
    if (remainingMs <= 0) {
      this.#blocked.delete(key);
      return;
    }
    const { code, message } = blocked.error;
    throw new EvaluationError(code, message, { retryAfter: Math.ceil(remainingMs / 1000) });
  }

  #today(): string {
    return this.#effects.now().toISOString().slice(0, 10);
  }
}

/** Returns the size of a result in characters. */
function measureSize({ evaluations, researcherIds }: ScoredAnswer): number {
  return Object.values(evaluations).reduce((sum, { length }) => sum + length, 40 * researcherIds.length);
}

/** Returns the error for the user after a worker was killed: the payload took too long, or too much memory. */
function tooMuch(killed: TaskKilled): EvaluationError {
  const what = "the payload of the source";
  const options = { cause: killed, retryAfter: BLOCKED_MS / 1000 };
  if (killed.why === "time") {
    return new EvaluationError(
      "source-too-slow",
      `${what} takes longer to score than an evaluation may take; a build can score the dataset`,
      options,
    );
  }
  return new EvaluationError(
    "source-unreachable",
    `${what} takes more memory to score than an evaluation may take; a build can score the dataset`,
    options,
  );
}

function makeError({ code, message, retryAfter }: Extract<Result, { kind: "fault" }>): EvaluationError {
  return new EvaluationError(code, message, retryAfter === null ? {} : { retryAfter });
}

const MAX_CACHED_ANSWERS = 500;

/** The size limit of a cache, and a function that returns the size of a result. */
interface CacheLimit<T> {
  readonly most: number;
  measureSize(answer: T): number;
}

interface CachedResult<T> {
  readonly answer: T;
  readonly until: number;
}

/** Shares results between requests at the same time, and caches them for a short while. Failures are not cached. */
class PendingResults<T> {
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #cached = new Map<string, CachedResult<T>>();
  readonly #milliseconds: number;
  readonly #now: () => Date;
  readonly #room: CacheLimit<T>;
  #size = 0;

  constructor(milliseconds: number, now: () => Date, limit: CacheLimit<T>) {
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#room = limit;
  }

  /** Returns the cached or pending result, or calls `make`. With `fresh`, a cached result is not used. */
  get(key: string, make: () => Promise<T>, fresh: boolean): Promise<T> {
    const known = fresh ? undefined : this.#cached.get(key);
    if (known !== undefined && this.#now().getTime() < known.until) return Promise.resolve(known.answer);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const making = make().then((answer) => {
      this.#store(key, answer);
      return answer;
    });
    this.#underWay.set(key, making);
    const done = () => this.#underWay.delete(key);
    making.then(done, done);
    return making;
  }

  /** Caches a result. If the cache exceeds its limit, removes the oldest results, even if they have not expired. */
  #store(key: string, answer: T): void {
    this.#remove(key);
    this.#cached.set(key, { answer, until: this.#now().getTime() + this.#milliseconds });
    this.#size += this.#room.measureSize(answer);
    while (this.#cached.size > MAX_CACHED_ANSWERS || this.#size > this.#room.most) {
      const [oldest] = this.#cached.keys();
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const known = this.#cached.get(key);
    if (known === undefined) return;
    this.#cached.delete(key);
    this.#size -= this.#room.measureSize(known.answer);
  }
}
