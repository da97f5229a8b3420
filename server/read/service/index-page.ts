/** The root: what this is, and where to begin. */

import { API_VERSION, TITLE } from "../../../api-static/openapi/prose.ts";
import { ROUTES } from "../../../api-static/routes/index.ts";
import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import type { ServiceIndex } from "../../../schemas/public/api/service.ts";
import { PUBLIC_VERSIONS } from "../../../schemas/public/rubric.ts";
import { frontPage } from "../../../web/views/home.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { prefersHtml } from "../../frame/reading/wanted-form.ts";

const [SHARE_VERSION] = PUBLIC_VERSIONS;

/** HTML for people; for programs the addresses by name, those in braces being templates. */
export async function answerIndex(request: ReadRequest): Promise<Answer> {
  if (prefersHtml(request)) return contentAnswer(Buffer.from(frontPage(SHARE_VERSION)), HTML_TYPE, CACHE.page);
  const links = ROUTES.filter(({ name }) => name !== "index").map(({ name, path }): [string, string] => [name, path]);
  const index: ServiceIndex = {
    name: TITLE,
    apiVersion: API_VERSION,
    shareVersion: SHARE_VERSION,
    links: Object.fromEntries(links),
  };
  return jsonAnswer(index, CACHE.page);
}
