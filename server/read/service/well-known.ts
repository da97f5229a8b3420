/** GET /.well-known/share-release-keys.json: the public keys that receipts are signed with. */

import { CACHE } from "../../../api-static/routes/route.ts";
import { publicKeysOf } from "../../../pipeline/store/signing/keys.ts";
import type { Answer } from "../../frame/answer.ts";
import { jsonAnswer } from "../../frame/json-answer.ts";
import type { ReadRequest } from "../../frame/read-request.ts";
import type { ServerContext } from "../../server-context.ts";

/** An empty set where the store has no keys: nothing it holds is signed. */
export async function answerReleaseKeys(_request: ReadRequest, { store }: ServerContext): Promise<Answer> {
  return jsonAnswer(await publicKeysOf(store), CACHE.page);
}
