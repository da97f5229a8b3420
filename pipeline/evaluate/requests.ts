/**
 * Sends the requests of all evaluations. A request only goes to a host of its service, within the rate limit of the service
 * and limits of time and size. Bodies are not parsed here.
 */

import { CONCURRENCY } from "../1-harvest/fetch-record.ts";
import { AllowedHosts, Lanes, readBody } from "../1-harvest/requests.ts";
import { BodyTooLarge } from "../1-harvest/session.ts";
import { sourceNamed } from "../sources/index.ts";
import type { Effects } from "../stage/effects.ts";
import { PATIENCE_MS, ServiceBusy } from "./evaluation-error.ts";
import type { Reply, RequestOptions, WorkerRequest } from "./messages.ts";
import { DOI_ORG } from "./obtain.ts";

type RequestMessage = Extract<WorkerRequest, { kind: "request" }>;

/** Limits of one request (decisions.md, "Evaluation"). A failed request is sent once more. */
export const REQUEST_LIMITS = { bodyBytes: 5 * 1024 * 1024, attempts: 2, redirects: 3 };

/** Largest error response in bytes that is read to find its message. A larger one counts as empty. */
const ERROR_BYTES = 1 << 20;

interface Service {
  check(url: string): URL;
  /** The rate limits of the hosts; null if the service has none. */
  readonly lanes: Lanes | null;
}

export class Requests {
  readonly #options: RequestOptions;
  readonly #effects: Effects;
  readonly #sleep: Effects["sleep"];
  readonly #services = new Map<string, Service>();
  readonly #stopped = new AbortController();

  constructor(options: RequestOptions, effects: Effects) {
    this.#options = options;
    this.#sleep = effects.sleep;
    this.#effects = { ...effects, sleep: (ms, signal) => this.#wait(ms, signal) };
  }

  /**
   * Sends one request, or waits. If a service requires a wait, all evaluations wait before their next request to it.
   *
   * @throws ServiceBusy if a user would have to wait too long; ForbiddenHost
   */
  async reply(request: WorkerRequest): Promise<Reply> {
    const service = this.#service(request.service);
    const target = service.check(request.url);
    const lane = service.lanes?.of(target.host);
    if (request.kind === "wait") {
      await (lane?.rate.pause(request.milliseconds) ?? this.#wait(request.milliseconds));
      return { kind: "waited", at: this.#instant() };
    }
    if (lane === undefined) return this.#send(target, request);
    return lane.run(async () => {
      await lane.rate.take();
      return this.#send(target, request);
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #send(target: URL, { headers, body: sent }: RequestMessage): Promise<Reply> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#options.timeoutMs), this.#stopped.signal]);
    try {
      const init = {
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect: "manual",
        signal,
      } as const;
      const response = await this.#effects.fetch(
        target,
        sent === null ? init : { ...init, method: "POST", body: sent },
      );
      const body = await readCheckedBody(response);
      return { kind: "answer", status: response.status, headers: [...response.headers], body, at: this.#instant() };
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error;
      const at = this.#instant();
      if (error instanceof BodyTooLarge) return { kind: "too-large", message: error.message, at };
      return { kind: "failed", ...failureIn(error), at };
    }
  }

  #service(name: string): Service {
    const known = this.#services.get(name);
    if (known !== undefined) return known;
    const service = name === "doi.org" ? this.#agencies() : this.#source(name);
    this.#services.set(name, service);
    return service;
  }

  #source(name: string): Service {
    const source = sourceNamed(name);
    if (source === null) throw new Error(`there is no source called ${name}`);
    const base = this.#options.upstreams[name] ?? source.walk.base;
    const hosts = new AllowedHosts(source, { base, installations: [], allowPrivate: base !== source.walk.base });
    const paced = { ...source, concurrency: Math.max(CONCURRENCY, source.concurrency ?? 1) };
    const lanes = new Lanes(paced, this.#effects, this.#stopped.signal);
    return { check: (url) => hosts.check(url), lanes };
  }

  #agencies(): Service {
    const base = new URL(this.#options.upstreams["doi.org"] ?? DOI_ORG);
    return {
      check: (url) => {
        const target = new URL(url);
        if (target.origin === base.origin && target.username === "" && target.password === "") return target;
        throw new Error("agencies are looked up at doi.org only");
      },
      lanes: null,
    };
  }

  /**
   * Waits for a number of milliseconds.
   * @throws ServiceBusy if a user would have to wait too long
   */
  #wait(milliseconds: number, signal: AbortSignal = this.#stopped.signal): Promise<void> {
    if (milliseconds > PATIENCE_MS) return Promise.reject(new ServiceBusy(milliseconds));
    return this.#sleep(milliseconds, signal);
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

/** Returns the cause of an error of `fetch`, which describes the fault. */
function failureIn(error: unknown): { name: string; code: string | null; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { name: "Error", code: null, message: "network error" };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : null;
  return { name: cause.name, code, message: cause.message.slice(0, 1000) };
}
