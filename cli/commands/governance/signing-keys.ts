/** share-release signing-keys: which keys releases are signed with, replacing one, and revoking one. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { type RevokedKey, revokeKey } from "../../../operations/signing-keys/revoke.ts";
import { rotateKey, rotationOf } from "../../../operations/signing-keys/rotate.ts";
import type { Since } from "../../../operations/signing-keys/seen-payloads.ts";
import { finishKeeping, StatementRefused, storeKeys } from "../../../pipeline/store/key-statements.ts";
import { findKnownDigest } from "../../../pipeline/store/releases.ts";
import { isInUse, type TrustedKey } from "../../../pipeline/store/signing/check-signature.ts";
import { newReleaseKey, publicPart, readPrivateKey } from "../../../pipeline/store/signing/keys.ts";
import type { Signer } from "../../../pipeline/store/signing/sign.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { KeyRotation } from "../../../schemas/public/key-set.ts";
import { LONGEST_REASON, retractionReason } from "../../../schemas/public/retraction.ts";
import { clocked } from "../../options/effects.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { CommandFailed, UsageError } from "../../options/exit-codes.ts";
import { command, printResult, type SharedOptions } from "../../options/shared.ts";
import { anySignerFrom, signerFrom, signOption, writeNewKey } from "../../options/signing-key.ts";
import { printLines } from "../../text/terminal-text.ts";
import { usageInOneLine } from "../../text/usage-line.ts";

interface SigningOptions extends SharedOptions {
  readonly sign?: string;
}

/** --store and --json may stand before and after the name of a subcommand: the group takes both, and each asks it. */
export function signingKeysCommand(): Command {
  const group = command("signing-keys", "list the keys that releases are signed with, replace one, or revoke one", [
    "signing-keys list",
  ]);
  for (const each of [listCommand(), rotateCommand(), revokeCommand()]) {
    group.addCommand(each.configureOutput(usageInOneLine(`share-release signing-keys ${each.name()}`)).exitOverride());
  }
  return group;
}

function listCommand(): Command {
  return command("list", "all keys, oldest first, and what was said of each", [
    "signing-keys list",
    "signing-keys list --json",
  ]).action(async (_own: object, self: Command) => {
    const options = self.optsWithGlobals<SharedOptions>();
    const { keys } = await storeKeys(existingStoreOf(options));
    if (options.json) {
      for (const key of keys) printLines(JSON.stringify(jsonOf(key)));
      printLines(JSON.stringify({ keys: keys.length, inUse: keys.filter(isInUse).length }));
    } else
      printLines(keys.length === 0 ? "no keys; make one with `share-release keygen`" : keys.map(lineOf).join("\n"));
  });
}

function jsonOf({ kid, successor, revoked }: TrustedKey) {
  const said = revoked && { since: revoked.since, reason: revoked.reason, staysGood: revoked.payloads.size };
  return { kid, replacedBy: successor ?? null, revoked: said ?? null };
}

function lineOf(key: TrustedKey): string {
  const { kid, successor, revoked } = key;
  if (isInUse(key)) return `${kid}  in use`;
  const replaced = successor === undefined ? [] : [`replaced by ${successor}`];
  const gone =
    revoked === undefined
      ? []
      : [`revoked since ${revoked.since}: ${revoked.reason} (${revoked.payloads.size} signatures stay good)`];
  return `${kid}  ${[...replaced, ...gone].join("; ")}`;
}

function rotateCommand(): Command {
  return command("rotate", "make a new key in place of the one that is in use, which says so itself", [
    "signing-keys rotate --sign signing-key.json --out new-signing-key.json",
  ])
    .addOption(signOption)
    .option("--out <file>", "where the new private key goes; keys/private/ of the store without")
    .action(async (own: { readonly out?: string }, self: Command) => {
      const options = self.optsWithGlobals<SigningOptions>();
      const store = existingStoreOf(options);
      const fileOf = (kid: string) => resolve(own.out ?? join(store.privateKeys, `${kid}.json`));
      const { key: old } = required(await anySignerFrom(options.sign), WHO_ROTATES);
      const said = await rotationOf(store, old.kid);
      const isCarriedOut = said !== null && (await holdsKey(fileOf(said.to.kid), said.to.kid));
      const rotation = isCarriedOut ? said : await rotated(options.sign, fileOf, store);
      // Whoever said it may have been killed before all of it was written down.
      if (isCarriedOut) await finishKeeping(store, clocked());
      const result = { ...rotation, privateKey: fileOf(rotation.to.kid), publicKeys: store.publicKeys };
      printResult(options, result, rotatedText);
    });
}

const WHO_ROTATES = "a rotation is signed by the key that is replaced";

async function rotated(sign: string | undefined, fileOf: (kid: string) => string, store: Store): Promise<KeyRotation> {
  const signer = required(await signerFrom(sign, store), WHO_ROTATES);
  const key = await newReleaseKey();
  const file = fileOf(key.kid);
  await writeNewKey(file, key);
  return rotateKey(store, signer, publicPart(key), clocked()).catch((cause: unknown) => {
    if (!(cause instanceof StatementRefused)) throw cause;
    throw new CommandFailed(`${cause.message}; the new key in ${file} is in nobody's place: remove it`, { cause });
  });
}

/**
 * Whether a file has the private half of a key, as its command was to leave it there.
 * @throws KeyUnusable where there is a file that is no key, or none of its owner's alone
 */
async function holdsKey(file: string, kid: string): Promise<boolean> {
  return existsSync(file) && (await readPrivateKey(file)).kid === kid;
}

function rotatedText({
  kid,
  to,
  privateKey,
  publicKeys,
}: KeyRotation & { readonly privateKey: string; readonly publicKeys: string }) {
  return [
    `key ${to.kid} is in the place of ${kid}, whose signatures go on to count`,
    `private  ${privateKey} (keep it secret, and a copy of it)`,
    `public   ${publicKeys}`,
    "`share-release publish` carries it to where releases are published; destroy the old key, or revoke it once nothing needs it",
  ].join("\n");
}

function revokeCommand(): Command {
  return command("revoke", "refuse what a key signed, but for what the journal saw it sign before", [
    'signing-keys revoke VVxo --reason "It lay on a laptop that was stolen." --since 2026-11-20T00:00:00Z --sign new-signing-key.json',
  ])
    .argument(
      "<kid>",
      "the key's name, or enough of its beginning; see `signing-keys list`; after `--` where it begins with a hyphen",
    )
    .requiredOption("--reason <text>", `why, for everybody to read: one line, ${LONGEST_REASON} characters`, reasonOf)
    .option("--since <when>", "the first moment, or the first release, that is not trusted any more; now without")
    .addOption(signOption)
    .action(async (kid: string, own: { readonly reason: string; readonly since?: string }, self: Command) => {
      const options = self.optsWithGlobals<SigningOptions>();
      const store = existingStoreOf(options);
      const since = own.since === undefined ? null : await sinceOf(own.since, store);
      const why = "a revocation is signed, by the key itself or by one that is in use";
      const signer = required(await anySignerFrom(options.sign), why);
      const revoked = await revokeKey(store, { kid, reason: own.reason, since }, signer, clocked());
      const { payloads: _listed, ...besides } = revoked.seen;
      printResult(options, { ...revoked.revocation, ...besides }, () => revokedText(revoked));
    });
}

function reasonOf(text: string): string {
  const reason = retractionReason.safeParse(text.trim());
  if (!reason.success)
    throw new InvalidArgumentError(`expected a line of 1 to ${LONGEST_REASON} characters, without control characters.`);
  return reason.data;
}

/** A time with its zone, a day in UTC, or a release. */
async function sinceOf(text: string, store: Store): Promise<Since> {
  if (/^(?:sha256[:-])?[0-9a-f]{4,64}$/.test(text) && !/^\d{4}$/.test(text))
    return { releaseDigest: await findKnownDigest(store, text) };
  const zoned = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = new Date(text);
  if (!zoned || Number.isNaN(at.getTime()))
    throw new UsageError("--since takes a time such as 2026-11-20T09:00:00Z, a day, or the digest of a release");
  return { at: at.toISOString() };
}

function required(signer: Signer | null, why: string): Signer {
  if (signer === null) throw new UsageError(`${why}: give the private key with --sign, or in SHARE_SIGNING_KEY`);
  return signer;
}

function revokedText({
  revocation: { kid, since, reason, payloads },
  seen: { left, leftRetractions, unknown },
}: RevokedKey): string {
  return [
    `key ${kid} is revoked since ${since}: ${reason}`,
    `${payloads.length} signatures of it stay good: those that the journal saw before`,
    ...left.map((digest) => `${digest} is signed by it and is refused from now on`),
    ...leftRetractions.map((digest) => `the retraction of ${digest} is signed by it: nobody takes it over from now on`),
    ...unknown.map(
      (digest) => `${digest} was here, and no receipt is left that would say who signed it: it is not among them`,
    ),
    "`share-release publish` carries it to where releases are published; who has the release by another way has to be told",
  ].join("\n");
}
