/** Rate limits: every answer is charged to its caller, known by an API key or by the address it comes from. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { ProblemError } from "../frame/answering/problem-error.ts";
import { callerOf } from "../frame/reading/caller.ts";
import { forgetAttempts } from "../people/accounts/attempts.ts";
import type { Accounts } from "../people/accounts/index.ts";
import { UsageCounter } from "../people/api-keys/usage.ts";
import type { Quota, QuotaName, Quotas } from "../running/quotas.ts";
import { Counters } from "./counters.ts";
import { anonymousCaller, identifier } from "./identify.ts";
import { setLimitHeaders } from "./limit-headers.ts";

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
