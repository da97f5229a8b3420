/** The feeds of changes: of a dataset, a researcher, a repository, an institution, a funder, and a search. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import type { SiteRouteName } from "../../api-static/routes/index.ts";
import { ATOM_TYPE, CACHE, repositoryKey } from "../../api-static/routes/route.ts";
import { writeSavedSearch } from "../../schemas/public/account/saved.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { datasetName } from "../../web/components/record-rows.ts";
import { searchWords } from "../../web/components/saving.ts";
import { changesFeed, changesFeedPath } from "../../web/views/changes-feed.ts";
import { contentResponse, type HttpResponse, ProblemError, redirectResponse } from "../http/response.ts";
import { type Handlers, type TypedRequest, unknownKey } from "../http/routes.ts";
import type { ChosenRecords } from "../read/movements.ts";
import { DatasetLeft } from "../read/other-releases.ts";
import { type ApiClient, ApiRedirect, findRedirectTarget, type SiteContext, viewHandler } from "./page-handler.ts";

type FeedName = Exclude<Extract<SiteRouteName, `${string}-feed`>, "releases-feed">;

/** The subject of a feed, for example a dataset or a saved search. */
interface Followed {
  readonly name: string;
  /** The path of the page about the subject. */
  readonly page: string;
  readonly chosen: ChosenRecords;
}

export function changesFeedHandlers(context: SiteContext): Handlers<FeedName> {
  const makeHandler = <Name extends FeedName>(
    name: Name,
    find: (typedRequest: TypedRequest<Name>, api: ApiClient) => Promise<Followed>,
  ) =>
    viewHandler(name, context, async (typedRequest, api) => {
      try {
        return await feedResponse(await find(typedRequest, api), typedRequest.request, context);
      } catch (error) {
        if (!(error instanceof ApiRedirect)) throw error;
        return redirectResponse(changesFeedPath(findRedirectTarget(error).path), CACHE.person);
      }
    });
  return {
    "dataset-feed": makeHandler("dataset-feed", async ({ key }, api) => ({
      name: await nameOfDataset(key, api),
      page: `/datasets/${key}`,
      chosen: { kind: "records", value: key },
    })),
    "researcher-feed": makeHandler("researcher-feed", async ({ key }, api) => {
      const { id, name, slug } = await api.get(researcherDetail, "author", { key });
      return { name, page: `/researchers/${slug}`, chosen: { kind: "researcher", value: id } };
    }),
    "repository-feed": makeHandler("repository-feed", async ({ key }, api) => {
      const metrics = await api.metrics();
      if (!listRepositories(metrics).some(({ repository }) => repository === key)) throw unknownKey(repositoryKey);
      return {
        name: key,
        page: `/repositories/${encodeURIComponent(key)}`,
        chosen: { kind: "repository", value: key },
      };
    }),
    "organisation-feed": makeHandler("organisation-feed", ({ key }, api) =>
      collection("ror", { name: `institution ${key}`, page: `/organisations/${key}`, key }, api),
    ),
    "funder-feed": makeHandler("funder-feed", ({ key }, api) =>
      collection("funder", { name: `funder ${key}`, page: `/funders/${encodeURIComponent(key)}`, key }, api),
    ),
    "search-feed": makeHandler("search-feed", async ({ query: { page: _page, order: _order, ...filters } }) => {
      const value = searchIn(filters);
      return { name: searchWords(value), page: `/datasets?${value}`, chosen: { kind: "search", value } };
    }),
  };
}

/** Returns the name of a dataset. A dataset that left the release has a feed too, which shows when it left. */
async function nameOfDataset(id: string, api: ApiClient): Promise<string> {
  try {
    return datasetName(await api.record(id, PUBLIC_VERSIONS[0]));
  } catch (error) {
    if (!(error instanceof DatasetLeft)) throw error;
    return error.last.title ?? id;
  }
}

/**
 * Returns the name, the page and the search that a feed of an institution or funder needs.
 * @throws ProblemError `not-found` if no dataset states the institution or funder
 */
async function collection(
  filter: "ror" | "funder",
  { key, name, page }: { readonly key: string; readonly name: string; readonly page: string },
  api: ApiClient,
): Promise<Followed> {
  const { pagination } = await api.list("records", { [filter]: key, limit: "1" });
  const value = writeSavedSearch({ [filter]: key });
  if (pagination.total === 0 || value === null) {
    const words = filter === "ror" ? "an institution with this ROR id" : "this funder";
    throw new ProblemError(
      "not-found",
      `No dataset of the current release states ${words}. Check the URL, or search the datasets for another spelling.`,
    );
  }
  return { name, page, chosen: { kind: "search", value } };
}

/**
 * Returns the filters of a search in the form of a saved search, for example `funder=Elsewhere+Science+Fund`.
 * @throws ProblemError `invalid-parameter` if it has no filter that a feed can follow
 */
function searchIn({ rubric: _rubric, sortBy: _by, sortOrder: _order, limit: _limit, ...filters }: Texts): string {
  const value = writeSavedSearch(filters);
  if (value !== null) return value;
  throw new ProblemError(
    "invalid-parameter",
    "This is not a search that can be followed. Give at least one filter of /records, other than ids and author, for example funder=Elsewhere+Science+Fund.",
  );
}

type Texts = Readonly<Record<string, string>>;

type FeedParts = "active" | "movements" | "viewCache" | "signIn" | "face";

async function feedResponse(
  { chosen, ...about }: Followed,
  request: TypedRequest<FeedName>["request"],
  { active, movements, viewCache, signIn, face }: Pick<SiteContext, FeedParts>,
): Promise<HttpResponse> {
  const { moment } = viewCache;
  const [found, begun] = await active.use(async (release) => {
    const chain = await movements.chain(release.receipt);
    const { publishedAt } = chain.at(-1) ?? release.receipt;
    return [await movements.of(chosen, chain, release.for(request).engine), publishedAt] as const;
  });
  const cache = chosen.kind === "researcher" ? CACHE.person : CACHE.page;
  const text = changesFeed({ ...about, begun, movements: found }, signIn.site.origin, face.title);
  const response = contentResponse(Buffer.from(text), ATOM_TYPE, cache);
  viewCache.set(request.target, response, moment);
  return response;
}
