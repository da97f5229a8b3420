/** GET /.well-known/share-release-keys.json: the public keys that receipts are signed with. */

import { CACHE } from "../../../api-static/routes/route.ts";
import { publicKeysOf } from "../../../pipeline/store/key-set.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";

/** An empty set where the store has no keys: nothing it holds is signed. */
export async function answerReleaseKeys(store: Store): Promise<Answer> {
  return jsonAnswer(await publicKeysOf(store), CACHE.page);
}
