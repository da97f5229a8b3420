/**
 * Tests imports from archives (ZIP and tar): each member is read as a file of its own, and a damaged member does not affect the
 * others.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { type ArchivedFile, makeTar, makeZip } from "../support/archives.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

const study = (n: number) =>
  JSON.stringify({ protocolSection: { identificationModule: { nctId: `NCT${String(n).padStart(8, "0")}` } } });
const file = (name: string, text: string): ArchivedFile => ({ name, bytes: Buffer.from(text) });
const nct = (...numbers: number[]) => numbers.map((n) => `NCT${String(n).padStart(8, "0")}`);

const FILES = [
  file("studies/", ""),
  file("studies/NCT00000001.json", study(1)),
  file("studies/readme.html", "<!doctype html><p>A page</p>".padEnd(5000)),
  file(`studies/${"long".repeat(40)}.json`, study(2)),
  file("lines.jsonl", `${study(3)}\n{"broken":\n${study(4)}\n`),
  { name: "more.jsonl.gz", bytes: gzipSync(`${study(5)}\n${study(6)}\n`) },
  file("empty.json", ""),
  file("last.json", study(7)),
];

async function imported(name: string, bytes: Buffer) {
  await using bench = await temporaryStore();
  const path = join(bench.folder, name);
  await writeFile(path, bytes);
  const source = sourceNamed("clinicaltrials");
  if (source === null) throw new Error("there is no source clinicaltrials");
  const options = { paths: [path], retrievedAt: null, limit: null };
  const summary = await harvestFiles(bench.store, source, options, testEffects());
  const rejections = await readRejections(bench.store, "clinicaltrials");
  return {
    summary,
    ids: (await readEnvelopes(bench.store, "clinicaltrials")).map(({ sourceId }) => sourceId),
    rejected: rejections.map(
      ({ file: from, line, reason }) => `${from.slice(bench.folder.length + 1)}:${line}:${reason}`,
    ),
    details: rejections.map(({ detail }) => detail).join("; "),
  };
}

describe("archives", () => {
  test.each([
    { name: "a ZIP archive", file: "dump.zip", bytes: makeZip(FILES) },
    {
      name: "a ZIP archive with a comment at its end",
      file: "dump.zip",
      bytes: makeZip(FILES, { comment: "PK\x05\x06 or not" }),
    },
    { name: "a ZIP archive without compression", file: "dump.zip", bytes: makeZip(FILES, { stored: true }) },
    { name: "a ZIP archive with sizes in 64 bits", file: "dump.zip", bytes: makeZip(FILES, { large: true }) },
    { name: "a tar archive", file: "dump.tar", bytes: makeTar(FILES) },
    { name: "a compressed tar archive", file: "dump.tar.gz", bytes: gzipSync(makeTar(FILES)) },
    { name: "an archive with another file extension", file: "dump.json", bytes: makeTar(FILES) },
  ])("the members of an archive are all imported as single files from $name", async ({ file: name, bytes }) => {
    const { ids, rejected, summary } = await imported(name, bytes);
    expect(ids).toEqual(nct(1, 2, 3, 4, 5, 6, 7));
    expect(rejected).toEqual([
      `${name}#studies/readme.html:null:not-json`,
      `${name}#lines.jsonl:2:truncated`,
      `${name}#empty.json:null:empty`,
    ]);
    expect(summary).toMatchObject({ files: 1, records: 7, complete: true });
  });
});

/** Makes a ZIP archive with 64-bit sizes and a wrong offset, which points far beyond the end of the file. */
function placedBeyond(files: readonly ArchivedFile[]): Buffer {
  const bytes = makeZip(files, { large: true });
  bytes.writeBigUInt64LE(2n ** 60n, bytes.length - 22 - 20 + 8);
  return bytes;
}

describe("damaged archives", () => {
  const two = [file("1.json", study(1)), file("2.json", study(2)), file("3.json", study(3))];
  const zip = makeZip(two);
  test.each([
    {
      name: "a member with a wrong checksum",
      file: "a.zip",
      bytes: makeZip(two, { spoiled: "2.json" }),
      ids: nct(1, 2, 3),
      says: /2\.json does not have the checksum/,
    },
    {
      name: "a truncated ZIP archive",
      file: "a.zip",
      bytes: zip.subarray(0, zip.length - 30),
      ids: [],
      says: /no end record/,
    },
    {
      name: "a ZIP archive whose end record is said to be beyond the end of the file",
      file: "a.zip",
      bytes: placedBeyond(two),
      ids: [],
      says: /beyond any file/,
    },
    { name: "a ZIP archive without members", file: "a.zip", bytes: makeZip([]), ids: [], says: /./ },
    {
      name: "a tar archive truncated within a header",
      file: "a.tar",
      bytes: makeTar(two).subarray(0, 2048 + 20),
      ids: nct(1, 2),
      says: /cut off/,
    },
    {
      name: "a tar archive truncated within a member",
      file: "a.tar",
      bytes: makeTar(two).subarray(0, 1536 + 20),
      ids: nct(1),
      says: /cut off/,
    },
  ])(
    "a damaged archive is reported, and its intact members are imported: $name",
    async ({ file: name, bytes, ids, says }) => {
      const outcome = await imported(name, bytes);
      expect(outcome.ids).toEqual(ids);
      expect(outcome.details).toMatch(says);
      expect(outcome.rejected.length).toBeGreaterThan(0);
    },
  );
});

test("an interrupted import of an archive continues after the last imported member", async () => {
  const members = Array.from({ length: 40 }, (_, i) =>
    file(`${i}.json`, `${study(i).slice(0, -1)},"x":"${"y".repeat(4_000_000)}"}`),
  );
  await using bench = await temporaryStore();
  const path = join(bench.folder, "dump.zip");
  await writeFile(path, makeZip(members));
  const source = sourceNamed("clinicaltrials");
  if (source === null) throw new Error("there is no source clinicaltrials");
  let seen = 0;
  // Fails after the first part is finished and while the second is being written.
  const failing = {
    ...source,
    identify: (payload: unknown) => {
      seen += 1;
      if (seen === 25) throw new Error("power cut");
      return source.identify(payload);
    },
  };
  const options = { paths: [path], retrievedAt: null, limit: null };
  await expect(harvestFiles(bench.store, failing, options, testEffects())).rejects.toThrow("power cut");
  const before = seen;
  const summary = await harvestFiles(bench.store, failing, options, testEffects());
  expect(summary).toMatchObject({ records: 40, resumed: true, complete: true });
  expect(seen - before).toBeLessThan(40);
  const ids = (await readEnvelopes(bench.store, "clinicaltrials")).map(({ sourceId }) => sourceId);
  expect(ids).toEqual(nct(...members.keys()));
});
