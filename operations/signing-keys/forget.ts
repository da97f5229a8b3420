/**
 * Forgetting what a store was told of keys, where it was told wrongly: a mirror that heard somebody else who has a key first.
 * Nothing in a store says who is honest: it is asked for by a person, who names the statement, and never happens by itself.
 */

import { readJournal } from "../../pipeline/store/journal.ts";
import { changeKeySet, publicKeysOf } from "../../pipeline/store/key-set.ts";
import { forgetInJournal, goneStatements } from "../../pipeline/store/key-statements.ts";
import { receiptText } from "../../pipeline/store/receipt-text.ts";
import { signingKeyOf } from "../../pipeline/store/signing/check-signature.ts";
import { statementDigest } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { changingLinks } from "../../pipeline/store/store-lock.ts";
import type { KeySet, KeyStatement } from "../../schemas/public/key-set.ts";
import type { KeyChange } from "./key-change.ts";

/** There is no such statement, or what was said was said here. */
export class ForgettingRefused extends Error {
  readonly code = "ERR_FORGETTING_REFUSED";
  constructor(what: string) {
    super(`nothing was forgotten: ${what}`);
    this.name = "ForgettingRefused";
  }
}

/** A statement that a store has, or that its journal alone knows: then nothing is left of it but which key it is on. */
export interface ToldStatement {
  readonly digest: string;
  readonly kid: string;
  readonly statement: KeyStatement | null;
}

export interface Forgotten {
  readonly statements: readonly ToldStatement[];
  /** Names of keys that came by them alone: they are trusted here no more. */
  readonly keys: readonly string[];
}

/** All that a store was told of keys, oldest first; what its journal alone knows comes last. */
export async function toldStatements(store: Store): Promise<ToldStatement[]> {
  const { statements } = await publicKeysOf(store);
  const there = statements.map((statement) => ({ digest: statementDigest(statement), kid: statement.kid, statement }));
  const gone = await goneStatements(store, statements);
  return [...there, ...gone.map(({ statement, kid }) => ({ digest: statement, kid, statement: null }))];
}

/**
 * Forgets a statement, by its digest or enough of the beginning, and all that were said after it, which name it. Written down
 * first, then done: a command that was killed comes to its end by the same one.
 * @throws ForgettingRefused
 */
export async function forgetStatements(
  store: Store,
  { from, reason }: { readonly from: string; readonly reason: string },
  { at, sleep }: KeyChange,
): Promise<Forgotten> {
  return changingLinks(store, sleep, async () => {
    await requireMirror(store);
    const told = await toldStatements(store);
    const named = told.flatMap(({ digest }, place) => (isNamed(digest, from) ? [place] : []));
    const [first, ...others] = named;
    if (first === undefined) throw new ForgettingRefused(`no statement on keys begins with ${from}`);
    if (others.length > 0) throw new ForgettingRefused(`several statements begin with ${from}: give more of it`);
    const statements = told.slice(first);
    await forgetInJournal(store, statements, { reason, at });
    const forgotten = new Set(statements.map(({ digest }) => digest));
    let keys: readonly string[] = [];
    await changeKeySet(store, async (set) => {
      const left = without(set, forgotten);
      const kids = new Set(left.keys.map(({ kid }) => kid));
      keys = set.keys.flatMap(({ kid }) => (kids.has(kid) ? [] : [kid]));
      return left;
    });
    return { statements, keys };
  });
}

const LEAST_LETTERS = 4;

function isNamed(digest: string, from: string): boolean {
  const hex = from.replace(/^sha256[:-]/, "");
  return hex.length >= LEAST_LETTERS && digest.startsWith(`sha256:${hex}`);
}

/** The successors that the forgotten ones named go with them, unless another statement is on them too. */
function without({ keys, statements }: KeySet, forgotten: ReadonlySet<string>): KeySet {
  const kept = statements.filter((each) => !forgotten.has(statementDigest(each)));
  const came = successors(statements).difference(successors(kept));
  return { keys: keys.filter(({ kid }) => !came.has(kid)), statements: kept };
}

function successors(statements: readonly KeyStatement[]): Set<string> {
  return new Set(statements.flatMap((each) => (each.statement === "rotated" ? [each.to.kid] : [])));
}

/** What a publisher said went to others, who hold to it: it is never taken back. */
async function requireMirror(store: Store): Promise<void> {
  const { keys } = await publicKeysOf(store);
  const { entries } = await readJournal(store);
  for (const { releaseDigest } of entries.filter(({ event }) => event === "built")) {
    const kid = signingKeyOf(signatureIn((await receiptText(store, releaseDigest)) ?? "{}"));
    if (keys.some((key) => key.kid === kid))
      throw new ForgettingRefused(
        `${releaseDigest} was built here and signed by the key ${kid}: what a publisher said of keys is never taken back; restore the key set and the journal from a copy of before`,
      );
  }
}

function signatureIn(receipt: string): unknown {
  try {
    return Object(JSON.parse(receipt)).signature;
  } catch {
    return null;
  }
}
