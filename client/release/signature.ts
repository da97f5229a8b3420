/** The signature of a statement: a detached JWS by Ed25519, over the canonical JSON of everything else that it says. */

import { base64url, bytesOf, canonical } from "./canonical.ts";
import { hexOf, sha256 } from "./files.ts";

/** A public key of who publishes releases, as `/.well-known/share-release-keys.json` has them. */
export interface ReleaseKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
}

/** A key one trusts, with what was said of it. */
export interface TrustedKey extends ReleaseKey {
  /** The key in its place. */
  readonly successor?: string;
  /** That it was revoked: what it signed counts no more, but for these payloads, by their digests. */
  readonly revoked?: { readonly reason: string; readonly payloads: ReadonlySet<string> };
}

const DETACHED = /^([\w-]+)\.\.([\w-]+)$/;
const ALGORITHMS: readonly unknown[] = ["EdDSA", "Ed25519"];

/** `typ` of the protected header: a signature of something else by the same key is none. */
export type SignedType = "share-release-receipt" | "share-release-key-rotation" | "share-release-key-revocation";

/** The fault of a signature, a receipt's if nothing else is said; null where one of the keys signed it. */
export async function signatureFault(
  statement: Readonly<Record<string, unknown>>,
  keys: readonly TrustedKey[],
  type: SignedType = "share-release-receipt",
): Promise<string | null> {
  const { signature, ...signed } = statement;
  const what = type === "share-release-receipt" ? "receipt" : "statement";
  const [header, mark] = partsOf(signature);
  if (header === "") return "is not signed, or in a way that cannot be read";
  const { alg, kid, typ, crit } = JSON.parse(new TextDecoder().decode(bytesOf(header)));
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return `is signed by the key ${kid}, which is none of those given`;
  if (!ALGORITHMS.includes(alg) || typ !== type || crit !== undefined)
    return `is signed by ${alg}, or as something else`;
  const payload = new TextEncoder().encode(canonical(signed));
  const { kty, crv, x } = key;
  const imported = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);
  const text = new TextEncoder().encode(`${header}.${base64url(payload)}`);
  const holds = await crypto.subtle.verify({ name: "Ed25519" }, imported, bytesOf(mark), text);
  if (!holds) return `has a signature by the key ${kid} that is not of this ${what}`;
  if (key.revoked === undefined || key.revoked.payloads.has(`sha256:${hexOf(await sha256(payload))}`)) return null;
  return `is signed by the key ${kid}, which was revoked (${key.revoked.reason}), and is none of those by it that stay good`;
}

/** The `kid` that a signature claims; null where it cannot be read, or is one of something else. */
export function signingKeyOf(signature: unknown, type: SignedType): string | null {
  const [header] = partsOf(signature);
  try {
    const { kid, typ } = JSON.parse(new TextDecoder().decode(bytesOf(header)));
    return typeof kid === "string" && typ === type ? kid : null;
  } catch {
    return null;
  }
}

/** Header and mark of a signature; empty where it is none, or spelled with bits that its bytes do not have. */
function partsOf(signature: unknown): [header: string, mark: string] {
  const [, header = "", mark = ""] = DETACHED.exec(typeof signature === "string" ? signature : "") ?? [];
  const isPlain = (part: string) => part.length % 4 !== 1 && base64url(bytesOf(part)) === part;
  return isPlain(header) && isPlain(mark) ? [header, mark] : ["", ""];
}
