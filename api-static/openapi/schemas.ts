/** The schemas of `schemas/` as named JSON Schemas. */

import { z } from "zod";
import { NAMES } from "../../schemas/public/named.ts";
import type { Schema } from "./types.ts";

/** Options that remove parts of zod's output which readers do not need or which can change. */
const OPTIONS = {
  io: "output",
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // Later 1.x versions can add fields, so clients must accept unknown ones.
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // The pattern of the schema says the same.
    if (jsonSchema.format === "ends_with") delete jsonSchema.format;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

export function fieldsName(list: string): string {
  return `${list}Fields`;
}

/**
 * Returns the schema of a list in which all fields of a row are optional, for requests with the parameter `fields`. `all`
 * contains the schemas to which the list refers.
 */
function withFields(list: Schema, all: Readonly<Record<string, Schema>>): Schema {
  const rows = list.properties?.data;
  if (rows?.items === undefined) throw new Error("the response schema of a list has no array called data");
  const data = { ...rows, items: { ...partial(rows.items, all), minProperties: 1 } };
  return {
    ...list,
    description: `${list.description} Its rows have the fields that \`fields\` names.`,
    properties: { ...list.properties, data },
  };
}

/** Returns the schema with every field optional, including the fields of nested objects. */
function partial({ $ref, ...own }: Schema, all: Readonly<Record<string, Schema>>): Schema {
  const { required: _required, ...schema }: Schema =
    $ref === undefined ? own : { ...all[$ref.split("/").at(-1) ?? ""], ...own };
  const { properties, anyOf } = schema;
  return {
    ...schema,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((each) => partial(each, all)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, partial(each, all)])),
        }),
  };
}

/** Returns the schema of a request body in which optional fields can also be null, which means the same as absent. */
function withNulls({ properties = {}, required = [], ...schema }: Schema): Schema {
  const accepted = Object.entries(properties).map(([name, { description, ...own }]) => [
    name,
    required.includes(name) ? { description, ...own } : { description, anyOf: [own, { type: "null" }] },
  ]);
  return { ...schema, properties: Object.fromEntries(accepted), required };
}

/**
 * Returns every named schema by name. In schemas of request bodies, fields with a default are optional. Each list has a
 * second schema for requests with the parameter `fields`.
 */
export function namedSchemas(bodies: readonly z.ZodType[], lists: readonly z.ZodType[]): Record<string, Schema> {
  const all = (io: "input" | "output") => z.toJSONSchema(NAMES, { ...OPTIONS, io, uri: schemaAddress }).schemas;
  const [sent, answered] = [all("input"), all("output")];
  const isSent = new Set(bodies.map((body) => NAMES.get(body)?.id));
  const named: Readonly<Record<string, Schema>> = Object.fromEntries(
    Object.keys(answered).map((name) => {
      const { $schema: _dialect, $id: _id, ...schema } = (isSent.has(name) ? sent : answered)[name] ?? {};
      return [name, isSent.has(name) ? withNulls(toSchema(schema)) : toSchema(schema)];
    }),
  );
  const cut = lists.map((list) => {
    const name = NAMES.get(list)?.id ?? "";
    return [fieldsName(name), withFields(named[name] ?? {}, named)] as const;
  });
  return Object.fromEntries([...Object.entries(named), ...cut].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Returns a reference to a named schema.
 * @throws Error if the schema has no name
 */
export function refTo(schema: z.ZodType, route: string): Schema {
  const name = NAMES.get(schema)?.id;
  if (name === undefined) throw new Error(`a body or response of the route ${route} has no name. Name it with named()`);
  return { $ref: schemaAddress(name) };
}

/** Returns a schema of both responses of a list: complete rows, and rows with only those fields that the parameter `fields` names. */
export function refToList(schema: z.ZodType, route: string): Schema {
  const complete = refTo(schema, route);
  return { anyOf: [complete, { $ref: fieldsName(complete.$ref ?? "") }] };
}

export function inlineSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, OPTIONS);
  return toSchema(rest);
}

function schemaAddress(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Narrows the type of the JSON Schema that zod returns. */
function toSchema(json: object): Schema {
  return json;
}
