/**
 * Tests the rows that are made from captures: they can be written anywhere by the names of their columns, and are the same
 * everywhere.
 */

import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CaptureFiles } from "../../pipeline/2-normalise/capture-files.ts";
import { CaptureRows, type CaptureSinks } from "../../pipeline/2-normalise/rows.ts";
import { normaliseTask } from "../../pipeline/2-normalise/worker.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { listParts, readLines } from "../../pipeline/store/raw-parts.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { writeCaptureTables } from "./captures.ts";

/** A destination for rows that collects them as lines of JSON, with the columns in the order of the table's declaration. */
class Lines {
  readonly lines: string[] = [];
  readonly #columns: readonly string[];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  append(row: object): void {
    const cells = new Map<string, unknown>(Object.entries(row));
    expect([...cells.keys()].sort()).toEqual([...this.#columns].sort());
    this.lines.push(JSON.stringify(this.#columns.map((name) => plain(cells.get(name)))));
  }
}

function plain(cell: unknown): unknown {
  if (typeof cell === "bigint") return String(cell);
  return typeof cell === "string" ? cell.toWellFormed() : (cell ?? null);
}

function linesSinks() {
  return {
    capture: new Lines(Object.keys(CAPTURE_TABLES.capture.columns)),
    capture_creator: new Lines(Object.keys(CAPTURE_TABLES.capture_creator.columns)),
    capture_affiliation: new Lines(Object.keys(CAPTURE_TABLES.capture_affiliation.columns)),
    capture_facet: new Lines(Object.keys(CAPTURE_TABLES.capture_facet.columns)),
    capture_funding: new Lines(Object.keys(CAPTURE_TABLES.capture_funding.columns)),
    capture_value: new Lines(Object.keys(CAPTURE_TABLES.capture_value.columns)),
  } satisfies CaptureSinks;
}

test("the rows of the bundled corpus are the same as lines of JSON and in the files of workers", async () => {
  await using place = await temporaryStore();
  await harvestBundled(place.store);
  const vocabularies = await loadVocabularies();
  const captures = join(place.folder, "captures");
  await writeCaptureTables(place.store, captures, { sources: SOURCES.map(({ name }) => name), asOf: "2026-11-01" });
  const sinks = linesSinks();
  let part = 0;
  for (const source of SOURCES) {
    for (const { path } of await listParts(place.store.raw(source.name))) {
      const rows = new CaptureRows(sinks, source, part, { asOf: "2026-11-01", vocabularies });
      for await (const line of readLines(path)) rows.add(line);
      part += 1;
    }
  }
  const db = await openDuckDB({ threads: 1 });
  try {
    for (const [name, table] of Object.entries(CAPTURE_TABLES)) {
      const columns = Object.keys(table.columns).join(", ");
      const files = quote(join(captures, name, "*.parquet"));
      const written: string[] = [];
      for await (const batch of db.stream(`select ${columns} from read_parquet(${files})`))
        written.push(...batch.map((cells) => JSON.stringify(cells.map(plain))));
      const lines = new Map(Object.entries(sinks)).get(name)?.lines ?? [];
      expect(lines.length).toBeGreaterThan(10);
      expect(written.sort()).toEqual(lines.toSorted());
    }
  } finally {
    db.close();
  }
});

test("a normalise worker that fails leaves no files", async () => {
  await using place = await temporaryStore();
  const captures = join(place.folder, "captures");
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(captures, table), { recursive: true });
  const path = join(place.folder, "no-such-part.ndjson.zst");
  const task = { source: "zenodo", path, bytes: 1, part: 0, captures, asOf: "2026-11-01", cache: null };
  await expect(normaliseTask(task)).rejects.toThrow("no-such-part");
  for (const table of Object.keys(CAPTURE_TABLES)) expect(await readdir(join(captures, table))).toEqual([]);
});

test("the files of a normalise task get their final names only when all of them are complete", async () => {
  await using place = await temporaryStore();
  const files = await CaptureFiles.create((table) => join(place.folder, `${table}.parquet`));
  await files.drain();
  const whole = async () => (await readdir(place.folder)).filter((name) => name.endsWith(".parquet"));
  expect(await whole()).toEqual([]);
  await files.close();
  expect((await whole()).sort()).toEqual(
    Object.keys(CAPTURE_TABLES)
      .map((table) => `${table}.parquet`)
      .sort(),
  );
  expect((await readFile(join(place.folder, "capture.parquet"))).subarray(-4).toString()).toBe("PAR1");
});
