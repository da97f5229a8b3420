/** The home view, with an example and searches from the active release. */

import { exactMean } from "../../api-static/pages/numbers.ts";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import { type ReleaseDiff, releaseDiff } from "../../schemas/public/api/diff.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import { serviceStatus } from "../../schemas/public/api/service.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { BucketId } from "../../schemas/public/signal.ts";
import { sumPoints } from "../../web/components/bars.ts";
import type { View } from "../../web/components/document.ts";
import { coveredDatasets } from "../../web/components/scopes.ts";
import { pathIn } from "../../web/languages/paths.ts";
import type { Language } from "../../web/languages/translate.ts";
import { type HomePage, homeView } from "../../web/views/home.ts";
import type { KnownResearchers } from "../../web/views/researchers.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import type { ApiRequest } from "../http/read-request.ts";
import type { HttpResponse } from "../http/response.ts";
import type { Handler } from "../http/routes.ts";
import { TABLES } from "../read/list-tables.ts";
import { SharedResults } from "../read/shared-results.ts";
import { countSignals, overall } from "./counts.ts";
import { inLanguage, preferredLanguage } from "./languages.ts";
import {
  ApiClient,
  cacheKey,
  nameRelease,
  type SiteContext,
  surroundings,
  unless,
  viewResponse,
} from "./page-handler.ts";

/** Returns the handler of the path `/`, which responds with the home view for people, and with `index` for programs. */
export function homeHandler(index: Handler<"index">, context: SiteContext): Handler<"index"> {
  const { viewCache } = context;
  return async (typedRequest, reply) => {
    const { request } = typedRequest;
    if (!prefersHtml(request)) return index(typedRequest, reply);
    nameRelease(reply, context);
    const preferred = context.isStatic ? "en" : chooseLanguage(request);
    if (preferred !== "en") return redirectHome(preferred, request);
    const cached = viewCache.get(cacheKey(request));
    if (cached !== undefined) return cached;
    return inLanguage(request.language ?? "en", async () => {
      const { moment } = viewCache;
      const api = new ApiClient(context, { request, reply });
      const made = viewResponse(await makeHomeView(api, context), surroundings(request, context), CACHE.page);
      const response = request.language === null ? { ...made, headers: { ...made.headers, ...VARY } } : made;
      viewCache.set(cacheKey(request), response, moment);
      return response;
    });
  };
}

/** The header Vary of the plain home page, which depends on the language of the browser. */
const VARY = { vary: `${SHARED_HEADERS.vary}, Accept-Language` };

/**
 * Returns the language to which to redirect: the language that the browser prefers. English means no redirect, also for
 * a URL with a language and for a link on the site, because both already decide the language.
 */
function chooseLanguage({ language, headers }: ApiRequest): Language {
  if (language !== null || headers["sec-fetch-site"] === "same-origin") return "en";
  return preferredLanguage(headers["accept-language"]);
}

function redirectHome(to: Language, { target }: ApiRequest): HttpResponse {
  const headers = { ...VARY, location: pathIn(to, target), "cache-control": CACHE.page };
  return { status: 302, headers, body: null };
}

export async function makeHomeView(api: ApiClient, context: Pick<SiteContext, "active" | "standings">): Promise<View> {
  const metrics = await unless(["no-release", "rubric-not-published"], api.metrics());
  return homeView(metrics === null ? null : await makeHome(metrics, api, context));
}

/** The highest total of the example on the home page. With more points, a dataset might have no next step to show. */
const MAX_POINTS = 80;

/** Reads the content of the home view. Its example is the dataset with the highest total, of at most MAX_POINTS if possible. */
async function makeHome(
  metrics: LiveMetrics,
  api: ApiClient,
  context: Pick<SiteContext, "active" | "standings">,
): Promise<HomePage> {
  const order = { sortBy: "score", sortOrder: "desc", limit: "1" };
  const below = await api.list("records", { ...order, maxScore: String(MAX_POINTS) });
  const { data } = below.data.length > 0 ? below : await api.list("records", order);
  const [row] = data;
  const record = row === undefined ? null : await api.record(row.id, PUBLIC_VERSIONS[0]);
  const { sources } = await api.get(serviceStatus, "status");
  const names = sourceNames();
  const covered = coveredDatasets(
    sources
      .filter(({ coverage }) => coverage.harvested > 0)
      .map(({ source, scopes }) => ({ name: names.get(source) ?? source, scopes })),
  );
  const institutions = await unless(["attribution-not-published"], api.list("institutions", { limit: "1" }));
  return {
    metrics,
    bucketCaps: await readBucketCaps(context.active),
    covered,
    example: record?.score == null ? null : record,
    withOrcid: (await readKnown(context, api)).withOrcid,
    institutions: institutions?.pagination.total ?? null,
    funders: await countFunders(api),
    diff: await readDiff(metrics.release.releaseDigest.replace(":", "-"), api),
  };
}

/** Reads the averages of the possible points of each bucket, in hundredths; null without a dataset with a score. */
async function readBucketCaps(active: SiteContext["active"]): Promise<HomePage["bucketCaps"]> {
  const prevalence = await countSignals(active, PUBLIC_VERSIONS[0]);
  const signals = [...overall(prevalence).values()];
  const capOf = (bucket: BucketId) => {
    const { scored, possible } = sumPoints(signals.filter(({ signal }) => signal.startsWith(bucket)));
    return scored === 0 ? null : exactMean(possible, scored);
  };
  return { S: capOf("S"), H: capOf("H"), A: capOf("A"), R: capOf("R"), E: capOf("E") };
}

/** The figures of all researchers, by release and hidden researchers. Reading them reads a complete table. */
const KNOWN = new SharedResults<KnownResearchers>({ max: 20 });

/** Reads figures of all researchers. Hidden researchers do not count. */
export async function readKnown(
  { standings }: Pick<SiteContext, "standings">,
  api: ApiClient,
): Promise<KnownResearchers> {
  const { hidden } = standings.current;
  return api.query(({ engine, receipt }) =>
    KNOWN.of(`${receipt.releaseDigest} ${[...hidden].join()}`, async () => {
      const rows = await engine.rows(
        `select left(name, 1), cast(count(*) as integer),
           ${["identity_basis = 'orcid'", "identity_basis = 'name'", "identity_basis <> 'name' and s_index > 1"]
             .map((kind) => `cast(count(*) filter (${kind}) as integer)`)
             .join(", ")}
         from ${TABLES.texts("authors")}
         join ${TABLES.listed("authors", PUBLIC_VERSIONS[0])} as listed using (position)
         where id not in (select unnest(string_split($hidden, ',')))
         group by 1 order by 1`,
        { hidden: [...hidden].join(",") },
      );
      const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0);
      return {
        withOrcid: sum(2),
        nameOnly: sum(3),
        withIndex: sum(4),
        initials: rows.map(([initial, researchers]) => [String(initial), Number(researchers)] as const),
      };
    }),
  );
}

/** Counts the names of funders; null for a release before format 3. */
function countFunders(api: ApiClient): Promise<number | null> {
  return api.query(async ({ engine }) => {
    if (!engine.hasJoinTables) return null;
    const [row] = await engine.rows(`select cast(count(*) as integer) from ${TABLES.funderNames}`);
    return Number(row?.[0] ?? 0);
  });
}

/** Problems which mean that a release has no comparison: it was built without one, or was removed. */
const NO_DIFF = ["not-found", "release-not-found"];

/** Reads the changes of a release; null if it has none. `digest` is in the form of URLs, such as `sha256-80ed…`. */
export function readDiff(digest: string, api: ApiClient): Promise<ReleaseDiff | null> {
  return unless(NO_DIFF, api.get(releaseDiff, "release-diff", { key: digest }));
}
