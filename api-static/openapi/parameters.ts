/** Parameters and headers of the OpenAPI document. */

import { SHARED_HEADERS } from "../routes/headers.ts";
import { CACHE, digestKey, LINKED_DATA_TYPE, type Route } from "../routes/route.ts";
import { inlineSchema } from "./schemas.ts";
import type { Header, Parameter, Reference, Schema } from "./types.ts";

/**
 * The parameter for the rest of a path, such as `data/facets.parquet`. Only the description says that its slashes stay
 * unencoded, because OpenAPI does not support slashes in path parameters.
 */
const FILE: Parameter = {
  name: "file",
  in: "path",
  required: true,
  description: "Path of a file in the release's manifest. Do not encode its slashes.",
  schema: { type: "string", maxLength: 1024 },
  example: "manifest.ndjson",
};

/** Shared parameters by component name. */
export const SHARED_PARAMETERS = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description: "ETags of contents that you have. If one of them matches, the response is 304.",
    schema: { type: "string" },
    example: '"5f0c3a9b-1c4e"',
  },
  Range: {
    name: "Range",
    in: "header",
    required: false,
    description: "One range of bytes (RFC 9110).",
    schema: { type: "string" },
    example: "bytes=0-1023",
  },
  IfRange: {
    name: "If-Range",
    in: "header",
    required: false,
    description: "ETag of the content of which you have a part. If it has changed, the response is the whole file.",
    schema: { type: "string" },
    example: '"5f0c3a9b-1c4e"',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export function listParameters(route: Route): (Parameter | Reference)[] {
  return [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
}

function pathParameters({ key, path }: Route): Parameter[] {
  const named: Parameter[] =
    key === null
      ? []
      : [
          {
            name: key.name,
            in: "path",
            required: true,
            description: key.description,
            schema: inlineSchema(key.schema),
            example: key.example,
          },
        ];
  return path.endsWith("/{file}") ? [...named, FILE] : named;
}

function queryParameters({ query }: Route): Parameter[] {
  return Object.entries(inlineSchema(query).properties ?? {}).map(([name, property]) => {
    const { description = "", examples = [], ...schema } = property;
    const example = examples[0];
    return {
      name,
      in: "query",
      required: false,
      description,
      schema: withoutPattern(name, schema),
      ...(example === undefined ? {} : { example }),
    };
  });
}

/**
 * Returns the schema of a parameter. For a country code, the pattern also allows lower case, because the server accepts it.
 */
function withoutPattern(name: string, schema: Schema): Schema {
  return name === "countryCode" ? { ...schema, pattern: "^[A-Za-z]{3}$" } : schema;
}

function headerParameters(route: Route): Reference[] {
  if (route.method !== "get") return [];
  const names = route.ranges ? ["IfNoneMatch", "Range", "IfRange"] : ["IfNoneMatch"];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const text = { type: "string" } as const;
const integerSchema = { type: "integer", minimum: 0 } as const;
const DIGEST = "4d7f5979f9615dce659d1319219be0717e63a8843a36f8d2a823c794a3520f70";

/** Response headers by component name. */
export const HEADERS = {
  ETag: {
    description: "ETag of the content. The same bytes have the same ETag on every server. Send it in `If-None-Match`.",
    schema: text,
    example: '"5f0c3a9b-1c4e"',
  },
  "Cache-Control": { description: "The rules by which caches store the response.", schema: text, example: CACHE.page },
  Vary: {
    description: "The request headers that select the representation.",
    schema: text,
    example: SHARED_HEADERS.vary,
  },
  "SHARE-Release": {
    description: "Digest of the release behind the response.",
    schema: { ...text, pattern: "^sha256:[0-9a-f]{64}$" },
    example: `sha256:${DIGEST}`,
  },
  "SHARE-Retracted": {
    description:
      "`?1` if the publisher has retracted the release; `retraction` in `/releases` has the reason. Absent otherwise.",
    schema: { ...text, const: "?1" },
    example: "?1",
  },
  Link: {
    description:
      "URLs of the first, previous, next and last page of the list (RFC 8288). With a cursor, only the first and the next. If the header would have more than 2,048 characters, the first and the last page are left out, and then the whole header, so use `pagination` in the body. A pre-rendered first page has no such header. For linked data, the view of the site with the same content (`describes`).",
    schema: text,
    example: '</records?page=2>; rel="next", </records?page=10>; rel="last"',
  },
  "X-Total-Count": {
    description: "Number of rows of the whole list, for CSV and streams.",
    schema: integerSchema,
    example: 96,
  },
  Location: {
    description: "The URL to use from now on.",
    schema: text,
    example: `/releases/sha256-${DIGEST}`,
  },
  "Content-Location": {
    description: "The URL with the same content.",
    schema: text,
    example: "/records/r1a613b3271281b736c4d1106?rubric=2.0",
  },
  "Content-Disposition": {
    description: "File name of the download.",
    schema: text,
    example: 'attachment; filename="share-account-u5b1c9e07d24f4a6f8e3b7a10.json"',
  },
  "Content-Range": {
    description: "The range of bytes in this response, and the size of the file.",
    schema: text,
    example: "bytes 0-1023/52481",
  },
  "Accept-Ranges": { description: "`bytes`: range requests are supported.", schema: text, example: "bytes" },
  Allow: { description: "The supported methods.", schema: text, example: "GET, HEAD, OPTIONS" },
  "Set-Cookie": {
    description:
      "Sets or clears the cookie of a session or of a running sign-in: HttpOnly, Secure and SameSite=Lax. The cookie of a session comes with `__Host-share_signed_in`, which scripts can read.",
    schema: text,
    example:
      "__Host-share_session=Zk3vQ9x1T7b5Lr2Wm8Yc4Nd6Pf0Hj3Ks5Ua7Ge9Bi1Q; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax",
  },
  "Retry-After": { description: "Seconds to wait before the next request.", schema: integerSchema, example: 17 },
  "RateLimit-Policy": {
    description: "The caller's quota and its window in seconds (IETF draft).",
    schema: text,
    example: '"anonymous";q=100;w=60',
  },
  RateLimit: {
    description: "The remaining quota and the seconds until it resets (IETF draft).",
    schema: text,
    example: '"anonymous";r=99;t=60',
  },
  "X-RateLimit-Limit": { description: "Requests allowed in a window.", schema: integerSchema, example: 100 },
  "X-RateLimit-Remaining": { description: "Requests left in this window.", schema: integerSchema, example: 99 },
  "X-RateLimit-Reset": { description: "Seconds until the next window.", schema: integerSchema, example: 60 },
  "X-Request-Id": {
    description: "Id of the request in the server's log. Include it when you report a fault.",
    schema: { ...text, format: "uuid" },
    example: "6a2f41a3-c54c-4ce8-a0f5-0a1f5d2c6b9e",
  },
} as const satisfies Readonly<Record<string, Header>>;

type Name = keyof typeof HEADERS;

/** Headers of every response, errors included. */
const ALWAYS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
] as const;

/** Returns references to the headers with these names, and to the headers of every response. */
export function headersWith(...names: readonly Name[]): Record<string, Reference> {
  return Object.fromEntries([...names, ...ALWAYS].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function successHeaders(route: Route): Record<string, Reference> {
  if (route.status === 202) return headersWith("Cache-Control", "Location", "Retry-After");
  const cookie = route.setsCookie ? (["Set-Cookie"] as const) : [];
  // A stream has no ETag.
  if (route.download) return headersWith("Cache-Control", "Content-Disposition", "Vary");
  const release = [
    ...(route.namesRelease ? (["SHARE-Release"] as const) : []),
    ...(route.namesRelease || route.key === digestKey ? (["SHARE-Retracted"] as const) : []),
  ];
  if (route.method !== "get") return headersWith("Cache-Control", ...cookie, ...release);
  return headersWith(
    "ETag",
    "Cache-Control",
    "Vary",
    ...cookie,
    ...release,
    ...(route.list ? (["Link", "X-Total-Count"] as const) : []),
    ...(route.linkedData.includes(LINKED_DATA_TYPE) ? (["Link"] as const) : []),
    ...(route.ranges ? (["Accept-Ranges"] as const) : []),
  );
}
