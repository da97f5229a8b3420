/**
 * The API in one table: path, parameters, answer, page files and cache rule of every address.
 * Rendering, serving, nginx and OpenAPI all read it; there is no other list of addresses.
 */

import { liveMetrics, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { countryList, institutionList } from "../../schemas/public/api/place.ts";
import {
  authorListQuery,
  countryListQuery,
  institutionListQuery,
  recordListQuery,
  rubricQuery,
} from "../../schemas/public/api/queries.ts";
import { recordDetail, recordImpact, recordList } from "../../schemas/public/api/record.ts";
import { researcherDetail, researcherList } from "../../schemas/public/api/researcher.ts";
import { rubricDescriptor, rubricList } from "../../schemas/public/api/rubric.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { recordKey, repositoryKey, slugKey, versionKey } from "./path-keys.ts";
import { PLAIN_ROUTE, type RouteWords } from "./plain-route.ts";
import { CACHE, type Route, type Subject, SVG_TYPE, versions } from "./route.ts";
import { SERVICE_ROUTES } from "./service-routes.ts";
import { SIGN_IN_ROUTES } from "./sign-in-routes.ts";

/** An address that the release has pages for. */
function page(name: string, path: string, subject: Subject, words: RouteWords & Pick<Route, "pages">): Route {
  return { ...PLAIN_ROUTE, name, path, subject, ...words };
}

/** Badges of the default version have pages; those of another are asked for so rarely that they are made when they are. */
function badges(path: string): Route["pages"] {
  const [version] = PUBLIC_VERSIONS;
  return ["", `rubric=${version}`].map((query) => ({ query, version, path }));
}

const REFUSED =
  "What cannot be answered is a badge too, grey, with its status: `unknown`, or `try later`. Badges have a quota of their own.";

export const ROUTES: readonly Route[] = [
  page("records", "/records", "release", {
    tag: "Records",
    summary: "Datasets with their scores",
    description:
      "Filters are joined by and; those on facets match the source's own words exactly. Failed records, and those of which too few signals could be judged (`insufficient_evidence`), have no score, and come last in every order by one.",
    list: true,
    query: recordListQuery,
    answer: recordList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/records.json"),
      ...versions("api/{version}/lists/records-by-score.json", "sortBy=score&sortOrder=desc"),
    ],
  }),
  page("record", "/records/{id}", "record", {
    tag: "Records",
    summary: "One dataset with its 25 signals explained",
    description:
      "For each signal: its state, the evidence it was judged by, where the source's payload has that evidence, and what the depositor can do. An id that was withdrawn, or is of no dataset, is 404 with that reason.",
    key: recordKey,
    query: rubricQuery,
    answer: recordDetail,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.json"),
  }),
  page("impact", "/records/{id}/impact", "record", {
    tag: "Records",
    summary: "Stewardship and, apart from it, observed use of a dataset",
    description: "Outcomes are those the source reports. They never enter the total of SHARE 2.0.",
    key: recordKey,
    query: rubricQuery,
    answer: recordImpact,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: versions("api/{version}/records/{shard}/{key}.impact.json"),
  }),
  page("authors", "/authors", "release", {
    tag: "Researchers",
    summary: "Researchers with their S-Index",
    description:
      "Researchers are told apart by ORCID iD, else by name and affiliation; two people are never joined on a name alone. Who has opted out is not listed.",
    list: true,
    throughServer: true,
    cache: CACHE.person,
    query: authorListQuery,
    answer: researcherList,
    problems: ["rubric-not-published"],
    pages: [
      ...versions("api/{version}/lists/authors.json"),
      ...versions("api/{version}/lists/authors-by-s-index.json", "sortBy=sIndex&sortOrder=desc"),
    ],
  }),
  page("author", "/authors/{slug}", "researcher", {
    tag: "Researchers",
    summary: "One researcher with their best hundred datasets",
    description: "The versions of one dataset count once. An earlier slug of the same researcher is redirected.",
    key: slugKey,
    query: rubricQuery,
    throughServer: true,
    cache: CACHE.person,
    answer: researcherDetail,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: versions("api/{version}/authors/{shard}/{key}.json"),
  }),
  page("metrics", "/metrics/live", "release", {
    tag: "Metrics",
    summary: "Platform metrics of the active release",
    description:
      "Counted over all records of the release, with an excerpt of its receipt. `sampling` says what they are of: a census only where every source is known to have given all it holds. Beside every mean stands the mean cap of its sources.",
    query: rubricQuery,
    answer: liveMetrics,
    problems: ["rubric-not-published"],
    pages: versions("api/{version}/metrics/live.json"),
  }),
  page("history", "/metrics/history", "release", {
    tag: "Metrics",
    summary: "Metrics of every release so far, oldest first",
    description: "The active release included; each snapshot is carried from release to release as it was published.",
    query: rubricQuery,
    answer: metricsHistory,
    problems: ["rubric-not-published", "history-not-published"],
    pages: versions("api/{version}/metrics/history.json"),
  }),
  page("rubrics", "/rubrics", "release", {
    tag: "Rubrics",
    summary: "The public SHARE versions",
    description: "Each with the contract it resolves to, and whether the active release has scores under it.",
    answer: rubricList,
    pages: [{ query: "", version: null, path: "api/rubrics/index.json" }],
  }),
  page("rubric", "/rubrics/{version}", "release", {
    tag: "Rubrics",
    summary: "One rubric: a public version or an exact contract identifier",
    description: "Signals with their questions, rules and advice, the order of the mask bits, and the six states.",
    key: versionKey,
    answer: rubricDescriptor,
    problems: ["unsupported-rubric"],
    pages: [{ query: "", version: null, path: "api/rubrics/{key}.json" }],
  }),
  page("institutions", "/institutions", "release", {
    tag: "Attribution",
    summary: "Reported affiliations",
    description:
      "Rows are texts as they were reported, each by the SHA-256 of its exact form. They are not organisations of a registry and have no S-Index.",
    list: true,
    query: institutionListQuery,
    answer: institutionList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/institutions.json"),
  }),
  page("geography", "/geography", "release", {
    tag: "Attribution",
    summary: "Countries",
    description:
      "By the affiliations of the creators, ISO 3166-1 alpha-3. A record may count in several countries, in each once; failed records are in no mean.",
    list: true,
    query: countryListQuery,
    answer: countryList,
    problems: ["rubric-not-published", "attribution-not-published"],
    pages: versions("api/{version}/lists/geography.json"),
  }),
  page("dataset-badge", "/widgets/datasets/{id}/badge.svg", "record", {
    tag: "Badges",
    summary: "A dataset's score as a badge",
    description: `The total, coloured by tier. Without a total it is grey and has no number: \`insufficient evidence\`, or \`not scored\` for a failed record. ${REFUSED}`,
    key: recordKey,
    query: rubricQuery,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["dataset-not-found", "rubric-not-published"],
    pages: badges("widgets/datasets/{shard}/{key}.svg"),
  }),
  page("repository-badge", "/widgets/repositories/{repository}/badge.svg", "repository", {
    tag: "Badges",
    summary: "A repository's mean as a badge",
    description: `Mean total of its scored records, coloured by tier, with the mean cap in its title. ${REFUSED}`,
    key: repositoryKey,
    query: rubricQuery,
    contentType: SVG_TYPE,
    cache: CACHE.badge,
    problems: ["repository-not-found", "rubric-not-published"],
    pages: badges("widgets/repositories/{key}.svg"),
  }),
  page("researcher-badge", "/widgets/researchers/{slug}/badge.svg", "researcher", {
    tag: "Badges",
    summary: "A researcher's S-Index as a badge",
    description: `The S-Index, coloured by tier, with what it rests on in its title: datasets, version, date, median, cap. ${REFUSED}`,
    key: slugKey,
    query: rubricQuery,
    throughServer: true,
    contentType: SVG_TYPE,
    cache: CACHE.personBadge,
    problems: ["researcher-not-found", "rubric-not-published"],
    pages: badges("widgets/researchers/{shard}/{key}.svg"),
  }),
  ...SERVICE_ROUTES,
  ...SIGN_IN_ROUTES,
  ...ACCOUNT_ROUTES,
];

/** The route called `name`. */
export function routeNamed(name: string): Route {
  const route = ROUTES.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`there is no route called ${name}`);
  return route;
}
