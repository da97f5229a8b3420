/** /datasets/{id}/disputes: what was answered to those who said that a signal is wrong. */

import { recordDetail } from "../../../schemas/public/api/record.ts";
import { recordDisputes } from "../../../schemas/public/api/record-disputes.ts";
import type { View } from "../../../web/components/document.ts";
import { datasetDisputesView } from "../../../web/pages/dataset-disputes.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { stillThere } from "../making/still-there.ts";

const named = recordDetail.pick({ title: true, doi: true, identifier: true });

export async function makeDatasetDisputes(
  { key, query }: Asked<"dataset-disputes">,
  api: Asking,
  { active, log }: Pick<SiteContext, "active" | "log">,
): Promise<View> {
  // Before anything is asked: another may be active by the time it is answered.
  const { release } = active;
  const page = query.page === "" ? {} : { page: query.page };
  const disputes = await api.get(recordDisputes, "record-disputes", { key, query: page });
  const { title, doi, identifier } = await api.get(named, "record", { key: disputes.recordId });
  const there = await stillThere(disputes.data, api, { release, log });
  return datasetDisputesView({ title: title ?? doi ?? identifier, disputes, there });
}
