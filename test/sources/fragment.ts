/** A table of payload fragments: what a source's normaliser makes of each, column by column. */

import { expect, test } from "vitest";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";

export type Captured = Extract<Normalised, { outcome: "record" }>;

/** `evidence` and `fields` name what the case is about; `errors` are all there are (none where left out). */
export interface FragmentCase<Given> {
  readonly name: string;
  readonly given: Given;
  readonly evidence?: Partial<Evidence>;
  readonly errors?: readonly EvidenceName[];
  readonly fields?: Partial<RecordFields>;
}

export const AS_OF = "2026-11-01";
export const vocabularies = await loadVocabularies();

/** The normaliser's answer as of the tests' day. */
export function normalisePayload(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Normalised {
  return source.normalise(payload, sourceId, { asOf, vocabularies });
}

/** The record a payload gives; anything else is the test's mistake. */
export function readRecord(source: Source, payload: unknown, sourceId: string, asOf = AS_OF): Captured {
  const normalised = normalisePayload(source, payload, sourceId, asOf);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** One test a case. */
export function testFragments<Given>(cases: readonly FragmentCase<Given>[], read: (given: Given) => Captured): void {
  test.each(cases)(
    "a payload gives the expected evidence, errors and fields: $name",
    ({ given, evidence = {}, errors = [], fields = {} }) => {
      const record = read(given);
      expect(record.evidence).toMatchObject(evidence);
      expect([...record.errors].sort()).toEqual([...errors].sort());
      expect(record.fields).toMatchObject(fields);
    },
  );
}
