/** Maps of nginx that lead from the request line to the page file: api-static/routes/index.ts in its words. */

import { isMarkup, SANDBOX } from "../routes/headers.ts";
import { ROUTES } from "../routes/index.ts";
import type { PageFile, Route, Subject } from "../routes/route.ts";
import { expression } from "./quote.ts";

/** Routes whose pages nginx may give out: not those that leave out hidden researchers. */
export const FILE_ROUTES = ROUTES.filter(({ showsResearchers, pages }) => !showsResearchers && pages.length > 0);

/**
 * Keys as they stand in the address, in characters that mean nothing to a file system, and the variables that name the
 * file. A key written in any other way goes to the server. Labels may have spaces, and an address only `%20`: their
 * file is named by nginx's decoded path.
 */
const KEYS: Readonly<Record<Subject, { readonly pattern: string; readonly name: string } | null>> = {
  record: { pattern: "(?<share_key>r(?<share_shard>[0-9a-f]{3})[0-9a-f]{21})", name: `\${share_key}` },
  repository: { pattern: "[A-Za-z0-9](?:[A-Za-z0-9._~-]|%20)*", name: `\${share_label}` },
  release: { pattern: "(?<share_key>[0-9][0-9a-z.-]*)", name: `\${share_key}` },
  researcher: null,
};

interface PageRule {
  /** Of the whole request target. */
  readonly pattern: string;
  /** The file below the tree. */
  readonly path: string;
}

function rulesOf(routes: readonly Route[]): PageRule[] {
  return routes.flatMap((route) => {
    const files = Map.groupBy(route.pages, ({ path }) => path);
    return [...files].map(([path, pages]) => ruleOf(route, path, pages));
  });
}

/** All canonical queries of one file; nginx compares strings without case, so that these are expressions. */
function ruleOf(route: Route, path: string, pages: readonly PageFile[]): PageRule {
  const key = KEYS[route.subject ?? "release"];
  if (key === null) throw new Error(`the pages of ${route.name} are for the server to give out`);
  const target = literal(route.path).replace(/\\\{\w+\\\}/, () => key.pattern);
  const named = pages.filter(({ query }) => query !== "").map(({ query }) => literal(query));
  const bare = named.length < pages.length;
  const query = named.length === 0 ? "" : `(?:\\?(?:${named.join("|")}))${bare ? "?" : ""}`;
  const file = path.replace("{shard}", () => `\${share_shard}`).replace("{key}", () => key.name);
  return { pattern: `^${target}${query}$`, path: `/${file}` };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function mapOf(source: string, variable: string, entries: readonly string[]): string {
  return `map ${source} ${variable} {\n${entries.map((entry) => `    ${entry};`).join("\n")}\n}\n`;
}

/** The maps that end in `$share_page`: the file of a canonical request, below the tree; empty for all others. */
export function pageMaps(): string {
  const entry = ({ pattern, path }: PageRule) => `${expression(pattern)} "${path}"`;
  // Those asked for most come first: expressions are tried one after the other.
  const keyed = FILE_ROUTES.filter(({ key, list }) => key !== null && !list);
  const single = FILE_ROUTES.filter(({ key, list }) => key === null && !list);
  const lists = FILE_ROUTES.filter(({ list }) => list);
  const label = FILE_ROUTES.find(({ subject }) => subject === "repository")?.path ?? "";
  const decoded = literal(label).replace(/\\\{\w+\\\}/, () => "(?<share_decoded>[^/]+)");
  return [
    "# No file before a release is served, nor for conditions that nginx would judge by a file's time: ours is no time.",
    mapOf("$share_release", "$share_served", ['"" ""', "default $request_uri"]),
    mapOf('"$http_if_match$http_if_modified_since$http_if_unmodified_since"', "$share_unconditional", [
      '"" $share_served',
      'default ""',
    ]),
    mapOf("$request_method", "$share_target", ["GET $share_unconditional", "HEAD $share_unconditional", 'default ""']),
    "# The server leads who reads in a browser to the page for people, but for who follows a link from there;",
    "# and makes linked data of it for who asks for that.",
    mapOf('"$http_sec_fetch_site $http_accept"', "$share_programs", [
      '"~*ld[+]json" ""',
      '"~^same-origin " $share_target',
      '"~text/html" ""',
      "default $share_target",
    ]),
    "# Lists have other forms, which the server alone gives.",
    mapOf("$http_accept", "$share_list", ['"~*text/(?:csv|[*])|ndjson|arrow" ""', "default $share_programs"]),
    mapOf("$share_list", "$share_list_page", [...rulesOf(lists).map(entry), 'default ""']),
    mapOf("$uri", "$share_label", [`${expression(`^${decoded}$`)} $share_decoded`, 'default ""']),
    mapOf("$share_programs", "$share_page", [...rulesOf([...keyed, ...single]).map(entry), "default $share_list_page"]),
  ].join("\n");
}

/** The kind of an answer that the end of a file's name tells. */
export interface FileKind {
  readonly extension: string;
  readonly contentType: string;
  readonly cache: string;
  readonly policy: string;
}

/** @throws Error where two routes differ in what one kind of file is answered with: nginx could not tell them apart */
export function fileKinds(routes: readonly Route[] = FILE_ROUTES): FileKind[] {
  const kinds = new Map<string, FileKind>();
  for (const { name, pages, contentType, cache } of routes) {
    const kind = { contentType, cache, policy: isMarkup(contentType) ? SANDBOX : "" };
    for (const extension of new Set(pages.map(({ path }) => path.slice(path.lastIndexOf(".") + 1)))) {
      const known = kinds.get(extension) ?? { extension, ...kind };
      if (known.contentType !== contentType || known.cache !== cache) {
        throw new Error(`the files *.${extension} of ${name} are answered differently from others`);
      }
      kinds.set(extension, known);
    }
  }
  return [...kinds.values()];
}

/** The maps of `Cache-Control` and `Content-Security-Policy` by the kind of the page. */
export function kindMaps(): string {
  const by = (variable: string, value: (kind: FileKind) => string) =>
    mapOf("$share_page", variable, [
      ...fileKinds().map((kind) => `${expression(`\\.${kind.extension}$`)} "${value(kind)}"`),
      'default ""',
    ]);
  return [by("$share_cache_control", ({ cache }) => cache), by("$share_policy", ({ policy }) => policy)].join("\n");
}
