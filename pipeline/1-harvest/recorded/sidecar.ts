/** Reads the header file beside a recorded answer: when the answer was received, and with what status. */

import { readFile } from "node:fs/promises";
import { asObject, asText, at } from "../../reading/reader.ts";
import { sidecarOf } from "./inputs.ts";

export interface Recorded {
  readonly status: number | null;
  readonly retrievedAt: string | null;
}

const NOTHING: Recorded = { status: null, retrievedAt: null };

/** The words of the header file of `path`; nothing where there is none, or none that can be read. */
export async function readSidecar(path: string): Promise<Recorded> {
  let document: unknown;
  try {
    document = JSON.parse(await readFile(sidecarOf(path), "utf8"));
  } catch (error) {
    const absent =
      error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENAMETOOLONG");
    if (absent || error instanceof SyntaxError) return NOTHING;
    throw error;
  }
  const status = Number(asText(at(document, "status")));
  return {
    status: Number.isInteger(status) && status >= 100 && status <= 599 ? status : null,
    retrievedAt: instantOf(header(at(document, "headers"), "date")),
  };
}

/** The value of a header whose name may be in any case; recorders keep values as text or as a list. */
function header(headers: unknown, name: string): string | null {
  for (const [key, value] of Object.entries(asObject(headers) ?? {})) {
    if (key.toLowerCase() === name) return asText(Array.isArray(value) ? value[0] : value);
  }
  return null;
}

/** An HTTP date as an ISO instant. */
function instantOf(date: string | null): string | null {
  const time = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
