/** Writes the cases that were judged by hand as a table, and compares them with a release of the same payloads. */

import { join } from "node:path";
import { writeToString } from "fast-csv";
import { openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import type { HandJudged } from "../../schemas/internal/rows.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS, type SignalState } from "../../schemas/public/signal.ts";
import { buildRelease } from "../support/build-release.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { temporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { GOLDEN_AS_OF, GOLDEN_CASES, type GoldenCase, readPayload } from "./golden-cases.ts";

/** Path of the table of judgements. `FIGURES` is the path of the figures about the table, which the documentation shows. */
export const CODED = join(REPOSITORY, "docs/hand-judged.csv");
export const FIGURES = join(REPOSITORY, "docs/hand-judged.json");

/** Words of the table for the states that a person can judge from a payload. All other states are written as unknown. */
const WORDS: Partial<Readonly<Record<SignalState, "present" | "absent">>> = { passed: "present", absent: "absent" };

/** Returns the table, with one row for each dataset and public version, in the order of the cases. */
export function codedText(): Promise<string> {
  const rows = datasets().flatMap(({ source, sourceId, states }) =>
    PUBLIC_VERSIONS.map((rubric) => [`${source}/${sourceId}`, rubric, ...listCodes(states, rubric)]),
  );
  return writeToString([["identifier", "rubric", ...SIGNAL_IDS], ...rows], { includeEndRowDelimiter: true });
}

function listCodes(states: GoldenCase["states"], rubric: PublicVersion): string[] {
  return SIGNAL_IDS.map((id) => {
    const state = states[rubric][id];
    if (state === undefined) throw new Error(`${id} was not judged under ${rubric}`);
    return WORDS[state] ?? "unknown";
  });
}

/**
 * Returns one case for each dataset. If a dataset has two payloads, their judgements must be the same, because neither judgement
 * would count more.
 */
function datasets(): GoldenCase[] {
  const byIdentifier = Map.groupBy(GOLDEN_CASES, ({ source, sourceId }) => `${source}/${sourceId}`);
  return [...byIdentifier].map(([identifier, [first, ...others]]) => {
    const same = others.every(({ states }) => JSON.stringify(states) === JSON.stringify(first?.states));
    if (first === undefined || !same) throw new Error(`the two payloads of ${identifier} were judged differently`);
    return first;
  });
}

/** Builds a release of the payloads, and compares its states with the judgements. */
export async function handJudged(): Promise<HandJudged> {
  await using made = await temporaryStore();
  const captures = await Promise.all(
    GOLDEN_CASES.map(async (of) => ({ source: of.source, sourceId: of.sourceId, payload: await readPayload(of) })),
  );
  await writeCaptures(made.store, captures);
  const sources = [...new Set(captures.map(({ source }) => source))].sort();
  const { receipt } = await buildRelease(made.store, { asOf: GOLDEN_AS_OF, sources, history: false });
  const tables = releaseTablePaths(made.store.release(receipt.releaseDigest));
  const masks = await readMasks(tables);
  const signals = PUBLIC_VERSIONS.flatMap((rubric) =>
    SIGNAL_IDS.map((signal, bit) => ({ rubric, signal, ...countOutcomes(masks, rubric, signal, bit) })),
  );
  return { asOf: GOLDEN_AS_OF, datasets: datasets().length, signals };
}

interface Masks {
  readonly passed: number;
  readonly evaluable: number;
}

/** Returns the masks in the release, by public version and identifier. */
async function readMasks(tables: TablePaths): Promise<ReadonlyMap<string, Masks>> {
  const db = await openTables(tables, { threads: 1 });
  try {
    const rows = await db.rows(
      `select rubric || ' ' || source || '/' || source_id as judged, passed_mask, evaluable_mask
       from score join record on record.id = score.id`,
    );
    return new Map(
      rows.map(({ judged, passed_mask: passed, evaluable_mask: evaluable }) => [
        String(judged),
        { passed: Number(passed), evaluable: Number(evaluable) },
      ]),
    );
  } finally {
    db.close();
  }
}

/** Counts datasets by the judgement of a person and the state of the signal in the release. */
function countOutcomes(
  masks: ReadonlyMap<string, Masks>,
  rubric: PublicVersion,
  signal: (typeof SIGNAL_IDS)[number],
  bit: number,
) {
  const counts = {
    presentPassed: 0,
    presentAbsent: 0,
    presentUnjudged: 0,
    absentPassed: 0,
    absentAbsent: 0,
    absentUnjudged: 0,
  };
  for (const { source, sourceId, states } of datasets()) {
    const own = masks.get(`${rubric} ${source}/${sourceId}`);
    if (own === undefined) throw new Error(`the release has no score of ${source}/${sourceId} under ${rubric}`);
    const word = WORDS[states[rubric][signal] ?? "not_evaluable"];
    const isSet = (mask: number) => ((mask >> bit) & 1) === 1;
    const said = isSet(own.passed) ? "Passed" : isSet(own.evaluable) ? "Absent" : "Unjudged";
    if (word !== undefined) counts[`${word}${said}`] += 1;
  }
  return counts;
}

/** Returns the figures as text, with one line for each signal, so that a diff shows which signal changed. */
export function figuresText({ signals, ...rest }: HandJudged): string {
  const head = JSON.stringify(rest, null, 1).replace(/\n\}$/, "");
  return `${head},\n "signals": [\n${signals.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n ]\n}\n`;
}
