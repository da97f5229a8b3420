/** Checks the signature of a receipt or of a retraction against keys that one trusts. */

import { decodeProtectedHeader, generalVerify, importJWK } from "jose";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { signature as signatureSchema } from "../../schemas/public/key-set.ts";
import { receiptDigest, SIGNATURE_TYPES, type SignedKind, signedPayload } from "./sign.ts";

/** A key that one trusts. */
export interface TrustedKey extends ReleaseKey {
  /** If the key is revoked, digests of the receipts that the local journal recorded before that date. They still count. */
  readonly seen?: ReadonlySet<string>;
}

/** Both names of the same algorithm, of RFC 8037 and of RFC 9864. No other one is tried. */
const ALGORITHMS = ["EdDSA", "Ed25519"];

const NAMES: Readonly<Record<SignedKind, string>> = { receipt: "release", retraction: "retraction" };

type Signed = Readonly<Record<string, unknown>>;

/** Returns the fault of the signature, given the signed object as its file has it; null if a trusted key signed it. */
export async function signatureFault(
  signed: Signed,
  keys: readonly TrustedKey[],
  kind: SignedKind = "receipt",
): Promise<string | null> {
  if (signed.signature === null || signed.signature === undefined) return `the ${NAMES[kind]} is not signed`;
  const claims = claimsOf(signed.signature, kind);
  if (claims.length === 0) return "the signature cannot be read";
  const kids = claims.map(({ kid }) => kid);
  const known = keys.filter(({ kid }) => kids.includes(kid));
  if (known.length === 0) return `the signature is by the key ${kids.join(", ")}, which is not one of those given`;
  const standing = known.filter((key) => !isRevokedFor(key, signed));
  if (standing.length === 0) return `the signature is ${revokedWords(known)}`;
  const payload = Buffer.from(signedPayload(signed)).toString("base64url");
  const signatures = claims.filter(({ kid }) => standing.some((key) => key.kid === kid));
  try {
    const keyOf = (header?: { readonly kid?: string }) =>
      importJWK({ ...standing.find(({ kid }) => kid === header?.kid), seen: undefined });
    await generalVerify({ payload, signatures }, keyOf, { algorithms: ALGORITHMS });
    return null;
  } catch {
    return `the signature by the key ${standing.map(({ kid }) => kid).join(", ")} does not match this ${kind}`;
  }
}

/** Goes on after "it is signed". */
export function revokedWords(keys: readonly Pick<ReleaseKey, "kid" | "revoked">[]): string {
  return keys.map(({ kid, revoked }) => `by the key ${kid}, which is revoked since ${revoked}`).join(", and ");
}

/** A revoked key counts for receipts that the journal recorded before, and for nothing else. */
function isRevokedFor({ revoked, seen }: TrustedKey, signed: Signed): boolean {
  return revoked !== undefined && seen?.has(receiptDigest(signed)) !== true;
}

/** Returns the keys that a signature claims to be by; none if it cannot be read, or is a signature of something else. */
export function signingKeysOf(signature: unknown, kind: SignedKind = "receipt"): string[] {
  return claimsOf(signature, kind).map(({ kid }) => kid);
}

interface Claim {
  readonly kid: string;
  readonly protected: string;
  readonly signature: string;
}

const COMPACT = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

function claimsOf(value: unknown, kind: SignedKind): Claim[] {
  const parsed = signatureSchema.safeParse(value).data;
  if (parsed === undefined) return [];
  const [, header = "", mark = ""] = typeof parsed === "string" ? (COMPACT.exec(parsed) ?? []) : [];
  const parts = typeof parsed === "string" ? [{ protected: header, signature: mark }] : parsed.signatures;
  return parts.flatMap((part) => {
    // The last letter has spare bits: without this check, anybody can change the text of a signature.
    if (!isPlain(part.protected) || !isPlain(part.signature)) return [];
    try {
      const { kid, typ } = decodeProtectedHeader(part);
      return typeof kid === "string" && typ === SIGNATURE_TYPES[kind] ? [{ kid, ...part }] : [];
    } catch {
      return [];
    }
  });
}

function isPlain(part: string): boolean {
  return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}
