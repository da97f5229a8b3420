/** share-release key: make a key to sign releases with, list the keys, and revoke one. */

import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { publicKeysOf, publishKey, revokeKey } from "../../pipeline/store/key-set.ts";
import { listReleases } from "../../pipeline/store/releases.ts";
import { revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import { newReleaseKey, publicPart, writePrivateKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { clocked } from "../options/effects.ts";
import { CommandFailed } from "../options/exit-codes.ts";
import { command, existingStoreOf, group, printResult, type SharedOptions, storeOf } from "../options/shared.ts";
import { printLines } from "../terminal/text.ts";

export function keyCommand(): Command {
  return group("key", "make, list or revoke the keys that releases are signed with", [
    newCommand(),
    listCommand(),
    revokeCommand(),
  ]);
}

interface NewOptions extends SharedOptions {
  readonly out?: string;
}

interface RevokeOptions extends SharedOptions {
  readonly date?: string;
}

function newCommand(): Command {
  return command("new", "make an Ed25519 key to sign releases with, and publish its public part", [
    "key new",
    "key new --out /etc/share-release/signing-key.json",
  ])
    .option("--out <file>", "file for the private key; keys/private/ of the store without")
    .action(async (options: NewOptions) => {
      const store = storeOf(options);
      const key = { ...(await newReleaseKey()), created: clocked().at };
      const file = resolve(options.out ?? join(store.privateKeys, `${key.kid}.json`));
      await writePrivateKey(file, key).catch((cause: unknown) => {
        if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
        throw new CommandFailed(`${file} exists, and a key is never overwritten. Give another --out.`, { cause });
      });
      await publishKey(store, publicPart(key));
      const result = { kid: key.kid, privateKey: file, publicKeys: store.publicKeys };
      printResult(options, result, ({ kid, privateKey, publicKeys }) =>
        [`key ${kid}`, `private  ${privateKey} (keep it secret, and a copy of it)`, `public   ${publicKeys}`].join(
          "\n",
        ),
      );
    });
}

function listCommand(): Command {
  return command("list", "list the keys of the store, oldest first", ["key list", "key list --json"]).action(
    async (options: SharedOptions) => {
      const { keys } = await publicKeysOf(existingStoreOf(options));
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
      printLines(lines.length === 0 ? "no keys; make one with `share-release key new`" : lines.join("\n"));
    },
  );
}

function revokeCommand(): Command {
  return command("revoke", "mark a key as revoked: its signatures no longer count", [
    "key revoke VVxoa2Q1",
    "key revoke VVxoa2Q1 --date 2026-11-20",
  ])
    .argument("<kid>", "name of the key, or enough of its beginning; see `share-release key list`")
    .option(
      "--date <when>",
      "the first moment, or UTC day, from which its signatures do not count; now without",
      dateOf,
    )
    .action(async (prefix: string, { date, ...options }: RevokeOptions) => {
      const store = existingStoreOf(options);
      const { kid } = await findKey(store, prefix);
      const now = clocked().at;
      if ((date ?? now) > now) throw new CommandFailed(`--date ${date} is in the future. Give a date up to now.`);
      await revokeKey(store, kid, date ?? now);
      const digests = (await listReleases(store)).map(({ releaseDigest }) => releaseDigest);
      const refused = [...(await revocationsOfReleases(store, digests)).keys()];
      const { revoked } = await findKey(store, kid);
      printResult(options, { kid, revoked, refused }, () =>
        [
          `key ${kid} is revoked since ${revoked}`,
          ...refused.map((digest) => `${digest} is signed by a revoked key and is refused from now on`),
          "`share-release release publish` publishes the key set; tell people who pinned the key",
        ].join("\n"),
      );
    });
}

/** An empty or short name, as an unset variable gives it, must not revoke a key. */
const LEAST_LETTERS = 4;

async function findKey(store: Store, prefix: string): Promise<ReleaseKey> {
  const found = (await publicKeysOf(store)).keys.filter(({ kid }) => kid.startsWith(prefix));
  const [key] = found;
  if (prefix.length < LEAST_LETTERS || found.length > 1)
    throw new CommandFailed(`${JSON.stringify(prefix)} is too short to name one key. Give more letters of it.`);
  if (key === undefined) throw new CommandFailed(`There is no key ${prefix}; see \`share-release key list\`.`);
  return key;
}

function dateOf(text: string): string {
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError("expected a day, or a time such as 2026-11-20T09:00:00Z.");
  return date.toISOString();
}
