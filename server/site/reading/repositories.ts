/** /repositories and /repositories/{label}. */

import { repositoriesOf } from "../../../api-static/pages/metrics.ts";
import { repositoryKey } from "../../../api-static/routes/path-keys.ts";
import { releaseDiff } from "../../../schemas/public/api/diff.ts";
import { liveMetrics, type RepositoryFigures } from "../../../schemas/public/api/metrics.ts";
import { recordList } from "../../../schemas/public/api/record.ts";
import { serviceStatus } from "../../../schemas/public/api/service.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { View } from "../../../web/components/document.ts";
import { repositoriesView, repositoryView } from "../../../web/views/repositories.ts";
import { unknownKey } from "../../frame/read-asked.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { countedIn } from "./counted.ts";
import { pledgedSources } from "./pledged.ts";

const BEST = "10";

export async function makeRepositories(version: PublicVersion, api: Asking): Promise<View> {
  return repositoriesView(await api.get(liveMetrics, "metrics", { query: { rubric: version } }), version);
}

/** @throws ProblemError `repository-not-found` */
export async function figuresOf(label: string, version: PublicVersion, api: Asking): Promise<RepositoryFigures> {
  const metrics = await api.get(liveMetrics, "metrics", { query: { rubric: version } });
  const figures = repositoriesOf(metrics).find(({ repository }) => repository === label);
  if (figures === undefined) throw unknownKey(repositoryKey);
  return figures;
}

export async function makeRepository(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: Asking,
  { active, signIn }: Pick<SiteContext, "active" | "signIn">,
): Promise<View> {
  const figures = await figuresOf(key, version, api);
  const sources = new Set(figures.bySource.map(({ source }) => source));
  const { prevalence, distributions } = await countedIn(active, version);
  const status = await api.get(serviceStatus, "status");
  const best = await api.get(recordList, "records", {
    query: { repository: key, sortBy: "score", sortOrder: "desc", limit: BEST, rubric: version },
  });
  const digest = active.digest?.replace(":", "-") ?? "";
  const diff = await api.getUnless(["not-found", "release-not-found"], releaseDiff, "release-diff", { key: digest });
  return repositoryView({
    figures,
    version,
    pledges: (await pledgedSources(version)).filter(({ source }) => sources.has(source)),
    standings: status.sources.filter(({ source }) => sources.has(source)),
    prevalence: prevalence.filter(({ repository }) => repository === key),
    distribution: distributions.get(key) ?? {},
    best: best.data,
    moved:
      diff === null || diff.from === null
        ? []
        : diff.sources.filter(({ source, rubric }) => rubric === version && sources.has(source)),
    origin: signIn.site.origin,
  });
}
