/** Sends requests, again where that helps, and never sooner than the service asks for. */

import { Quotas } from "./quotas.ts";

export interface SendingOptions {
  /** In place of the platform's. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** How often a request is sent again; 4 unless said otherwise. */
  readonly retries?: number;
  /** Most seconds that are waited for a quota or between two attempts; 60 unless said otherwise. */
  readonly patience?: number;
}

/** Milliseconds before the second attempt, where the service names no time; they double. */
const FIRST_PAUSE = 500;

/** Answers after which the same request can succeed. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504];

/** A request with side effects is sent again only where it had none: a quota refuses before anything is done. */
const REFUSED_UNREAD: readonly number[] = [429];

export type Send = (request: Request) => Promise<Response>;

export function sending(options: SendingOptions): Send {
  const { retries = 4, patience = 60, fetch = (request: Request) => globalThis.fetch(request) } = options;
  const quotas = new Quotas();
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const quota = quotas.wait(request.url, Date.now());
      if (quota > 0 && quota <= patience * 1000) await pause(quota, request.signal);
      const isLast = attempt >= retries;
      const answered = await attemptOf(fetch, isLast ? request : request.clone());
      const response = answered instanceof Response ? answered : null;
      if (response !== null) quotas.note(request.url, response.headers.get("ratelimit"), Date.now());
      const wait = isLast ? null : pauseAfter(response, request, attempt);
      if (wait !== null && wait <= patience * 1000) {
        await response?.body?.cancel();
        await pause(wait, request.signal);
      } else if (answered instanceof Response) return answered;
      else throw answered.failure;
    }
  };
}

/** The answer, or what kept it from coming. */
async function attemptOf(fetch: Send, request: Request): Promise<Response | { readonly failure: unknown }> {
  try {
    return await fetch(request);
  } catch (failure) {
    return { failure };
  }
}

/** Milliseconds until the next attempt; null where there is none to be made. */
function pauseAfter(response: Response | null, { method, signal }: Request, attempt: number): number | null {
  const isSafe = method === "GET" || method === "HEAD";
  if (signal.aborted) return null;
  if (response === null) return isSafe ? backOff(attempt) : null;
  if (!(isSafe ? PASSING : REFUSED_UNREAD).includes(response.status)) return null;
  const named = retryAfterOf(response);
  return named === null ? backOff(attempt) : named * 1000;
}

/** Between half of a pause that doubles and the whole, so that those who failed together do not come back together. */
function backOff(attempt: number): number {
  return FIRST_PAUSE * 2 ** attempt * (1 - Math.random() / 2);
}

/** Seconds of `Retry-After`, which is a number or a time (RFC 9110, 10.2.3); null where there is none. */
export function retryAfterOf({ headers }: Response): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
