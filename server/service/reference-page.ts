/** GET /docs: the API's own description as a page to read, made once. */

import { openApi } from "../../api-static/openapi.ts";
import { referencePage } from "../../api-static/reference.ts";
import { CACHE, HTML_TYPE } from "../../api-static/route.ts";
import { type Answer, contentAnswer } from "../http/answer.ts";

let made: Answer | null = null;

export async function answerReference(): Promise<Answer> {
  made ??= contentAnswer(Buffer.from(referencePage(openApi())), HTML_TYPE, CACHE.page);
  return made;
}
