/** The key set at a target: what is said of keys goes there before any release, and nothing of it is ever taken away. */

import { keySetText, publicKeysOf } from "../../pipeline/store/key-set.ts";
import { storeKeys } from "../../pipeline/store/key-statements.ts";
import { statementDigest } from "../../pipeline/store/signing/signed-payload.ts";
import { type KeySet, keySet } from "../../schemas/public/key-set.ts";
import type { Publication } from "./send-release.ts";
import { PublishRefused } from "./target/errors.ts";
import { LIST_HEADERS } from "./target/object-headers.ts";

/** Below whatever releases are published to; a folder is a store, which has it there. */
export const KEY_SET = "keys/share-release-keys.json";

/**
 * Sends the store's key set, where it has one.
 * @throws PublishRefused where the target knows of statements that the store does not
 */
export async function sendKeys({ store, target, dryRun }: Publication): Promise<void> {
  const own = await publicKeysOf(store);
  if (own.keys.length === 0) return;
  // What does not hold together here, or is less than the journal knows, goes nowhere.
  await storeKeys(store);
  const text = await target.text(KEY_SET);
  const theirs = text === null ? { keys: [], statements: [] } : readable(text, target.name);
  const other = theirs.statements.findIndex((each, i) => !isSame(each, own.statements[i]));
  if (other >= 0)
    throw new PublishRefused(
      `${target.name} knows more of keys than this store, or something else (statement ${other + 1} of its ${KEY_SET}): ` +
        "publish from the store that said so, or bring its key set here first",
    );
  const kids = new Set(own.keys.map(({ kid }) => kid));
  const all = { ...own, keys: [...own.keys, ...theirs.keys.filter(({ kid }) => !kids.has(kid))] };
  const ours = keySetText(all);
  if (!dryRun && ours !== text) await target.write(KEY_SET, ours, LIST_HEADERS);
}

function isSame(one: KeySet["statements"][number], other: KeySet["statements"][number] | undefined): boolean {
  return other !== undefined && statementDigest(one) === statementDigest(other);
}

function readable(text: string, name: string): KeySet {
  try {
    return keySet.parse(JSON.parse(text));
  } catch (cause) {
    throw new PublishRefused(`${name} has a ${KEY_SET} that cannot be read: move it away, and publish again`, {
      cause,
    });
  }
}
