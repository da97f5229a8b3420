/** Every statement, and the running of one. */

import type { World } from "../world.ts";
import { BADGES } from "./badges.ts";
import { CSV_LISTS } from "./csv.ts";
import { ENVELOPE } from "./envelope.ts";
import { ERRORS } from "./errors.ts";
import { EVALUATIONS } from "./evaluations.ts";
import { FIGURES_AND_RUBRICS } from "./figures.ts";
import { FILTERS } from "./filters.ts";
import { IMPACT } from "./impact.ts";
import { KEYS } from "./keys.ts";
import { PARAMETERS } from "./parameters.ts";
import { PLACES } from "./places.ts";
import { RECORD_DETAIL } from "./record-detail.ts";
import { RECORD_ROWS } from "./record-rows.ts";
import { RELEASES } from "./releases.ts";
import { RESEARCHERS } from "./researchers.ts";
import { SEARCH } from "./search.ts";
import { SORTING } from "./sorting.ts";
import type { Statement } from "./statement.ts";
import { TRANSPORT } from "./transport.ts";

export const STATEMENTS: readonly Statement[] = [
  ...ENVELOPE,
  ...PARAMETERS,
  ...RECORD_ROWS,
  ...RECORD_DETAIL,
  ...IMPACT,
  ...FILTERS,
  ...SEARCH,
  ...SORTING,
  ...RESEARCHERS,
  ...PLACES,
  ...FIGURES_AND_RUBRICS,
  ...BADGES,
  ...ERRORS,
  ...CSV_LISTS,
  ...TRANSPORT,
  ...RELEASES,
  ...KEYS,
  ...EVALUATIONS,
];

/** What is wrong with the answers to a statement; empty where it holds. */
export async function faultsOf(statement: Statement, world: World): Promise<string[]> {
  const { ask, receipt } = world.of(statement.of);
  const colon = receipt?.releaseDigest ?? "";
  const placed = (path: string) => path.replace("{digest}", colon.replace(":", "-")).replace("{colon}", colon);
  const askPlaced: typeof ask = (path, question) => ask(placed(path), question);
  const reply = await askPlaced(statement.path, statement.question);
  const faults: string[] = [];
  for (const { text, fault } of statement.expects) {
    const found = await fault(reply, askPlaced);
    if (found !== null) faults.push(`expected ${text}: ${found}`);
  }
  return faults;
}
