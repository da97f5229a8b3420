/**
 * What a payload costs grows with its size and no faster: every source's reader, from the bytes to the rows, at one, two
 * and four times a size. Times are this thread's own, and only their ratio is judged.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { CaptureRows, captureAppenders } from "../../pipeline/2-normalise/rows.ts";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { AS_OF, vocabularies } from "../sources/fragment.ts";
import { type BundledRecord, bundledRecords, textPaths } from "./bundled-records.ts";
import { scaledFrom } from "./scaled-payloads.ts";

/** Four times the size may take eight times as long, for memory that is slow to come by; what is quadratic takes sixteen. */
const MOST = 8;
/** Milliseconds: what takes less than this at its largest is not worth judging, and cannot be measured. */
const FLOOR = 60;
/** As often is a ratio that is too large measured again: other processes share the machine's caches. */
const TRIES = 4;

let db: Database;

beforeAll(async () => {
  db = await openDuckDB({ threads: 1 });
  for (const table of Object.values(CAPTURE_TABLES)) await db.create(table);
});

afterAll(() => db.close());

/** Milliseconds of this thread that it takes to find the payload in its bytes and to make rows of it. */
async function timeOf(source: Source, line: string, document: Buffer): Promise<number> {
  // New each time: what was read is remembered.
  const { sinks, flush, close } = await captureAppenders(db);
  const rows = new CaptureRows(sinks, source, 0, { asOf: AS_OF, vocabularies });
  const before = process.threadCpuUsage();
  findRecords(document, source);
  rows.add(line);
  flush();
  const { user, system } = process.threadCpuUsage(before);
  close();
  for (const table of Object.values(CAPTURE_TABLES)) await db.run(`delete from ${table.name}`);
  return (user + system) / 1000;
}

function given(source: Source, sourceId: string, payload: unknown): { line: string; document: Buffer } {
  const text = JSON.stringify(payload);
  const envelope = { source: source.name, sourceId, retrievedAt: null, url: null, status: 200, payloadDigest: "" };
  return { line: JSON.stringify({ ...envelope, payload: text }), document: Buffer.from(text) };
}

/** The record with the most texts, which has the most fields. */
function richest(source: Source): BundledRecord[] {
  const records = bundledRecords(source).map((record) => ({ record, texts: textPaths(record.payload).length }));
  return records
    .sort((one, other) => other.texts - one.texts)
    .slice(0, 1)
    .map(({ record }) => record);
}

describe.each(SOURCES.map((source) => ({ name: source.name, source })))(
  "reading $name takes no more than its share of time",
  ({ source }) => {
    const cases = richest(source).flatMap((record) =>
      scaledFrom(record).map((scaled) => ({ ...scaled, sourceId: record.sourceId })),
    );

    test.each(cases)("$sourceId: $name", { timeout: 600_000 }, async ({ sourceId, make, most }) => {
      const [quarter, half, whole] = [most / 4, most / 2, most].map((bytes) => given(source, sourceId, make(bytes)));
      if (quarter === undefined || half === undefined || whole === undefined) throw new Error("three sizes");
      let ratios = { two: Number.POSITIVE_INFINITY, four: Number.POSITIVE_INFINITY };
      for (let tried = 0; tried < TRIES && (ratios.two > MOST / 2 || ratios.four > MOST); tried += 1) {
        const one = Math.max(await timeOf(source, quarter.line, quarter.document), FLOOR / 4);
        const two = Math.max(await timeOf(source, half.line, half.document), FLOOR / 2);
        const four = await timeOf(source, whole.line, whole.document);
        ratios = { two: Math.min(ratios.two, two / one), four: Math.min(ratios.four, four / one) };
      }
      expect(ratios.two).toBeLessThanOrEqual(MOST / 2);
      expect(ratios.four).toBeLessThanOrEqual(MOST);
    });
  },
);
