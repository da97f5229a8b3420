/** Answers made for the request, as JSON written like a page. */

import { pageText } from "../../../api-static/pages/read-page.ts";
import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { type Answer, contentAnswer } from "./answer.ts";

export function jsonAnswer(value: unknown, cache: string): Answer {
  return contentAnswer(Buffer.from(pageText(value)), JSON_TYPE, cache);
}

/** The answer to a POST: no cache keeps it, and no entity tag stands for it. Names of `more` headers in lower case. */
export function madeAnswer(status: number, value: unknown, more: Readonly<Record<string, string>> = {}): Answer {
  const { headers, body } = jsonAnswer(value, CACHE.never);
  const { etag: _etag, ...kept } = headers;
  return { status, headers: { ...kept, ...more }, body };
}
