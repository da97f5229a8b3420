/** Evaluations in worker processes: the same results as without, and none of the harm where a worker is killed. */

import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { Evaluation } from "../../evaluate/evaluation.ts";
import { EvaluationWorkers, type EvaluationWorkersOptions } from "../../evaluate/in-workers.ts";
import { type Identifier, parseIdentifier } from "../../pipeline/identifiers/parse.ts";
import { zenodo } from "../../pipeline/sources/zenodo/source.ts";
import { guardedFetch } from "../../server/outbound/guarded-fetch.ts";
import { HOSTILE_PAYLOADS } from "../security/hostile-payloads.ts";
import { openEvaluator } from "./open-evaluator.ts";
import { dataciteRecord, type Services, services, zenodoRecord } from "./services.ts";

const CONTRACT = "2.0.0-beta.2";
const NOW = new Date("2026-11-01T12:00:00.000Z");

const cleanups: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(answers: Readonly<Record<string, unknown>>, options: Partial<EvaluationWorkersOptions> = {}) {
  const there = await services(answers);
  const outbound = guardedFetch({ allow: [there.base] });
  const clock = { now: NOW };
  const workers = new EvaluationWorkers(
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
  if (identifier.kind === "refused") throw new Error(identifier.reason);
  return identifier;
}

const ended = (evaluating: Promise<Evaluation>) =>
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

test("ends as it would in one's own process, whatever is asked for, under every contract, in as many requests", async () => {
  const { there, workers } = await open(ANSWERS);
  const asked = [
    "zenodo/99000001",
    "10.5072/y",
    "10.5072/z",
    "10.1000/182",
    "10.9999/none",
    "zenodo/99000009",
    "zenodo/99000004",
  ];
  const found: unknown[] = [];
  for (const text of asked)
    for (const contract of ["2.0.0-beta.2", "1.0.0"] as const)
      found.push(await ended(workers.evaluateIdentifier(identified(text), contract)));
  const requests = there.asked.splice(0);
  await using own = await openEvaluator({ upstreams: there.upstreams });
  const expected: unknown[] = [];
  for (const text of asked)
    for (const contract of ["2.0.0-beta.2", "1.0.0"] as const)
      expected.push(await ended(own.evaluator.evaluateIdentifier(identified(text), contract)));
  expect(found).toEqual(expected);
  expect(requests).toEqual(there.asked);
  expect(new Set(found.map((each) => (each as { outcome?: string }).outcome)).size).toBeGreaterThan(2);
});

test("whoever has asked not to be shown is withheld, from the moment of asking", async () => {
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
  const shown = await workers.evaluateIdentifier(identified("zenodo/99000001"), CONTRACT);
  const without = await own.evaluator.score({ ...given, status: 200, retrievedAt: null }, CONTRACT);
  const again = await workers.evaluateIdentifier(identified("zenodo/99000001"), CONTRACT);
  expect(shown.record?.authors.map(({ name }) => name)).toEqual(["Carberry, Josiah", "Doe, Jane"]);
  expect(again.record?.authors.map(({ name }) => name)).toEqual(["withheld", "withheld"]);
  expect(again.record?.authors).toEqual(without.record?.authors);
});

test("a draft is scored, or refused with the same words", async () => {
  const { there, workers } = await open({});
  await using own = await openEvaluator();
  for (const text of [
    JSON.stringify(ANSWERS["/api/records/99000001"]),
    '{"metadata":{"title":"Later"}}',
    "[]",
    "<html>",
  ]) {
    const file = Buffer.from(text);
    expect(await ended(workers.draft(zenodo, file, CONTRACT))).toEqual(
      await ended(own.evaluator.draft(zenodo, file, CONTRACT)),
    );
  }
  expect(there.asked).toEqual([]);
});

/** Answers with the hostile payload of this name. */
function hostile(there: Services, name: string): void {
  const payload = HOSTILE_PAYLOADS.find((each) => each.name === name);
  if (payload === undefined) throw new Error(`there is no payload called ${name}`);
  there.answers.set("/api/records/99000666", payload.record(99000666));
}

describe("a worker is killed, its caller is told so, and the next is served by another", () => {
  const KILLED = [
    {
      name: "for its time",
      workers: { size: 1, taskMilliseconds: 300 },
      code: "source-too-slow",
      said: /takes longer/,
    },
    {
      name: "for its memory, as the system counts it",
      workers: { size: 1, residentMegabytes: 400 },
      code: "source-unreachable",
      said: /takes more/,
    },
    {
      name: "for its heap",
      workers: { size: 1, heapMegabytes: 96 },
      code: "source-unreachable",
      said: /takes more/,
    },
  ];
  test.each(KILLED)("$name", async ({ workers: limits, code, said }) => {
    const { there, workers, clock } = await open({}, { workers: limits });
    for (let id = 1; id <= 200; id += 1) there.answers.set(`/api/records/${id}`, zenodoRecord(id));
    hostile(there, "as many files as 5 MB hold");
    let id = 0;
    const plain = () => {
      id += 1;
      return ended(workers.evaluateIdentifier(identified(`zenodo/${id}`), CONTRACT));
    };
    // A machine that is busy may be too slow for so short a time: another is asked for until it is not.
    await expect.poll(plain, { timeout: 30_000 }).toMatchObject({ outcome: "record" });
    const [first] = workers.pids;
    const killed = await ended(workers.evaluateIdentifier(identified("zenodo/99000666"), CONTRACT));
    expect(killed).toMatchObject({ code, message: expect.stringMatching(said), retryAfter: 600 });
    expect(() => process.kill(first ?? 0, 0)).toThrow(/ESRCH/);
    await expect.poll(plain, { timeout: 30_000 }).toMatchObject({ outcome: "record" });
    expect(workers.pids).not.toContain(first);

    // What killed a worker is left alone for ten minutes, and then tried once more.
    const asked = there.asked.length;
    clock.now = new Date(NOW.getTime() + 60_000);
    const again = await ended(workers.evaluateIdentifier(identified("zenodo/99000666"), "1.0.0"));
    expect(again).toMatchObject({ code, retryAfter: 540 });
    expect(there.asked.length).toBe(asked);
    clock.now = new Date(NOW.getTime() + 600_000);
    there.answers.set("/api/records/99000666", zenodoRecord(99000666));
    await ended(workers.evaluateIdentifier(identified("zenodo/99000666"), CONTRACT));
    expect(there.asked.length).toBe(asked + 1);
  });
});

test("closing ends every worker, and what waits", async () => {
  const { there, workers } = await open(ANSWERS);
  hostile(there, "as many creators as 5 MB hold");
  await workers.evaluateIdentifier(identified("zenodo/99000001"), CONTRACT);
  const waiting = ended(workers.evaluateIdentifier(identified("zenodo/99000666"), CONTRACT));
  const { pids } = workers;
  await workers.close();
  expect(await waiting).not.toHaveProperty("outcome");
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});
