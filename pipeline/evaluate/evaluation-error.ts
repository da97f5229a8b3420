/** Errors of an evaluation. Each has a stable code and a message for the user. */

import type { ProblemType } from "../../schemas/public/problem.ts";

/**
 * Codes of errors: problem types of the API, and two codes for a request with an invalid body. `malformed-identifier`:
 * the text is not an identifier. `no-draft`: the file does not contain a draft. `unsupported-source`: none of the
 * sources of this service contains the dataset. `not-in-source`: the source has no such record. `source-unreachable`:
 * the source did not send a usable response. `source-too-slow`: the source did not respond in time. `body-too-large`:
 * scoring the draft would take more time, memory or text than is allowed.
 */
export type EvaluationFault =
  | "malformed-identifier"
  | "no-draft"
  | Extract<
      ProblemType,
      "unsupported-source" | "not-in-source" | "source-unreachable" | "source-too-slow" | "body-too-large"
    >;

export class EvaluationError extends Error {
  readonly code: EvaluationFault;
  /** Seconds after which to try again; null if that would not help. */
  readonly retryAfter: number | null;

  constructor(
    code: EvaluationFault,
    message: string,
    options: ErrorOptions & { readonly retryAfter?: number | null } = {},
  ) {
    super(message, options);
    this.name = "EvaluationError";
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/**
 * The error if a file does not contain a draft. The message continues a sentence about the file ("is not …"). If the
 * user must choose a source, `fitting` has the names of the sources whose format the file has.
 */
export class NoDraft extends EvaluationError {
  readonly fitting: readonly string[] | null;
  constructor(message: string, fitting: readonly string[] | null = null) {
    super("no-draft", message);
    this.fitting = fitting;
  }
}

/**
 * Longest wait during an evaluation, in milliseconds. Evaluations wait for the rate limit of a service, or after a
 * failure.
 */
export const PATIENCE_MS = 5000;

/** Number of seconds after which users can try again, because most failures have passed by then. */
const SOON = 30;

/**
 * The error if the next request to a service would have to wait too long, because of its rate limit or because the
 * service asked for a pause.
 */
export class ServiceBusy extends Error {
  readonly code = "service-busy";
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super(`the service allows no request before ${Math.ceil(milliseconds)} ms have passed`);
    this.name = "ServiceBusy";
    this.milliseconds = milliseconds;
  }
}

const SLOW_CODES = ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];

/** Converts an error of a request to the error that the user sees. `service` is the public name of the service. */
export function upstreamFault(error: unknown, service: string): EvaluationError {
  const causes = listCauses(error);
  for (const cause of causes) {
    if (cause instanceof EvaluationError) return cause;
    if (!(cause instanceof ServiceBusy)) continue;
    const retryAfter = Math.ceil(cause.milliseconds / 1000);
    const message = `${service} takes no more requests for now; try again in ${retryAfter} s`;
    return new EvaluationError("source-unreachable", message, { cause: error, retryAfter });
  }
  const options = { cause: error, retryAfter: SOON };
  if (causes.some(isTimeout)) {
    return new EvaluationError("source-too-slow", `${service} did not answer in time; try again later`, options);
  }
  // Users see the status of the response, but not its text.
  const status = causes.flatMap((cause) => ("status" in cause ? [`status ${cause.status}`] : []))[0];
  return unusable(service, status ?? null, options);
}

/** Returns the error for an unusable response: one that has no record and does not say that the record was removed. */
export function unusable(
  service: string,
  detail: string | null,
  options: ErrorOptions & { readonly retryAfter: number } = { retryAfter: SOON },
): EvaluationError {
  const shown = detail === null ? "" : ` (${detail})`;
  return new EvaluationError(
    "source-unreachable",
    `${service} gave no usable answer${shown}; try again later`,
    options,
  );
}

function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(cause);
  return causes;
}

function isTimeout(cause: Error): boolean {
  return cause.name === "TimeoutError" || ("code" in cause && SLOW_CODES.includes(String(cause.code)));
}
