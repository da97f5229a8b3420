/** Rate limits: every answer is charged to its caller, known by an API key or by the address it comes from. */

import { isIP } from "node:net";
import rateLimit, { normalizeIP } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify from "fastify";
import { Redis, ReplyError } from "ioredis";
import { z } from "zod";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { findKey, UsageCounter } from "../accounts/api-keys.ts";
import { forgetAttempts } from "../accounts/attempts.ts";
import type { Accounts } from "../accounts/database.ts";
import type { Quota, QuotaName, Quotas } from "../options.ts";
import { type Caller, callerOf } from "./read-request.ts";
import { ProblemError } from "./response.ts";

export interface LimitOptions {
  readonly limits: Quotas;
  /** Where several servers count together; null counts in memory. */
  readonly redisUrl: string | null;
  readonly accounts: Accounts;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}

export interface RateLimits {
  /**
   * Charges a request, as the hook does for every other: for answers that Fastify gives before any hook runs.
   * @throws ProblemError `rate-limited` or `bad-api-key`; the headers are set by then
   */
  count(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Charges a further quota to the request's caller.
   * @throws ProblemError `rate-limited`
   */
  charge(request: FastifyRequest, reply: FastifyReply, name: QuotaName): Promise<void>;
}

/**
 * Adds the limits to an app: before its routes, and before any hook that may answer. Closing the app writes the usage
 * that is left, so the accounts are closed after it.
 */
export async function addLimits(app: FastifyInstance, options: LimitOptions): Promise<RateLimits> {
  const { accounts, now, log, limits: quotas } = options;
  const counters = await Counters.open(app, options.redisUrl, log);
  const usage = new UsageCounter(accounts, log);
  const identify = identifier(accounts, log);
  await forgetAttempts(accounts.db, now());

  const charge = async (request: FastifyRequest, reply: FastifyReply, name: QuotaName) => {
    const { kind, id } = callerOf(request);
    const quota = quotas[name];
    const standing = await counters.count(request, { key: `${name}:${kind}:${id}`, quota });
    setLimitHeaders(reply, name, quota, standing);
    if (standing.exceeded) throw rateLimited(name, quota, standing.resetSeconds);
  };
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    // No key is looked at here: guesses would cost nothing, and browsers send none.
    if (request.method === "OPTIONS") {
      request.caller = anonymousCaller(request);
      return charge(request, reply, "preflight");
    }
    const { caller, refused } = await identify(request);
    request.caller = caller;
    await charge(request, reply, request.routeOptions?.config?.badge === true ? "badge" : caller.kind);
    // A guess is charged to its address like any request: keys cannot be tried for free.
    if (refused) throw badKey();
    if (caller.kind === "key") usage.count(caller.id, now());
  };

  app.decorateRequest("caller", null);
  app.addHook("onRequest", count);
  app.addHook("onClose", async () => {
    await usage.close();
    counters.close();
  });
  return { count, charge };
}

function rateLimited(name: QuotaName, { requests, seconds }: Quota, retryAfter: number): ProblemError {
  const whose = name === "anonymous" ? "An address without an API key" : "This caller";
  return new ProblemError(
    "rate-limited",
    `${whose} may send ${requests} such requests in ${seconds} seconds; try again in ${retryAfter} seconds.`,
    { headers: { "retry-after": String(retryAfter) } },
  );
}

function badKey(): ProblemError {
  return new ProblemError("bad-api-key", "The header X-API-Key holds no key that is known and not revoked.", {
    headers: { "www-authenticate": 'ApiKey header="X-API-Key"' },
  });
}

interface Identified {
  readonly caller: Caller;
  /** True where a key was sent that is malformed, unknown or revoked. */
  readonly refused: boolean;
}

/** A caller without a key, or whose key is not looked at. */
function anonymousCaller(request: FastifyRequest): Caller {
  const address = clientAddress(request);
  return { kind: "anonymous", id: address, address };
}

/** How long a look-up may take: what only reads must not wait for a store that hangs. */
const LOOK_UP_MILLISECONDS = 1000;

/** After a look-up that failed none is made for so long: one request in so much time waits, not all of them. */
const AWAY_MILLISECONDS = 5000;

async function inTime<T>(lookUp: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error("the account store does not answer")), LOOK_UP_MILLISECONDS);
  try {
    return await Promise.race([lookUp, promise]);
  } finally {
    clearTimeout(late);
  }
}

/** A key is looked up for every request: one that is revoked is refused from the next request on, on every server. */
function identifier({ db }: Accounts, log: Effects["log"]): (request: FastifyRequest) => Promise<Identified> {
  // So that a database that stays away is logged once.
  let failing = false;
  /** Until when no key is looked up, by the clock that only goes forward. */
  let awayUntil = Number.NEGATIVE_INFINITY;
  return async (request) => {
    const anonymous = anonymousCaller(request);
    const { address } = anonymous;
    // Node joins repeated headers with a comma: two keys are no key.
    const sent = request.headers["x-api-key"]?.toString();
    if (sent === undefined || performance.now() < awayUntil) return { caller: anonymous, refused: false };
    try {
      const id = await inTime(findKey(db, sent));
      failing = false;
      return id === null
        ? { caller: anonymous, refused: true }
        : { caller: { kind: "key", id, address }, refused: false };
    } catch (error) {
      // Reading needs no account: while the store is away a key is neither refused nor worth more than an address.
      if (!failing) log({ level: "error", event: "api-keys-not-checked", message: String(error) });
      failing = true;
      awayUntil = performance.now() + AWAY_MILLISECONDS;
      return { caller: anonymous, refused: false };
    }
  };
}

/** What was made of an address before: taking one apart costs as much as reading the header it came in. */
const known = new Map<string, string>();
const MOST_KNOWN = 10_000;

/**
 * The client's address: of the socket, or what a proxy named in the configuration says of it. IPv6 is cut to its /64,
 * since a household or a machine has all of one; IPv4 inside IPv6 is the IPv4; `unknown` where the socket is gone.
 */
function clientAddress(request: FastifyRequest): string {
  // Even a trusted proxy may write `unknown`, or a port, where an address should be.
  const candidates: readonly (string | undefined)[] = [request.ip, request.socket.remoteAddress];
  const address = candidates.find((candidate) => candidate !== undefined && isIP(candidate) !== 0);
  return address === undefined ? "unknown" : networkOf(address);
}

function networkOf(address: string): string {
  const before = known.get(address);
  if (before !== undefined) return before;
  const network = normalizeIP(address, 64);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(address, network);
  return network;
}

/**
 * RateLimit-Policy and RateLimit are structured fields (draft-ietf-httpapi-ratelimit-headers-11, 3 and 4): a quota q in a
 * window of w seconds, r requests remaining for t seconds. A further quota joins their lists; X-RateLimit-*, which
 * cannot hold two, stay with the first. X-RateLimit-Reset is in seconds from now.
 */
function setLimitHeaders(reply: FastifyReply, name: QuotaName, quota: Quota, standing: Standing): void {
  const { remaining, resetSeconds } = standing;
  const first = !reply.hasHeader("ratelimit");
  appendItem(reply, "ratelimit-policy", `"${name}";q=${quota.requests};w=${quota.seconds}`);
  appendItem(reply, "ratelimit", `"${name}";r=${remaining};t=${resetSeconds}`);
  if (!first) return;
  reply.headers({
    "x-ratelimit-limit": quota.requests,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": resetSeconds,
  });
}

function appendItem(reply: FastifyReply, header: string, item: string): void {
  const before = reply.getHeader(header);
  reply.header(header, before === undefined ? item : `${before}, ${item}`);
}

export class ProxyListError extends Error {
  readonly code = "ERR_PROXY_LIST";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProxyListError";
  }
}

/** A mask of nothing: everybody could write a header and be believed. */
const EVERYBODY = /\/0*(?:\.0+)*$/;

/** Of these the reader knows some, and refuses the others. */
const RANGE_NAME = /^[a-z]+$/;

/**
 * Addresses and CIDR ranges, separated by commas (also `loopback`, `linklocal`, `uniquelocal`), as Fastify's option
 * `trustProxy`; false for none: X-Forwarded-For is not read then.
 * @throws ProxyListError naming the entry at fault
 */
export function trustedProxies(list: string): string[] | false {
  const entries = list.split(",").map((entry) => entry.trim());
  if (entries.every((entry) => entry === "")) return false;
  for (const entry of entries) requireProxy(entry);
  return entries;
}

function requireProxy(entry: string): void {
  if (EVERYBODY.test(entry)) {
    throw new ProxyListError(`"${entry}" would trust everybody; name the proxies, such as 10.0.0.7 or 10.1.0.0/16`);
  }
  try {
    // The reader that will use it takes shortened addresses too: `1` would be 0.0.0.1.
    const [address = ""] = entry.split("/");
    if (!RANGE_NAME.test(entry) && isIP(address) === 0) throw new TypeError(`no IP address: ${address}`);
    Fastify({ trustProxy: [entry] });
  } catch (cause) {
    throw new ProxyListError(`"${entry}" is no address or range of a proxy; write 10.0.0.7, 10.1.0.0/16 or loopback`, {
      cause,
    });
  }
}

/** One more request of somebody, against one quota. */
export interface Charge {
  /** Who, and for what. */
  readonly key: string;
  readonly quota: Quota;
}

declare module "fastify" {
  interface FastifyRequest {
    /** What it is being charged: the plugin asks with the request in its hand. */
    charge: Charge | null;
  }
}

/** How a quota stands after a request was charged to it. */
export interface Standing {
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Below this name lie our keys in a Redis that others may use too; each goes when its window ends. */
const NAME_SPACE = "share:limit:";

type Limiter = ReturnType<FastifyInstance["createRateLimit"]>;

export class Counters {
  readonly #log: Effects["log"];
  #memory: Limiter | null = null;
  #shared: Limiter | null = null;
  #redis: Redis | null = null;
  #lost = false;

  private constructor(log: Effects["log"]) {
    this.#log = log;
  }

  /** Call before the app is ready. */
  static async open(app: FastifyInstance, redisUrl: string | null, log: Effects["log"]): Promise<Counters> {
    const counters = new Counters(log);
    app.decorateRequest("charge", null);
    counters.#memory = await counters.#limiter(app, { store: MemoryStore });
    if (redisUrl !== null) {
      const redis = await connectRedis(redisUrl, (error) => counters.#complain(error));
      counters.#redis = redis;
      counters.#shared = await counters.#limiter(app, { redis, nameSpace: NAME_SPACE });
    }
    return counters;
  }

  /** Counts, in Redis where one is configured and answers, in memory otherwise. */
  async count(request: FastifyRequest, charge: Charge): Promise<Standing> {
    request.charge = charge;
    if (this.#memory === null) throw new Error("the counters are not open");
    return (await this.#countShared(request)) ?? standingOf(await this.#memory(request));
  }

  close(): void {
    this.#redis?.disconnect();
  }

  async #countShared(request: FastifyRequest): Promise<Standing | null> {
    if (this.#shared === null || this.#redis === null) return null;
    if (!isReady(this.#redis)) {
      this.#complain(new Error(`the connection is not ready: ${this.#redis.status}`));
      return null;
    }
    try {
      const standing = standingOf(await this.#shared(request));
      if (this.#lost) this.#log({ level: "info", event: "redis-back" });
      this.#lost = false;
      return standing;
    } catch (error) {
      this.#complain(error);
      giveUp(this.#redis, error);
      return null;
    }
  }

  /** An instance of the plugin in a scope of its own, so that two of them do not share a store. */
  async #limiter(app: FastifyInstance, store: object): Promise<Limiter> {
    const { promise, resolve } = Promise.withResolvers<Limiter>();
    await app.register(async (scope) => {
      await scope.register(rateLimit, {
        ...store,
        global: false,
        keyGenerator: (request) => chargeOf(request).key,
        max: (request) => chargeOf(request).quota.requests,
        timeWindow: (request) => chargeOf(request).quota.seconds * 1000,
      });
      resolve(scope.createRateLimit());
    });
    return promise;
  }

  /** One line an outage, however many requests fall into it. */
  #complain(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    const message = error instanceof Error ? error.message : String(error);
    this.#log({ level: "error", event: "redis-lost", message, counting: "in the memory of this process" });
  }
}

function chargeOf({ charge }: FastifyRequest): Charge {
  if (charge === null) throw new Error("a request was counted that nothing is charged to");
  return charge;
}

function standingOf(counted: Awaited<ReturnType<Limiter>>): Standing {
  if (counted.isAllowed) throw new Error("the rate-limit plugin let a request pass uncounted");
  const { remaining, ttlInSeconds, isExceeded } = counted;
  return { remaining, resetSeconds: Math.max(1, ttlInSeconds), exceeded: isExceeded };
}

interface Window {
  count: number;
  /** By the clock that only goes forward, in milliseconds. */
  readonly began: number;
}

/** Callers remembered; those unseen for longest give way. About 20 MB. */
const MOST_CALLERS = 100_000;

type Counted = (error: Error | null, result?: { readonly current: number; readonly ttl: number }) => void;

/** Counts of one process for the rate-limit plugin, by a clock that nobody sets: the plugin's own keeps limits for as long as the system's clock goes back. */
export class MemoryStore {
  /** In the order in which they were last seen. */
  readonly #windows = new Map<string, Window>();

  incr(key: string, counted: Counted, milliseconds: number): void {
    // Whole milliseconds: what is left would be a hair more than the window otherwise, and a second more in seconds.
    const now = Math.floor(performance.now());
    const known = this.#windows.get(key);
    const window = known !== undefined && now < known.began + milliseconds ? known : { count: 0, began: now };
    window.count += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_CALLERS && oldest !== undefined) this.#windows.delete(oldest);
    counted(null, { current: window.count, ttl: window.began + milliseconds - now });
  }

  child(): MemoryStore {
    return this;
  }
}

const CONNECT_MILLISECONDS = 2000;
/** A command that took longer would be felt; memory answers instead. */
const COMMAND_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 2000;

class RedisUrlError extends Error {
  readonly code = "ERR_REDIS_URL";
  constructor() {
    super("REDIS_URL is no address of a Redis; write redis://host:6379, or rediss:// for TLS");
    this.name = "RedisUrlError";
  }
}

const redisUrl = z.url({ protocol: /^rediss?$/ });

/**
 * Connects, and goes on trying for as long as it takes; returns after the first try, whatever came of it.
 * @throws RedisUrlError for what is no address of a Redis; the value, which may hold a password, is not repeated
 */
async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  if (!redisUrl.safeParse(url).success) throw new RedisUrlError();
  const client = new Redis(url, {
    lazyConnect: true,
    connectionName: "share-release",
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: COMMAND_MILLISECONDS,
    // While it is away commands fail at once, and none is sent again: it would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(100 * tries, LONGEST_PAUSE_MILLISECONDS),
  });
  client.on("error", onError);
  await client.connect().catch(onError);
  return client;
}

/** Those whose connection was given up and has not closed yet. They still call themselves ready. */
const leaving = new WeakSet<Redis>();

/** Whether asking is of use. */
function isReady(client: Redis): boolean {
  return client.status === "ready" && !leaving.has(client);
}

/**
 * A connection that does not answer is given up, so that the next requests do not wait for it too. However many waited for
 * it, it is closed once.
 */
function giveUp(client: Redis, error: unknown): void {
  if (!isReady(client) || error instanceof ReplyError) return;
  leaving.add(client);
  client.once("close", () => leaving.delete(client));
  client.disconnect(true);
}
