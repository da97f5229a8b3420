/** The records of the bundled fixtures, each as its payload, and their texts, for whoever puts something else there. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";

export interface BundledRecord {
  readonly sourceId: string;
  /** Parsed, its parts of XML as well. */
  readonly payload: unknown;
}

/** JSON records are as in their files. XML records are as parsed. */
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

/** Where texts stand in a document. */
export function textPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    textPaths(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** A copy in which the texts at these places are others. */
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
