/** Sends the key set to a target, before any release. A key or a revocation that the target has stays there. */

import { keySetText, publicKeysOf } from "../../pipeline/store/key-set.ts";
import { type KeySet, parseKeySet, withRevocations } from "../../schemas/public/key-set.ts";
import type { Publication } from "./send-release.ts";
import { PublishRefused } from "./target/errors.ts";
import { LIST_HEADERS } from "./target/object-headers.ts";

/** Its path below the place that releases are published to; a target that is a store has it there as well. */
export const KEY_SET = "keys/share-release-keys.json";

/**
 * Sends the store's key set, if it has one.
 * @throws PublishRefused if a key is revoked there and not here
 */
export async function sendKeys({ store, target, dryRun }: Publication): Promise<void> {
  const own = await publicKeysOf(store);
  if (own.keys.length === 0) return;
  const text = await target.text(KEY_SET);
  const theirs = text === null ? { keys: [] } : readable(text, target.name);
  const trusted = own.keys.filter(({ revoked }) => revoked === undefined).map(({ kid }) => kid);
  for (const { kid, revoked } of theirs.keys) {
    if (revoked === undefined || !trusted.includes(kid)) continue;
    throw new PublishRefused(
      `The key ${kid} is revoked at ${target.name}, and not in this store. Revoke it here first: ` +
        `\`share-release key revoke ${kid} --date ${revoked}\``,
    );
  }
  const kids = new Set(own.keys.map(({ kid }) => kid));
  const keys = [
    ...own.keys.map((key) => withRevocations(key, theirs.keys)),
    ...theirs.keys.filter(({ kid }) => !kids.has(kid)),
  ];
  const all = keySetText({ keys });
  if (!dryRun && all !== text) await target.write(KEY_SET, all, LIST_HEADERS);
}

function readable(text: string, name: string): KeySet {
  try {
    return parseKeySet(JSON.parse(text));
  } catch (cause) {
    throw new PublishRefused(`${name} has a ${KEY_SET} that cannot be read: move it away, and publish again`, {
      cause,
    });
  }
}
