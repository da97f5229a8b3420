/**
 * Compares the scores of fixtures with states of signals that were checked by hand. Each payload passes through the reader of
 * its source, the pledge and the scoring SQL.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NormaliseOptions } from "../../pipeline/sources/adapter/source.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import type { Evidence } from "../../schemas/public/evidence.ts";
import { SIGNAL_IDS, type SignalState } from "../../schemas/public/signal.ts";
import { listStates, ScoringBench } from "../score/scoring.ts";
import { AS_OF, type Captured, vocabularies } from "./fragment.ts";

/** The function of a source that reads a payload into evidence, fields, creators and facets. */
export type Normalise = (payload: unknown, sourceId: string, context: NormaliseOptions) => Normalised;

/**
 * The expected result of a fixture. For each contract, `states` has five letters for each bucket, in the order S H A R E: p
 * passed, a absent, m source missing, f failed, n not evaluable, u unsupported.
 */
export interface GoldenCase {
  readonly file: string;
  readonly sourceId: string;
  readonly why: string;
  readonly states: { readonly "2.0": string; readonly "1.0": string };
  readonly evidence?: Partial<Evidence>;
  readonly fields?: Partial<RecordFields>;
  readonly creators?: readonly Partial<Creator>[];
  readonly facets?: readonly CapturedFacet[];
}

const LETTERS: Readonly<Record<SignalState, string>> = {
  passed: "p",
  absent: "a",
  source_missing: "m",
  failed: "f",
  not_evaluable: "n",
  unsupported: "u",
};
const CONTRACT_OF = { "2.0": "2.0.0-beta.2", "1.0": "1.0.0" } as const;
const VERSIONS = ["2.0", "1.0"] as const;

/** Reads a payload and returns its record. Throws if the outcome is not a record, because the test is then wrong. */
export function recordFrom(normalise: Normalise, payload: unknown, sourceId: string): Captured {
  const normalised = normalise(payload, sourceId, { asOf: AS_OF, vocabularies });
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/**
 * Opens one scoring bench for each contract, because a bench has one mask of supported signals, and a pledge has another for
 * each contract.
 */
async function benches(source: string): Promise<Record<(typeof VERSIONS)[number], ScoringBench>> {
  const of = (await readPledges()).get(source);
  if (of === undefined) throw new Error(`${source} has no pledge`);
  const open = (version: (typeof VERSIONS)[number]) =>
    ScoringBench.open([{ source, supported: supportedMask(of, CONTRACT_OF[version]), neverCarries: of.neverCarries }]);
  return { "2.0": await open("2.0"), "1.0": await open("1.0") };
}

function inLetters(states: Readonly<Record<string, SignalState>>): string {
  const letters = SIGNAL_IDS.map((id) => LETTERS[states[id] ?? "unsupported"]).join("");
  return letters.replace(/(.{5})(?=.)/g, "$1 ");
}

/**
 * Adds one test for each case. Its file is in fixtures/payloads/<source>, and `read` turns the text of the file into the
 * payload of the record.
 */
export function testGolden(
  source: string,
  normalise: Normalise,
  cases: readonly GoldenCase[],
  read: (text: string, sourceId: string) => unknown = (text) => JSON.parse(text),
): void {
  describe("states of signals in hand-written payloads", () => {
    let bench: Awaited<ReturnType<typeof benches>>;
    beforeAll(async () => {
      bench = await benches(source);
    });
    afterAll(() => {
      for (const version of VERSIONS) bench[version][Symbol.dispose]();
    });

    test.each(cases)(
      "the signals of $file ($sourceId) have the states that were checked by hand: $why",
      async ({ file, sourceId, states, ...expected }) => {
        const text = readFileSync(new URL(`../../fixtures/payloads/${source}/${file}`, import.meta.url), "utf8");
        const { evidence, errors, fields, creators, facets } = recordFrom(normalise, read(text, sourceId), sourceId);
        const actual: Record<string, string> = {};
        const totals: number[] = [];
        for (const version of VERSIONS) {
          const [scores] = await bench[version].score([{ source, evidence, errors }]);
          const score = scores?.get(CONTRACT_OF[version]);
          if (score === undefined) throw new Error(`the record has no score under ${version}`);
          actual[version] = inLetters(listStates(score));
          totals.push(score.total);
        }
        expect(actual).toEqual(states);
        expect(totals).toEqual(VERSIONS.map((version) => 4 * states[version].replace(/[^p]/g, "").length));
        expect(evidence).toMatchObject(expected.evidence ?? {});
        expect(fields).toMatchObject(expected.fields ?? {});
        if (expected.creators !== undefined) expect(creators).toMatchObject(expected.creators);
        if (expected.facets !== undefined) expect(facets).toEqual(expected.facets);
      },
    );
  });
}

const CAPTURED = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");

/** A recorded response of a real service: its text, and its path in the folder of recordings. */
export interface Recorded {
  readonly path: string;
  readonly text: string;
}

/** Returns the recorded responses in the folders. Prints a warning and returns null if this machine has no recordings. */
export function recordedAnswers(folders: readonly string[]): readonly Recorded[] | null {
  if (!existsSync(CAPTURED)) {
    console.warn(`recorded responses are not tested: there is no folder ${CAPTURED} (set SHARE_REAL_PAYLOADS)`);
    return null;
  }
  return folders.flatMap((folder) =>
    readdirSync(join(CAPTURED, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => ({ path: path.slice(CAPTURED.length + 1), text: readFileSync(path, "utf8") })),
  );
}
