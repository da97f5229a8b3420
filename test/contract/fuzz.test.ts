/**
 * Fuzzing from outside: no request gets a 5xx, every error is a problem document (a badge if the request was for one), and
 * the service continues.
 */

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reply } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";
import { sharedStore } from "../support/temporary-store.ts";
import { Client, type Question } from "./client.ts";
import { rejectedBadge } from "./conformance/badges.ts";
import { header, problemFault } from "./conformance/expectations.ts";
import type { Fault } from "./conformance/statement.ts";
import { at, parseJson, textAt } from "./conformance/values.ts";
import { contractContent } from "./corpus.ts";
import { body, headers, makeParameter, mediaType, method, PARAMETERS, target } from "./hostile.ts";

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

interface RejectionFault {
  readonly fault: Fault;
  /** The type of the problem; null if the error is a badge, because a badge names no type. */
  readonly type: string | null;
}

/** Returns the fault of an error response. `method` is not HEAD, because responses to HEAD have no body to check. */
function rejectionFault(sent: Reply, method: string, target: string): RejectionFault {
  const reply = decoded(sent);
  const [path = ""] = target.split("?");
  const label = LABELS.get(BADGE.exec(path)?.[1] ?? "");
  if (method === "GET" && label !== undefined && !isUnread(reply)) {
    return { fault: badgeFault(reply, label), type: null };
  }
  const fault = problemFault(reply);
  return { fault, type: fault === null ? textAt(parseJson(reply.text), "type") : null };
}

/** Returns the reply with its body before compression. */
function decoded(reply: Reply): Reply {
  const decode = DECODERS.get(reply.headers["content-encoding"] ?? "");
  if (decode === undefined) return reply;
  const body = decode(reply.body);
  return { ...reply, body, text: body.toString("utf8") };
}

function badgeFault(reply: Reply, label: string): Fault {
  const { status } = reply;
  const expected = [
    ...rejectedBadge(status, label, status === 429 ? "try later" : "unknown"),
    header("cache-control", status === 404 ? "public, max-age=60" : "no-store"),
    header("content-security-policy", /default-src 'none'/),
  ];
  for (const { text, fault } of expected) {
    const seen = fault(reply);
    if (seen !== null) return `not ${text}: ${seen}`;
  }
  return null;
}

/** True if the request was rejected before the server knew the URL, for example because its headers were too large. */
function isUnread({ status, headers, text }: Reply): boolean {
  const early = status === 431 || status === 400;
  if (!early || headers["content-type"] !== "application/problem+json") return false;
  const body = parseJson(text);
  const type = at(body, "type");
  return (
    at(body, "instance") === "/" && (type === "/problems/headers-too-large" || type === "/problems/invalid-request")
  );
}

/** The seed of the random requests. The message of a failure has the seed and the request, so that it can be repeated. */
const SEED = Number(process.env.CONTRACT_SEED ?? 20_261_101);

const cleanup = new AsyncDisposableStack();
const rejections: unknown[] = [];
const remember = (reason: unknown) => {
  rejections.push(reason);
};

/** The types of problems in responses, each with the status of its page, which is requested only once. */
const resolved = new Map<string, number>();
/** Statuses of the error badges in responses. */
const rejectedBadges = new Set<number>();
let client: Client;
let first: Reply;

beforeAll(async () => {
  const { store } = cleanup.use(await sharedStore(contractContent({ builds: [{}] })));
  const server = await serve(store);
  cleanup.defer(() => server.close());
  client = new Client(server.port);
  cleanup.defer(() => client.close());
  process.on("unhandledRejection", remember);
  first = await client.ask("/records?limit=100");
}, 300_000);

afterAll(async () => {
  process.off("unhandledRejection", remember);
  await cleanup.disposeAsync();
});

/** Returns the fault of a response to any request; null if there is none. */
async function findFault(
  reply: Reply,
  { method = "GET", headers: given }: Question,
  path: string,
): Promise<string | null> {
  if (reply.status >= 500) return `${reply.status}: ${reply.text.slice(0, 300)}`;
  if (reply.status < 400) return null;
  // Errors of HEAD have no body to check.
  if (method === "HEAD") return reply.body.length === 0 ? null : "a body on HEAD";
  // A browser gets errors as a page.
  if (given?.accept?.includes("text/html") && reply.headers["content-type"]?.startsWith("text/html")) {
    return reply.text.startsWith("<!doctype html>") ? null : `no page: ${reply.text.slice(0, 300)}`;
  }
  const { fault, type } = rejectionFault(reply, method, path);
  if (fault !== null) return `${reply.status}: ${fault}: ${reply.text.slice(0, 300)}`;
  if (type === null) {
    rejectedBadges.add(reply.status);
    return null;
  }
  if (!resolved.has(type)) resolved.set(type, (await client.ask(type)).status);
  return resolved.get(type) === 200 ? null : `${type} answers ${resolved.get(type)}`;
}

async function expectSound(path: string, question: Question = {}): Promise<void> {
  const reply = await client.ask(path, question);
  const fault = await findFault(reply, question, path);
  if (fault !== null) throw new Error(`${question.method ?? "GET"} ${path}: ${fault}`);
}

/** Settings of fast-check. The first failure is reported without shrinking, which would send thousands of further requests. */
const runs = (numRuns: number) => ({ seed: SEED, numRuns, endOnFailure: true });

test.each(PARAMETERS)("any value of the parameter %s gets a response that the contract describes", async (name) => {
  await fc.assert(
    fc.asyncProperty(makeParameter(name), (path) => expectSound(path)),
    runs(60),
  );
});

test("any URL with any keys and parameters gets a response that the contract describes", async () => {
  await fc.assert(
    fc.asyncProperty(target, (path) => expectSound(path)),
    runs(1500),
  );
}, 300_000);

test("any headers get a response that the contract describes", async () => {
  await fc.assert(
    fc.asyncProperty(target, headers, (path, given) => expectSound(path, { headers: given })),
    runs(800),
  );
}, 300_000);

test("any method gets a response that the contract describes", async () => {
  const property = fc.asyncProperty(target, method, headers, (path, name, given) =>
    expectSound(path, { method: name, headers: given, body: "{}" }),
  );
  await fc.assert(property, runs(600));
}, 300_000);

test("any registration of a key gets a response that the contract describes", async () => {
  let callers = 0;
  const property = fc.asyncProperty(body, mediaType, (text, type) => {
    callers += 1;
    // Each registration comes from another address, because an address can register only three keys an hour.
    const from = `127.210.${callers >> 8}.${callers & 255}`;
    return expectSound("/api-keys/register", {
      method: "POST",
      body: text,
      from,
      headers: type === "" ? {} : { "content-type": type },
    });
  });
  await fc.assert(property, runs(600));
}, 300_000);

test("the server still responds after all requests, without an unhandled error", async () => {
  const again = await client.ask("/records?limit=100");
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect((await client.ask("/health")).status).toBe(200);
  expect(rejections).toEqual([]);
  // Fuzzing has met every error of the read API that a request alone can cause.
  expect([...resolved.keys()]).toEqual(
    expect.arrayContaining(["/problems/invalid-parameter", "/problems/unsupported-rubric", "/problems/not-found"]),
  );
  expect([...rejectedBadges]).toEqual(expect.arrayContaining([400, 404]));
});
