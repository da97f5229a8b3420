/** /check: a dataset, published or measured now, and drafts, of which nothing is kept. */

import { improvementsOf } from "../../../pipeline/evaluate/evaluation.ts";
import { readPledges } from "../../../pipeline/sources/pledges.ts";
import { draftResult, evaluationJob } from "../../../schemas/public/api/evaluation.ts";
import { recordList } from "../../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../../schemas/public/api/rubric.ts";
import type { View } from "../../../web/components/document.ts";
import { type CheckPage, checkView, draftForm, draftView, jobView } from "../../../web/views/check.ts";
import type { Asked } from "../../frame/handler.ts";
import { malformedBody } from "../../frame/reading/read-body.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { type Made, seeOther } from "../making/page-handler.ts";
import { orShowAgain } from "../making/refused-form.ts";
import { deposited, FORM_SOURCE } from "./filled-in.ts";

/** The version that is checked by: the current one. */
const VERSION = "2.0";

async function sources(): Promise<CheckPage["sources"]> {
  return [...(await readPledges()).values()].map(({ source, name }) => ({ source, name }));
}

async function page(of: Partial<CheckPage>): Promise<View> {
  return checkView({ identifier: "", source: "", typed: {}, refused: null, sources: await sources(), ...of });
}

export function makeCheck({ query }: Asked<"check">): Promise<View> {
  return page(query);
}

/** A dataset that is published is shown at once; anything else becomes a job, whose page asks again by itself. */
export function check({ body, request }: Asked<"new-check">, api: Asking, context: SiteContext): Promise<Made> {
  const { identifier } = body;
  const work = async () => {
    const published = await api.get(recordList, "records", { query: { identifier: identifier.trim().slice(0, 512) } });
    const [record] = published.data;
    if (record !== undefined) return seeOther(`/datasets/${record.id}`);
    const job = await api.get(evaluationJob, "new-evaluation-job", { body: { identifier, rubricVersion: VERSION } });
    return seeOther(`/check/${job.id}`);
  };
  return orShowAgain(work, (problem) => page({ identifier, refused: { of: "dataset", problem } }), request, context);
}

export async function makeJob({ key }: Asked<"check-job">, api: Asking): Promise<View> {
  const job = await api.get(evaluationJob, "evaluation-job", { key });
  const record = job.result?.evaluation.record;
  const steps = record === undefined || record.scoreStatus === "failed" ? [] : improvementsOf(record);
  return jobView(job, steps, await questions(api));
}

/** A file that was chosen, else what was pasted, else what was filled in. */
export function checkDraft({ body, request }: Asked<"check-draft">, api: Asking, context: SiteContext): Promise<Made> {
  const { file, pasted, source, ...fields } = body;
  const metadata = file.trim() === "" ? pasted : file;
  const typed = { ...fields, pasted: metadata };
  const work = async () => {
    const isForm = metadata.trim() === "";
    if (isForm && Object.values({ ...fields, access: "" }).every((value) => value.trim() === "")) {
      throw malformedBody([{ path: "", message: "is empty: choose a file, paste metadata, or fill in the form" }]);
    }
    const query = { source: isForm ? FORM_SOURCE : source, rubricVersion: VERSION };
    const sent = Buffer.from(isForm ? deposited(fields) : metadata);
    const result = await api.get(draftResult, "draft", { query, body: sent });
    const known = await sources();
    const name = known.find((each) => each.source === result.draft.source)?.name ?? result.draft.source;
    return draftView(result, name, await questions(api), draftForm({ source, sources: known, typed }));
  };
  return orShowAgain(work, (problem) => page({ source, typed, refused: { of: "draft", problem } }), request, context);
}

async function questions(api: Asking): Promise<ReadonlyMap<string, string>> {
  const { signals } = await api.get(rubricDescriptor, "rubric", { key: VERSION });
  return new Map(signals.map(({ id, question }) => [id, question]));
}
