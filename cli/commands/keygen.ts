/** share-release keygen: a key pair to sign releases with. */

import { join, resolve } from "node:path";
import type { Command } from "commander";
import { newReleaseKey, publicPart, publishKey, writePrivateKey } from "../../pipeline/store/signing/keys.ts";
import { CommandFailed } from "../options/exit-codes.ts";
import { command, printResult, type SharedOptions, storeOf } from "../options/shared.ts";

interface KeygenOptions extends SharedOptions {
  readonly out?: string;
}

export function keygenCommand(): Command {
  return command("keygen", "make an Ed25519 key to sign releases with, and publish its public part", [
    "keygen",
    "keygen --out /etc/share-release/signing-key.json",
  ])
    .option("--out <file>", "where the private key goes; keys/private/ of the store without")
    .action(async (options: KeygenOptions) => {
      const store = storeOf(options);
      const key = await newReleaseKey();
      const file = resolve(options.out ?? join(store.privateKeys, `${key.kid}.json`));
      await writePrivateKey(file, key).catch((cause: unknown) => {
        if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
        throw new CommandFailed(`${file} is there already; a key is never overwritten: give another --out`, { cause });
      });
      await publishKey(store, publicPart(key));
      printResult(
        options,
        { kid: key.kid, privateKey: file, publicKeys: store.publicKeys },
        (result) =>
          `key ${result.kid}\nprivate  ${result.privateKey} (keep it secret, and a copy of it)\npublic   ${result.publicKeys}`,
      );
    });
}
