/** Tests a normaliser with fragments of payloads, each with the values of the columns that it must give. */

import { expect, test } from "vitest";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";

export type Captured = Extract<Normalised, { outcome: "record" }>;

/**
 * A fragment and its result. `evidence` and `fields` contain only the values that the case is about. `errors` must be complete,
 * and is empty by default.
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

/** Returns the result of the normaliser as of the day of the tests. */
export function normalisePayload(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Normalised {
  return source.normalise(payload, sourceId, { asOf, vocabularies });
}

/** Returns the record of a payload. Throws if the payload does not give a record, because the test is then wrong. */
export function readRecord(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Captured {
  const normalised = normalisePayload(source, payload, sourceId, asOf);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** Adds one test for each case. */
export function testFragments<Given>(cases: readonly FragmentCase<Given>[], read: (given: Given) => Captured): void {
  test.each(cases)(
    "gives the expected evidence, errors and fields: $name",
    ({ given, evidence = {}, errors = [], fields = {} }) => {
      const record = read(given);
      expect(record.evidence).toMatchObject(evidence);
      expect([...record.errors].sort()).toEqual([...errors].sort());
      expect(record.fields).toMatchObject(fields);
    },
  );
}
