/** Sends requests, retries them, and waits as the service requires. */

import type { components } from "./described.ts";

export interface SendingOptions {
  /** The function that sends requests; the platform's fetch by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The maximum number of retries of a request; 4 by default. */
  readonly retries?: number;
  /** The longest wait in seconds, for a quota or between two attempts; 60 by default. */
  readonly patience?: number;
}

/** Milliseconds between the first and the second attempt. The pause doubles with each further attempt. */
const FIRST_PAUSE = 500;

/** Status codes after which the same request may succeed later. */
const TEMPORARY: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Status codes after which a request with side effects may be repeated too, because a quota rejects it before any effect. */
const WITHOUT_EFFECT: readonly number[] = [429];

export const KEY_HEADER = "X-API-Key";

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

export type Send = (request: Request) => Promise<Response>;

export function sending(options: SendingOptions): Send {
  const { retries = 4, patience = 60, fetch = (request: Request) => globalThis.fetch(request) } = options;
  const quotas = new Quotas();
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const quota = quotas.wait(request.url, Date.now());
      if (quota > 0 && quota <= patience * 1000) await pause(quota, request.signal);
      const isLast = attempt >= retries;
      const answered = await attemptRequest(fetch, isLast ? request : request.clone());
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

async function attemptRequest(fetch: Send, request: Request): Promise<Response | { readonly failure: unknown }> {
  try {
    return await withKeyAtOrigin(fetch, request);
  } catch (failure) {
    return { failure };
  }
}

/**
 * Sends a request and follows redirects, but sends the API key only to the origin that the caller named. The platform's
 * fetch removes `Authorization` if a redirect leaves the origin, but not `X-API-Key`.
 */
async function withKeyAtOrigin(fetch: Send, request: Request): Promise<Response> {
  if (!request.headers.has(KEY_HEADER)) return fetch(request);
  const { origin } = new URL(request.url);
  let next = request;
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
    const response = await fetch(new Request(next.clone(), { redirect: "manual" }));
    // Browsers hide the status and the location of a redirect.
    if (response.type !== "opaqueredirect" && !REDIRECTS.includes(response.status)) return response;
    await response.body?.cancel();
    const location = response.headers.get("location") ?? "";
    const target = URL.canParse(location, next.url) ? new URL(location, next.url) : null;
    if (target?.origin !== origin || !isSafe(request)) break;
    next = new Request(target, next);
  }
  const withoutKey = new Request(request);
  withoutKey.headers.delete(KEY_HEADER);
  return fetch(withoutKey);
}

/** Returns the milliseconds until the next attempt; null if the request must not be repeated. */
function pauseAfter(response: Response | null, request: Request, attempt: number): number | null {
  if (request.signal.aborted) return null;
  if (response === null) return isSafe(request) ? backOff(attempt) : null;
  if (!(isSafe(request) ? TEMPORARY : WITHOUT_EFFECT).includes(response.status)) return null;
  const named = readRetryAfter(response);
  return named === null ? backOff(attempt) : named * 1000;
}

function isSafe({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Returns the milliseconds until the next attempt, which double each time. They are reduced at random by up to a half, so
 * that clients that failed together do not return together.
 */
function backOff(attempt: number): number {
  return FIRST_PAUSE * 2 ** attempt * (1 - Math.random() / 2);
}

/** Returns the seconds in `Retry-After`, a number or a time (RFC 9110, 10.2.3); null without it. */
export function readRetryAfter({ headers }: Response): number | null {
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

/** Matches `"anonymous";r=0;t=42`: a name, the remaining requests, and the seconds until the quota is full again. */
const ITEM = /"([^"]*)"((?:\s*;\s*[\w*.-]+=-?\d+)*)/g;

/** The quotas that the service reported. A request that would exceed a quota waits until the quota is full again. */
class Quotas {
  /** For each exhausted quota, the time in milliseconds at which it is full again. */
  readonly #fullAt = new Map<string, number>();
  /** For each kind of URL, the names of the quotas that count requests to it. */
  readonly #charged = new Map<string, readonly string[]>();

  /** Reads the header `RateLimit` of a response (draft-ietf-httpapi-ratelimit-headers). */
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
    if (names.length > 0) this.#charged.set(getKind(address), names);
  }

  /** Returns milliseconds until a request to this URL is possible. */
  wait(address: string, now: number): number {
    const names = this.#charged.get(getKind(address)) ?? [];
    return Math.max(0, ...names.map((name) => (this.#fullAt.get(name) ?? now) - now));
  }
}

/**
 * Returns the kind of a URL: the first segment of its path, such as `/evaluations`, because badges and evaluations have
 * separate quotas.
 */
function getKind(address: string): string {
  return new URL(address).pathname.split("/", 2).join("/");
}

type Details = components["schemas"]["Problem"];

/** Thrown for a response without success. `code` is stable; `message` is for people. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  /** The last part of `type`, such as `dataset-not-found`; `unknown` for a response of a proxy. */
  readonly code: string;
  /** A URL of the service that explains the problem. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  /** The faults, one for each wrong parameter or field. */
  readonly errors: NonNullable<Details["errors"]>;
  /** Seconds until a retry may help, or null. */
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

/** Returns the problem that a response describes. If it has no problem document, as from a proxy, the code is `unknown`. */
export async function problemIn(response: Response, retryAfter: number | null): Promise<Problem> {
  const text = await response.text();
  const { status } = response;
  const details: Details = {
    type: "/problems/unknown",
    title: response.statusText || `Status ${status}`,
    status,
    detail: "The response does not say why. Check that the URL is that of a SHARE service, or try again later.",
    instance: new URL(response.url || "http://unknown/").pathname,
  };
  return new Problem({ ...details, ...documentIn(response, text) }, retryAfter);
}

function documentIn(response: Response, text: string): Partial<Details> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
