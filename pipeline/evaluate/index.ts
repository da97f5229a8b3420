/**
 * Scores one identifier or draft with the same readers and rules as a build. Worker processes read the payloads,
 * because a payload could need endless time or memory. This process sends the requests, enforces deadlines and shares
 * results.
 */

import { LRUCache } from "lru-cache";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { type Identifier, identifierKey } from "../parse-identifier.ts";
import type { Source } from "../sources/adapter/source.ts";
import { getPublicName } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { type ScoredEvaluation, showPeople } from "./evaluation.ts";
import { EvaluationError, ServiceBusy, upstreamFault } from "./evaluation-error.ts";
import type { EvaluationTask, Question, Reply, RequestOptions, Result, ScoredResult } from "./messages.ts";
import { DOI_ORG, REQUEST_LIMITS } from "./obtain.ts";
import { Requests } from "./requests.ts";
import { work } from "./worker.ts";
import { TaskKilled, type WorkerLimits, Workers } from "./workers.ts";

export interface EvaluatorOptions extends Partial<Omit<RequestOptions, "contact">>, Pick<RequestOptions, "contact"> {
  /** Returns true if this researcher is hidden now. By default, nobody is. */
  readonly isWithheld?: (researcherId: string) => boolean;
  /**
   * Returns the positions of creators to hide, in addition to those whose ids are hidden. By default, there are none.
   */
  readonly hiddenPositions?: (record: RecordDetail) => Promise<ReadonlySet<number>>;
  readonly deadlineMs?: number;
  readonly workers?: Partial<WorkerLimits>;
}

const WORKER = new URL("./worker.ts", import.meta.url);

/**
 * A draft that each new process scores first. This loads the code and rules, so that the first evaluation of a user is
 * not slower than others.
 */
const FIRST: EvaluationTask = {
  ...{ kind: "draft", source: "zenodo", asOf: "2026-01-01" },
  file: Buffer.from('{"metadata":{"title":"First","upload_type":"dataset","license":"cc-by"}}'),
};

/** Limits of worker processes. Their memory is several times what the largest known record needs. */
const LIMITS: WorkerLimits = { size: 2, taskMilliseconds: 10_000, heapMegabytes: 384, residentMegabytes: 1024 };

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

/**
 * Largest numbers of evaluations at the same time: in total, and of one source. Each evaluation reserves memory for
 * responses before it sends a request. The limit for one source leaves room for the others if that source does not
 * respond.
 */
const MAX_AT_ONCE = { all: 50, source: 15 } as const;

/** Number of milliseconds after which an evaluation that exceeded {@link MAX_AT_ONCE} can probably start. */
const SOON = 30_000;

/**
 * Limits of one evaluation: the number of its requests and waits, the bytes of all responses, and the time of all its
 * tasks.
 */
const MAX_REPLIES = { count: 300, bytes: 2 * REQUEST_LIMITS.bodyBytes, milliseconds: 20_000 } as const;

/** Milliseconds for which an identifier is rejected after its payload exceeded a limit. */
const BLOCKED_MS = 600_000;
const MAX_BLOCKED = 1000;

/** Milliseconds for which a result is reused. */
const CACHED_MS = 60_000;
const MAX_CACHED = 500;

/** Limit of all cached results together, in characters. */
const CACHED_CHARACTERS = 32 * 1024 * 1024;

interface EvaluationRun {
  readonly identifier: Identifier;
  readonly asOf: string;
}

export class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #effects: Effects;
  readonly #requestOptions: RequestOptions;
  readonly #requests: Requests;
  readonly #workers: Workers;
  /** Finished and pending results. The key contains the day and the identifier. Failures are not cached. */
  readonly #results: LRUCache<string, ScoredResult, EvaluationRun>;
  readonly #blocked: LRUCache<string, EvaluationError>;
  /** Running evaluations, each with the name of its source. */
  readonly #underWay = new Map<EvaluationRun, string>();

  /** Does not start workers yet. The first task starts them, which takes a second. */
  constructor(options: EvaluatorOptions, effects: Effects) {
    const { contact, upstreams = {}, timeoutMs = TIMEOUT_MS, workers } = options;
    this.#options = options;
    this.#effects = effects;
    this.#requestOptions = { contact, upstreams, timeoutMs };
    this.#requests = new Requests(this.#requestOptions, effects);
    this.#workers = new Workers(WORKER, FIRST, { ...LIMITS, ...workers }, effects);
    const clock = { perf: { now: () => effects.now().getTime() }, ttlResolution: 0 };
    this.#blocked = new LRUCache({ ...clock, max: MAX_BLOCKED, ttl: BLOCKED_MS });
    this.#results = new LRUCache({
      ...{ ...clock, max: MAX_CACHED, ttl: CACHED_MS, maxSize: CACHED_CHARACTERS, sizeCalculation: measureSize },
      ...{ noDeleteOnFetchRejection: true, ignoreFetchAbort: true },
      fetchMethod: (_key, _expired, { context }) => this.#evaluateNow(context),
    });
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
    const blocked = this.#blocked.get(key);
    const blockedMs = this.#blocked.getRemainingTTL(key);
    if (blocked !== undefined && blockedMs > 0)
      throw new EvaluationError(blocked.code, blocked.message, { retryAfter: Math.ceil(blockedMs / 1000) });
    const context = { identifier, asOf };
    const result = this.#results.forceFetch(`${asOf} ${key}`, { context, forceRefresh: fresh });
    return this.#selectContract(await this.#withDeadline(result), contract);
  }

  /**
   * Scores metadata as if they were deposited unchanged. Does not send a request. If `source` is null, the format of the
   * file decides.
   * @throws EvaluationError `no-draft` if the file does not hold the metadata of one record, `body-too-large` if scoring
   * exceeds a limit
   */
  async draft(source: Source | null, file: Uint8Array, contract: ContractId): Promise<ScoredEvaluation> {
    const task = { kind: "draft", source: source?.name ?? null, file, asOf: this.#today() } as const;
    const result = await this.#run(task).catch((cause: unknown) => {
      if (!(cause instanceof TaskKilled)) throw cause;
      const limit = cause.why === "time" ? "time" : "memory";
      const message = `the draft takes more ${limit} to score than a draft may take; shorten its longest texts and lists`;
      throw new EvaluationError("body-too-large", message, { cause });
    });
    return this.#selectContract(scoredResult(result), contract);
  }

  async close(): Promise<void> {
    this.#requests.stop();
    await this.#workers.close();
  }

  async #evaluateNow(run: EvaluationRun): Promise<ScoredResult> {
    const { identifier } = run;
    const source = identifier.kind === "doi" ? DOI_ORG.name : identifier.source;
    const ofSource = [...this.#underWay.values()].filter((each) => each === source);
    if (this.#underWay.size >= MAX_AT_ONCE.all) throw upstreamFault(new ServiceBusy(SOON), "this service");
    if (ofSource.length >= MAX_AT_ONCE.source) throw upstreamFault(new ServiceBusy(SOON), getPublicName(source));
    this.#underWay.set(run, source);
    try {
      return await this.#converse(run);
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      const blocked = tooMuch(error);
      this.#blocked.set(identifierKey(identifier), blocked);
      throw blocked;
    } finally {
      this.#underWay.delete(run);
    }
  }

  /**
   * Runs the task of an evaluation again after each reply, with all replies so far, until the task needs no further
   * request.
   */
  async #converse(run: EvaluationRun): Promise<ScoredResult> {
    const { now, random } = this.#effects;
    const first = { at: now().toISOString(), share: random(), options: this.#requestOptions };
    const replies: Reply[] = [];
    const spent = { bytes: 0, milliseconds: 0 };
    for (;;) {
      const task = { kind: "evaluate", ...run, ...first, replies } as const;
      // No payload is read before the first request, so no worker is needed for it.
      const result = await (replies.length === 0 ? work(task) : this.#run(task, spent));
      if (result.kind !== "question") return scoredResult(result);
      if (spent.bytes > MAX_REPLIES.bytes) throw new TaskKilled("memory", `it needs ${spent.bytes} bytes`);
      if (replies.length >= MAX_REPLIES.count || spent.milliseconds > MAX_REPLIES.milliseconds)
        throw new TaskKilled("time", `it took ${spent.milliseconds} ms and ${replies.length} requests`);
      const reply = await this.#reply(result.question);
      if (reply.kind === "answer") spent.bytes += reply.body.length;
      replies.push(reply);
    }
  }

  #reply(question: Question): Promise<Reply> {
    return this.#requests.reply(question).catch((error: unknown) => {
      throw upstreamFault(error, getPublicName(question.service));
    });
  }

  async #run(task: EvaluationTask, time = { milliseconds: 0 }): Promise<Result> {
    return (await this.#workers.run(task, time)) as Result;
  }

  /**
   * Waits for a result until the deadline. The evaluation continues after the deadline, so that a repeated request can
   * use its result.
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

  /** Selects the evaluation under one contract. Removes the names of people who are hidden at this time. */
  async #selectContract({ evaluations, researcherIds }: ScoredResult, contract: ContractId): Promise<ScoredEvaluation> {
    const { isWithheld = () => false, hiddenPositions = async () => new Set() } = this.#options;
    const evaluation: ScoredEvaluation = JSON.parse(evaluations[contract] ?? "null");
    const places = evaluation.record === null ? new Set() : await hiddenPositions(evaluation.record);
    return showPeople(evaluation, researcherIds, (id, place) => places.has(place) || isWithheld(id));
  }

  #today(): string {
    return this.#effects.now().toISOString().slice(0, 10);
  }
}

/** Returns the size of a result in characters. */
function measureSize({ evaluations, researcherIds }: ScoredResult): number {
  return Object.values(evaluations).reduce((sum, { length }) => sum + length, 40 * researcherIds.length);
}

/** Returns the error that the user sees if the payload exceeded a limit. */
function tooMuch(cause: TaskKilled): EvaluationError {
  const [code, limit] =
    cause.why === "time" ? (["source-too-slow", "longer"] as const) : (["source-unreachable", "more memory"] as const);
  const message = `the payload of the source takes ${limit} to score than an evaluation may take; a build can score the dataset`;
  return new EvaluationError(code, message, { cause, retryAfter: BLOCKED_MS / 1000 });
}

function scoredResult(result: Result): ScoredResult {
  switch (result.kind) {
    case "scored":
      return result;
    case "fault":
      throw new EvaluationError(result.code, result.message, { retryAfter: result.retryAfter });
    case "question":
      throw new Error("the check of a draft asked for a request, although drafts need none; report this");
    default:
      return result satisfies never;
  }
}
