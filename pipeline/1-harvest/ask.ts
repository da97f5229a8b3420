/** One polite question to a service: below its rate, within time and size, tried again where that can help. */

import type { Effects } from "../effects.ts";
import type { Source } from "../sources/source.ts";
import { backOff, retryAfterOf } from "./back-off.ts";
import { readBody } from "./body.ts";
import { parseDocument } from "./document.ts";
import { errorAnswerOf } from "./error-answer.ts";
import { isUpstream, UpstreamRefused, UpstreamUnavailable } from "./errors.ts";
import type { AllowedHosts } from "./hosts.ts";
import { RateLimit } from "./rate.ts";

/** What one request may take. */
export interface HttpLimits {
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly attempts: number;
  readonly redirects: number;
}

export const HTTP_LIMITS: HttpLimits = { timeoutMs: 60_000, bodyBytes: 256 * 1024 * 1024, attempts: 6, redirects: 5 };

/** An answer that is JSON; its document has been parsed once. */
export interface Answer {
  readonly document: unknown;
  readonly bytes: Buffer;
  readonly headers: Headers;
  readonly retrievedAt: string;
}

/** A failure another try may mend, with the wait the service asked for. */
class Transient extends Error {
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

export class Caller {
  /** Requests sent, redirects and further tries included. */
  requests = 0;
  private readonly source: Source;
  private readonly hosts: AllowedHosts;
  private readonly agent: string;
  private readonly limits: HttpLimits;
  private readonly effects: Effects;
  private readonly rate: RateLimit;

  constructor(source: Source, hosts: AllowedHosts, agent: string, limits: HttpLimits, effects: Effects) {
    this.source = source;
    this.hosts = hosts;
    this.agent = agent;
    this.limits = limits;
    this.effects = effects;
    this.rate = new RateLimit(source.rate, effects);
  }

  /** Asks until there is an answer, a refusal, or no try left. */
  async ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(url, headers);
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        if (attempt >= this.limits.attempts) {
          const advice = "What came so far is kept; the same command goes on from there.";
          throw new UpstreamUnavailable(`${error.message} (after ${attempt} tries). ${advice}`, { cause: error });
        }
        const wait = Math.round(backOff(attempt, this.effects.random(), error.retryAfter));
        this.effects.log({
          level: "warn",
          event: "harvest-retry",
          source: this.source.name,
          reason: error.message,
          attempt,
          wait,
        });
        await this.effects.sleep(wait);
      }
    }
  }

  private async attempt(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    let target = this.hosts.check(url);
    for (let hop = 0; hop <= this.limits.redirects; hop++) {
      const answer = await this.request(target, headers);
      if (!(answer instanceof URL)) return answer;
      target = this.hosts.check(answer.href);
    }
    throw new UpstreamRefused(`${url} redirects more than ${this.limits.redirects} times`, 310);
  }

  /** One request within its time, body included; a redirect answers where it leads. */
  private async request(target: URL, headers: Readonly<Record<string, string>>): Promise<Answer | URL> {
    await this.rate.take();
    this.requests += 1;
    const signal = AbortSignal.timeout(this.limits.timeoutMs);
    try {
      const sent = { ...headers, "user-agent": this.agent };
      const response = await this.effects.fetch(target, { headers: sent, redirect: "manual", signal });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status <= 399 && location !== null) {
        await response.body?.cancel();
        return redirectOf(target, location, response.status);
      }
      if (!response.ok) throw await this.failureOf(response, target.href);
      return this.answerOf(response, await readBody(response, this.limits.bodyBytes), target.href);
    } catch (error) {
      if (error instanceof Transient || isUpstream(error)) throw error;
      const reason = signal.aborted ? `no whole answer within ${this.limits.timeoutMs} ms` : networkReason(error);
      throw new Transient(`${target.href}: ${reason}`, null, { cause: error });
    }
  }

  private async failureOf(response: Response, url: string): Promise<Error> {
    const { status } = response;
    const told = await this.messageIn(response);
    const message = `${url} answered ${status}${told === null ? "" : `: ${told}`}`;
    if (status !== 408 && status !== 429 && status < 500) return new UpstreamRefused(message, status);
    return new Transient(message, retryAfterOf(response.headers.get("retry-after"), this.effects.now()));
  }

  /** The service's own words, where there are any worth showing. */
  private async messageIn(response: Response): Promise<string | null> {
    const body = await readBody(response, 1 << 20).catch(() => Buffer.alloc(0));
    const parsed = parseDocument(body, this.source);
    if (parsed.objection !== null) {
      const text = parsed.objection.detail === "plain text" ? body.toString("utf8") : parsed.objection.detail;
      return text.replace(/[\s\p{Cc}]+/gu, " ").slice(0, 300);
    }
    return errorAnswerOf(parsed.document);
  }

  /** HTML, half a body or nothing in a 200 is a fault of the moment. */
  private answerOf(response: Response, body: Buffer, url: string): Answer {
    const parsed = parseDocument(body, this.source);
    if (parsed.objection === null) {
      return {
        document: parsed.document,
        bytes: parsed.bytes,
        headers: response.headers,
        retrievedAt: this.effects.now().toISOString(),
      };
    }
    const { reason, detail } = parsed.objection;
    const message = `${url} answered ${response.status} with ${detail} where JSON was due`;
    if (reason === "too-deep") throw new UpstreamRefused(message, response.status);
    throw new Transient(message, null);
  }
}

/** Redirects are followed by hand: each target must be a host of the source. */
function redirectOf(from: URL, location: string, status: number): URL {
  if (URL.canParse(location, from.href)) return new URL(location, from);
  throw new UpstreamRefused(`${from.href} redirects to "${location.slice(0, 200)}", which is no address`, status);
}

/** fetch wraps what went wrong; the inner code (ECONNRESET…) is what an operator can use. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "network error";
  return "code" in cause && typeof cause.code === "string" ? `${cause.message} (${cause.code})` : cause.message;
}
