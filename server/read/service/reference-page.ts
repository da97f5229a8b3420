/** GET /docs: the API's own description as a page to read, made once. */

import { openApi } from "../../../api-static/openapi/index.ts";
import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import { referencePage } from "../../../web/reference/index.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";

/** The answer of a server whose operator has this contact. */
export function referenceAnswer(contact: string | null): () => Answer {
  let answer: Answer | null = null;
  return () => {
    answer ??= contentAnswer(Buffer.from(referencePage(openApi(contact))), HTML_TYPE, CACHE.page);
    return answer;
  };
}
