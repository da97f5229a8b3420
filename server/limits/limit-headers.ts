/** The headers in which an answer tells of its caller's quota. */

import type { FastifyReply } from "fastify";
import type { Quota, QuotaName } from "../running/quotas.ts";
import type { Standing } from "./counters.ts";

/**
 * RateLimit-Policy and RateLimit are structured fields (draft-ietf-httpapi-ratelimit-headers-11, 3 and 4): a quota q in a
 * window of w seconds, r requests remaining for t seconds. A further quota joins their lists; X-RateLimit-*, which
 * cannot hold two, stay with the first. X-RateLimit-Reset is in seconds from now.
 */
export function setLimitHeaders(reply: FastifyReply, name: QuotaName, quota: Quota, standing: Standing): void {
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
