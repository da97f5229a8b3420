/** Sends requests, again where that helps, and never sooner than the service asks for. */

import type { components } from "./described.ts";

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

/** `"anonymous";r=0;t=42`: a name, the requests that remain, and the seconds until there are more. */
const ITEM = /"([^"]*)"((?:\s*;\s*[\w*.-]+=-?\d+)*)/g;

/** What the service said of its caller's quotas, so that nobody asks who would only be refused. */
class Quotas {
  /** When a quota that is used up is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();
  /** The quotas that each kind of address is charged to. */
  readonly #charged = new Map<string, readonly string[]>();

  /** Reads `RateLimit` of an answer (draft-ietf-httpapi-ratelimit-headers). */
  note(address: string, header: string | null, now: number): void {
    const names: string[] = [];
    for (const [, name = "", parameters = ""] of (header ?? "").matchAll(ITEM)) {
      const { r = Number.NaN, t = Number.NaN } = Object.fromEntries(
        [...parameters.matchAll(/([\w*.-]+)=(-?\d+)/g)].map(([, key = "", value]) => [key, Number(value)]),
      );
      names.push(name);
      if (r <= 0 && t >= 0) this.#fullAt.set(name, now + t * 1000);
      else this.#fullAt.delete(name);
    }
    if (names.length > 0) this.#charged.set(kindOf(address), names);
  }

  /** Milliseconds until the address can be asked. */
  wait(address: string, now: number): number {
    const names = this.#charged.get(kindOf(address)) ?? [];
    return Math.max(0, ...names.map((name) => (this.#fullAt.get(name) ?? now) - now));
  }
}

/** Badges and evaluations have quotas of their own: addresses are told apart by where they begin. */
function kindOf(address: string): string {
  return new URL(address).pathname.split("/", 2).join("/");
}

type Details = components["schemas"]["Problem"];

/** An answer that is no success. `code` says which problem it is, for good; `message` is for people. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  /** The last part of `type`, such as `dataset-not-found`; `unknown` where something before the service refused. */
  readonly code: string;
  /** An address on the service with a page on the problem. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  /** Each parameter or member that is wrong. */
  readonly errors: NonNullable<Details["errors"]>;
  /** Seconds after which asking again may help; null where nothing is said. */
  readonly retryAfter: number | null;

  constructor(details: Details, retryAfter: number | null) {
    super(`${details.title}: ${details.detail}`);
    this.status = details.status;
    this.type = details.type;
    this.code = details.type.split("/").at(-1) ?? "unknown";
    this.title = details.title;
    this.detail = details.detail;
    this.instance = details.instance;
    this.errors = details.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The problem that an answer tells of; one of `unknown` code where it has no problem document, as a proxy's has not. */
export async function problemIn(response: Response, retryAfter: number | null): Promise<Problem> {
  const text = await response.text();
  const { status } = response;
  const said: Details = {
    type: "/problems/unknown",
    title: response.statusText || `Status ${status}`,
    status,
    detail: "the answer says no more",
    instance: new URL(response.url || "http://unknown/").pathname,
  };
  return new Problem({ ...said, ...documentIn(response, text) }, retryAfter);
}

function documentIn(response: Response, text: string): Partial<Details> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
