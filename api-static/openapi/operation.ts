/** One route as an operation of the document. */

import { pageFor } from "../routes/index.ts";
import {
  ARROW_TYPE,
  CLICKS,
  CSV_TYPE,
  digestKey,
  HTML_TYPE,
  isVersioned,
  JSON_TYPE,
  LINKED_DATA_TYPE,
  NDJSON_TYPE,
  type PathKey,
  RELEASE_MEDIA_TYPES,
  type Route,
  recordKey,
  SVG_TYPE,
  slugKey,
} from "../routes/route.ts";
import { exampleCommand, exampleCsv, exampleLines, exampleOf } from "./examples.ts";
import { headersWith, parametersOf, successHeaders } from "./parameters.ts";
import { problemResponses } from "./problems.ts";
import { refTo, refToList } from "./schemas.ts";
import type { MediaType, Operation, Reference, Response } from "./types.ts";

/** What has another address by now, by the path parameter. */
const MOVED: ReadonlyMap<PathKey | null, string> = new Map([
  [
    recordKey,
    "The id belongs to a record of the same DOI from another source; the answer is at the record that is kept.",
  ],
  [slugKey, "The name has changed; the answer is at the researcher's slug of today."],
  [digestKey, "In addresses a digest is written with a dash: `sha256-<hex>`."],
]);

export function operationOf(route: Route): Operation {
  const parameters = parametersOf(route);
  const description = descriptionOf(route);
  return {
    operationId: operationIdOf(route),
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

/** A document is described by no schema of ours: its source's API has one. */
function bodyContent(route: Route, body: NonNullable<Route["body"]>): Record<string, MediaType> {
  const example = exampleOf(`${route.name} body`);
  if (route.bodyKind === "document") {
    return {
      "application/json": { schema: { type: "object" }, example },
      "application/xml": { schema: { type: "string" } },
    };
  }
  return { "application/json": { schema: refTo(body, route.name), example } };
}

/** `dataset-badge` → `datasetBadge`. */
export function operationIdOf({ name }: Route): string {
  return name.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function successes(route: Route): Record<string, Response | Reference> {
  const answer: Response = {
    description: route.answer?.description ?? `${route.summary}.`,
    headers: successHeaders(route),
    content: contentOf(route),
  };
  const moved = MOVED.get(route.key);
  return {
    ...(route.found === null ? {} : { "200": foundOf(route.found) }),
    [route.status]: answer,
    ...(route.ranges ? { "206": partOf(answer) } : {}),
    ...(route.method === "get" ? { "304": { $ref: "#/components/responses/NotModified" } } : {}),
    ...(route.redirectsBrowsers
      ? { "303": redirect("The address that a browser that asks for HTML is sent to.", "Set-Cookie") }
      : {}),
    ...temporaryRedirect(route),
    ...(moved === undefined ? {} : { "308": redirect(moved) }),
  };
}

function temporaryRedirect(route: Route): Record<string, Response> {
  const page = pageFor(route.name);
  const reasons = [
    ...(route.key === digestKey ? ["`latest` is the active release: its address has the digest."] : []),
    ...(page === null ? [] : [`If a browser navigates here, it is redirected to \`${page.path}\`.`]),
  ];
  return reasons.length === 0 ? {} : { "307": redirect(reasons.join(" ")) };
}

function contentOf(route: Route): Record<string, MediaType> {
  switch (route.contentType) {
    case JSON_TYPE:
      return {
        "application/json": jsonContent(route),
        ...(route.list ? { [bare(CSV_TYPE)]: { schema: { type: "string" }, example: exampleCsv(route.name) } } : {}),
        ...(route.list
          ? {
              [bare(NDJSON_TYPE)]: { schema: { type: "string" }, example: exampleLines(route.name) },
              [ARROW_TYPE]: { schema: { type: "string", format: "binary" } },
            }
          : {}),
        ...(route.linkedData ? { [LINKED_DATA_TYPE]: { schema: { type: "object" } } } : {}),
        ...(route.html ? { [bare(HTML_TYPE)]: { schema: { type: "string" } } } : {}),
      };
    case SVG_TYPE:
      return { [bare(SVG_TYPE)]: { schema: { type: "string" }, example: exampleOf(route.name) } };
    case HTML_TYPE:
      return { [bare(HTML_TYPE)]: { schema: { type: "string" } } };
    default:
      // Files of a release: bytes or lines, of which a schema says nothing.
      return Object.fromEntries(RELEASE_MEDIA_TYPES.map((type) => [bare(type), {}]));
  }
}

function jsonContent(route: Route): MediaType {
  const answer = route.queried ?? route.answer;
  if (answer === null) throw new Error(`route ${route.name} answers JSON without a schema`);
  const schema = takesFields(route) ? refToList(answer, route.name) : refTo(answer, route.name);
  return { schema, example: exampleOf(route.name) };
}

/** Whether the caller chooses the members of rows. */
export function takesFields({ query }: Pick<Route, "query">): boolean {
  return "fields" in query.shape;
}

/** What was there already. */
function foundOf({ answer, example }: NonNullable<Route["found"]>): Response {
  return {
    description: answer.description ?? "",
    headers: headersWith("Cache-Control", "Content-Location", "SHARE-Release", "SHARE-Retracted"),
    content: { "application/json": { schema: refTo(answer, example), example: exampleOf(example) } },
  };
}

/** `image/svg+xml; charset=utf-8` → `image/svg+xml`. */
function bare(contentType: string): string {
  return contentType.split(";")[0] ?? contentType;
}

function partOf(answer: Response): Response {
  return {
    ...answer,
    description: "The part that was asked for.",
    headers: { ...answer.headers, ...headersWith("Content-Range") },
  };
}

function redirect(description: string, ...further: "Set-Cookie"[]): Response {
  return { description, headers: headersWith("Location", "Cache-Control", ...further) };
}

/** The client has the content already. */
export const NOT_MODIFIED: Response = {
  description: "You have this content already.",
  headers: headersWith("ETag", "Cache-Control", "Vary"),
};

export const TITLE = "SHARE scoring service";

/** Version of this API (interface.md, "Versioning"). */
export const API_VERSION = "1.6.0";

export const SUMMARY = "Scores that say how well scientific datasets have been shared, with the evidence behind them.";

export const DESCRIPTION = `A SHARE score says, from 0 to 100, how well a dataset has been shared, judged from what its depositor supplied. It is made of 25 yes-or-no signals of four points each, in five buckets: **S**tewardship, **H**armonization, **A**ccess, **R**eusability and **E**ngagement. A signal that scores nothing says why: only \`absent\` speaks against the dataset, while \`unsupported\`, \`source_missing\`, \`not_evaluable\` and \`failed\` make no claim about it.

The S-Index of a researcher is the largest k such that k of their datasets have a total of at least k. S-Impact, reported beside it, counts known citations in the same way, and \`citedBasis\` says of how many datasets they are known. Neither is to be read alone: an S-Index follows the number of datasets, so that it comes with that, the version, the date, the release's median and the cap of the sources.

A dataset of which fewer than five signals could be judged has no total: \`scoreStatus\` says \`insufficient_evidence\`, its masks are shown, and it is in no mean, distribution or S-Index. What is not known is no zero.

**Versions.** SHARE 2.0 answers where no \`rubric\` is given; \`rubric=1.0\` selects the historical scores. In 2.0 the bucket R is reusability at the time of deposit; use observed since then (views, downloads, citations) is reported apart and never enters the total. In 1.0 R is that use. Scores under 1.0 are not comparable with what others publish as SHARE 1.0; \`GET /rubrics/1.0\` says why.

**Releases.** Every score comes from an immutable release with a content digest. Lists and metrics name it in \`_meta.scoreRelease\`, and every answer of the read API in the header \`SHARE-Release\`. A whole release can be downloaded and checked. Its scores are under the licence that its receipt names (\`license\`, CC0-1.0 unless the publisher chose another); the licence above is the program's.

**Requests.** A parameter that the address does not know is refused with 400, which names the nearest one it has (names are case-sensitive), and so is one that is malformed, out of range or given twice. Only \`utm_*\`, \`_\` and \`cb\` are ignored; addresses that browsers come to as to a page, such as \`/\` and \`/docs\`, ignore what links are given on their way as well: ${CLICKS.map((name) => `\`${name}\``).join(", ")}. \`HEAD\` works wherever \`GET\` does. Lists answer \`Accept: text/csv\` with the same rows in the same order. \`null\` for an optional member of a JSON body means that it is absent. Clients must ignore members they do not know: answers may grow some in any 1.x version.

**Browsers.** Every endpoint answers in JSON by default. If a browser navigates to an endpoint that has a page on the site, it is redirected there (307). The request then prefers \`text/html\` over JSON in \`Accept\`, by quality and order, has no \`X-API-Key\`, and its \`Sec-Fetch-Mode\`, if any, is \`navigate\`. Without \`Sec-Fetch-Mode\`, a client that also accepts JSON or \`*/*\` must accept \`application/xhtml+xml\` too, as all browsers do. Links on the site's own pages lead to the JSON. \`Vary\` names all of these headers.

**Keys and rates.** No key is needed: 100 requests a minute are answered for each IP address, and 1,000 for each key sent in \`X-API-Key\`. Answers of the service tell what is left; answers of a cache in front of it cost nothing and do not.

**Refusals** are \`application/problem+json\` documents (RFC 9457). Each \`type\` has a page that says what to do.`;

const SORTED = "Rows come in the order of `sortBy` and `sortOrder`; a page past the end is empty.";
const BY_ID = "Rows come in the order of their ids; a page past the end is empty.";
const GOING_ON =
  "Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required.";
const CSV =
  "Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/reference/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.";

/** The description of a route: below what it says of itself, what holds for its kind. */
function descriptionOf(route: Route): string | null {
  const paragraphs = [
    route.description,
    route.list ? `${"sortBy" in route.query.shape ? SORTED : BY_ID} ${GOING_ON} ${CSV}` : undefined,
    route.name !== "rubrics" && isVersioned(route) && !route.list
      ? "Figures are those of the SHARE version that `rubric` selects."
      : undefined,
  ].filter((paragraph) => paragraph !== undefined);
  return paragraphs.length === 0 ? null : paragraphs.join("\n\n");
}
