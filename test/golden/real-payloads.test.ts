/** The hand-checked states of captured payloads: what the normalisers and the scoring SQL make of the same payloads. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { at } from "../../pipeline/reading/reader.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { evidenceName } from "../../schemas/public/evidence.ts";
import { type ContractId, publicVersion } from "../../schemas/public/rubric.ts";
import { signalId, signalState } from "../../schemas/public/signal.ts";
import { type ScoreRow, ScoringBench, statesOf } from "../score/scoring.ts";

const FOLDER = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");
const there = existsSync(FOLDER);
if (!there) console.warn(`golden states of real payloads skipped: no folder ${FOLDER} (set SHARE_REAL_PAYLOADS)`);

const golden = z.strictObject({
  asOf: z.string(),
  cases: z
    .array(
      z.strictObject({
        file: z.string(),
        line: z.int().min(1).optional(),
        source: z.string(),
        sourceId: z.string(),
        why: z.string(),
        evidence: z.partialRecord(evidenceName, z.union([z.int(), z.boolean(), z.string(), z.null()])),
        states: z.record(publicVersion, z.record(signalId, signalState)),
        totals: z.record(publicVersion, z.int()),
      }),
    )
    .min(1),
});
const { asOf, cases } = golden.parse(
  JSON.parse(await readFile(join(import.meta.dirname, "real-payloads.json"), "utf8")),
);
const CONTRACT_OF = { "2.0": "2.0.0-beta.2", "1.0": "1.0.0" } as const satisfies Record<string, ContractId>;

const vocabularies = await loadVocabularies();

/** The payload of a case: a record by itself, an item of a list answer, or one line of a file of lines. */
async function payloadOf({ file, line, sourceId }: (typeof cases)[number], source: Source): Promise<unknown> {
  const text = await readFile(join(FOLDER, file), "utf8");
  const document: unknown = JSON.parse(line === undefined ? text : (text.split("\n")[line - 1] ?? ""));
  const shape = source.shapeOf(document);
  if (shape.kind === "refused") throw new Error(`${file}: ${shape.detail}`);
  const found = at(document, ...shape.path);
  const items = shape.kind === "list" && Array.isArray(found) ? found : [found];
  const item = items.find((candidate) => source.identify(candidate) === sourceId);
  if (item === undefined) throw new Error(`${file}: no record ${sourceId}`);
  return item;
}

describe.skipIf(!there)("golden states of real payloads", () => {
  let bench: ScoringBench;
  beforeAll(async () => {
    bench = await ScoringBench.open();
  });
  afterAll(() => bench[Symbol.dispose]());

  test.each(cases)("$file $line $sourceId", async (expected) => {
    const source = sourceNamed(expected.source);
    if (source === null) throw new Error(`no source ${expected.source}`);
    const normalised = source.normalise(await payloadOf(expected, source), expected.sourceId, { asOf, vocabularies });
    if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
    expect(normalised.evidence).toMatchObject(expected.evidence);

    const { evidence, errors } = normalised;
    const [scores] = await bench.score([{ source: expected.source, evidence, errors }]);
    const scoreOf = (version: keyof typeof CONTRACT_OF): ScoreRow => {
      const score = scores?.get(CONTRACT_OF[version]);
      if (score === undefined) throw new Error(`no score under ${version}`);
      return score;
    };
    const versions = publicVersion.options;
    expect(Object.fromEntries(versions.map((version) => [version, statesOf(scoreOf(version))]))).toEqual(
      expected.states,
    );
    expect(Object.fromEntries(versions.map((version) => [version, scoreOf(version).total]))).toEqual(expected.totals);
  });
});
