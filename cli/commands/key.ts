/** share-release key: creates, lists and revokes keys that sign releases. */

import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { signHead } from "../../pipeline/store/head.ts";
import { publishKey, readStorePublicKeys, revokeKey } from "../../pipeline/store/key-set.ts";
import { listReleases } from "../../pipeline/store/releases.ts";
import { revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import { newReleaseKey, publicPart, readPrivateKey, writePrivateKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { clockEffects } from "../options/effects.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import {
  command,
  group,
  openChosenStore,
  openExistingStore,
  printResult,
  type SharedOptions,
} from "../options/shared.ts";
import { headLine, signerFrom, signOption } from "../options/signing.ts";
import { printLines } from "../terminal/text.ts";

export function keyCommand(): Command {
  return group("key", "Create, list or revoke keys that sign releases, and sign the head", [
    newCommand(),
    listCommand(),
    signCommand(),
    revokeCommand(),
  ]);
}

interface NewOptions extends SharedOptions {
  readonly out?: string;
}

interface SignOptions extends SharedOptions {
  readonly sign?: readonly string[];
}

interface RevokeOptions extends SignOptions {
  readonly date?: string;
}

function newCommand(): Command {
  return command("new", "Create an Ed25519 key that signs releases, and publish its public key", [
    "key new",
    "key new --out /etc/share-release/signing-key.json",
  ])
    .option("--out <file>", "File for the private key (default: in keys/private/ of the store)")
    .action(async (options: NewOptions) => {
      const store = openChosenStore(options);
      const key = { ...(await newReleaseKey()), created: clockEffects().at };
      const file = resolve(options.out ?? join(store.privateKeys, `${key.kid}.json`));
      await writePrivateKey(file, key).catch((cause: unknown) => {
        if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
        throw new CommandFailed(
          `${file} already exists, and a key is never overwritten. Give another file with --out.`,
          {
            cause,
          },
        );
      });
      await publishKey(store, publicPart(key));
      const result = { kid: key.kid, privateKey: file, publicKeys: store.publicKeys };
      printResult(options, result, ({ kid, privateKey, publicKeys }) =>
        [`key ${kid}`, `private  ${privateKey} (keep it secret, and make a backup)`, `public   ${publicKeys}`].join(
          "\n",
        ),
      );
    });
}

function listCommand(): Command {
  return command("list", "List the keys of the store, oldest first", ["key list", "key list --json"]).action(
    async (options: SharedOptions) => {
      const { keys } = await readStorePublicKeys(openExistingStore(options));
      const rows = keys.map(({ kid, created = null, revoked = null }) => ({ kid, created, revoked }));
      if (options.json) {
        const summary = { keys: rows.length, revoked: rows.filter(({ revoked }) => revoked !== null).length };
        printLines([...rows, summary].map((row) => JSON.stringify(row)).join("\n"));
        return;
      }
      const lines = rows.map(({ kid, created, revoked }) =>
        [
          kid,
          ...(created === null ? [] : [`created ${created}`]),
          ...(revoked === null ? [] : [`revoked ${revoked}`]),
        ].join("  "),
      );
      printLines(lines.length === 0 ? "no keys; create one with `share-release key new`" : lines.join("\n"));
    },
  );
}

function signCommand(): Command {
  return command("sign", "Sign the head: which release is the latest, with all keys and retractions", [
    "key sign --sign /etc/share-release/signing-key.json",
  ])
    .addOption(signOption)
    .action(async ({ sign, ...options }: SignOptions) => {
      const store = openExistingStore(options);
      const signer = await signerFrom(sign, store);
      if (signer === null)
        throw new UsageError(
          "signing the head of the store requires a private key: give it with --sign or SHARE_SIGNING_KEY",
        );
      const head = await signHead(store, signer, clockEffects());
      if (head === null)
        throw new CommandFailed(
          "No release is active. Activate one with `share-release release activate`, and then sign the head again.",
        );
      const { sequence, expiresAt, releaseDigest, scoreReleaseVersion } = head;
      printResult(options, { sequence, expiresAt, releaseDigest, scoreReleaseVersion }, () =>
        [
          `The head ${sequence} names ${scoreReleaseVersion} ${releaseDigest} as the latest release, until ${expiresAt}.`,
          "Run `share-release release publish` to publish it, if you publish to a folder or a bucket.",
        ].join("\n"),
      );
    });
}

function revokeCommand(): Command {
  return (
    command("revoke", "Revoke a key, so that its signatures no longer count", [
      "key revoke VVxoa2Q1",
      "key revoke VVxoa2Q1 --date 2026-11-20",
    ])
      .argument("<kid>", "Key id or its first letters, from `share-release key list`")
      // An id may begin with "-".
      .allowUnknownOption()
      .allowExcessArguments()
      .option("--date <when>", "Time or UTC day from which its signatures do not count (default: now)", parseDate)
      .addOption(signOption)
      .action(async (prefix: string, { date, sign, ...options }: RevokeOptions, { args: [, unknown] }: Command) => {
        if (unknown !== undefined)
          throw new UsageError(
            `unknown option or argument ${JSON.stringify(unknown)}; see \`share-release key revoke --help\``,
          );
        const store = openExistingStore(options);
        const before = await findKey(store, prefix);
        const { kid, created = "" } = before;
        const now = clockEffects().at;
        if ((date ?? now) > now) throw new UsageError(`--date ${date} is in the future. Give a date up to now.`);
        await revokeKey(store, kid, date ?? now);
        const digests = (await listReleases(store)).map(({ releaseDigest }) => releaseDigest);
        const rejected = [...(await revocationsOfReleases(store, digests)).keys()];
        const { revoked = "" } = await findKey(store, kid);
        const changed = revoked !== before.revoked;
        // The revoked key itself can no longer sign.
        const own = await Promise.all(
          (sign ?? []).map(async (file) => ((await readPrivateKey(file)).kid === kid ? [] : [file])),
        );
        const head = await headLine(store, await signerFrom(own.flat(), store));
        printResult(options, { kid, revoked, changed, rejected }, () =>
          [
            changed
              ? `key ${kid} is revoked from ${revoked}: signatures from then on do not count`
              : `key ${kid} was revoked from ${revoked} before, and this does not change: a revocation can only move to an earlier date`,
            ...(revoked < created
              ? [`The key was created at ${created}, so none of its signatures counts. Check the date.`]
              : []),
            ...rejected.map((digest) => `release ${digest} is no longer accepted, because a revoked key signed it`),
            ...(head === null ? [] : [head]),
            "Run `share-release release publish` to publish the key set, and inform everybody who pinned the key.",
          ].join("\n"),
        );
      })
  );
}

/** Smallest number of characters that identify a key. With fewer, an empty shell variable could revoke a key. */
const MIN_LETTERS = 4;

async function findKey(store: Store, prefix: string): Promise<ReleaseKey> {
  const found = (await readStorePublicKeys(store)).keys.filter(({ kid }) => kid.startsWith(prefix));
  const [key] = found;
  if (prefix.length < MIN_LETTERS || found.length > 1)
    throw new CommandFailed(
      `${JSON.stringify(prefix)} does not identify exactly one key. Give more letters of the id that \`share-release key list\` shows.`,
    );
  if (key === undefined)
    throw new CommandFailed(
      `There is no key whose id begins with ${prefix}; \`share-release key list\` shows the ids.`,
    );
  return key;
}

function parseDate(text: string): string {
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError("expected a day, or a time such as 2026-11-20T09:00:00Z.");
  return date.toISOString();
}
