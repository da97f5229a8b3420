/** Revoking a key: what it signed counts no more, but for what the journal saw it sign before. */

import { readJournal } from "../../pipeline/store/journal.ts";
import { finishKeeping, lastDigest, storeKeys } from "../../pipeline/store/key-statements.ts";
import { signingKeyOf, type TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import type { Signer } from "../../pipeline/store/signing/sign.ts";
import { signedPayload } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { KeyRevocation, KeyStatement } from "../../schemas/public/key-set.ts";
import type { KeyChange } from "./key-change.ts";
import { say } from "./say.ts";
import { type SeenPayloads, type Since, seenPayloads } from "./seen-payloads.ts";

/** There is no key of that name in the store's set, or several begin with it, or the journal does not know a release. */
export class RevocationRefused extends Error {
  readonly code = "ERR_REVOCATION_REFUSED";
  constructor(what: string) {
    super(what);
    this.name = "RevocationRefused";
  }
}

export interface RevokedKey {
  readonly revocation: KeyRevocation;
  readonly seen: SeenPayloads;
}

/**
 * `kid`: the key's name, or enough of its beginning. `since` left out: now, and everything it was seen to sign stays good.
 * What was said already, and takes nothing more away, is not said again: a command that was killed comes to its end.
 * @throws RevocationRefused; StatementRefused where the signer may not say so
 */
export async function revokeKey(
  store: Store,
  { kid, reason, since = null }: { readonly kid: string; readonly reason: string; readonly since?: Since | null },
  signer: Signer,
  change: KeyChange,
): Promise<RevokedKey> {
  if (kid.length < LEAST_LETTERS)
    throw new RevocationRefused(`give at least ${LEAST_LETTERS} letters of the key's name`);
  if (since !== null && "at" in since && since.at > change.at)
    throw new RevocationRefused(`--since ${since.at} has not come yet: what a key signs until then could not be told`);
  const { keys, statements } = await storeKeys(store);
  const all = keys.some((each) => each.kid === signer.key.kid) ? keys : [...keys, signer.key];
  const [key, ...others]: readonly TrustedKey[] = all.filter((each) => each.kid.startsWith(kid));
  if (key === undefined) throw new RevocationRefused(`there is no key ${kid}; see \`share-release signing-keys list\``);
  if (others.length > 0) throw new RevocationRefused(`several keys begin with ${kid}: give more of its name`);
  const seen = await seenPayloads(store, key, since ?? { at: AFTER_ALL });
  const before = saidBefore(statements, key, reason, signer);
  if (before !== null && key.revoked?.payloads.isSubsetOf(new Set(seen.payloads)) === true) {
    await finishKeeping(store, change);
    return { revocation: before, seen };
  }
  const said = {
    statement: "revoked" as const,
    kid: key.kid,
    since: since === null ? change.at : await instantOf(store, since),
    reason,
    payloads: [...seen.payloads],
    at: change.at,
    before: lastDigest(statements),
  };
  const revocation = { ...said, signature: await signer.sign(signedPayload(said), "revocation") };
  await say(store, revocation, [signer.key], change);
  return { revocation, seen };
}

/** The last revocation of a key, where it is by the same key and for the same reason. */
function saidBefore(
  statements: readonly KeyStatement[],
  { kid }: TrustedKey,
  reason: string,
  signer: Signer,
): KeyRevocation | null {
  const last = statements.findLast((each): each is KeyRevocation => each.statement === "revoked" && each.kid === kid);
  if (last === undefined || last.reason !== reason) return null;
  return signingKeyOf(last.signature, "revocation") === signer.key.kid ? last : null;
}

/** A key is not revoked by an empty name, as a variable that was never set gives it. */
const LEAST_LETTERS = 4;

/** Later than whatever a journal says. */
const AFTER_ALL = "9999-12-31T23:59:59.999Z";

/** Of a release, when it came. */
async function instantOf(store: Store, since: Since): Promise<string> {
  if ("at" in since) return since.at;
  const { entries } = await readJournal(store);
  const came = entries.find(
    ({ event, releaseDigest }) => releaseDigest === since.releaseDigest && (event === "built" || event === "fetched"),
  );
  if (came?.at == null)
    throw new RevocationRefused(`the journal does not say when ${since.releaseDigest} came: give --since as a time`);
  return came.at;
}
