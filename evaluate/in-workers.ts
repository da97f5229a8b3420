/**
 * Evaluations whose payloads are looked into by worker processes alone: here requests are sent, deadlines kept and
 * answers shared. Same results as those of `Evaluator`, whose code the workers run; but no payload can hold this process,
 * or take its memory, whatever is in it.
 */

import { z } from "zod";
import { withholding } from "../api-static/pages/withheld.ts";
import { type Identifier, identifierKey } from "../pipeline/identifiers/parse.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import { TaskKilled, WarmWorkers, type WarmWorkersOptions } from "../pipeline/stage/warm-workers.ts";
import { evaluationBasis, improvement } from "../schemas/public/api/evaluation.ts";
import { type RecordDetail, recordDetail } from "../schemas/public/api/record.ts";
import { type ContractId, contractId, publicVersion } from "../schemas/public/rubric.ts";
import { NoDraft } from "./draft.ts";
import type { Evaluation } from "./evaluation.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { HeldBytes } from "./held-bytes.ts";
import { DEADLINE_MS, inTime } from "./in-time.ts";
import type { EvaluatorOptions } from "./index.ts";
import { Outside } from "./outside.ts";
import { peopleNamed } from "./people-named.ts";
import { ONE_RECORD_LIMITS, TIMEOUT_MS } from "./request-limits.ts";
import { REMEMBERED_MS, SharedAnswers } from "./shared-answers.ts";
import { type StepAnswer, type StepOptions, type StepTask, stepAnswer, type Told } from "./told.ts";
import { upstreamFault } from "./upstream-fault.ts";

const MODULE = new URL("./worker.ts", import.meta.url);

/** What a worker may take: several times what the largest record needs that anybody has deposited. */
const WORKERS: WarmWorkersOptions = {
  size: 2,
  taskMilliseconds: 10_000,
  heapMegabytes: 384,
  residentMegabytes: 1024,
};

/** Of all steps of one evaluation together. */
const WORK_MILLISECONDS = 20_000;

/** Requests and waits of one evaluation. */
const MOST_TOLD = 300;

/** For how long what a worker was killed for is not tried again. */
const SHUNNED_MS = 600_000;
const MOST_SHUNNED = 1000;

/** Characters of all evaluations that are remembered. */
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

type Scored = Extract<StepAnswer, { kind: "scored" }>;
type Evaluated = Extract<StepAnswer, { kind: "scored" | "fault" }>;

export interface EvaluationWorkersOptions extends EvaluatorOptions {
  readonly workers?: Partial<WarmWorkersOptions>;
  /** Places of creators who are not to be shown for another reason than their ids; nobody's where it is not given. */
  readonly unshown?: (record: RecordDetail) => Promise<ReadonlySet<number>>;
}

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

export class EvaluationWorkers {
  readonly #options: EvaluationWorkersOptions;
  readonly #step: StepOptions;
  readonly #effects: Effects;
  readonly #outside: Outside;
  readonly #workers: WarmWorkers;
  readonly #held = new HeldBytes();
  /** By identifier and day. */
  readonly #answers: SharedAnswers<Scored>;
  /** Identifiers that a worker was killed for, with why and until when they are left alone. */
  readonly #shunned = new Map<string, { readonly error: EvaluationError; readonly until: number }>();

  /** Workers are started when they are first needed. */
  constructor(options: EvaluationWorkersOptions, effects: Effects) {
    const { contact, upstreams = {}, timeoutMs = TIMEOUT_MS, workers } = options;
    this.#options = options;
    this.#effects = effects;
    this.#step = { contact, upstreams, timeoutMs };
    this.#outside = new Outside(this.#step, effects);
    this.#workers = new WarmWorkers(MODULE, { kind: "open" } satisfies StepTask, { ...WORKERS, ...workers }, effects);
    this.#answers = new SharedAnswers(REMEMBERED_MS, effects.now, { most: REMEMBERED_CHARACTERS, sizeOf });
  }

  /** The processes that work, for those who count them. */
  get pids(): readonly number[] {
    return this.#workers.pids;
  }

  /**
   * The score of what an identifier names, fetched from its source unless someone asked just now.
   * @throws EvaluationError saying why there is none
   */
  async evaluateIdentifier(identifier: Identifier, contract: ContractId): Promise<Evaluation> {
    const asOf = this.#today();
    const key = identifierKey(identifier);
    this.#refuseShunned(key);
    const answer = this.#answers.get(`${asOf} ${key}`, () => this.#evaluated(identifier, asOf));
    const { deadlineMs = DEADLINE_MS } = this.#options;
    return this.#shown(await inTime(answer, deadlineMs, this.#effects), contract);
  }

  /**
   * The score that metadata would have if they were deposited as they are; asks no one.
   * @throws NoDraft where the file holds no metadata of one record; EvaluationError where it takes too much
   */
  async draft(source: Source, file: Uint8Array, contract: ContractId): Promise<Evaluation> {
    const task: StepTask = { kind: "draft", source: source.name, file, asOf: this.#today() };
    const answer = await this.#carryOut(task).catch((error: unknown) => {
      throw error instanceof TaskKilled ? tooMuch(error, "the draft") : error;
    });
    if (answer.kind === "scored") return this.#shown(answer, contract);
    if (answer.kind === "no-draft") throw new NoDraft(answer.message);
    if (answer.kind === "fault") throw errorOf(answer);
    throw new Error(`a worker answered a draft with "${answer.kind}"`);
  }

  /** Ends what is being fetched and what is being worked on. */
  async close(): Promise<void> {
    this.#outside.stop();
    await this.#workers.close();
  }

  async #evaluated(identifier: Identifier, asOf: string): Promise<Scored> {
    const held = this.#held.open();
    try {
      const answer = await this.#steps(identifier, asOf, held);
      if (answer.kind === "fault") throw errorOf(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw this.#shun(identifierKey(identifier), tooMuch(error, "what the source gave"));
    } finally {
      held.release();
    }
  }

  /** Step by step, until it ends: what a step needs is told to the next. */
  async #steps(identifier: Identifier, asOf: string, held: ReturnType<HeldBytes["open"]>): Promise<Evaluated> {
    const { now, random } = this.#effects;
    const began = { at: now().toISOString(), share: random() };
    const told: Told[] = [];
    let asked: Extract<StepAnswer, { kind: "ask" }> | null = null;
    let worked = 0;
    for (;;) {
      const before = now().getTime();
      const answer = await this.#carryOut({ kind: "evaluate", identifier, asOf, ...began, options: this.#step, told });
      worked += now().getTime() - before;
      if (answer.kind === "scored" || answer.kind === "fault") return answer;
      if (answer.kind !== "ask" && answer.kind !== "wait") throw new Error(`a worker answered with "${answer.kind}"`);
      for (const event of answer.logged) this.#effects.log(event);
      if (worked > WORK_MILLISECONDS || told.length >= MOST_TOLD) {
        throw new TaskKilled("time", `${told.length} answers, and it is not done`);
      }
      if (answer.kind === "ask") asked = answer;
      if (asked === null) throw new Error("a worker would wait before anything was asked");
      told.push(await this.#world(answer, asked, held));
    }
  }

  /** One request or one wait. */
  async #world(
    answer: Extract<StepAnswer, { kind: "ask" | "wait" }>,
    asked: Extract<StepAnswer, { kind: "ask" }>,
    held: ReturnType<HeldBytes["open"]>,
  ): Promise<Told> {
    try {
      if (answer.kind === "wait") return await this.#outside.wait(asked, answer.milliseconds);
      return await held.during(ONE_RECORD_LIMITS.bodyBytes, () => this.#outside.ask(answer));
    } catch (error) {
      throw upstreamFault(error, asked.service);
    }
  }

  async #carryOut(task: StepTask): Promise<StepAnswer> {
    return stepAnswer.parse(await this.#workers.run(task));
  }

  /** Under one contract, and without whoever has asked not to be shown by now. */
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

/** A worker was killed: it is said as of a service whose answer is of no use, or comes too late. */
function tooMuch(killed: TaskKilled, what: string): EvaluationError {
  const options = { cause: killed, retryAfter: SHUNNED_MS / 1000 };
  if (killed.why === "time") {
    return new EvaluationError("source-too-slow", `${what} takes longer to score than an evaluation may`, options);
  }
  return new EvaluationError("source-unreachable", `${what} takes more to score than an evaluation may have`, options);
}

function errorOf({ code, message, retryAfter }: Extract<StepAnswer, { kind: "fault" }>): EvaluationError {
  return new EvaluationError(code, message, retryAfter === null ? {} : { retryAfter });
}
