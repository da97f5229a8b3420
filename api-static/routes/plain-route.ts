/** The route that others are unless they say otherwise. */

import { noQuery } from "../../schemas/public/api/queries.ts";
import { CACHE, JSON_TYPE, LARGEST_BODY, type Route } from "./route.ts";

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
