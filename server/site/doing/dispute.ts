/** /me/disputes: the form by which somebody says that a signal is wrong. */

import { z } from "zod";
import { recordDetail } from "../../../schemas/public/api/record.ts";
import type { Problem } from "../../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../../schemas/public/rubric.ts";
import { type DisputeForm, disputeForm } from "../../../schemas/public/site/forms.ts";
import { disputeView } from "../../../web/account/dispute.ts";
import type { View } from "../../../web/components/document.ts";
import { addressOf } from "../../../web/components/navigation.ts";
import type { Asked } from "../../frame/handler.ts";
import { malformedBody } from "../../frame/reading/read-body.ts";
import { type Asking, Moved } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { type Made, seeOther } from "../making/page-handler.ts";
import { orShowAgain } from "../making/refused-form.ts";

const ANY = z.looseObject({});

/** What the form shows of a record. */
const shown = recordDetail.pick({ id: true, title: true, doi: true, identifier: true, signals: true });

/** Of a record that gave way to another, the form is of that one. */
export async function makeDispute({ query }: Asked<"dispute-page">, api: Asking): Promise<Made> {
  const { record, signal, rubric } = query;
  try {
    return await page(disputeForm.parse({ recordId: record, signal, rubricVersion: rubric }), null, api);
  } catch (error) {
    if (error instanceof Moved) return seeOther(addressOf("/me/disputes", { record: error.key, signal, rubric }));
    throw error;
  }
}

async function page(typed: DisputeForm, refused: Problem | null, api: Asking): Promise<View> {
  const version = versionOf(typed);
  const record = await api.get(shown, "record", { key: typed.recordId, query: { rubric: version } });
  return disputeView({ record, version, typed, refused });
}

/** What is no public version is answered as the current one: the form goes by what it shows. */
function versionOf({ rubricVersion }: DisputeForm): PublicVersion {
  return publicVersion.safeParse(rubricVersion).data ?? PUBLIC_VERSIONS[0];
}

/** Fields that were left empty are left out. */
export function dispute({ body, request }: Asked<"send-dispute">, api: Asking, context: SiteContext): Promise<Made> {
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value.trim() !== ""));
  const work = async () => {
    requireChosen(body);
    await api.get(ANY, "new-dispute", { body: sent });
    return seeOther("/me?done=dispute#disputes");
  };
  return orShowAgain(work, (problem) => again(body, problem, api), request, context);
}

/** Nothing is chosen for whoever sends it: not what is true, and not as whom they speak, for which programs have a default. */
function requireChosen(typed: DisputeForm): void {
  const missing = (["signal", "says", "role"] as const).filter((name) => typed[name].trim() === "");
  if (missing.length > 0) throw malformedBody(missing.map((path) => ({ path, message: "must be chosen" })));
}

/** Of the record that is kept, where the one of the form gave way to it: what was typed stays. */
async function again(typed: DisputeForm, refused: Problem, api: Asking): Promise<View> {
  try {
    return await page(typed, refused, api);
  } catch (error) {
    if (error instanceof Moved) return page({ ...typed, recordId: error.key }, refused, api);
    throw error;
  }
}
