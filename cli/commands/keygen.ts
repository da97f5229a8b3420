/** share-release keygen: a key pair to sign releases with. */

import { join, resolve } from "node:path";
import type { Command } from "commander";
import { publishKey } from "../../pipeline/store/key-set.ts";
import { newReleaseKey, publicPart } from "../../pipeline/store/signing/keys.ts";
import { command, printResult, type SharedOptions, storeOf } from "../options/shared.ts";
import { writeNewKey } from "../options/signing-key.ts";

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
      await writeNewKey(file, key);
      await publishKey(store, publicPart(key));
      printResult(
        options,
        { kid: key.kid, privateKey: file, publicKeys: store.publicKeys },
        (result) =>
          `key ${result.kid}\nprivate  ${result.privateKey} (keep it secret, and a copy of it)\npublic   ${result.publicKeys}`,
      );
    });
}
