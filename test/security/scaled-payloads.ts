/** Payloads of any size, made of a bundled record: long texts in all its fields, lists of many items, deep nests, many keys. */

import { type BundledRecord, type Path, textPaths, withTexts } from "./bundled-records.ts";

/** What texts are filled with: each has been the death of some pattern. */
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

export interface Scaled {
  readonly name: string;
  /** A payload of some `bytes` of JSON. */
  readonly make: (bytes: number) => unknown;
  /** How large it may become. */
  readonly most: number;
}

const MEGABYTE = 1_000_000;
/** The largest payload there is. */
const LARGEST = 5 * MEGABYTE;
/** Where there is one payload for each list or field of a record. */
const EACH = MEGABYTE;

/** All that can be grown in a record. */
export function scaledFrom({ payload }: BundledRecord): Scaled[] {
  const texts = textPaths(payload);
  const lists = listPaths(payload);
  return [
    ...PIECES.map((piece) => ({
      name: `every text is ${JSON.stringify(piece)}`,
      most: LARGEST,
      make: (bytes: number) => withTexts(payload, texts, (old) => filled(old, piece, bytes / texts.length)),
    })),
    ...lists.map((path) => ({
      name: `as many of ${path.join(".")}`,
      most: EACH,
      make: (bytes: number) => withLists(payload, [path], bytes, numbered),
    })),
    {
      name: "small texts in every list",
      most: LARGEST,
      make: (bytes) => withLists(payload, lists, bytes, (_item, i) => `a${i}`),
    },
    {
      name: "small items in every list",
      most: LARGEST,
      make: (bytes) => withLists(payload, lists, bytes, () => ({})),
    },
    {
      name: "nests in every list",
      most: LARGEST,
      make: (bytes) => withLists(payload, lists, bytes, () => NEST),
    },
    { name: "keys nobody knows", most: LARGEST, make: (bytes) => withKeys(payload, bytes) },
  ];
}

/** An object, so that no path to a list leads into it: all items are this same one. */
const NEST: unknown = JSON.parse(`${'{"a":['.repeat(80)}"x"${"]}".repeat(80)}`);

function filled(old: string, piece: string, bytes: number): string {
  return `${old}${piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)))}`;
}

/** Where lists with something in them stand, none within another one's elements but the first's. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [path, ...listPaths(value[0], [...path, 0])];
  return Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]));
}

/** The item with the same words, and a number behind each, so that no two are the same. */
function numbered(item: unknown, i: number): unknown {
  return withTexts(item, textPaths(item), (text) => `${text} ${i}`);
}

type Item = (first: unknown, i: number) => unknown;

/** The payload with so many bytes more, the lists having the same share each. */
function withLists(payload: unknown, paths: readonly Path[], bytes: number, item: Item): unknown {
  const copy: unknown = structuredClone(payload);
  for (const path of paths) fillList(copy, path, bytes / paths.length, item);
  return copy;
}

function fillList(payload: unknown, path: Path, bytes: number, item: Item): void {
  const list = path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    payload,
  );
  // A list within another that was replaced is there no more.
  if (!Array.isArray(list)) return;
  const first: unknown = list[0];
  const size = JSON.stringify(item(first, 100_000)).length + 1;
  for (let i = 0, left = bytes; left > 0; i += 1, left -= size) list[i] = item(first, i);
}

function withKeys(payload: unknown, bytes: number): unknown {
  const keys = Object.fromEntries(Array.from({ length: Math.ceil(bytes / 14) }, (_, i) => [`k${i}`, ""]));
  return typeof payload === "object" && payload !== null ? { ...keys, ...payload } : payload;
}
