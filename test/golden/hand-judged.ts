/** The cases that were judged by hand as a coded file, and what a release of their payloads makes of it. */

import { join } from "node:path";
import { writeToString } from "fast-csv";
import { validateCoded } from "../../operations/judging/coded.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import type { HandJudged } from "../../schemas/internal/hand-judged.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS, type SignalState } from "../../schemas/public/signal.ts";
import { writeParts } from "../normalise/captures.ts";
import { buildRelease } from "../support/build-release.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { GOLDEN_AS_OF, GOLDEN_CASES, type GoldenCase, payloadOf } from "./golden-cases.ts";

/** The coded file, and its figures, which the documentation shows. */
export const CODED = join(REPOSITORY, "docs/hand-judged.csv");
export const FIGURES = join(REPOSITORY, "docs/hand-judged.json");

/** Whoever reads a payload can tell what is there and what is not; the rest nobody can tell from it. */
const WORDS: Partial<Readonly<Record<SignalState, string>>> = { passed: "present", absent: "absent" };

/** One row a dataset and public version, in the order of the cases. */
export function codedText(): Promise<string> {
  const rows = datasets().flatMap(({ source, sourceId, states }) =>
    PUBLIC_VERSIONS.map((rubric) => [`${source}/${sourceId}`, rubric, ...codesOf(states, rubric)]),
  );
  return writeToString([["identifier", "rubric", ...SIGNAL_IDS], ...rows], { includeEndRowDelimiter: true });
}

function codesOf(states: GoldenCase["states"], rubric: PublicVersion): string[] {
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

/** Builds a release of the captured payloads, and holds the coded file against it. */
export async function handJudged(): Promise<HandJudged> {
  await using made = await temporaryStore();
  const captures = await Promise.all(
    GOLDEN_CASES.map(async (of) => ({ source: of.source, sourceId: of.sourceId, payload: await payloadOf(of) })),
  );
  await writeParts(made.store, captures, captures.length);
  const sources = [...new Set(captures.map(({ source }) => source))].sort();
  const { receipt } = await buildRelease(made.store, { asOf: GOLDEN_AS_OF, sources, history: false });
  const tables = releaseTablePaths(made.store.release(receipt.releaseDigest));
  const { lines, coded, unknown, signals } = await validateCoded(tables, CODED, { threads: 1 });
  if (unknown > 0 || lines !== coded) throw new Error(`${lines - coded} lines of ${CODED} are of no dataset here`);
  const rows = signals.map(({ rubric, signal, counts }) => ({ rubric, signal, ...counts }));
  return { asOf: GOLDEN_AS_OF, datasets: datasets().length, signals: rows };
}

/** One line a signal, so that a change of one is a change of one line. */
export function figuresText({ signals, ...rest }: HandJudged): string {
  const head = JSON.stringify(rest, null, 1).replace(/\n\}$/, "");
  return `${head},\n "signals": [\n${signals.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n ]\n}\n`;
}
