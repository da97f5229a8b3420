/** POST /evaluations: results from the active release or from the source of a record, and the errors if a source fails. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import {
  type Evaluation,
  evaluationJob,
  evaluationResult,
  RUBRIC_VERSIONS,
} from "../../schemas/public/api/evaluation.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { problem } from "../../schemas/public/problem.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { comeToAgain } from "../evaluate/come-to-again.ts";
import { ask } from "../server/ask.ts";
import {
  type Listening,
  makeRecordId,
  NOW,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
  UNLIMITED,
} from "../server/test-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { post } from "./post.ts";
import { DEPOSITED, REGISTERED, startUpstream, type Upstream } from "./upstream.ts";

const MANY = { requests: 1_000_000, seconds: 60 };

let upstream: Upstream;
let store: ReleasedStore;
let receipt: Receipt;
let server: Listening;

/** Starts a server with a new evaluator, because an evaluator caches responses of sources for a minute. */
async function freshServer(requests = MANY.requests, timeoutMs = 3000): Promise<Listening> {
  const quotas = { ...UNLIMITED, evaluation: { ...MANY, requests } };
  return serve(store.store, { quotas, evaluations: { upstreams: upstream.upstreams, timeoutMs } });
}

beforeAll(async () => {
  upstream = await startUpstream();
  store = await releasedStore();
  ({ receipt } = store);
  server = await freshServer();
}, 300_000);

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
  await upstream?.close();
});

afterEach(() => {
  upstream.fault = "none";
  upstream.delayMilliseconds = 0;
});

const evaluate = (body: unknown) => post(server.port, "/evaluations", body);

describe("a record of the active release", () => {
  const winner = SPECIAL.winner;
  const SPELLINGS = [
    { name: "its identifier", identifier: () => winner },
    {
      name: "its identifier, in capitals and white space",
      identifier: () => `  ${winner.replace("zenodo", "Zenodo")}\n`,
    },
    { name: "the identifier that was merged into it", identifier: () => SPECIAL.loser },
    { name: "its landing page", identifier: () => `https://zenodo.org/records/${winner.split("/")[1]}` },
    { name: "its DOI", identifier: () => SPECIAL.loser.replace("datacite/", "") },
    { name: "its DOI as a link", identifier: () => SPECIAL.loser.replace("datacite/", "https://doi.org/") },
  ];
  const RUBRICS = [
    { rubricVersion: "2.0", version: "2.0" },
    { rubricVersion: "2.0.0-beta.2", version: "2.0" },
    { rubricVersion: undefined, version: "2.0" },
    { rubricVersion: "1.0", version: "1.0" },
    { rubricVersion: "1.0.0", version: "1.0" },
  ];

  test.each(SPELLINGS)("a published record is served by $name, without asking its source", async ({ identifier }) => {
    const asked = upstream.asked.length;
    for (const { rubricVersion, version } of RUBRICS) {
      const page = await ask(server.port, `/records/${makeRecordId(winner)}?rubric=${version}`);
      const reply = await evaluate({
        identifier: identifier(),
        ...(rubricVersion === undefined ? {} : { rubricVersion }),
      });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.equals(page.body)).toBe(true);
      expect(reply.headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": page.headers["content-type"],
        "content-location": `/records/${makeRecordId(winner)}?rubric=${version}`,
        "share-release": receipt.releaseDigest,
      });
      expect(reply.headers.etag).toBeUndefined();
    }
    expect(upstream.asked.length).toBe(asked);
  });

  test("a published record is fetched from its source for a contract that the release does not publish", async () => {
    const release = await ask(server.port, "/rubrics/2.0.0-beta.1");
    expect(release.status).toBe(200);
    const asked = upstream.asked.length;
    const reply = await evaluate({ identifier: winner, rubricVersion: "2.0.0-beta.1" });
    // The simulated source does not have the record, so a 404 shows that it was asked.
    expect([reply.status, upstream.asked.length - asked]).toEqual([404, 1]);
  });

  test("a published record is fetched from its source for a SHARE version that the release lacks", async () => {
    const other = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
    const { releaseDigest } = other.receipt;
    // The stored pages are removed, because a copy of a release may lack them.
    rmSync(join(other.store.release(releaseDigest), "pages"), { recursive: true });
    const alone = await serve(other.store, { evaluations: { upstreams: upstream.upstreams } });
    const replies = [];
    for (const rubricVersion of ["2.0", "1.0"]) {
      replies.push(await post(alone.port, "/evaluations", { identifier: winner, rubricVersion }));
    }
    await alone.close();
    await other[Symbol.asyncDispose]();
    expect(replies.map(({ status }) => status)).toEqual([200, 404]);
    const page = await ask(server.port, `/records/${makeRecordId(winner)}?rubric=2.0`);
    expect(replies[0]?.text).toBe(page.text);
  });

  test("without a release, a record is fetched from its source", async () => {
    await using empty = await temporaryStore();
    const early = await serve(empty.store, { evaluations: { upstreams: upstream.upstreams } });
    const reply = await post(early.port, "/evaluations", { identifier: REGISTERED[0] });
    await early.close();
    expect(reply.status, reply.text).toBe(201);
  });
});

test("a job for a published record returns the basis of its score: the contract, pledge, policy and reader of the release", async () => {
  const job = { identifier: SPECIAL.winner, rubricVersion: "2.0" };
  const { id } = evaluationJob.parse(JSON.parse((await post(server.port, "/evaluation-jobs", job)).text));
  const { result } = await vi.waitFor(
    async () => {
      const read = evaluationJob.parse(JSON.parse((await ask(server.port, `/evaluation-jobs/${id}`)).text));
      expect(read.status).toBe("succeeded");
      return read;
    },
    { timeout: 60_000, interval: 100 },
  );
  const [source] = SPECIAL.winner.split("/");
  const rubric = receipt.rubrics.find(({ version }) => version === "2.0");
  expect(result?.evaluation).toMatchObject({
    release: { releaseDigest: receipt.releaseDigest },
    basis: {
      asOf: receipt.asOf,
      contract: { id: rubric?.contract, digest: rubric?.digest },
      pledge: { source, digest: receipt.content.inputs[`pledge ${source}`] },
      policy: receipt.policy,
      reader: receipt.sources.find((each) => each.source === source)?.reader,
    },
  });
  if (result) await expectComeToAgain(result.evaluation);
});

test("a job for a published record returns no basis if the rules of the release cannot be read", async () => {
  const damaged = await releasedStore({ attribution: false, history: false });
  const { releaseDigest } = damaged.receipt;
  writeFileSync(join(damaged.store.release(releaseDigest), "data/contracts.json"), "{}");
  const alone = await serve(damaged.store);
  try {
    const { port } = alone;
    const job = { identifier: SPECIAL.winner, rubricVersion: "2.0" };
    const { id } = evaluationJob.parse(JSON.parse((await post(port, "/evaluation-jobs", job)).text));
    const { status, result } = await vi.waitFor(
      async () => {
        const read = evaluationJob.parse(JSON.parse((await ask(port, `/evaluation-jobs/${id}`)).text));
        expect(read.finishedAt).not.toBeNull();
        return read;
      },
      { timeout: 60_000, interval: 100 },
    );
    expect([status, result?.evaluation.basis, result?.evaluation.release?.releaseDigest]).toEqual([
      "succeeded",
      null,
      releaseDigest,
    ]);
  } finally {
    await alone.close();
    await damaged[Symbol.asyncDispose]();
  }
});

/** Expects that the score can be computed again from the response and the contract that it names, without the scoring code. */
async function expectComeToAgain({ basis, record }: Evaluation): Promise<void> {
  if (basis === null) throw new Error("the evaluation has no basis");
  const rules = rubricDescriptor.parse(JSON.parse((await ask(server.port, `/rubrics/${basis.contract.id}`)).text));
  expect(rules.digest).toBe(basis.contract.digest);
  const db = await openDuckDB({ threads: 1 });
  try {
    expect(await comeToAgain(db, { basis, record }, rules)).toEqual({
      masks: record.masks,
      total: record.score?.total ?? null,
    });
  } finally {
    db.close();
  }
}

describe("a record that the active release does not have", () => {
  const FRESH = [
    { name: "a DOI", identifier: REGISTERED[0] ?? "", found: `datacite/${REGISTERED[0]}` },
    {
      name: "a DOI as a link, in capitals",
      identifier: `https://doi.org/${REGISTERED[1]?.toUpperCase()}`,
      found: `datacite/${REGISTERED[1]}`,
    },
    { name: "a record number", identifier: `zenodo/${DEPOSITED[0]}`, found: `zenodo/${DEPOSITED[0]}` },
    {
      name: "a landing page",
      identifier: `https://zenodo.org/record/${DEPOSITED[1]}`,
      found: `zenodo/${DEPOSITED[1]}`,
    },
  ];

  test.each(FRESH)("an unpublished record is scored under each contract by $name", async ({ identifier, found }) => {
    const scores = new Map<string, unknown>();
    for (const rubricVersion of RUBRIC_VERSIONS) {
      const reply = await evaluate({ identifier, rubricVersion });
      expect(reply.status, reply.text).toBe(201);
      expect(reply.headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
      });
      expect(reply.headers.etag).toBeUndefined();
      const { evaluation } = evaluationResult.strict().parse(JSON.parse(reply.text));
      expect(evaluation).toMatchObject({
        identifier: found,
        rubric: rubricVersion,
        evaluatedAt: NOW.toISOString(),
        release: null,
        record: { identifier: found, id: makeRecordId(found), scoreStatus: "scored" },
      });
      expect(recordDetail.parse(evaluation.record)).toEqual(evaluation.record);
      await expectComeToAgain(evaluation);
      const known = scores.get(evaluation.contract);
      if (known !== undefined) expect(evaluation.record).toEqual(known);
      scores.set(evaluation.contract, evaluation.record);
    }
    expect([...scores.keys()].sort()).toEqual(["1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"]);
  });

  test("evaluations of a record have the same id under the same contract, and another under another contract", async () => {
    const ids = [];
    for (const rubricVersion of ["2.0", "2.0.0-beta.2", "1.0"]) {
      const reply = await evaluate({ identifier: REGISTERED[2], rubricVersion });
      ids.push(evaluationResult.parse(JSON.parse(reply.text)).evaluation.id);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  test("a thousand simultaneous evaluations of a record send one request to its source", async () => {
    // The delay of the source lets all evaluations start before the only response arrives.
    const crowd = await freshServer(MANY.requests, 30_000);
    upstream.delayMilliseconds = 50;
    const before = upstream.asked.length;
    const identifier = `zenodo/${DEPOSITED[3]}`;
    const replies = await Promise.all(
      Array.from({ length: 1000 }, () => post(crowd.port, "/evaluations", { identifier })),
    );
    await crowd.close();
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(upstream.asked.slice(before)).toEqual([`/api/records/${DEPOSITED[3]}`]);
  });
});

describe("a source that fails", () => {
  const FAULTS = [
    { fault: "rejects", status: 502, type: "source-unreachable" },
    { fault: "resets", status: 502, type: "source-unreachable" },
    { fault: "garbage", status: 502, type: "source-unreachable" },
    { fault: "silent", status: 504, type: "source-too-slow" },
  ] as const;

  test.each(FAULTS)(
    "the fault “$fault” leads to status $status, and is not cached",
    async ({ fault, status, type }) => {
      const patient = await freshServer();
      const body = { identifier: `zenodo/${DEPOSITED[4]}` };
      upstream.fault = fault;
      const reply = await post(patient.port, "/evaluations", body);
      upstream.fault = "none";
      const again = await post(patient.port, "/evaluations", body);
      await patient.close();
      expect([reply.status, problem.parse(JSON.parse(reply.text)).type], reply.text).toEqual([
        status,
        `/problems/${type}`,
      ]);
      expect(reply.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(reply.headers["cache-control"]).toBe("no-store");
      expect(reply.text).not.toMatch(/127\.0\.0\.1|log in|maintenance/);
      expect(again.status, again.text).toBe(201);
    },
  );
});
