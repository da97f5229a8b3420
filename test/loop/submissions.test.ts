/**
 * Datasets that users submitted: the next harvest of their source fetches each accepted one once, stores it like other records,
 * and loses none.
 */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withSubmissions } from "../../cli/options/sources.ts";
import { type HarvestSummary, harvestHttp, type WantedRecords } from "../../pipeline/1-harvest/index.ts";
import type { HttpOptions } from "../../pipeline/1-harvest/walk.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { readEnvelopes, readRejections, testEffects } from "../harvest/bench-store.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Dialect, type Service, serve } from "../support/upstream/service.ts";

const LISTED = "10.5072/listed";
const INSTANT = "2026-11-02T12:00:00.000Z";

const makeRecord = (doi: string) => ({ id: doi, type: "dois", attributes: { doi } });

/**
 * Simulates DataCite. Its list has one record, but any DOI can be requested, and some DOIs (such as `10.5072/gone`) lead to
 * errors.
 */
const registry: Dialect = ({ url }) => {
  if (url.pathname === "/dois") return { json: { data: [makeRecord(LISTED)], meta: { total: 1 }, links: {} } };
  const doi = decodeURIComponent(url.pathname.slice("/dois/".length));
  if (doi.includes("gone")) return { status: 404, json: { errors: [{ title: "not found" }] } };
  if (doi.includes("forbidden")) return { status: 403, json: { errors: [{ title: "no" }] } };
  if (doi.includes("broken")) return { status: 500, body: "oops" };
  return { json: { data: makeRecord(doi) } };
};

describeEachDatabase("submissions of datasets", (newTarget) => {
  let at: TemporaryStore;
  let accounts: Accounts;
  let service: Service;
  let made = 0;

  beforeEach(async () => {
    at = await temporaryStore();
    const target = await newTarget();
    process.env.DATABASE_URL = "postgres" in target ? target.postgres : "";
    accounts = await openAccounts("postgres" in target ? target : { sqlite: `${at.store.root}/accounts.sqlite` });
    service = await serve(registry);
  });

  afterEach(async () => {
    delete process.env.DATABASE_URL;
    await service[Symbol.asyncDispose]();
    await accounts.close();
    await at[Symbol.asyncDispose]();
  });

  async function submit(sourceId: string, state = "accepted", source = "datacite"): Promise<void> {
    made += 1;
    const id = `d${String(made).padStart(24, "0")}`;
    const row = {
      id,
      account_id: null,
      identifier: sourceId,
      source,
      source_id: sourceId,
      rubric_version: "2.0",
      state,
    };
    const times = { decision_reason: null, created_at: INSTANT, decided_at: state === "queued" ? null : INSTANT };
    await accounts.db
      .insertInto("dataset_submission")
      .values({ ...row, ...times })
      .execute();
  }

  /**
   * Does what `share-release harvest datacite` does, but with the simulated service. Returns the summary, the requested DOIs as
   * paths, and the log.
   */
  async function harvest(options: Partial<HttpOptions> = {}, change = (wanted: WantedRecords) => wanted) {
    const source = sourceNamed("datacite");
    if (source === null) throw new Error("there is no DataCite");
    const effects = testEffects();
    const before = service.asked.length;
    const base = { since: null, limit: null, base: service.base, contact: null, allowPrivate: true };
    const limits = { attempts: 2 };
    const summary: HarvestSummary = await withSubmissions(at.store, "datacite", effects, (wanted) =>
      harvestHttp(at.store, source, { ...base, limits, ...options, wanted: change(wanted) }, effects),
    );
    const asked = service.asked.slice(before).map(({ url }) => decodeURIComponent(url.pathname));
    return { summary, asked: asked.filter((path) => path !== "/dois"), logged: effects.logged };
  }

  const states = async () =>
    (
      await accounts.db
        .selectFrom("dataset_submission")
        .select(["source_id", "state", "harvested_at", "harvest_outcome", "harvest_attempts"])
        .orderBy("id")
        .execute()
    ).map((row) => [row.source_id, row.state, row.harvested_at !== null, row.harvest_outcome, row.harvest_attempts]);

  test("an accepted submission is fetched once, at the start of the next harvest, and marked as harvested", async () => {
    await submit("10.5072/a");
    await submit("10.5072/b");
    const { summary, asked } = await harvest();
    expect(asked).toEqual(["/dois/10.5072/a", "/dois/10.5072/b"]);
    expect(summary).toMatchObject({
      records: 1,
      complete: true,
      wanted: { kept: 2, gone: 0, rejected: 0, unanswered: 0 },
    });
    const envelopes = await readEnvelopes(at.store, "datacite");
    expect(envelopes.map(({ sourceId, status }) => [sourceId, status])).toEqual([
      ["10.5072/a", 200],
      ["10.5072/b", 200],
      [LISTED, 200],
    ]);
    expect(JSON.parse(envelopes[0]?.payload ?? "")).toEqual(makeRecord("10.5072/a"));
    expect(await states()).toEqual([
      ["10.5072/a", "accepted", true, "kept", 0],
      ["10.5072/b", "accepted", true, "kept", 0],
    ]);
    const again = await harvest();
    expect(again.asked).toEqual([]);
    expect(again.summary).not.toHaveProperty("wanted");
  });

  test("a harvest does not fetch submissions that are queued, rejected, or for another source", async () => {
    await submit("10.5072/a", "queued");
    await submit("10.5072/b", "rejected");
    await submit("123", "accepted", "zenodo");
    const { asked, summary } = await harvest();
    expect(asked).toEqual([]);
    expect(summary).toMatchObject({ records: 1, complete: true });
    expect((await states()).map(([, , harvested]) => harvested)).toEqual([false, false, false]);
  });

  test("a submission that the source rejects or does not have is not fetched again", async () => {
    await submit("10.5072/gone");
    await submit("10.5072/forbidden");
    const { summary } = await harvest();
    expect(summary).toMatchObject({ complete: true, wanted: { kept: 0, gone: 1, rejected: 1, unanswered: 0 } });
    const [envelope] = await readEnvelopes(at.store, "datacite");
    expect(envelope).toMatchObject({ sourceId: "10.5072/gone", status: 404, payload: "" });
    expect(await readRejections(at.store, "datacite")).toEqual([
      expect.objectContaining({ reason: "error-answer", detail: expect.stringMatching(/^10\.5072\/forbidden: /) }),
    ]);
    expect((await states()).map(([, , harvested, outcome]) => [harvested, outcome])).toEqual([
      [true, "gone"],
      [true, "rejected"],
    ]);
    expect((await harvest()).asked).toEqual([]);
  });

  test("a submission that the source cannot deliver does not delay others, is tried again at the next harvests, and is rejected at the fifth", async () => {
    await submit("10.5072/broken");
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await submit(`10.5072/good-${attempt}`);
      const { summary } = await harvest();
      expect(summary).toMatchObject({ complete: true, wanted: { kept: 1, unanswered: 1 } });
      expect((await states())[0]).toEqual(["10.5072/broken", "accepted", false, null, attempt]);
    }
    expect(await readRejections(at.store, "datacite")).toEqual([]);
    expect((await harvest()).summary).toMatchObject({ wanted: { rejected: 1, unanswered: 0 } });
    expect((await states())[0]).toEqual(["10.5072/broken", "accepted", true, "rejected", 4]);
    expect(await readRejections(at.store, "datacite")).toEqual([
      expect.objectContaining({ reason: "error-answer", detail: expect.stringMatching(/^10\.5072\/broken: /) }),
    ]);
    expect((await harvest()).asked).toEqual([]);
  });

  test("after two failures in a row, a harvest fetches no more submissions, but the harvest itself completes", async () => {
    for (const n of [1, 2, 3, 4]) await submit(`10.5072/broken-${n}`);
    const { summary, asked } = await harvest();
    expect(new Set(asked)).toEqual(new Set(["/dois/10.5072/broken-1", "/dois/10.5072/broken-2"]));
    expect(summary).toMatchObject({ records: 1, complete: true, wanted: { unanswered: 2 } });
    expect((await states()).map(([, , , , attempts]) => attempts)).toEqual([1, 1, 0, 0]);
    // The next harvest begins with the submissions that had the fewest attempts.
    const { asked: next } = await harvest();
    expect(new Set(next)).toEqual(new Set(["/dois/10.5072/broken-3", "/dois/10.5072/broken-4"]));
  });

  test("a submission waits for the next harvest if this one has reached its limit of requests", async () => {
    for (const n of [1, 2, 3]) await submit(`10.5072/n-${n}`);
    const { summary } = await harvest({ bounds: { requests: 2 } });
    expect(summary).toMatchObject({ paused: true, wanted: { kept: 2 } });
    expect((await states()).map(([, , harvested]) => harvested)).toEqual([true, true, false]);
    expect((await harvest()).summary).toMatchObject({ complete: true, wanted: { kept: 1 } });
  });

  test("a submission is fetched again if the process died before it was marked as harvested", async () => {
    await submit("10.5072/a");
    const dies = (wanted: WantedRecords) => ({ ...wanted, done: () => Promise.reject(new Error("killed")) });
    await expect(harvest({}, dies)).rejects.toThrow("killed");
    expect((await readEnvelopes(at.store, "datacite")).length).toBe(1);
    expect((await states())[0]).toEqual(["10.5072/a", "accepted", false, null, 0]);
    expect((await harvest()).summary).toMatchObject({ complete: true, wanted: { kept: 1 } });
    expect((await readEnvelopes(at.store, "datacite")).map(({ sourceId }) => sourceId)).toEqual([
      "10.5072/a",
      "10.5072/a",
      LISTED,
    ]);
    expect((await harvest()).asked).toEqual([]);
  });

  test("an interrupted harvest resumes where it stopped, even if a submission is fetched first", async () => {
    const failing = await harvest({ bounds: { requests: 0 } });
    expect(failing.summary).toMatchObject({ paused: true });
    await submit("10.5072/a");
    const { summary } = await harvest();
    expect(summary).toMatchObject({ resumed: true, complete: true, records: 1, wanted: { kept: 1 } });
  });
});

describe("without an account store", () => {
  test("a harvest runs as usual without an account store, and reports an account store that it cannot read", async () => {
    await using at = await temporaryStore();
    const effects = testEffects();
    const wanted = await withSubmissions(at.store, "datacite", effects, async (given) => given.records);
    expect([wanted, effects.logged]).toEqual([[], []]);
    process.env.DATABASE_URL = "postgresql://nobody@127.0.0.1:1/none";
    try {
      await withSubmissions(at.store, "datacite", effects, async (given) => given.records);
    } finally {
      delete process.env.DATABASE_URL;
    }
    expect(effects.logged).toEqual([
      expect.objectContaining({ level: "warn", event: "submissions-not-read", source: "datacite" }),
    ]);
    expect(JSON.stringify(effects.logged)).not.toContain("nobody");
  });
});
