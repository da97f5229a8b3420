/** The home view, with an example and searches from the active release. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import { listImprovements } from "../../pipeline/evaluate/evaluation.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import { serviceStatus } from "../../schemas/public/api/service.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { coveredDatasets } from "../../web/components/scopes.ts";
import { type HomePage, homeView } from "../../web/views/home.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import type { Handler } from "../http/routes.ts";
import { TABLES } from "../read/list-tables.ts";
import { sourceNames } from "./datasets.ts";
import { ApiClient, type SiteContext, surroundings, unless, viewResponse } from "./page-handler.ts";

/** Responds at the root with a view for people, and with `index` for programs. */
export function homeHandler(index: Handler<"index">, context: SiteContext): Handler<"index"> {
  const { viewCache } = context;
  return async (typedRequest, reply) => {
    const { request } = typedRequest;
    if (!prefersHtml(request)) return index(typedRequest, reply);
    const cached = viewCache.get(request.target);
    if (cached !== undefined) return cached;
    const { moment } = viewCache;
    const api = new ApiClient(context, { request, reply });
    const metrics = await unless(["no-release", "rubric-not-published"], api.metrics());
    const view = homeView(metrics === null ? null : await makeHome(metrics, api, context));
    const response = viewResponse(view, surroundings(request, context), CACHE.page);
    viewCache.set(request.target, response, moment);
    return response;
  };
}

/** The highest total of an example, so that it has a next step. */
const MAX_POINTS = 80;

/** The example is the dataset with the highest total of at most MAX_POINTS. */
async function makeHome(
  metrics: LiveMetrics,
  api: ApiClient,
  context: Pick<SiteContext, "active" | "standings">,
): Promise<HomePage> {
  const order = { sortBy: "score", sortOrder: "desc" };
  const below = await api.list("records", { ...order, maxScore: String(MAX_POINTS) });
  const { data } = below.data.length > 0 ? below : await api.list("records", order);
  const [row] = data;
  const record = row === undefined ? null : await api.record(row.id, PUBLIC_VERSIONS[0]);
  const example = record?.score == null ? null : { record, steps: listImprovements(record) };
  const largest = listRepositories(metrics).toSorted((one, other) => other.count - one.count)[0]?.repository;
  const word = row?.title?.match(/[a-z]{5,}/gi)?.toSorted((one, other) => other.length - one.length)[0];
  const doi = data.find((each) => each.doi !== null)?.doi;
  const searches = [word, largest, doi].filter((text) => text !== undefined && text !== null);
  const { sources } = await api.get(serviceStatus, "status");
  const names = await sourceNames();
  const covered = coveredDatasets(
    sources
      .filter(({ coverage }) => coverage.harvested > 0)
      .map(({ source, scopes }) => ({ name: names.get(source) ?? source, scopes })),
  );
  return { metrics, covered, example, searches, withOrcid: await countWithOrcid(context, api) };
}

/** Counts the researchers with an ORCID iD, without those who are hidden. */
export async function countWithOrcid(
  { active, standings }: Pick<SiteContext, "active" | "standings">,
  api: ApiClient,
): Promise<number> {
  const { hidden } = standings.current;
  return api.query(active, ({ engine }) =>
    engine.totals.of(`orcid ${[...hidden].join()}`, async () => {
      const [row] = await engine.rows(
        `select cast(count(*) as integer) from ${TABLES.texts("authors")}
         join ${TABLES.listed("authors", PUBLIC_VERSIONS[0])} as listed using (position)
         where orcid is not null and id not in (select unnest(string_split($hidden, ',')))`,
        { hidden: [...hidden].join(",") },
      );
      return Number(row?.[0] ?? 0);
    }),
  );
}
