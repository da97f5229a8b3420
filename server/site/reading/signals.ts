/** /signals and /signals/{id}. */

import { recordDetail, recordList } from "../../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../../schemas/public/api/rubric.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { View } from "../../../web/components/document.ts";
import { signalsView, signalView } from "../../../web/views/signals.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { countedIn, overall } from "./counted.ts";
import { pledgedSources } from "./pledged.ts";

/** Datasets looked at for examples, at both ends of the scores. */
const LOOKED_AT = "12";

export async function makeSignals(
  version: PublicVersion,
  api: Asking,
  { active }: Pick<SiteContext, "active">,
): Promise<View> {
  const rubric = await api.get(rubricDescriptor, "rubric", { key: version });
  const counted = active.digest === null ? null : await countedIn(active, version);
  return signalsView(rubric, overall(counted?.prevalence ?? []));
}

export async function makeSignal(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: Asking,
  { active }: Pick<SiteContext, "active">,
): Promise<View> {
  const rubric = await api.get(rubricDescriptor, "rubric", { key: version });
  const signal = rubric.signals.find(({ id }) => id === key);
  if (signal === undefined) throw new Error(`the contract ${rubric.contract} has no signal ${key}`);
  const { prevalence } = await countedIn(active, version);
  const sources = await pledgedSources(version);
  return signalView({
    rubric,
    signal,
    sources: sources.flatMap(({ name, signals }) => {
      const own = signals.find(({ id }) => id === key);
      return own === undefined ? [] : [{ name, supported: own.supported, words: own.words }];
    }),
    prevalence: prevalence.filter((each) => each.signal === key),
    examples: await examples(version, api),
  });
}

async function examples(version: PublicVersion, api: Asking) {
  const ends = await Promise.all(
    ["desc", "asc"].map((sortOrder) =>
      api.get(recordList, "records", {
        query: { sortBy: "score", sortOrder, limit: LOOKED_AT, rubric: version, minScore: "1" },
      }),
    ),
  );
  const rows = ends.flatMap(({ data }) => data);
  return Promise.all(rows.map(({ id }) => api.get(recordDetail, "record", { key: id, query: { rubric: version } })));
}
