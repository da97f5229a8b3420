/** The root: what this is, and where to begin. */

import { frontPage } from "../../api-static/front-page.ts";
import { API_VERSION, TITLE } from "../../api-static/openapi/prose.ts";
import { CACHE, HTML_TYPE } from "../../api-static/route.ts";
import { ROUTES } from "../../api-static/routes.ts";
import type { ServiceIndex } from "../../schemas/api/service.ts";
import { PUBLIC_VERSIONS } from "../../schemas/rubric.ts";
import { type Answer, contentAnswer } from "../http/answer.ts";
import { jsonAnswer } from "../http/json-answer.ts";
import type { ReadRequest } from "../http/read-request.ts";
import { wantsHtml } from "../http/wants-html.ts";

const [SHARE_VERSION] = PUBLIC_VERSIONS;

/** HTML for people; for programs the addresses by name, those in braces being templates. */
export async function answerIndex(request: ReadRequest): Promise<Answer> {
  if (wantsHtml(request)) return contentAnswer(Buffer.from(frontPage(SHARE_VERSION)), HTML_TYPE, CACHE.page);
  const links = ROUTES.filter(({ name }) => name !== "index").map(({ name, path }): [string, string] => [name, path]);
  const index: ServiceIndex = {
    name: TITLE,
    apiVersion: API_VERSION,
    shareVersion: SHARE_VERSION,
    links: Object.fromEntries(links),
  };
  return jsonAnswer(index, CACHE.page);
}
