/** Addresses of pages for people. Each shows what its twin answers programs, and is led to from there. */

import { z } from "zod";
import { signalId } from "../../schemas/public/signal.ts";
import {
  affiliationsQuery,
  datasetsQuery,
  findQuery,
  researchersQuery,
  rubricField,
  versionOfStyle,
} from "../../schemas/public/site/queries.ts";
import { digestKey, recordKey, repositoryKey, slugKey } from "./path-keys.ts";
import { type RouteRows, SERVICE_ROUTE } from "./plain-route.ts";
import {
  ATOM_TYPE,
  CACHE,
  CSS_TYPE,
  CSV_TYPE,
  HTML_TYPE,
  JSON_TYPE,
  LINKSET_TYPE,
  type PathKey,
  PNG_TYPE,
  SVG_TYPE,
} from "./route.ts";

const PAGE = { ...SERVICE_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;

const signalKey: PathKey = {
  name: "id",
  schema: signalId,
  description: "Id of a signal: its bucket and a number.",
  example: "S1",
  unknown: { problem: "not-found", detail: "There is no such signal; /signals lists the 25 there are." },
};
const mapNumber: PathKey = {
  name: "number",
  schema: z.string().regex(/^[1-9]\d{0,2}$/),
  description: "Number of a part of the site map.",
  example: "1",
  unknown: { problem: "not-found", detail: "The site map has no such part." },
};

export const SITE_ROUTES = {
  find: {
    ...PAGE,
    path: "/find",
    summary: "Leads from the box of the first page to the right place",
    query: findQuery,
  },
  suggestions: {
    ...PAGE,
    path: "/find/suggestions",
    summary: "What somebody is typing into that box may become, for its script",
    contentType: JSON_TYPE,
    html: false,
    query: findQuery,
    cache: CACHE.person,
  },
  datasets: { ...PAGE, path: "/datasets", summary: "Datasets, to search", query: datasetsQuery, twin: "records" },
  "datasets-csv": {
    ...PAGE,
    path: "/datasets.csv",
    summary: "The datasets of a page of the search, as a table",
    contentType: CSV_TYPE,
    query: datasetsQuery,
  },
  dataset: {
    ...PAGE,
    path: "/datasets/{id}",
    summary: "One dataset: its score, each signal, and what to do next",
    key: recordKey,
    query: rubricField,
    twin: "record",
  },
  "dataset-linkset": {
    ...PAGE,
    path: "/datasets/{id}/linkset",
    summary: "Where things stand for programs that come to the page of a dataset (RFC 9264, FAIR Signposting)",
    key: recordKey,
    contentType: LINKSET_TYPE,
    html: false,
  },
  "dataset-picture": {
    ...PAGE,
    path: "/datasets/{id}/card.png",
    summary: "A dataset's score as a picture, for previews of its page",
    key: recordKey,
    contentType: PNG_TYPE,
    html: false,
    cache: CACHE.badge,
  },
  researchers: {
    ...PAGE,
    path: "/researchers",
    summary: "Researchers, to search",
    query: researchersQuery,
    twin: "authors",
    cache: CACHE.person,
  },
  researcher: {
    ...PAGE,
    path: "/researchers/{slug}",
    summary: "One researcher: S-Index, datasets, and what would raise it",
    key: slugKey,
    query: rubricField,
    twin: "author",
    cache: CACHE.person,
  },
  repositories: {
    ...PAGE,
    path: "/repositories",
    summary: "Repositories, each beside its cap",
    query: rubricField,
    twin: "metrics",
  },
  repository: {
    ...PAGE,
    path: "/repositories/{repository}",
    summary: "One repository: averages, signals, what it can and cannot carry",
    key: repositoryKey,
    query: rubricField,
  },
  affiliations: {
    ...PAGE,
    path: "/affiliations",
    summary: "Institutions, as they were reported",
    query: affiliationsQuery,
    twin: "institutions",
  },
  countries: { ...PAGE, path: "/countries", summary: "Countries, as a map and a table", twin: "geography" },
  signals: { ...PAGE, path: "/signals", summary: "The 25 signals", query: rubricField, twin: "rubrics" },
  signal: {
    ...PAGE,
    path: "/signals/{id}",
    summary: "One signal: what it asks, why, and how to pass it in each repository",
    key: signalKey,
    query: rubricField,
  },
  "releases-page": { ...PAGE, path: "/history", summary: "Every release, and what moved in it", twin: "releases" },
  movement: {
    ...PAGE,
    path: "/history/{digest}",
    summary: "What moved in one release, and why",
    key: digestKey,
    twin: "release-diff",
  },
  "releases-feed": {
    ...PAGE,
    path: "/history.atom",
    summary: "The releases as a feed (Atom): what moved in each, and what was retracted",
    contentType: ATOM_TYPE,
    html: false,
    twin: null,
  },
  privacy: { ...PAGE, path: "/privacy", summary: "What is held about people, and how to be hidden or erased" },
  style: {
    ...PAGE,
    path: "/style.css",
    summary: "The style of all pages",
    contentType: CSS_TYPE,
    query: versionOfStyle,
  },
  favicon: { ...PAGE, path: "/favicon.svg", summary: "The mark of the service", contentType: SVG_TYPE },
  robots: {
    ...PAGE,
    path: "/robots.txt",
    summary: "What programs that search the web may read",
    contentType: "text/plain; charset=utf-8",
  },
  "site-map": {
    ...PAGE,
    path: "/sitemap.xml",
    summary: "The addresses of all pages, in parts",
    contentType: "application/xml; charset=utf-8",
  },
  "site-map-part": {
    ...PAGE,
    path: "/sitemaps/{number}",
    summary: "A part of them",
    key: mapNumber,
    contentType: "application/xml; charset=utf-8",
  },
} as const satisfies RouteRows;
