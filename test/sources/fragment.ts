/** Tests the reader of a source with fragments of payloads. Each fragment has the evidence that the reader must give. */

import { expect, test } from "vitest";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";

export type Captured = Extract<Normalised, { outcome: "record" }>;

/**
 * A fragment of a payload, and the expected result. `evidence` and `fields` contain only the values that the case is about.
 * `errors` lists all columns that cannot be read, and is empty by default.
 */
export interface FragmentCase<Given> {
  readonly name: string;
  readonly given: Given;
  readonly evidence?: Partial<Evidence>;
  readonly errors?: readonly EvidenceName[];
  readonly fields?: Partial<RecordFields>;
}

export const AS_OF = "2026-11-01";
export const vocabularies = await loadVocabularies();

/** Reads a payload as of the day of the tests, and returns the outcome. */
export function normalisePayload(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Normalised {
  return source.normalise(payload, sourceId, { asOf, vocabularies });
}

/** Reads a payload and returns its record. Throws if the outcome is not a record, because the test is then wrong. */
export function readRecord(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Captured {
  const normalised = normalisePayload(source, payload, sourceId, asOf);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** Adds one test for each case. `read` turns the fragment into a payload and reads it. */
export function testFragments<Given>(cases: readonly FragmentCase<Given>[], read: (given: Given) => Captured): void {
  test.each(cases)(
    "the reader gives the expected evidence, errors and fields: $name",
    ({ given, evidence = {}, errors = [], fields = {} }) => {
      const record = read(given);
      expect(record.evidence).toMatchObject(evidence);
      expect([...record.errors].sort()).toEqual([...errors].sort());
      expect(record.fields).toMatchObject(fields);
    },
  );
}
