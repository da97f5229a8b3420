/** What statements on keys come to: every row of the table, forged ones among them, by the one place that all commands ask. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureFault as clientFault } from "../../client/release/signature.ts";
import * as client from "../../client/release/trusted-keys.ts";
import { heardOf } from "../../pipeline/store/key-statements.ts";
import { signatureFault } from "../../pipeline/store/signing/check-signature.ts";
import { readPublicKeys } from "../../pipeline/store/signing/keys.ts";
import { trustedKeys } from "../../pipeline/store/signing/trusted-keys.ts";
import { keySet } from "../../schemas/public/key-set.ts";
import {
  chained,
  fourSigners,
  KEY_CASES,
  RECEIPT_NAMES,
  receiptBy,
  revoked,
  rotated,
  type Signers,
  UNREADABLE,
} from "./key-cases.ts";

let signers: Signers;
let folder: string;

beforeAll(async () => {
  signers = await fourSigners();
  folder = await mkdtemp(join(tmpdir(), "share-keys-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(KEY_CASES)("$name", async ({ statements, fault, taken }) => {
  const set = keySet.parse({ keys: [signers.first.key], statements: await statements(signers) });
  const trust = await trustedKeys(set.keys, set.statements);
  expect(trust.fault).toEqual(fault === null ? null : expect.stringContaining(fault));
  if (taken === undefined) return;
  const seen: (readonly [string, string])[] = [];
  for (const by of ["first", "second", "third", "stranger"] as const) {
    for (const name of RECEIPT_NAMES) {
      if ((await signatureFault(await receiptBy(signers[by], name), trust.keys)) === null) seen.push([by, name]);
    }
  }
  expect(seen).toEqual(taken);
});

test.each(KEY_CASES)("the npm client says so too: $name", async ({ statements, fault, taken }) => {
  const said = await statements(signers);
  const trust = await client.trustedKeys([signers.first.key], said);
  expect(trust.fault === null).toBe(fault === null);
  if (taken === undefined) return;
  const own = await trustedKeys([signers.first.key], keySet.shape.statements.parse(said));
  for (const by of ["first", "second", "third", "stranger"] as const) {
    for (const name of RECEIPT_NAMES) {
      const receipt = await receiptBy(signers[by], name);
      const faults = [await clientFault(receipt, trust.keys), await signatureFault(receipt, own.keys)];
      expect({ by, name, taken: faults.map((each) => each === null) }).toEqual({
        by,
        name,
        taken: taken.some(([signer, receiptName]) => signer === by && receiptName === name)
          ? [true, true]
          : [false, false],
      });
    }
  }
});

test.each(UNREADABLE)("the npm client refuses a set with $name in a statement", async ({ changes }) => {
  const [statement] = await chained([rotated(signers.first, signers.second.key)]);
  const said = JSON.parse(JSON.stringify({ ...statement, ...changes }));
  expect((await client.trustedKeys([signers.first.key], [said])).fault).toContain("cannot be read");
});

test.each(UNREADABLE)("a key set with $name in a statement is not read", async ({ changes }) => {
  const [statement] = await chained([rotated(signers.first, signers.second.key)]);
  const file = join(folder, "keys.json");
  const write = (said: object) => writeFile(file, JSON.stringify({ keys: [signers.first.key], statements: [said] }));
  await write({ ...statement });
  expect((await readPublicKeys(file)).statements).toEqual([statement]);
  await write({ ...statement, ...changes });
  await expect(readPublicKeys(file)).rejects.toThrow("holds statements on keys that cannot be read");
});

describe("several accounts of the same keys", () => {
  const pinned = () => [signers.first.key];
  const rotation = () => rotated(signers.first, signers.second.key);
  const revocation = () => revoked(signers.first, signers.second);

  test("the longest counts, whichever comes first; an older one takes nothing back", async () => {
    const long = await chained([rotation(), revocation()]);
    const [short, longer] = [
      { where: "there", statements: long.slice(0, 1) },
      { where: "here", statements: long },
    ];
    for (const accounts of [
      [short, longer],
      [longer, short],
    ]) {
      const heard = await heardOf(pinned(), accounts);
      expect(heard.statements).toEqual(long);
      const clients = await client.heardOf(
        pinned(),
        accounts.map(({ statements }) => statements),
      );
      expect(clients.statements).toEqual(long);
      const fault = await signatureFault(await receiptBy(signers.first, "good"), heard.keys);
      expect(fault).toContain("which was revoked (It was stolen.), and is none of those by it that stay good");
    }
  });

  test("two that part are no account at all", async () => {
    const ours = await chained([rotation()]);
    const thiefs = await chained([rotated(signers.first, signers.stranger.key)]);
    const accounts = [
      { where: "here", statements: ours },
      { where: "there", statements: thiefs },
    ];
    expect((await client.heardOf(pinned(), [ours, thiefs])).fault).toContain("part");
    await expect(heardOf(pinned(), accounts)).rejects.toThrow(
      "there does not hold together: its statement 1 is another one than is known",
    );
  });

  test("that of another publisher says nothing of these", async () => {
    const ours = await chained([rotation()]);
    const other = await chained([rotated(signers.stranger, signers.third.key)]);
    const heard = await heardOf(pinned(), [
      { where: "here", statements: other },
      { where: "there", statements: ours },
    ]);
    expect(heard.keys.map(({ kid }) => kid)).toEqual([signers.first.key.kid, signers.second.key.kid]);
  });
});
