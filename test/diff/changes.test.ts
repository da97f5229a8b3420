/** Tests GET /releases/{digest}/changes: every changed record of a release, in every format and with every filter. */

import { readFileSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CACHE } from "../../api-static/routes/route.ts";
import { ReleaseChanged, shareClient } from "../../client/index.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { changeList } from "../../schemas/public/api/changes.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type GoldenPair, goldenPair } from "./golden-pair.ts";

let pair: GoldenPair;
let server: Listening;
/** All rows of the release's table of changed records, ordered by version of the contract and then by id. */
let rows: readonly Readonly<Record<string, unknown>>[];

beforeAll(async () => {
  pair = await goldenPair();
  server = await serve(pair.store);
  const db = await openDuckDB({ threads: 1 });
  try {
    const file = join(pair.store.release(pair.after.releaseDigest), "data/diff-records.parquet");
    rows = await db.rows(`select * from read_parquet(${quote(file)}) order by rubric, id`);
  } finally {
    db.close();
  }
}, 300_000);

afterAll(async () => {
  await server?.close();
  await pair?.[Symbol.asyncDispose]();
});

const buildChangesPath = (digest: string) => `/releases/${digest.replace(":", "-")}/changes`;
const address = () => buildChangesPath(pair.after.releaseDigest);
const listIds = (keep: (row: Readonly<Record<string, unknown>>) => boolean) =>
  rows.filter((row) => row.rubric === "2.0" && keep(row)).map(({ id }) => String(id));

async function listed(query: string, at = address()) {
  const { status, text } = await ask(server.port, `${at}?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return changeList.parse(JSON.parse(text));
}

test.each(["2.0", "1.0"])(
  "the list of changes has every row of the table under %s, in the order of ids, with both releases",
  async (rubric) => {
    const { data, pagination, _meta } = await listed(`rubric=${rubric}&limit=100`);
    const wanted = rows.filter((row) => row.rubric === rubric);
    expect(wanted.length).toBeGreaterThan(5);
    expect(data).toEqual(
      wanted.map((row) => ({
        id: row.id,
        kind: row.kind,
        previousId: row.previous_id,
        identifier: row.identifier,
        source: row.source,
        previousSource: row.previous_source,
        repository: row.repository,
        title: row.title,
        statusBefore: row.status_before,
        statusAfter: row.status_after,
        totalBefore: row.total_before,
        totalAfter: row.total_after,
        points: row.points,
        causes: row.causes,
        reason: row.reason,
      })),
    );
    expect(pagination).toEqual({
      total: wanted.length,
      page: 1,
      limit: 100,
      totalPages: 1,
      hasNext: false,
      hasPrev: false,
    });
    const named = ({ scoreReleaseVersion, releaseDigest }: GoldenPair["after"]) => ({
      scoreReleaseVersion,
      releaseDigest,
    });
    expect(_meta).toEqual({ scoreRelease: named(pair.after), previousRelease: named(pair.before) });
  },
);

test.each([
  { query: "kind=added", keep: (row: Readonly<Record<string, unknown>>) => row.kind === "added" },
  {
    query: "kind=removed&reason=tombstone",
    keep: (row: Readonly<Record<string, unknown>>) => row.reason === "tombstone",
  },
  { query: "repository=Zenodo", keep: (row: Readonly<Record<string, unknown>>) => row.repository === "Zenodo" },
  { query: "source=datacite", keep: (row: Readonly<Record<string, unknown>>) => row.source === "datacite" },
])("the list of changes with $query has the rows that match the filter", async ({ query, keep }) => {
  const { data, pagination } = await listed(query);
  expect(data.map(({ id }) => id)).toEqual(listIds(keep));
  expect(data.length).toBeGreaterThan(0);
  expect(pagination.total).toBe(data.length);
});

test("the list of changes is empty for a filter that matches nothing", async () => {
  expect((await listed("source=nowhere")).data).toEqual([]);
});

test("the list of changes returns each row once, read by page or by cursor and with any limit", async () => {
  const all = listIds(() => true);
  for (const limit of [1, 2, all.length]) {
    const [paged, followed]: [string[], string[]] = [[], []];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await listed(`page=${page}&limit=${limit}`);
      paged.push(...data.map(({ id }) => id));
      if (!pagination.hasNext) break;
    }
    for (let cursor: string | null = "*"; cursor !== null; ) {
      const { data, pagination } = await listed(`cursor=${cursor}&limit=${limit}`);
      followed.push(...data.map(({ id }) => id));
      cursor = pagination.nextCursor ?? null;
    }
    expect([paged, followed]).toEqual([all, all]);
  }
});

test("links in the list of changes use the URL that the client requested", async () => {
  const { headers } = await ask(server.port, `${address()}?limit=2&kind=moved`);
  const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(headers.link)) ?? [];
  expect(next.startsWith(`${address()}?`)).toBe(true);
  const { data, pagination } = await listed(next.split("?")[1] ?? "");
  expect([data[0]?.id, pagination.page]).toEqual([listIds(({ kind }) => kind === "moved")[2], 2]);
});

test("the list of changes rejects a cursor from another query", async () => {
  const { pagination } = await listed("cursor=*&limit=1");
  for (const target of [`${address()}?cursor=${pagination.nextCursor}&kind=moved`, `${address()}?cursor=AAAA`]) {
    const { status, text } = await ask(server.port, target);
    expect([target, status, JSON.parse(text).errors[0].path]).toEqual([target, 400, "cursor"]);
  }
});

test("a cursor in the changes of `latest` expires when another release is activated, and the message says so", async () => {
  await using copy = await temporaryStore(pair.store);
  await activate(copy.store, pair.before.releaseDigest);
  await activate(copy.store, pair.after.releaseDigest);
  const other = await serve(copy.store);
  const baseUrl = `http://127.0.0.1:${other.port}`;
  // Requests one row at a time in place of a hundred, so that the list has a second page.
  const cut: typeof fetch = (input, init) => {
    const { method, headers, url } = new Request(input, init);
    return fetch(url.replace("limit=100", "limit=1"), { method, headers });
  };
  const client = shareClient({ baseUrl, fetch: cut });
  const read = client.each("releaseChanges", { digest: "latest" });
  try {
    const { data, pagination } = await listed("cursor=*&limit=1");
    expect((await read.next()).value?.id).toBe(data[0]?.id);
    await activate(copy.store, pair.before.releaseDigest);
    const healthy = async () => (await ask(other.port, "/health")).text;
    await expect.poll(healthy, { timeout: 60_000 }).toContain(pair.before.releaseDigest);
    const on = await ask(other.port, `/releases/latest/changes?cursor=${pagination.nextCursor}&limit=1`);
    expect([on.status, on.headers.location?.split("?")[0]]).toEqual([307, buildChangesPath(pair.before.releaseDigest)]);
    const rejected = await ask(other.port, on.headers.location ?? "");
    expect([rejected.status, JSON.parse(rejected.text)]).toEqual([
      410,
      expect.objectContaining({
        type: "/problems/cursor-expired",
        detail: "The cursor belongs to another release. Start again with cursor=*.",
      }),
    ]);
    await expect(read.next()).rejects.toThrow(ReleaseChanged);
    const kept = await ask(other.port, `${address()}?cursor=${pagination.nextCursor}&limit=1`);
    expect([kept.status, changeList.parse(JSON.parse(kept.text)).data[0]?.id]).toEqual([200, listIds(() => true)[1]]);
  } finally {
    await other.close();
  }
});

test("the list of changes has the same rows and fields in CSV, JSON Lines and Arrow", async () => {
  const get = (accept: string, query = "") =>
    ask(server.port, `${address()}?fields=id,totalAfter${query}`, { headers: { accept } });
  const ids = listIds(() => true);
  const csv = await get("text/csv", "&limit=100");
  expect(csv.headers["x-total-count"]).toBe(String(ids.length));
  const lines = csv.text.trimEnd().split("\r\n");
  expect([lines[0], lines.slice(1).map((line) => line.split(",")[0])]).toEqual(["id,totalAfter", ids]);
  const ndjson = await get("application/x-ndjson");
  expect(
    ndjson.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id),
  ).toEqual(ids);
  expect(ndjson.headers["x-total-count"]).toBe(String(ids.length));
  const { body } = await get("application/vnd.apache.arrow.stream");
  const table = tableFromIPC(body);
  expect([table.numRows, table.schema.metadata.get("share_release")]).toEqual([ids.length, pair.after.releaseDigest]);
  expect([...(table.getChild("id") ?? [])]).toEqual(ids);
  expect((await get("application/x-ndjson", "&limit=2")).status).toBe(400);
});

test("the first release has an empty list of changes in every format", async () => {
  const first = buildChangesPath(pair.before.releaseDigest);
  const { data, pagination, _meta } = await listed("", first);
  expect([data, pagination.total, _meta.previousRelease]).toEqual([[], 0, null]);
  expect((await listed("cursor=*", first)).pagination.nextCursor).toBeNull();
  const lines = await ask(server.port, first, { headers: { accept: "application/x-ndjson" } });
  expect([lines.status, lines.text]).toEqual([200, ""]);
});

test("the list of changes returns 404 in every format if the table has a value that this program does not know", async () => {
  await using copy = await temporaryStore(pair.store);
  const file = join(copy.store.release(pair.after.releaseDigest), "data/diff-records.parquet");
  const changed = join(copy.folder, "changed.parquet");
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(
      `copy (select * replace ('merged' as kind) from read_parquet(${quote(file)})) to ${quote(changed)} (format parquet)`,
    );
  } finally {
    db.close();
  }
  await rename(changed, file);
  const other = await serve(copy.store);
  try {
    for (const accept of ["application/json", "text/csv", "application/x-ndjson"]) {
      const { status, text } = await ask(other.port, address(), { headers: { accept } });
      expect([accept, status, JSON.parse(text).detail]).toEqual([
        accept,
        404,
        expect.stringContaining("A different version of the program"),
      ]);
    }
  } finally {
    await other.close();
  }
});

test("the list of changes is cached for ever, because a release never changes", async () => {
  const { headers } = await ask(server.port, address());
  expect(headers["cache-control"]).toBe(CACHE.immutable);
  const again = await ask(server.port, address(), { headers: { "if-none-match": headers.etag ?? "" } });
  expect(again.status).toBe(304);
});

describe("URLs of changes", () => {
  test.each([
    { digest: () => "latest", status: 307 },
    { digest: () => pair.after.releaseDigest, status: 308 },
  ])(
    "a list of changes by another name of its release redirects with $status to the release digest, and keeps the query",
    async ({ digest, status }) => {
      const { status: seen, headers } = await ask(server.port, `/releases/${digest()}/changes?kind=moved`);
      expect([seen, headers.location]).toEqual([status, `${address()}?kind=moved`]);
    },
  );

  test.each([
    ["?kind=withdrawn", 400],
    ["?kinds=moved", 400],
    ["?limit=101", 400],
    ["?page=2&cursor=*", 400],
    ["?fields=nothing", 400],
    ["?rubric=3.0", 400],
  ])("a list of changes with the query %s returns %i", async (query, status) => {
    expect((await ask(server.port, `${address()}${query}`)).status).toBe(status);
  });

  test("the list of changes returns 404 if the release does not exist or was made without a diff", async () => {
    expect((await ask(server.port, buildChangesPath(`sha256:${"0".repeat(64)}`))).status).toBe(404);
    await using copy = await temporaryStore(pair.store);
    const manifest = join(copy.store.release(pair.before.releaseDigest), "manifest.ndjson");
    const kept = readFileSync(manifest, "utf8")
      .split("\n")
      .filter((line) => !line.includes("diff-records"));
    writeFileSync(manifest, kept.join("\n"));
    const other = await serve(copy.store);
    try {
      const { status, text } = await ask(other.port, buildChangesPath(pair.before.releaseDigest));
      expect([status, JSON.parse(text).detail]).toEqual([
        404,
        "That release was made without a comparison with its predecessor. /releases lists the other releases.",
      ]);
      expect((await ask(other.port, address())).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
