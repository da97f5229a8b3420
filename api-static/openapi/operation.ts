/** One route as an operation of the document. */

import { pageFor } from "../routes/index.ts";
import { RELEASE_MEDIA_TYPES } from "../routes/media-type.ts";
import { digestKey, recordKey, slugKey } from "../routes/path-keys.ts";
import {
  ARROW_TYPE,
  CSV_TYPE,
  HTML_TYPE,
  JSON_TYPE,
  LINKED_DATA_TYPE,
  NDJSON_TYPE,
  type PathKey,
  type Route,
  SVG_TYPE,
} from "../routes/route.ts";
import { exampleCsv, exampleLines, exampleOf } from "./examples.ts";
import { headersWith, successHeaders } from "./headers.ts";
import { parametersOf } from "./parameters.ts";
import { problemResponses } from "./problems.ts";
import { descriptionOf } from "./prose.ts";
import { exampleCommand } from "./request.ts";
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
