/** The cases that were judged by hand as a coded file, and what a release of their payloads makes of it. */

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

/** The coded file, and its figures, which the documentation shows. */
export const CODED = join(REPOSITORY, "docs/hand-judged.csv");
export const FIGURES = join(REPOSITORY, "docs/hand-judged.json");

/** Whoever reads a payload can tell what is there and what is not; the rest nobody can tell from it. */
const WORDS: Partial<Readonly<Record<SignalState, "present" | "absent">>> = { passed: "present", absent: "absent" };

/** One row a dataset and public version, in the order of the cases. */
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

/** Each dataset once: of two captures of one the same was found, or there is no telling which counts. */
function datasets(): GoldenCase[] {
  const byIdentifier = Map.groupBy(GOLDEN_CASES, ({ source, sourceId }) => `${source}/${sourceId}`);
  return [...byIdentifier].map(([identifier, [first, ...others]]) => {
    const same = others.every(({ states }) => JSON.stringify(states) === JSON.stringify(first?.states));
    if (first === undefined || !same) throw new Error(`${identifier} was judged in two ways`);
    return first;
  });
}

/** Builds a release of the captured payloads, and compares it with what was judged. */
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

/** The masks of the release, by public version and identifier. */
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

/** Datasets by what a person found and what the release says of the signal. */
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

/** One line a signal, so that a change of one is a change of one line. */
export function figuresText({ signals, ...rest }: HandJudged): string {
  const head = JSON.stringify(rest, null, 1).replace(/\n\}$/, "");
  return `${head},\n "signals": [\n${signals.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n ]\n}\n`;
}
