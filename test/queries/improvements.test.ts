/**
 * The lists of improvements, and the crosswalk (signals lost when a source copies a dataset), compared with counts over all
 * records.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../pipeline/store/store.ts";
import { crosswalk, improvements, type SignalImprovement } from "../../schemas/public/api/improvements.ts";
import { type RecordDetail, recordDetail, recordList } from "../../schemas/public/api/record.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { LABELS_BY_CASE, TWO_RELEASES } from "../support/two-releases.ts";

/** Starts a server that limits the requests of each IP address in a minute. */
async function limitedServer(store: Store, requests = 100): Promise<Listening & AsyncDisposable> {
  const limited = await serve(store, { quotas: { anonymous: { requests, seconds: 60 } } });
  return { ...limited, [Symbol.asyncDispose]: () => limited.close() };
}

describe("the list of improvements", () => {
  let store: FilledStore;
  let server: Listening;
  let records: RecordDetail[];

  const get = async (url: string) => {
    const response = await server.app.inject({ url });
    expect(response.statusCode, `${url}: ${response.body}`).toBe(200);
    return response.json();
  };
  const improvementsAt = async (url: string) => improvements.parse(await get(url));

  beforeAll(async () => {
    store = await filledStore(TWO_RELEASES);
    server = await serve(store.store);
    const ids: string[] = recordList.parse(await get("/records?limit=100")).data.map(({ id }) => id);
    records = await Promise.all(ids.map(async (id) => recordDetail.parse(await get(`/records/${id}`))));
    expect(records.length).toBeGreaterThan(80);
  }, 300_000);

  afterAll(async () => {
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const getSource = ({ identifier }: RecordDetail) => identifier.split("/")[0];
  const stateIn = ({ signals }: RecordDetail, id: string) => signals.find((signal) => signal.id === id)?.state;

  /** Counts the datasets without each signal, and the points that they would add to the average, by key such as `zenodo S1`. */
  function absentIn(selected: readonly RecordDetail[]): Record<string, { datasets: number; points: number }> {
    const scored = selected.filter(({ shareScore }) => shareScore !== null);
    const counts: Record<string, { datasets: number; points: number }> = {};
    for (const source of new Set(selected.map(getSource))) {
      for (const { id } of selected[0]?.signals ?? []) {
        const isAbsent = (record: RecordDetail) => getSource(record) === source && stateIn(record, id) === "absent";
        const datasets = selected.filter(isAbsent).length;
        const points = Math.round((400 * scored.filter(isAbsent).length) / scored.length) / 100;
        if (datasets > 0) counts[`${source} ${id}`] = { datasets, points };
      }
    }
    return counts;
  }

  const countsIn = (list: readonly SignalImprovement[]) =>
    Object.fromEntries(
      list
        .filter(({ datasets }) => datasets > 0)
        .map(({ source, signal, datasets, points }) => [`${source} ${signal}`, { datasets, points }]),
    );

  describe("requests for improvements under the default quotas", () => {
    const remaining = (headers: Record<string, unknown>) => Number(headers["x-ratelimit-remaining"]);

    test.each([
      { path: "/improvements", parameters: ["minScore=7", "rubric=2.0"], price: 5 },
      { path: "/repositories/Zenodo/improvements", parameters: ["minScore=7", "rubric=2.0"], price: 5 },
      { path: "/repositories/Zenodo/crosswalk", parameters: ["rubric=2.0"], price: 10 },
      { path: "/records", parameters: ["search=data", "minScore=7"], price: 1 },
    ])(
      "GET $path counts as $price requests the first time and as one afterwards, whatever the order of parameters",
      async (row) => {
        await using own = await limitedServer(store.store);
        const get = async (parameters: readonly string[]) => {
          const response = await own.app.inject({ url: `${row.path}?${parameters.join("&")}` });
          expect(response.statusCode).toBe(200);
          return response;
        };
        const answers = [
          await get(row.parameters),
          await get([...row.parameters, "_=1"]),
          await get(["_=2", "utm_source=x", ...row.parameters.toReversed()]),
        ];
        expect(answers.map(({ headers }) => remaining(headers))).toEqual(
          [1, 2, 3].map((times) => 101 - row.price - times),
        );
        expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      },
    );

    test("GET /improvements is rejected if it costs more requests than the quota has left, unless its response is cached", async () => {
      await using own = await limitedServer(store.store, 7);
      const fetchStatus = async (url: string) => (await own.app.inject({ url })).statusCode;
      expect(await fetchStatus("/improvements")).toBe(200);
      expect(await fetchStatus("/improvements?_=1")).toBe(200);
      expect(await fetchStatus("/improvements?minScore=1")).toBe(429);
    });
  });

  test("GET /improvements counts the datasets without each signal, by source", async () => {
    const { data } = await improvementsAt("/improvements");
    const scored = records.flatMap(({ shareScore }) => shareScore ?? []);
    const possible = records.reduce((all, { cap, shareScore }) => all + (shareScore === null ? 0 : (cap ?? 0)), 0);
    const mean = scored.reduce((all, total) => all + total, 0) / scored.length;
    expect(data).toMatchObject({
      datasets: records.length,
      scoredCount: scored.length,
      meanScore: Math.round(100 * mean) / 100,
      meanCap: expect.closeTo(possible / scored.length, 2),
    });
    expect(countsIn(data.improvements)).toEqual(absentIn(records));
    expect(Object.keys(absentIn(records)).length).toBeGreaterThan(20);
  });

  test("the improvements of a repository count only its own datasets", async () => {
    const { data } = await improvementsAt("/repositories/Zenodo/improvements");
    const own = records.filter(({ repository }) => repository === "Zenodo");
    expect(data.datasets).toBe(own.length);
    expect(countsIn(data.improvements)).toEqual(absentIn(own));
  });

  test("repositories whose names differ only in case have separate improvements, and the filter finds both in any other case", async () => {
    const of = (label: string) => records.filter(({ repository }) => repository === label).length;
    const [upper, lower] = LABELS_BY_CASE;
    expect(of(lower)).toBe(1);
    expect(of(upper)).toBeGreaterThan(1);
    const listed = async (label: string) =>
      recordList.parse(await get(`/records?repository=${encodeURIComponent(label)}`)).pagination.total;
    for (const label of LABELS_BY_CASE) {
      expect(await listed(label)).toBe(of(label));
      const { data } = await improvementsAt(`/repositories/${encodeURIComponent(label)}/improvements`);
      expect(data.datasets).toBe(of(label));
    }
    expect(await listed(upper.toUpperCase())).toBe(of(lower) + of(upper));
  });

  test("improvements with a filter such as minScore count only the datasets that match", async () => {
    const { data } = await improvementsAt("/repositories/Zenodo/improvements?minScore=40");
    const own = records.filter(({ repository, shareScore }) => repository === "Zenodo" && (shareScore ?? 0) >= 40);
    expect(data.datasets).toBe(own.length);
    expect(countsIn(data.improvements)).toEqual(absentIn(own));
  });

  test("each improvement links to exactly the datasets that it counts", async () => {
    const { data } = await improvementsAt("/improvements?minScore=20&signals=S1:passed");
    expect(data.improvements.length).toBeGreaterThan(10);
    for (const { signal, datasets, records: path } of data.improvements) {
      if (path === null) continue;
      const { data: rows, pagination } = recordList.parse(await get(`${path}&limit=100`));
      expect([signal, pagination.total]).toEqual([signal, datasets]);
      for (const { id } of rows) {
        const record = records.find((each) => each.id === id);
        expect(record && [stateIn(record, signal), stateIn(record, "S1")]).toEqual(["absent", "passed"]);
      }
    }
  });

  test("the improvements are ordered by the points that they gain, highest first", async () => {
    const { data } = await improvementsAt("/improvements");
    const gains = data.improvements.map(({ points }) => points);
    expect(gains).toEqual(gains.toSorted((one, other) => other - one));
  });

  test("each improvement counts the datasets that gained or lost the signal since the previous release", async () => {
    const { data, _meta } = await improvementsAt("/repositories/Zenodo/improvements");
    expect(_meta.previousRelease?.releaseDigest).toBe(store.digests[0]);
    const keywords = data.improvements.find(({ signal }) => signal === "S1");
    expect(keywords).toMatchObject({ fixed: 3, lost: 1 });
  });

  test("requests for improvements with an unknown repository, filter or state of a signal are rejected", async () => {
    const failures = {
      "/repositories/Nowhere/improvements": 404,
      "/repositories/Nowhere/crosswalk": 404,
      "/improvements?limit=3": 400,
      "/improvements?signals=S1:lacking": 400,
      "/improvements?rubric=3.0": 400,
    };
    for (const [url, status] of Object.entries(failures))
      expect([url, (await server.app.inject({ url })).statusCode]).toEqual([url, status]);
  });

  test("the crosswalk counts the signals that are lost when another source copies a dataset", async () => {
    const copied = records.filter(({ aliases }) => aliases.length > 0);
    expect(copied.length).toBeGreaterThan(5);
    const { data } = crosswalk.parse(await get("/repositories/Zenodo/crosswalk"));
    expect(data.map(({ source, copy, datasets }) => [source, copy, datasets])).toEqual([
      ["zenodo", "datacite", copied.length],
    ]);
    const page = await server.app.inject({ url: "/repositories/Zenodo", headers: { accept: "text/html" } });
    expect(page.body).toContain(`<summary>Copies at DataCite: ${copied.length} datasets</summary>`);
    for (const signal of data[0]?.signals ?? []) {
      const passed = copied.filter((record) => stateIn(record, signal.signal) === "passed").length;
      expect([signal.signal, signal.passed]).toEqual([signal.signal, passed]);
      expect(signal.kept + signal.absent + signal.unknown + signal.unsupported).toBe(signal.passed);
    }
    expect(data[0]?.signals.find(({ signal }) => signal === "S1")).toMatchObject({
      kept: 0,
      copyField: expect.any(String),
    });
  });
});
