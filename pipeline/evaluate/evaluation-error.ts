/** The reason that there is no evaluation: a stable code, and a message that may be shown to whoever asked. */

/**
 * `malformed-identifier`: no identifier (400). `unsupported-source`: one of no source here (422). `not-in-source`: the
 * source has no such record (404). `source-unreachable`: no usable answer (502). `source-too-slow`: none in time (504).
 */
export type EvaluationFault =
  | "malformed-identifier"
  | "unsupported-source"
  | "not-in-source"
  | "source-unreachable"
  | "source-too-slow";

export class EvaluationError extends Error {
  readonly code: EvaluationFault;
  /** Seconds after which asking again makes sense, for faults that pass; null for the others. */
  readonly retryAfter: number | null;

  constructor(code: EvaluationFault, message: string, options: ErrorOptions & { readonly retryAfter?: number } = {}) {
    super(message, options);
    this.name = "EvaluationError";
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** The longest wait, for a service's rate or after a failure, that an evaluation sits through. */
export const PATIENCE_MS = 5000;

/** Seconds after which a failure has usually passed. */
const SOON = 30;

/** The next request would have to wait too long: the service asked for that, or its rate does. */
export class ServiceBusy extends Error {
  readonly code = "service-busy";
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super(`no request before ${Math.ceil(milliseconds)} ms have passed`);
    this.name = "ServiceBusy";
    this.milliseconds = milliseconds;
  }
}

const SLOW_CODES = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** The fault behind `error`, which a request to `service` ended with. */
export function upstreamFault(error: unknown, service: string): EvaluationError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof EvaluationError);
  if (known instanceof EvaluationError) return known;
  const busy = causes.find((cause) => cause instanceof ServiceBusy);
  if (busy instanceof ServiceBusy) {
    const retryAfter = Math.ceil(busy.milliseconds / 1000);
    const message = `${service} takes no more requests for now; try again in ${retryAfter} s`;
    return new EvaluationError("source-unreachable", message, { cause: error, retryAfter });
  }
  const options = { cause: error, retryAfter: SOON };
  if (causes.some(isTimeout)) {
    return new EvaluationError("source-too-slow", `${service} did not answer in time; try again later`, options);
  }
  const status = causes.map(statusOf).find((each) => each !== null) ?? null;
  const detail = status === null ? "" : ` (status ${status})`;
  return new EvaluationError(
    "source-unreachable",
    `${service} gave no usable answer${detail}; try again later`,
    options,
  );
}

/** Of an answer that was none: its status is told, its words are not. */
function statusOf(cause: unknown): number | null {
  return cause instanceof Error && "status" in cause && typeof cause.status === "number" ? cause.status : null;
}

/** A service answered, and not with the record or word that it is gone. */
export function unusable(service: string, detail: string): EvaluationError {
  return new EvaluationError("source-unreachable", `${service} gave no usable answer (${detail}); try again later`, {
    retryAfter: SOON,
  });
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10; ) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

function isTimeout(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return cause.name === "TimeoutError" || ("code" in cause && SLOW_CODES.has(String(cause.code)));
}
