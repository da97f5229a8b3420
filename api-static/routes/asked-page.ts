/** Which page an address asks for, where releases have one: the way back from an address to route, file and key. */

import { decoded } from "./decoded.ts";
import { ROUTES } from "./index.ts";
import { hasPage, type PageFile, type Route } from "./route.ts";

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
