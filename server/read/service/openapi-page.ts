/** GET /openapi.json: the API's own description, made once. */

import { openApi } from "../../../api-static/openapi/index.ts";
import { CACHE } from "../../../api-static/routes/route.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";

let answer: Answer | null = null;

export async function answerOpenApi(): Promise<Answer> {
  answer ??= jsonAnswer(openApi(), CACHE.page);
  return answer;
}
