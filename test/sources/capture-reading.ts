/**
 * Reads a payload, and checks the record: evidence has the right types, counts are not negative, and names are not blank.
 */

import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { Normalised } from "../../schemas/internal/capture.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { AS_OF, vocabularies } from "./fragment.ts";
import type { Normalise } from "./golden.ts";

export function readCapture(normalise: Normalise, payload: unknown, sourceId: string): Normalised {
  const normalised = normalise(payload, sourceId, { asOf: AS_OF, vocabularies });
  if (normalised.outcome !== "record") {
    expect(normalised.reason).not.toBe("");
    return normalised;
  }
  for (const { name, type } of EVIDENCE) {
    const value = normalised.evidence[name];
    if (value === null) continue;
    expect([name, typeof value]).toEqual([name, type === "int" ? "number" : type === "bool" ? "boolean" : "string"]);
    if (typeof value === "number") expect([name, Number.isInteger(value) && value >= 0]).toEqual([name, true]);
  }
  for (const creator of normalised.creators) expect(creator.name.trim()).not.toBe("");
  expect(normalised.fields.versionFamily).not.toBe("");
  return normalised;
}

/** Reads a hand-made payload from fixtures/payloads/<folder>. */
export async function payloadIn(folder: string, file: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../fixtures/payloads/${folder}/${file}`, import.meta.url), "utf8"));
}
