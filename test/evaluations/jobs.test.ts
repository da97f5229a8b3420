/** Evaluation jobs: the queue with its limits and leases, and the server that runs the jobs, on every database. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { getExample } from "../../api-static/openapi/examples.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { type EvaluationResult, evaluationJob, evaluationResult } from "../../schemas/public/api/evaluation.ts";
import { type Problem, problem } from "../../schemas/public/problem.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import type { EvaluationOptions } from "../../server/evaluations/index.ts";
import { FULL, JobQueue } from "../../server/evaluations/job-queue.ts";
import { ProblemError } from "../../server/http/response.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Listening, NOW, releasedStore, SPECIAL, serve, UNLIMITED } from "../server/test-store.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { post } from "./post.ts";
import { CROSSREF_DOI, DEPOSITED, REGISTERED, startUpstream } from "./upstream.ts";

const RESULT: EvaluationResult = evaluationResult.parse(getExample("evaluation"));
/** Returns the name of the limit that rejected a job: `all`, `caller` or `source`. Throws any other error. */
const rejected = (error: unknown) => {
  const bound = Object.entries(FULL).find(([, text]) => error instanceof ProblemError && text === error.message);
  if (bound === undefined) throw error;
  return bound[0];
};
const ERROR: Problem = { type: "/problems/internal", title: "T", status: 500, detail: "D", instance: "/i" };

/** Returns a UTC time on the day of the tests, or on another day. */
const at = (time: string, day = "2026-11-02") => new Date(`${day}T${time}Z`);
const request = (name: string, caller = "c", source = "datacite") => ({
  caller,
  source,
  subject: `2.0.0-beta.2 doi:10.5072/${name}`,
  identifier: name,
  rubric_version: "2.0",
});

describeEachDatabase("the queue of evaluation jobs", (newTarget) => {
  const open: Accounts[] = [];
  afterEach(async () => {
    for (const accounts of open.splice(0)) await accounts.close();
  });

  async function opened(all = 1000, caller = all, source = all) {
    const accounts = await openAccounts(await newTarget());
    open.push(accounts);
    return new JobQueue(accounts, { all, caller, source });
  }

  test("a new job in the queue can be read by its id", async () => {
    const queue = await opened();
    const job = await queue.add(request("a"), at("09:00:00"));
    expect(job).toEqual({
      id: expect.stringMatching(/^j[0-9a-f]{32}$/),
      status: "queued",
      identifier: "a",
      fresh: false,
      rubricVersion: "2.0",
      createdAt: "2026-11-02T09:00:00.000Z",
      startedAt: null,
      finishedAt: null,
      attempts: 0,
      failures: [],
      retryAt: null,
      result: null,
      error: null,
    });
    expect(await queue.find(job?.id ?? "")).toEqual(job);
    expect(await queue.find(`j${"0".repeat(32)}`)).toBeNull();
  });

  const SAME: readonly { name: string; seconds: number; ended: boolean; same: boolean }[] = [
    { name: "immediately", seconds: 0, ended: false, same: true },
    { name: "within a minute after its end", seconds: 59, ended: true, same: true },
    { name: "more than a minute after its end", seconds: 60, ended: true, same: false },
    { name: "after an hour without an end", seconds: 3600, ended: false, same: true },
  ];
  test.each(SAME)("a repeated request returns the existing job $name: $same", async ({ seconds, ended, same }) => {
    const queue = await opened();
    const first = await queue.add(request("a"), at("09:00:00"));
    const other = await queue.add(request("b"), at("09:00:00"));
    const taken = await queue.take(at("09:00:00"), at("23:00:00"));
    for (const job of taken && ended ? [taken] : []) await queue.end(job, { result: RESULT }, at("09:00:01"));
    const again = await queue.add(request("a"), new Date(at("09:00:00").getTime() + 1000 * seconds));
    // The two jobs are equally old, so the queue may have given out the other one.
    const mine = taken?.identifier === "a" || !ended ? same : true;
    expect(again?.id === first?.id).toBe(mine);
    expect(other?.id).not.toBe(first?.id);
  });

  test("forty simultaneous requests for twenty different evaluations create twenty jobs", async () => {
    const queue = await opened();
    const names = Array.from({ length: 40 }, (_, i) => `n${i % 20}`);
    const jobs = await Promise.all(names.map((name) => queue.add(request(name), at("09:00:00"))));
    expect(new Set(jobs.map((job) => job?.id)).size).toBe(20);
    for (const [i, job] of jobs.entries()) expect(job?.identifier).toBe(names[i]);
  });

  test("a full queue rejects new jobs until a job ends, however many requests arrive at once", async () => {
    const queue = await opened(5);
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const jobs = await Promise.all(names.map((name) => queue.add(request(name), at("09:00:00")).catch(rejected)));
    expect(jobs.filter((job) => job === "all")).toHaveLength(15);
    const taken = await queue.take(at("09:00:01"), at("09:01:00"));
    expect(await queue.add(request("late"), at("09:00:01")).catch(rejected)).toBe("all");
    const known = jobs.find((job) => typeof job !== "string");
    expect((await queue.add(request(known?.identifier ?? ""), at("09:00:01")))?.id).toBe(known?.id);
    if (taken !== null) await queue.end(taken, { error: ERROR }, at("09:00:02"));
    expect(await queue.add(request("late"), at("09:00:02"))).toMatchObject({ status: "queued" });
  });

  test("the queue accepts jobs of other callers and sources if one of them has reached its limit", async () => {
    const queue = await opened(1000, 3, 5);
    const add = (name: string, caller: string, source: string) =>
      queue.add(request(name, caller, source), at("09:00:00")).then(({ status }) => status, rejected);
    const many = (caller: string, source: string) =>
      Promise.all(Array.from({ length: 6 }, (_, i) => add(`${caller}${source}${i}`, caller, source)));
    const count = (all: readonly string[], what: string) => all.filter((each) => each === what).length;
    const first = await many("greedy", "openaire");
    expect([count(first, "queued"), count(first, "caller")]).toEqual([3, 3]);
    expect(await add("greedy-elsewhere", "greedy", "zenodo")).toBe("caller");
    // The limit of 5 jobs leaves room for two more jobs of this source. Another source still has room for all five.
    expect([await add("o1", "one", "openaire"), await add("o2", "two", "openaire")]).toEqual(["queued", "queued"]);
    expect(await add("o3", "three", "openaire")).toBe("source");
    expect(await add("z3", "three", "zenodo")).toBe("queued");
    // A repeated request gets its existing job, even if the queue is full.
    expect(await queue.add(request("o1", "three", "openaire"), at("09:00:01"))).toMatchObject({ status: "queued" });
    const taken = await queue.take(at("09:00:01"), at("09:01:00"), ["zenodo"]);
    if (taken !== null) await queue.end(taken, { error: ERROR }, at("09:00:02"));
    expect(await add("o4", "three", "openaire")).toBe("queued");
  });

  test("callers take turns in the queue, so that the only job of a caller does not wait for many of another", async () => {
    const queue = await opened();
    for (let i = 0; i < 20; i += 1) await queue.add(request(`a${i}`, "a"), at("09:00:00"));
    for (let i = 0; i < 3; i += 1) await queue.add(request(`b${i}`, "b"), at("09:00:01"));
    const order: string[] = [];
    const take = async () => {
      const job = await queue.take(at("10:00:00"), at("11:00:00"));
      if (job === null) throw new Error("nothing was due");
      order.push(job.identifier);
      await queue.end(job, { error: ERROR }, at("10:00:00"));
    };
    for (let i = 0; i < 4; i += 1) await take();
    // A caller who arrives later takes turns with the others, and does not wait for all their jobs.
    await queue.add(request("c0", "c"), at("09:00:02"));
    for (let i = 0; i < 20; i += 1) await take();
    expect(order.slice(0, 2)).toEqual(["a0", "a1"]);
    expect(order.indexOf("b0")).toBeLessThan(4);
    expect(order.indexOf("b2")).toBeLessThan(8);
    expect(order.indexOf("c0")).toBeLessThan(10);
    expect(order).toHaveLength(24);
    expect(new Set(order).size).toBe(24);
  });

  test("the queue gives out jobs of all sources in turn, and none of sources that the server excludes", async () => {
    const queue = await opened();
    for (let i = 0; i < 5; i += 1) await queue.add(request(`slow${i}`, "a", "openaire"), at("09:00:00"));
    for (let i = 0; i < 3; i += 1) await queue.add(request(`quick${i}`, "a", "zenodo"), at("09:00:01"));
    const sources: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) sources.push((await queue.take(at("10:00:00"), at("11:00:00")))?.source);
    expect(sources).toEqual(["openaire", "zenodo", "openaire", "zenodo"]);
    expect(await queue.take(at("10:00:00"), at("11:00:00"), ["openaire"])).toMatchObject({ source: "zenodo" });
    expect(await queue.take(at("10:00:00"), at("11:00:00"), ["openaire"])).toBeNull();
  });

  test("simultaneous takers get each job once, and the first taker gets the oldest job", async () => {
    const queue = await opened();
    for (let i = 0; i < 20; i += 1) await queue.add(request(`n${i}`), at(`09:00:${String(i).padStart(2, "0")}`));
    const first = await queue.take(at("10:00:00"), at("11:00:00"));
    expect(first).toMatchObject({
      ...request("n0"),
      status: "running",
      created_at: "2026-11-02T09:00:00.000Z",
      attempts: 1,
      faults: 0,
      failures: "[]",
    });
    const taken = await Promise.all(Array.from({ length: 30 }, () => queue.take(at("10:00:00"), at("11:00:00"))));
    const names = taken.flatMap((job) => (job === null ? [] : [job.identifier]));
    // A taker may find no job if another one has just taken it, so this takes the jobs that are left.
    for (let job = await queue.take(at("10:00:00"), at("11:00:00")); job !== null; ) {
      names.push(job.identifier);
      job = await queue.take(at("10:00:00"), at("11:00:00"));
    }
    expect(names.toSorted()).toEqual(Array.from({ length: 19 }, (_, i) => `n${i + 1}`).toSorted());
  });

  test("the queue gives out a job only after its retry time", async () => {
    const queue = await opened();
    await queue.add(request("a"), at("09:00:00"));
    expect(await queue.take(at("08:59:59.999"), at("09:30:00"))).toBeNull();
    const job = await queue.take(at("09:00:00"), at("09:30:00"));
    if (job === null) throw new Error("nothing was due");
    const failure = { at: at("09:00:05").toISOString(), detail: "The source did not respond." };
    expect(await queue.putBack(job, at("09:00:10"), true, failure)).toBe(true);
    expect(await queue.find(job.id)).toMatchObject({
      status: "queued",
      attempts: 1,
      failures: [failure],
      retryAt: at("09:00:10").toISOString(),
      startedAt: at("09:00:00").toISOString(),
    });
    expect(await queue.take(at("09:00:09.999"), at("09:30:00"))).toBeNull();
    const second = await queue.take(at("09:00:10"), at("09:30:00"));
    expect(second).toMatchObject({ id: job.id, attempts: 2, faults: 1, failures: JSON.stringify([failure]) });
    expect(await queue.find(job.id)).toMatchObject({
      status: "running",
      attempts: 2,
      startedAt: at("09:00:00").toISOString(),
      failures: [failure],
      retryAt: null,
    });
  });

  test("a job keeps the causes of its last five failed attempts", async () => {
    const queue = await opened();
    const { id } = await queue.add(request("a"), at("09:00:00"));
    const causes = Array.from({ length: 7 }, (_, i) => ({ at: at(`09:00:0${i}`).toISOString(), detail: `Cause ${i}` }));
    for (const cause of causes) {
      const job = await queue.take(at("09:10:00"), at("09:30:00"));
      if (job === null) throw new Error("nothing was due");
      await queue.putBack(job, at("09:00:00"), false, cause);
    }
    expect((await queue.find(id))?.failures).toEqual(causes.slice(2));
  });

  test("the queue gives out a job again when its lease expires, and then ignores the result of the first taker", async () => {
    const queue = await opened();
    const { id = "" } = (await queue.add(request("a"), at("09:00:00"))) ?? {};
    const silent = await queue.take(at("09:00:00"), at("09:00:30"));
    if (silent === null) throw new Error("nothing was due");
    expect(await queue.reclaim(at("09:00:29.999"))).toEqual([]);
    expect(await queue.renew(silent, at("09:01:00"))).toBe(true);
    expect(await queue.reclaim(at("09:00:30"))).toEqual([]);
    expect(await queue.reclaim(at("09:01:00"))).toEqual([id]);
    expect(await queue.find(id)).toMatchObject({ status: "queued", attempts: 1 });
    const late = async () => [
      await queue.renew(silent, at("09:09:00")),
      await queue.putBack(silent, at("09:09:00"), true, null),
      await queue.end(silent, { error: ERROR }, at("09:01:00")),
    ];
    expect(await late()).toEqual([false, false, false]);
    const next = await queue.take(at("09:01:00"), at("09:02:00"));
    if (next === null) throw new Error("nothing was due");
    expect(await late()).toEqual([false, false, false]);
    expect(await queue.end(next, { result: RESULT }, at("09:01:05"))).toBe(true);
    expect(await late()).toEqual([false, false, false]);
    expect(await queue.end(next, { error: ERROR }, at("09:01:06"))).toBe(false);
    expect(await queue.find(id)).toMatchObject({
      status: "succeeded",
      attempts: 2,
      result: RESULT,
      error: null,
      startedAt: at("09:00:00").toISOString(),
      finishedAt: at("09:01:05").toISOString(),
    });
  });

  test("the queue deletes an ended job after 30 days, but no unfinished one", async () => {
    const queue = await opened(1000);
    const ids: string[] = [];
    for (let i = 0; i < 150; i += 1) ids.push((await queue.add(request(`n${i}`), at("09:00:00")))?.id ?? "");
    for (let i = 0; i < 149; i += 1) {
      const job = await queue.take(at("09:00:00"), at("10:00:00"));
      if (job !== null) await queue.end(job, { error: ERROR }, at("09:00:00"));
    }
    const left = async () => (await Promise.all(ids.map((id) => queue.find(id)))).filter((job) => job !== null);
    await queue.forget(at("08:59:59.999", "2026-12-02"));
    expect(await left()).toHaveLength(150);
    await queue.forget(at("09:00:00", "2026-12-02"));
    await queue.forget(at("09:00:00", "2026-12-02"));
    expect((await left()).map(({ status }) => status)).toEqual(["queued"]);
  });
});

describeEachDatabase("a server with jobs", (newTarget) => {
  const cleanups: (() => PromiseLike<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function world(options: EvaluationOptions = {}, target?: AccountTarget, from?: TemporaryStore) {
    const upstream = await startUpstream();
    cleanups.push(() => upstream.close());
    const place = from ?? (await temporaryStore());
    const { store } = place;
    cleanups.push(() => place[Symbol.asyncDispose]());
    const accounts = target ?? (await newTarget());
    const start = async (graceMilliseconds = 200) => {
      const evaluations = { upstreams: upstream.upstreams, timeoutMs: 5000, pollMilliseconds: 20, ...options };
      const quotas = { ...UNLIMITED, evaluation: { requests: 1_000_000, seconds: 60 } };
      const server = await serve(store, { accounts, quotas, evaluations, graceMilliseconds });
      cleanups.push(() => server.close());
      return server;
    };
    return { upstream, store, start, accounts };
  }

  const add = (server: Listening, body: unknown) => post(server.port, "/evaluation-jobs", body);

  async function ended(server: Listening, reply: Reply) {
    for (;;) {
      const { text, status } = await ask(server.port, reply.headers.location ?? "");
      expect(status, text).toBe(200);
      const job = evaluationJob.strict().parse(JSON.parse(text));
      if (job.status === "succeeded" || job.status === "failed") return job;
      await sleep(20);
    }
  }

  test("POST /evaluation-jobs creates a job, whose state and result are at its URL", async () => {
    const { start, upstream } = await world();
    const server = await start();
    const identifier = ` https://doi.org/${REGISTERED[0]?.toUpperCase()} `;
    const reply = await add(server, { identifier, rubricVersion: "1.0.0" });
    expect(reply.status, reply.text).toBe(202);
    const job = evaluationJob.strict().parse(JSON.parse(reply.text));
    expect(job).toMatchObject({
      status: "queued",
      identifier: `doi:${REGISTERED[0]}`,
      rubricVersion: "1.0.0",
      attempts: 0,
    });
    expect(reply.headers).toMatchObject({
      location: `/evaluation-jobs/${job.id}`,
      "cache-control": "no-store",
      "retry-after": expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(reply.headers.etag).toBeUndefined();
    const done = await ended(server, reply);
    expect(done).toMatchObject({ id: job.id, status: "succeeded", attempts: 1, error: null });
    const now = await post(server.port, "/evaluations", { identifier, rubricVersion: "1.0.0" });
    expect(now.status).toBe(201);
    expect(done.result).toEqual(JSON.parse(now.text));
    // Requests for the same evaluation in other spellings return the same job.
    const again = await add(server, { identifier: `doi:${REGISTERED[0]}`, rubricVersion: "1.0.0" });
    const other = await add(server, { identifier: REGISTERED[0], rubricVersion: "1.0" });
    expect([again.status, other.status]).toEqual([202, 202]);
    for (const { text } of [again, other]) expect(JSON.parse(text)).toEqual(done);
    expect(upstream.asked.filter((path) => path.startsWith("/dois/"))).toHaveLength(1);
  });

  test("a job for a published record returns the result of the active release", async () => {
    const released = await releasedStore();
    const { scoreReleaseVersion, releaseDigest } = released.receipt;
    const { start, upstream } = await world({}, undefined, released);
    const server = await start();
    const done = await ended(server, await add(server, { identifier: SPECIAL.loser }));
    const page = await post(server.port, "/evaluations", { identifier: SPECIAL.loser });
    expect(page.status).toBe(200);
    expect(done).toMatchObject({ status: "succeeded", rubricVersion: "2.0", identifier: SPECIAL.loser });
    expect(done.result?.evaluation).toMatchObject({
      identifier: SPECIAL.winner,
      record: JSON.parse(page.text),
      release: { scoreReleaseVersion, releaseDigest },
    });
    expect(upstream.asked).toEqual([]);
  });

  test("a job fails at once if a retry could not succeed", async () => {
    const { start, upstream } = await world();
    const server = await start();
    const done = await ended(server, await add(server, { identifier: CROSSREF_DOI }));
    expect(done).toMatchObject({ status: "failed", attempts: 1, result: null });
    expect(problem.parse(done.error)).toMatchObject({
      type: "/problems/unsupported-source",
      status: 422,
      instance: `/evaluation-jobs/${done.id}`,
    });
    expect(upstream.asked).toHaveLength(2);
  });

  test("the server stores no row for a job that it rejects", async () => {
    const { start, accounts } = await world();
    const server = await start();
    for (const identifier of ["soil moisture", "PXD012345"]) {
      expect([400, 422]).toContain((await add(server, { identifier })).status);
    }
    await server.close();
    const store = await openAccounts(accounts);
    const rows = await store.db.selectFrom("evaluation_job").selectAll().execute();
    await store.close();
    expect(rows).toEqual([]);
  });

  test("a job whose source fails is retried with increasing delays, and fails after five attempts", async () => {
    const { start, accounts, upstream } = await world();
    upstream.fault = "rejects";
    const server = await start();
    const reply = await add(server, { identifier: REGISTERED[1] });
    const { id } = JSON.parse(reply.text);
    const store = await openAccounts(accounts);
    cleanups.push(() => store.close());
    const row = () =>
      store.db
        .selectFrom("evaluation_job")
        .select(["status", "attempts", "due_at"])
        .where("id", "=", id)
        .executeTakeFirst();
    const pauses: number[] = [];
    // The clock of these servers stands still, so a pause ends only when the test moves the clock.
    const { createdAt } = JSON.parse(reply.text);
    for (let attempts = 1; attempts < 5; attempts += 1) {
      let seen = await row();
      while (seen?.status !== "queued" || seen.attempts !== attempts) {
        await sleep(20);
        seen = await row();
      }
      pauses.push((Date.parse(seen.due_at ?? "") - Date.parse(createdAt)) / 1000);
      await store.db.updateTable("evaluation_job").set({ due_at: createdAt }).where("id", "=", id).execute();
    }
    const done = await ended(server, reply);
    expect(done).toMatchObject({
      status: "failed",
      attempts: 5,
      error: { type: "/problems/source-unreachable", status: 502 },
    });
    expect(pauses.every((pause) => pause >= 5 && pause <= 600)).toBe(true);
    expect(pauses[3]).toBeGreaterThan(pauses[0] ?? Number.NaN);
  });

  test("POST /evaluation-jobs returns 429 above the limit of unfinished jobs", async () => {
    const { start, upstream } = await world({ unfinishedJobs: { all: 2, caller: 2, source: 2 }, jobsAtOnce: 1 });
    upstream.delayMilliseconds = 300;
    const server = await start();
    const replies = [];
    for (const identifier of REGISTERED.slice(0, 3)) replies.push(await add(server, { identifier }));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 429]);
    const rejected = replies[2];
    expect(JSON.parse(rejected?.text ?? "").type).toBe("/problems/too-many-evaluations");
    expect(rejected?.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    for (const reply of replies.slice(0, 2)) expect(await ended(server, reply)).toMatchObject({ status: "succeeded" });
    expect((await add(server, { identifier: REGISTERED[2] })).status).toBe(202);
  });

  test("a source that never responds does not delay jobs of other sources, even with a thousand requests for jobs", async () => {
    const { start, upstream, accounts } = await world({ timeoutMs: 60_000, pollMilliseconds: 20 });
    upstream.fault = "silent";
    const server = await start();
    // Fifty callers fill the queue of this source to its limit of 300 jobs.
    const store = await openAccounts(accounts);
    cleanups.push(() => store.close());
    const queue = new JobQueue(store, { all: 1000, caller: 100, source: 300 });
    const answers: string[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const job = queue.add(request(`10.5072/never-${i}`, `caller ${i % 50}`), NOW);
      answers.push(await job.then(() => "taken", rejected));
    }
    expect(answers.filter((answer) => answer === "taken")).toHaveLength(300);
    expect(answers.filter((answer) => answer === "source")).toHaveLength(700);
    while (upstream.asked.length < 3) await sleep(20);
    // Jobs of the silent source now run in three of the four places, and never end.
    upstream.fault = "none";
    const reply = await add(server, { identifier: `zenodo/${DEPOSITED[0]}` });
    expect(reply.status, reply.text).toBe(202);
    expect(await ended(server, reply)).toMatchObject({ status: "succeeded" });
    const busy = await store.db.selectFrom("evaluation_job").select("source").where("status", "=", "running").execute();
    expect(busy).toHaveLength(3);
  });

  test("a server finishes its running jobs before it stops, and starts no new ones", async () => {
    const { start, upstream } = await world({ jobsAtOnce: 1 });
    upstream.delayMilliseconds = 300;
    const first = await start(20_000);
    const replies = [];
    for (const identifier of REGISTERED.slice(4, 6)) replies.push(await add(first, { identifier }));
    while (upstream.asked.length === 0) await sleep(10);
    await first.close();
    expect(upstream.asked).toEqual([`/dois/${REGISTERED[4]}`]);
    const second = await start();
    const done = [];
    for (const reply of replies) done.push(await ended(second, reply));
    expect(done.map(({ status, attempts }) => ({ status, attempts }))).toEqual([
      { status: "succeeded", attempts: 1 },
      { status: "succeeded", attempts: 1 },
    ]);
  });

  test("a job that a server left unfinished is run by the next server", async () => {
    const { start, upstream } = await world({ timeoutMs: 10_000 });
    upstream.delayMilliseconds = 2000;
    const first = await start();
    const reply = await add(first, { identifier: REGISTERED[3] });
    while (upstream.asked.length === 0) await sleep(10);
    await first.close();
    upstream.delayMilliseconds = 0;
    const second = await start();
    const done = await ended(second, reply);
    expect(done).toMatchObject({ status: "succeeded", attempts: 2 });
  });
});
