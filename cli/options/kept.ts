/** Sentences on what each command has kept when it is stopped half-way, and how to go on: one row a command. */

const READ_ONLY = "nothing was changed; the same command begins again";
const AT_ONCE = "what it was asked to do is done whole, or not begun; look before you give the command again";

/** Sentences by the names one calls the command by, or by the first of them; `{store}` is its store. */
export const KEPT: Readonly<Record<string, string>> = {
  harvest: "what came so far is kept in {store}/raw; the same command goes on from there",
  fixtures:
    "whole parts stay in {store}/raw; the same command writes all of it again, and a build counts each record once",
  build:
    "the active release is as it was, finished stages are kept in {store}/work; the same command goes on after them",
  run: "the active release is as it was, or already the new one; what came and was built is kept in {store}; the next run goes on from there",
  evaluate: READ_ONLY,
  check: READ_ONLY,
  serve: "it had not begun to answer; the same command begins again",
  releases: READ_ONLY,
  activate: AT_ONCE,
  rollback: AT_ONCE,
  retract: AT_ONCE,
  verify: READ_ONLY,
  log: READ_ONLY,
  fetch: "what came so far is kept in {store}/incoming; the same command goes on from there",
  publish: "what was sent stays there, and no release there is half visible; the same command sends the rest",
  prune: "releases removed so far are gone, the others are whole; the same command removes the rest",
  key: AT_ONCE,
  "key new": "a private key may exist without its public part: remove it, and give the command again",
  doctor: READ_ONLY,
  diff: READ_ONLY,
  sources: READ_ONLY,
  keys: AT_ONCE,
  accounts: READ_ONLY,
  page: READ_ONLY,
  csv: READ_ONLY,
  completion: READ_ONLY,
  moderate: AT_ONCE,
  "moderate withhold":
    "the active release is as it was, or the new one is active; the same command goes on, and removes what is older",
};

/** The words for a command, by its names from the program on. */
export function keptBy(names: readonly string[], store: string): string {
  const words = KEPT[names.join(" ")] ?? KEPT[names[0] ?? ""] ?? AT_ONCE;
  return words.replaceAll("{store}", store);
}
