/** A record's page as linked data: made of the page that programs get, whatever that was made of. */

import { LINKED_DATA_TYPE, type Route } from "../../../api-static/routes/route.ts";
import { explanationsOf } from "../../../pipeline/pages/explanations.ts";
import { recordDetail } from "../../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { qualityOf } from "./quality.ts";

/** `page`: the answer as JSON. What is no page, such as the way to another address, is answered as it is. */
export async function answerLinked({ cache }: Route, page: Answer, version: PublicVersion): Promise<Answer> {
  if (page.status !== 200 || !(page.body instanceof Uint8Array)) return page;
  const record = recordDetail.parse(JSON.parse(Buffer.from(page.body).toString("utf8")));
  const [explanation] = await explanationsOf([version]);
  if (explanation === undefined) throw new Error(`no contract is public as ${version}`);
  const text = JSON.stringify(qualityOf(record, explanation.contract));
  const answer = contentAnswer(Buffer.from(text), LINKED_DATA_TYPE, cache);
  return {
    ...answer,
    headers: { ...answer.headers, link: `</datasets/${record.id}>; rel="describes"; type="text/html"` },
  };
}
