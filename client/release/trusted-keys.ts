/**
 * Which keys are trusted, and for what: those that are given, and what the published key set says of them, statement by
 * statement. The rules are those of the program that signs (docs/adr/0009-signatures.md), row by row.
 */

import { base64url, canonical } from "./canonical.ts";
import { hexOf, sha256 } from "./files.ts";
import { type ReleaseKey, signatureFault, signingKeyOf, type TrustedKey } from "./signature.ts";

/** That a key was replaced, by itself. */
export interface KeyRotation {
  readonly statement: "rotated";
  readonly kid: string;
  readonly to: ReleaseKey;
  readonly at: string;
  readonly before: string | null;
  readonly signature: string;
}

/** That a key was revoked, with the digests of what it signed that stays good. */
export interface KeyRevocation {
  readonly statement: "revoked";
  readonly kid: string;
  readonly since: string;
  readonly reason: string;
  readonly payloads: readonly string[];
  readonly at: string;
  readonly before: string | null;
  readonly signature: string;
}

export type KeyStatement = KeyRotation | KeyRevocation;

export interface Trust {
  readonly keys: readonly TrustedKey[];
  /** Those that bear on these keys. */
  readonly statements: readonly KeyStatement[];
  /** What does not hold of them. */
  readonly fault: string | null;
}

const MEMBERS = {
  rotated: "at,before,kid,signature,statement,to",
  revoked: "at,before,kid,payloads,reason,signature,since,statement",
} as const;

/** What statements, oldest first, come to for whoever holds to `pinned`. What is not known of them may take something away. */
export async function trustedKeys(pinned: readonly ReleaseKey[], statements: readonly unknown[]): Promise<Trust> {
  const known = new Map<string, TrustedKey>(pinned.map((key) => [key.kid, key]));
  const heard: KeyStatement[] = [];
  let counted = 0;
  let before: string | null = null;
  const ending = (fault: string | null) => ({ keys: [...known.values()], statements: heard.slice(0, counted), fault });
  for (const statement of statements) {
    if (!isStatement(statement))
      return ending("a statement on keys cannot be read: it was changed, or is of a later version");
    if (statement.before !== before)
      return ending("a statement on keys does not follow the one before it: it was changed, or one is gone");
    heard.push(statement);
    const concerned = known.has(statement.kid);
    const fault = concerned ? await hear(statement, known) : null;
    if (fault !== null) return ending(fault);
    if (concerned) counted = heard.length;
    before = await digestOf(statement);
  }
  return ending(null);
}

/**
 * One account of several: the longest, which the others have the beginning of; what says nothing of these keys is left out.
 */
export async function heardOf(
  pinned: readonly ReleaseKey[],
  accounts: readonly (readonly unknown[])[],
): Promise<Trust> {
  let heard: Trust = { keys: pinned, statements: [], fault: null };
  for (const statements of accounts) {
    const trust = await trustedKeys(pinned, statements);
    if (trust.fault !== null) return trust;
    const [shorter, longer] = trust.statements.length < heard.statements.length ? [trust, heard] : [heard, trust];
    for (const [i, each] of shorter.statements.entries()) {
      if (canonical(each) !== canonical(longer.statements[i]))
        return { ...heard, fault: "two accounts of these keys part: somebody else has one of them" };
    }
    heard = longer;
  }
  return heard;
}

function hear(statement: KeyStatement, known: Map<string, TrustedKey>): Promise<string | null> {
  return statement.statement === "rotated" ? hearRotation(statement, known) : hearRevocation(statement, known);
}

async function hearRotation(statement: KeyRotation, known: Map<string, TrustedKey>): Promise<string | null> {
  const { kid, to } = statement;
  const key = known.get(kid);
  if (key === undefined) return null;
  const what = `it is said that the key ${kid} was replaced by ${to.kid}`;
  const type = "share-release-key-rotation";
  if (signingKeyOf(statement.signature, type) !== kid) return `${what}, and not by that key itself`;
  if (key.revoked !== undefined) return `${what}, and it was revoked before`;
  if (key.successor !== undefined)
    return `${what}, and ${key.successor} is in its place: somebody else has that key too`;
  const unsound = await signatureFault({ ...statement }, [key], type);
  if (unsound !== null) return `${what}, which ${unsound}`;
  if ((await thumbprint(to)) !== to.kid) return `${what}, which is the name of another key`;
  if (to.kid === kid) return `${what}, which is itself`;
  const next: TrustedKey = known.get(to.kid) ?? to;
  if (next.revoked !== undefined || next.successor !== undefined) return `${what}, which is in use no more`;
  known.set(kid, { ...key, successor: to.kid });
  known.set(to.kid, next);
  return null;
}

async function hearRevocation(statement: KeyRevocation, known: Map<string, TrustedKey>): Promise<string | null> {
  const { kid, reason } = statement;
  const key = known.get(kid);
  if (key === undefined) return null;
  const type = "share-release-key-revocation";
  const by = signingKeyOf(statement.signature, type);
  const what = `it is said that the key ${kid} was revoked (${reason})`;
  const signer = by === null ? undefined : known.get(by);
  if (signer === undefined)
    return `${what}, by ${by === null ? "nobody" : `the key ${by}`}, which is none that is trusted`;
  if (signer.revoked !== undefined) return `${what}, by the key ${signer.kid}, which was revoked itself`;
  if (signer.successor !== undefined && signer !== key)
    return `${what}, by the key ${signer.kid}, which was replaced and speaks for itself alone`;
  const unsound = await signatureFault({ ...statement }, [signer], type);
  if (unsound !== null) return `${what}, which ${unsound}`;
  const earlier = key.revoked?.payloads;
  const payloads = new Set(statement.payloads.filter((each) => earlier?.has(each) ?? true));
  known.set(kid, { ...key, revoked: { reason, payloads } });
  return null;
}

function isStatement(value: unknown): value is KeyStatement {
  if (typeof value !== "object" || value === null || !("statement" in value)) return false;
  const { statement } = value;
  if (statement !== "rotated" && statement !== "revoked") return false;
  return Object.keys(value).sort().join() === MEMBERS[statement];
}

/** RFC 7638. */
async function thumbprint({ crv, kty, x }: ReleaseKey): Promise<string> {
  return base64url(await sha256(new TextEncoder().encode(canonical({ crv, kty, x }))));
}

async function digestOf(statement: KeyStatement): Promise<string> {
  return `sha256:${hexOf(await sha256(new TextEncoder().encode(canonical(statement))))}`;
}
