/**
 * Sends the requests of all evaluations. Each request only goes to a host of its service, and stays within the rate
 * limit of the service and the limits of time and size. Bodies are not parsed here.
 */

import { CONCURRENCY } from "../1-harvest/fetch-record.ts";
import { AllowedHosts, Lanes, readBody } from "../1-harvest/requests.ts";
import { ForbiddenHost } from "../1-harvest/session.ts";
import { sourceNamed } from "../sources/index.ts";
import type { Effects } from "../stage/effects.ts";
import { PATIENCE_MS, ServiceBusy } from "./evaluation-error.ts";
import type { Question, Reply, RequestOptions } from "./messages.ts";
import { chooseBase, DOI_ORG, REQUEST_LIMITS } from "./obtain.ts";

/** Largest error response, in bytes, whose message is read. The body of a larger one counts as empty. */
const ERROR_BYTES = 1 << 20;

const MAX_URL_LENGTH = 16_384;

interface OpenService {
  readonly hosts: AllowedHosts;
  /** The rate limits of the hosts. */
  readonly lanes: Lanes;
}

export class Requests {
  readonly #options: RequestOptions;
  readonly #effects: Effects;
  readonly #services = new Map<string, OpenService>();
  readonly #stopped = new AbortController();

  constructor(options: RequestOptions, effects: Effects) {
    this.#options = options;
    // Longer waits are an error, because a user waits too.
    const sleep: Effects["sleep"] = (milliseconds, signal) =>
      milliseconds > PATIENCE_MS
        ? Promise.reject(new ServiceBusy(milliseconds))
        : effects.sleep(milliseconds, signal ?? this.#stopped.signal);
    this.#effects = { ...effects, sleep };
  }

  /**
   * Sends one request, or waits if the question asks for a wait. After a wait for a service, all evaluations wait
   * before their next request to that service.
   *
   * @throws ServiceBusy if a user would have to wait too long; ForbiddenHost
   */
  async reply(question: Question): Promise<Reply> {
    // The URL can come from a payload that names its next page, so it is not trusted.
    if (question.url.length > MAX_URL_LENGTH)
      throw new ForbiddenHost(`a URL of more than ${MAX_URL_LENGTH} characters was not contacted`);
    const { hosts, lanes } = this.#open(question.service);
    const target = hosts.check(question.url);
    const { rate, run } = lanes.of(target.host);
    if (question.kind === "wait") {
      if (question.reason !== null) this.#effects.log(question.reason);
      await rate.pause(question.milliseconds);
      return { kind: "waited", at: this.#instant() };
    }
    return run(async () => {
      await rate.take();
      return this.#send(target, question);
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #send(target: URL, { headers, body: sent }: Extract<Question, { kind: "request" }>): Promise<Reply> {
    try {
      const response = await this.#effects.fetch(target, {
        ...(sent === null ? {} : { method: "POST", body: sent }),
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(this.#options.timeoutMs), this.#stopped.signal]),
      });
      const body = await readCheckedBody(response);
      return { kind: "answer", status: response.status, headers: [...response.headers], body, at: this.#instant() };
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error;
      return { kind: "failed", ...describeFailure(error), at: this.#instant() };
    }
  }

  #open(name: string): OpenService {
    const known = this.#services.get(name);
    if (known !== undefined) return known;
    const service = name === DOI_ORG.name ? DOI_ORG : sourceNamed(name);
    if (service === null)
      throw new Error(`there is no source called ${name} in this version of the program; report this`);
    const concurrentService = { ...service, concurrency: Math.max(CONCURRENCY, service.concurrency ?? 1) };
    const opened = {
      hosts: new AllowedHosts(service, chooseBase(service, this.#options.upstreams)),
      lanes: new Lanes(concurrentService, this.#effects, this.#stopped.signal),
    };
    this.#services.set(name, opened);
    return opened;
  }

  #instant(): string {
    return this.#effects.now().toISOString();
  }
}

async function readCheckedBody(response: Response): Promise<Uint8Array> {
  const { status, headers } = response;
  if (status >= 300 && status <= 399 && headers.has("location")) {
    await response.body?.cancel();
    return new Uint8Array();
  }
  if (response.ok) return readBody(response, REQUEST_LIMITS.bodyBytes);
  return readBody(response, ERROR_BYTES).catch(() => new Uint8Array());
}

/** Describes why `fetch` failed. The description is in the cause of its error. */
function describeFailure(error: unknown): { name: string; code: string | null; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { name: "Error", code: null, message: "a network error without a message" };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : null;
  return { name: cause.name, code, message: cause.message.slice(0, 1000) };
}
