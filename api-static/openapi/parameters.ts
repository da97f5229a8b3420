/** The parameters that can be sent with a request besides its body: path, query, and the headers that matter. */

import type { Route } from "../routes/route.ts";
import { inlineSchema } from "./schemas.ts";
import type { Parameter, Reference, Schema } from "./types.ts";

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
