/** One endpoint of the API or view of the site, with the paths of its pages. */

import { z } from "zod";
import { jobId } from "../../schemas/public/api/evaluation.ts";
import { MAX_LABEL_LENGTH } from "../../schemas/public/api/lists.ts";
import { noQuery } from "../../schemas/public/api/queries.ts";
import { problemName } from "../../schemas/public/api/service.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import type { ProblemType } from "../../schemas/public/problem.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { text } from "../../schemas/public/text.ts";

/** Values of `Cache-Control`. */
export const CACHE = {
  page: "public, max-age=60, stale-while-revalidate=600",
  badge: "public, max-age=300",
  /** A person who opts out must disappear from shared caches within a minute (decisions.md, "Accounts"). */
  person: "public, max-age=60",
  personBadge: "public, max-age=300, s-maxage=60",
  immutable: "public, max-age=31536000, immutable",
  never: "no-store",
} as const;

export const JSON_TYPE = "application/json; charset=utf-8";
export const SVG_TYPE = "image/svg+xml; charset=utf-8";
export const PNG_TYPE = "image/png";
export const FONT_TYPE = "font/woff2";
/** Path of the font. It contains the version of the font, because browsers keep the file forever. */
export const FONT_PATH = "/inter-5.woff2";
export const CSV_TYPE = "text/csv; charset=utf-8";
export const NDJSON_TYPE = "application/x-ndjson; charset=utf-8";
export const LINKED_DATA_TYPE = "application/ld+json";
/** URI of the profile for FAIR Test Results, which is that of a version of their vocabulary. */
export const FTR_PROFILE = "https://w3id.org/ftr/1.3.0";
export const FTR_TYPE = `${LINKED_DATA_TYPE}; profile="${FTR_PROFILE}"`;
export const LINKSET_TYPE = "application/linkset+json";
export const ARROW_TYPE = "application/vnd.apache.arrow.stream";
export const ATOM_TYPE = "application/atom+xml; charset=utf-8";
export const CSS_TYPE = "text/css; charset=utf-8";
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";
export const TEXT_TYPE = "text/plain; charset=utf-8";

/** Maximum bytes of a request body, unless a route allows more. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Returns whether the responses of a route are SVG badges, which have a separate quota and whose errors are badges too. */
export function isBadge({ contentType }: Pick<Route, "contentType">): boolean {
  return contentType === SVG_TYPE;
}

/** The subject of a page. Only pages with the subject `release` name the release and change with it. */
export type PageSubject = "record" | "researcher" | "repository" | "release";

/** Sections of the API reference. */
export const TAGS = {
  Records: "Datasets, their scores and the evidence behind each signal.",
  Improvements: "The signals to fix first in a set of datasets, and the signals that copies of metadata lose.",
  Researchers: "Researchers, their S-Index and their datasets.",
  Metrics: "Metrics of the whole release.",
  Rubrics: "The signals, their questions and their rules.",
  Attribution: "Reported affiliations and countries.",
  Badges: "Scores as SVG images and for shields.io.",
  Releases: "The immutable releases and their files.",
  Evaluation: "Scores on demand: evaluate one dataset now.",
  Keys: "API keys, each with its own rate limit.",
  "Sign-in": "Sign in with ORCID or by email, and sign out.",
  Account: "Your claims, saved items, submissions and saved evaluations.",
  Service: "The state and the description of the service.",
} as const;

/**
 * Names of the pages of the API reference, except its index: one for each tag, and one for each kind of part that
 * operations share.
 */
export const REFERENCE_GROUPS: readonly string[] = [
  ...Object.keys(TAGS).map((tag) => tag.toLowerCase()),
  ...["problems", "headers", "schemas", "tables"],
];

/** A section of the API reference; `Site` is not in the reference. */
export type Tag = keyof typeof TAGS | "Site";

/** The format of a request body: JSON; fields and files of a form; or a document as raw bytes. */
export type BodyKind = "json" | "form" | "document";

/**
 * A page of a route, with the query to which it is the response. In its path, `{version}`, `{key}` and `{shard}` stand for
 * the values of one page.
 */
export interface PageFile {
  readonly query: string;
  readonly version: PublicVersion | null;
  readonly path: string;
}

export interface Route {
  readonly name: string;
  readonly method: "get" | "post" | "delete";
  /**
   * Path template, such as `/records/{id}`. The first name in braces is the path parameter; `{file}` after it is the rest
   * of the path.
   */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  /** A longer description for the API reference, in Markdown. */
  readonly description?: string;
  /** The subject of the pages; null if releases have no pages for the route. */
  readonly subject: PageSubject | null;
  /** True if responses come from the current release, which the header SHARE-Release names. */
  readonly namesRelease: boolean;
  readonly key: PathKey | null;
  /** The known query parameters. Others are rejected, unless {@link ignores} returns true for them. */
  readonly query: z.ZodObject;
  /** True for a list, which also supports filters and CSV. */
  readonly list: boolean;
  /** The media types of linked data that the server can also respond with. */
  readonly linkedData: readonly (typeof LINKED_DATA_TYPE | typeof FTR_TYPE)[];
  /**
   * True if responses name researchers. Hidden researchers are left out of such responses, which a shared file cannot do,
   * so shared files do not contain them (decisions.md, "Accounts").
   */
  readonly showsResearchers: boolean;
  readonly pages: readonly PageFile[];
  readonly contentType: string;
  readonly body: z.ZodType | null;
  readonly bodyKind: BodyKind;
  /**
   * The field of the JSON body that contains a list; null if there is none. A body of CSV or plain lines is read into this
   * field too. In rate limits, every `perRequest` entries of the list, or part of them, count as one request.
   */
  readonly listField: { readonly name: string; readonly perRequest: number } | null;
  /** The number of requests as which a response counts in rate limits. A cached response counts as one. */
  readonly price: number;
  /** Maximum bytes of the request body. */
  readonly largestBody: number;
  readonly answer: z.ZodType | null;
  /** The schema of a list's response to a query, if it has more fields than the page of the list; otherwise null. */
  readonly queried: z.ZodType | null;
  /** Status code of a successful response. */
  readonly status: 200 | 201 | 202;
  /** The 200 response of a POST if the result already exists, and the route whose example is shown for it. */
  readonly found: { readonly answer: z.ZodType; readonly example: string } | null;
  /** Whether the route requires a session. */
  readonly session: boolean;
  readonly ownSite: boolean;
  /** A quota that is charged in addition to the quota of the caller (decisions.md, "Rates"). */
  readonly quota: "evaluation" | null;
  readonly cache: (typeof CACHE)[keyof typeof CACHE];
  /** The part of a release that the endpoint needs. The response is 409 if the release does not have this part. */
  readonly needs: "scores" | "history" | "attribution" | null;
  /** True if a browser that requests HTML gets a view, or, with `redirectsBrowsers`, a redirect to a view. */
  readonly html: boolean;
  readonly redirectsBrowsers: boolean;
  /** The name of the endpoint that has the content of this view as JSON; null if there is none. */
  readonly twin: string | null;
  /** Whether the response can set or clear a cookie. */
  readonly setsCookie: boolean;
  /** Whether the response is a streamed download. */
  readonly download: boolean;
  /** Whether the route supports range requests. */
  readonly ranges: boolean;
  /** Problems of this route, besides those of every route. */
  readonly problems: readonly ProblemType[];
}

/** True if the query parameter `rubric` selects the public version. */
export function isVersioned(route: Route): boolean {
  return "rubric" in route.query.shape;
}

/**
 * Returns the pages of a route for each public version. For the default version, there is also a page without `rubric` in
 * its query. `extra` is a further part of the query, such as `sortBy=score&sortOrder=desc`.
 */
export function versions(path: string, extra = ""): PageFile[] {
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

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._~-]*$/;

/**
 * Returns whether a key can be a file name. For other keys, releases have no pages, and the server makes the responses
 * (decisions.md, "URLs").
 */
export function hasPage(key: string): boolean {
  return FILE_NAME.test(key) && key.length <= 200;
}

/**
 * Returns the path of a page. If the subject of the page is the release, its path is also its key in `pages/release.zst`.
 * The shard is the first three hex digits of a record id or the last three characters of a slug.
 */
export function pagePath(route: Route, file: PageFile, key = ""): string {
  const shard = route.subject === "record" ? key.slice(1, 4) : key.slice(-3);
  return file.path.replace("{shard}", shard).replace("{key}", key);
}

export function getPageFile(route: Route, version: PublicVersion | null): PageFile {
  const file = route.pages.find((entry) => entry.version === version);
  if (file === undefined)
    throw new Error(`the route ${route.name} has no pages under SHARE ${version} in the packs of a release`);
  return file;
}

/** Returns a text after decoding its percent-encoding; null if the encoding is invalid. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Media types by extension, longer ones first. */
const FILE_TYPES: readonly (readonly [string, string])[] = [
  [".csv.gz", "application/gzip"],
  [".parquet", "application/vnd.apache.parquet"],
  [".json", "application/json; charset=utf-8"],
  [".ndjson", "application/x-ndjson; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".cff", "application/yaml; charset=utf-8"],
  [".zst", "application/zstd"],
];

const ANY = "application/octet-stream";

export const RELEASE_MEDIA_TYPES: readonly string[] = [...new Set([...FILE_TYPES.map(([, type]) => type), ANY])];

export function mediaType(path: string): string {
  return FILE_TYPES.find(([end]) => path.endsWith(end))?.[1] ?? ANY;
}

/** Defaults of a GET route without parameters that responds with JSON. */
export const PLAIN_ROUTE = {
  method: "get",
  namesRelease: true,
  key: null,
  query: noQuery,
  list: false,
  linkedData: [],
  showsResearchers: false,
  contentType: JSON_TYPE,
  body: null,
  bodyKind: "json",
  listField: null,
  price: 1,
  largestBody: MAX_BODY_BYTES,
  answer: null,
  queried: null,
  status: 200,
  found: null,
  session: false,
  ownSite: false,
  quota: null,
  cache: CACHE.page,
  needs: null,
  html: false,
  redirectsBrowsers: false,
  twin: null,
  setsCookie: false,
  download: false,
  ranges: false,
  problems: [],
} as const;

/** Defaults of a route for which releases have no pages. */
export const SERVICE_ROUTE = {
  ...PLAIN_ROUTE,
  subject: null,
  namesRelease: false,
  showsResearchers: true,
  pages: [],
} as const;

/** Defaults of a route that browsers can call only from pages of the site. Caches do not store its responses. */
export const OWN_ROUTE = { ...SERVICE_ROUTE, ownSite: true, cache: CACHE.never } as const;

export type RouteRows = Readonly<Record<string, Omit<Route, "name">>>;

/**
 * Matches query parameters that every route ignores: those of campaigns (`utm_…`), and those that are added to bypass
 * caches.
 */
const EVERYWHERE = /^(?:utm_.*|_|cb)$/;

/** Parameters that social networks, advertisements and newsletters add to links. */
export const CLICKS: readonly string[] = [
  ...["fbclid", "igsh", "igshid"],
  ...["gclid", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl"],
  ...["msclkid", "yclid", "ysclid", "twclid", "ttclid", "rdt_cid", "li_fat_id", "epik", "ScCid"],
  ...["mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi"],
];

/** True if a route ignores an unknown parameter of this name. Views also ignore the parameters of `CLICKS`. */
export function ignores(route: Pick<Route, "html" | "contentType">, name: string): boolean {
  return EVERYWHERE.test(name) || (isPage(route) && CLICKS.includes(name));
}

/** Whether browsers open the route as a document. */
function isPage({ html, contentType }: Pick<Route, "html" | "contentType">): boolean {
  return html || contentType === HTML_TYPE;
}

export const recordKey: PathKey = {
  name: "id",
  schema: text(160),
  description: "Id of a record: the letter r and 24 hexadecimal digits. Never a DOI.",
  example: "r1a613b3271281b736c4d1106",
  unknown: {
    problem: "dataset-not-found",
    detail: "This is not the id of a dataset. A dataset's id is the letter r and 24 hexadecimal digits.",
  },
};

export const slugKey: PathKey = {
  name: "slug",
  schema: text(160),
  description: "Slug of a researcher, from `/authors`.",
  example: "mirela-vance-0000-0005-1200-0216",
  unknown: { problem: "researcher-not-found", detail: "No researcher has this slug. /authors lists all researchers." },
};

export const digestKey: PathKey = {
  name: "digest",
  schema: z.string().regex(/^(?:sha256[-:][0-9a-f]{64}|latest)$/),
  description:
    "Digest of a release, written `sha256-<hex>`. The form with a colon redirects to it, and `latest` redirects to the active release.",
  example: `sha256-${"0".repeat(64)}`,
  unknown: {
    problem: "release-not-found",
    detail: "No release has this digest. /releases lists all releases.",
  },
};

export const versionKey: PathKey = {
  name: "version",
  schema: text(40),
  description: "A public version, or the exact identifier of a contract.",
  example: "2.0",
  unknown: {
    problem: "unsupported-rubric",
    detail: `This SHARE version is unknown. The public versions are ${PUBLIC_VERSIONS.join(" and ")}; the exact contracts are ${CONTRACTS.join(", ")}.`,
  },
};

export const repositoryKey: PathKey = {
  name: "repository",
  schema: text(MAX_LABEL_LENGTH),
  description: "Exact label of a repository, percent-encoded once.",
  example: "Zenodo",
  unknown: {
    problem: "repository-not-found",
    detail: "No repository has exactly this label. The field repository of /records has the labels.",
  },
};

export const jobKey: PathKey = {
  name: "id",
  schema: jobId,
  description: "Id of a job, from `POST /evaluation-jobs`.",
  example: "j3f9d1c07a52e4b68901c7de2485ab630",
  unknown: {
    problem: "job-not-found",
    detail:
      "This job does not exist. Jobs are deleted 30 days after their end. POST /evaluation-jobs starts a new one.",
  },
};

export const problemKey: PathKey = {
  name: "type",
  schema: problemName,
  description: "Last segment of the field `type` of a problem document.",
  example: "dataset-not-found",
  unknown: { problem: "not-found", detail: "This problem type does not exist. /docs/problems lists all types." },
};

export const referenceKey: PathKey = {
  name: "group",
  schema: z.enum(REFERENCE_GROUPS),
  description: "Name of a group of operations in lower case, or `problems`, `headers`, `schemas` or `tables`.",
  example: "records",
  unknown: { problem: "not-found", detail: "The reference does not have this page. /docs lists all pages." },
};
