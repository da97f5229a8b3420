/**
 * The API in one table: path, parameters, answer, page files and cache rule of every address.
 * Rendering, serving, nginx and OpenAPI all read it; there is no other list of addresses.
 */

import { z } from "zod";
import { liveMetrics, metricsHistory } from "../schemas/api/metrics.ts";
import { countryList, institutionList } from "../schemas/api/place.ts";
import {
  authorListQuery,
  countryListQuery,
  institutionListQuery,
  noQuery,
  recordListQuery,
  rubricQuery,
} from "../schemas/api/queries.ts";
import { recordDetail, recordImpact, recordList } from "../schemas/api/record.ts";
import { researcherDetail, researcherList } from "../schemas/api/researcher.ts";
import { rubricDescriptor, rubricList } from "../schemas/api/rubric.ts";
import { CACHE, HTML_TYPE, JSON_TYPE, type PathKey, type Route, type Subject, SVG_TYPE, versions } from "./route.ts";

const recordKey: PathKey = {
  name: "id",
  schema: z.string().max(160),
  description: "Id of a record: the letter r and 24 hexadecimal digits. Never a DOI.",
  example: "r0123456789abcdef01234567",
};

const slugKey: PathKey = {
  name: "slug",
  schema: z.string().max(160),
  description: "Slug of a researcher, as `/authors` shows it.",
  example: "jane-doe-0000-0002-1825-0097",
};

const digestKey: PathKey = {
  name: "digest",
  schema: z.string().regex(/^sha256[-:][0-9a-f]{64}$/),
  description: "Digest of a release, written `sha256-<hex>`; the form with a colon is redirected.",
  example: `sha256-${"0".repeat(64)}`,
};

const PLAIN = {
  method: "get",
  key: null,
  query: noQuery,
  list: false,
  throughServer: false,
  contentType: JSON_TYPE,
  body: null,
  answer: null,
  status: 200,
  cache: CACHE.page,
  problems: [],
} as const;

type Rest = Partial<Route> & Pick<Route, "tag" | "summary">;

/** An address that the release has pages for. */
function page(name: string, path: string, subject: Subject, rest: Rest & Pick<Route, "pages">): Route {
  return { ...PLAIN, name, path, subject, ...rest };
}

/** An address that only the server answers. */
function service(name: string, path: string, rest: Rest): Route {
  return { ...PLAIN, name, path, subject: null, throughServer: true, pages: [], ...rest };
}

export const ROUTES: readonly Route[] = [
  page("records", "/records", "release", {
    tag: "Records",
    summary: "Datasets with their scores",
    list: true,
    query: recordListQuery,
    answer: recordList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/records.json"),
      ...versions("api/{version}/lists/records-by-score.json", "sortBy=score&sortOrder=desc"),
    ],
  }),
  page("record", "/records/{id}", "record", {
    tag: "Records",
    summary: "One dataset with its 25 signals explained",
    key: recordKey,
    query: rubricQuery,
    answer: recordDetail,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.json"),
  }),
  page("impact", "/records/{id}/impact", "record", {
    tag: "Records",
    summary: "Stewardship and, apart from it, observed use of a dataset",
    key: recordKey,
    query: rubricQuery,
    answer: recordImpact,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.impact.json"),
  }),
  page("authors", "/authors", "release", {
    tag: "Researchers",
    summary: "Researchers with their S-Index",
    list: true,
    throughServer: true,
    query: authorListQuery,
    answer: researcherList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/authors.json"),
      ...versions("api/{version}/lists/authors-by-s-index.json", "sortBy=sIndex&sortOrder=desc"),
    ],
  }),
  page("author", "/authors/{slug}", "researcher", {
    tag: "Researchers",
    summary: "One researcher with their best hundred datasets",
    key: slugKey,
    query: rubricQuery,
    throughServer: true,
    answer: researcherDetail,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: versions("api/{version}/authors/{shard}/{key}.json"),
  }),
  page("metrics", "/metrics/live", "release", {
    tag: "Metrics",
    summary: "Platform metrics of the active release",
    query: rubricQuery,
    answer: liveMetrics,
    problems: ["rubric-not-published"],
    pages: versions("api/{version}/metrics/live.json"),
  }),
  page("history", "/metrics/history", "release", {
    tag: "Metrics",
    summary: "Metrics of every release so far, oldest first",
    query: rubricQuery,
    answer: metricsHistory,
    problems: ["rubric-not-published", "history-not-published"],
    pages: versions("api/{version}/metrics/history.json"),
  }),
  page("rubrics", "/rubrics", "release", {
    tag: "Rubrics",
    summary: "The public SHARE versions",
    answer: rubricList,
    pages: [{ query: "", version: null, path: "api/rubrics/index.json" }],
  }),
  page("rubric", "/rubrics/{version}", "release", {
    tag: "Rubrics",
    summary: "One rubric: a public version or an exact contract identifier",
    key: {
      name: "version",
      schema: z.string().max(40),
      description: "A public version, or the exact identifier of a contract.",
      example: "2.0",
    },
    answer: rubricDescriptor,
    problems: ["unsupported-rubric"],
    pages: [{ query: "", version: null, path: "api/rubrics/{key}.json" }],
  }),
  page("institutions", "/institutions", "release", {
    tag: "Attribution",
    summary: "Reported affiliations",
    list: true,
    query: institutionListQuery,
    answer: institutionList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/institutions.json"),
  }),
  page("geography", "/geography", "release", {
    tag: "Attribution",
    summary: "Countries",
    list: true,
    query: countryListQuery,
    answer: countryList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/geography.json"),
  }),
  page("dataset-badge", "/widgets/datasets/{id}/badge.svg", "record", {
    tag: "Badges",
    summary: "A dataset's score as a badge",
    key: recordKey,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: [{ query: "", version: "2.0", path: "widgets/datasets/{shard}/{key}.svg" }],
  }),
  page("repository-badge", "/widgets/repositories/{repository}/badge.svg", "repository", {
    tag: "Badges",
    summary: "A repository's mean as a badge",
    key: {
      name: "repository",
      schema: z.string().max(400),
      description: "Exact label of a repository, percent-encoded once.",
      example: "Zenodo",
    },
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["repository-not-found", "rubric-not-published"],
    pages: [{ query: "", version: "2.0", path: "widgets/repositories/{key}.svg" }],
  }),
  page("researcher-badge", "/widgets/researchers/{slug}/badge.svg", "researcher", {
    tag: "Badges",
    summary: "A researcher's S-Index as a badge",
    key: slugKey,
    throughServer: true,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: [{ query: "", version: "2.0", path: "widgets/researchers/{shard}/{key}.svg" }],
  }),
  service("releases", "/releases", { tag: "Releases", summary: "All releases, newest first" }),
  service("release", "/releases/{digest}", {
    tag: "Releases",
    summary: "The receipt of a release",
    key: digestKey,
    cache: CACHE.immutable,
    problems: ["release-not-found"],
  }),
  service("release-file", "/releases/{digest}/{file}", {
    tag: "Releases",
    summary: "A file of a release",
    description: "`file` is the path of a file that the release's manifest names, slashes as they are.",
    key: digestKey,
    contentType: "application/octet-stream",
    cache: CACHE.immutable,
    problems: ["release-not-found", "not-found", "range-not-satisfiable"],
  }),
  service("index", "/", { tag: "Service", summary: "What this service is and where to begin" }),
  service("health", "/health", {
    tag: "Service",
    summary: "Whether the server answers, and from which release",
    cache: CACHE.never,
  }),
  service("status", "/status", {
    tag: "Service",
    summary: "How old and how whole each source is",
    cache: CACHE.never,
  }),
  service("openapi", "/openapi.json", { tag: "Service", summary: "This API as OpenAPI 3.1" }),
  service("docs", "/docs", { tag: "Service", summary: "This API as a page to read", contentType: HTML_TYPE }),
  service("problem", "/problems/{type}", {
    tag: "Service",
    summary: "What a problem means and what to do about it",
    key: {
      name: "type",
      schema: z.string().max(80),
      description: "Last segment of the member `type` of a problem document.",
      example: "dataset-not-found",
    },
    problems: ["not-found"],
  }),
];

/** The route called `name`. */
export function routeNamed(name: string): Route {
  const route = ROUTES.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`there is no route called ${name}`);
  return route;
}
