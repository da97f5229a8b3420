/** One address of the API, with the places of its pre-rendered pages. */

import { z } from "zod";
import { jobId } from "../../schemas/public/api/evaluation.ts";
import { LONGEST_LABEL, noQuery } from "../../schemas/public/api/queries.ts";
import { problemName } from "../../schemas/public/api/service.ts";
import type { ProblemType } from "../../schemas/public/problem.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";

/** How long shared caches may keep an answer. */
export const CACHE = {
  page: "public, max-age=60, stale-while-revalidate=600",
  badge: "public, max-age=300",
  /** About a person: who opts out is gone from every shared cache within a minute (decisions.md, "Accounts"). */
  person: "public, max-age=60",
  personBadge: "public, max-age=300, s-maxage=60",
  immutable: "public, max-age=31536000, immutable",
  never: "no-store",
} as const;

export const JSON_TYPE = "application/json; charset=utf-8";
export const SVG_TYPE = "image/svg+xml; charset=utf-8";
export const PNG_TYPE = "image/png";
export const CSV_TYPE = "text/csv; charset=utf-8";
export const NDJSON_TYPE = "application/x-ndjson; charset=utf-8";
export const LINKED_DATA_TYPE = "application/ld+json";
export const LINKSET_TYPE = "application/linkset+json";
export const ARROW_TYPE = "application/vnd.apache.arrow.stream";
export const ATOM_TYPE = "application/atom+xml; charset=utf-8";
export const CSS_TYPE = "text/css; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";

/** Bytes of a body, unless a route takes more. */
export const LARGEST_BODY = 64 * 1024;

/** Whether an address answers with badges. They have a quota of their own, and are refused as badges. */
export function isBadge({ contentType }: Pick<Route, "contentType">): boolean {
  return contentType === SVG_TYPE;
}

/** The subject of a page: a page of the release names the release and changes with it, the others do not. */
export type Subject = "record" | "researcher" | "repository" | "release";

/** Chapters of the reference. */
export const TAGS = {
  Records: "Datasets, their scores and the evidence behind each signal.",
  Researchers: "Researchers, their S-Index and their datasets.",
  Metrics: "Figures of the whole platform.",
  Rubrics: "The questions that are scored, and the rules they are scored by.",
  Attribution: "Reported affiliations and countries.",
  Badges: "Scores as SVG, and for shields.io, to embed.",
  Releases: "The immutable releases all of it comes from, and their files.",
  Evaluation: "Scores on demand: of one dataset, from its source, now.",
  Keys: "Keys for a higher rate.",
  "Sign-in": "Signing in with ORCID or by mail, and out again.",
  Account: "The things that belong to one person: claims, saved things, submissions, measurements.",
  Service: "The service itself.",
} as const;

/** Pages for people: no chapter of the reference, which is for those who write programs. */
export type Tag = keyof typeof TAGS | "Site";

/** How a body is sent: as JSON; as the fields of a form, files among them; as a document, whose bytes are read as they are. */
export type BodyKind = "json" | "form" | "document";

/** Where the pre-rendered answer lies in a tree of page files. `{version}`, `{key}`, `{shard}` are filled in. */
export interface PageFile {
  /** The exact query string of the canonical request, without `?`. */
  readonly query: string;
  readonly version: PublicVersion | null;
  readonly path: string;
}

/** The path parameter of an address: its name in the template, and what it may be. */
export interface PathKey {
  readonly name: string;
  readonly schema: z.ZodType<string>;
  readonly description: string;
  readonly example: string;
  /** The problem that answers a malformed value, or a value that names nothing. */
  readonly unknown: { readonly problem: ProblemType; readonly detail: string };
}

export interface Route {
  readonly name: string;
  readonly method: "get" | "post" | "delete";
  /** Path template; `{…}` is the one path parameter, if any, and `{…}/{file}` the rest of the path after it. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  /** More than the summary says, for the reference; Markdown. */
  readonly description?: string;
  /** What it is about; null for what no release has pages of. */
  readonly subject: Subject | null;
  readonly key: PathKey | null;
  /** The query parameters it knows; the others are rejected, unless `ignores` is true for them. */
  readonly query: z.ZodObject;
  /** Lists also answer queries, and CSV; here only their canonical requests have pages. */
  readonly list: boolean;
  /** True where the answer can be had as linked data too, which the server alone makes. */
  readonly linkedData: boolean;
  /** True where researchers are shown: hidden ones are left out, so no shared file may answer it (decisions.md, "Accounts"). */
  readonly showsResearchers: boolean;
  readonly pages: readonly PageFile[];
  readonly contentType: string;
  readonly body: z.ZodType | null;
  readonly bodyKind: BodyKind;
  /** Bytes that a body may have. */
  readonly largestBody: number;
  readonly answer: z.ZodType | null;
  /** The answer where a query makes it, of lists: it says more than a page of the release. Null where both are one. */
  readonly queried: z.ZodType | null;
  /** Status of success. */
  readonly status: 200 | 201 | 202;
  /** What a POST answers with 200 where it finds what it would have made; the route that has an example of it. */
  readonly found: { readonly answer: z.ZodType; readonly example: string } | null;
  /** True where only who is signed in is answered. */
  readonly session: boolean;
  /** True for what the site's own pages ask: pages of other origins neither change nor read anything there. */
  readonly ownSite: boolean;
  /** A quota that is charged besides the caller's own (decisions.md, "Rates"). */
  readonly quota: "evaluation" | null;
  readonly cache: (typeof CACHE)[keyof typeof CACHE];
  /** The part of a release that the endpoint needs; if the release was published without it, the response is 409. */
  readonly needs: "scores" | "history" | "attribution" | null;
  /** True where a browser that asks for HTML is answered with a page, or with `redirectsBrowsers` sent on. */
  readonly html: boolean;
  readonly redirectsBrowsers: boolean;
  /** Of a page for people, the name of the address that answers programs the same; null where there is none. */
  readonly twin: string | null;
  /** True where the answer can set or clear a cookie. */
  readonly setsCookie: boolean;
  /** True where the answer is made while it is sent, as a download. */
  readonly download: boolean;
  /** True where parts of the answer can be asked for. */
  readonly ranges: boolean;
  /** Problems of its own, beside those every address can answer with. */
  readonly problems: readonly ProblemType[];
}

/** Whether `rubric` selects the public version. */
export function isVersioned(route: Route): boolean {
  return "rubric" in route.query.shape;
}

/** The default version answers without a query; each version answers to its name. `extra` comes first in the query. */
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

/** Whether a key can name a file; labels outside are answered by the server (decisions.md, "Cache"). */
export function hasPage(key: string): boolean {
  return FILE_NAME.test(key) && key.length <= 200;
}

/**
 * The page file of a key below the folder of a tree. Records and researchers are spread over up to 4,096 folders, by
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

/** Null where it is not percent-encoded as it has to be. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Media types by the end of the name, the longer one first. */
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

/** Every type that a file of a release can have. */
export const RELEASE_MEDIA_TYPES: readonly string[] = [...new Set([...FILE_TYPES.map(([, type]) => type), ANY])];

export function mediaType(path: string): string {
  return FILE_TYPES.find(([end]) => path.endsWith(end))?.[1] ?? ANY;
}

/** A GET without parameters that answers JSON. */
export const PLAIN_ROUTE = {
  method: "get",
  key: null,
  query: noQuery,
  list: false,
  linkedData: false,
  showsResearchers: false,
  contentType: JSON_TYPE,
  body: null,
  bodyKind: "json",
  largestBody: LARGEST_BODY,
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

/** An address that no release has pages for. */
export const SERVICE_ROUTE = { ...PLAIN_ROUTE, subject: null, showsResearchers: true, pages: [] } as const;

/** One of the site's own addresses: pages of other origins neither read nor change anything there, and no cache keeps it. */
export const OWN_ROUTE = { ...SERVICE_ROUTE, ownSite: true, cache: CACHE.never } as const;

/** The problems of every address that takes a body. */
export const BODY_PROBLEMS = ["invalid-body", "body-too-large", "unsupported-media-type"] as const;

/** Routes by name, each a row. */
export type RouteRows = Readonly<Record<string, Omit<Route, "name">>>;

/** Campaigns, and what keeps caches from answering. */
const EVERYWHERE = /^(?:utm_.*|_|cb)$/;

/** The parameters that networks, advertisements and mailings add to each link that is followed from them. */
export const CLICKS: readonly string[] = [
  ...["fbclid", "igsh", "igshid"],
  ...["gclid", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl"],
  ...["msclkid", "yclid", "ysclid", "twclid", "ttclid", "rdt_cid", "li_fat_id", "epik", "ScCid"],
  ...["mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi"],
];

/** Whether an address ignores a parameter of this name that it does not know. Visitors bring those of clicks along, programs do not. */
export function ignores(route: Pick<Route, "html" | "contentType">, name: string): boolean {
  return EVERYWHERE.test(name) || (isPage(route) && CLICKS.includes(name));
}

/** Whether browsers come to an address as to a page. */
function isPage({ html, contentType }: Pick<Route, "html" | "contentType">): boolean {
  return html || contentType === HTML_TYPE;
}

export const recordKey: PathKey = {
  name: "id",
  schema: z.string().max(160),
  description: "Id of a record: the letter r and 24 hexadecimal digits. Never a DOI.",
  example: "r1a613b3271281b736c4d1106",
  unknown: { problem: "dataset-not-found", detail: "A dataset's id is the letter r and 24 hexadecimal digits." },
};

export const slugKey: PathKey = {
  name: "slug",
  schema: z.string().max(160),
  description: "Slug of a researcher, as `/authors` shows it.",
  example: "mirela-vance-0000-0005-1200-0216",
  unknown: { problem: "researcher-not-found", detail: "No researcher is known under this name." },
};

export const digestKey: PathKey = {
  name: "digest",
  schema: z.string().regex(/^(?:sha256[-:][0-9a-f]{64}|latest)$/),
  description:
    "Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release.",
  example: `sha256-${"0".repeat(64)}`,
  unknown: {
    problem: "release-not-found",
    detail: "There is no release of this digest; /releases lists those there are.",
  },
};

export const versionKey: PathKey = {
  name: "version",
  schema: z.string().max(40),
  description: "A public version, or the exact identifier of a contract.",
  example: "2.0",
  unknown: {
    problem: "unsupported-rubric",
    detail: `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}; the exact contracts are ${CONTRACTS.join(", ")}.`,
  },
};

export const repositoryKey: PathKey = {
  name: "repository",
  schema: z.string().max(LONGEST_LABEL),
  description: "Exact label of a repository, percent-encoded once.",
  example: "Zenodo",
  unknown: { problem: "repository-not-found", detail: "No repository has exactly this label." },
};

export const jobKey: PathKey = {
  name: "id",
  schema: jobId,
  description: "Id of a job, as `POST /evaluation-jobs` gave it.",
  example: "j3f9d1c07a52e4b68901c7de2485ab630",
  unknown: { problem: "job-not-found", detail: "There is no such job; a job that has ended is kept for 30 days." },
};

export const problemKey: PathKey = {
  name: "type",
  schema: problemName,
  description: "Last segment of the member `type` of a problem document.",
  example: "dataset-not-found",
  unknown: { problem: "not-found", detail: "There is no problem of this type." },
};
