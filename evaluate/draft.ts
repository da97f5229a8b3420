/** Metadata that are not deposited yet, as the payload they would become. */

import { hash } from "node:crypto";
import { at } from "../pipeline/reading/reader.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";

/** A file that no draft can be read from; the message goes on after what it was, and says why. */
export class NoDraft extends Error {
  readonly code = "no-draft";
}

export interface Draft {
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
}

/** The id of what has none yet. */
export const UNNAMED = "draft";

/** A parsed file: in the shape of the source's API, or in that of a deposit. */
export interface ParsedFile {
  readonly document: unknown;
  readonly bytes: Uint8Array;
  readonly language: string;
}

export function draftOf({ document, bytes, language }: ParsedFile, source: Source): Draft {
  const value = source.draftOf?.(document) ?? recordIn(document, source);
  // A source that reads XML stores it as it is.
  const payload = language === "xml" ? Buffer.from(bytes).toString("utf8") : JSON.stringify(value);
  return { sourceId: source.identify(value) ?? UNNAMED, payload, payloadDigest: hash("sha256", payload) };
}

function recordIn(document: unknown, source: Source): unknown {
  const shape = source.shapeOf(document);
  if (shape.kind === "record") return at(document, ...shape.path);
  const seen = shape.kind === "refused" ? shape.detail : "a list of records; give one of them";
  throw new NoDraft(`is not the metadata of one record as ${source.name} takes them: ${seen}`);
}
