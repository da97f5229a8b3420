/** Says on a researcher's page that its claim was approved: pages of a release know nothing of accounts. */

import { pageText, readPage } from "../../../api-static/pages/read-page.ts";
import { type ResearcherDetail, researcherDetail } from "../../../schemas/public/api/researcher.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import type { Standing } from "./standing.ts";

/** The answer as it is, unless the page under the slug is of somebody who is verified: then the same but for that word. */
export function withVerified(answer: Answer, slug: string, { verified }: Standing): Answer {
  if (answer.status !== 200 || !(answer.body instanceof Uint8Array) || !verified.mayHave(slug)) return answer;
  const page = readPage(researcherDetail, JSON.parse(Buffer.from(answer.body).toString("utf8")));
  if (!verified.has(page.id)) return answer;
  const said: ResearcherDetail = { ...page, verified: true };
  const { "content-type": type = "", "cache-control": cache = "" } = answer.headers;
  return contentAnswer(Buffer.from(pageText(said)), type, cache);
}
