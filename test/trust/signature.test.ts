/** Tests the rules of signatures, both in the program and in the npm client, which has its own implementation. */

import { describe, expect, test } from "vitest";
import * as client from "../../client/release/signature.ts";
import {
  makeSigner,
  newReleaseKey,
  publicPart,
  receiptDigest,
  type SignedKind,
  signatureFault,
  signedPayload,
  type TrustedKey,
} from "../../pipeline/store/signatures.ts";
import type { PrivateReleaseKey } from "../../schemas/public/key-set.ts";
import type { Signature } from "../../schemas/public/signature.ts";

const [OLD, NEW, FOREIGN] = [await newReleaseKey(), await newReleaseKey(), await newReleaseKey()];
const RECEIPT = { releaseDigest: "sha256:00", publishedAt: "2026-11-20T12:00:00.000Z" };
const REVOKED = "2026-11-19T00:00:00.000Z";

async function signed(kind: SignedKind, ...keys: readonly PrivateReleaseKey[]) {
  return { ...RECEIPT, signature: await (await makeSigner(...keys)).sign(signedPayload(RECEIPT), kind) };
}

function revoked(key: PrivateReleaseKey): TrustedKey {
  return { ...publicPart(key), revoked: REVOKED };
}

/** Returns the signature with the id of another key in place of the ids of its own keys. */
function renamed(signature: Signature, to: PrivateReleaseKey): Signature {
  if (typeof signature === "string")
    throw new Error("expected an object with several signatures, found a compact signature");
  const { signatures } = signature;
  const header = { alg: "EdDSA", kid: to.kid, typ: "share-release-receipt" };
  const forged = Buffer.from(JSON.stringify(header)).toString("base64url");
  return { signatures: signatures.map((each) => ({ ...each, protected: forged })) };
}

/** The signature of an earlier version of the program, which made only the compact form, and its key. */
const EARLIER = {
  key: {
    ...publicPart(OLD),
    x: "6Dp_3COj6ZqeYNjP-2nyB_KcuTGN9hn4D_jyiY_DsUc",
    kid: "EfEo8s6w0kBZT7hgZ2sLZrH5f3uySRR1FCV7Q2Hr-II",
  },
  signature:
    "eyJhbGciOiJFZERTQSIsImtpZCI6IkVmRW84czZ3MGtCWlQ3aGdaMnNMWnJINWYzdXlTUlIxRkNWN1EySHItSUkiLCJ0eXAiOiJzaGFyZS1yZWxlYXNlLXJlY2VpcHQifQ..3mFZWegLFPUgT2nyNVebQJRIV741fhdxWldOPat6N5KQVocaUqv50xPoJ-AgmXvO4yskaDicePZXGWijV8SuCg",
};

const BOTH = await signed("receipt", OLD, NEW);
const ONE = await signed("receipt", OLD);

const CASES: readonly {
  readonly name: string;
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly keys: readonly TrustedKey[];
  /** Part of the expected fault; null if the signature must be accepted. */
  readonly fault: string | null;
}[] = [
  { name: "accepts one signature by a pinned key", receipt: ONE, keys: [publicPart(OLD)], fault: null },
  { name: "accepts two signatures for the old key", receipt: BOTH, keys: [publicPart(OLD)], fault: null },
  { name: "accepts two signatures for the new key", receipt: BOTH, keys: [publicPart(NEW)], fault: null },
  {
    name: "accepts a signature by an earlier version",
    receipt: { ...RECEIPT, signature: EARLIER.signature },
    keys: [EARLIER.key],
    fault: null,
  },
  {
    name: "accepts two signatures if one of the keys is revoked",
    receipt: BOTH,
    keys: [revoked(OLD), publicPart(NEW)],
    fault: null,
  },
  { name: "rejects a foreign key", receipt: BOTH, keys: [publicPart(FOREIGN)], fault: "not one of those given" },
  { name: "rejects a revoked key", receipt: ONE, keys: [revoked(OLD)], fault: `revoked since ${REVOKED}` },
  {
    name: "rejects two revoked keys",
    receipt: BOTH,
    keys: [revoked(OLD), revoked(NEW)],
    fault: `revoked since ${REVOKED}`,
  },
  {
    name: "rejects a changed receipt",
    receipt: { ...BOTH, publishedAt: "2026-11-21T12:00:00.000Z" },
    keys: [publicPart(OLD), publicPart(NEW)],
    fault: "does not match this receipt",
  },
  {
    name: "rejects signatures that claim to be by another key",
    receipt: { ...BOTH, signature: renamed(BOTH.signature, FOREIGN) },
    keys: [publicPart(FOREIGN), revoked(OLD)],
    fault: "does not match this receipt",
  },
  { name: "rejects a receipt without a signature", receipt: RECEIPT, keys: [publicPart(OLD)], fault: "is not signed" },
];

describe.each(CASES)("verification $name", ({ receipt, keys, fault }) => {
  const expected = fault === null ? null : expect.stringContaining(fault);

  test("the program has the expected result", async () =>
    expect(await signatureFault(receipt, keys)).toEqual(expected));

  test("the npm client has the expected result", async () =>
    expect(await client.signatureFault(receipt, keys)).toEqual(expected));
});

/**
 * Changes the last letter of a base64url text so that only an unused bit differs: the text is another, and its bytes are the
 * same.
 */
function respelled(text: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + letters[letters.indexOf(text.slice(-1)) + 1];
}

const UNREADABLE: readonly { readonly name: string; readonly signature: unknown }[] = [
  { name: "a signature of another object by the same key", signature: (await signed("retraction", OLD)).signature },
  { name: "another spelling of the same signature", signature: respelled(String(ONE.signature)) },
  { name: "an empty list", signature: { signatures: [] } },
  { name: "a list of values that are not signatures", signature: { signatures: [null, 1, {}] } },
  { name: "a number", signature: 7 },
];

test.each(UNREADABLE)("an unreadable signature is rejected: $name", async ({ signature }) => {
  const receipt = { ...RECEIPT, signature };
  expect(await signatureFault(receipt, [publicPart(OLD)])).toBe("the signature is not readable");
  expect(await client.signatureFault(receipt, [publicPart(OLD)])).toMatch(/cannot be read|as something else/);
});

test("a revoked key still verifies a receipt that the journal recorded before the revocation, and no other receipt", async () => {
  const key = { ...revoked(OLD), seen: new Set([receiptDigest(ONE)]) };
  expect(await signatureFault(ONE, [key])).toBeNull();
  const later = { ...ONE, publishedAt: "2026-11-18T12:00:00.000Z" };
  expect(await signatureFault(later, [key])).toContain("is revoked since");
});
