/**
 * The time to read a payload, from its bytes to its rows, grows no faster than its size. Each source's reader reads payloads of
 * one, two and four times a size. Only the CPU time of this thread is measured, and only ratios of times are compared.
 */

import { describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { CaptureRows, captureLists } from "../../pipeline/2-normalise/rows.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { AS_OF, vocabularies } from "../sources/fragment.ts";
import { IS_SOAK } from "../tiers.ts";
import { type BundledRecord, bundledRecords, type Path, textPaths, withTexts } from "./bundled-records.ts";

/** Texts that are repeated to fill a field. Each has made some regular expression slow. */
const PIECES = [
  "<",
  "<!--",
  "&amp;",
  "a,",
  "@",
  ".,;",
  " ",
  "\u0301",
  "0000-",
  "10.1234/",
  "http://a.",
  "A. ",
  "文",
  "(",
  "CC-BY ",
  "-part1",
];

interface Scaled {
  readonly name: string;
  /** Returns a payload of about `bytes` bytes, as JSON. */
  readonly make: (bytes: number) => string;
  /** The largest size in bytes to which this payload may grow. */
  readonly most: number;
}

const MEGABYTE = 1_000_000;
/** The size of the largest payload. In the third tier it is the maximum that a harvest stores. */
const MAX_PAYLOAD_BYTES = (IS_SOAK ? 5 : 2) * MEGABYTE;
/** A smaller maximum in bytes for the cases of single lists, because a record has many lists. */
const EACH = MEGABYTE;

/** Returns payloads that grow in all ways: longer texts, longer lists, nested lists, and more keys. */
function scaledFrom({ payload }: BundledRecord): Scaled[] {
  const texts = textPaths(payload);
  const lists = listPaths(payload);
  return [
    ...PIECES.map((piece) => ({
      name: `${JSON.stringify(piece)} repeated in every text`,
      most: MAX_PAYLOAD_BYTES,
      make: (bytes: number) =>
        JSON.stringify(withTexts(payload, texts, (old) => filled(old, piece, bytes / texts.length))),
    })),
    ...lists.map((path) => ({
      name: `as many items of ${path.join(".")} as fit`,
      most: EACH,
      make: (bytes: number) => withLists(payload, [path], bytes, numbered),
    })),
    {
      name: "small texts in every list",
      most: MAX_PAYLOAD_BYTES,
      make: (bytes) => withLists(payload, lists, bytes, (_item, i) => `a${i}`),
    },
    {
      name: "small items in every list",
      most: MAX_PAYLOAD_BYTES,
      make: (bytes) => withLists(payload, lists, bytes, () => ({})),
    },
    {
      name: "nested lists in every list",
      most: MAX_PAYLOAD_BYTES,
      make: (bytes) => withLists(payload, lists, bytes, () => NEST),
    },
    { name: "unknown keys", most: MAX_PAYLOAD_BYTES, make: (bytes) => withKeys(payload, bytes) },
  ];
}

/** Eighty lists inside each other, as an item of a list. Objects alternate with the lists, as in real payloads. */
const NEST: unknown = JSON.parse(`${'{"a":['.repeat(80)}"x"${"]}".repeat(80)}`);

function filled(old: string, piece: string, bytes: number): string {
  return `${old}${piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)))}`;
}

/** Finds the paths of lists with items. Within a list, only the first item is searched. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [path, ...listPaths(value[0], [...path, 0])];
  return Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]));
}

/** Returns the item of a list with the number `i` after each text, so that no two items are the same. */
function numbered(item: unknown, i: number): unknown {
  return withTexts(item, textPaths(item), (text) => `${text} ${i}`);
}

type Item = (first: unknown, i: number) => unknown;

/** Returns the payload with this many additional bytes, of which each list gets the same share. */
function withLists(payload: unknown, paths: readonly Path[], bytes: number, item: Item): string {
  const copy: unknown = structuredClone(payload);
  for (const path of paths) fillList(copy, path, bytes / paths.length, item);
  return JSON.stringify(copy);
}

function fillList(payload: unknown, path: Path, bytes: number, item: Item): void {
  const list = path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    payload,
  );
  // A list inside another list that was replaced no longer exists.
  if (!Array.isArray(list)) return;
  const first: unknown = list[0];
  const size = JSON.stringify(item(first, 100_000)).length + 1;
  for (let i = 0, left = bytes; left > 0; i += 1, left -= size) list[i] = item(first, i);
}

function withKeys(payload: unknown, bytes: number): string {
  const keys = Array.from({ length: Math.ceil(bytes / 14) }, (_, i) => `"k${i}":"",`);
  return `{${keys.join("")}${JSON.stringify(payload).slice(1)}`;
}

/**
 * A payload of four times the size may take eight times as long, because memory may be slow. Quadratic time is sixteen times.
 */
const MAX_TIMES = 8;
/** Milliseconds below which a payload of the largest size is fast enough, and too fast to be measured. */
const FLOOR = 60;
/** Maximum number of measurements of a ratio that is too large, because other processes share the caches of the machine. */
const TRIES = 4;

/** Returns the CPU time, in milliseconds, that this thread takes to find a payload in the bytes and to make its rows. */
function measureTime(source: Source, line: string, document: Buffer): number {
  // The document is new for each measurement, because results are cached.
  const rows = new CaptureRows(captureLists(), source, 0, { asOf: AS_OF, vocabularies });
  const before = process.threadCpuUsage();
  findRecords(document, source);
  rows.add(line);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns a function that measures the time to read a payload, in milliseconds. */
function makeTimer(source: Source, sourceId: string, text: string): () => number {
  const envelope = { source: source.name, sourceId, retrievedAt: null, url: null, status: 200, payloadDigest: "" };
  const line = JSON.stringify({ ...envelope, payload: text });
  const document = Buffer.from(text);
  return () => measureTime(source, line, document);
}

/** Returns the record with the most texts, which has the most fields. */
function richest(source: Source): BundledRecord[] {
  const records = bundledRecords(source).map((record) => ({ record, texts: textPaths(record.payload).length }));
  return records
    .sort((one, other) => other.texts - one.texts)
    .slice(0, 1)
    .map(({ record }) => record);
}

describe.each(SOURCES.map((source) => ({ name: source.name, source })))(
  "reading $name takes limited time",
  ({ source }) => {
    const cases = richest(source).flatMap((record) =>
      scaledFrom(record).map((scaled) => ({ ...scaled, sourceId: record.sourceId })),
    );

    test.each(cases)(
      "the time to read $sourceId grows no faster than its size if it has $name",
      { timeout: 600_000 },
      ({ sourceId, make, most }) => {
        const sized = (part: number) => makeTimer(source, sourceId, make(most / part));
        const whole = sized(1);
        if (whole() < FLOOR) return;
        const [half, quarter] = [sized(2), sized(4)];
        let ratios = { two: Number.POSITIVE_INFINITY, four: Number.POSITIVE_INFINITY };
        for (let tried = 0; tried < TRIES && (ratios.two > MAX_TIMES / 2 || ratios.four > MAX_TIMES); tried += 1) {
          const one = Math.max(quarter(), FLOOR / 4);
          const two = Math.max(half(), FLOOR / 2);
          const four = whole();
          ratios = { two: Math.min(ratios.two, two / one), four: Math.min(ratios.four, four / one) };
        }
        expect(ratios.two).toBeLessThanOrEqual(MAX_TIMES / 2);
        expect(ratios.four).toBeLessThanOrEqual(MAX_TIMES);
      },
    );
  },
);
