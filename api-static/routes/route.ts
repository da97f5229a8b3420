/** One address of the API, with the places of its pre-rendered pages. */

import type { z } from "zod";
import type { ProblemType } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";

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
  /** The query parameters it knows; all others are refused, but for those of ignored-parameters.ts. */
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
