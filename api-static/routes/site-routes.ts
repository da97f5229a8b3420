/**
 * URLs of the site's views. `twin` is the name of the endpoint that has the content of a view as JSON, and that redirects
 * browsers to the view.
 */

import { z } from "zod";
import { MAX_LABEL_LENGTH } from "../../schemas/public/api/lists.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import { signalId } from "../../schemas/public/signal.ts";
import { guideName } from "../../schemas/public/site/guides.ts";
import {
  affiliationsQuery,
  compareQuery,
  datasetsQuery,
  datasetsViewQuery,
  findQuery,
  fundersQuery,
  researcherQuery,
  researchersQuery,
  rubricField,
  versionOfStyle,
} from "../../schemas/public/site/queries.ts";
import { text } from "../../schemas/public/text.ts";
import {
  ATOM_TYPE,
  CACHE,
  CSS_TYPE,
  CSV_TYPE,
  digestKey,
  FONT_PATH,
  FONT_TYPE,
  HTML_TYPE,
  JSON_TYPE,
  LINKSET_TYPE,
  NDJSON_TYPE,
  PNG_TYPE,
  type Route,
  type RouteRows,
  recordKey,
  repositoryKey,
  SERVICE_ROUTE,
  SVG_TYPE,
  slugKey,
  TEXT_TYPE,
} from "./route.ts";

const PAGE = { ...SERVICE_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;

const FEED = { ...PAGE, contentType: ATOM_TYPE, html: false } as const;

const PICTURE = { ...PAGE, contentType: PNG_TYPE, html: false } as const;

const signalKey: PathKey = {
  name: "id",
  schema: signalId,
  description: "Id of a signal: its bucket and a number.",
  example: "S1",
  unknown: { problem: "not-found", detail: "This signal does not exist. /signals lists all 25." },
};
const guideKey: PathKey = {
  name: "name",
  schema: guideName,
  description: "Name of a document, such as `method`.",
  example: "method",
  unknown: { problem: "not-found", detail: "This guide does not exist. /help lists all guides." },
};
const rorKey: PathKey = {
  name: "ror",
  schema: z.string().regex(/^0[a-z0-9]{8}$/),
  description: "ROR id of an institution, without its URL.",
  example: "05gq02987",
  unknown: {
    problem: "not-found",
    detail: "This is not a ROR id. A ROR id begins with 0 and has nine characters, such as 05gq02987.",
  },
};
const funderKey: PathKey = {
  name: "funder",
  schema: text(MAX_LABEL_LENGTH, 1),
  description: "ROR id, Crossref Funder id or exact name of a funder, percent-encoded once.",
  example: "Elsewhere Science Fund",
  unknown: { problem: "not-found", detail: "No dataset names this funder. /funders lists all funders." },
};
const mapNumber: PathKey = {
  name: "number",
  schema: z.string().regex(/^[1-9]\d{0,2}$/),
  description: "Number of a part of the sitemap.",
  example: "1",
  unknown: { problem: "not-found", detail: "The sitemap does not have this part. /sitemap.xml lists all parts." },
};

/** Returns the route of the picture beside links to the pages at a path. */
const picture = (path: string, subject: string, key: PathKey, cache: Route["cache"] = PICTURE.cache) => ({
  ...PICTURE,
  path: `${path}/card.png`,
  summary: `Get the picture beside links to ${subject}`,
  key,
  cache,
});

/** Returns the route of the feed of the pages at a path. `whose` follows "the changes". */
const feed = (path: string, whose: string, key: PathKey, cache: Route["cache"] = FEED.cache) => ({
  ...FEED,
  path: `${path}/changes.atom`,
  summary: `Get the changes ${whose} as an Atom feed`,
  key,
  cache,
});

export const SITE_ROUTES = {
  find: {
    ...PAGE,
    path: "/find",
    summary: "Search from the home page and redirect to the result",
    query: findQuery,
  },
  suggestions: {
    ...PAGE,
    path: "/find/suggestions",
    summary: "Suggest results while the user types",
    contentType: JSON_TYPE,
    html: false,
    query: findQuery,
    cache: CACHE.person,
  },
  datasets: { ...PAGE, path: "/datasets", summary: "Search datasets", query: datasetsViewQuery, twin: "records" },
  "datasets-csv": {
    ...PAGE,
    path: "/datasets.csv",
    summary: "Download datasets as CSV",
    contentType: CSV_TYPE,
    query: datasetsQuery,
  },
  "search-feed": {
    ...FEED,
    path: "/datasets.atom",
    summary: "Get the changes of the datasets that match a search as an Atom feed",
    query: datasetsQuery,
  },
  dataset: {
    ...PAGE,
    path: "/datasets/{id}",
    summary: "Show a dataset: its score, signals and next steps",
    key: recordKey,
    query: rubricField,
    cache: CACHE.person,
    twin: "record",
  },
  "dataset-linkset": {
    ...PAGE,
    path: "/datasets/{id}/linkset",
    summary: "List the typed links of a dataset's page (RFC 9264, FAIR Signposting)",
    key: recordKey,
    contentType: LINKSET_TYPE,
    html: false,
    cache: CACHE.person,
  },
  compare: {
    ...PAGE,
    path: "/compare",
    summary: "Compare two to four datasets or repositories side by side",
    query: compareQuery,
  },
  researchers: {
    ...PAGE,
    path: "/researchers",
    summary: "Search researchers",
    query: researchersQuery,
    twin: "authors",
    cache: CACHE.person,
  },
  researcher: {
    ...PAGE,
    path: "/researchers/{slug}",
    summary: "Show a researcher: S-Index, datasets and next steps",
    key: slugKey,
    query: researcherQuery,
    twin: "author",
    cache: CACHE.person,
  },
  repositories: {
    ...PAGE,
    path: "/repositories",
    summary: "List repositories with their caps",
    query: rubricField,
    twin: "metrics",
  },
  repository: {
    ...PAGE,
    path: "/repositories/{repository}",
    summary: "Show a repository: means, signals and supported fields",
    key: repositoryKey,
    query: rubricField,
  },
  "repairs-csv": {
    ...PAGE,
    path: "/repositories/{repository}/repairs.csv",
    summary: "Download facts that are in the wrong field of a repository's datasets",
    key: repositoryKey,
    contentType: CSV_TYPE,
    html: false,
    price: 5,
  },
  "updates-jsonl": {
    ...PAGE,
    path: "/repositories/{repository}/updates.jsonl",
    summary: "Download updates that copy facts into the right field, one line for each dataset",
    key: repositoryKey,
    contentType: NDJSON_TYPE,
    html: false,
    price: 5,
  },
  organisation: {
    ...PAGE,
    path: "/organisations/{ror}",
    summary: "Show the datasets of an institution by its ROR id, and the signals to fix first",
    key: rorKey,
    query: rubricField,
  },
  funders: { ...PAGE, path: "/funders", summary: "List funders by number of datasets", query: fundersQuery },
  funder: {
    ...PAGE,
    path: "/funders/{funder}",
    summary: "Show the datasets of a funder, and the signals to fix first",
    key: funderKey,
    query: rubricField,
  },
  affiliations: {
    ...PAGE,
    path: "/affiliations",
    summary: "List institutions as reported",
    query: affiliationsQuery,
    twin: "institutions",
  },
  countries: { ...PAGE, path: "/countries", summary: "Show countries as a map and a table", twin: "geography" },
  signals: { ...PAGE, path: "/signals", summary: "List the 25 signals", query: rubricField, twin: "rubrics" },
  signal: {
    ...PAGE,
    path: "/signals/{id}",
    summary: "Show a signal: question, reason, and how to pass it in each repository",
    key: signalKey,
    query: rubricField,
  },
  "releases-page": { ...PAGE, path: "/history", summary: "List releases and their changes", twin: "releases" },
  movement: {
    ...PAGE,
    path: "/history/{digest}",
    summary: "Show the changes in a release and their causes",
    key: digestKey,
    twin: "release-diff",
  },
  "releases-feed": {
    ...FEED,
    path: "/history.atom",
    summary: "Get the releases as an Atom feed",
  },
  "home-picture": { ...PICTURE, path: "/card.png", summary: "Get the picture beside links to the site" },
  "dataset-picture": picture("/datasets/{id}", "a dataset", recordKey, CACHE.badge),
  "researcher-picture": picture("/researchers/{slug}", "a researcher", slugKey, CACHE.person),
  "repository-picture": picture("/repositories/{repository}", "a repository", repositoryKey),
  "organisation-picture": picture("/organisations/{ror}", "an institution", rorKey),
  "funder-picture": picture("/funders/{funder}", "a funder", funderKey),
  "signal-picture": picture("/signals/{id}", "a signal", signalKey),
  "dataset-feed": feed("/datasets/{id}", "of a dataset", recordKey),
  "funder-feed": feed("/funders/{funder}", "of a funder's datasets", funderKey),
  "repository-feed": feed("/repositories/{repository}", "in a repository", repositoryKey),
  "organisation-feed": feed("/organisations/{ror}", "of an institution's datasets", rorKey),
  "researcher-feed": feed("/researchers/{slug}", "of a researcher's datasets", slugKey, CACHE.person),
  about: { ...PAGE, path: "/about", summary: "Show the purpose of the service and its contact" },
  help: { ...PAGE, path: "/help", summary: "Explain scores and terms, and answer frequent questions" },
  "status-page": {
    ...PAGE,
    path: "/service-status",
    summary: "Show the state of the service and its sources",
    twin: "status",
    cache: CACHE.never,
  },
  "usage-terms": { ...PAGE, path: "/terms", summary: "Show the terms of use" },
  guide: {
    ...PAGE,
    path: "/guides/{name}",
    summary: "Show a document, such as the method or the data guide",
    key: guideKey,
  },
  changelog: { ...PAGE, path: "/changelog", summary: "Show the changes of the program" },
  llms: {
    ...PAGE,
    path: "/llms.txt",
    summary: "List the API and the guides for language models (llmstxt.org)",
    contentType: TEXT_TYPE,
    html: false,
  },
  privacy: { ...PAGE, path: "/privacy", summary: "Show the privacy notice" },
  style: {
    ...PAGE,
    path: "/style.css",
    summary: "Get the stylesheet",
    contentType: CSS_TYPE,
    query: versionOfStyle,
  },
  font: { ...PAGE, path: FONT_PATH, summary: "Get the font", contentType: FONT_TYPE, cache: CACHE.immutable },
  favicon: { ...PAGE, path: "/favicon.svg", summary: "Get the icon", contentType: SVG_TYPE },
  "logo-svg": { ...PAGE, path: "/logo.svg", summary: "Get the operator's logo as SVG", contentType: SVG_TYPE },
  "logo-png": { ...PAGE, path: "/logo.png", summary: "Get the operator's logo as PNG", contentType: PNG_TYPE },
  imprint: { ...PAGE, path: "/imprint", summary: "Show the operator's imprint" },
  robots: {
    ...PAGE,
    path: "/robots.txt",
    summary: "Get the rules for search engines",
    contentType: TEXT_TYPE,
  },
  "site-map": {
    ...PAGE,
    path: "/sitemap.xml",
    summary: "Get the sitemap index",
    contentType: "application/xml; charset=utf-8",
  },
  "site-map-part": {
    ...PAGE,
    path: "/sitemaps/{number}",
    summary: "Get a part of the sitemap",
    key: mapNumber,
    contentType: "application/xml; charset=utf-8",
  },
} as const satisfies RouteRows;
