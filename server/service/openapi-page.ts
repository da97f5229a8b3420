/** GET /openapi.json: the API's own description, made once. */

import { openApi } from "../../api-static/openapi.ts";
import { CACHE } from "../../api-static/route.ts";
import type { Answer } from "../http/answer.ts";
import { jsonAnswer } from "../http/json-answer.ts";

let made: Answer | null = null;

export async function answerOpenApi(): Promise<Answer> {
  made ??= jsonAnswer(openApi(), CACHE.page);
  return made;
}
