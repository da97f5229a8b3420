/**
 * Evaluations from the identifier to the score over real HTTP: the service that is asked, shared responses, and the error for
 * each fault.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";
import { dataciteRecord, type Fault, type Services, services, zenodoRecord } from "./services.ts";

const CONTRACT = "2.0.0-beta.2";

// One evaluator for the file, because starting its worker takes longer than most tests here.
let there: Services;
let opened: OpenEvaluator;
beforeAll(async () => {
  there = await services();
  opened = await openEvaluator({ upstreams: there.upstreams, timeoutMs: 3000 });
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
});

/**
 * Removes the responses and faults of the services, and moves the clock an hour, so that the evaluator's cache is out of date.
 */
beforeEach(() => {
  there.answers.clear();
  there.asked.length = 0;
  there.requests.length = 0;
  there.fault = () => false;
  opened.now = new Date(opened.now.getTime() + 3_600_000);
});

function answer(answers: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(answers)) there.answers.set(path, value);
}

/** Returns the error of an evaluation that must fail. */
async function failure(work: Promise<unknown>): Promise<Pick<EvaluationError, "code" | "message" | "retryAfter">> {
  return work.then(
    (done) => {
      throw new Error(`expected a failure, but the evaluation succeeded: ${JSON.stringify(done)}`);
    },
    ({ code, message, retryAfter }) => ({ code, message, retryAfter }),
  );
}

interface Way {
  readonly name: string;
  readonly identifier: string;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly asked: readonly string[];
  readonly found: string;
}

const NOWHERE = [{ DOI: "10.5072/x", status: "DOI does not exist" }];

const WAYS: readonly Way[] = [
  {
    name: "a Zenodo DOI is fetched from Zenodo, which lists its files",
    identifier: "https://doi.org/10.5281/zenodo.99000001",
    answers: { "/api/records/99000001": zenodoRecord(99000001) },
    asked: ["/api/records/99000001"],
    found: "record zenodo/99000001",
  },
  {
    name: "DataCite's client determines the native source, and the landing page the record",
    identifier: "10.5072/elsewhere",
    answers: {
      "/dois/10.5072/elsewhere": dataciteRecord(
        "10.5072/elsewhere",
        "CERN.ZENODO",
        "https://zenodo.org/records/99000002",
      ),
      "/api/records/99000002": zenodoRecord(99000002),
    },
    asked: ["/dois/10.5072/elsewhere", "/api/records/99000002"],
    found: "record zenodo/99000002",
  },
  {
    name: "a landing page of Zenodo under another client does not determine the source",
    identifier: "10.5072/claimed",
    answers: {
      "/dois/10.5072/claimed": dataciteRecord("10.5072/claimed", "some.one", "https://zenodo.org/records/99000002"),
    },
    asked: ["/dois/10.5072/claimed"],
    found: "record datacite/10.5072/claimed",
  },
  {
    name: "a record deleted at its source but findable is scored from the registry",
    identifier: "10.5072/left",
    answers: {
      "/dois/10.5072/left": dataciteRecord("10.5072/left", "cern.zenodo", "https://zenodo.org/records/99000003"),
    },
    asked: ["/dois/10.5072/left", "/api/records/99000003"],
    found: "record datacite/10.5072/left",
  },
  {
    name: "an identifier of the registry is requested from the registry",
    identifier: "datacite/10.5281/zenodo.99000001",
    answers: { "/dois/10.5281/zenodo.99000001": dataciteRecord("10.5281/zenodo.99000001", "cern.zenodo") },
    asked: ["/dois/10.5281/zenodo.99000001"],
    found: "record datacite/10.5281/zenodo.99000001",
  },
  {
    name: "a DOI that DataCite has withdrawn is a tombstone",
    identifier: "10.5072/withdrawn",
    answers: { "/dois/10.5072/withdrawn": dataciteRecord("10.5072/withdrawn", "some.one", null, "registered") },
    asked: ["/dois/10.5072/withdrawn"],
    found: "tombstone datacite/10.5072/withdrawn",
  },
  {
    name: "the registration agency is requested for a DOI that DataCite does not have",
    identifier: "10.5072/nobody",
    answers: {
      "/dois/10.5072/nobody": dataciteRecord("10.5072/nobody", null),
      "/doiRA/10.5072/nobody": [{ DOI: "10.5072/nobody", RA: "Crossref" }],
    },
    asked: ["/dois/10.5072/nobody", "/doiRA/10.5072/nobody"],
    found: "unsupported-source",
  },
  {
    name: "a DOI of another agency",
    identifier: "10.1000/182",
    answers: { "/doiRA/10.1000/182": [{ DOI: "10.1000/182", RA: "Crossref" }] },
    asked: ["/dois/10.1000/182", "/doiRA/10.1000/182"],
    found: "unsupported-source",
  },
  {
    name: "a DataCite DOI that is not public",
    identifier: "10.5072/hidden",
    answers: { "/doiRA/10.5072/hidden": [{ DOI: "10.5072/hidden", RA: "DataCite" }] },
    asked: ["/dois/10.5072/hidden", "/doiRA/10.5072/hidden"],
    found: "not-in-source",
  },
  {
    name: "an unregistered DOI with a comma",
    identifier: "10.5072/a,b",
    answers: { "/doiRA/10.5072/a,b": NOWHERE },
    asked: ["/dois/10.5072/a,b", "/doiRA/10.5072/a,b"],
    found: "not-in-source",
  },
  {
    name: "an unknown record number",
    identifier: "zenodo/99000009",
    answers: {},
    asked: ["/api/records/99000009"],
    found: "not-in-source",
  },
  {
    name: "software is not a dataset",
    identifier: "zenodo/99000004",
    answers: {
      "/api/records/99000004": zenodoRecord(99000004, {
        metadata: { title: "Code", resource_type: { type: "software" } },
      }),
    },
    asked: ["/api/records/99000004"],
    found: "not_dataset zenodo/99000004",
  },
];

describe("the service that an evaluation asks", () => {
  test.each(WAYS)(
    "an evaluation asks the service that has the record: $name",
    async ({ identifier, answers, asked, found }) => {
      answer(answers);
      const ended = await opened.evaluate(identifier, CONTRACT).then(
        (done) => `${done.outcome} ${done.identifier}`,
        ({ code }) => code,
      );
      expect({ ended, asked: there.asked }).toEqual({ ended: found, asked });
    },
  );

  test("a comma in a DOI is encoded in requests to doi.org, which would otherwise read two DOIs", async () => {
    answer({ "/doiRA/10.5072/a,b": NOWHERE });
    await failure(opened.evaluate("10.5072/a,b", CONTRACT));
    expect(there.requests.map(({ url }) => url)).toContain("/doiRA/10.5072/a%2Cb");
  });
});

test("a record that needs several requests is assembled and scored as in a harvest", async () => {
  const text = await readFile(join(PAYLOADS, "figshare/complete.json"), "utf8");
  const parts = z.object({ article: z.looseObject({ id: z.int() }), views: z.unknown(), downloads: z.unknown() });
  const { article, views, downloads } = parts.parse(JSON.parse(text));
  answer({
    [`/v2/articles/${article.id}`]: article,
    [`/total/views/article/${article.id}`]: views,
    [`/total/downloads/article/${article.id}`]: downloads,
  });
  const found = await opened.evaluate(`figshare/${article.id}`, "1.0.0");
  const whole = { source: "figshare", sourceId: String(article.id), payload: text, payloadDigest: "0".repeat(64) };
  const scored = await opened.score({ ...whole, status: 200, retrievedAt: null }, "1.0.0");
  expect(there.asked.length).toBe(3);
  expect(scored.record?.observedUse.views).toBeGreaterThan(0);
  expect(found.record?.signals).toEqual(scored.record?.signals);
});

const RECORD = "/api/records/99000001";
const answering =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };

interface FaultCase {
  readonly name: string;
  readonly fault: Fault;
  readonly code: string;
  readonly retryAfter?: number;
  readonly requests?: number;
}

const FAULTS: readonly FaultCase[] = [
  { name: "500", fault: answering(500, "{}"), code: "source-unreachable", requests: 2 },
  { name: "503 with HTML", fault: answering(503, "<html>busy</html>"), code: "source-unreachable", requests: 2 },
  {
    name: "429 with a Retry-After that is too long",
    fault: answering(429, "{}", { "retry-after": "59" }),
    code: "source-unreachable",
    retryAfter: 59,
    requests: 1,
  },
  { name: "401", fault: answering(401, '{"message":"who?"}'), code: "source-unreachable", requests: 1 },
  { name: "400", fault: answering(400, '{"message":"what?"}'), code: "source-unreachable", requests: 1 },
  { name: "HTML in a 200", fault: answering(200, "<html>login</html>"), code: "source-unreachable", requests: 2 },
  { name: "an error in a 200", fault: answering(200, '{"status":500,"message":"oops"}'), code: "source-unreachable" },
  { name: "half a body", fault: answering(200, '{"id": 99000001, "meta'), code: "source-unreachable", requests: 2 },
  { name: "an empty body", fault: answering(200, ""), code: "source-unreachable", requests: 2 },
  { name: "another record", fault: answering(200, '{"hits":{"hits":[]}}'), code: "source-unreachable" },
  {
    name: "more than 5 MB",
    fault: (_request, response) => {
      response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024 + 1, 0x20));
      return true;
    },
    code: "source-unreachable",
    requests: 1,
  },
  {
    name: "a broken connection",
    fault: (request) => {
      request.socket.destroy();
      return true;
    },
    code: "source-unreachable",
    requests: 2,
  },
  { name: "a redirect loop", fault: answering(302, "", { location: RECORD }), code: "source-unreachable" },
  { name: "silence", fault: () => true, code: "source-too-slow", requests: 2 },
  {
    name: "an endless body",
    fault: (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write("{");
      return true;
    },
    code: "source-too-slow",
    requests: 2,
  },
];

describe("a fault of the service", () => {
  test.each(FAULTS)(
    "a fault of a service becomes an error with a code and a time to retry: $name",
    async ({ fault, code, retryAfter = 30, requests }) => {
      answer({ [RECORD]: zenodoRecord(99000001) });
      there.fault = fault;
      const failed = await failure(opened.evaluate("zenodo/99000001", CONTRACT));
      expect(failed).toMatchObject({ code, retryAfter });
      // The message contains neither a URL nor text from the service.
      expect(failed.message).not.toMatch(/127\.0\.0\.1|oops|login|who|\bat\b.*\(/);
      expect(failed.message).toMatch(/^Zenodo /);
      if (requests !== undefined) expect(there.asked.length).toBe(requests);

      // After the fault, the same identifier is found, so the evaluator did not cache the fault.
      there.fault = () => false;
      opened.now = new Date(opened.now.getTime() + 5_000);
      expect(await opened.evaluate("zenodo/99000001", CONTRACT)).toMatchObject({ outcome: "record" });
    },
  );

  test("a fault of doi.org is not reported as an unknown DOI", async () => {
    const lost = answering(200, '[{"DOI":"10.5072/x"}]');
    const FAULTY: readonly (readonly [Fault, string])[] = [
      [answering(500, ""), "source-unreachable"],
      [answering(302, "", { location: "/doiRA/10.5072/x" }), "source-unreachable"],
      [answering(200, "no JSON"), "source-unreachable"],
      [answering(200, "x".repeat(70_000)), "source-unreachable"],
      [lost, "source-unreachable"],
      [() => true, "source-too-slow"],
    ];
    for (const [fault, code] of FAULTY) {
      there.fault = (request, response, path) => path.startsWith("/doiRA/") && fault(request, response, path);
      expect(await failure(opened.evaluate("10.5072/x", CONTRACT))).toMatchObject({ code });
    }
  });

  test("a fault of the repository is reported even if DataCite has the record", async () => {
    answer({ "/dois/10.5072/y": dataciteRecord("10.5072/y", "cern.zenodo", "https://zenodo.org/records/99000001") });
    there.fault = (request, response, path) => path === RECORD && answering(500, "{}")(request, response, path);
    expect(await failure(opened.evaluate("10.5072/y", CONTRACT))).toMatchObject({
      code: "source-unreachable",
    });
  });

  test("a service that does not listen is reported as unreachable", async () => {
    const gone = await services();
    await gone[Symbol.asyncDispose]();
    await using opened = await openEvaluator({ upstreams: gone.upstreams });
    expect(await failure(opened.evaluate("zenodo/1", CONTRACT))).toMatchObject({
      code: "source-unreachable",
    });
  });

  test("an evaluation ends at its deadline, and the late response of the service is still cached", async () => {
    answer({ [RECORD]: zenodoRecord(99000001) });
    await using opened = await openEvaluator({ upstreams: there.upstreams, deadlineMs: 300 });
    // Waits until the worker has started, because that takes longer than the deadline.
    await expect
      .poll(() => failure(opened.evaluate("zenodo/404", CONTRACT)), { timeout: 30_000 })
      .toMatchObject({ code: "not-in-source" });
    there.asked.length = 0;
    let release: () => void = () => {};
    there.fault = (_request, response) => {
      release = () => response.end(JSON.stringify(zenodoRecord(99000001)));
      return true;
    };
    const late = opened.evaluate("zenodo/99000001", CONTRACT);
    expect(await failure(late)).toMatchObject({ code: "source-too-slow", retryAfter: 30 });
    release();
    await expect.poll(() => opened.evaluate("zenodo/99000001", CONTRACT)).toMatchObject({ outcome: "record" });
    expect(there.asked).toEqual([RECORD]);
  });
});

describe("the response of a service", () => {
  test("a thousand simultaneous evaluations of a record share one response, whatever the contract and the identifier's spelling", async () => {
    answer({ [RECORD]: zenodoRecord(99000001) });
    const spellings = ["zenodo/99000001", "10.5281/zenodo.99000001", "https://zenodo.org/records/99000001"];
    const contracts = ["2.0.0-beta.2", "1.0.0", "2.0.0-beta.1"] as const;
    const all = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        opened.evaluate(spellings[i % 3] ?? "", contracts[Math.floor(i / 3) % 3] ?? CONTRACT),
      ),
    );
    expect(new Set(all.map(({ contract, outcome }) => `${contract} ${outcome}`)).size).toBe(3);
    expect(there.asked).toEqual([RECORD]);
  });

  test("the response of a service is cached for one minute", async () => {
    answer({ [RECORD]: zenodoRecord(99000001) });
    const ask = async () => (await opened.evaluate("zenodo/99000001", CONTRACT)).record?.source.retrievedAt;
    const first = await ask();
    const began = opened.now.getTime();
    opened.now = new Date(began + 59_000);
    expect({ again: await ask(), requests: there.asked.length }).toEqual({ again: first, requests: 1 });
    opened.now = new Date(began + 61_000);
    expect({ later: await ask(), requests: there.asked.length }).toEqual({
      later: opened.now.toISOString(),
      requests: 2,
    });
  });

  test("the response of a service is not cached if the record is missing", async () => {
    expect(await failure(opened.evaluate("zenodo/99000001", CONTRACT))).toMatchObject({
      code: "not-in-source",
    });
    there.answers.set(RECORD, zenodoRecord(99000001));
    expect(await opened.evaluate("zenodo/99000001", CONTRACT)).toMatchObject({ outcome: "record" });
  });
});

test("requests to a service have a User-Agent, but neither cookies nor credentials", async () => {
  answer({ [RECORD]: zenodoRecord(99000001) });
  there.fault = (_request, response, path) => {
    if (path === RECORD) return false;
    response.writeHead(302, { location: RECORD, "set-cookie": "session=1; Path=/" }).end();
    return true;
  };
  await opened.evaluate("zenodo/5", CONTRACT);
  const allowed = [
    "accept",
    "accept-encoding",
    "accept-language",
    "connection",
    "host",
    "sec-fetch-mode",
    "user-agent",
  ];
  expect(there.requests.length).toBe(2);
  for (const { headers } of there.requests) {
    expect(Object.keys(headers).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(headers["user-agent"]).toMatch(/^share-release\/\d/);
  }
});
