/** Whole lists that are sent as a stream: they have the rows of the pages, and stop when the client disconnects. */

import { get } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeNamed } from "../../api-static/routes/index.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { LIST_NAMES, type ListName } from "../../schemas/public/api/lists.ts";
import { NO_RESEARCHERS, ResearcherIds } from "../../server/accounts/standings.ts";
import type { StreamForm } from "../../server/http/content-negotiation.ts";
import type { ApiRequest } from "../../server/http/read-request.ts";
import { ProblemError } from "../../server/http/response.ts";
import { readQuery } from "../../server/http/routes.ts";
import { listStream, STREAM_PLACES, StreamPlaces } from "../../server/read/list-response.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { ask } from "../server/ask.ts";
import type { Listening } from "../server/test-store.ts";
import { World } from "../server/world.ts";
import { arrowCases } from "./arrow-cases.ts";
import { readRows } from "./ask-list.ts";
import { openRelease } from "./described-release.ts";

const PATIENCE = 300_000;
const NDJSON = { accept: "application/x-ndjson" };

describe("streams of lists", { timeout: PATIENCE }, () => {
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

  /** Returns the stream of a list in batches of `batch` rows. `ends()` is the number of times that it reported its end. */
  async function readStream(
    list: ListName,
    query: string,
    {
      batch = 7,
      hidden = NO_RESEARCHERS,
      form = "ndjson",
    }: { batch?: number; hidden?: ResearcherIds; form?: StreamForm } = {},
  ) {
    const route = routeNamed(list);
    const caller = { kind: "anonymous", id: "192.0.2.1", address: "192.0.2.1" } as const;
    const request = { query, caller, signal: new AbortController().signal } as ApiRequest;
    let ends = 0;
    const end = () => {
      ends += 1;
    };
    const asked = { route, request, query: readQuery(route, query) };
    const { body, headers } = await listStream(asked, form, release, { hidden }, end, batch);
    if (body === null || !(Symbol.asyncIterator in body)) throw new Error(`the list ${list} is not sent as a stream`);
    return { body, headers, ends: () => ends };
  }

  async function everyRow(list: ListName, query: string) {
    const rows: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await readRows(release, list, `${query}&limit=100&page=${page}`);
      rows.push(...data);
      if (!pagination.hasNext) return rows;
    }
  }

  const parsed = (lines: string): unknown[] =>
    lines
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  test.each([
    ...LIST_NAMES.map((list) => ({ list, query: "" })),
    { list: "records", query: "sortBy=score&sortOrder=desc&rubric=1.0" },
    { list: "records", query: "repository=Zenodo&minScore=10&sortBy=title&fields=id,score.total" },
    { list: "authors", query: "sortBy=avgScore&sortOrder=desc" },
    { list: "records", query: "search=nosuchwordanywhere" },
  ] as const)("the stream of $list?$query has every row of its pages in the same order", async ({ list, query }) => {
    const rows = await everyRow(list, query);
    for (const batch of [7, 1, rows.length, rows.length - 1, 4096].filter((most) => most > 0)) {
      const { body, headers, ends } = await readStream(list, query, { batch });
      expect(parsed(await text(body))).toEqual(rows);
      expect([headers["x-total-count"], ends()]).toEqual([String(rows.length), 1]);
    }
  });

  test("the stream of researchers leaves out hidden people", async () => {
    const all = await everyRow("authors", "fields=id");
    const ids = all.map((row) => String((row as { id: string }).id));
    const { body, headers } = await readStream("authors", "fields=id&sortBy=name", {
      hidden: new ResearcherIds(ids.slice(2, 5)),
    });
    const seen = parsed(await text(body)).map((row) => String((row as { id: string }).id));
    expect(seen.toSorted()).toEqual(ids.filter((_id, i) => i < 2 || i > 4).toSorted());
    expect(headers["x-total-count"]).toBe(String(seen.length));
  });

  test.each(["ndjson", "arrow"] as const)(
    "a client that disconnects during a stream as %s ends the query and frees its resources",
    async (form) => {
      const { body, ends } = await readStream("records", "", { batch: 3, form });
      await body.next();
      await body.next();
      // The third batch is requested, and nobody reads it.
      const pending = body.next().then(
        () => "given",
        (error: unknown) => error,
      );
      await body.return();
      expect(["given", expect.any(ProblemError)]).toContainEqual(await pending);
      expect(ends()).toBe(1);
      expect(await body.next()).toEqual({ done: true, value: undefined });
      await body.return();
      expect(ends()).toBe(1);
    },
  );

  test("a stream ends if its client disconnects without reading", async () => {
    const { body, ends } = await readStream("records", "");
    await body.return();
    expect(ends()).toBe(1);
  });

  test("the running statement of a stream is interrupted if the client disconnects", async () => {
    const left = new AbortController();
    const own = release.for({ caller: { kind: "key", id: "k" }, signal: left.signal });
    const long = own.engine.rows("select count(*) from range(100000000000) as a(x) where x % 7 = 3");
    const ended = expect(long).rejects.toMatchObject({ name: "ClientGone" });
    setTimeout(() => left.abort(), 100);
    await ended;
  });

  test("the number of streams is limited for each client and in total, and a stream that ends frees its place", () => {
    const places = new StreamPlaces();
    const caller = (id: string) => ({ kind: "anonymous", id, address: id }) as const;
    const leaves: (() => void)[] = [];
    for (let i = 0; i < STREAM_PLACES.all; i += 1)
      leaves.push(places.take(caller(`c${Math.floor(i / STREAM_PLACES.each)}`)));
    expect(() => places.take(caller("c0"))).toThrow(expect.objectContaining({ type: "rate-limited" }));
    expect(() => places.take(caller("another"))).toThrow(expect.objectContaining({ type: "overloaded" }));
    leaves.shift()?.();
    places.take(caller("another"))();
    for (const leave of leaves) leave();
    for (let i = 0; i < STREAM_PLACES.each; i += 1) places.take(caller("c0"));
    expect(() => places.take(caller("c0"))).toThrow(expect.objectContaining({ type: "rate-limited" }));
  });

  describe("a server with streams", () => {
    let server: Listening;

    beforeAll(async () => {
      const store = world.copy(world.full);
      await activate(store, world.full.releaseDigest);
      server = await world.serve(store);
    }, PATIENCE);

    test("a stream has the whole list with its release and total, is compressed if the client accepts that, and has no body for HEAD", async () => {
      const rows = await everyRow("records", "");
      const plain = await ask(server.port, "/records", { headers: NDJSON });
      expect([plain.status, plain.headers["content-type"], plain.headers["share-release"]]).toEqual([
        200,
        "application/x-ndjson; charset=utf-8",
        world.full.releaseDigest,
      ]);
      expect(parsed(plain.text)).toEqual(rows);
      const packed = await ask(server.port, "/records", { headers: { ...NDJSON, "accept-encoding": "gzip" } });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      const head = await ask(server.port, "/records", { method: "HEAD", headers: NDJSON });
      expect([head.status, head.text, head.headers["x-total-count"]]).toEqual([200, "", String(rows.length)]);
    });

    arrowCases(() => ({
      port: server.port,
      digest: world.full.releaseDigest,
      everyRow,
      stream: async (list, query, batch) => buffer((await readStream(list, query, { batch, form: "arrow" })).body),
    }));

    test.each([
      ["application/x-ndjson, application/json;q=0.5", "application/x-ndjson; charset=utf-8"],
      ["application/json, application/x-ndjson", "application/json; charset=utf-8"],
      ["application/x-ndjson;q=0.2, text/csv;q=0.3", "text/csv; charset=utf-8"],
      ["application/*", "application/json; charset=utf-8"],
      ["*/*", "application/json; charset=utf-8"],
      ["application/x-ndjson;q=0", "application/json; charset=utf-8"],
    ])("a list that is requested with Accept: %s has the type %s", async (accept, type) => {
      expect((await ask(server.port, "/geography", { headers: { accept } })).headers["content-type"]).toBe(type);
    });

    test.each(["page=1", "limit=5", "cursor=*"])(
      "a stream of ?%s is rejected, because streams have all rows",
      async (query) => {
        const rejected = await ask(server.port, `/records?${query}`, { headers: NDJSON });
        expect([rejected.status, rejected.headers["content-type"]]).toEqual([400, "application/problem+json"]);
        expect(JSON.parse(rejected.text).errors).toEqual([
          { path: query.split("=")[0], message: "selects a part of the list; remove it to stream the whole list" },
        ]);
      },
    );

    test("a client that disconnects during a stream can start another, as often as it likes", async () => {
      for (let i = 0; i < 3 * STREAM_PLACES.each; i += 1) {
        await new Promise<void>((resolve, reject) => {
          const asking = get({ port: server.port, path: "/records", headers: NDJSON, agent: false }, (reply) => {
            expect(reply.statusCode).toBe(200);
            reply.once("data", () => reply.destroy());
            reply.once("close", resolve);
            reply.on("error", () => {});
          });
          asking.on("error", reject);
        });
      }
      await expect
        .poll(async () => (await ask(server.port, "/records", { headers: NDJSON })).status, { timeout: 60_000 })
        .toBe(200);
    });
  });
});
