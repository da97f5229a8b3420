/**
 * Tests that an import that is killed at any moment can be resumed, and that no record and no rejection is lost or duplicated.
 */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readHarvests } from "../../pipeline/store/harvest-log.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { killWhen } from "../support/killing.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { casesToRun } from "../tiers.ts";
import { readEnvelopes, readRejections } from "./bench-store.ts";
import { isOver, readSummary, startHarvest } from "./killed-harvest.ts";

const RECORDS = 24_000;
/** Makes each record long, so that a few thousand of them fill several parts. */
const FILLER = "a filler that makes the record long, so that several parts are needed of a few of them. ".repeat(45);

let bench: TemporaryStore;
let input: string;

beforeAll(async () => {
  bench = await temporaryStore();
  input = join(bench.folder, "input");
  await mkdir(input);
  await writeLines(join(input, "1.jsonl"), 0, RECORDS / 2, false);
  await writeLines(join(input, "2.jsonl.gz"), RECORDS / 2, RECORDS, true);
});

afterAll(() => bench[Symbol.asyncDispose]());

/** Writes one record on each line. Every thousandth line is not JSON, so that rejections are compared too. */
async function writeLines(path: string, from: number, to: number, packed: boolean): Promise<void> {
  const file = createWriteStream(path);
  const out = packed ? createGzip({ level: 1 }) : file;
  if (packed) out.pipe(file);
  for (let i = from; i < to; i++) {
    const line = i % 1000 === 999 ? `{"broken":${i},}\n` : `{"id":"10.5555/${i}","attributes":{"x":"${FILLER}"}}\n`;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await once(file, "close");
}

const expected = Array.from({ length: RECORDS }, (_, i) => i);

describe("killed imports", () => {
  const kills = [
    { name: "once", delays: [700] },
    { name: "early and late", delays: [300, 1500] },
    { name: "again and again", delays: [450, 600, 750, 900, 1050] },
  ];

  test.each(casesToRun(kills))(
    "a killed import resumes where it stopped, after kills $name",
    async ({ name, delays }) => {
      const root = join(bench.folder, name);
      const store = openStore(root);
      let killed = 0;
      let summary: Awaited<ReturnType<typeof readSummary>> | null = null;
      for (const delay of [...delays, Number.POSITIVE_INFINITY]) {
        const child = startHarvest("files", store, "datacite", input);
        if (await killWhen(child.process, (elapsed) => elapsed >= delay)) killed += 1;
        else summary = await readSummary(child);
        // Stops if the import is complete, because a further process would import everything again. A kill may come that late.
        if (await isOver(store, "datacite")) break;
      }
      expect(killed).toBeGreaterThan(0);
      const ids = (await readEnvelopes(store, "datacite")).map((record) => Number(record.sourceId.slice(8)));
      const lines = (await readRejections(store, "datacite")).map(({ file, line }) => `${file}:${line}`);
      // Compares only the differences, because a report of so many ids would not be readable.
      const wanted = new Set(expected.filter((i) => i % 1000 !== 999));
      expect(ids.filter((id) => !wanted.delete(id))).toEqual([]);
      expect([...wanted]).toEqual([]);
      expect(new Set(lines).size).toBe(RECORDS / 1000);
      expect(lines).toHaveLength(RECORDS / 1000);
      if (summary !== null) {
        expect(summary).toMatchObject({ files: 2, records: ids.length, complete: true });
        expect(summary.rejected["not-json"]).toBe(lines.length);
        expect(
          (await readdir(store.raw("datacite"))).filter((file) => !/^\d{6}\.ndjson\.zst$/.test(file)).sort(),
        ).toEqual(["checkpoint.json", "harvests.ndjson", "rejected.ndjson"]);
      }
      // The log can have the entry twice, if a kill came between the entry and the last checkpoint.
      const entries = await readHarvests(store.raw("datacite"));
      expect(new Set(entries.map((entry) => JSON.stringify(entry))).size).toBe(1);
      expect(entries[0]).toMatchObject({ records: ids.length, rejected: lines.length, complete: true });
    },
  );
});
