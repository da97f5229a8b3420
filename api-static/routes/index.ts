/**
 * The API in one table: path, parameters, response, page files and cache rule of every endpoint. Rendering, server and
 * OpenAPI use this table. A second table has the views of the site.
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
  FTR_TYPE,
  hasPage,
  LINKED_DATA_TYPE,
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

/** Endpoints for which releases have pages, by the name of the route. */
const PAGE_ROUTES = {
  records: {
    ...PLAIN_ROUTE,
    path: "/records",
    needs: "scores",
    subject: "release",
    tag: "Records",
    summary: "List datasets with their scores",
    description:
      "A record must match all filters. Facet filters match the source's own text exactly. Failed records, and records with too few evaluable signals (`insufficient_evidence`), have no score. They come last if you sort by score.",
    list: true,
    query: recordListQuery,
    answer: recordList,
    queried: queriedRecordList,
    problems: ["rubric-not-published", "attribution-not-published"],
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
    summary: "Get a dataset with its 25 signals",
    description:
      "For each signal: its state, the evidence, the field of the source's payload that has the evidence, and advice for the depositor. A withdrawn record, or a record that is not a dataset, is 404 with the reason. With `Accept: application/ld+json` the response uses the W3C Data Quality Vocabulary: one measurement for the total and one for each signal, without a value if it is unknown. With the profile `https://w3id.org/ftr/1.3.0` it is an `ftr:TestResultSet` (FAIR Test Results).",
    key: recordKey,
    query: rubricQuery,
    linkedData: [LINKED_DATA_TYPE, FTR_TYPE],
    // The response names the creators of the dataset.
    cache: CACHE.person,
    answer: recordDetail,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.json"),
  },
  impact: {
    ...PLAIN_ROUTE,
    path: "/records/{id}/impact",
    subject: "record",
    tag: "Records",
    summary: "Get the observed use of a dataset beside its score",
    description: "Views, downloads and citations as the source reports them. They are not part of the SHARE 2.0 score.",
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
    summary: "List researchers with their S-Index",
    description:
      "The ORCID iD identifies a researcher; without one, the name and affiliation do. Two people are never merged by name alone. Researchers who opted out are not listed.",
    list: true,
    showsResearchers: true,
    cache: CACHE.person,
    query: authorListQuery,
    answer: researcherList,
    queried: queriedResearcherList,
    problems: ["rubric-not-published", "attribution-not-published"],
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
    summary: "Get a researcher with up to 100 datasets",
    description:
      "The 100 datasets with the highest scores. The versions of one dataset count once. An earlier slug of the researcher redirects to the current one.",
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
    summary: "Get the metrics of the active release",
    description:
      "Counts over all records of the release, with an excerpt of its receipt. `sampling` is a census only if every source is known to be complete. Each mean has the mean cap of its sources. If no record has a total under the version, the response is 409.",
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
    summary: "List the metrics of every release, oldest first",
    description: "Includes the active release. Each release copies the earlier snapshots unchanged.",
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
    summary: "List the public SHARE versions",
    description: "Each row has the contract of the version, and whether the active release has scores under it.",
    answer: rubricList,
    pages: [{ query: "", version: null, path: "api/rubrics/index.json" }],
  },
  rubric: {
    ...PLAIN_ROUTE,
    path: "/rubrics/{version}",
    subject: "release",
    tag: "Rubrics",
    summary: "Get a rubric by public version or contract",
    description:
      "The signals with their questions, rules and advice, the order of the mask bits, and the six states. With `Accept: application/ld+json` the response is an `ftr:Benchmark` with its metrics and tests.",
    key: versionKey,
    linkedData: [FTR_TYPE],
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
    summary: "List reported affiliations",
    description:
      "Each row is an affiliation text as reported; its id is the SHA-256 of the exact text. These are not organisations of a registry, and they have no S-Index.",
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
    summary: "List countries",
    description:
      "The countries of the creators' affiliations, as ISO 3166-1 alpha-3. A record can count in several countries, once in each. Means exclude failed records.",
    list: true,
    query: countryListQuery,
    answer: countryList,
    queried: queriedCountryList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/geography.json"),
  },
  ...BADGE_ROUTES,
} as const satisfies RouteRows;

/** Endpoints without pages in releases, which need the server. */
const SERVER_ROUTES = { ...SERVICE_ROUTES, ...SIGN_IN_ROUTES, ...ACCOUNT_ROUTES };
const ROWS = { ...PAGE_ROUTES, ...SERVER_ROUTES };

const PAGE_ROWS = { ...SITE_ROUTES, ...SITE_FORM_ROUTES };

type Rows = typeof ROWS & typeof PAGE_ROWS;
export type RouteName = keyof Rows;
export type PageRouteName = keyof typeof PAGE_ROUTES;
export type ServiceRouteName = keyof typeof SERVER_ROUTES;
export type SiteRouteName = keyof typeof PAGE_ROWS;
/** A route, with the exact types of its row in the table of routes. */
export type RouteNamed<Name extends RouteName> = Rows[Name] & { readonly name: Name };

export const ROUTES: readonly Route[] = Object.entries(ROWS).map(([name, row]) => ({ name, ...row }));

export const PAGES: readonly Route[] = Object.entries(PAGE_ROWS).map(([name, row]) => ({ name, ...row }));

/** Returns the view that shows the same content as an endpoint, or null. */
export function pageFor(name: string): Route | null {
  return PAGES.find(({ twin }) => twin === name) ?? null;
}

export function isServiceRoute(name: string): name is ServiceRouteName {
  return Object.hasOwn(SERVER_ROUTES, name);
}

export function isSiteRoute(name: string): name is SiteRouteName {
  return Object.hasOwn(PAGE_ROWS, name);
}

export function routeNamed(name: string): Route {
  const route = ROUTES.find((entry) => entry.name === name) ?? PAGES.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`there is no route called ${name} in api-static/routes`);
  return route;
}

export interface AskedPage {
  readonly route: Route;
  readonly file: PageFile;
  /** The key, percent-decoded; empty if the route has no key. */
  readonly key: string;
}

/**
 * Returns the page for a request; null if no page matches exactly. @param target path and query of the request, undecoded
 */
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

/** Returns the decoded key in a path, or null if the path does not match the route. */
function keyIn(route: Route, path: string): string | null {
  if (route.key === null) return path === route.path ? "" : null;
  const [before = "", after = ""] = route.path.split(`{${route.key.name}}`);
  const between = path.slice(before.length, path.length - after.length);
  if (path !== `${before}${between}${after}` || between.includes("/")) return null;
  const key = decoded(between);
  return key !== null && hasPage(key) && route.key.schema.safeParse(key).success ? key : null;
}
