/** Every example of the OpenAPI document, with the name of its schema. */

import { openApi } from "../../api-static/openapi/index.ts";
import type { MediaType, Reference, Response, Schema } from "../../api-static/openapi/types.ts";

export interface NamedExample {
  /** Name of the schema in the components of the document. For a list, it is the schema of the rows. */
  readonly schema: string;
  readonly isList: boolean;
  readonly value: unknown;
}

export const DOCUMENT = openApi();

/** Returns the examples of JSON request and response bodies. */
export function namedExamples(): NamedExample[] {
  const operations = Object.values(DOCUMENT.paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap(({ requestBody, responses }) => [
    ...contentExamples(requestBody?.content ?? {}),
    ...Object.values(responses).flatMap((response) => contentExamples(resolved(response).content ?? {})),
  ]);
}

function contentExamples(content: Readonly<Record<string, MediaType>>): NamedExample[] {
  return Object.entries(content).flatMap(([type, { schema = {}, example, examples = {} }]) => {
    const named = findSchema(schema);
    if (!type.endsWith("json") || named === null) return [];
    const several = Object.keys(examples).map((name) => DOCUMENT.components.examples[name]?.value);
    return [example, ...several].filter((value) => value !== undefined).map((value) => ({ ...named, value }));
  });
}

function findSchema({ anyOf, $ref = anyOf?.[0]?.$ref }: Schema): Pick<NamedExample, "schema" | "isList"> | null {
  const schema = $ref?.split("/").at(-1);
  if (schema === undefined) return null;
  const rows = DOCUMENT.components.schemas[schema]?.items?.$ref?.split("/").at(-1);
  return rows === undefined ? { schema, isList: false } : { schema: rows, isList: true };
}

function resolved(response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  const found = DOCUMENT.components.responses[response.$ref.split("/").at(-1) ?? ""];
  if (found === undefined) throw new Error(`${response.$ref} leads nowhere`);
  return found;
}
