/** Tests imports of valid and invalid files of many kinds: each gives its valid records and the expected rejections. */

import { hash } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourcesOfPayload } from "../../pipeline/1-harvest/recognise.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

const doi = (n: number, extra = "") =>
  `{"id":"10.5555/r${n}","type":"dois","attributes":{"doi":"10.5555/R${n}"${extra}}}`;
const three = `${doi(1)}\n${doi(2)}\n${doi(3)}\n`;
const nested = (depth: number) =>
  `{"id":"10.5555/deep","attributes":{"x":${"[".repeat(depth - 2)}${"]".repeat(depth - 2)}}}`;
const ofOurs = (payload: string, change: Record<string, unknown> = {}) =>
  JSON.stringify({
    source: "datacite",
    sourceId: "10.5555/own",
    retrievedAt: "2020-02-02T02:02:02.000Z",
    url: "https://api.datacite.org/dois/10.5555/own",
    status: 200,
    payloadDigest: hash("sha256", payload),
    payload,
    ...change,
  });

interface Case {
  readonly name: string;
  readonly source?: string;
  readonly file: string;
  readonly bytes: string | Buffer;
  /** The source ids of the stored records, in order. */
  readonly ids: readonly string[];
  /** The expected rejections in order, each as `line:reason` and a pattern of its detail. */
  readonly rejected: readonly (readonly [string, RegExp?])[];
}

const r = (...numbers: number[]) => numbers.map((n) => `10.5555/r${n}`);

const CASES: readonly Case[] = [
  { name: "one document", file: "a.json", bytes: doi(1), ids: r(1), rejected: [] },
  {
    name: "a document with its envelope",
    file: "a.json",
    bytes: `{"data":${doi(1)},"included":[]}`,
    ids: r(1),
    rejected: [],
  },
  {
    name: "a pretty-printed document",
    file: "a.json",
    bytes: JSON.stringify(JSON.parse(doi(1)), null, 2),
    ids: r(1),
    rejected: [],
  },
  {
    name: "an upper-case DOI in its URL",
    file: "a.json",
    bytes: `{"id":"https://doi.org/10.5555/ABC","attributes":{}}`,
    ids: ["10.5555/abc"],
    rejected: [],
  },
  {
    name: "a list envelope",
    file: "a.json",
    bytes: `{"data":[${doi(1)}, ${doi(2)}],"meta":{}}`,
    ids: r(1, 2),
    rejected: [],
  },
  { name: "a bare array", file: "a.json", bytes: `[${doi(1)},${doi(2)}]`, ids: r(1, 2), rejected: [] },
  { name: "JSON Lines by name", file: "a.jsonl", bytes: three, ids: r(1, 2, 3), rejected: [] },
  { name: "JSON Lines by name, one line", file: "a.ndjson", bytes: doi(1), ids: r(1), rejected: [] },
  { name: "JSON Lines by content", file: "a.json", bytes: three, ids: r(1, 2, 3), rejected: [] },
  { name: "JSON Lines without a last newline", file: "a.txt", bytes: three.trimEnd(), ids: r(1, 2, 3), rejected: [] },
  {
    name: "JSON Lines of list envelopes",
    file: "a.jsonl",
    bytes: `{"data":[${doi(1)},{"attributes":{}}]}\n{"data":[${doi(2)}]}\n`,
    ids: r(1, 2),
    rejected: [["1:no-identifier", /item 2/]],
  },
  {
    name: "blank lines and carriage returns",
    file: "a.jsonl",
    bytes: `\r\n${doi(1)}\r\n\n  ${doi(2)}  \r\n`,
    ids: r(1, 2),
    rejected: [],
  },
  { name: "a byte order mark", file: "a.json", bytes: `\uFEFF${doi(1)}`, ids: r(1), rejected: [] },
  { name: "a byte order mark before lines", file: "a.jsonl", bytes: `\uFEFF${three}`, ids: r(1, 2, 3), rejected: [] },
  { name: "gzip with any extension", file: "a.json", bytes: gzipSync(doi(1)), ids: r(1), rejected: [] },
  {
    name: "gzip of several members",
    file: "a.jsonl.gz",
    bytes: Buffer.concat([gzipSync(`${doi(1)}\n`), gzipSync(`${doi(2)}\n`)]),
    ids: r(1, 2),
    rejected: [],
  },
  { name: "zstd", file: "a.jsonl.zst", bytes: zstdCompressSync(three), ids: r(1, 2, 3), rejected: [] },
  {
    name: "zstd of several frames",
    file: "a.jsonl.zst",
    bytes: Buffer.concat([zstdCompressSync(`${doi(1)}\n`), zstdCompressSync(`${doi(2)}\n`)]),
    ids: r(1, 2),
    rejected: [],
  },
  { name: "a .gz file that is not gzip", file: "a.jsonl.gz", bytes: three, ids: r(1, 2, 3), rejected: [] },
  {
    name: "a repeated key, of which the last counts",
    file: "a.json",
    bytes: `{"data":[${doi(9)}],"d\\u0061ta":[${doi(1)}]}`,
    ids: r(1),
    rejected: [],
  },
  {
    name: "a record with the maximum depth",
    file: "a.json",
    bytes: nested(200),
    ids: ["10.5555/deep"],
    rejected: [],
  },
  { name: "an envelope of this program", file: "a.jsonl", bytes: ofOurs(doi(1)), ids: ["10.5555/own"], rejected: [] },
  {
    name: "an envelope of another source",
    file: "a.jsonl",
    bytes: ofOurs(doi(1), { source: "zenodo" }),
    ids: [],
    rejected: [["1:unknown-shape", /source zenodo/]],
  },
  {
    name: "an envelope that was changed",
    file: "a.jsonl",
    bytes: ofOurs(doi(1), { payload: doi(2) }),
    ids: [],
    rejected: [["1:unknown-shape", /payloadDigest/]],
  },
  {
    name: "an envelope with an invalid time",
    file: "a.jsonl",
    bytes: ofOurs(doi(1), { retrievedAt: "yesterday" }),
    ids: [],
    rejected: [["1:unknown-shape", /retrievedAt/]],
  },
  { name: "an empty file", file: "a.json", bytes: "", ids: [], rejected: [["null:empty"]] },
  { name: "only white space", file: "a.json", bytes: " \n\n ", ids: [], rejected: [["null:empty"]] },
  { name: "only blank lines", file: "a.jsonl", bytes: "\n \n\r\n", ids: [], rejected: [["null:empty"]] },
  {
    name: "an empty list",
    file: "a.json",
    bytes: `{"data":[],"meta":{"total":0}}`,
    ids: [],
    rejected: [["null:empty", /list/]],
  },
  {
    name: "NUL bytes",
    file: "a.bin",
    bytes: Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]),
    ids: [],
    rejected: [["null:binary"]],
  },
  {
    name: "a binary file with the extension of JSON Lines",
    file: "a.jsonl",
    bytes: Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 10, 0]),
    ids: [],
    rejected: [["null:binary"]],
  },
  {
    name: "a line with NUL",
    file: "a.jsonl",
    bytes: `${doi(1)}\n{"id":"\0"}\n${doi(2)}\n`,
    ids: r(1, 2),
    rejected: [["2:binary"]],
  },
  {
    name: "UTF-16",
    file: "a.json",
    bytes: Buffer.from(`\uFEFF${doi(1)}`, "utf16le"),
    ids: [],
    rejected: [["null:encoding", /UTF-16/]],
  },
  {
    name: "UTF-16 without a byte order mark",
    file: "a.json",
    bytes: Buffer.from(doi(1), "utf16le"),
    ids: [],
    rejected: [["null:binary"]],
  },
  {
    name: "Latin-1 in a line",
    file: "a.jsonl",
    bytes: Buffer.concat([Buffer.from(`${doi(1)}\n{"id":"`), Buffer.from([0xe9]), Buffer.from(`"}\n${doi(2)}\n`)]),
    ids: r(1, 2),
    rejected: [["2:encoding", new RegExp(`byte ${doi(1).length + 1 + 7}$`)]],
  },
  {
    name: "an encoded surrogate",
    file: "a.json",
    bytes: Buffer.concat([Buffer.from(`{"id":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(`"}`)]),
    ids: [],
    rejected: [["null:encoding", /byte 7$/]],
  },
  {
    name: "HTML",
    file: "a.json",
    bytes: "<!DOCTYPE html>\n<html><body>502</body></html>",
    ids: [],
    rejected: [["null:not-json", /HTML/]],
  },
  {
    name: "XML",
    file: "a.json",
    bytes: `<?xml version="1.0"?>\n<!-- x -->\n<oai:record xmlns:oai="x"/>`,
    ids: [],
    rejected: [["null:unknown-shape", /neither a DOI/]],
  },
  {
    name: "plain text",
    file: "a.txt",
    bytes: "Resource not found.",
    ids: [],
    rejected: [["null:not-json", /plain text/]],
  },
  {
    name: "text that begins like JSON",
    file: "a.txt",
    bytes: "not found",
    ids: [],
    rejected: [["null:not-json", /plain text/]],
  },
  {
    name: "a syntax error",
    file: "a.json",
    bytes: `{"id":1 "x":2}`,
    ids: [],
    rejected: [["null:not-json", /at column 9: a comma is missing$/]],
  },
  {
    name: "a syntax error in the second line",
    file: "a.jsonl",
    bytes: `${doi(1)}\n{"id":}\n${doi(2)}`,
    ids: r(1, 2),
    rejected: [["2:not-json", /at column 7: a value is missing$/]],
  },
  {
    name: "a first line with a syntax error",
    file: "a.json",
    bytes: `{"id":}\n${doi(2)}\n`,
    ids: r(2),
    rejected: [["1:not-json"]],
  },
  { name: "a truncated document", file: "a.json", bytes: doi(1).slice(0, 30), ids: [], rejected: [["null:truncated"]] },
  {
    name: "a truncated last line",
    file: "a.jsonl",
    bytes: three.slice(0, -20),
    ids: r(1, 2),
    rejected: [["3:truncated"]],
  },
  {
    name: "a truncated gzip document",
    file: "a.json",
    bytes: gzipSync(doi(1)).subarray(0, 40),
    ids: [],
    rejected: [["null:truncated"]],
  },
  {
    name: "gzip without its checksum",
    file: "a.json",
    bytes: gzipSync(doi(1)).subarray(0, -6),
    ids: r(1),
    rejected: [["null:truncated"]],
  },
  {
    name: "gzip with only a header",
    file: "a.jsonl",
    bytes: gzipSync(three).subarray(0, 8),
    ids: [],
    rejected: [["1:truncated", /0 complete lines/]],
  },
  { name: "a document that is too deep", file: "a.json", bytes: nested(201), ids: [], rejected: [["null:too-deep"]] },
  {
    name: "a document that is much too deep",
    file: "a.jsonl",
    bytes: `${"[".repeat(1_000_000)}\n${doi(1)}`,
    ids: r(1),
    rejected: [["1:too-deep"]],
  },
  {
    name: "a record over 5 MB",
    file: "a.jsonl",
    bytes: `${doi(1, `,"x":"${"y".repeat(5 * 1024 * 1024)}"`)}\n${doi(2)}`,
    ids: r(2),
    rejected: [["1:too-large"]],
  },
  {
    name: "a DataCite error",
    file: "a.json",
    bytes: `{"errors":[{"status":"404","title":"gone away"}]}`,
    ids: [],
    rejected: [["null:error-answer", /gone away/]],
  },
  {
    name: "a DataCite query error",
    file: "a.json",
    bytes: `{"errors":{"title":"parse_exception"}}`,
    ids: [],
    rejected: [["null:error-answer", /parse_exception/]],
  },
  {
    name: "an NCBI error",
    file: "a.json",
    bytes: `{"header":{},"esearchresult":{"ERROR":"Invalid db"}}`,
    ids: [],
    rejected: [["null:error-answer", /Invalid db/]],
  },
  {
    name: "a Zenodo error",
    source: "zenodo",
    file: "a.json",
    bytes: `{"status":404,"message":"PID does not exist."}`,
    ids: [],
    rejected: [["null:error-answer", /404: PID/]],
  },
  {
    name: "an error with only a message",
    source: "zenodo",
    file: "a.json",
    bytes: `{"message":"too many requests"}`,
    ids: [],
    rejected: [["null:error-answer", /too many/]],
  },
  {
    name: "another DataCite resource",
    file: "a.json",
    bytes: `{"data":{"id":"abc","type":"clients","attributes":{}}}`,
    ids: [],
    rejected: [["null:unknown-shape", /clients/]],
  },
  {
    name: "JSON of no known shape",
    file: "a.json",
    bytes: `{"hello":"world"}`,
    ids: [],
    rejected: [["null:unknown-shape"]],
  },
  { name: "a scalar", file: "a.json", bytes: "42", ids: [], rejected: [["null:unknown-shape"]] },
  {
    name: "a line that is null",
    file: "a.jsonl",
    bytes: `null\n${doi(1)}`,
    ids: r(1),
    rejected: [["1:unknown-shape"]],
  },
  {
    name: "a record without an id",
    file: "a.json",
    bytes: `{"attributes":{"titles":[]}}`,
    ids: [],
    rejected: [["null:no-identifier"]],
  },
  {
    name: "one item of a list without an id",
    file: "a.json",
    bytes: `{"data":[${doi(1)},{"attributes":{}},${doi(3)}]}`,
    ids: r(1, 3),
    rejected: [["2:no-identifier"]],
  },
  {
    name: "Zenodo hits",
    source: "zenodo",
    file: "a.json",
    bytes: `{"hits":{"hits":[{"id":7,"metadata":{}},{"id":"8","metadata":{}}],"total":2}}`,
    ids: ["7", "8"],
    rejected: [],
  },
  {
    name: "a Zenodo record whose id is in recid",
    source: "zenodo",
    file: "a.json",
    bytes: `{"recid":"12","metadata":{}}`,
    ids: ["12"],
    rejected: [],
  },
  {
    name: "an Invenio record of another site",
    source: "zenodo",
    file: "a.json",
    bytes: `{"id":"abcd1-efg23","metadata":{}}`,
    ids: [],
    rejected: [["null:no-identifier"]],
  },
  {
    name: "a study",
    source: "clinicaltrials",
    file: "a.json",
    bytes: `{"protocolSection":{"identificationModule":{"nctId":"nct01234567"}}}`,
    ids: ["NCT01234567"],
    rejected: [],
  },
  {
    name: "a page of studies",
    source: "clinicaltrials",
    file: "a.json",
    bytes: `{"studies":[{"protocolSection":{"identificationModule":{"nctId":"NCT01234567"}}},{}]}`,
    ids: ["NCT01234567"],
    rejected: [["2:no-identifier"]],
  },
  {
    name: "a list of DataCite with community enrichments",
    file: "a.json",
    bytes: JSON.stringify({
      data: ["10.1000/a", "10.1000/b"].map((id, i) => ({
        id,
        type: "dois",
        attributes: { doi: id, types: { resourceTypeGeneral: "Dataset" } },
        relationships: { enrichments: { data: i === 0 ? [{ id: "dae3ff7e", type: "enrichments" }] : [] } },
      })),
    }),
    ids: ["10.1000/b"],
    rejected: [["1:unknown-shape", /community enrichments; request the original record/]],
  },
  {
    name: "a response of the v1 API",
    source: "clinicaltrials",
    file: "a.json",
    bytes: `{"FullStudiesResponse":{"FullStudies":[]}}`,
    ids: [],
    rejected: [["null:retired-format", /FullStudiesResponse/]],
  },
  {
    name: "selected fields of the v1 API",
    source: "clinicaltrials",
    file: "a.json",
    bytes: `{"StudyFieldsResponse":{}}`,
    ids: [],
    rejected: [["null:retired-format", /StudyFieldsResponse/]],
  },
  {
    name: "XML of the retired API",
    source: "clinicaltrials",
    file: "a.xml",
    bytes: `<?xml version="1.0"?>\r\n<clinical_study>\r\n</clinical_study>`,
    ids: [],
    rejected: [["null:retired-format", /clinical_study/]],
  },
];

describe("imported files", () => {
  test.each(CASES)(
    "an imported file gives its valid records, and a reason for each rejection: $name",
    async ({ source = "datacite", file, bytes, ids, rejected }) => {
      await using bench = await temporaryStore();
      await writeFile(join(bench.folder, file), bytes);
      const known = sourceNamed(source);
      if (known === null) throw new Error(`there is no source ${source}`);
      const options = { paths: [join(bench.folder, file)], retrievedAt: null, limit: null };
      const summary = await harvestFiles(bench.store, known, options, testEffects());
      const rejections = await readRejections(bench.store, source);
      expect((await readEnvelopes(bench.store, source)).map((record) => record.sourceId)).toEqual(ids);
      expect(rejections.map(({ line, reason }) => `${line}:${reason}`)).toEqual(rejected.map(([key]) => key));
      for (const [i, [, detail]] of rejected.entries()) if (detail) expect(rejections[i]?.detail).toMatch(detail);
      expect(summary).toMatchObject({ records: ids.length, files: 1, complete: true });
      expect(Object.values(summary.rejected).reduce((sum, count) => sum + count, 0)).toBe(rejected.length);
    },
  );
});

const datacite = sourceNamed("datacite");
if (datacite === null) throw new Error("there is no source datacite");

describe("stored payloads", () => {
  test("a stored payload is the input byte for byte, with the digest of its UTF-8", async () => {
    await using bench = await temporaryStore();
    const item = '{ "id" : "10.5555/\\u00e9\\/x",\t"attributes":{"n":1.0e+2,"t":"é\u2028😀"}\n }';
    await writeFile(join(bench.folder, "a.json"), `{"data" : [\n ${item} , ${doi(2)}]}`);
    await harvestFiles(bench.store, datacite, { paths: [bench.folder], retrievedAt: null, limit: null }, testEffects());
    const [first] = await readEnvelopes(bench.store, "datacite");
    expect(first?.payload).toBe(item);
    expect(first?.payloadDigest).toBe(hash("sha256", item));
    expect(first).toMatchObject({ sourceId: "10.5555/é/x", retrievedAt: null, url: null, status: 200 });
  });

  test("a stored payload has its URL and time from the envelope, or else from the header file, or else from the option", async () => {
    await using bench = await temporaryStore();
    const write = (name: string, text: string) => writeFile(join(bench.folder, name), text);
    await write("1.jsonl", ofOurs(doi(1)));
    await write("1.jsonl.headers.json", `{"status":"200","headers":{"Date":["Thu, 05 Oct 2023 19:46:14 GMT"]}}`);
    await write("2.json", doi(2));
    await write("2.json.headers.json", `{"status":200,"headers":{"date":"Thu, 05 Oct 2023 19:46:14 GMT"}}`);
    await write("3.json", doi(3));
    await write("4.json", `{"errors":[]}`);
    await write("4.json.headers.json", `{"status":"503","headers":{}}`);
    const options = { paths: [bench.folder], retrievedAt: "2024-01-01T00:00:00Z", limit: null };
    const summary = await harvestFiles(bench.store, datacite, options, testEffects());
    expect((await readEnvelopes(bench.store, "datacite")).map((record) => record.retrievedAt)).toEqual([
      "2020-02-02T02:02:02.000Z",
      "2023-10-05T19:46:14.000Z",
      "2024-01-01T00:00:00Z",
    ]);
    expect(summary.files).toBe(4);
    expect(await readRejections(bench.store, "datacite")).toMatchObject([
      { reason: "error-answer", detail: expect.stringMatching(/503/) },
    ]);
  });

  test("folders are read in the order of their paths, and links to folders are not followed", async () => {
    await using bench = await temporaryStore();
    const input = join(bench.folder, "input");
    await mkdir(join(input, "b", "deep"), { recursive: true });
    await writeFile(join(input, "c.json"), doi(3));
    await writeFile(join(input, "b", "deep", "x.json"), doi(2));
    await writeFile(join(input, "a.json"), doi(1));
    await symlink("..", join(input, "b", "loop"));
    await symlink("nowhere", join(input, "z.json"));
    await harvestFiles(bench.store, datacite, { paths: [input], retrievedAt: null, limit: null }, testEffects());
    expect((await readEnvelopes(bench.store, "datacite")).map((record) => record.sourceId)).toEqual(r(1, 2, 3));
    expect(await readRejections(bench.store, "datacite")).toMatchObject([
      { file: join(input, "z.json"), reason: "unreadable" },
    ]);
  });
});

describe("import options", () => {
  test("an import stops at the limit of records, even in the middle of a list", async () => {
    await using bench = await temporaryStore();
    await writeFile(join(bench.folder, "a.json"), `[${doi(1)},${doi(2)},${doi(3)}]`);
    const options = { paths: [bench.folder], retrievedAt: null, limit: 2 };
    const summary = await harvestFiles(bench.store, datacite, options, testEffects());
    expect(summary).toMatchObject({ records: 2, complete: false, missing: expect.stringMatching(/limit of 2/) });
    expect(await readEnvelopes(bench.store, "datacite")).toHaveLength(2);
  });

  test.each([
    { name: "a missing path", paths: ["nowhere.json"], retrievedAt: null, code: "input-missing" },
    { name: "an invalid time", paths: ["."], retrievedAt: "yesterday", code: "bad-harvest-option" },
  ])("the options of an import are rejected if they contain $name", async ({ paths, retrievedAt, code }) => {
    await using bench = await temporaryStore();
    const run = harvestFiles(bench.store, datacite, { paths, retrievedAt, limit: null }, testEffects());
    await expect(run).rejects.toMatchObject({ code });
  });

  test("a truncated file of JSON Lines is stored up to its last complete line, and the rejection states the number of lines", async () => {
    await using bench = await temporaryStore();
    const lines = Array.from({ length: 5000 }, (_, i) => doi(i)).join("\n");
    const packed = gzipSync(lines);
    await writeFile(join(bench.folder, "a.jsonl.gz"), packed.subarray(0, packed.length >> 1));
    await harvestFiles(bench.store, datacite, { paths: [bench.folder], retrievedAt: null, limit: null }, testEffects());
    const records = await readEnvelopes(bench.store, "datacite");
    const [rejection] = await readRejections(bench.store, "datacite");
    expect(records.length).toBeGreaterThan(1000);
    expect(records.map((record) => record.payload)).toEqual(lines.split("\n").slice(0, records.length));
    expect(rejection).toMatchObject({ line: records.length + 1, reason: "truncated" });
    expect(rejection?.detail).toContain(`${records.length} complete lines`);
  });
});

test("an import of 100,000 short lines lets other tasks run at least every 4,000 lines", async () => {
  await using bench = await temporaryStore();
  const path = join(bench.folder, "short.jsonl");
  await writeFile(path, "{}\n".repeat(100_000));
  let seen = 0;
  const counting = {
    ...datacite,
    readShape(document: unknown) {
      seen += 1;
      return datacite.readShape(document);
    },
  };
  let most = 0;
  let before = 0;
  let over = false;
  const look = () => {
    most = Math.max(most, seen - before);
    before = seen;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  const options = { paths: [path], retrievedAt: null, limit: null };
  const effects = { ...testEffects(), sleep: (milliseconds: number) => wait(milliseconds) };
  await harvestFiles(bench.store, counting, options, effects).finally(() => {
    over = true;
  });
  expect(seen).toBe(100_000);
  expect(most).toBeLessThanOrEqual(4000);
});

describe("payloads that belong to another source", async () => {
  /** For each source, the first bundled payload that the program recognises as a record of a source. */
  const payloads = new Map<string, Buffer>();
  for (const { name } of SOURCES) {
    for (const file of (await readdir(join(PAYLOADS, name))).sort()) {
      const bytes = await readFile(join(PAYLOADS, name, file));
      if (payloads.has(name) || sourcesOfPayload(bytes).length === 0) continue;
      payloads.set(name, bytes);
    }
  }

  test.each(SOURCES)(
    "payloads of other sources are rejected by an import for $name, and the rejection names the source to which each belongs",
    async (source) => {
      await using bench = await temporaryStore();
      const folder = join(bench.folder, "answers");
      await mkdir(folder);
      const others = [...payloads].filter(([name]) => name !== source.name);
      expect(others.length).toBe(SOURCES.length - 1);
      for (const [name, bytes] of others) await writeFile(join(folder, `${name}.json`), bytes);
      const options = { paths: [folder], retrievedAt: null, limit: null };
      const { records, firstRejected } = await harvestFiles(bench.store, source, options, testEffects());
      const rejections = await readRejections(bench.store, source.name);
      expect(firstRejected).toEqual(rejections[0]);
      const stated = rejections.map(({ file, detail }) => [file, detail.split("; it looks like a payload of ")[1]]);
      expect([records, stated]).toEqual([0, others.map(([name]) => [join(folder, `${name}.json`), name])]);
    },
  );
});
