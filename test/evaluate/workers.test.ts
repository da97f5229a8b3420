/** Evaluations in worker processes, where a hostile payload can end its worker but nothing else. */

import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { Evaluator, type EvaluatorOptions } from "../../pipeline/evaluate/index.ts";
import { type Identifier, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { zenodo } from "../../pipeline/sources/zenodo/source.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { guardedFetch } from "../../server/http/guarded-fetch.ts";
import { HOSTILE_PAYLOADS } from "../security/hostile-payloads.ts";
import { openEvaluator } from "./open-evaluator.ts";
import { dataciteRecord, type Services, services, zenodoRecord } from "./services.ts";

const CONTRACT = "2.0.0-beta.2";
const NOW = new Date("2026-11-01T12:00:00.000Z");

const cleanups: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(answers: Readonly<Record<string, unknown>>, options: Partial<EvaluatorOptions> = {}) {
  const there = await services(answers);
  const outbound = guardedFetch({ allow: [there.base] });
  const clock = { now: NOW };
  const workers = new Evaluator(
    { contact: null, upstreams: there.upstreams, ...options },
    {
      fetch: outbound.fetch,
      now: () => clock.now,
      sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
      random: () => 0,
      log: () => {},
      progress: () => {},
    },
  );
  cleanups.push(
    () => there[Symbol.asyncDispose](),
    () => outbound.close(),
    () => workers.close(),
  );
  return { there, workers, clock };
}

function identified(text: string): Identifier {
  const identifier = parseIdentifier(text);
  if (identifier.kind === "rejected") throw new Error(identifier.reason);
  return identifier;
}

const ended = (evaluating: Promise<ScoredEvaluation>) =>
  evaluating.then(
    (evaluation) => evaluation,
    ({ code, message, retryAfter }: { code: string; message: string; retryAfter: number | null }) => ({
      code,
      message,
      retryAfter,
    }),
  );

const creators = [
  { name: "Carberry, Josiah", affiliation: "Brown University, USA", orcid: "0000-0002-1825-0097" },
  { name: "Doe, Jane" },
];
const ANSWERS = {
  "/api/records/99000001": zenodoRecord(99000001, {
    metadata: { title: "One", resource_type: { type: "dataset" }, access_right: "open", creators },
  }),
  "/api/records/99000004": zenodoRecord(99000004, { metadata: { title: "Code", resource_type: { type: "software" } } }),
  "/dois/10.5072/y": dataciteRecord("10.5072/y", "cern.zenodo", "https://zenodo.org/records/99000001"),
  "/dois/10.5072/z": dataciteRecord("10.5072/z", "other.client"),
  "/doiRA/10.1000/182": [{ DOI: "10.1000/182", RA: "Crossref" }],
};

test("a worker returns the same result as the scorer in the same process", async () => {
  const { workers } = await open(ANSWERS);
  await using own = await openEvaluator();
  const payload = JSON.stringify(ANSWERS["/api/records/99000001"]);
  const payloadDigest = createHash("sha256").update(payload).digest("hex");
  const given = { source: "zenodo", sourceId: "99000001", payload, payloadDigest, status: 200 };
  for (const contract of CONTRACTS) {
    const retrievedAt = NOW.toISOString();
    expect(await workers.evaluate(identified("zenodo/99000001"), contract)).toEqual(
      await own.score({ ...given, retrievedAt }, contract),
    );
  }
});

test("a worker leaves out hidden people as soon as they are hidden", async () => {
  const hidden = new Set<string>();
  const { workers } = await open(ANSWERS, { isWithheld: (id) => hidden.has(id) });
  await using own = await openEvaluator({
    isWithheld: (id) => {
      hidden.add(id);
      return true;
    },
  });
  const payload = JSON.stringify(ANSWERS["/api/records/99000001"]);
  const given = { source: "zenodo", sourceId: "99000001", payload, payloadDigest: "0".repeat(64) };
  const shown = await workers.evaluate(identified("zenodo/99000001"), CONTRACT);
  const without = await own.score({ ...given, status: 200, retrievedAt: null }, CONTRACT);
  const again = await workers.evaluate(identified("zenodo/99000001"), CONTRACT);
  expect(shown.record?.authors.map(({ name }) => name)).toEqual(["Carberry, Josiah", "Doe, Jane"]);
  expect(again.record?.authors.map(({ name }) => name)).toEqual(["withheld", "withheld"]);
  expect(again.record?.authors).toEqual(without.record?.authors);
});

/** Makes the hostile payload of this name the response for record 99000666. */
function hostile(there: Services, name: string): void {
  const payload = HOSTILE_PAYLOADS.find((each) => each.name === name);
  if (payload === undefined) throw new Error(`HOSTILE_PAYLOADS has no payload “${name}”`);
  there.answers.set("/api/records/99000666", payload.record(99000666));
}

describe("a payload that exceeds a limit", () => {
  const KILLED = [
    {
      name: "of CPU time",
      workers: { size: 1, taskMilliseconds: 300 },
      code: "source-too-slow",
      said: /takes longer/,
    },
    {
      name: "of memory of the process",
      workers: { size: 1, residentMegabytes: 400 },
      code: "source-unreachable",
      said: /takes more/,
    },
    {
      name: "of heap",
      workers: { size: 1, heapMegabytes: 96 },
      code: "source-unreachable",
      said: /takes more/,
    },
  ];
  test.each(KILLED)(
    "a payload that exceeds the limit $name ends its worker with an error, and the next task gets a new worker",
    async ({ workers: limits, code, said }) => {
      const { there, workers, clock } = await open({}, { workers: limits });
      for (let id = 1; id <= 200; id += 1) there.answers.set(`/api/records/${id}`, zenodoRecord(id));
      hostile(there, "as many files as fit into 5 MB");
      let id = 0;
      const plain = () => {
        id += 1;
        return ended(workers.evaluate(identified(`zenodo/${id}`), CONTRACT));
      };
      // On a busy machine even a plain evaluation may exceed such a short limit, so the test repeats it until it succeeds.
      await expect.poll(plain, { timeout: 30_000 }).toMatchObject({ outcome: "record" });
      const [first] = workers.pids;
      const killed = await ended(workers.evaluate(identified("zenodo/99000666"), CONTRACT));
      expect(killed).toMatchObject({ code, message: expect.stringMatching(said), retryAfter: 600 });
      expect(() => process.kill(first ?? 0, 0)).toThrow(/ESRCH/);
      await expect.poll(plain, { timeout: 30_000 }).toMatchObject({ outcome: "record" });
      expect(workers.pids).not.toContain(first);

      // A payload that killed a worker is rejected for ten minutes, and then tried once more.
      const asked = there.asked.length;
      clock.now = new Date(NOW.getTime() + 60_000);
      const again = await ended(workers.evaluate(identified("zenodo/99000666"), "1.0.0"));
      expect(again).toMatchObject({ code, retryAfter: 540 });
      expect(there.asked.length).toBe(asked);
      clock.now = new Date(NOW.getTime() + 600_000);
      there.answers.set("/api/records/99000666", zenodoRecord(99000666));
      await ended(workers.evaluate(identified("zenodo/99000666"), CONTRACT));
      expect(there.asked.length).toBe(asked + 1);
    },
  );
});

test.each([
  { name: "CPU time", workers: { size: 1, taskMilliseconds: 300 }, said: /^the draft takes more time to score/ },
  { name: "heap", workers: { size: 1, heapMegabytes: 96 }, said: /^the draft takes more memory to score/ },
])("a draft whose scoring exceeds the limit of $name is rejected as too large", async ({ workers: limits, said }) => {
  const { workers } = await open({}, { workers: limits });
  const payload = HOSTILE_PAYLOADS.find(({ name }) => name === "as many files as fit into 5 MB")?.record(99000666);
  const killed = await ended(workers.draft(zenodo, Buffer.from(JSON.stringify(payload)), CONTRACT));
  expect(killed).toMatchObject({ code: "body-too-large", message: expect.stringMatching(said), retryAfter: null });
});

test("a draft whose result would be too large is rejected as too large, and not as a fault of a source", async () => {
  const { workers } = await open({});
  const creators = Array.from({ length: 4000 }, (_, i) => ({ name: `N${i}, B`, affiliation: "x".repeat(990) }));
  const draft = { metadata: { title: "Tides", upload_type: "dataset", creators } };
  const evaluated = await ended(workers.draft(zenodo, Buffer.from(JSON.stringify(draft)), CONTRACT));
  expect(evaluated).toMatchObject({
    code: "body-too-large",
    message: expect.stringMatching(/^the score of the draft/),
  });
});

test("an evaluation that waits for its source still succeeds if another evaluation ends the worker", async () => {
  const { there, workers } = await open(ANSWERS, { workers: { size: 1, heapMegabytes: 96 } });
  hostile(there, "as many files as fit into 5 MB");
  const held = Promise.withResolvers<() => void>();
  there.fault = (_request, response, path) => {
    if (path !== "/api/records/99000001") return false;
    held.resolve(() => response.end(JSON.stringify(ANSWERS["/api/records/99000001"])));
    return true;
  };
  const waiting = ended(workers.evaluate(identified("zenodo/99000001"), CONTRACT));
  const release = await held.promise;
  const [first] = workers.pids;
  const killed = await ended(workers.evaluate(identified("zenodo/99000666"), CONTRACT));
  expect(killed).toMatchObject({ retryAfter: 600 });
  release();
  expect(await waiting).toMatchObject({ outcome: "record", identifier: "zenodo/99000001" });
  expect(workers.pids).not.toContain(first);
});

test("closing the pool ends every worker, and rejects waiting tasks", async () => {
  const { there, workers } = await open(ANSWERS);
  hostile(there, "as many creators as fit into 5 MB");
  await workers.evaluate(identified("zenodo/99000001"), CONTRACT);
  const waiting = ended(workers.evaluate(identified("zenodo/99000666"), CONTRACT));
  const { pids } = workers;
  await workers.close();
  expect(await waiting).not.toHaveProperty("outcome");
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});
