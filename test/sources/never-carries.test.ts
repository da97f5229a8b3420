/** Tests that hand-made payloads have evidence for exactly the columns that the pledge of their source does not rule out. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { at } from "../../pipeline/reading/reader.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/public/evidence.ts";
import { AS_OF, vocabularies } from "./fragment.ts";

const NAMES = ["dataverse", "dryad", "figshare", "openneuro", "osf"];

/** Returns the evidence of every record in the fixtures of a source. */
function listEvidence(source: Source): readonly Evidence[] {
  const folder = new URL(`../../fixtures/payloads/${source.name}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const document: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    const shape = source.readShape(document);
    const payload = shape.kind === "record" ? at(document, ...shape.path) : null;
    const id = source.identify(payload);
    const read = id === null ? null : source.normalise(payload, id, { asOf: AS_OF, vocabularies });
    return read?.outcome === "record" ? [read.evidence] : [];
  });
}

const pledges = await readPledges();

describe.each(NAMES)("fixtures of %s", (name) => {
  const source = sourceNamed(name);
  const never = new Set<string>(pledges.get(name)?.neverCarries);
  const records = source === null ? [] : listEvidence(source);

  test("the fixtures of a source contain at least nine payloads that are records", () => {
    expect(records.length).toBeGreaterThanOrEqual(9);
  });

  test("the fixtures of a source have evidence in some payload for exactly the columns that the pledge does not rule out", () => {
    const carried = EVIDENCE_NAMES.filter((column) => records.some((evidence) => evidence[column] !== null));
    expect(EVIDENCE_NAMES.filter((column) => !carried.includes(column))).toEqual(
      EVIDENCE_NAMES.filter((column) => never.has(column)),
    );
  });
});
