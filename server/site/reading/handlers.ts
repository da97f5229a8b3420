/** Handlers of the pages that anybody reads. */

import { CACHE, CSS_TYPE, SVG_TYPE } from "../../../api-static/routes/route.ts";
import { liveMetrics } from "../../../schemas/public/api/metrics.ts";
import { FAVICON } from "../../../web/components/document.ts";
import { STYLE, STYLE_VERSION } from "../../../web/components/style.ts";
import { homeView } from "../../../web/views/home.ts";
import { privacyView } from "../../../web/views/privacy.ts";
import { contentAnswer } from "../../frame/answering/answer.ts";
import type { Handler, Handlers } from "../../frame/handler.ts";
import { prefersHtml } from "../../frame/reading/wanted-form.ts";
import { pageAnswer } from "../making/answer-page.ts";
import { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { pageHandler, surroundings } from "../making/page-handler.ts";
import { askedVersion } from "./asked-version.ts";
import { makeDataset, makeDatasets, makeDatasetsCsv, makeLinkset, makePicture } from "./datasets.ts";
import { find } from "./find.ts";
import { makeAffiliations, makeCountries } from "./places.ts";
import { makeFeed, makeMovement, makeReleases } from "./releases.ts";
import { makeRepositories, makeRepository } from "./repositories.ts";
import { makeResearcher, makeResearchers } from "./researchers.ts";
import { makeSignal, makeSignals } from "./signals.ts";
import { robots, siteMap, siteMapPart } from "./site-map.ts";
import { suggest } from "./suggestions.ts";

type Names =
  | "find"
  | "suggestions"
  | "datasets"
  | "datasets-csv"
  | "dataset"
  | "dataset-picture"
  | "dataset-linkset"
  | "researchers"
  | "researcher"
  | "repositories"
  | "repository"
  | "signals"
  | "signal"
  | "affiliations"
  | "countries"
  | "style"
  | "favicon"
  | "robots"
  | "site-map"
  | "site-map-part"
  | "releases-page"
  | "movement"
  | "releases-feed"
  | "privacy";

/** Asked for under its version, it is right for ever; under another, as a page of another server names it, for a minute. */
const STYLE_ANSWER = contentAnswer(Buffer.from(STYLE), CSS_TYPE, CACHE.immutable);

export function readingHandlers(context: SiteContext): Handlers<Names> {
  const { signIn, active } = context;
  const named = ({ key, query }: { readonly key: string; readonly query: { readonly rubric: string } }) => ({
    key,
    version: askedVersion(query.rubric),
  });
  return {
    find: pageHandler("find", context, find),
    suggestions: pageHandler("suggestions", context, (asked, api) => suggest(asked, api, context)),
    datasets: pageHandler("datasets", context, makeDatasets),
    "datasets-csv": pageHandler("datasets-csv", context, makeDatasetsCsv),
    dataset: pageHandler("dataset", context, (asked, api) => makeDataset(named(asked), api, context)),
    "dataset-linkset": pageHandler("dataset-linkset", context, ({ key }, api) => makeLinkset(key, api, context)),
    "dataset-picture": pageHandler("dataset-picture", context, ({ key }, api) => makePicture(key, api, context)),
    researchers: pageHandler("researchers", context, makeResearchers),
    researcher: pageHandler("researcher", context, (asked, api) =>
      makeResearcher(named(asked), api, signIn.site.origin),
    ),
    repositories: pageHandler("repositories", context, ({ query }, api) =>
      makeRepositories(askedVersion(query.rubric), api),
    ),
    repository: pageHandler("repository", context, (asked, api) => makeRepository(named(asked), api, context)),
    signals: pageHandler("signals", context, ({ query }, api) => makeSignals(askedVersion(query.rubric), api, context)),
    signal: pageHandler("signal", context, (asked, api) => makeSignal(named(asked), api, context)),
    affiliations: pageHandler("affiliations", context, (asked, api) => makeAffiliations(asked, api, context)),
    countries: pageHandler("countries", context, (_asked, api) => makeCountries(api, context)),
    style: async ({ query: { v } }) =>
      v === STYLE_VERSION
        ? STYLE_ANSWER
        : { ...STYLE_ANSWER, headers: { ...STYLE_ANSWER.headers, "cache-control": CACHE.page } },
    favicon: async () => contentAnswer(Buffer.from(FAVICON), SVG_TYPE, CACHE.page),
    robots: async () => robots(signIn.site.origin),
    "site-map": pageHandler("site-map", context, (_asked, api) => siteMap(api, signIn.site.origin)),
    "site-map-part": pageHandler("site-map-part", context, ({ key }, api) =>
      siteMapPart(Number(key), api, signIn.site.origin),
    ),
    "releases-page": pageHandler("releases-page", context, (_asked, api) => makeReleases(api)),
    movement: pageHandler("movement", context, ({ key }, api) => makeMovement(key, api, active)),
    "releases-feed": pageHandler("releases-feed", context, (asked, api) => makeFeed(asked, api, context)),
    privacy: pageHandler("privacy", context, async () => privacyView()),
  };
}

/** The root: a page for people, and for programs what `index` answers. */
export function homeHandler(index: Handler<"index">, context: SiteContext): Handler<"index"> {
  return async (asked, reply) => {
    if (!prefersHtml(asked.request)) return index(asked, reply);
    const api = new Asking(context.ask, { request: asked.request, reply });
    const metrics = await api.getUnless(["no-release", "rubric-not-published"], liveMetrics, "metrics");
    return pageAnswer(homeView(metrics), surroundings(asked.request, context), CACHE.page);
  };
}
