/**
 * Lists of a real release that are read by cursor to their end, rows that are read by their ids, and rows with selected fields.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { activate } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { listPagination } from "../../schemas/public/api/common.ts";
import { LIST_NAMES, type ListName, listSorts } from "../../schemas/public/api/lists.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ResearcherIds } from "../../server/accounts/standings.ts";
import { ProblemError } from "../../server/http/response.ts";
import { readQuery } from "../../server/http/routes.ts";
import { listResponse } from "../../server/read/list-response.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { ask } from "../server/ask.ts";
import { type Listening, makeRecordId, SPECIAL } from "../server/test-store.ts";
import { World } from "../server/world.ts";
import { askList } from "./ask-list.ts";
import { openRelease } from "./described-release.ts";
import { parsedCsv } from "./parsed-csv.ts";

const envelope = z.object({ data: z.array(z.record(z.string(), z.unknown())), pagination: listPagination });
type Row = Readonly<Record<string, unknown>>;
const PATIENCE = 300_000;

describe("lists of a release, read by cursor", { timeout: PATIENCE }, () => {
  let world: World;
  let release: OpenRelease;

  beforeAll(async () => {
    world = await World.make();
    release = await openRelease(world.store, world.full.releaseDigest);
  }, PATIENCE);

  afterAll(async () => {
    await release?.close();
    await world?.end();
  });

  const read = async (list: ListName, query: string) =>
    envelope.parse(JSON.parse((await askList(release, list, query)).text));

  /** Reads all rows of a list page by page, for comparison. Other suites compare these pages with the tables. */
  async function byPages(list: ListName, query: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await read(list, `${query}&limit=100&page=${page}`);
      rows.push(...data);
      if (!pagination.hasNext) return rows;
    }
  }

  /** Reads all rows of a list by cursor, and checks the pagination of each response, for example `hasNext`. */
  async function byCursor(list: ListName, query: string, limits: readonly number[]): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | null | undefined = "*";
    for (let i = 0; typeof cursor === "string"; i += 1) {
      const limit = limits[i % limits.length] ?? 1;
      const { data, pagination } = await read(list, `${query}&limit=${limit}&cursor=${cursor}`);
      expect(pagination).toMatchObject({
        limit,
        page: Math.floor(rows.length / limit) + 1,
        hasPrev: rows.length > 0,
        hasNext: pagination.nextCursor !== null,
      });
      rows.push(...data);
      if (pagination.nextCursor !== null) expect(data).toHaveLength(limit);
      else expect(rows).toHaveLength(pagination.total);
      cursor = pagination.nextCursor;
    }
    expect(cursor).toBeNull();
    return rows;
  }

  const orders = LIST_NAMES.flatMap((list) =>
    listSorts(list).flatMap((sortBy) =>
      (["asc", "desc"] as const).flatMap((sortOrder) =>
        PUBLIC_VERSIONS.map((rubric) => ({ list, sortBy, sortOrder, rubric })),
      ),
    ),
  );
  test.each(orders)(
    "the list $list by $sortBy $sortOrder under $rubric has the same rows by cursor as by page",
    async (asked) => {
      const { list, ...parameters } = asked;
      const query = new URLSearchParams(parameters).toString();
      expect(await byCursor(list, query, [17])).toEqual(await byPages(list, query));
    },
  );

  test.each([
    "search=the&sortBy=score&sortOrder=desc",
    "minScore=20&maxScore=60&sortBy=title",
    "repository=Zenodo&minSupportedChecks=3&rubric=1.0&sortBy=pubDate",
  ])("reading records?%s by cursor gives the rows of the pages at every limit", async (query) => {
    const rows = await byPages("records", query);
    expect(rows.length).toBeGreaterThan(0);
    expect(await byCursor("records", query, [1, 5, 2, 100])).toEqual(rows);
  });

  test("a list without rows has no next cursor", async () => {
    const { data, pagination } = await read("records", "cursor=*&doi=10.5072/of-nobody");
    expect([data, pagination.nextCursor, pagination.total, pagination.hasNext]).toEqual([[], null, 0, false]);
  });

  test("a list of researchers that is read by cursor leaves out hidden people, and has no empty pages for them", async () => {
    const all = await byPages("authors", "sortBy=sIndex&sortOrder=desc");
    const hidden = all.slice(3, 9).map(({ id }) => String(id));
    const route = routeNamed("authors");
    const seen: Row[] = [];
    let cursor: string | null | undefined = "*";
    while (typeof cursor === "string") {
      const query = readQuery(route, `sortBy=sIndex&sortOrder=desc&limit=2&cursor=${cursor}`);
      const { body } = await listResponse(route, query, false, release, { hidden: new ResearcherIds(hidden) });
      const { data, pagination } = envelope.parse(JSON.parse(Buffer.from(body as Uint8Array).toString()));
      expect(pagination.total).toBe(all.length - hidden.length);
      seen.push(...data);
      cursor = pagination.nextCursor;
    }
    expect(seen).toEqual(all.filter(({ id }) => !hidden.includes(String(id))));
  });

  test("a list as CSV is continued through the `next` link in the response headers", async () => {
    const rows = await byPages("records", "sortBy=title&fields=id");
    const ids: string[] = [];
    let query: string | undefined = "sortBy=title&fields=id&limit=19&cursor=*";
    while (query !== undefined) {
      const { text, headers } = await askList(release, "records", query, true);
      ids.push(...(await parsedCsv(text)).slice(1).map(([id = ""]) => id));
      expect(headers["x-total-count"]).toBe(String(rows.length));
      query = /<\/records\?([^>]*)>; rel="next"/.exec(headers.link ?? "")?.[1];
    }
    expect(ids).toEqual(rows.map(({ id }) => id));
  });

  const fetchNextCursor = async (query: string) => (await read("records", query)).pagination.nextCursor ?? "";
  const rejection = async (list: ListName, query: string) => {
    const rejected: unknown = await askList(release, list, query).then(
      () => null,
      (error: unknown) => error,
    );
    expect(rejected).toMatchObject({ type: "invalid-parameter" });
    return rejected instanceof ProblemError ? (rejected.errors ?? []) : [];
  };

  test("a cursor that was truncated, changed or invented is rejected", async () => {
    const cursor = await fetchNextCursor("cursor=*&limit=3");
    const other = (at: number) => `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
    const broken = [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, "A", "AAAA", "A".repeat(43)];
    for (const text of [...broken, ...Array.from(cursor, (_letter, at) => other(at))]) {
      expect(await rejection("records", `limit=3&cursor=${text}`), text).toEqual([
        { path: "cursor", message: "is damaged: it was truncated or changed; start again with *" },
      ]);
    }
    for (const text of ["", "%20", "a.b", "**", "A".repeat(129)]) {
      expect(await rejection("records", `cursor=${text}`), text).toEqual([
        { path: "cursor", message: "must be * or an unchanged nextCursor" },
      ]);
    }
  });

  test("a cursor is accepted only with the list, filters and order of the query that returned it", async () => {
    const cursor = await fetchNextCursor("cursor=*&limit=3&minScore=8");
    for (const query of [
      "",
      "minScore=9",
      "minScore=8&sortBy=title",
      "minScore=8&sortOrder=desc",
      "minScore=8&rubric=1.0",
    ]) {
      expect(await rejection("records", `${query}&cursor=${cursor}`)).toEqual([
        { path: "cursor", message: expect.stringContaining("belongs to another list, filter or order") },
      ]);
    }
    expect(await rejection("authors", `cursor=${cursor}`)).toHaveLength(1);
    const whole = await byPages("records", "minScore=8");
    expect((await read("records", `minScore=8&limit=4&fields=id&cursor=${cursor}`)).data).toEqual(
      whole.slice(3, 7).map(({ id }) => ({ id })),
    );
  });

  test("a page number together with a cursor is rejected, and the error lists all other faults of the query too", async () => {
    const faults = await rejection("records", "page=2&cursor=*&fields=idd&limit=0");
    expect(faults.map(({ path }) => path)).toEqual(["limit", "page", "fields"]);
  });

  test.each([
    { list: "records", fields: "id", row: { id: expect.any(String) } },
    { list: "records", fields: "doi,id", row: { id: expect.any(String), doi: expect.any(String) } },
    { list: "records", fields: "score.total", row: { score: { total: expect.any(Number) } } },
    {
      list: "records",
      fields: "score.bucketScores.S,score.total,title",
      row: { title: expect.any(String), score: { total: expect.any(Number), bucketScores: { S: expect.any(Number) } } },
    },
    {
      list: "authors",
      fields: "sIndexBasis.cap,name",
      row: { name: expect.any(String), sIndexBasis: { cap: expect.any(Number) } },
    },
    { list: "institutions", fields: "label", row: { label: expect.any(String) } },
    { list: "geography", fields: "scoreDistribution.100", row: { scoreDistribution: { 100: expect.any(Number) } } },
  ] as const)(
    "the list $list with fields=$fields has only these fields, as JSON and as CSV",
    async ({ list, fields, row }) => {
      const whole = (await read(list, "limit=50")).data;
      const { data } = await read(list, `limit=50&fields=${fields}`);
      expect(data.filter(({ score }) => score !== null)[0]).toEqual(row);
      expect(whole).toEqual(data.map((part, i) => expect.objectContaining(containing(part, whole[i]))));
      const [header, first] = await parsedCsv((await askList(release, list, `limit=50&fields=${fields}`, true)).text);
      expect(header?.toSorted()).toEqual(fields.split(",").toSorted());
      expect(first?.length).toBe(header?.length);
    },
  );

  test("a record without a score has null for `score` if fields of the score are selected", async () => {
    const { data } = await read("records", `fields=score.total&identifier=${SPECIAL.failed}`);
    expect(data).toEqual([{ score: null }]);
  });

  test("a row has all fields of an object if `fields` contains the name of the object", async () => {
    const [header] = await parsedCsv((await askList(release, "records", "fields=id,score", true)).text);
    expect(header).toEqual([
      "id",
      "score.total",
      ...["S", "H", "A", "R", "E"].map((b) => `score.bucketScores.${b}`),
      "score.status",
    ]);
  });

  test.each([
    ["tilte", "title"],
    ["score.totals", "score.total"],
    ["DOI", "doi"],
    ["", "id"],
    ["__proto__", "doi"],
  ])("the unknown field %j returns 400, and the error suggests the nearest field", async (name, nearest) => {
    const [fault, ...others] = await rejection("records", `fields=id,${name}`);
    expect(others).toEqual([]);
    expect(fault?.path).toBe("fields");
    expect(fault?.message).toContain(`${JSON.stringify(name)} is not a field of these rows; the nearest is `);
    if (name !== "" && name !== "__proto__")
      expect(fault?.message).toMatch(new RegExp(` ${nearest.replace(".", "\\.")}$`));
  });

  test("`ids` returns each requested record once, at most 100, and for a merged record the one that replaced it", async () => {
    const all = await byPages("records", "");
    const ids = all.slice(0, 98).map(({ id }) => String(id));
    const [winner, loser] = [makeRecordId(SPECIAL.winner), makeRecordId(SPECIAL.loser)];
    const others = ids.filter((id) => id !== winner).slice(0, 60);
    const nobody = Array.from({ length: 35 }, (_, i) => makeRecordId(`zenodo/of-nobody-${i}`));
    const asked = [
      ...others,
      ...nobody,
      others[0],
      loser,
      winner,
      makeRecordId("zenodo/0"),
      makeRecordId(SPECIAL.tombstone),
    ];
    expect(asked).toHaveLength(100);
    const { data, pagination } = await read("records", `ids=${asked.join()}`);
    expect(data).toEqual(all.filter(({ id }) => [...others, winner].includes(String(id))));
    expect([pagination.total, pagination.limit]).toEqual([61, 100]);
    expect((await read("records", `ids=${asked.join()}&limit=7`)).data).toHaveLength(7);
    expect((await read("records", `ids=${asked.join()}&minScore=101e-1`)).pagination.total).toBeLessThan(61);
    expect(await rejection("records", `ids=${[...asked, winner].join()}`)).toEqual([
      {
        path: "ids",
        message: "must be ids of records such as r1a613b3271281b736c4d1106, joined by commas, at most 100",
      },
    ]);
  });

  test.each([
    { list: "authors", key: "id", wrong: makeRecordId("zenodo/1") },
    { list: "institutions", key: "id", wrong: "9B" },
    { list: "geography", key: "countryCode", wrong: "NORWAY" },
    { list: "records", key: "id", wrong: "10.5072/complete-modern" },
  ] as const)("`ids` returns the requested rows of the list $list", async ({ list, key, wrong }) => {
    const all = await byPages(list, "");
    const wanted = [all[2], all[0]].map((row) => String(row?.[key]));
    const { data } = await read(list, `ids=${wanted.join()}`);
    expect(data).toEqual([all[0], all[2]]);
    if (list === "geography") expect((await read(list, `ids=${wanted.join().toLowerCase()}`)).data).toEqual(data);
    for (const text of [wrong, "", `${wanted[0]},`, `${wanted[0]} ,${wanted[1]}`]) {
      expect(await rejection(list, new URLSearchParams({ ids: text }).toString())).toEqual([
        { path: "ids", message: expect.stringMatching(/^must be .*, joined by commas, at most 100$/) },
      ]);
    }
  });

  describe("a server with lists by cursor", () => {
    let server: Listening;
    let store: Store;
    const get = (path: string, headers = {}) => ask(server.port, path, { headers });

    beforeAll(async () => {
      store = world.copy(world.full, world.next);
      await activate(store, world.full.releaseDigest);
      server = await world.serve(store);
    }, PATIENCE);

    test("a browser gets JSON and no redirect if it requests a list with a cursor or selected fields", async () => {
      for (const query of ["cursor=*", "fields=id"]) {
        const reply = await get(`/records?limit=2&${query}`, { accept: "text/html" });
        expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
      }
      expect((await get("/records?limit=2", { accept: "text/html" })).status).toBe(307);
    });

    test("a cursor of an earlier release returns 410, with advice on how to start again", async () => {
      const first = JSON.parse((await get("/records?limit=2&cursor=*")).text);
      const path = `/records?limit=2&cursor=${first.pagination.nextCursor}`;
      expect((await get(path)).headers["share-release"]).toBe(world.full.releaseDigest);
      await activate(store, world.next.releaseDigest);
      await expect
        .poll(async () => (await get("/health")).text, { timeout: 60_000 })
        .toContain(world.next.releaseDigest);
      const rejected = await get(path);
      expect([rejected.status, rejected.headers["content-type"], rejected.headers["cache-control"]]).toEqual([
        410,
        "application/problem+json",
        "no-store",
      ]);
      expect(JSON.parse(rejected.text)).toMatchObject({
        type: "/problems/cursor-expired",
        status: 410,
        detail: "The cursor belongs to another release. Start again with cursor=*.",
      });
      expect((await get("/problems/cursor-expired")).status).toBe(200);
      expect((await get("/records?limit=2&cursor=*")).headers["share-release"]).toBe(world.next.releaseDigest);
    });
  });
});

/** Returns a matcher that a complete row meets if it has the values in `part`, also inside nested objects. */
function containing(part: object, whole: unknown): object {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      const of = typeof whole === "object" && whole !== null ? Reflect.get(whole, name) : undefined;
      const isObject = typeof value === "object" && value !== null;
      return [name, isObject ? expect.objectContaining(containing(value, of)) : value];
    }),
  );
}
