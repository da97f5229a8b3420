/** Answers made for the request, as JSON written like a page. */

import { pageText } from "../api-static/page.ts";
import { type Answer, contentAnswer } from "./answer.ts";

export function jsonAnswer(value: unknown, cache: string): Answer {
  return contentAnswer(Buffer.from(pageText(value)), "application/json; charset=utf-8", cache);
}
