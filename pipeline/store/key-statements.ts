/** What a store knows of keys: its key set with the statements on them, as far as the journal agrees that it is all of them. */

import type { KeySet, KeyStatement } from "../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import type { Effects } from "../stage/effects.ts";
import { appendKeyEvent, readJournal } from "./journal.ts";
import { changeKeySet, publicKeysOf } from "./key-set.ts";
import { statementDigest } from "./signing/signed-payload.ts";
import { type Trust, trustedKeys } from "./signing/trusted-keys.ts";
import type { Store } from "./store.ts";
import { changingLinks } from "./store-lock.ts";

/** What is said of keys does not hold together: nobody can tell any more which of them to trust. */
export class KeysDisputed extends Error {
  readonly code = "ERR_KEYS_DISPUTED";
  constructor(where: string, fault: string) {
    super(`${where} does not hold together: ${fault}; ${MENDING}`);
    this.name = "KeysDisputed";
  }
}

const MENDING =
  "ask the publisher, by a way that you trust, what they said; where it is this store that is wrong no command mends it: restore its key set and its journal from a copy of before, or begin another store";

/** Something is not said of a key: another process was quicker, or others would not take it. The key set is as it was. */
export class StatementRefused extends Error {
  readonly code = "ERR_STATEMENT_REFUSED";
  constructor(what: string) {
    super(`nothing was said of any key: ${what}`);
    this.name = "StatementRefused";
  }
}

/**
 * The keys of a store, all of which it holds to, with what was said of them.
 * @throws KeysDisputed, also where the journal knows of a statement that is gone
 */
export async function storeKeys(store: Store): Promise<Trust> {
  const { keys, statements } = await publicKeysOf(store);
  const [gone] = await goneStatements(store, statements);
  if (gone !== undefined) throw new KeysDisputed(store.publicKeys, gone);
  const trust = await trustedKeys(keys, statements);
  if (trust.fault !== null) throw new KeysDisputed(store.publicKeys, trust.fault);
  return trust;
}

/** Statements that the journal has seen and the key set has no more, in words. */
export async function goneStatements(store: Store, statements: readonly KeyStatement[]): Promise<string[]> {
  const there = new Set(statements.map(statementDigest));
  const { keys } = await readJournal(store);
  return keys
    .filter(({ statement }) => !there.has(statement))
    .map(({ event, kid }) => `the journal knows that the key ${kid} was ${WORDS[event]}, and the statement is gone`);
}

const WORDS = { "key-rotated": "replaced", "key-revoked": "revoked" } as const;

/**
 * Keeps statements that follow those the store has, and the keys they are on. The journal is told after it was done: a line
 * of its own for each that it does not know, also where somebody was stopped before it was.
 * @throws StatementRefused where they do not follow, since another process was quicker
 */
export async function keepStatements(
  store: Store,
  { keys, statements }: KeySet,
  { at, sleep }: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<void> {
  await changingLinks(store, sleep, async () => {
    await changeKeySet(store, (before) => withStatements(before, { keys, statements }));
    await tellJournal(store, at);
  });
}

/** Of a statement that was kept already: the journal is told where whoever kept it was stopped before it was. */
export async function finishKeeping(
  store: Store,
  { at, sleep }: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<void> {
  await changingLinks(store, sleep, () => tellJournal(store, at));
}

async function tellJournal(store: Store, at: string): Promise<void> {
  const seen = new Set((await readJournal(store)).keys.map(({ statement }) => statement));
  for (const each of (await publicKeysOf(store)).statements) {
    const statement = statementDigest(each);
    const event = each.statement === "rotated" ? "key-rotated" : "key-revoked";
    if (!seen.has(statement)) await appendKeyEvent(store, { event, kid: each.kid, statement, at });
  }
}

async function withStatements(before: KeySet, { keys, statements }: KeySet): Promise<KeySet> {
  const known = new Set(before.statements.map(statementDigest));
  const kids = new Set(before.keys.map(({ kid }) => kid));
  const fresh = statements.filter((each) => !known.has(statementDigest(each)));
  const [next] = fresh;
  if (next !== undefined) requireNext(next, before.statements);
  const after = {
    keys: [...before.keys, ...keys.filter(({ kid }) => !kids.has(kid))],
    statements: [...before.statements, ...fresh],
  };
  const { fault } = await trustedKeys(after.keys, after.statements);
  if (fault !== null) throw new StatementRefused(`${fault}: sign it with a key that may say so`);
  return after;
}

/** What the next statement after these names as the one before it: null where it is the first. */
export function lastDigest(statements: readonly KeyStatement[]): string | null {
  const last = statements.at(-1);
  return last === undefined ? null : statementDigest(last);
}

/** @throws StatementRefused where a statement is not the one to come after these */
export function requireNext({ before }: KeyStatement, statements: readonly KeyStatement[]): void {
  if (before !== lastDigest(statements))
    throw new StatementRefused("another process said something before it: do it again");
}

/**
 * One account of what was said of the keys one holds to, of several: the longest, which the others have the beginning of.
 * What says nothing of these keys is left out.
 * @throws KeysDisputed where one does not hold, or two of them part
 */
export async function heardOf(
  pinned: readonly ReleaseKey[],
  accounts: readonly { readonly where: string; readonly statements: readonly KeyStatement[] }[],
): Promise<Trust> {
  let heard: Trust = { keys: pinned, statements: [], fault: null };
  for (const { where, statements } of accounts) {
    const trust = await trustedKeys(pinned, statements);
    if (trust.fault !== null) throw new KeysDisputed(where, trust.fault);
    const [shorter, longer] = trust.statements.length < heard.statements.length ? [trust, heard] : [heard, trust];
    const parting = shorter.statements.findIndex(
      (each, i) => statementDigest(each) !== statementDigest(longer.statements[i] ?? {}),
    );
    if (parting >= 0)
      throw new KeysDisputed(
        where,
        `its statement ${parting + 1} is another one than is known of these keys: somebody else has one of them`,
      );
    heard = longer;
  }
  return heard;
}
