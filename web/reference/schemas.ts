/** Shows JSON Schemas as text, such as `integer, 0 to 100, or null`, and as tables of fields, with links to named ones. */

import type { Schema } from "../../api-static/openapi/types.ts";
import { table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { inline } from "./markdown.ts";

/** Maximum length, in characters, of a pattern that is shown. An example is clearer than a longer pattern. */
const MAX_PATTERN_LENGTH = 40;

export function typeText(schema: Schema): HtmlPart {
  if (schema.$ref !== undefined) return schemaLink(nameIn(schema.$ref));
  if (schema.anyOf !== undefined) return alternatives(withoutDuplicates(schema.anyOf.map(typeText)));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ", ",
    );
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "anything"];
  const words = types.map((type) =>
    type === "array" ? listWords(schema) : type === "object" ? mapWords(schema) : type,
  );
  const bounds = describeBounds(schema);
  return [joined(words, " or "), ...bounds.flatMap((bound) => [", ", bound])];
}

export function schemaLink(name: string): Html {
  return html`<a href="/docs/schemas#${anchorOf.schema(name)}">${name}</a>`;
}

function listWords({ items, minItems, maxItems }: Schema): HtmlPart {
  const of = typeText(items ?? {});
  if (minItems !== undefined && minItems === maxItems) return [`list of ${minItems} × `, of];
  return maxItems === undefined ? ["list of ", of] : [`list of at most ${maxItems} × `, of];
}

function mapWords({ properties, additionalProperties }: Schema): HtmlPart {
  if (properties !== undefined || typeof additionalProperties !== "object") return "object";
  return ["object of ", typeText(additionalProperties)];
}

function describeBounds(schema: Schema): HtmlPart[] {
  const { minimum, maximum, minLength = 0, maxLength, format, pattern } = schema;
  return [
    range(minimum, maximum),
    maxLength === undefined
      ? null
      : minLength > 0
        ? `${minLength} to ${maxLength} characters`
        : `at most ${maxLength} characters`,
    // The format already describes its pattern.
    format === undefined ? null : `format ${format}`,
    pattern === undefined || format !== undefined || pattern.length > MAX_PATTERN_LENGTH
      ? null
      : html`<code>${pattern}</code>`,
  ].filter((bound) => bound !== null);
}

function range(minimum: number | undefined, maximum: number | undefined): string | null {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${grouped(maximum)}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return maximum === undefined ? null : `at most ${grouped(maximum)}`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-GB");
}

function joined(parts: readonly HtmlPart[], between: string): HtmlPart {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));
}

/** Joins alternatives, with a comma before `or` if one of them contains a comma. */
function alternatives(parts: readonly HtmlPart[]): HtmlPart {
  const commas = parts.some((part) => html`${part}`.text.includes(", "));
  return joined(parts, commas ? ", or " : " or ");
}

function withoutDuplicates(parts: readonly HtmlPart[]): HtmlPart[] {
  const seen = new Map(parts.map((part) => [html`${part}`.text, part]));
  return [...seen.values()];
}

interface SchemaField {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Returns a table of the fields of a schema; null if there are none. It has only two columns, so that it fits on a phone. */
export function fieldTable(schema: Schema, label: string): Html | null {
  const fields = listFields(schema, "");
  if (fields.length === 0) return null;
  return twoColumns(
    label,
    ["Field", "Meaning"],
    fields.map(({ path, schema: field, required }) => ({
      name: html`<code>${path}</code>`,
      notes: [typeText(field), required ? null : ", optional"],
      meaning: inline(field.description ?? ""),
    })),
  );
}

/** Returns the fields of a schema. After an object, its own fields follow, such as `score.total` after `score`. */
export function listFields(schema: Schema, prefix: string): SchemaField[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    return [{ path, schema: field, required: required.includes(name) }, ...nestedFields(field, path)];
  });
}

function nestedFields(schema: Schema, path: string): SchemaField[] {
  if (schema.items !== undefined) return nestedFields(schema.items, `${path}[]`);
  const inner = schema.anyOf?.find((option) => option.properties !== undefined) ?? schema;
  return listFields(inner, `${path}.`);
}

export interface SchemaRow {
  readonly name: HtmlPart;
  /** The type and the default, which are shown below the name. */
  readonly notes: HtmlPart;
  readonly meaning: HtmlPart;
}

/** Returns a table with two columns, in which notes are below the name. `label` is its caption. */
export function twoColumns(label: string, columns: readonly [string, string], rows: readonly SchemaRow[]): Html {
  return table(
    label,
    columns,
    rows.map(({ name, notes, meaning }) => [html`${name} <span class="hint">${notes}</span>`, meaning]),
  );
}

export const anchorOf = {
  tag: (name: string) => `tag-${name.toLowerCase()}`,
  operation: (operationId: string) => `op-${operationId}`,
  problem: (type: string) => `problem-${type}`,
  schema: (name: string) => `schema-${name}`,
  table: (name: string) => `table-${name}`,
  header: (name: string) => `header-${name.toLowerCase()}`,
} as const;

export function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
