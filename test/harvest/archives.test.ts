/** Dumps in archives: each member is read as a file of its own, and a damaged one does not spoil the others. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { envelopesOf, refusalsOf, temporaryStore, testEffects } from "./bench-store.ts";

interface File {
  readonly name: string;
  readonly bytes: Buffer;
}

const study = (n: number) =>
  JSON.stringify({ protocolSection: { identificationModule: { nctId: `NCT${String(n).padStart(8, "0")}` } } });
const file = (name: string, text: string): File => ({ name, bytes: Buffer.from(text) });
const nct = (...numbers: number[]) => numbers.map((n) => `NCT${String(n).padStart(8, "0")}`);

const little = (size: number, value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(size);
  if (typeof value === "bigint") bytes.writeBigUInt64LE(value);
  else bytes.writeUIntLE(value, 0, size);
  return bytes;
};

interface ZipOptions {
  /** Sizes and places in 64 bits, as archives of more than four gigabytes have them. */
  readonly large?: boolean;
  readonly stored?: boolean;
  /** Changes the checksum of the member of this name. */
  readonly spoiled?: string;
  readonly comment?: string;
}

/** A ZIP archive: local headers and contents, the list, the end. */
function zipOf(
  files: readonly File[],
  { large = false, stored = false, spoiled, comment = "" }: ZipOptions = {},
): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const content = stored ? bytes : deflateRawSync(bytes);
    const sum = (crc32(bytes) + (name === spoiled ? 1 : 0)) % 2 ** 32;
    const common = [little(2, 0), little(2, stored ? 0 : 8), little(4, 0), little(4, sum)];
    const local = [little(4, 0x04034b50), little(2, 45), ...common, little(4, content.length), little(4, bytes.length)];
    const head = Buffer.concat([...local, little(2, name.length), little(2, 0), Buffer.from(name)]);
    parts.push(head, content);
    const wide = [little(8, BigInt(bytes.length)), little(8, BigInt(content.length)), little(8, BigInt(offset))];
    const extra = large ? Buffer.concat([little(2, 1), little(2, 24), ...wide]) : Buffer.alloc(0);
    const short = (value: number) => little(4, large ? 0xffffffff : value);
    const lengths = [
      little(2, name.length),
      little(2, extra.length),
      little(2, 0),
      little(2, 0),
      little(2, 0),
      little(4, 0),
    ];
    const entry = [
      little(4, 0x02014b50),
      little(2, 45),
      little(2, 45),
      ...common,
      short(content.length),
      short(bytes.length),
    ];
    list.push(...entry, ...lengths, short(offset), Buffer.from(name), extra);
    offset += head.length + content.length;
  }
  const directory = Buffer.concat(list);
  const count = files.length;
  const end64 = [little(4, 0x06064b50), little(8, 44n), little(4, 0), little(4, 0), little(4, 0)];
  const totals = [
    little(8, BigInt(count)),
    little(8, BigInt(count)),
    little(8, BigInt(directory.length)),
    little(8, BigInt(offset)),
  ];
  const locator = [little(4, 0x07064b50), little(4, 0), little(8, BigInt(offset + directory.length)), little(4, 1)];
  const short = (value: number) => little(4, large ? 0xffffffff : value);
  const end = [
    little(4, 0x06054b50),
    little(4, 0),
    little(2, count),
    little(2, count),
    short(directory.length),
    short(offset),
  ];
  const tail = large ? [...end64, ...totals, ...locator] : [];
  return Buffer.concat([...parts, directory, ...tail, ...end, little(2, comment.length), Buffer.from(comment)]);
}

/** A tar archive; names beyond a hundred characters in a pax header before them. */
function tarOf(files: readonly File[]): Buffer {
  const blocks = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
  const head = (name: string, size: number, type: string) => {
    const block = Buffer.alloc(512);
    block.write(name.slice(0, 100), 0);
    block.write(size.toString(8).padStart(11, "0"), 124);
    block.write(type, 156);
    block.write("ustar\0", 257);
    return block;
  };
  const all = files.flatMap(({ name, bytes }) => {
    const pax = Buffer.from(`${name.length + 10} path=${name}\n`);
    const long = name.length > 100 ? [head("pax", pax.length, "x"), blocks(pax)] : [];
    return [...long, head(name, bytes.length, name.endsWith("/") ? "5" : "0"), blocks(bytes)];
  });
  return Buffer.concat([...all, Buffer.alloc(1024)]);
}

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
  if (source === null) throw new Error("no clinicaltrials");
  const options = { paths: [path], retrievedAt: null, limit: null };
  const summary = await harvestFiles(bench.store, source, options, testEffects());
  const refusals = await refusalsOf(bench.store, "clinicaltrials");
  return {
    summary,
    ids: (await envelopesOf(bench.store, "clinicaltrials")).map(({ sourceId }) => sourceId),
    refused: refusals.map(({ file: from, line, reason }) => `${from.slice(bench.folder.length + 1)}:${line}:${reason}`),
    details: refusals.map(({ detail }) => detail).join("; "),
  };
}

describe("every member is read", () => {
  test.each([
    { name: "a ZIP archive", file: "dump.zip", bytes: zipOf(FILES) },
    { name: "one with a comment behind it", file: "dump.zip", bytes: zipOf(FILES, { comment: "PK\x05\x06 or not" }) },
    { name: "one without compression", file: "dump.zip", bytes: zipOf(FILES, { stored: true }) },
    { name: "one with sizes in 64 bits", file: "dump.zip", bytes: zipOf(FILES, { large: true }) },
    { name: "a tar archive", file: "dump.tar", bytes: tarOf(FILES) },
    { name: "one that is compressed", file: "dump.tar.gz", bytes: gzipSync(tarOf(FILES)) },
    { name: "one whose name says something else", file: "dump.json", bytes: tarOf(FILES) },
  ])("$name", async ({ file: name, bytes }) => {
    const { ids, refused, summary } = await imported(name, bytes);
    expect(ids).toEqual(nct(1, 2, 3, 4, 5, 6, 7));
    expect(refused).toEqual([
      `${name}#studies/readme.html:null:not-json`,
      `${name}#lines.jsonl:2:truncated`,
      `${name}#empty.json:null:empty`,
    ]);
    expect(summary).toMatchObject({ files: 1, records: 7, complete: true });
  });
});

describe("what is damaged is told, and the rest is kept", () => {
  const two = [file("1.json", study(1)), file("2.json", study(2)), file("3.json", study(3))];
  const zip = zipOf(two);
  test.each([
    {
      name: "a wrong checksum",
      file: "a.zip",
      bytes: zipOf(two, { spoiled: "2.json" }),
      ids: nct(1, 2, 3),
      says: /2\.json does not have the checksum/,
    },
    { name: "a ZIP cut off", file: "a.zip", bytes: zip.subarray(0, zip.length - 30), ids: [], says: /no end record/ },
    { name: "a list that is not there", file: "a.zip", bytes: zipOf([]), ids: [], says: /./ },
    { name: "a tar cut off", file: "a.tar", bytes: tarOf(two).subarray(0, 2048 + 20), ids: nct(1, 2), says: /cut off/ },
    {
      name: "a tar cut off within a member",
      file: "a.tar",
      bytes: tarOf(two).subarray(0, 1536 + 20),
      ids: nct(1),
      says: /cut off/,
    },
  ])("$name", async ({ file: name, bytes, ids, says }) => {
    const outcome = await imported(name, bytes);
    expect(outcome.ids).toEqual(ids);
    expect(outcome.details).toMatch(says);
    expect(outcome.refused.length).toBeGreaterThan(0);
  });
});

test("an archive taken up again goes on behind its last member", async () => {
  const members = Array.from({ length: 40 }, (_, i) =>
    file(`${i}.json`, `${study(i).slice(0, -1)},"x":"${"y".repeat(4_000_000)}"}`),
  );
  await using bench = await temporaryStore();
  const path = join(bench.folder, "dump.zip");
  await writeFile(path, zipOf(members));
  const source = sourceNamed("clinicaltrials");
  if (source === null) throw new Error("no clinicaltrials");
  let seen = 0;
  // Fails once the first part is finished and the second is under way.
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
  const ids = (await envelopesOf(bench.store, "clinicaltrials")).map(({ sourceId }) => sourceId);
  expect(ids).toEqual(nct(...members.keys()));
});
