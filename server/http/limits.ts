/** Rate limits: every answer is charged to its caller, known by an API key or by the address it comes from. */

import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify from "fastify";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { findKey } from "../accounts/api-keys/keys.ts";
import { UsageCounter } from "../accounts/api-keys/usage.ts";
import { forgetAttempts } from "../accounts/database/attempts.ts";
import type { Accounts } from "../accounts/database/index.ts";
import { ProblemError } from "./answer.ts";
import { Counters, type Standing } from "./limit-counters.ts";
import type { Quota, QuotaName, Quotas } from "./poll.ts";
import { type Caller, callerOf } from "./read-request.ts";

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
