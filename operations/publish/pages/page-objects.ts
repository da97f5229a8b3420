/** Pages as objects of a bucket, at the API's own paths, and as files of a folder, with an extension. */

import { ROUTES } from "../../../api-static/routes/index.ts";
import { HTML_TYPE, JSON_TYPE, type PageFile, type Route, SVG_TYPE } from "../../../api-static/routes/route.ts";
import type { PageAddress } from "../../../pipeline/packs/format.ts";
import { routedPage } from "../../../pipeline/pages/routed-page.ts";
import { PUBLIC_VERSIONS } from "../../../schemas/public/rubric.ts";
import type { FileHeaders } from "../target/target.ts";

export interface PageObject {
  /** Below the prefix of the bucket. */
  readonly path: string;
  readonly headers: FileHeaders;
  /** True where researchers are shown: nothing hides one of them before the next publication. */
  readonly showsResearchers: boolean;
}

/** Null for a page whose address has a query besides the version: objects have none. */
export function pageObject(address: PageAddress): PageObject | null {
  const { route, file, key } = routedPage(address);
  const below = folderOf(route, file);
  if (below === null) return null;
  const path = `${below}${route.path.slice(1).replace(/\{\w+\}/, () => key)}`;
  const headers = { contentType: route.contentType, cacheControl: route.cache };
  return { path, headers, showsResearchers: route.showsResearchers };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  [JSON_TYPE, ".json"],
  [HTML_TYPE, ".html"],
  [SVG_TYPE, ".svg"],
]);

/** The name of an object as a file: static hosts take the content type from the extension. */
export function fileNameOf({ path, headers }: Pick<PageObject, "path" | "headers">): string {
  const extension = EXTENSIONS.get(headers.contentType) ?? "";
  return path.endsWith(extension) ? path : `${path}${extension}`;
}

/** The default version answers at the address itself, another one below its name. */
function folderOf(route: Route, { path, version }: PageFile): string | null {
  const queries = route.pages.filter((file) => file.path === path).map(({ query }) => query);
  if (queries.includes("")) return "";
  return queries.includes(`rubric=${version}`) ? `${version}/` : null;
}

const PATHS = ROUTES.filter(({ pages }) => pages.length > 0).map(({ path }) =>
  path
    .slice(1)
    .replace(/[.]/g, "\\.")
    .replace(/\{\w+\}/, "[^/]+"),
);
const VERSIONS = PUBLIC_VERSIONS.map((version) => version.replace(".", "\\."));
const PAGE = new RegExp(`^(?:(?:${VERSIONS.join("|")})/)?(?:${PATHS.join("|")})$`);

/** Whether an object of that path can only be a page. */
export function isPageObject(path: string): boolean {
  return PAGE.test(path);
}
