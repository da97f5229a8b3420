/**
 * Fresh checks of published datasets: they score the record as its source has it now, and leave the published score unchanged.
 */

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { evaluationJob, evaluationResult } from "../../schemas/public/api/evaluation.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { ask, type Reply } from "../server/ask.ts";
import {
  type Listening,
  makeRecordId,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
} from "../server/test-store.ts";
import { post } from "./post.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

const HTML = { accept: "text/html" };
const FRESH = { identifier: SPECIAL.winner, fresh: true } as const;
const [published] = [...generatePayloads({ source: "zenodo", records: 1, seed: 7 })];
const PATH = `/api/records/${published?.sourceId}`;
const payload = z.looseObject({ metadata: z.looseObject({}) }).parse(JSON.parse(published?.payload ?? ""));

/** Two edits of the published record: `POOR` lacks keywords, a licence and a good description, and `REPAIRED` has them. */
const POOR = edited({ keywords: [], license: undefined, description: "Tides." });
const REPAIRED = edited({
  keywords: ["tides", "sea level", "gauge"],
  license: { id: "cc-by-4.0" },
  description: "Heights of an invented tide. ".repeat(20),
});

function edited(metadata: object): string {
  return JSON.stringify({ ...payload, metadata: { ...payload.metadata, ...metadata } });
}

let upstream: Upstream;
let store: ReleasedStore;
let server: Listening;

beforeAll(async () => {
  upstream = await startUpstream();
  store = await releasedStore({});
  server = await serve(store.store, {
    quotas: { evaluation: { requests: 1000, seconds: 60 } },
    evaluations: { upstreams: upstream.upstreams },
  });
});

afterEach(() => upstream.edited.clear());

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
  await upstream?.close();
});

async function publishedTotal(): Promise<number | undefined> {
  const { text } = await ask(server.port, `/records/${makeRecordId(SPECIAL.winner)}?rubric=2.0`);
  return recordDetail.parse(JSON.parse(text)).score?.total;
}

const evaluated = async (body: object) => {
  const { status, text } = await post(server.port, "/evaluations", body);
  return { status, evaluation: status === 201 ? evaluationResult.parse(JSON.parse(text)).evaluation : null };
};

async function ended(id: string) {
  return vi.waitFor(
    async () => {
      const job = evaluationJob.parse(JSON.parse((await ask(server.port, `/evaluation-jobs/${id}`)).text));
      expect(["succeeded", "failed"]).toContain(job.status);
      return job;
    },
    { timeout: 60_000, interval: 50 },
  );
}

test("POST /evaluations with `fresh` scores each edit at once, and leaves the published score unchanged", async () => {
  const before = await publishedTotal();
  upstream.edited.set(PATH, POOR);
  const poor = await evaluated(FRESH);
  upstream.edited.set(PATH, REPAIRED);
  const repaired = await evaluated(FRESH);
  expect([poor.status, repaired.status]).toEqual([201, 201]);
  expect([poor.evaluation?.release, repaired.evaluation?.release]).toEqual([null, null]);
  const [least = 100, most = 0] = [poor, repaired].map(({ evaluation }) => evaluation?.record.score?.total);
  const gained = most - least;
  expect(gained).toBeGreaterThanOrEqual(12);
  expect((await evaluated({ identifier: SPECIAL.winner })).status).toBe(200);
  expect((await evaluated({ ...FRESH, fresh: false })).status).toBe(200);
  expect(await publishedTotal()).toBe(before);
});

test("each fresh job asks the source again once the previous one has ended", async () => {
  upstream.edited.set(PATH, POOR);
  const start = async () => evaluationJob.parse(JSON.parse((await post(server.port, "/evaluation-jobs", FRESH)).text));
  const first = await start();
  const [firstEnd, asked] = [await ended(first.id), upstream.asked.length];
  upstream.edited.set(PATH, REPAIRED);
  const second = await start();
  const secondEnd = await ended(second.id);
  expect([first.fresh, second.id === first.id, upstream.asked.length - asked]).toEqual([true, false, 1]);
  const totals = [firstEnd, secondEnd].map(({ result }) => result?.evaluation.record.score?.total ?? 0);
  expect(totals[1]).toBeGreaterThan(totals[0] ?? 100);
  expect(secondEnd.result?.evaluation.release).toBeNull();
});

test("a value of `fresh` that is not true or false is rejected, and the error names the field", async () => {
  const { status, text } = await post(server.port, "/evaluations", { ...FRESH, fresh: "yes" });
  expect([status, JSON.parse(text).errors]).toEqual([400, [{ path: "fresh", message: "must be true or false" }]]);
});

function pressed(form: Readonly<Record<string, string>>): Promise<Reply> {
  return ask(server.port, "/check", {
    method: "POST",
    headers: {
      ...HTML,
      origin: `http://localhost:${server.port}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(form).toString(),
  });
}

test("the check button on the page of a published dataset leads to its score before and after", async () => {
  const page = await ask(server.port, `/datasets/${makeRecordId(SPECIAL.winner)}`, { headers: HTML });
  expect(page.text).toContain(
    `action="/check"><input type="hidden" name="identifier" value="${SPECIAL.winner}"><input type="hidden" name="fresh" value="true"><button class="">Check it now`,
  );
  upstream.edited.set(PATH, POOR);
  const reply = await pressed({ identifier: SPECIAL.winner, fresh: "true" });
  expect([reply.status, reply.headers.location]).toEqual([303, expect.stringMatching(/^\/check\/j[0-9a-f]{32}/)]);
  const path = String(reply.headers.location);
  const job = await ended(path.replace(/^\/check\/(j[0-9a-f]+).*/, "$1"));
  const { text } = await ask(server.port, path, { headers: HTML });
  const [before, after] = [await publishedTotal(), job.result?.evaluation.record.score?.total];
  expect(text).toContain("Before and after");
  expect(text).toMatch(new RegExp(`Published: ${before} of \\d+\\. Now: <strong>${after} of \\d+</strong>\\.`));
  expect(text).toMatch(/the licence as given: [^;<]+ → none recognised/);
  expect(text).toContain("The result of this check is not published.");
  expect(text).not.toContain("Ask to include it in the next release");
});

test("a check of unchanged metadata says that the source still sends the published metadata", async () => {
  upstream.edited.set(PATH, published?.payload ?? "");
  const reply = await pressed({ identifier: SPECIAL.winner, fresh: "true" });
  const path = String(reply.headers.location);
  await ended(path.replace(/^\/check\/(j[0-9a-f]+).*/, "$1"));
  const { text } = await ask(server.port, path, { headers: HTML });
  expect(text).toContain("The repository still sends the metadata of the published score.");
  expect(text).toContain("The score is the same.");
});

test("a check without `fresh` leads to the page of the dataset", async () => {
  const { status, headers } = await pressed({ identifier: SPECIAL.winner });
  expect([status, headers.location]).toEqual([303, `/datasets/${makeRecordId(SPECIAL.winner)}`]);
});
