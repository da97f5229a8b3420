/**
 * Which keys are trusted, and for what: those one holds to, and what statements on them come to, one after the other. What
 * does not follow ends it: whoever lays a statement before us that no key of ours made may have taken others away.
 */

import { calculateJwkThumbprint } from "jose";
import type { KeyRevocation, KeyRotation, KeyStatement } from "../../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../../schemas/public/release-key.ts";
import { signatureFault, signingKeyOf, type TrustedKey } from "./check-signature.ts";
import { statementDigest } from "./signed-payload.ts";

export interface Trust {
  readonly keys: readonly TrustedKey[];
  /** The statements that bear on these keys, up to the last one that does; those of strangers' keys are passed over. */
  readonly statements: readonly KeyStatement[];
  /** What does not hold; what came after it was not looked at. */
  readonly fault: string | null;
}

type Known = Map<string, TrustedKey>;

/** What statements of one set, oldest first, come to for whoever holds to `pinned`. */
export async function trustedKeys(pinned: readonly ReleaseKey[], statements: readonly KeyStatement[]): Promise<Trust> {
  const known: Known = new Map(pinned.map((key) => [key.kid, key]));
  let before: string | null = null;
  let counted = 0;
  for (const [i, statement] of statements.entries()) {
    const concerned = known.has(statement.kid);
    const fault =
      statement.before === before
        ? concerned
          ? await hear(statement, known)
          : null
        : `statement ${i + 1} on keys does not follow the one before it: it was changed, or one is gone`;
    if (fault !== null) return { keys: [...known.values()], statements: statements.slice(0, counted), fault };
    if (concerned) counted = i + 1;
    before = statementDigest(statement);
  }
  return { keys: [...known.values()], statements: statements.slice(0, counted), fault: null };
}

/** Takes up one statement on a key that is known; answers its fault. */
function hear(statement: KeyStatement, known: Known): Promise<string | null> {
  switch (statement.statement) {
    case "rotated":
      return hearRotation(statement, known);
    case "revoked":
      return hearRevocation(statement, known);
    default:
      return statement satisfies never;
  }
}

/** A key names its successor once, by itself, and as long as it was not revoked. */
async function hearRotation(statement: KeyRotation, known: Known): Promise<string | null> {
  const { kid, to } = statement;
  const key = known.get(kid);
  if (key === undefined) return null;
  const what = `it is said that the key ${kid} was replaced by ${to.kid}`;
  if (signingKeyOf(statement.signature, "rotation") !== kid) return `${what}, and not by that key itself`;
  if (key.revoked !== undefined) return `${what}, and it was revoked before`;
  if (key.successor !== undefined)
    return `${what}, and ${key.successor} is in its place: somebody else has that key too`;
  const unsound = await signatureFault({ ...statement }, [key], "rotation");
  if (unsound !== null) return `${what}: ${unsound}`;
  if ((await calculateJwkThumbprint(to)) !== to.kid) return `${what}, which is the name of another key`;
  if (to.kid === kid) return `${what}, which is itself`;
  const next: TrustedKey = known.get(to.kid) ?? to;
  if (next.revoked !== undefined || next.successor !== undefined) return `${what}, which is in use no more`;
  known.set(kid, { ...key, successor: to.kid });
  known.set(to.kid, next);
  return null;
}

/**
 * A key is revoked by itself, or by one that is in use: one that was replaced or revoked has nothing to say of others. Who
 * revokes again can only take away from what stays good.
 */
async function hearRevocation(statement: KeyRevocation, known: Known): Promise<string | null> {
  const { kid, since, reason } = statement;
  const key = known.get(kid);
  if (key === undefined) return null;
  const by = signingKeyOf(statement.signature, "revocation");
  const what = `it is said that the key ${kid} was revoked (${reason})`;
  const signer = by === null ? undefined : known.get(by);
  if (signer === undefined)
    return `${what}, by ${by === null ? "nobody" : `the key ${by}`}, which is none that is trusted`;
  if (signer.revoked !== undefined) return `${what}, by the key ${signer.kid}, which was revoked itself`;
  if (signer.successor !== undefined && signer !== key)
    return `${what}, by the key ${signer.kid}, which was replaced and speaks for itself alone`;
  const unsound = await signatureFault({ ...statement }, [signer], "revocation");
  if (unsound !== null) return `${what}: ${unsound}`;
  const good = new Set(statement.payloads);
  const payloads = key.revoked === undefined ? good : good.intersection(key.revoked.payloads);
  known.set(kid, { ...key, revoked: { since: key.revoked?.since ?? since, reason, payloads } });
  return null;
}
