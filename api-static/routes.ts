/**
 * The read API in one table: path, parameters, answer, page file and cache rule of every address.
 * Rendering, serving, nginx and OpenAPI all read it; there is no other list of addresses.
 */

import { z } from "zod";
import { liveMetrics, metricsHistory } from "../schemas/api/metrics.ts";
import { countryList, institutionList } from "../schemas/api/place.ts";
import { recordDetail, recordImpact, recordList } from "../schemas/api/record.ts";
import { researcherDetail, researcherList } from "../schemas/api/researcher.ts";
import { rubricDescriptor, rubricList } from "../schemas/api/rubric.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../schemas/rubric.ts";

/** How long shared caches may keep an answer. */
export const CACHE = {
  page: "public, max-age=60, stale-while-revalidate=600",
  badge: "public, max-age=300",
  immutable: "public, max-age=31536000, immutable",
} as const;

/** What one page is about: a page of the release names the release and changes with it, the others do not. */
export type Subject = "record" | "researcher" | "repository" | "release";

/** Where the pre-rendered answer lies below the release folder. `{version}`, `{key}`, `{shard}` are filled in. */
export interface PageFile {
  /** The exact query string of the canonical request, without `?`. */
  readonly query: string;
  readonly version: PublicVersion | null;
  readonly path: string;
}

export interface Route {
  readonly name: string;
  /** Path template; `{…}` is the one path parameter, if any. */
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  /** What the path parameter may be. */
  readonly key: z.ZodType<string> | null;
  /** True where `rubric` selects the public version. */
  readonly versioned: boolean;
  /** Lists also answer queries; here only their canonical requests have pages. */
  readonly list: boolean;
  readonly pages: readonly PageFile[];
  readonly contentType: "application/json; charset=utf-8" | "image/svg+xml; charset=utf-8";
  readonly answer: z.ZodType | null;
  readonly cache: (typeof CACHE)[keyof typeof CACHE];
}

const JSON_TYPE = "application/json; charset=utf-8";
const SVG_TYPE = "image/svg+xml; charset=utf-8";

/** The default version answers without a query; each version answers to its name. `extra` comes first in the query. */
function versions(path: string, extra = ""): PageFile[] {
  const query = (rubric: string) => [extra, rubric].filter((part) => part !== "").join("&");
  const [preferred] = PUBLIC_VERSIONS;
  return [
    { query: query(""), version: preferred, path: path.replace("{version}", preferred) },
    ...PUBLIC_VERSIONS.flatMap((version) => {
      const page = { version, path: path.replace("{version}", version) };
      const named = { ...page, query: query(`rubric=${version}`) };
      return extra === "" ? [named] : [named, { ...page, query: `rubric=${version}&${extra}` }];
    }),
  ];
}

const recordKey = z.string().max(160);
const slugKey = z.string().max(160);

function page(
  name: string,
  path: string,
  subject: Subject,
  summary: string,
  rest: Partial<Route> & Pick<Route, "pages">,
): Route {
  return {
    name,
    path,
    subject,
    summary,
    key: null,
    versioned: true,
    list: false,
    contentType: JSON_TYPE,
    answer: null,
    cache: CACHE.page,
    ...rest,
  };
}

export const ROUTES: readonly Route[] = [
  page("records", "/records", "release", "Datasets with their scores", {
    list: true,
    answer: recordList,
    pages: [
      ...versions("api/{version}/lists/records.json"),
      ...versions("api/{version}/lists/records-by-score.json", "sortBy=score&sortOrder=desc"),
    ],
  }),
  page("record", "/records/{id}", "record", "One dataset with its 25 signals explained", {
    key: recordKey,
    answer: recordDetail,
    pages: versions("api/{version}/records/{shard}/{key}.json"),
  }),
  page("impact", "/records/{id}/impact", "record", "Stewardship and, apart from it, observed use of a dataset", {
    key: recordKey,
    answer: recordImpact,
    pages: versions("api/{version}/records/{shard}/{key}.impact.json"),
  }),
  page("authors", "/authors", "release", "Researchers with their S-Index", {
    list: true,
    answer: researcherList,
    pages: [
      ...versions("api/{version}/lists/authors.json"),
      ...versions("api/{version}/lists/authors-by-s-index.json", "sortBy=sIndex&sortOrder=desc"),
    ],
  }),
  page("author", "/authors/{slug}", "researcher", "One researcher with their best hundred datasets", {
    key: slugKey,
    answer: researcherDetail,
    pages: versions("api/{version}/authors/{shard}/{key}.json"),
  }),
  page("metrics", "/metrics/live", "release", "Platform metrics of the active release", {
    answer: liveMetrics,
    pages: versions("api/{version}/metrics/live.json"),
  }),
  page("history", "/metrics/history", "release", "Metrics of every release so far, oldest first", {
    answer: metricsHistory,
    pages: versions("api/{version}/metrics/history.json"),
  }),
  page("rubrics", "/rubrics", "release", "The public SHARE versions", {
    versioned: false,
    answer: rubricList,
    pages: [{ query: "", version: null, path: "api/rubrics/index.json" }],
  }),
  page("rubric", "/rubrics/{version}", "release", "One rubric: a public version or an exact contract identifier", {
    versioned: false,
    key: z.string().max(40),
    answer: rubricDescriptor,
    pages: [{ query: "", version: null, path: "api/rubrics/{key}.json" }],
  }),
  page("institutions", "/institutions", "release", "Reported affiliations", {
    list: true,
    answer: institutionList,
    pages: versions("api/{version}/lists/institutions.json"),
  }),
  page("geography", "/geography", "release", "Countries", {
    list: true,
    answer: countryList,
    pages: versions("api/{version}/lists/geography.json"),
  }),
  page("dataset-badge", "/widgets/datasets/{id}/badge.svg", "record", "A dataset's score as a badge", {
    key: recordKey,
    versioned: false,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    pages: [{ query: "", version: "2.0", path: "widgets/datasets/{shard}/{key}.svg" }],
  }),
  page(
    "repository-badge",
    "/widgets/repositories/{repository}/badge.svg",
    "repository",
    "A repository's mean as a badge",
    {
      key: z.string().max(400),
      versioned: false,
      contentType: SVG_TYPE,
      cache: CACHE.badge,
      pages: [{ query: "", version: "2.0", path: "widgets/repositories/{key}.svg" }],
    },
  ),
  page("researcher-badge", "/widgets/researchers/{slug}/badge.svg", "researcher", "A researcher's S-Index as a badge", {
    key: slugKey,
    versioned: false,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    pages: [{ query: "", version: "2.0", path: "widgets/researchers/{shard}/{key}.svg" }],
  }),
];

/** The route called `name`. */
export function routeNamed(name: string): Route {
  const route = ROUTES.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`there is no route called ${name}`);
  return route;
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._~-]*$/;

/** Whether a key can name a file; labels outside are answered by the server (decisions.md, "Cache"). */
export function hasPage(key: string): boolean {
  return FILE_NAME.test(key) && key.length <= 200;
}

/**
 * The page file of a key below the release folder. Records and researchers are spread over up to 4,096 folders, by
 * three characters that anyone can read off the address: the first hex digits of a record id, the last of a slug.
 */
export function pagePath(route: Route, file: PageFile, key = ""): string {
  const shard = route.subject === "record" ? key.slice(1, 4) : key.slice(-3);
  return file.path.replace("{shard}", shard).replace("{key}", key);
}

/** The page of a route for one version, whatever query it is asked by. */
export function pageOf(route: Route, version: PublicVersion | null): PageFile {
  const file = route.pages.find((entry) => entry.version === version);
  if (file === undefined) throw new Error(`route ${route.name} has no page for version ${version}`);
  return file;
}
