/** What may be said of keys, and what it comes to for whoever holds to the first of them: rows that the program and the npm client both go through. */

import { newReleaseKey } from "../../pipeline/store/signing/keys.ts";
import { type Signer, signerOf } from "../../pipeline/store/signing/sign.ts";
import { payloadDigest, signedPayload, statementDigest } from "../../pipeline/store/signing/signed-payload.ts";
import type { KeyRevocation, KeyRotation, KeyStatement } from "../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";

/** Four keys: one holds to `first`; the others come in by statements, or do not. */
export interface Signers {
  readonly first: Signer;
  readonly second: Signer;
  readonly third: Signer;
  readonly stranger: Signer;
}

export async function fourSigners(): Promise<Signers> {
  const make = async () => signerOf(await newReleaseKey());
  return { first: await make(), second: await make(), third: await make(), stranger: await make() };
}

/** A statement to come, once it is known which one is before it. */
export type Said = (before: string | null) => Promise<KeyStatement>;

const AT = "2026-11-20T09:00:00.000Z";

export function rotated(from: Signer, to: ReleaseKey, by: Signer = from): Said {
  return async (before) => {
    const said = { statement: "rotated" as const, kid: from.key.kid, to, at: AT, before };
    return { ...said, signature: await by.sign(signedPayload(said), "rotation") } satisfies KeyRotation;
  };
}

export function revoked(key: Signer, by: Signer, payloads: readonly string[] = []): Said {
  return async (before) => {
    const said = {
      statement: "revoked" as const,
      kid: key.key.kid,
      since: AT,
      reason: "It was stolen.",
      payloads: [...payloads],
      at: AT,
      before,
    };
    return { ...said, signature: await by.sign(signedPayload(said), "revocation") } satisfies KeyRevocation;
  };
}

/** Each names the one before it. */
export async function chained(said: readonly Said[]): Promise<KeyStatement[]> {
  const statements: KeyStatement[] = [];
  for (const make of said) {
    const last = statements.at(-1);
    statements.push(await make(last === undefined ? null : statementDigest(last)));
  }
  return statements;
}

/** A receipt as far as keys are concerned, which says its own name. */
export async function receiptBy(signer: Signer, name: string): Promise<Readonly<Record<string, unknown>>> {
  const said = { scoreReleaseVersion: name, publishedAt: "2026-11-01T00:00:00.000Z" };
  return { ...said, signature: await signer.sign(signedPayload(said), "receipt") };
}

/** The digest that a revocation lists such a receipt by. */
export const payloadOf = (name: string): string =>
  payloadDigest({ scoreReleaseVersion: name, publishedAt: "2026-11-01T00:00:00.000Z" });

export interface KeyCase {
  readonly name: string;
  readonly statements: (signers: Signers) => Promise<unknown[]>;
  /** Words of what does not hold; null where all of it does. */
  readonly fault: string | null;
  /** Receipts that are taken, by signer and name; of any other of these names and signers, none is. Not asked where there is a fault. */
  readonly taken?: readonly (readonly [keyof Signers, string])[];
}

const both = ["good", "other"] as const;
const ofKey = (signer: keyof Signers): (readonly [keyof Signers, string])[] => both.map((name) => [signer, name]);
/** The names of receipts that rows ask for. */
export const RECEIPT_NAMES = both;

const edited = (statements: readonly KeyStatement[], place: number, changes: object): unknown[] =>
  statements.map((each, i) => (i === place ? { ...each, ...changes } : each));

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export const KEY_CASES: readonly KeyCase[] = [
  { name: "nothing", statements: async () => [], fault: null, taken: ofKey("first") },
  {
    name: "a rotation leads to the next key, and what the old one signs counts",
    statements: ({ first, second }) => chained([rotated(first, second.key)]),
    fault: null,
    taken: [...ofKey("first"), ...ofKey("second")],
  },
  {
    name: "rotations lead on",
    statements: ({ first, second, third }) => chained([rotated(first, second.key), rotated(second, third.key)]),
    fault: null,
    taken: [...ofKey("first"), ...ofKey("second"), ...ofKey("third")],
  },
  {
    name: "a stranger's keys are passed over",
    statements: ({ first, second, third, stranger }) =>
      chained([rotated(stranger, third.key), rotated(first, second.key)]),
    fault: null,
    taken: [...ofKey("first"), ...ofKey("second")],
  },
  {
    name: "a rotation by a stranger",
    statements: ({ first, stranger }) => chained([rotated(first, stranger.key, stranger)]),
    fault: "not by that key itself",
  },
  {
    name: "a rotation by a stranger under the key's name",
    statements: ({ first, stranger }) =>
      chained([rotated(first, stranger.key, { ...stranger, ...forged(first, stranger) })]),
    fault: "is not of this rotation",
  },
  {
    name: "a rotation that was changed",
    statements: async ({ first, second, stranger }) =>
      edited(await chained([rotated(first, second.key)]), 0, { to: stranger.key }),
    fault: "is not of this rotation",
  },
  {
    name: "a signature in another spelling, which needs no key",
    statements: async ({ first, second }) => {
      const said = await chained([rotated(first, second.key)]);
      const { signature = "" } = said[0] ?? {};
      const last = LETTERS[LETTERS.indexOf(signature.at(-1) ?? "") ^ 1];
      return edited(said, 0, { signature: `${signature.slice(0, -1)}${last}` });
    },
    fault: "not by that key itself",
  },
  {
    name: "a successor under another's name",
    statements: ({ first, second, stranger }) => chained([rotated(first, { ...stranger.key, kid: second.key.kid })]),
    fault: "which is the name of another key",
  },
  {
    name: "a key in its own place",
    statements: ({ first }) => chained([rotated(first, first.key)]),
    fault: "which is itself",
  },
  {
    name: "a second successor",
    statements: ({ first, second, third }) => chained([rotated(first, second.key), rotated(first, third.key)]),
    fault: "somebody else has that key too",
  },
  {
    name: "a rotation back to a key that was replaced",
    statements: ({ first, second }) => chained([rotated(first, second.key), rotated(second, first.key)]),
    fault: "which is in use no more",
  },
  {
    name: "a statement taken out",
    statements: async ({ first, second, third }) =>
      (await chained([rotated(first, second.key), revoked(first, second), rotated(second, third.key)])).toSpliced(1, 1),
    fault: "it was changed, or one is gone",
  },
  {
    name: "the first one taken out",
    statements: async ({ first, second, third }) =>
      (await chained([rotated(first, second.key), rotated(second, third.key)])).slice(1),
    fault: "it was changed, or one is gone",
  },
  {
    name: "in another order",
    statements: async ({ first, second }) =>
      (await chained([rotated(first, second.key), revoked(first, second)])).reverse(),
    fault: "it was changed, or one is gone",
  },
  {
    name: "a set cut short says less, and nothing else is seen of it",
    statements: async ({ first, second }) =>
      (await chained([rotated(first, second.key), revoked(first, second)])).slice(0, 1),
    fault: null,
    taken: [...ofKey("first"), ...ofKey("second")],
  },
  {
    name: "a receipt's signature in the place of a rotation's",
    statements: ({ first, second }) => chained([rotated(first, second.key, { ...first, ...as(first, "receipt") })]),
    fault: "not by that key itself",
  },
  {
    name: "a revocation by itself: nothing counts but what it lists",
    statements: ({ first }) => chained([revoked(first, first, [payloadOf("good")])]),
    fault: null,
    taken: [["first", "good"]],
  },
  {
    name: "a revocation by its successor",
    statements: ({ first, second }) =>
      chained([rotated(first, second.key), revoked(first, second, [payloadOf("good")])]),
    fault: null,
    taken: [["first", "good"], ...ofKey("second")],
  },
  {
    name: "a revocation of the successor by itself leaves what came before",
    statements: ({ first, second }) => chained([rotated(first, second.key), revoked(second, second)]),
    fault: null,
    taken: ofKey("first"),
  },
  {
    name: "a second revocation only takes away",
    statements: ({ first, second }) =>
      chained([
        rotated(first, second.key),
        revoked(first, second, [payloadOf("good")]),
        revoked(first, second, [payloadOf("good"), payloadOf("other")]),
      ]),
    fault: null,
    taken: [["first", "good"], ...ofKey("second")],
  },
  {
    name: "a revocation by a stranger",
    statements: ({ first, stranger }) => chained([revoked(first, stranger)]),
    fault: "which is none that is trusted",
  },
  {
    name: "a key that was replaced revokes its successor",
    statements: ({ first, second }) => chained([rotated(first, second.key), revoked(second, first)]),
    fault: "which was replaced and speaks for itself alone",
  },
  {
    name: "a key that was revoked revokes its successor",
    statements: ({ first, second }) =>
      chained([rotated(first, second.key), revoked(first, second), revoked(second, first)]),
    fault: "which was revoked itself",
  },
  {
    name: "a key that was revoked gives another list of what stays good",
    statements: ({ first }) => chained([revoked(first, first, []), revoked(first, first, [payloadOf("other")])]),
    fault: "which was revoked itself",
  },
  {
    name: "a key that was revoked names a successor",
    statements: ({ first, second }) => chained([revoked(first, first), rotated(first, second.key)]),
    fault: "it was revoked before",
  },
  {
    name: "a list of what stays good with one more",
    statements: async ({ first }) =>
      edited(await chained([revoked(first, first, [payloadOf("good")])]), 0, {
        payloads: [payloadOf("good"), payloadOf("other")],
      }),
    fault: "is not of this revocation",
  },
  {
    name: "a rotation's signature in the place of a revocation's",
    statements: ({ first }) => chained([revoked(first, { ...first, ...as(first, "rotation") })]),
    fault: "by nobody, which is none that is trusted",
  },
];

/** What a key set may not hold at all: a statement of a later version may take away what this one would grant. */
export const UNREADABLE: readonly { readonly name: string; readonly changes: object }[] = [
  { name: "an unknown member", changes: { until: AT } },
  { name: "an unknown statement", changes: { statement: "lent" } },
  { name: "no key it leads to", changes: { to: undefined } },
  { name: "no signature", changes: { signature: undefined } },
];

/** Signs all the same, as something else. */
function as(signer: Signer, kind: "receipt" | "rotation"): Pick<Signer, "sign"> {
  return { sign: (payload) => signer.sign(payload, kind) };
}

/** A signature of one key under the name of another. */
function forged(named: Signer, by: Signer): Pick<Signer, "sign"> {
  return {
    sign: async (payload, kind) => {
      const [header = ""] = (await named.sign(payload, kind)).split(".");
      return `${header}..${(await by.sign(payload, kind)).split(".").at(-1)}`;
    },
  };
}
