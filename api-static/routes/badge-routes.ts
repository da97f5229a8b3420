/** Addresses of badges: as pictures, which releases have pages of, and as words for shields.io. */

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

/** Badges of the default version have pages; those of another are asked for so rarely that they are made when they are. */
function badges(path: string): Route["pages"] {
  const [version] = PUBLIC_VERSIONS;
  return ["", `rubric=${version}`].map((query) => ({ query, version, path }));
}

const REFUSED =
  "A badge that cannot be made is a badge too, grey, with its status: `unknown`, or `try later`. Badges have a quota of their own.";

const ENDPOINT =
  "The words and colours of the badge in the schema of shields.io's endpoint badges: `https://img.shields.io/endpoint?url=…` draws it. A refusal is a problem document.";

export const BADGE_ROUTES = {
  "dataset-badge": {
    ...PLAIN_ROUTE,
    path: "/widgets/datasets/{id}/badge.svg",
    subject: "record",
    tag: "Badges",
    summary: "A dataset's score as a badge",
    description: `The total, coloured by tier. Without a total it is grey and has no number: \`insufficient evidence\`, or \`not scored\` for a failed record. ${REFUSED}`,
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
    summary: "A repository's mean as a badge",
    description: `Mean total of its scored records, coloured by tier, with the mean cap in its title. ${REFUSED}`,
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
    summary: "A researcher's S-Index as a badge",
    description: `The S-Index, coloured by tier, with what it rests on in its title: datasets, version, date, median, cap. ${REFUSED}`,
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
    summary: "A dataset's score for shields.io",
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
    summary: "A repository's mean for shields.io",
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
    summary: "A researcher's S-Index for shields.io",
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
