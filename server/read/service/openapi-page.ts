/** GET /openapi.json: the API's own description, made once, with whom to write to. */

import { openApi } from "../../../api-static/openapi/index.ts";
import { CACHE } from "../../../api-static/routes/route.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";

/** The answer of a server whose operator has this contact. */
export function openApiAnswer(contact: string | null): () => Answer {
  let answer: Answer | null = null;
  return () => {
    answer ??= jsonAnswer(openApi(contact), CACHE.page);
    return answer;
  };
}
