/** The schemas of schemas/ as JSON Schema, named, each written once and referred to by its name. */

import { z } from "zod";
import { NAMES } from "../../schemas/public/named.ts";
import type { Schema } from "./types.ts";

/** What zod writes and a reader does not need, or must not rely on. */
const OPTIONS = {
  io: "output",
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // Answers may grow members in any 1.x, so a client must not refuse those it does not know.
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // zod's own name for a check that the pattern spells out.
    if (jsonSchema.format === "ends_with") delete jsonSchema.format;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

/** Name of what a list answers if `fields` is given. */
export function fieldsName(list: string): string {
  return `${list}Fields`;
}

/** The same list, whose rows may lack any member; `all`: the schemas that its references name. */
function withFields(list: Schema, all: Readonly<Record<string, Schema>>): Schema {
  const rows = list.properties?.data;
  if (rows?.items === undefined) throw new Error("an answer of a list has no array of rows");
  const data = { ...rows, items: { ...partial(rows.items, all), minProperties: 1 } };
  return {
    ...list,
    description: `${list.description} Its rows have the members that \`fields\` names.`,
    properties: { ...list.properties, data },
  };
}

/** A schema whose objects require no member, however deep. */
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

/**
 * Every named schema, in order of its name. The bodies are described as they may be sent, before defaults are filled in; all
 * else as it is read or answered. Each of the lists is there a second time, as `fields` cuts it.
 */
export function namedSchemas(bodies: readonly z.ZodType[], lists: readonly z.ZodType[]): Record<string, Schema> {
  const all = (io: "input" | "output") => z.toJSONSchema(NAMES, { ...OPTIONS, io, uri: schemaAddress }).schemas;
  const [sent, answered] = [all("input"), all("output")];
  const isSent = new Set(bodies.map((body) => NAMES.get(body)?.id));
  const named: Readonly<Record<string, Schema>> = Object.fromEntries(
    Object.keys(answered).map((name) => {
      const { $schema: _dialect, $id: _id, ...schema } = (isSent.has(name) ? sent : answered)[name] ?? {};
      return [name, schemaOf(schema)];
    }),
  );
  const cut = lists.map((list) => {
    const name = NAMES.get(list)?.id ?? "";
    return [fieldsName(name), withFields(named[name] ?? {}, named)] as const;
  });
  return Object.fromEntries([...Object.entries(named), ...cut].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * A reference to the named schema that a route asks for or answers with.
 * @throws Error for a schema without a name
 */
export function refTo(schema: z.ZodType, route: string): Schema {
  const name = NAMES.get(schema)?.id;
  if (name === undefined)
    throw new Error(`a body or an answer of the route ${route} has no name: give it one with named()`);
  return { $ref: schemaAddress(name) };
}

/** A reference to what a list answers, whole or with the members that `fields` names. */
export function refToList(schema: z.ZodType, route: string): Schema {
  const whole = refTo(schema, route);
  return { anyOf: [whole, { $ref: fieldsName(whole.$ref ?? "") }] };
}

/** A schema written out where it stands: those of parameters. */
export function inlineSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, OPTIONS);
  return schemaOf(rest);
}

function schemaAddress(name: string): string {
  return `#/components/schemas/${name}`;
}

/** zod's type of what it writes is wider than what our schemas come to. */
function schemaOf(json: object): Schema {
  return json;
}
