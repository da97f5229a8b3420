/**
 * An evaluator for tests with a clock that stands still, real delays, and a guarded fetch that may reach only the services of
 * the test.
 */

import { setTimeout as wait } from "node:timers/promises";
import { explain, type ScoredEvaluation, showPeople } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { Evaluator, type EvaluatorOptions } from "../../pipeline/evaluate/index.ts";
import type { ObtainedPayload } from "../../pipeline/evaluate/obtain.ts";
import { scoreOne } from "../../pipeline/evaluate/scorer.ts";
import { parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import type { Effects, LogEvent } from "../../pipeline/stage/effects.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { type GuardOptions, guardedFetch } from "../../server/http/guarded-fetch.ts";

export interface OpenEvaluator extends AsyncDisposable {
  readonly evaluator: Evaluator;
  /** Evaluates the record that an identifier names. Throws an EvaluationError for a text that is not an identifier. */
  evaluate(text: string, contract: ContractId): Promise<ScoredEvaluation>;
  /** Scores one payload in this process, without a worker. */
  score(given: ObtainedPayload, contract: ContractId, asOf?: string): Promise<ScoredEvaluation>;
  readonly logged: readonly LogEvent[];
  /** Every URL that the evaluator requested, in order. */
  readonly fetched: readonly string[];
  /** The time of the clock, which changes only if a test sets it. */
  now: Date;
}

export async function openEvaluator(
  options: Omit<EvaluatorOptions, "contact"> = {},
  guard: GuardOptions = {},
): Promise<OpenEvaluator> {
  const logged: LogEvent[] = [];
  const fetched: string[] = [];
  const outbound = guardedFetch({ allow: Object.values(options.upstreams ?? {}), ...guard });
  const opened = { logged, fetched, now: new Date("2026-11-01T12:00:00.000Z") };
  const effects: Effects = {
    fetch: (input, init) => {
      fetched.push(String(input));
      return outbound.fetch(input, init);
    },
    now: () => opened.now,
    sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
    // Retries have no random delay.
    random: () => 0,
    log: (event) => logged.push(event),
    progress: () => {},
  };
  const evaluator = new Evaluator({ contact: null, workers: { size: 1 }, ...options }, effects);
  return Object.assign(opened, {
    evaluator,
    async evaluate(text: string, contract: ContractId) {
      const identifier = parseIdentifier(text);
      if (identifier.kind !== "rejected") return evaluator.evaluate(identifier, contract);
      const code = identifier.rejection === "malformed" ? "malformed-identifier" : "unsupported-source";
      throw new EvaluationError(code, identifier.reason);
    },
    async score(given: ObtainedPayload, contract: ContractId, asOf = opened.now.toISOString().slice(0, 10)) {
      const scored = scoreOne(given, asOf, await getReader(given.source));
      return showPeople(explain(scored, contract), scored.researcherIds, options.isWithheld);
    },
    async [Symbol.asyncDispose]() {
      await evaluator.close();
      await outbound.close();
    },
  });
}
