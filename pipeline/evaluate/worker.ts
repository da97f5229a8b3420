/**
 * Reads and scores the payloads of evaluations in a worker process, which sends no requests and keeps no state. If an
 * evaluation needs a request, this request is the result of the task. The next task repeats the evaluation with the
 * reply, so any worker can run it.
 */

import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { BodyTooLarge } from "../1-harvest/session.ts";
import { sourceNamed } from "../sources/index.ts";
import { getReader } from "../sources/reader-of.ts";
import type { Effects, LogEvent } from "../stage/effects.ts";
import { readDraft } from "./draft.ts";
import { explain } from "./evaluation.ts";
import { EvaluationError } from "./evaluation-error.ts";
import type { DraftTask, EvaluateTask, EvaluationTask, Question, Reply, Result } from "./messages.ts";
import { makeServices, type ObtainedPayload, obtain } from "./obtain.ts";
import { scoreOne } from "./scorer.ts";

/** A rate limit that never applies, because the parent process enforces the rate limits for all workers together. */
const UNPACED = { requests: 1_000_000_000, seconds: 1 };

/** Largest evaluation as JSON, in characters. Records that people write result in far shorter ones. */
const MAX_EVALUATION_LENGTH = 2 * 1024 * 1024;

const MAX_MESSAGE_LENGTH = 1000;

/** Runs a task of an evaluation. Worker processes import it under this name (stage/worker-task.ts). */
export async function work(task: EvaluationTask): Promise<Result> {
  try {
    return await (task.kind === "draft" ? scoreDraft(task) : evaluate(task));
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const { code, message, retryAfter } = error;
    return { kind: "fault", code, message: message.slice(0, MAX_MESSAGE_LENGTH), retryAfter };
  }
}

async function scoreDraft({ source: name, file, asOf }: DraftTask): Promise<Result> {
  const source = name === null ? null : sourceNamed(name);
  if (name !== null && source === null)
    throw new Error(`there is no source called ${name} in this version of the program; report this`);
  return scoreAll(await readDraft(file, source), asOf);
}

/** Evaluates an identifier with the replies so far. Returns the first question that has no reply, or the score. */
async function evaluate(task: EvaluateTask): Promise<Result> {
  const open = Promise.withResolvers<Result>();
  const effects = replayEffects(task, (question) => open.resolve({ kind: "question", question }));
  const payload = obtain(task.identifier, makeServices(effects, UNPACED, task.options));
  return Promise.race([open.promise, payload.then((obtained) => scoreAll(obtained, task.asOf))]);
}

/**
 * Scores a payload under every contract.
 * @throws EvaluationError if a result would be too long
 */
async function scoreAll(payload: ObtainedPayload, asOf: string): Promise<Result> {
  const scored = scoreOne(payload, asOf, await getReader(payload.source));
  const evaluations = Object.fromEntries(CONTRACTS.map((id) => [id, JSON.stringify(explain(scored, id))]));
  if (Object.values(evaluations).every(({ length }) => length <= MAX_EVALUATION_LENGTH))
    return { kind: "scored", evaluations, researcherIds: scored.researcherIds };
  const limit = `would have more than ${MAX_EVALUATION_LENGTH} characters`;
  if (payload.isDraft)
    throw new EvaluationError(
      "body-too-large",
      `the score of the draft ${limit}; shorten the longest lists of the draft`,
    );
  const message = `the evaluation of this record of ${payload.source} ${limit}; a build can score the dataset`;
  throw new EvaluationError("source-unreachable", message, { retryAfter: 600 });
}

/**
 * Returns effects that do not use the network: each request or wait gets the next of the replies. The first one without
 * a reply goes to `onQuestion`, and never completes in this process.
 */
function replayEffects({ at, share, replies }: EvaluateTask, onQuestion: (question: Question) => void) {
  const left = replies.values();
  let now = at;
  const ask = (question: Question): Promise<Reply> => {
    const { value: reply, done } = left.next();
    if (done) {
      onQuestion(question);
      return new Promise(() => undefined);
    }
    now = reply.at;
    return Promise.resolve(reply);
  };
  return (service: string): Effects => {
    let url = "";
    let reason: LogEvent | null = null;
    return {
      fetch: async (input, init = {}) => {
        url = String(input);
        const body = typeof init.body === "string" ? init.body : null;
        return toResponse(await ask({ kind: "request", service, url, headers: [...new Headers(init.headers)], body }));
      },
      sleep: async (milliseconds) => {
        await ask({ kind: "wait", service, url, milliseconds, reason });
      },
      now: () => new Date(now),
      random: () => share,
      log: (event) => {
        reason = event;
      },
      progress: () => undefined,
    };
  };
}

/** Statuses of responses without a body (Fetch standard, "null body status"). */
const BODILESS = [101, 103, 204, 205, 304];

function toResponse(reply: Reply): Response {
  switch (reply.kind) {
    case "answer": {
      const { status, headers, body } = reply;
      const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
      return new Response(BODILESS.includes(status) ? null : Buffer.from(body), init);
    }
    case "failed": {
      const { name, code, message } = reply;
      if (code === "body-too-large") throw new BodyTooLarge(message);
      throw Object.assign(new Error(message), { name, ...(code !== null && { code }) });
    }
    case "waited":
      throw new Error("an evaluation expected a response to a request, but got the end of a wait; report this");
    default:
      return reply satisfies never;
  }
}
