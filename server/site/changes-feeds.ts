/** The feeds of changes: of a repository, an organisation and a researcher. */

import { repositoriesOf } from "../../api-static/pages/metrics.ts";
import { ATOM_TYPE, CACHE, repositoryKey } from "../../api-static/routes/route.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { changesFeed, changesFeedPath } from "../../web/views/changes-feed.ts";
import { contentResponse, type HttpResponse, ProblemError, redirectResponse } from "../http/response.ts";
import { type Handlers, type TypedRequest, unknownKey } from "../http/routes.ts";
import type { ChosenRecords } from "../read/movements.ts";
import { type ApiClient, ApiRedirect, type SiteContext, viewHandler } from "./page-handler.ts";

export function changesFeedHandlers(
  context: SiteContext,
): Handlers<"repository-feed" | "organisation-feed" | "researcher-feed"> {
  return {
    "repository-feed": viewHandler("repository-feed", context, async ({ key, request }, api) => {
      const metrics = await api.metrics();
      if (!repositoriesOf(metrics).some(({ repository }) => repository === key)) throw unknownKey(repositoryKey);
      const page = `/repositories/${encodeURIComponent(key)}`;
      return feedResponse({ name: key, page }, { kind: "repository", value: key }, request, context);
    }),
    "organisation-feed": viewHandler("organisation-feed", context, async ({ key, request }, api) => {
      const { pagination } = await api.list("records", { ror: key, limit: "1" });
      if (pagination.total === 0) {
        throw new ProblemError("not-found", "No dataset of the active release states an institution with this ROR id.");
      }
      const name = `institution ${key}`;
      return feedResponse(
        { name, page: `/organisations/${key}` },
        { kind: "organisation", value: key },
        request,
        context,
      );
    }),
    "researcher-feed": viewHandler("researcher-feed", context, (typedRequest, api) =>
      researcherFeed(typedRequest, api, context),
    ),
  };
}

async function researcherFeed(
  { key, request }: TypedRequest<"researcher-feed">,
  api: ApiClient,
  context: SiteContext,
): Promise<HttpResponse> {
  try {
    const { id, name, slug } = await api.get(researcherDetail, "author", { key });
    return await feedResponse(
      { name, page: `/researchers/${slug}` },
      { kind: "researcher", value: id },
      request,
      context,
    );
  } catch (error) {
    if (!(error instanceof ApiRedirect)) throw error;
    return redirectResponse(changesFeedPath(`/researchers/${encodeURIComponent(error.key)}`), CACHE.person);
  }
}

async function feedResponse(
  about: { readonly name: string; readonly page: string },
  chosen: ChosenRecords,
  request: TypedRequest<"repository-feed">["request"],
  { active, movements, viewCache, signIn }: Pick<SiteContext, "active" | "movements" | "viewCache" | "signIn">,
): Promise<HttpResponse> {
  const { moment } = viewCache;
  const found = await active.use(async (release) =>
    movements.of(chosen, await movements.chain(release.receipt), release.for(request).engine),
  );
  const cache = chosen.kind === "researcher" ? CACHE.person : CACHE.page;
  const text = changesFeed({ ...about, movements: found }, signIn.site.origin);
  const response = contentResponse(Buffer.from(text), ATOM_TYPE, cache);
  viewCache.set(request.target, response, moment);
  return response;
}
