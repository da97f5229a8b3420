/** Rate limits: every request counts for its caller, who is identified by API key or IP address. */

import { isIP } from "node:net";
import rateLimit, { normalizeIP } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify from "fastify";
import { Redis, ReplyError } from "ioredis";
import { z } from "zod";
import { plural } from "../../pipeline/reading/text.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import type { Quota, QuotaName, Quotas } from "./quotas.ts";
import { type Caller, getCaller } from "./read-request.ts";
import { ProblemError } from "./response.ts";

export interface LimitOptions {
  readonly limits: Quotas;
  /** The URL of a Redis in which several servers count together; null to count in memory. */
  readonly redisUrl: string | null;
  readonly keys: KeyRegister;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}

/** Finds the API keys of callers, and counts their requests. */
export interface KeyRegister {
  /** Returns the id of a key; null if it is malformed, unknown or revoked. */
  find(sent: string): Promise<string | null>;
  /** Counts a request with a key. */
  count(id: string, now: Date): void;
  close(): Promise<void>;
}

export interface RateLimits {
  /** Counts a request towards a quota, and returns the state of the quota. */
  charge(request: FastifyRequest, reply: FastifyReply, name: QuotaName): Promise<QuotaState>;
  /** Whether Redis responds; null if the server counts without Redis. */
  redis(): boolean | null;
  /** Counts a request as `times` further requests of its caller. */
  chargeAgain(request: FastifyRequest, reply: FastifyReply, times: number): Promise<void>;
}

/**
 * Adds the limits to an app. Call it before routes and other hooks are added. Closing the app writes the remaining counts,
 * so close the store of keys afterwards.
 */
export async function addLimits(app: FastifyInstance, options: LimitOptions): Promise<RateLimits> {
  const { keys, now, log, limits: quotas } = options;
  const counters = await Counters.open(app, options.redisUrl, log);
  const identify = callerIdentifier(keys, log);

  const charge = async (request: FastifyRequest, reply: FastifyReply, name: QuotaName) => {
    const { kind, id } = getCaller(request);
    const quota = quotas[name];
    const standing = await counters.count(request, { key: `${name}:${kind}:${id}`, quota });
    setLimitHeaders(reply, name, quota, standing);
    if (standing.exceeded) throw rateLimited(name, quota, standing.resetSeconds);
    return standing;
  };
  /**
   * Counts a request with an API key for its address too. The headers show this quota only if it is used up, because
   * few callers reach it.
   */
  const chargeAddress = async (request: FastifyRequest, reply: FastifyReply, address: string) => {
    const quota = quotas.address;
    const standing = await counters.count(request, { key: `address:${address}`, quota });
    if (!standing.exceeded) return;
    setLimitHeaders(reply, "address", quota, standing);
    throw rateLimited("address", quota, standing.resetSeconds);
  };
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    // The key is not checked. Browsers send no key here, and otherwise guessing keys would not be limited.
    if (request.method === "OPTIONS") {
      request.caller = anonymousCaller(request);
      await charge(request, reply, "preflight");
      return;
    }
    const { caller, rejected } = await identify(request);
    request.caller = caller;
    const { badge = false, poll = false } = request.routeOptions?.config ?? {};
    await charge(request, reply, badge ? "badge" : poll ? "poll" : caller.kind);
    if (caller.kind === "key") await chargeAddress(request, reply, caller.address);
    // A wrong key counts for the IP address, so that guessing keys uses up its limit.
    if (rejected) throw badKey();
    if (caller.kind === "key") keys.count(caller.id, now());
  };

  app.decorateRequest("caller", null);
  app.addHook("onRequest", count);
  app.addHook("onClose", async () => {
    await keys.close();
    counters.close();
  });
  const chargeAgain = async (request: FastifyRequest, reply: FastifyReply, times: number) => {
    for (let time = 0; time < times; time += 1) {
      // The headers show the state after the last count.
      for (const name of ["ratelimit", "ratelimit-policy"]) reply.removeHeader(name);
      const { kind, address } = getCaller(request);
      await charge(request, reply, kind);
      if (kind === "key") await chargeAddress(request, reply, address);
    }
  };
  return { charge, chargeAgain, redis: () => counters.isShared };
}

const WHOSE: Partial<Record<QuotaName, string>> = {
  anonymous: "An address without an API key",
  address: "All API keys of an address together",
};

function rateLimited(name: QuotaName, { requests, seconds }: Quota, retryAfter: number): ProblemError {
  const whose = WHOSE[name] ?? "This caller";
  return new ProblemError(
    "rate-limited",
    `${whose} may send ${requests} requests of this kind in ${seconds} seconds. Try again in ${plural(retryAfter, "second")}.`,
    { headers: { "retry-after": String(retryAfter) } },
  );
}

function badKey(): ProblemError {
  return new ProblemError(
    "bad-api-key",
    "The key in the header X-API-Key is unknown or revoked. POST /api-keys/register creates a new one.",
    {
      headers: { "www-authenticate": 'ApiKey header="X-API-Key"' },
    },
  );
}

interface IdentifiedCaller {
  readonly caller: Caller;
  /** True if the key is malformed, unknown or revoked. */
  readonly rejected: boolean;
}

/** Returns the caller of a request without a key, or with a key that is not checked. */
function anonymousCaller(request: FastifyRequest): Caller {
  const address = clientAddress(request);
  return { kind: "anonymous", id: address, address };
}

/**
 * Milliseconds that the check of an API key may take. It is short, because reading must not wait for a slow account
 * store.
 */
const LOOK_UP_MILLISECONDS = 1000;

/** Milliseconds without checks after a failed check, so that few requests wait for an unavailable account store. */
const AWAY_MILLISECONDS = 5000;

async function withTimeout<T>(lookUp: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(
    () =>
      reject(
        new Error("the account store did not look up an API key within one second; check the load of its database"),
      ),
    LOOK_UP_MILLISECONDS,
  );
  try {
    return await Promise.race([lookUp, promise]);
  } finally {
    clearTimeout(late);
  }
}

/** Checks the key of every request, so that every server rejects a revoked key from the next request on. */
function callerIdentifier(
  keys: KeyRegister,
  log: Effects["log"],
): (request: FastifyRequest) => Promise<IdentifiedCaller> {
  // True during an outage, so that it is logged once.
  let failing = false;
  /** Keys are not checked before this time, on the monotonic clock. */
  let awayUntil = Number.NEGATIVE_INFINITY;
  return async (request) => {
    const anonymous = anonymousCaller(request);
    const { address } = anonymous;
    // Node joins repeated headers with a comma, so two keys are not a valid key.
    const sent = request.headers["x-api-key"]?.toString();
    if (sent === undefined || performance.now() < awayUntil) return { caller: anonymous, rejected: false };
    try {
      const id = await withTimeout(keys.find(sent));
      failing = false;
      return id === null
        ? { caller: anonymous, rejected: true }
        : { caller: { kind: "key", id, address }, rejected: false };
    } catch (error) {
      // Reading needs no account. While the store is unavailable, a request with a key counts as anonymous.
      if (!failing) log({ level: "error", event: "api-keys-not-checked", message: String(error) });
      failing = true;
      awayUntil = performance.now() + AWAY_MILLISECONDS;
      return { caller: anonymous, rejected: false };
    }
  };
}

/** Cache of networks by IP address, because parsing an address is slow. */
const networks = new Map<string, string>();
const MAX_KNOWN = 10_000;

/**
 * Returns the client's address, from the socket or from a trusted proxy. IPv6 is truncated to its /64, because one
 * household usually has a whole /64. An IPv4 address mapped to IPv6 becomes IPv4. `unknown` if the socket is closed.
 */
function clientAddress(request: FastifyRequest): string {
  // Even a trusted proxy may send `unknown`, or an address with a port.
  const candidates: readonly (string | undefined)[] = [request.ip, request.socket.remoteAddress];
  const address = candidates.find((candidate) => candidate !== undefined && isIP(candidate) !== 0);
  return address === undefined ? "unknown" : findNetwork(address);
}

/**
 * Returns the network that an address belongs to: /24 of IPv4, /48 of IPv6. One organisation can usually use all
 * addresses of such a network.
 */
export function toOrganisationNetwork(address: string): string {
  return isIP(address) === 4 ? address.replace(/\.\d+$/, ".0") : normalizeIP(address, 48);
}

function findNetwork(address: string): string {
  const before = networks.get(address);
  if (before !== undefined) return before;
  const network = normalizeIP(address, 64);
  if (networks.size >= MAX_KNOWN) networks.clear();
  networks.set(address, network);
  return network;
}

/**
 * Sets the headers of a quota (draft-ietf-httpapi-ratelimit-headers-11, 3 and 4). RateLimit-Policy has q, the requests
 * in a window of w seconds; RateLimit has r, the requests that remain for t seconds. A second quota is appended to
 * both. The headers X-RateLimit-* have only the first quota, and X-RateLimit-Reset is in seconds from now.
 */
export function setLimitHeaders(
  reply: FastifyReply,
  name: QuotaName,
  quota: Quota,
  standing: Pick<QuotaState, "remaining" | "resetSeconds">,
): void {
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

/** Matches a network mask of zero bits, such as `/0`, which would trust every client. */
const EVERYBODY = /\/0*(?:\.0+)*$/;

/** Matches the name of a range, such as `loopback`. Fastify rejects the names that it does not know. */
const RANGE_NAME = /^[a-z]+$/;

/**
 * Reads addresses and CIDR ranges, separated by commas, for Fastify's option `trustProxy`. It also accepts `loopback`,
 * `linklocal` and `uniquelocal`. Returns false for an empty list.
 * @throws ProxyListError naming the invalid entry
 */
export function trustedProxies(list: string): string[] | false {
  const entries = list.split(",").map((entry) => entry.trim());
  if (entries.every((entry) => entry === "")) return false;
  for (const entry of entries) requireProxy(entry);
  return entries;
}

function requireProxy(entry: string): void {
  if (EVERYBODY.test(entry)) {
    throw new ProxyListError(`"${entry}" would trust every client; name the proxies, such as 10.0.0.7 or 10.1.0.0/16`);
  }
  try {
    // Fastify also accepts shortened addresses: `1` would be 0.0.0.1.
    const [address = ""] = entry.split("/");
    if (!RANGE_NAME.test(entry) && isIP(address) === 0) throw new TypeError(`not an IP address: ${address}`);
    Fastify({ trustProxy: [entry] });
  } catch (cause) {
    throw new ProxyListError(`"${entry}" is not an address or range; write 10.0.0.7, 10.1.0.0/16 or loopback`, {
      cause,
    });
  }
}

export interface Charge {
  readonly key: string;
  readonly quota: Quota;
}

declare module "fastify" {
  interface FastifyRequest {
    charge: Charge | null;
  }
}

export interface QuotaState {
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Prefix of the keys in a shared Redis. Each key expires with its window. */
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

  /** Opens the counters. Call it before the app is ready. */
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

  /** Counts in Redis if it is configured and available, otherwise in memory. */
  async count(request: FastifyRequest, charge: Charge): Promise<QuotaState> {
    request.charge = charge;
    if (this.#memory === null)
      throw new Error("a request was counted before the rate-limit counters were opened; report this");
    return (await this.#countShared(request)) ?? readQuotaState(await this.#memory(request));
  }

  /** Whether Redis responds; null if the server counts without Redis. */
  get isShared(): boolean | null {
    return this.#redis === null ? null : isReady(this.#redis) && !this.#lost;
  }

  close(): void {
    this.#redis?.disconnect();
  }

  async #countShared(request: FastifyRequest): Promise<QuotaState | null> {
    if (this.#shared === null || this.#redis === null) return null;
    if (!isReady(this.#redis)) {
      this.#complain(
        new Error(`the connection to Redis is ${this.#redis.status}, not ready; check REDIS_URL, and that Redis runs`),
      );
      return null;
    }
    try {
      const standing = readQuotaState(await this.#shared(request));
      if (this.#lost) this.#log({ level: "info", event: "redis-back" });
      this.#lost = false;
      return standing;
    } catch (error) {
      this.#complain(error);
      closeConnection(this.#redis, error);
      return null;
    }
  }

  /** Registers the plugin in a scope of its own, so that the counters in memory and in Redis do not share a store. */
  async #limiter(app: FastifyInstance, store: object): Promise<Limiter> {
    const { promise, resolve } = Promise.withResolvers<Limiter>();
    await app.register(async (scope) => {
      await scope.register(rateLimit, {
        ...store,
        global: false,
        keyGenerator: (request) => getCharge(request).key,
        max: (request) => getCharge(request).quota.requests,
        timeWindow: (request) => getCharge(request).quota.seconds * 1000,
      });
      resolve(scope.createRateLimit());
    });
    return promise;
  }

  #complain(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    const message = getErrorMessage(error);
    this.#log({ level: "error", event: "redis-lost", message, counting: "in the memory of this process" });
  }
}

function getCharge({ charge }: FastifyRequest): Charge {
  if (charge === null) throw new Error("a request reached the rate limiter without a quota to count; report this");
  return charge;
}

function readQuotaState(counted: Awaited<ReturnType<Limiter>>): QuotaState {
  if (counted.isAllowed) throw new Error("the rate-limit plugin allowed a request without counting it; report this");
  const { remaining, ttlInSeconds, isExceeded } = counted;
  return { remaining, resetSeconds: Math.max(1, ttlInSeconds), exceeded: isExceeded };
}

interface Window {
  count: number;
  /** Start of the window, in milliseconds on the monotonic clock. */
  readonly began: number;
}

/**
 * Largest number of callers that are counted in memory, which takes about 20 MB. The least recently seen callers are
 * dropped.
 */
const MAX_CALLERS = 100_000;

type Counted = (error: Error | null, result?: { readonly current: number; readonly ttl: number }) => void;

/**
 * Counts requests in memory for the rate-limit plugin, on a monotonic clock. The plugin's own store uses the system
 * clock, so limits would last longer if that clock is set back.
 */
export class MemoryStore {
  readonly #windows = new Map<string, Window>();

  incr(key: string, counted: Counted, milliseconds: number): void {
    // Whole milliseconds: a fraction would round the remaining seconds up.
    const now = Math.floor(performance.now());
    const known = this.#windows.get(key);
    const window = known !== undefined && now < known.began + milliseconds ? known : { count: 0, began: now };
    window.count += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_CALLERS && oldest !== undefined) this.#windows.delete(oldest);
    counted(null, { current: window.count, ttl: window.began + milliseconds - now });
  }

  child(): MemoryStore {
    return this;
  }
}

const CONNECT_MILLISECONDS = 2000;
/**
 * Maximum milliseconds of a Redis command. If it takes longer, the request is counted in memory, so that the response
 * is not delayed.
 */
const COMMAND_MILLISECONDS = 250;
const MAX_PAUSE_MILLISECONDS = 2000;

class RedisUrlError extends Error {
  readonly code = "ERR_REDIS_URL";
  constructor() {
    super("REDIS_URL is not a Redis URL; write redis://host:6379, or rediss:// for TLS");
    this.name = "RedisUrlError";
  }
}

const redisUrl = z.url({ protocol: /^rediss?$/ });

/**
 * Connects to Redis and keeps reconnecting. Returns after the first attempt, even if it failed.
 * @throws RedisUrlError for an invalid URL; the message omits the URL, because it may contain a password
 */
async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  if (!redisUrl.safeParse(url).success) throw new RedisUrlError();
  const client = new Redis(url, {
    lazyConnect: true,
    connectionName: "share-release",
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: COMMAND_MILLISECONDS,
    // Commands fail immediately during an outage. They are not repeated, because they would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(100 * tries, MAX_PAUSE_MILLISECONDS),
  });
  client.on("error", onError);
  await client.connect().catch(onError);
  return client;
}

/** Redis clients whose connection is closing, although their status is still `ready`. */
const closingClients = new WeakSet<Redis>();

function isReady(client: Redis): boolean {
  return client.status === "ready" && !closingClients.has(client);
}

/** Closes a connection that does not respond, so that the next requests do not wait for it. */
function closeConnection(client: Redis, error: unknown): void {
  if (!isReady(client) || error instanceof ReplyError) return;
  closingClients.add(client);
  client.once("close", () => closingClients.delete(client));
  client.disconnect(true);
}
