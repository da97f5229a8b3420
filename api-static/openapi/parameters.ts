/** The parameters that can be sent with a request besides its body: path, query, and the headers that matter. */

import { SHARED_HEADERS } from "../routes/headers.ts";
import { CACHE, digestKey, type Route } from "../routes/route.ts";
import { inlineSchema } from "./schemas.ts";
import type { Header, Parameter, Reference, Schema } from "./types.ts";

/** The rest of a path: OpenAPI knows no parameter with slashes in it, so the reader is told. */
const FILE: Parameter = {
  name: "file",
  in: "path",
  required: true,
  description: "Path of a file that the release's manifest names. Its slashes stay as they are.",
  schema: { type: "string", maxLength: 1024 },
  example: "manifest.ndjson",
};

/** Shared by operations, by the name they are referred to. */
export const SHARED_PARAMETERS = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description: "Tags of contents you have; 304 where the answer is one of them.",
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
    description: "The tag of the content that you have a part of; the whole file comes where it has another by now.",
    schema: { type: "string" },
    example: '"5f0c3a9b-1c4e"',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Every parameter of a route, those of the path first. */
export function parametersOf(route: Route): (Parameter | Reference)[] {
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
  return Object.entries(inlineSchema(query).properties ?? {}).map(([name, whole]) => {
    const { description = "", examples = [], ...schema } = whole;
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

/** Codes of countries are taken in any case, and answered in capitals. */
function withoutPattern(name: string, schema: Schema): Schema {
  return name === "countryCode" ? { ...schema, pattern: "^[A-Za-z]{3}$" } : schema;
}

function headerParameters(route: Route): Reference[] {
  if (route.method !== "get") return [];
  const names = route.ranges ? ["IfNoneMatch", "Range", "IfRange"] : ["IfNoneMatch"];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const text = { type: "string" } as const;
const whole = { type: "integer", minimum: 0 } as const;
const DIGEST = "4d7f5979f9615dce659d1319219be0717e63a8843a36f8d2a823c794a3520f70";

/** Headers by name, as the document's components. */
export const HEADERS = {
  ETag: {
    description:
      "A tag of the content: the same bytes have the same one on every server. Send it back in `If-None-Match`.",
    schema: text,
    example: '"5f0c3a9b-1c4e"',
  },
  "Cache-Control": { description: "The time for which the answer may be kept.", schema: text, example: CACHE.page },
  Vary: {
    description: "The request headers that choose among forms of the answer.",
    schema: text,
    example: SHARED_HEADERS.vary,
  },
  "SHARE-Release": {
    description: "Digest of the release that the answer was made from.",
    schema: { ...text, pattern: "^sha256:[0-9a-f]{64}$" },
    example: `sha256:${DIGEST}`,
  },
  "SHARE-Retracted": {
    description:
      "`?1` where the release that the answer was made from was withdrawn by its publisher: `retraction` in `/releases` says why. Absent otherwise.",
    schema: { ...text, const: "?1" },
    example: "?1",
  },
  Link: {
    description:
      "Addresses of the first, previous, next and last page of the list (RFC 8288). The answer to a cursor has the first and the next alone. A first page that is answered from its file has none. On linked data, where there are pages for people, the one that shows the same (`describes`).",
    schema: text,
    example: '</records?page=2>; rel="next", </records?page=10>; rel="last"',
  },
  "X-Total-Count": {
    description: "Rows of the whole list; on CSV answers and on streams of rows.",
    schema: whole,
    example: 96,
  },
  Location: {
    description: "The address to use from now on.",
    schema: text,
    example: `/releases/sha256-${DIGEST}`,
  },
  "Content-Location": {
    description: "The address of the content, which `GET` answers with the same.",
    schema: text,
    example: "/records/r1a613b3271281b736c4d1106?rubric=2.0",
  },
  "Content-Disposition": {
    description: "The name of the file to be kept.",
    schema: text,
    example: 'attachment; filename="share-account-u5b1c9e07d24f4a6f8e3b7a10.json"',
  },
  "Content-Range": {
    description: "The range of the file's bytes that these are.",
    schema: text,
    example: "bytes 0-1023/52481",
  },
  "Accept-Ranges": { description: "A sign that parts of the file can be asked for.", schema: text, example: "bytes" },
  Allow: { description: "The methods of the address.", schema: text, example: "GET, HEAD, OPTIONS" },
  "Set-Cookie": {
    description:
      "The cookie of a session or of a sign-in under way, set or taken back; HttpOnly, Secure and SameSite=Lax.",
    schema: text,
    example:
      "__Host-share_session=Zk3vQ9x1T7b5Lr2Wm8Yc4Nd6Pf0Hj3Ks5Ua7Ge9Bi1Q; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax",
  },
  "Retry-After": { description: "Seconds to wait before asking again.", schema: whole, example: 17 },
  "RateLimit-Policy": {
    description: "The quota that counts for the caller, and its window in seconds (IETF draft).",
    schema: text,
    example: '"anonymous";q=100;w=60',
  },
  RateLimit: {
    description: "The rest of the quota, and the seconds until it is full again (IETF draft).",
    schema: text,
    example: '"anonymous";r=99;t=60',
  },
  "X-RateLimit-Limit": { description: "Requests of a window.", schema: whole, example: 100 },
  "X-RateLimit-Remaining": { description: "Requests left in this window.", schema: whole, example: 99 },
  "X-RateLimit-Reset": { description: "Seconds until the next window.", schema: whole, example: 60 },
  "X-Request-Id": {
    description: "Id of the request in the server's log: name it when you report a fault.",
    schema: { ...text, format: "uuid" },
    example: "6a2f41a3-c54c-4ce8-a0f5-0a1f5d2c6b9e",
  },
} as const satisfies Readonly<Record<string, Header>>;

type Name = keyof typeof HEADERS;

/** On every answer of the server, refusals included. */
const ALWAYS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
] as const;

/** References to these headers and to those of every answer. */
export function headersWith(...names: readonly Name[]): Record<string, Reference> {
  return Object.fromEntries([...names, ...ALWAYS].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of the answer where all is well. */
export function successHeaders(route: Route): Record<string, Reference> {
  if (route.status === 202) return headersWith("Cache-Control", "Location", "Retry-After");
  const cookie = route.setsCookie ? (["Set-Cookie"] as const) : [];
  // Made while it is sent: there is no tag of it.
  if (route.download) return headersWith("Cache-Control", "Content-Disposition", "Vary");
  if (route.method !== "get") return headersWith("Cache-Control", ...cookie);
  return headersWith(
    "ETag",
    "Cache-Control",
    "Vary",
    ...cookie,
    ...(route.subject === null ? [] : (["SHARE-Release"] as const)),
    ...(route.subject === null && route.key !== digestKey ? [] : (["SHARE-Retracted"] as const)),
    ...(route.list ? (["Link", "X-Total-Count"] as const) : []),
    ...(route.linkedData ? (["Link"] as const) : []),
    ...(route.ranges ? (["Accept-Ranges"] as const) : []),
  );
}
