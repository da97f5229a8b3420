/** Replacing a key: it names its successor, by a statement that it signs; what it signed goes on to count. */

import { lastDigest, storeKeys } from "../../pipeline/store/key-statements.ts";
import type { Signer } from "../../pipeline/store/signing/sign.ts";
import { signedPayload } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { KeyRotation } from "../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import type { KeyChange } from "./key-change.ts";
import { say } from "./say.ts";

/** @throws StatementRefused where the key was replaced or revoked before */
export async function rotateKey(store: Store, signer: Signer, to: ReleaseKey, change: KeyChange): Promise<KeyRotation> {
  const { statements } = await storeKeys(store);
  const said = {
    statement: "rotated" as const,
    kid: signer.key.kid,
    to,
    at: change.at,
    before: lastDigest(statements),
  };
  const rotation = { ...said, signature: await signer.sign(signedPayload(said), "rotation") };
  await say(store, rotation, [signer.key, to], change);
  return rotation;
}

/** What a key said of its successor, where that is the last word on keys; null where it is not, or nothing was said. */
export async function rotationOf(store: Store, kid: string): Promise<KeyRotation | null> {
  const last = (await storeKeys(store)).statements.at(-1);
  return last?.statement === "rotated" && last.kid === kid ? last : null;
}
