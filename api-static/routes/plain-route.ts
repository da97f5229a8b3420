/** What routes are unless they say otherwise. */

import { noQuery } from "../../schemas/public/api/queries.ts";
import { CACHE, JSON_TYPE, type Route } from "./route.ts";

/** A GET without parameters that answers JSON. */
export const PLAIN_ROUTE = {
  method: "get",
  key: null,
  query: noQuery,
  list: false,
  throughServer: false,
  contentType: JSON_TYPE,
  body: null,
  answer: null,
  status: 200,
  found: null,
  session: false,
  ownSite: false,
  ownPages: false,
  quota: null,
  cache: CACHE.page,
  problems: [],
} as const;

/** What a route must say, and what it may. */
export type RouteWords = Partial<Route> & Pick<Route, "tag" | "summary">;
