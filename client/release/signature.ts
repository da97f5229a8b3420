/** The signature of a receipt: a detached JWS by Ed25519, over the canonical JSON of everything else that it says. */

/** A public key of who publishes releases, as `/.well-known/share-release-keys.json` has them. */
export interface ReleaseKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
}

const DETACHED = /^([\w-]+)\.\.([\w-]+)$/;
const ALGORITHMS: readonly unknown[] = ["EdDSA", "Ed25519"];
const TYPE = "share-release-receipt";

/** The fault of a receipt's signature; null where one of the keys signed it. */
export async function signatureFault(
  receipt: Readonly<Record<string, unknown>>,
  keys: readonly ReleaseKey[],
): Promise<string | null> {
  const { signature, ...signed } = receipt;
  const [, header = "", mark = ""] = DETACHED.exec(typeof signature === "string" ? signature : "") ?? [];
  if (header === "") return "is not signed, or in a way that cannot be read";
  const { alg, kid, typ, crit } = JSON.parse(new TextDecoder().decode(bytesOf(header)));
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return `is signed by the key ${kid}, which is none of those given`;
  if (!ALGORITHMS.includes(alg) || typ !== TYPE || crit !== undefined)
    return `is signed by ${alg}, or as something else`;
  const payload = base64url(new TextEncoder().encode(canonical(signed)));
  const { kty, crv, x } = key;
  const imported = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);
  const text = new TextEncoder().encode(`${header}.${payload}`);
  const holds = await crypto.subtle.verify({ name: "Ed25519" }, imported, bytesOf(mark), text);
  return holds ? null : `has a signature by the key ${kid} that is not of this receipt`;
}

/** JSON in one spelling only (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function base64url(bytes: Uint8Array): string {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
