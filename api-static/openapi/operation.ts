/** Operations of the OpenAPI document. */

import type { PathKey } from "../../schemas/public/path-key.ts";
import { pageFor } from "../routes/index.ts";
import {
  ARROW_TYPE,
  CLICKS,
  CSV_TYPE,
  digestKey,
  FTR_TYPE,
  HTML_TYPE,
  isVersioned,
  JSON_TYPE,
  NDJSON_TYPE,
  RELEASE_MEDIA_TYPES,
  type Route,
  recordKey,
  SVG_TYPE,
  slugKey,
} from "../routes/route.ts";
import { exampleCommand, exampleCsv, exampleLines, getExample } from "./examples.ts";
import { headersWith, listParameters, successHeaders } from "./parameters.ts";
import { problemResponses } from "./problems.ts";
import { refTo, refToList } from "./schemas.ts";
import type { MediaType, Operation, Reference, Response } from "./types.ts";

/** Descriptions of redirects, by path parameter. */
const MOVED: ReadonlyMap<PathKey | null, string> = new Map([
  [
    recordKey,
    "The record was merged into a record of the same DOI from another source. The response redirects to that record.",
  ],
  [slugKey, "The slug has changed. The response redirects to the current slug."],
  [digestKey, "URLs have digests with a dash: `sha256-<hex>`."],
]);

export function describeOperation(route: Route): Operation {
  const parameters = listParameters(route);
  const description = buildDescription(route);
  return {
    operationId: makeOperationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description === null ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: bodyContent(route, route.body),
          },
        }),
    ...(route.session ? { security: [{ Session: [] }] } : {}),
    responses: { ...successes(route), ...problemResponses(route) },
    "x-codeSamples": [{ lang: "Shell", label: "curl", source: exampleCommand(route) }],
  };
}

/**
 * Returns the content of a request body. A body in the format of a source has no schema here, because the API of that
 * source defines its schema.
 */
function bodyContent(route: Route, body: NonNullable<Route["body"]>): Record<string, MediaType> {
  const example = getExample(`${route.name} body`);
  if (route.bodyKind === "document") {
    return {
      "application/json": { schema: { type: "object" }, example },
      "application/xml": { schema: { type: "string" } },
      "application/yaml": { schema: { type: "string" } },
    };
  }
  const table: Record<string, MediaType> =
    route.listField === null ? {} : { [bare(CSV_TYPE)]: { schema: { type: "string" } } };
  return { "application/json": { schema: refTo(body, route.name), example }, ...table };
}

/** Returns the id of an operation: `dataset-badge` becomes `datasetBadge`. */
export function makeOperationId({ name }: Route): string {
  return name.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function successes(route: Route): Record<string, Response | Reference> {
  const answer: Response = {
    description: route.answer?.description ?? `${route.summary}.`,
    headers: successHeaders(route),
    content: describeContent(route),
  };
  const moved = MOVED.get(route.key);
  return {
    ...(route.found === null ? {} : { "200": describeFound(route.found, linkedContent(route)) }),
    [route.status]: answer,
    ...(route.ranges ? { "206": describePart(answer) } : {}),
    ...(route.method === "get" ? { "304": { $ref: "#/components/responses/NotModified" } } : {}),
    ...(route.redirectsBrowsers
      ? { "303": redirect("The address that a browser that asks for HTML is sent to.", "Set-Cookie") }
      : {}),
    ...(route.session && route.method === "get"
      ? { "303": redirect("If a browser without a session navigates here, it is redirected to `/sign-in`.") }
      : {}),
    ...temporaryRedirect(route),
    ...(moved === undefined ? {} : { "308": redirect(moved) }),
  };
}

function temporaryRedirect(route: Route): Record<string, Response> {
  const page = pageFor(route.name);
  const reasons = [
    ...(route.key === digestKey ? ["`latest` redirects to the URL of the active release."] : []),
    ...(page === null ? [] : [`If a browser navigates here, it is redirected to \`${page.path}\`.`]),
  ];
  return reasons.length === 0 ? {} : { "307": redirect(reasons.join(" ")) };
}

function describeContent(route: Route): Record<string, MediaType> {
  switch (route.contentType) {
    case JSON_TYPE:
      return {
        "application/json": jsonContent(route),
        ...(route.list ? { [bare(CSV_TYPE)]: { schema: { type: "string" }, example: exampleCsv(route.name) } } : {}),
        ...(route.listField === null ? {} : { [bare(CSV_TYPE)]: { schema: { type: "string" } } }),
        ...(route.list
          ? {
              [bare(NDJSON_TYPE)]: { schema: { type: "string" }, example: exampleLines(route.name) },
              [ARROW_TYPE]: { schema: { type: "string", format: "binary" } },
            }
          : {}),
        ...linkedContent(route),
        ...(route.html ? { [bare(HTML_TYPE)]: { schema: { type: "string" } } } : {}),
      };
    case SVG_TYPE:
      return { [bare(SVG_TYPE)]: { schema: { type: "string" }, example: getExample(route.name) } };
    case HTML_TYPE:
      return { [bare(HTML_TYPE)]: { schema: { type: "string" } } };
    default:
      // Files of a release have no schema.
      return Object.fromEntries(RELEASE_MEDIA_TYPES.map((type) => [bare(type), {}]));
  }
}

function jsonContent(route: Route): MediaType {
  const answer = route.queried ?? route.answer;
  if (answer === null)
    throw new Error(`the route ${route.name} responds with JSON, but defines no schema of the response (answer)`);
  const schema = takesFields(route) ? refToList(answer, route.name) : refTo(answer, route.name);
  return { schema, example: getExample(route.name) };
}

/** Whether the route has the parameter `fields`. */
export function takesFields({ query }: Pick<Route, "query">): boolean {
  return "fields" in query.shape;
}

/** Returns the 200 response of a POST that found an existing result. */
function describeFound({ answer, example }: NonNullable<Route["found"]>, linked: Record<string, MediaType>): Response {
  return {
    description: answer.description ?? "",
    headers: headersWith("Cache-Control", "Content-Location", "SHARE-Release", "SHARE-Retracted"),
    content: { "application/json": { schema: refTo(answer, example), example: getExample(example) }, ...linked },
  };
}

/**
 * Returns the media types of linked data of a route. They have no JSON Schemas here, because SHACL shapes describe them
 * (docs/linked-data.md).
 */
function linkedContent({ name, linkedData }: Route): Record<string, MediaType> {
  return Object.fromEntries(
    linkedData.map((type) => [
      type,
      { schema: { type: "object" }, ...(type === FTR_TYPE ? { example: getExample(`${name} tests`) } : {}) },
    ]),
  );
}

/** Returns a media type without its parameters: `image/svg+xml; charset=utf-8` becomes `image/svg+xml`. */
function bare(contentType: string): string {
  return contentType.split(";")[0] ?? contentType;
}

function describePart(answer: Response): Response {
  return {
    ...answer,
    description: "The requested range.",
    headers: { ...answer.headers, ...headersWith("Content-Range") },
  };
}

function redirect(description: string, ...further: "Set-Cookie"[]): Response {
  return { description, headers: headersWith("Location", "Cache-Control", ...further) };
}

/** The response (status 304) to a client that already has the content. */
export const NOT_MODIFIED: Response = {
  description: "You already have this content.",
  headers: headersWith("ETag", "Cache-Control", "Vary"),
};

export const TITLE = "SHARE scoring service";

/** Version of this API (interface.md, "Versioning"). */
export const API_VERSION = "1.6.0";

export const SUMMARY = "Scores for how well scientific datasets are shared, with the evidence for each signal.";

export const DESCRIPTION = `A SHARE score, from 0 to 100, measures how well a dataset is shared. It uses the metadata that the depositor supplied. The score consists of 25 yes/no signals of four points each, in five buckets: **S**tewardship, **H**armonization, **A**ccess, **R**eusability and **E**ngagement. Every signal without points has a reason. Only \`absent\` counts against the dataset; \`unsupported\`, \`source_missing\`, \`not_evaluable\` and \`failed\` make no claim about it.

The S-Index of a researcher is the largest k such that k of their datasets have a total of at least k. S-Impact counts known citations in the same way; \`citedBasis\` is the number of datasets with known citations. Do not read either alone. An S-Index grows with the number of datasets, so the response also has that number, the version, the date and the cap of the sources. Do not rank people by it.

A dataset with fewer than five evaluable signals has no total. Its \`scoreStatus\` is \`insufficient_evidence\`, it has masks, and means, distributions and the S-Index leave it out. Unknown is never zero.

**Versions.** Without \`rubric\`, responses use SHARE 2.0; \`rubric=1.0\` selects the historical scores. In 2.0 the bucket R is reusability at the time of deposit. Later use (views, downloads, citations) is separate and not part of the total. In 1.0 the bucket R is that use. Scores under 1.0 are not comparable with other publications under the name SHARE 1.0; \`GET /rubrics/1.0\` explains why.

**Additions.** This is API 1.6. \`x-additions\` in this document lists the operations and query parameters that API 1.6 does not have, for example \`lookup\` and \`cursor\`. Another server of API 1.6 can lack them, so look there before you use one.

**Releases.** Every score comes from an immutable release with a content digest. Lists and metrics name it in \`_meta.scoreRelease\`, and every response of the read API in the header \`SHARE-Release\`. You can download and verify a whole release. The receipt names the licence of the scores (\`license\`, by default CC0-1.0). The licence above is the licence of the program.

**Requests.** An unknown parameter is rejected with 400, which suggests the nearest name (names are case-sensitive). A parameter that is malformed, out of range or repeated is also 400. Only \`utm_*\`, \`_\` and \`cb\` are ignored. HTML pages, such as \`/\` and \`/docs\`, also ignore the parameters that trackers add to links: ${CLICKS.map((name) => `\`${name}\``).join(", ")}. \`HEAD\` works like \`GET\` without a body. With \`Accept: text/csv\`, lists have the same rows in the same order as CSV. \`null\` for an optional field of a JSON body means that it is absent. Clients must ignore unknown fields: any 1.x version can add fields.

**Browsers.** Every endpoint responds with JSON by default. If a browser navigates to an endpoint that has a view on the site, it is redirected there (307). Such a request prefers \`text/html\` over JSON in \`Accept\`, by quality and order, has no \`X-API-Key\`, and its \`Sec-Fetch-Mode\`, if any, is \`navigate\`. Without \`Sec-Fetch-Mode\`, a client that also accepts JSON or \`*/*\` must accept \`application/xhtml+xml\` too, as all browsers do. Such a browser gets errors as HTML, and without a session it is redirected from \`/account\` to \`/sign-in\` (303). Links on the site's own pages lead to the JSON. \`Vary\` names all of these headers.

**Keys and rate limits.** You do not need a key. A key in \`X-API-Key\` has its own limit, by default a higher one than an IP address. Responses have the limit in \`RateLimit-Policy\` and the remaining quota in \`RateLimit\`. Responses from a cache in front of the server do not count.

**Errors** are \`application/problem+json\` documents (RFC 9457). The URL in \`type\` explains what to do.`;

const SORTED = "`sortBy` and `sortOrder` determine the order. A page after the end is empty.";
const BY_ID = "Rows are in the order of their ids. A page after the end is empty.";
const GOING_ON =
  "To read a whole list, start with `cursor=*` and continue with the `nextCursor` of each response. With `fields`, rows have only the named fields, even if the schema requires others.";
const FORMATS =
  "With `Accept: application/x-ndjson`, the response is a stream of all rows, one JSON object on each line. Filters, order and `fields` work as usual; `page`, `limit` and `cursor` are rejected. `X-Total-Count` is the number of rows. If the connection closes before the end of the response, rows are missing. Each caller can read two streams at a time.\n\n`Accept: application/vnd.apache.arrow.stream` gives the same rows as Apache Arrow record batches: its columns are the fields of the rows, nested fields are structs, and days are strings.\n\nWith `Accept: text/csv`, the response is the same page as CSV: the path of a nested field is its column name, null is empty, and text that a spreadsheet would run as a formula starts with an apostrophe.";

/** Returns the description of a route, followed by the texts that all routes of the same kind have. */
function buildDescription(route: Route): string | null {
  const paragraphs = [
    route.description,
    route.list ? `${"sortBy" in route.query.shape ? SORTED : BY_ID} ${GOING_ON}\n\n${FORMATS}` : undefined,
    route.name !== "rubrics" && isVersioned(route) && !route.list ? "`rubric` selects the SHARE version." : undefined,
  ].filter((paragraph) => paragraph !== undefined);
  return paragraphs.length === 0 ? null : paragraphs.join("\n\n");
}
