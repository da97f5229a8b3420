/** GET /.well-known/share-release-keys.json: the public keys that receipts are signed with. */

import { CACHE } from "../../api-static/route.ts";
import { publicKeysOf } from "../../pipeline/signing/keys.ts";
import type { Answer } from "../http/answer.ts";
import { jsonAnswer } from "../http/json-answer.ts";
import type { ReadRequest } from "../http/read-request.ts";
import type { ServerContext } from "../server-context.ts";

/** An empty set where the store has no keys: nothing it holds is signed. */
export async function answerReleaseKeys(_request: ReadRequest, { store }: ServerContext): Promise<Answer> {
  return jsonAnswer(await publicKeysOf(store), CACHE.page);
}
