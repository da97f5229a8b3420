/**
 * Tests a harvest of every source from a simulated service: without faults, with temporary faults, in several runs, and with an
 * outage.
 */

import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type HttpOptions, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { at } from "../../pipeline/reading/reader.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import type { Envelope } from "../../schemas/internal/rows.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Fault, type Service, send, serve } from "../support/upstream/service.ts";
import type { World } from "../support/upstream/world.ts";
import { WORLDS } from "../support/upstream/worlds.ts";
import { readEnvelopes, type TestEffects, testEffects } from "./bench-store.ts";

interface PassingFault {
  readonly name: string;
  readonly answer: (response: ServerResponse) => void;
  /** The wait that the service requires, in milliseconds. */
  readonly wait?: number;
}

function plain(status: number, headers: Record<string, string>, body: string) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

const PASSING: readonly PassingFault[] = [
  { name: "status 429 with Retry-After", answer: plain(429, { "retry-after": "7" }, "slow down"), wait: 7000 },
  { name: "status 429 without Retry-After", answer: plain(429, { "content-type": "text/html" }, "<html>429</html>") },
  { name: "status 500", answer: plain(500, {}, `{"error":"oops"}`) },
  {
    name: "status 502 with HTML",
    answer: plain(502, { "content-type": "text/html" }, "<html><h1>Bad Gateway</h1></html>"),
  },
  { name: "a body that breaks off", answer: cut },
  { name: "status 200 with HTML", answer: plain(200, { "content-type": "text/html" }, "<!doctype html><p>Wait") },
  { name: "a body that arrives very slowly", answer: drip },
  { name: "a reset connection", answer: (response) => response.socket?.resetAndDestroy() },
];

/**
 * A time limit of three seconds for a response. It ends a slow one, and is far longer than any other takes on a busy machine.
 */
const IMPATIENT = { limits: { timeoutMs: 3000 } };

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100000" });
  response.write(`{"data":[`);
  setTimeout(() => response.destroy(), 20);
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

/** Announces five gigabytes, and begins to send them. */
function enormous(response: ServerResponse): void {
  response.writeHead(200, { "content-length": String(5 * 1024 ** 3) });
  const more = () => {
    while (response.write("x".repeat(64 * 1024)));
  };
  response.on("drain", more);
  more();
}

function elsewhere(response: ServerResponse): void {
  plain(302, { location: "http://localhost:9/stolen" }, "")(response);
}

const NAMES = SOURCES.map(({ name }) => name).filter((name) => name in WORLDS);

interface Bench extends AsyncDisposable {
  readonly world: World;
  readonly service: Service;
  readonly store: TemporaryStore;
  harvest(options?: Partial<HttpOptions>, effects?: TestEffects): ReturnType<typeof harvestHttp>;
  envelopes(): Promise<Envelope[]>;
}

async function openBench(name: string): Promise<Bench> {
  const [world, source] = [WORLDS[name]?.(), sourceNamed(name)];
  if (world === undefined || source === null)
    throw new Error(`test/support/upstream/worlds.ts has no simulated service of ${name}`);
  const service = await serve(world.dialect);
  const store = await temporaryStore();
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true };
  return {
    world,
    service,
    store,
    harvest: (more = {}, effects = testEffects()) => harvestHttp(store.store, source, { ...options, ...more }, effects),
    envelopes: () => readEnvelopes(store.store, name),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Expects every record of the service once, with its parts, and an entry with an error status for each record that is gone. */
async function expectWhole({ world, envelopes }: Bench): Promise<void> {
  const all = await envelopes();
  expect(all.filter(({ status }) => status === 200).map(({ sourceId }) => sourceId)).toEqual(world.ids);
  expect(all.filter(({ status }) => status !== 200)).toMatchObject(
    (world.gone ?? []).map((sourceId) => ({ sourceId })),
  );
  if (world.first !== null) expect(JSON.parse(all[0]?.payload ?? "")).toEqual(world.first);
}

for (const { name } of SOURCES.filter((source) => !(source.name in WORLDS))) {
  test.todo(`a harvest of ${name} is not tested: add its simulated service to test/support/upstream/worlds.ts`);
}

// Tests run concurrently, because harvests wait for most of their time.
describe.concurrent.each(NAMES)("harvests of %s", (name) => {
  test("a harvest stores every record once", async () => {
    await using bench = await openBench(name);
    const summary = await bench.harvest();
    await expectWhole(bench);
    const { ids, gone = [], rejected = 0, counts } = bench.world;
    const there = ids.length + gone.length;
    expect(summary).toMatchObject({ records: there, complete: true, expected: counts ? there + rejected : null });
    expect(Object.values(summary.rejected).reduce((sum, count) => sum + count, 0)).toBe(rejected);
  });

  test.each(PASSING)("a harvest repeats any request that failed with $name", async ({ answer, wait }) => {
    await using bench = await openBench(name);
    // The fault occurs for requests of every kind: lists, records and parts of records.
    bench.service.fault = (response, n) => {
      if (n % 7 !== 1) return false;
      answer(response);
      return true;
    };
    const effects = testEffects();
    const summary = await bench.harvest(answer === drip ? IMPATIENT : {}, effects);
    await expectWhole(bench);
    expect(summary.complete).toBe(true);
    if (wait !== undefined) expect(effects.waits).toContain(wait);
  });

  test("a harvest has the same result if every other request fails temporarily", async () => {
    await using bench = await openBench(name);
    let met = 0;
    // Only every other request fails, so that no request fails more often than a harvest tries.
    bench.service.fault = (response, n) => {
      const fault = n % 2 === 1 ? PASSING[met++ % PASSING.length] : undefined;
      fault?.answer(response);
      return fault !== undefined;
    };
    const summary = await bench.harvest(IMPATIENT);
    await expectWhole(bench);
    expect(summary.complete).toBe(true);
    expect(met).toBeGreaterThanOrEqual(3);
  });

  test("a harvest reads JSON and text even if their content type is application/octet-stream", async () => {
    await using bench = await openBench(name);
    bench.service.fault = (response, _n, asked) => {
      const { status = 200, headers = {}, json, body } = bench.world.dialect(asked);
      response.writeHead(status, { ...headers, "content-type": "application/octet-stream" });
      response.end(body ?? JSON.stringify(json));
      return true;
    };
    expect(await bench.harvest()).toMatchObject({ complete: true });
    await expectWhole(bench);
  });

  test("a harvest stores a record once that pages repeat, or reports that records are missing", async () => {
    await using bench = await openBench(name);
    const source = sourceNamed(name);
    let before: readonly unknown[] = [];
    bench.service.fault = (response, _n, asked) => {
      const reply = bench.world.dialect(asked);
      const shape = source?.readShape(reply.json);
      const items = shape?.kind === "list" ? at(reply.json, ...shape.path) : undefined;
      // A list of files is not a list of records.
      if (!Array.isArray(items) || items.length === 0 || asked.url.pathname.endsWith("/files")) return false;
      const own: readonly unknown[] = [...items];
      items.unshift(...before.slice(-1));
      items.push(...own.slice(0, 2));
      before = own;
      send(response, reply);
      items.splice(0, items.length, ...own);
      return true;
    };
    const summary = await bench.harvest();
    const ids = (await bench.envelopes()).map(({ sourceId }) => sourceId);
    expect(new Set(ids).size).toBe(ids.length);
    if (summary.complete) await expectWhole(bench);
    else expect(summary.missing).toMatch(/lists \d+ records?, but only \d+ arrived/);
  });

  test("a harvest has the same result in several runs of eight requests each", async () => {
    await using bench = await openBench(name);
    const pieces: boolean[] = [];
    for (let i = 0; i < 60; i++) {
      const summary = await bench.harvest({ bounds: { requests: 8 } });
      pieces.push(summary.paused === true);
      if (summary.complete) break;
    }
    expect(pieces.at(-1)).toBe(false);
    await expectWhole(bench);
  });

  const LASTING: readonly { readonly name: string; readonly fault: Fault; readonly code: string }[] = [
    { name: "a redirect to another host", fault: (response) => always(elsewhere, response), code: "forbidden-host" },
    {
      name: "a service that is down",
      fault: (response) => always((out) => out.writeHead(503).end(), response),
      code: "upstream-unavailable",
    },
  ];
  test.each(LASTING)("a harvest stops after $name, and the same command resumes it", async ({ fault, code }) => {
    await using bench = await openBench(name);
    const request = Math.ceil((await countRequests(name)) / 2);
    bench.service.fault = (response, n, asked) => n > request && fault(response, n, asked);
    await expect(bench.harvest()).rejects.toMatchObject({ code });
    bench.service.fault = () => false;
    expect(await bench.harvest()).toMatchObject({ complete: true, resumed: true });
    await expectWhole(bench);
  });

  test("a harvest stops reading a body of five gigabytes at its limit", async () => {
    await using bench = await openBench(name);
    bench.service.fault = (response, n) => n === 1 && always(enormous, response);
    const run = bench.harvest({ limits: { bodyBytes: 100_000 } });
    await expect(run).rejects.toMatchObject({ code: "body-too-large" });
    expect(await bench.harvest()).toMatchObject({ complete: true });
    await expectWhole(bench);
  });

  test("a harvest ends with an error if the service sends the same response every time", async () => {
    await using bench = await openBench(name);
    const { dialect } = bench.world;
    let first: Parameters<typeof dialect>[0] | null = null;
    // The service sends the first response again for every request.
    bench.service.fault = (response, _n, asked) => {
      first ??= asked;
      const { json, body, type, headers = {} } = dialect(first);
      response.writeHead(200, { "content-type": type ?? "application/json", ...headers });
      response.end(body ?? JSON.stringify(json));
      return true;
    };
    const outcome = await bench.harvest().then(
      (summary) => summary.missing ?? (summary.complete ? "complete" : ""),
      (error: unknown) => (error instanceof Error ? error.message : ""),
    );
    expect(outcome).toMatch(
      /again|twice|circle|instead of|no later date|no list|lists \d+ records?|lacks webenv|no next cursor|in a list of/,
    );
    const ids = (await bench.envelopes()).map(({ sourceId }) => sourceId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

function always(answer: (response: Parameters<Fault>[0]) => void, response: Parameters<Fault>[0]): boolean {
  answer(response);
  return true;
}

async function countRequests(name: string): Promise<number> {
  await using bench = await openBench(name);
  await bench.harvest();
  return bench.service.asked.length;
}
