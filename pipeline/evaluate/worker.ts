/**
 * Reads and scores the payloads of evaluations in a worker process. The process sends no requests; it asks its parent to
 * send them and to wait.
 */

import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { BodyTooLarge } from "../1-harvest/session.ts";
import { sourceNamed } from "../sources/index.ts";
import { getReader } from "../sources/reader-of.ts";
import type { Effects, LogEvent } from "../stage/effects.ts";
import type { Ask } from "../stage/worker-process.ts";
import { NoDraft } from "./draft.ts";
import type { ScoredEvaluation } from "./evaluation.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { type EvaluationTask, MAX_EVALUATION_BYTES, type Reply, type Result, type WorkerRequest } from "./messages.ts";
import { type ObtainedPayload, obtain } from "./obtain.ts";
import { explain, readDraftPayload, scoreOne, withoutLandingPage } from "./scorer.ts";
import { makeServices } from "./services.ts";

/** A rate without effect. The parent enforces the rate limits for all workers together. */
const UNPACED = { requests: 1_000_000_000, seconds: 1 };

/**
 * A record that each new process scores first. It loads the rules, so that the first evaluation is not slower than others.
 */
const FIRST: ObtainedPayload = {
  ...{ source: "zenodo", sourceId: "1", payload: '{"id":1,"metadata":{"title":"First","license":{"id":"cc-by"}}}' },
  ...{ payloadDigest: "", status: 200, retrievedAt: null },
};

export async function evaluateTask(task: EvaluationTask, ask: Ask): Promise<Result> {
  switch (task.kind) {
    case "open":
      await scoreResult(FIRST, "2026-01-01");
      return { kind: "ready" };
    case "evaluate":
      return evaluate(task, ask);
    case "draft":
      return draft(task);
    default:
      return task satisfies never;
  }
}

async function evaluate(task: Extract<EvaluationTask, { kind: "evaluate" }>, ask: Ask): Promise<Result> {
  const parent = new Parent(ask, task);
  const parentEffects = (service: string) => parent.effects(service);
  try {
    const payload = await obtain(task.identifier, makeServices(parentEffects, UNPACED, task.options));
    const scored = await scoreResult(payload, task.asOf);
    if (scored !== null) return scored;
    const message = `${payload.source} gave a record whose evaluation would be longer than ${MAX_EVALUATION_BYTES} characters`;
    return { kind: "fault", code: "source-unreachable", message, retryAfter: 600 };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { kind: "fault", code: error.code, message: error.message.slice(0, 1000), retryAfter: error.retryAfter };
  }
}

async function draft({ source: name, file, asOf }: Extract<EvaluationTask, { kind: "draft" }>): Promise<Result> {
  const source = name === null ? null : sourceNamed(name);
  if (name !== null && source === null) throw new Error(`there is no source called ${name}`);
  try {
    const { payload, hasId } = await readDraftPayload(source, file);
    const scored = await scoreResult(payload, asOf, (evaluation) => withoutLandingPage(evaluation, hasId));
    if (scored !== null) return scored;
    const message = `the score of the draft would have more than ${MAX_EVALUATION_BYTES} characters; shorten its lists`;
    return { kind: "fault", code: "draft-too-large", message, retryAfter: null };
  } catch (error) {
    if (error instanceof NoDraft) return { kind: "no-draft", message: error.message.slice(0, 1000) };
    throw error;
  }
}

/** Scores a payload under every contract. Returns null if a result would be too long. */
async function scoreResult(
  payload: ObtainedPayload,
  asOf: string,
  edit: (evaluation: ScoredEvaluation) => ScoredEvaluation = (evaluation) => evaluation,
): Promise<Result | null> {
  const one = scoreOne(payload, asOf, await getReader(payload.source));
  // The parent removes hidden people.
  const how = { asOf, isWithheld: () => false };
  const evaluations = Object.fromEntries(CONTRACTS.map((id) => [id, JSON.stringify(edit(explain(one, id, how)))]));
  if (Object.values(evaluations).some(({ length }) => length > MAX_EVALUATION_BYTES)) return null;
  return { kind: "scored", evaluations, researcherIds: [...one.researcherIds] };
}

/** Statuses of responses without a body (Fetch standard, "null body status"). */
const BODILESS = [101, 103, 204, 205, 304];

/** Implements the effects of one evaluation with messages to the parent process. */
class Parent {
  readonly #ask: Ask;
  readonly #share: number;
  #at: string;
  #logged: LogEvent[] = [];

  constructor(ask: Ask, { at, share }: { readonly at: string; readonly share: number }) {
    this.#ask = ask;
    this.#at = at;
    this.#share = share;
  }

  effects(service: string): Effects {
    let url = "";
    return {
      fetch: (input, init = {}) => {
        url = String(input);
        const body = typeof init.body === "string" ? init.body : null;
        return this.#fetch({ kind: "request", service, url, headers: [...new Headers(init.headers)], body });
      },
      sleep: async (milliseconds) => {
        await this.#reply({ kind: "wait", service, url, milliseconds });
      },
      now: () => new Date(this.#at),
      random: () => this.#share,
      log: (event) => this.#logged.push(event),
      progress: () => undefined,
    };
  }

  async #fetch(request: UnloggedRequest): Promise<Response> {
    const reply = await this.#reply(request);
    switch (reply.kind) {
      case "answer": {
        const body = BODILESS.includes(reply.status) ? null : Buffer.from(reply.body);
        return new Response(body, {
          status: reply.status,
          headers: reply.headers.map(([name, value]) => [name, value]),
        });
      }
      case "too-large":
        throw new BodyTooLarge(reply.message);
      case "failed":
        throw Object.assign(new Error(reply.message), {
          name: reply.name,
          ...(reply.code !== null && { code: reply.code }),
        });
      case "waited":
        throw new Error("expected a response from the parent, found a wait");
      default:
        return reply satisfies never;
    }
  }

  async #reply(question: UnloggedRequest): Promise<Reply> {
    const logged = this.#logged.splice(0).slice(0, 20).map(shortened);
    const reply = (await this.#ask({ ...question, logged } satisfies WorkerRequest)) as Reply;
    this.#at = reply.at;
    return reply;
  }
}

type UnloggedRequest = WorkerRequest extends infer Each
  ? Each extends WorkerRequest
    ? Omit<Each, "logged">
    : never
  : never;

/** Returns the fields of a log entry that the parent writes to its log. */
function shortened({ level, event, source, reason, attempt, wait }: LogEvent): WorkerRequest["logged"][number] {
  return {
    level,
    event,
    ...(typeof source === "string" && { source }),
    ...(typeof reason === "string" && { reason: reason.slice(0, 1000) }),
    ...(typeof attempt === "number" && { attempt }),
    ...(typeof wait === "number" && { wait }),
  };
}

// Workers import this name (stage/worker-process.ts).
export { evaluateTask as work };
