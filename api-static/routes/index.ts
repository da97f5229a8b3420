/**
 * The API in one table: path, parameters, answer, page files and cache rule of every address.
 * Rendering, serving and OpenAPI all read it; there is no other list of addresses. Pages for people stand beside it.
 */

import {
  countryList,
  institutionList,
  queriedCountryList,
  queriedInstitutionList,
} from "../../schemas/public/api/attribution.ts";
import { liveMetrics, metricsHistory } from "../../schemas/public/api/metrics.ts";
import {
  authorListQuery,
  countryListQuery,
  institutionListQuery,
  recordListQuery,
  rubricQuery,
} from "../../schemas/public/api/queries.ts";
import { queriedRecordList, recordDetail, recordImpact, recordList } from "../../schemas/public/api/record.ts";
import { queriedResearcherList, researcherDetail, researcherList } from "../../schemas/public/api/researcher.ts";
import { rubricDescriptor, rubricList } from "../../schemas/public/api/rubric.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { BADGE_ROUTES } from "./badge-routes.ts";
import {
  CACHE,
  decoded,
  hasPage,
  type PageFile,
  PLAIN_ROUTE,
  type Route,
  type RouteRows,
  recordKey,
  slugKey,
  versionKey,
  versions,
} from "./route.ts";
import { SERVICE_ROUTES } from "./service-routes.ts";
import { SIGN_IN_ROUTES } from "./sign-in-routes.ts";
import { SITE_FORM_ROUTES } from "./site-form-routes.ts";
import { SITE_ROUTES } from "./site-routes.ts";

/** Addresses that a release has pages for, or whose answers are made as its pages are, by the name of the route. */
const PAGE_ROUTES = {
  records: {
    ...PLAIN_ROUTE,
    path: "/records",
    needs: "scores",
    subject: "release",
    tag: "Records",
    summary: "Datasets with their scores",
    description:
      "Filters are joined by and; those on facets match the source's own words exactly. Failed records, and those of which too few signals could be judged (`insufficient_evidence`), have no score, and come last in every order by one.",
    list: true,
    query: recordListQuery,
    answer: recordList,
    queried: queriedRecordList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/records.json"),
      ...versions("api/{version}/lists/records-by-score.json", "sortBy=score&sortOrder=desc"),
    ],
  },
  record: {
    ...PLAIN_ROUTE,
    path: "/records/{id}",
    subject: "record",
    tag: "Records",
    summary: "One dataset with its 25 signals explained",
    description:
      "For each signal: its state, the evidence it was judged by, where the source's payload has that evidence, and what the depositor can do. An id that was withdrawn, or is of no dataset, is 404 with that reason. With `Accept: application/ld+json` the score comes in the words of the W3C Data Quality Vocabulary: a measurement for the total and each signal, without a value where nothing is known.",
    key: recordKey,
    query: rubricQuery,
    linkedData: true,
    answer: recordDetail,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.json"),
  },
  impact: {
    ...PLAIN_ROUTE,
    path: "/records/{id}/impact",
    subject: "record",
    tag: "Records",
    summary: "Stewardship and, apart from it, observed use of a dataset",
    description: "Outcomes are those the source reports. They never enter the total of SHARE 2.0.",
    key: recordKey,
    query: rubricQuery,
    answer: recordImpact,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.impact.json"),
  },
  authors: {
    ...PLAIN_ROUTE,
    path: "/authors",
    needs: "scores",
    subject: "release",
    tag: "Researchers",
    summary: "Researchers with their S-Index",
    description:
      "Researchers are told apart by ORCID iD, else by name and affiliation; two people are never joined on a name alone. Who has opted out is not listed.",
    list: true,
    showsResearchers: true,
    cache: CACHE.person,
    query: authorListQuery,
    answer: researcherList,
    queried: queriedResearcherList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/authors.json"),
      ...versions("api/{version}/lists/authors-by-s-index.json", "sortBy=sIndex&sortOrder=desc"),
    ],
  },
  author: {
    ...PLAIN_ROUTE,
    path: "/authors/{slug}",
    subject: "researcher",
    tag: "Researchers",
    summary: "One researcher with their best hundred datasets",
    description: "The versions of one dataset count once. An earlier slug of the same researcher is redirected.",
    key: slugKey,
    query: rubricQuery,
    showsResearchers: true,
    cache: CACHE.person,
    answer: researcherDetail,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: versions("api/{version}/authors/{shard}/{key}.json"),
  },
  metrics: {
    ...PLAIN_ROUTE,
    path: "/metrics/live",
    needs: "scores",
    subject: "release",
    tag: "Metrics",
    summary: "Platform metrics of the active release",
    description:
      "Counted over all records of the release, with an excerpt of its receipt. `sampling` says what they are of: a census only where every source is known to have given all it holds. Beside every mean stands the mean cap of its sources. If no record has a total under the version, the response is 409.",
    query: rubricQuery,
    answer: liveMetrics,
    problems: ["rubric-not-published"],
    pages: versions("api/{version}/metrics/live.json"),
  },
  history: {
    ...PLAIN_ROUTE,
    path: "/metrics/history",
    needs: "history",
    subject: "release",
    tag: "Metrics",
    summary: "Metrics of every release so far, oldest first",
    description: "The active release included; each snapshot is carried from release to release as it was published.",
    query: rubricQuery,
    answer: metricsHistory,
    problems: ["rubric-not-published", "history-not-published"],
    pages: versions("api/{version}/metrics/history.json"),
  },
  rubrics: {
    ...PLAIN_ROUTE,
    path: "/rubrics",
    subject: "release",
    tag: "Rubrics",
    summary: "The public SHARE versions",
    description: "Each with the contract it resolves to, and whether the active release has scores under it.",
    answer: rubricList,
    pages: [{ query: "", version: null, path: "api/rubrics/index.json" }],
  },
  rubric: {
    ...PLAIN_ROUTE,
    path: "/rubrics/{version}",
    subject: "release",
    tag: "Rubrics",
    summary: "One rubric: a public version or an exact contract identifier",
    description: "Signals with their questions, rules and advice, the order of the mask bits, and the six states.",
    key: versionKey,
    answer: rubricDescriptor,
    problems: ["unsupported-rubric"],
    pages: [{ query: "", version: null, path: "api/rubrics/{key}.json" }],
  },
  institutions: {
    ...PLAIN_ROUTE,
    path: "/institutions",
    needs: "attribution",
    subject: "release",
    tag: "Attribution",
    summary: "Reported affiliations",
    description:
      "Rows are texts as they were reported, each by the SHA-256 of its exact form. They are not organisations of a registry and have no S-Index.",
    list: true,
    query: institutionListQuery,
    answer: institutionList,
    queried: queriedInstitutionList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/institutions.json"),
  },
  geography: {
    ...PLAIN_ROUTE,
    path: "/geography",
    needs: "attribution",
    subject: "release",
    tag: "Attribution",
    summary: "Countries",
    description:
      "Countries are those of the creators' affiliations, ISO 3166-1 alpha-3. A record may count in several countries, in each once; failed records are in no mean.",
    list: true,
    query: countryListQuery,
    answer: countryList,
    queried: queriedCountryList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/geography.json"),
  },
  ...BADGE_ROUTES,
} as const satisfies RouteRows;

/** Addresses that only the server answers. */
const SERVER_ROUTES = { ...SERVICE_ROUTES, ...SIGN_IN_ROUTES, ...ACCOUNT_ROUTES };
const ROWS = { ...PAGE_ROUTES, ...SERVER_ROUTES };

/** Pages for people. */
const PAGE_ROWS = { ...SITE_ROUTES, ...SITE_FORM_ROUTES };

type Rows = typeof ROWS & typeof PAGE_ROWS;
export type RouteName = keyof Rows;
/** Routes that a release has pages for, and those that only the server answers. */
export type PageRouteName = keyof typeof PAGE_ROUTES;
export type ServiceRouteName = keyof typeof SERVER_ROUTES;
/** Pages for people, and the forms on them. */
export type SiteRouteName = keyof typeof PAGE_ROWS;
/** A route as its row says it, so that whoever answers it knows what is asked. */
export type RouteNamed<Name extends RouteName> = Rows[Name] & { readonly name: Name };

/** Every address of the API, in the order of the reference. */
export const ROUTES: readonly Route[] = Object.entries(ROWS).map(([name, row]) => ({ name, ...row }));

/** Every address of the pages for people; a server may do without them. */
export const PAGES: readonly Route[] = Object.entries(PAGE_ROWS).map(([name, row]) => ({ name, ...row }));

/** The page that shows people what a route answers programs; null where there is none. */
export function pageFor(name: string): Route | null {
  return PAGES.find(({ twin }) => twin === name) ?? null;
}

/** Whether only the server answers the route. */
export function isServiceRoute(name: string): name is ServiceRouteName {
  return Object.hasOwn(SERVER_ROUTES, name);
}

/** Whether the route is a page for people, or a form on one. */
export function isSiteRoute(name: string): name is SiteRouteName {
  return Object.hasOwn(PAGE_ROWS, name);
}

/** The route called `name`. */
export function routeNamed(name: string): Route {
  const route = ROUTES.find((entry) => entry.name === name) ?? PAGES.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`there is no route called ${name}`);
  return route;
}

export interface AskedPage {
  readonly route: Route;
  readonly file: PageFile;
  /** Decoded; empty where the route has none. */
  readonly key: string;
}

/** `target`: path and query as they stand in a request. Null where no page answers it exactly. */
export function askedPage(target: string): AskedPage | null {
  const [path = "", query = ""] = splitOnce(target, "?");
  for (const route of ROUTES) {
    const file = route.pages.find((page) => page.query === query);
    const key = file === undefined ? null : keyIn(route, path);
    if (file !== undefined && key !== null) return { route, file, key };
  }
  return null;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The key that a path has for a route; null where it is none of its addresses. */
function keyIn(route: Route, path: string): string | null {
  if (route.key === null) return path === route.path ? "" : null;
  const [before = "", after = ""] = route.path.split(`{${route.key.name}}`);
  const between = path.slice(before.length, path.length - after.length);
  if (path !== `${before}${between}${after}` || between.includes("/")) return null;
  const key = decoded(between);
  return key !== null && hasPage(key) && route.key.schema.safeParse(key).success ? key : null;
}
