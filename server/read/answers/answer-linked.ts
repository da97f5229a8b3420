/** A record's page as linked data: made of the page that programs get, whatever that was made of. */

import { readPage } from "../../../api-static/pages/read-page.ts";
import { LINKED_DATA_TYPE, type Route } from "../../../api-static/routes/route.ts";
import { readContracts } from "../../../pipeline/rubrics/contracts.ts";
import { recordDetail } from "../../../schemas/public/api/record.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { qualityOf } from "./quality.ts";

/**
 * `page`: the answer as JSON, of a release with this receipt. What is no page, such as the way to another address, is
 * answered as it is. `site`: whether there are pages for people to lead back to.
 */
export async function answerLinked(
  { cache }: Route,
  page: Answer,
  version: PublicVersion,
  { rubrics }: Pick<Receipt, "rubrics">,
  site: boolean,
): Promise<Answer> {
  if (page.status !== 200 || !(page.body instanceof Uint8Array)) return page;
  const record = readPage(recordDetail, JSON.parse(Buffer.from(page.body).toString("utf8")));
  // Of the release, whichever contract is public under that version now.
  const judged = rubrics.find((rubric) => rubric.version === version);
  const contract = judged && (await readContracts()).get(judged.contract);
  if (contract === undefined) throw new Error(`the contract of the release is not known: ${judged?.contract}`);
  const text = JSON.stringify(qualityOf(record, contract));
  const answer = contentAnswer(Buffer.from(text), LINKED_DATA_TYPE, cache);
  if (!site) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, link: `</datasets/${record.id}>; rel="describes"; type="text/html"` },
  };
}
