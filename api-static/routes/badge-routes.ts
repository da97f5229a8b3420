/** Badge endpoints: SVG images, for which releases have pages, and JSON for shields.io. */

import { badgeQuery, datasetBadgeQuery, endpointBadge } from "../../schemas/public/api/badge.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import {
  CACHE,
  PLAIN_ROUTE,
  type Route,
  type RouteRows,
  recordKey,
  repositoryKey,
  SVG_TYPE,
  slugKey,
} from "./route.ts";

/**
 * Returns the pages of a badge under the default version. The server makes badges of other versions on demand, because they are
 * rarely requested.
 */
function badges(path: string): Route["pages"] {
  const [version] = PUBLIC_VERSIONS;
  return ["", `rubric=${version}`].map((query) => ({ query, version, path }));
}

const UNAVAILABLE =
  "If the badge cannot be made, the response is a grey badge that reads `unknown` or `try later`, with the status of the problem. Badges have a separate quota.";

const ENDPOINT =
  "Text and colour in the schema of shields.io's endpoint badges. `https://img.shields.io/endpoint?url=…` draws it. Errors are problem documents.";

export const BADGE_ROUTES = {
  "dataset-badge": {
    ...PLAIN_ROUTE,
    path: "/widgets/datasets/{id}/badge.svg",
    subject: "record",
    tag: "Badges",
    summary: "Get a dataset's score as a badge",
    description: `The total and the cap, such as \`48 of 60\`, coloured by the share of the cap. A cap of 100 is left out. A badge without a total is grey and reads \`insufficient evidence\`, or \`not scored\` for a failed record. ${UNAVAILABLE}`,
    key: recordKey,
    query: datasetBadgeQuery,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["dataset-not-found", "release-not-found", "rubric-not-published"],
    pages: badges("widgets/datasets/{shard}/{key}.svg"),
  },
  "repository-badge": {
    ...PLAIN_ROUTE,
    path: "/widgets/repositories/{repository}/badge.svg",
    subject: "repository",
    tag: "Badges",
    summary: "Get a repository's mean score as a badge",
    description: `Mean total of its scored records and their mean cap, such as \`54.2 of 84.0\`, coloured by the share of the cap. ${UNAVAILABLE}`,
    key: repositoryKey,
    query: badgeQuery,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["repository-not-found", "rubric-not-published"],
    pages: badges("widgets/repositories/{key}.svg"),
  },
  "researcher-badge": {
    ...PLAIN_ROUTE,
    path: "/widgets/researchers/{slug}/badge.svg",
    subject: "researcher",
    tag: "Badges",
    summary: "Get a researcher's S-Index as a badge",
    description: `The S-Index, in the same colour for everybody. Its title has the number of datasets, version, date and cap. ${UNAVAILABLE}`,
    key: slugKey,
    query: badgeQuery,
    showsResearchers: true,
    contentType: SVG_TYPE,
    cache: CACHE.personBadge,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: badges("widgets/researchers/{shard}/{key}.svg"),
  },
  "dataset-badge-json": {
    ...PLAIN_ROUTE,
    path: "/widgets/datasets/{id}/badge.json",
    subject: "record",
    tag: "Badges",
    summary: "Get a dataset's score for shields.io",
    description: ENDPOINT,
    key: recordKey,
    query: datasetBadgeQuery,
    answer: endpointBadge,
    cache: CACHE.badge,
    problems: ["dataset-not-found", "release-not-found", "rubric-not-published"],
    pages: [],
  },
  "repository-badge-json": {
    ...PLAIN_ROUTE,
    path: "/widgets/repositories/{repository}/badge.json",
    subject: "repository",
    tag: "Badges",
    summary: "Get a repository's mean score for shields.io",
    description: ENDPOINT,
    key: repositoryKey,
    query: badgeQuery,
    answer: endpointBadge,
    cache: CACHE.badge,
    problems: ["repository-not-found", "rubric-not-published"],
    pages: [],
  },
  "researcher-badge-json": {
    ...PLAIN_ROUTE,
    path: "/widgets/researchers/{slug}/badge.json",
    subject: "researcher",
    tag: "Badges",
    summary: "Get a researcher's S-Index for shields.io",
    description: ENDPOINT,
    key: slugKey,
    query: badgeQuery,
    showsResearchers: true,
    answer: endpointBadge,
    cache: CACHE.personBadge,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: [],
  },
} as const satisfies RouteRows;
