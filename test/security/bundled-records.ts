/** The records of the bundled fixtures as payloads, with the places of their texts, so that tests can replace the texts. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";

export interface BundledRecord {
  readonly sourceId: string;
  /** The parsed payload. Parts of the payload that are XML are parsed too. */
  readonly payload: unknown;
}

/** Returns the bundled records of a source. Records in XML are returned as parsed objects. */
export function bundledRecords(source: Source): BundledRecord[] {
  const files = readdirSync(join(PAYLOADS, source.name)).filter((name) => /\.(?:json|xml)$/.test(name));
  return files.sort().flatMap((name) =>
    findRecords(readFileSync(join(PAYLOADS, source.name, name)), source).records.map(({ sourceId, payload }) => ({
      sourceId,
      payload: parsePayload(payload, source.xmlParts),
    })),
  );
}

export type Path = readonly (string | number)[];

/** Returns the path of every text in a value. */
export function textPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    textPaths(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Returns a copy in which the texts at these paths are changed. */
export function withTexts(value: unknown, paths: readonly Path[], change: (text: string) => string): unknown {
  const copy: unknown = structuredClone(value);
  for (const path of paths) changeAt(copy, path, change);
  return copy;
}

function changeAt(value: unknown, [key, ...rest]: Path, change: (text: string) => string): void {
  if (key === undefined || typeof value !== "object" || value === null) return;
  const inner: unknown = Reflect.get(value, key);
  if (rest.length > 0) changeAt(inner, rest, change);
  else if (typeof inner === "string") Reflect.set(value, key, change(inner));
}
