/**
 * Sends requests to a service within its rate limit, and within limits of time and size. Retries temporary failures.
 */

import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { lineText, plural } from "../reading/text.ts";
import type { Rate, SourceRequest } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import { type Document, findErrorMessage, parseDocument } from "./document.ts";
import { Identification } from "./identification.ts";
import { PLAIN_TEXT } from "./objection.ts";
import type { Service } from "./service.ts";
import {
  BadHarvestOption,
  BodyTooLarge,
  BudgetSpent,
  ForbiddenHost,
  isUpstream,
  UpstreamRejected,
  UpstreamUnavailable,
} from "./session.ts";

export interface HttpLimits {
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly attempts: number;
  readonly redirects: number;
}

export const HTTP_LIMITS: HttpLimits = { timeoutMs: 60_000, bodyBytes: 256 * 1024 * 1024, attempts: 6, redirects: 5 };

export interface ServiceResponse extends Document {
  readonly headers: Headers;
  readonly retrievedAt: string;
}

/** A failure that a retry may fix. `retryAfter` is the wait that the service requires, in milliseconds, or null. */
class Transient extends Error {
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

/** A request and its current URL. A redirect changes the URL. */
interface HttpRequest {
  readonly target: URL;
  readonly ask: SourceRequest;
}

export interface CallerOptions {
  readonly hosts: AllowedHosts;
  readonly agent: string;
  /** Contact and credential of the client; by default, it has neither. */
  readonly identification?: Identification;
  readonly limits: HttpLimits;
  readonly budget: Budget;
}

export class ServiceCaller {
  requests = 0;
  private readonly source: Service;
  private readonly options: CallerOptions;
  private readonly identification: Identification;
  private readonly effects: Effects;
  private readonly lanes: Lanes;
  private readonly stopped = new AbortController();

  constructor(source: Service, options: CallerOptions, effects: Effects) {
    this.source = source;
    this.options = options;
    this.identification = options.identification ?? new Identification(source, null);
    this.effects = effects;
    this.lanes = new Lanes(source, effects, this.stopped.signal);
  }

  stop(): void {
    this.stopped.abort();
  }

  /** Sends a request, and sends it again after temporary failures. */
  async ask(ask: SourceRequest): Promise<ServiceResponse> {
    const { hosts, limits } = this.options;
    const target = hosts.check(ask.url);
    const lane = this.lanes.of(target.host);
    return lane.run(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.attempt({ target, ask });
        } catch (error) {
          if (!(error instanceof Transient)) throw error;
          if (attempt >= limits.attempts) {
            const advice = "The records so far are stored; run the same command again to continue.";
            throw new UpstreamUnavailable(`${error.message} (after ${attempt} tries). ${advice}`, { cause: error });
          }
          const wait = Math.round(backOff(attempt, this.effects.random(), error.retryAfter));
          this.logRetry(error.message, attempt, wait);
          // If a service requires a wait, parallel requests must wait too.
          await lane.rate.pause(wait);
        }
      }
    });
  }

  private async attempt(first: HttpRequest): Promise<ServiceResponse> {
    const { hosts, limits } = this.options;
    let request = first;
    for (let hop = 0; hop <= limits.redirects; hop++) {
      const answer = await this.request(request);
      if (!("target" in answer)) return answer;
      request = { ...answer, target: hosts.check(answer.target.href) };
    }
    throw new UpstreamRejected(
      `${first.ask.url} redirects more than ${limits.redirects} times; try again later, or report this to the service`,
      310,
    );
  }

  /**
   * Sends one request, and reads the body within the time limit. If the response is a redirect, returns the request to send
   * next.
   */
  private async request(request: HttpRequest): Promise<ServiceResponse | HttpRequest> {
    const { identification } = this;
    const { agent, limits, budget } = this.options;
    const { target, ask } = request;
    await this.lanes.of(target.host).rate.take();
    budget.check(this.requests);
    this.requests += 1;
    const time = AbortSignal.timeout(limits.timeoutMs);
    const signal = AbortSignal.any([time, this.stopped.signal]);
    try {
      const init = makeRequestInit(ask, agent, identification.headers);
      const response = await this.effects.fetch(identification.withSecret(target), {
        ...init,
        redirect: "manual",
        signal,
      });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status <= 399 && location !== null) {
        await response.body?.cancel();
        const next = followRedirect(request, location, response.status);
        return { ...next, target: identification.withoutSecret(next.target) };
      }
      if (!response.ok) throw await this.makeFailure(response, target.href);
      return this.readResponse(response, await readBody(response, limits.bodyBytes), request);
    } catch (error) {
      if (error instanceof Transient || error instanceof BudgetSpent || isUpstream(error)) throw error;
      if (this.stopped.signal.aborted) throw error;
      const reason = time.aborted
        ? `no complete response within ${limits.timeoutMs} ms`
        : identification.redactText(networkReason(error));
      throw new Transient(`${target.href}: ${reason}`, null, { cause: error });
    }
  }

  private async makeFailure(response: Response, url: string): Promise<Error> {
    const { status } = response;
    const serviceMessage = await this.messageIn(response);
    const message = `${url} answered ${status}${serviceMessage === null ? "" : `: ${serviceMessage}`}`;
    if (status !== 408 && status !== 429 && status < 500) return new UpstreamRejected(message, status);
    return new Transient(message, readRetryAfter(response.headers.get("retry-after"), this.effects.now()));
  }

  /** Returns the error message in a response, or null if it has none. */
  private async messageIn(response: Response): Promise<string | null> {
    const body = this.identification.redactBody(await readBody(response, 1 << 20).catch(() => Buffer.alloc(0)));
    const parsed = parseDocument(body, this.source);
    if (parsed.objection !== null) {
      const text = parsed.objection.detail === PLAIN_TEXT ? body.toString("utf8") : parsed.objection.detail;
      return lineText(text, 300);
    }
    return findErrorMessage(parsed.document);
  }

  /**
   * Reads a response. An HTML page, an incomplete body and an empty body with status 200 are temporary failures, and so
   * is each fault that the source recognises (`findFault`).
   */
  private readResponse(response: Response, body: Buffer, { target, ask }: HttpRequest): ServiceResponse {
    const due = ask.as ?? "json";
    const parsed = parseDocument(this.identification.redactBody(body), this.source, due);
    if (parsed.objection !== null) {
      const { reason, detail } = parsed.objection;
      const message = `${target.href} answered ${response.status} with ${detail} instead of ${DUE[due]}`;
      if (reason === "too-deep" || reason === "too-large") throw new UpstreamRejected(message, response.status);
      throw new Transient(message, null);
    }
    const { headers } = response;
    const fault = this.source.findFault?.(parsed.document, headers) ?? null;
    if (fault !== null) {
      const wait = readRetryAfter(headers.get("retry-after"), this.effects.now());
      throw new Transient(`${target.href} answered ${response.status}: ${fault}`, wait);
    }
    return { ...parsed, headers, retrievedAt: this.effects.now().toISOString() };
  }

  private logRetry(reason: string, attempt: number, wait: number): void {
    const event = { level: "warn", event: "harvest-retry", source: this.source.name } as const;
    this.effects.log({ ...event, reason, attempt, wait });
  }
}

const DUE = { json: "JSON", xml: "XML", text: "plain text" } as const;

function makeRequestInit(ask: SourceRequest, agent: string, known: Readonly<Record<string, string>>): RequestInit {
  const headers = { ...ask.headers, ...known, "user-agent": agent };
  if (ask.body === undefined) return { headers };
  return { method: "POST", body: ask.body, headers: { "content-type": "application/json", ...headers } };
}

/**
 * Returns the request to which a redirect leads. The host must be one of the source. Only 307 and 308 send a POST again
 * (RFC 9110, 15.4).
 */
function followRedirect({ target, ask }: HttpRequest, location: string, status: number): HttpRequest {
  if (!URL.canParse(location, target.href)) {
    throw new UpstreamRejected(
      `${target.href} redirects to "${location.slice(0, 200)}", which is not a URL; try again later, or report this to the service`,
      status,
    );
  }
  const { body, ...plain } = ask;
  const repeats = body !== undefined && (status === 307 || status === 308);
  return { target: new URL(location, target), ask: repeats ? ask : plain };
}

/** Returns the cause of a network error, such as ECONNRESET with its message, from the error of `fetch` that wraps it. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "a network error without a message";
  return "code" in cause && typeof cause.code === "string" ? `${cause.message} (${cause.code})` : cause.message;
}

const MAX_PAUSE_MS = 10 * 60 * 1000;

const CAP = 60_000;

/**
 * Returns a random wait (full jitter) in milliseconds, so that many clients do not retry at once. It is at least
 * `retryAfter`, but never more than MAX_PAUSE_MS.
 */
export function backOff(attempt: number, random: number, retryAfter: number | null): number {
  const bound = Math.min(CAP, 1000 * 2 ** attempt);
  return Math.min(MAX_PAUSE_MS, Math.max(random * bound, retryAfter ?? 0));
}

/** Reads the header Retry-After (RFC 9110, 10.2.3): seconds or a date. Returns milliseconds, or null if it is neither. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? null : Math.max(0, time - now.getTime());
}

/**
 * Reads the body of a response.
 * @throws BodyTooLarge if it has more than `limit` bytes
 */
export async function readBody(response: Response, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return Buffer.alloc(0);
  for await (const piece of response.body) {
    size += piece.byteLength;
    if (size > limit)
      throw new BodyTooLarge(`${response.url} answered with more than ${limit} bytes; a page should be far smaller`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export interface HarvestBounds {
  readonly requests: number | null;
  readonly minutes: number | null;
}

export const NO_BOUNDS: HarvestBounds = { requests: null, minutes: null };

export class Budget {
  private readonly bounds: HarvestBounds;
  private readonly effects: Effects;
  private readonly began: number;

  constructor(bounds: HarvestBounds, effects: Effects) {
    this.bounds = bounds;
    this.effects = effects;
    this.began = effects.now().getTime();
  }

  /**
   * Checks that the run may send another request after `sent` requests.
   * @throws BudgetSpent if a limit is reached
   */
  check(sent: number): void {
    const { requests, minutes } = this.bounds;
    if (requests !== null && sent >= requests) {
      throw new BudgetSpent(
        `stopped after ${plural(requests, "request")}, the limit of this run; run the same command again to continue`,
      );
    }
    if (minutes !== null && this.effects.now().getTime() - this.began >= minutes * 60_000) {
      throw new BudgetSpent(
        `stopped after ${plural(minutes, "minute")}, the limit of this run; run the same command again to continue`,
      );
    }
  }
}

export interface HostOptions {
  readonly base: string;
  readonly installations: readonly string[];
  /** True to allow any URL as `base`. Only tests use this, for servers on loopback. */
  readonly allowPrivate: boolean;
}

export class AllowedHosts {
  private readonly name: string;
  private readonly hosts: readonly string[];
  /** Origin of a test server, with its port, so that no other service on that host can be contacted. */
  private readonly extra: string | null;

  constructor(source: Service, { base, installations, allowPrivate }: HostOptions) {
    if (!URL.canParse(base))
      throw new BadHarvestOption(`"${base}" is not the URL of a service, such as https://zenodo.org`);
    this.name = source.name;
    this.hosts = source.installations === true ? [...source.hosts, ...installations] : source.hosts;
    this.extra = allowPrivate ? new URL(base).origin : null;
    this.check(base);
  }

  /**
   * Parses a URL.
   * @throws ForbiddenHost if the source may not contact its host
   */
  check(address: string): URL {
    const url = URL.canParse(address) ? new URL(address) : null;
    const why = url === null ? "it is not a URL" : this.objectionTo(url);
    if (url !== null && why === null) return url;
    throw new ForbiddenHost(`${address} was not contacted: ${why}`);
  }

  private objectionTo(url: URL): string | null {
    if (url.username !== "" || url.password !== "") return "it contains a user name or a password";
    if (url.origin === this.extra) return null;
    const hosts = this.hosts.join(", ");
    if (!this.hosts.includes(url.hostname)) return `${this.name} is harvested from ${hosts} only`;
    return url.protocol === "https:" && url.port === ""
      ? null
      : `${this.name} is harvested over https on port 443 only`;
  }
}

interface Lane {
  readonly rate: RateLimit;
  readonly run: LimitFunction;
}

export class Lanes {
  private readonly source: Service;
  private readonly effects: Effects;
  private readonly stopped: AbortSignal;
  private readonly lanes = new Map<string, Lane>();

  constructor(source: Service, effects: Effects, stopped: AbortSignal) {
    this.source = source;
    this.effects = effects;
    this.stopped = stopped;
  }

  /** Returns the rate limit and the queue of a host, such as api.figshare.com. */
  of(host: string): Lane {
    const known = this.lanes.get(host);
    if (known !== undefined) return known;
    const rate = new RateLimit(this.source.rate, this.effects, this.stopped);
    const lane = { rate, run: pLimit(this.source.concurrency ?? 1) };
    this.lanes.set(host, lane);
    return lane;
  }
}

/** A token bucket that keeps below the documented rate of a service. A short burst of requests counts towards this rate. */
class RateLimit {
  private readonly burst: number;
  /**
   * Number of tokens added in each millisecond. It is below the rate of the service, so that these tokens and one burst
   * together stay within the rate.
   */
  private readonly refill: number;
  private readonly effects: Effects;
  private readonly stopped: AbortSignal;
  private tokens: number;
  private last: number;
  /** Settles when the last request in the queue has its turn. Each request waits for the one before it. */
  private tail: Promise<void> = Promise.resolve();

  constructor(rate: Rate, effects: Effects, stopped: AbortSignal) {
    this.stopped = stopped;
    this.burst = Math.max(1, Math.floor(rate.requests / 10));
    this.refill = Math.max(1, rate.requests - this.burst) / (rate.seconds * 1000);
    this.effects = effects;
    this.tokens = this.burst;
    this.last = effects.now().getTime();
  }

  take(): Promise<void> {
    return this.queue(() => this.takeOne());
  }

  /** Delays all later requests by a number of milliseconds. Resolves after the wait. */
  pause(milliseconds: number): Promise<void> {
    return this.queue(() => this.effects.sleep(milliseconds, this.stopped));
  }

  private queue(turn: () => Promise<void>): Promise<void> {
    const turnResult = this.tail.then(turn);
    // The caller of a failed turn gets its error.
    this.tail = turnResult.catch(() => {});
    return turnResult;
  }

  private async takeOne(): Promise<void> {
    const now = this.effects.now().getTime();
    const elapsed = Math.max(0, now - this.last);
    this.tokens = Math.min(this.burst, this.tokens + elapsed * this.refill);
    this.last = Math.max(this.last, now);
    if (this.tokens < 1) {
      const wait = (1 - this.tokens) / this.refill;
      await this.effects.sleep(wait, this.stopped);
      this.last += wait;
      this.tokens = 1;
    }
    this.tokens -= 1;
  }
}
