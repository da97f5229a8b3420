/** Looking up lists of identifiers in the bundled corpus, by POST /records/lookup and by `score --list`. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { type LookupResult, lookupResult } from "../../schemas/public/api/lookup.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { runCommand } from "../support/command-line.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";
import { parsedCsv } from "./parsed-csv.ts";

type Row = Readonly<Record<string, string | null>>;

let release: BundledRelease;
let server: Listening;
let records: Row[];
let aliases: Row[];
let unlisted: Row[];

beforeAll(async () => {
  release = await bundledRelease();
  server = await serve(release.store, { pages: false });
  const db = await openDuckDB();
  const readRows = async (name: string) =>
    (await db.rows(
      `select * from read_parquet(${quote(join(release.folder, "data", name, "*.parquet"))}) order by all`,
    )) as Row[];
  records = await readRows("records");
  aliases = await readRows("aliases");
  unlisted = await readRows("unlisted");
  db.close();
}, 300_000);

afterAll(async () => {
  await server?.close();
  await release?.[Symbol.asyncDispose]();
});

async function send(payload: string | Buffer, headers: Record<string, string>, query = "") {
  return server.app.inject({ method: "POST", url: `/records/lookup${query}`, headers, payload });
}

async function lookUp(identifiers: readonly string[], query = ""): Promise<LookupResult["data"]> {
  const { statusCode, body } = await send(
    JSON.stringify({ identifiers }),
    { "content-type": "application/json" },
    query,
  );
  expect([statusCode, statusCode === 200 ? "" : body]).toEqual([200, ""]);
  return lookupResult.parse(JSON.parse(body)).data;
}

describe("POST /records/lookup", () => {
  test("a lookup finds every record by its identifier and by its id, in the order of the request", async () => {
    const identifiers = records.map(({ source, source_id }) => `${source}/${source_id}`).reverse();
    const ids = records.map(({ id }) => String(id)).reverse();
    for (const list of [identifiers, ids]) {
      const data = await lookUp(list.slice(0, 1000));
      expect(data.map(({ identifier }) => identifier)).toEqual(list.slice(0, 1000));
      expect(data.map(({ record }) => record?.id)).toEqual(ids.slice(0, 1000));
    }
  });

  test("a lookup finds a record by its DOI in any spelling, such as a link or with capital letters", async () => {
    const withDoi = records.filter(({ doi }) => doi !== null).slice(0, 200);
    const spelled = withDoi.map(
      ({ doi }, i) => [doi, `https://doi.org/${doi}`, `doi:${doi?.toUpperCase()}`][i % 3] ?? "",
    );
    expect((await lookUp(spelled)).map(({ record }) => record?.id)).toEqual(withDoi.map(({ id }) => id));
  });

  test("a lookup returns the row that GET /records has", async () => {
    const [first] = records;
    const { body } = await server.app.inject({ url: `/records?ids=${first?.id}&rubric=1.0` });
    const [row] = await lookUp([String(first?.id)], "?rubric=1.0");
    expect(row?.record).toEqual(JSON.parse(body).data[0]);
  });

  test("a lookup of a merged record names the record that replaced it", async () => {
    expect(aliases.length).toBeGreaterThan(0);
    const data = await lookUp(aliases.map(({ alias_id }) => String(alias_id)));
    expect(data.map(({ supersededBy }) => supersededBy)).toEqual(aliases.map(({ id }) => id));
    expect(data.map(({ record }) => record?.id)).toEqual(aliases.map(({ id }) => id));
  });

  test("a lookup states for each identifier without a record the reason", async () => {
    const kinds = { tombstone: "withdrawn", not_dataset: "not_dataset" } as const;
    const data = await lookUp(unlisted.map(({ identifier }) => String(identifier)));
    expect(data.map(({ reason, detail }) => [reason, detail])).toEqual(
      unlisted.map(({ kind, reason }) => [kinds[kind as "tombstone"], reason]),
    );
    const others = await lookUp(["10.5072/nothing", "junk", "PXD000001", "", "'; drop table x --"]);
    expect(others.map(({ reason }) => reason)).toEqual([
      "unknown",
      "malformed",
      "unsupported",
      "malformed",
      "malformed",
    ]);
    expect(others[1]?.detail).toContain("use a DOI");
  });

  test("a lookup accepts CSV and plain lines, with or without a header, and can return CSV", async () => {
    const [one, two] = records.filter(({ doi }) => doi !== null);
    const bodies = {
      "text/csv": [`doi,title\r\n"${one?.doi}",a\r\n${two?.doi},"b, c"\r\n`, `\uFEFF${one?.doi}\n\n${two?.doi}\n`],
      "text/plain": [`DOI\n${one?.doi}\n  ${two?.doi}  \n`],
    };
    for (const [type, texts] of Object.entries(bodies)) {
      for (const text of texts) {
        const { body } = await send(text, { "content-type": type, accept: "text/csv" });
        const [header = [], ...rows] = await parsedCsv(body);
        const at = header.indexOf("record.id");
        expect(rows.map((row) => [row[0], row[at]])).toEqual([
          [one?.doi, one?.id],
          [two?.doi, two?.id],
        ]);
      }
    }
  });

  test.each([
    { name: "no identifier", body: { identifiers: [] }, status: 400 },
    { name: "more than 1,000 identifiers", body: { identifiers: Array(1001).fill("10.5072/a") }, status: 400 },
    { name: "a number as identifier", body: { identifiers: [1] }, status: 400 },
    { name: "no list of identifiers", body: {}, status: 400 },
    { name: "a long identifier", body: { identifiers: ["1".repeat(2049)] }, status: 400 },
  ])("a lookup is rejected with $name", async ({ body, status }) => {
    const response = await send(JSON.stringify(body), { "content-type": "application/json" });
    expect([response.statusCode, JSON.parse(response.body).type]).toEqual([status, "/problems/invalid-body"]);
  });

  test.each(["[]", "null", '"x"', "1"])("a lookup rejects the body %s and asks for a JSON object", async (body) => {
    const response = await send(body, { "content-type": "application/json" });
    expect([response.statusCode, JSON.parse(response.body).errors]).toEqual([
      400,
      [{ path: "", message: "must be a JSON object" }],
    ]);
  });

  test("a lookup rejects another content type or a compressed body, and says what to send instead", async () => {
    const other = await send("<a/>", { "content-type": "application/xml" });
    expect([other.statusCode, JSON.parse(other.body).detail]).toEqual([
      415,
      "The Content-Type of the body is not supported. Send the body as application/json, text/csv or text/plain.",
    ]);
    const bytes = gzipSync(JSON.stringify({ identifiers: ["10.5072/a"] }));
    const compressed = await send(bytes, { "content-type": "application/json", "content-encoding": "gzip" });
    expect([compressed.statusCode, compressed.headers["accept-encoding"], JSON.parse(compressed.body).detail]).toEqual([
      415,
      "identity",
      "The body is compressed, which is not supported. Send it as it is, without the header Content-Encoding.",
    ]);
    const plain = await send(JSON.stringify({ identifiers: ["10.5072/a"] }), {
      "content-type": "application/json",
      "content-encoding": "Identity",
    });
    expect(plain.statusCode).toBe(200);
  });

  test("a lookup counts as one request for each hundred identifiers or part of it", async () => {
    const quotas = { anonymous: { requests: 12, seconds: 60 } };
    await using limited = await bundledRelease();
    const other = await serve(limited.store, { pages: false, quotas });
    try {
      const ask = (count: number) =>
        other.app.inject({
          method: "POST",
          url: "/records/lookup",
          payload: { identifiers: Array(count).fill("10.5072/a") },
        });
      const first = await ask(901);
      expect([first.statusCode, first.headers["x-ratelimit-remaining"]]).toEqual([200, "2"]);
      expect((await ask(100)).headers.ratelimit).toMatch(/^"anonymous";r=1;/);
      const rejected = await ask(101);
      expect([rejected.statusCode, JSON.parse(rejected.body).type]).toEqual([429, "/problems/rate-limited"]);
    } finally {
      await other.close();
    }
  });

  test("a list of DOIs in the filter `doi` returns an error that recommends the lookup", async () => {
    for (const list of ["10.5072/a,10.5072/b", "10.5072/a%20https://doi.org/10.5072/b", "10.5072/a;doi:10.5072/b"]) {
      const { statusCode, body } = await server.app.inject({ url: `/records?doi=${list}` });
      expect([statusCode, JSON.parse(body).errors[0].message]).toEqual([
        400,
        expect.stringContaining("/records/lookup"),
      ]);
    }
  });
});

describe("score --list", () => {
  test("`score --list` prints the published score of each identifier in a file, or the reason why there is none", async () => {
    const [one] = records.filter(({ doi }) => doi !== null);
    const file = join(release.store.root, "..", "list.csv");
    await writeFile(file, `doi\n${one?.doi}\n10.5072/nothing\n`);
    const { exitCode, stdout } = await runCommand(["score", "--list", file, "--store", release.store.root]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`${one?.doi}`);
    expect(stdout).toContain("10.5072/nothing");
    expect(stdout).toContain("1 of 2 found");
    const json = await runCommand(["score", "--list", file, "--json", "--store", release.store.root]);
    expect(
      JSON.parse(json.stdout).data.map(({ record }: { record: { id: string } | null }) => record?.id ?? null),
    ).toEqual([one?.id, null]);
  });

  test.each([
    { given: [], wanted: "--list" },
    { given: ["10.5072/a", "--list", "x.csv"], wanted: "--list" },
    { given: ["--list", "/nowhere.csv"], wanted: "cannot be read" },
  ])("`score --list` explains the mistake in the arguments $given", async ({ given, wanted }) => {
    const { exitCode, stderr } = await runCommand(["score", ...given, "--store", release.store.root]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(wanted);
  });
});
