/** The signature of a receipt: a detached JWS by Ed25519, over the canonical JSON of the rest of the receipt. */

/** A public key of a publisher, as in `/.well-known/share-release-keys.json`. */
export interface ReleaseKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  /** The date of the key's revocation. This client trusts none of the signatures of a revoked key. */
  readonly revoked?: string | undefined;
}

const ALGORITHMS: readonly unknown[] = ["EdDSA", "Ed25519"];

/**
 * The expected `typ` in the protected header of a signature. A signature with another `typ` is rejected, because the same
 * key signed it for other content.
 */
type Type = "share-release-receipt" | "share-release-head";

interface SignaturePart {
  readonly protected: string;
  readonly signature: string;
}

/** Returns the fault of the signature of a statement; null if one of the keys signed the statement and is not revoked. */
export async function signatureFault(
  statement: Readonly<Record<string, unknown>>,
  keys: readonly ReleaseKey[],
  type: Type = "share-release-receipt",
): Promise<string | null> {
  const { signature, ...signed } = statement;
  const payload = base64url(new TextEncoder().encode(canonical(signed)));
  let fault: string | null = null;
  for (const part of readSignatureParts(signature)) {
    const { alg, kid, typ, crit } = JSON.parse(new TextDecoder().decode(decodeBase64url(part.protected)));
    const key = keys.find((each) => each.kid === kid);
    // During a rotation, the fault of a known key says more.
    if (key === undefined) fault ??= `is signed by the key ${kid}, which is not one of those given`;
    else if (key.revoked !== undefined) fault = `is signed by the key ${kid}, which is revoked since ${key.revoked}`;
    else if (!ALGORITHMS.includes(alg) || typ !== type || crit !== undefined)
      fault = `is signed with ${alg}, or as something else than a ${type.replace("share-release-", "")}`;
    else if (await isSignedBy(key, part, payload)) return null;
    else fault = `has a signature by the key ${kid} that does not match this ${type.replace("share-release-", "")}`;
  }
  return fault ?? "is not signed, or has a signature that cannot be read";
}

async function isSignedBy({ kty, crv, x }: ReleaseKey, part: SignaturePart, payload: string): Promise<boolean> {
  const imported = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);
  const text = new TextEncoder().encode(`${part.protected}.${payload}`);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, decodeBase64url(part.signature), text);
}

/** Returns the parts of a signature in compact or general form; an empty list if its base64url is not canonical. */
function readSignatureParts(signature: unknown): SignaturePart[] {
  const [header = "", mark = ""] = typeof signature === "string" ? signature.split("..") : [];
  const parts: SignaturePart[] =
    typeof signature === "string" ? [{ protected: header, signature: mark }] : (Object(signature).signatures ?? []);
  return parts.filter((part) => isPlain(part?.protected) && isPlain(part?.signature));
}

function isPlain(part: unknown): boolean {
  return (
    typeof part === "string" &&
    /^[\w-]+$/.test(part) &&
    part.length % 4 !== 1 &&
    base64url(decodeBase64url(part)) === part
  );
}

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

export function base64url(bytes: Uint8Array): string {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
