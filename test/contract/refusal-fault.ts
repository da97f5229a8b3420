/** What is wrong with a refusal: a badge where a badge was asked for, a problem document everywhere else. */

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { Reply } from "../server/ask.ts";
import { refusedBadge } from "./conformance/badges.ts";
import { header, problemFault } from "./conformance/expectations.ts";
import type { Fault } from "./conformance/statement.ts";
import { at, jsonOf, textAt } from "./conformance/values.ts";

const BADGE = /^\/widgets\/(datasets|repositories|researchers)\/.+\/badge\.svg$/;

const LABELS = new Map([
  ["datasets", "SHARE"],
  ["repositories", "SHARE mean"],
  ["researchers", "S-Index"],
]);

const DECODERS = new Map<string, (body: Buffer) => Buffer>([
  ["br", brotliDecompressSync],
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
  ["zstd", zstdDecompressSync],
]);

export interface RefusalFault {
  readonly fault: Fault;
  /** The type of the problem; null where the refusal is a badge, which names none. */
  readonly type: string | null;
}

/** `method` is not HEAD: its refusals have no body to judge. */
export function refusalFault(sent: Reply, method: string, target: string): RefusalFault {
  const reply = decoded(sent);
  const [path = ""] = target.split("?");
  const label = LABELS.get(BADGE.exec(path)?.[1] ?? "");
  if (method === "GET" && label !== undefined && !isUnread(reply)) {
    return { fault: badgeFault(reply, label), type: null };
  }
  const fault = problemFault(reply);
  return { fault, type: fault === null ? textAt(jsonOf(reply.text), "type") : null };
}

/** As it was before it was compressed. */
function decoded(reply: Reply): Reply {
  const decode = DECODERS.get(reply.headers["content-encoding"] ?? "");
  if (decode === undefined) return reply;
  const body = decode(reply.body);
  return { ...reply, body, text: body.toString("utf8") };
}

function badgeFault(reply: Reply, label: string): Fault {
  const { status } = reply;
  const expected = [
    ...refusedBadge(status, label, status === 429 ? "try later" : "unknown"),
    header("cache-control", status === 404 ? "public, max-age=60" : "no-store"),
    header("content-security-policy", /default-src 'none'/),
  ];
  for (const { text, fault } of expected) {
    const seen = fault(reply);
    if (seen !== null) return `not ${text}: ${seen}`;
  }
  return null;
}

/** Whether the bytes were refused before anybody knew which address they ask for. */
function isUnread({ status, headers, text }: Reply): boolean {
  const early = status === 431 || status === 400;
  if (!early || headers["content-type"] !== "application/problem+json") return false;
  const body = jsonOf(text);
  const type = at(body, "type");
  return (
    at(body, "instance") === "/" && (type === "/problems/headers-too-large" || type === "/problems/invalid-request")
  );
}
