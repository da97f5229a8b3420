/** The program gives the signals of captured payloads the states that people judged by hand. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { type ContractId, publicVersion } from "../../schemas/public/rubric.ts";
import { listStates, type ScoreRow, ScoringBench } from "../score/scoring.ts";
import { CAPTURES, capturesAreThere, GOLDEN_AS_OF, GOLDEN_CASES, readPayload } from "./golden-cases.ts";

if (!capturesAreThere)
  console.warn(`golden states of real payloads skipped: no folder ${CAPTURES} (set SHARE_REAL_PAYLOADS)`);

const CONTRACT_OF = { "2.0": "2.0.0-beta.2", "1.0": "1.0.0" } as const satisfies Record<string, ContractId>;

const vocabularies = await loadVocabularies();

describe.skipIf(!capturesAreThere)("states of signals in captured payloads", () => {
  let bench: ScoringBench;
  beforeAll(async () => {
    bench = await ScoringBench.open();
  });
  afterAll(() => bench[Symbol.dispose]());

  test.each(GOLDEN_CASES)("the states of $sourceId are those that a person judged ($file $line)", async (expected) => {
    const source = sourceNamed(expected.source);
    if (source === null) throw new Error(`there is no source ${expected.source}`);
    const normalised = source.normalise(await readPayload(expected), expected.sourceId, {
      asOf: GOLDEN_AS_OF,
      vocabularies,
    });
    if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
    expect(normalised.evidence).toMatchObject(expected.evidence);

    const { evidence, errors } = normalised;
    const [scores] = await bench.score([{ source: expected.source, evidence, errors }]);
    const getScore = (version: keyof typeof CONTRACT_OF): ScoreRow => {
      const score = scores?.get(CONTRACT_OF[version]);
      if (score === undefined) throw new Error(`the record has no score under ${version}`);
      return score;
    };
    const versions = publicVersion.options;
    expect(Object.fromEntries(versions.map((version) => [version, listStates(getScore(version))]))).toEqual(
      expected.states,
    );
    expect(Object.fromEntries(versions.map((version) => [version, getScore(version).total]))).toEqual(expected.totals);
  });
});
