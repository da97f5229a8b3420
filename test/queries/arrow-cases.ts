/**
 * Test cases for whole lists in the format Arrow. Arrow's own library, pyarrow and DuckDB must read the same values as the JSON
 * pages have.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DataType, type StructRowProxy, type Table, tableFromIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LIST_NAMES, type ListName } from "../../schemas/public/api/lists.ts";
import { validators } from "../describe/validators/judgement.ts";
import { ask } from "../server/ask.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const ARROW = { accept: "application/vnd.apache.arrow.stream" };

/** A program that prints whether loading a file also loads the Arrow library. */
const TELLS_LOADED = `
  import { registerHooks } from "node:module";
  let seen = false;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      seen ||= found.url.includes("/apache-arrow/");
      return found;
    },
  });
  await import(process.argv[1]);
  process.stdout.write(String(seen));
`;

/**
 * Input of the test cases: the port of a server, the digest of its release, and functions that read its lists as JSON or Arrow.
 */
export interface ArrowBench {
  readonly port: number;
  readonly digest: string;
  everyRow(list: ListName, query: string): Promise<unknown[]>;
  /** Returns the whole list as an Arrow stream with `batch` rows in each record batch. */
  stream(list: ListName, query: string, batch: number): Promise<Uint8Array>;
}

const QUERIES = [
  ...LIST_NAMES.map((list) => ({ list, query: "" })),
  { list: "records", query: "sortBy=score&sortOrder=desc&rubric=1.0" },
  { list: "records", query: "repository=Zenodo&minScore=10&sortBy=title&fields=id,score.total,score.bucketScores" },
  { list: "authors", query: "sortBy=avgScore&sortOrder=desc&fields=slug,sIndexBasis.rubric" },
  { list: "records", query: "search=nosuchwordanywhere" },
] as const;

export function arrowCases(at: () => ArrowBench): void {
  describe("a list as Arrow", () => {
    test.each(QUERIES)(
      "the Arrow stream of $list?$query has every row of its pages in the same order",
      async ({ list, query }) => {
        const rows = await at().everyRow(list, query);
        for (const batch of [7, 4096]) {
          const table = tableFromIPC(await at().stream(list, query, batch));
          expect(toRows(table)).toEqual(rows);
          expect(table.batches.length).toBe(rows.length === 0 ? 1 : Math.ceil(rows.length / batch));
        }
      },
    );

    test("a list without rows still has all its columns as Arrow", async () => {
      const full = tableFromIPC(await at().stream("records", "fields=id,score", 7)).schema;
      const { schema } = tableFromIPC(await at().stream("records", "fields=id,score&search=nosuchwordanywhere", 7));
      expect(schema.toString()).toBe(full.toString());
      expect(schema.names).toEqual(["id", "score"]);
    });

    test("Arrow columns with few distinct values share one dictionary over all batches, and figures are int32 or float64", async () => {
      const table = tableFromIPC(await at().stream("records", "", 7));
      expect(table.batches.length).toBeGreaterThan(2);
      const { findType, of } = indexColumns(table);
      expect(DataType.isDictionary(findType("scoreStatus"))).toBe(true);
      expect([String(findType("pubDate")), String(findType("shareScore"))]).toEqual(["Utf8", "Int32"]);
      const authors = indexColumns(tableFromIPC(await at().stream("authors", "", 7)));
      expect([String(authors.findType("maxScore")), String(authors.findType("avgScore"))]).toEqual([
        "Int32",
        "Float64",
      ]);
      expect(new Set(of("scoreStatus")?.data.map(({ dictionary }) => dictionary?.length))).toEqual(new Set([3]));
    });

    test("an Arrow response states its type, total and release, is compressed if the client accepts that, and has no body for HEAD", async () => {
      const rows = await at().everyRow("records", "");
      const plain = await ask(at().port, "/records", { headers: ARROW });
      expect([plain.status, plain.headers["content-type"], plain.headers["x-total-count"]]).toEqual([
        200,
        ARROW.accept,
        String(rows.length),
      ]);
      expect(plain.headers.vary).toContain("Accept");
      const table = tableFromIPC(plain.body);
      expect(toRows(table)).toEqual(rows);
      expect(Object.fromEntries(table.schema.metadata)).toEqual({ share_release: at().digest, share_rubric: "2.0" });
      const packed = await ask(at().port, "/records", { headers: { ...ARROW, "accept-encoding": "gzip" } });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      const head = await ask(at().port, "/records", { method: "HEAD", headers: ARROW });
      expect([head.status, head.text, head.headers["x-total-count"]]).toEqual([200, "", String(rows.length)]);
    });

    test.each([
      ["application/vnd.apache.arrow.stream, application/json;q=0.5", ARROW.accept],
      ["application/x-ndjson;q=0.5, application/vnd.apache.arrow.stream", ARROW.accept],
      ["application/json, application/vnd.apache.arrow.stream", "application/json; charset=utf-8"],
      ["application/vnd.apache.arrow.stream;q=0", "application/json; charset=utf-8"],
      ["application/vnd.apache.arrow.file", "application/json; charset=utf-8"],
    ])("a list that is requested with Accept: %s has the type %s", async (accept, type) => {
      expect((await ask(at().port, "/geography", { headers: { accept } })).headers["content-type"]).toBe(type);
    });

    test.each(["page=1", "limit=5", "cursor=*"])(
      "an Arrow stream of ?%s is rejected, as streams have all rows",
      async (query) => {
        const rejected = await ask(at().port, `/records?${query}`, { headers: ARROW });
        expect([rejected.status, rejected.headers["content-type"]]).toEqual([400, "application/problem+json"]);
      },
    );

    test.each([
      ["server/index.ts", false],
      ["releases/verify/index.ts", false],
      ["server/read/arrow-stream.ts", true],
    ])("importing %s loads the Arrow library: %s", (path, loads) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--input-type=module", "--eval", TELLS_LOADED, join(REPOSITORY, path)],
        { encoding: "utf8", timeout: 100_000 },
      );
      expect([status, stderr, stdout]).toEqual([0, "", String(loads)]);
    });

    describe.skipIf(validators === null)("an Arrow stream in other libraries", { timeout: 300_000 }, () => {
      test.each(LIST_NAMES)(
        "pyarrow and DuckDB read from the Arrow stream of %s the same values as from its JSON",
        async (list) => {
          const rows = await at().everyRow(list, "");
          const { arrow, duckdb, types, about, batches } = readInPython(await at().stream(list, "", 100));
          expect(batches).toBe(Math.ceil(rows.length / 100));
          expect(arrow).toEqual(rows);
          expect(duckdb).toEqual(rows);
          expect(about.share_release).toBe(at().digest);
          if (list === "records") {
            expect(types).toMatchObject({
              id: "string",
              scoreStatus: "dictionary<values=string, indices=int8, ordered=0>",
              stewardshipScore: "int32",
              shareScore: "int32",
            });
          }
        },
      );
    });
  });
}

/** Returns the rows of an Arrow table as plain objects, as they would be in JSON. */
function toRows(table: Table): unknown[] {
  return table.toArray().map((row: StructRowProxy) => JSON.parse(JSON.stringify(row)));
}

function indexColumns(table: Table) {
  return {
    findType: (name: string) => table.schema.fields.find((field) => field.name === name)?.type,
    of: (name: string) => table.getChild(name),
  };
}

const found = z.object({
  types: z.record(z.string(), z.string()),
  about: z.record(z.string(), z.string()),
  batches: z.int(),
  arrow: z.array(z.unknown()),
  duckdb: z.array(z.unknown()),
});

function readInPython(stream: Uint8Array): z.infer<typeof found> {
  const { status, stdout, stderr } = spawnSync(validators ?? "python3", [join(import.meta.dirname, "read_arrow.py")], {
    input: stream,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 240_000,
  });
  if (status !== 0) throw new Error(`read_arrow.py ended with ${status}: ${stderr.slice(-2000)}`);
  return found.parse(JSON.parse(stdout));
}
