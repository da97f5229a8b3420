/**
 * Signs and checks receipts and retractions. Signatures are detached JSON Web Signatures (RFC 7515, appendix F) with
 * Ed25519 keys (RFC 8037).
 */

import { hash } from "node:crypto";
import { open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  GeneralSign,
  generalVerify,
  generateKeyPair,
  importJWK,
} from "jose";
import {
  type PrivateReleaseKey,
  parseKeySet,
  privateReleaseKey,
  type ReleaseKey,
  releaseKey,
} from "../../schemas/public/key-set.ts";
import { type Signature, signature as signatureSchema } from "../../schemas/public/signature.ts";
import { makeFolder, syncFolder } from "../files/durable.ts";

/** Signs payloads with one or several keys, for example with the old and the new key during a rotation. */
export interface Signer {
  readonly keys: readonly ReleaseKey[];
  sign(payload: Uint8Array, kind: SignedKind): Promise<Signature>;
}

/**
 * The `typ` header of each kind of signature. Because of it, the signature of a retraction or head is never valid for a
 * receipt.
 */
export const SIGNATURE_TYPES = {
  receipt: "share-release-receipt",
  retraction: "share-release-retraction",
  head: "share-release-head",
} as const;

export type SignedKind = keyof typeof SIGNATURE_TYPES;

/**
 * Returns a signer. A signature by a single key has the compact form, because earlier program versions can read no
 * other form.
 */
export async function makeSigner(...keys: readonly PrivateReleaseKey[]): Promise<Signer> {
  const secrets = await Promise.all(keys.map(async (key) => ({ key, secret: await importJWK(key) })));
  return {
    keys: keys.map(publicPart),
    async sign(payload, kind) {
      const jws = new GeneralSign(payload);
      for (const { key, secret } of secrets)
        jws.addSignature(secret).setProtectedHeader({ alg: key.alg, kid: key.kid, typ: SIGNATURE_TYPES[kind] });
      const signatures = (await jws.sign()).signatures.map((each) => ({
        protected: each.protected ?? "",
        signature: each.signature,
      }));
      const [first, second] = signatures;
      return first !== undefined && second === undefined ? `${first.protected}..${first.signature}` : { signatures };
    },
  };
}

/**
 * Returns the bytes that a signature covers: the canonical JSON (RFC 8785) of all fields except `signature`. Fields
 * that later versions add are therefore covered too.
 */
export function signedPayload(signed: Readonly<Record<string, unknown>>): Uint8Array {
  const { signature: _signature, ...rest } = signed;
  return new TextEncoder().encode(canonical(rest));
}

/** Returns the digest of a receipt file as `sha256:<hex>`, as the journal records it. */
export function receiptDigest(receipt: Readonly<Record<string, unknown>>): string {
  return `sha256:${hash("sha256", `${JSON.stringify(receipt, null, 2)}\n`)}`;
}

/**
 * Returns canonical JSON, in which numbers with fractions are written as in ECMAScript. The canonical JSON for release
 * digests allows only integers.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/** The error if a key file does not contain a usable key, or if users other than its owner can read it. */
export class KeyUnusable extends Error {
  readonly code = "ERR_KEY_UNUSABLE";
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
    this.name = "KeyUnusable";
  }
}

/**
 * Makes a key pair, whose id is the thumbprint of the key. Tries again if the id begins with a hyphen, because it would
 * look like a command option.
 */
export async function newReleaseKey(): Promise<PrivateReleaseKey> {
  const pair = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return kid.startsWith("-") ? newReleaseKey() : privateReleaseKey.parse({ ...jwk, kid, alg: "EdDSA", use: "sig" });
}

export function publicPart(key: PrivateReleaseKey): ReleaseKey {
  return releaseKey.parse(key);
}

/** Writes a private key to a new file that only its owner can read. Never overwrites a file. */
export async function writePrivateKey(path: string, key: PrivateReleaseKey): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(key, null, 2)}\n`);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

/**
 * Reads a private key.
 * @throws KeyUnusable if the file is not a private key, or if users other than its owner can read it
 */
export async function readPrivateKey(path: string): Promise<PrivateReleaseKey> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    throw new KeyUnusable(
      path,
      "can be read by other users than its owner: make a new key, or restrict this one with `chmod 600`",
    );
  const key = privateReleaseKey.safeParse(await readJson(path));
  if (!key.success)
    throw new KeyUnusable(path, "is not a private key that `share-release key new` wrote; give the path of such a key");
  return key.data;
}

/**
 * Reads the public keys of a file, which is a key set or one key.
 * @throws KeyUnusable if it contains no key, or a private key
 */
export async function readPublicKeys(path: string): Promise<readonly ReleaseKey[]> {
  const json = await readJson(path);
  if (privateReleaseKey.safeParse(json).success) {
    throw new KeyUnusable(path, "is a private key, which is for signing only; give the file with the public keys");
  }
  const one = releaseKey.safeParse(json);
  if (one.success) return [one.data];
  try {
    const { keys } = parseKeySet(json);
    if (keys.length > 0) return keys;
  } catch (cause) {
    throw new KeyUnusable(path, "is not a key set of public Ed25519 keys; use the published one", { cause });
  }
  throw new KeyUnusable(path, "has no public Ed25519 key; use the published key set");
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KeyUnusable(path, "is not JSON; give a key file", { cause });
  }
}

export interface TrustedKey extends ReleaseKey {
  /**
   * For a revoked key: digests of the receipts that the journal recorded before the revocation. Signatures of these
   * receipts stay valid.
   */
  readonly seen?: ReadonlySet<string>;
}

/** Accepted algorithms: both names of Ed25519 (RFC 8037, RFC 9864). Signatures with other algorithms are rejected. */
const ALGORITHMS = ["EdDSA", "Ed25519"];

const NAMES: Readonly<Record<SignedKind, string>> = {
  receipt: "release",
  retraction: "retraction",
  head: "head",
};

type Signed = Readonly<Record<string, unknown>>;

/**
 * Returns what is wrong with the signature of an object; null if a trusted key signed it. The object must contain every
 * field of its file, because the signature covers them all.
 */
export async function signatureFault(
  signed: Signed,
  keys: readonly TrustedKey[],
  kind: SignedKind = "receipt",
): Promise<string | null> {
  if (signed.signature === null || signed.signature === undefined) return `the ${NAMES[kind]} is not signed`;
  const claims = readClaims(signed.signature, kind);
  if (claims.length === 0) return "the signature is not readable";
  const kids = claims.map(({ kid }) => kid);
  const known = keys.filter(({ kid }) => kids.includes(kid));
  if (known.length === 0) return `the signature is by the key ${kids.join(", ")}, which is not one of those given`;
  const standing = known.filter((key) => !isRevokedFor(key, signed));
  if (standing.length === 0) return `the signature is ${revokedWords(known)}`;
  const payload = Buffer.from(signedPayload(signed)).toString("base64url");
  const signatures = claims.filter(({ kid }) => standing.some((key) => key.kid === kid));
  try {
    const importKey = (header?: { readonly kid?: string }) =>
      importJWK({ ...standing.find(({ kid }) => kid === header?.kid), seen: undefined });
    await generalVerify({ payload, signatures }, importKey, { algorithms: ALGORITHMS });
    return null;
  } catch {
    return `the signature by the key ${standing.map(({ kid }) => kid).join(", ")} does not match this ${kind}`;
  }
}

/** Describes the revoked keys that signed something, in words that continue "it is signed". */
export function revokedWords(keys: readonly Pick<ReleaseKey, "kid" | "revoked">[]): string {
  return keys.map(({ kid, revoked }) => `by the key ${kid}, which is revoked since ${revoked}`).join(", and ");
}

/**
 * True if a revoked key cannot vouch for this object. A receipt that the journal recorded before the revocation is an
 * exception.
 */
function isRevokedFor({ revoked, seen }: TrustedKey, signed: Signed): boolean {
  return revoked !== undefined && seen?.has(receiptDigest(signed)) !== true;
}

/**
 * Returns the ids of the keys that signed. The list is empty if the signature cannot be read or belongs to another kind
 * of object.
 */
export function listSigningKeys(signature: unknown, kind: SignedKind = "receipt"): string[] {
  return readClaims(signature, kind).map(({ kid }) => kid);
}

interface Claim {
  readonly kid: string;
  readonly protected: string;
  readonly signature: string;
}

const COMPACT = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

function readClaims(value: unknown, kind: SignedKind): Claim[] {
  const parsed = signatureSchema.safeParse(value).data;
  if (parsed === undefined) return [];
  const [, header = "", mark = ""] = typeof parsed === "string" ? (COMPACT.exec(parsed) ?? []) : [];
  const parts = typeof parsed === "string" ? [{ protected: header, signature: mark }] : parsed.signatures;
  return parts.flatMap((part) => {
    // The last base64 letter has unused bits. Without this check, the text of a signature could be changed without
    // effect.
    if (!isCanonical(part.protected) || !isCanonical(part.signature)) return [];
    try {
      // A critical extension could change what the signature covers.
      const { kid, typ, crit } = decodeProtectedHeader(part);
      return typeof kid === "string" && typ === SIGNATURE_TYPES[kind] && crit === undefined ? [{ kid, ...part }] : [];
    } catch {
      return [];
    }
  });
}

function isCanonical(part: string): boolean {
  return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}
