/** JSON Schemas: in words such as `integer, 0 to 100, or null`, and as a table of their fields. Named schemas are links. */

import type { Schema } from "../../api-static/openapi/types.ts";
import { table } from "../components/table.ts";
import { type Html, html, type Part } from "../html.ts";
import { inline } from "./markdown.ts";

/** A longer one tells people less than an example. */
const LONGEST_PATTERN = 40;

/** Words for the values that a schema allows. */
export function typeWords(schema: Schema): Part {
  if (schema.$ref !== undefined) return schemaLink(nameIn(schema.$ref));
  if (schema.anyOf !== undefined) return alternatives(distinct(schema.anyOf.map(typeWords)));
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
  const bounds = boundsOf(schema);
  return [joined(words, " or "), ...bounds.flatMap((bound) => [", ", bound])];
}

export function schemaLink(name: string): Html {
  return html`<a href="#${anchorOf.schema(name)}">${name}</a>`;
}

function listWords({ items, minItems, maxItems }: Schema): Part {
  const of = typeWords(items ?? {});
  if (minItems !== undefined && minItems === maxItems) return [`list of ${minItems} × `, of];
  return maxItems === undefined ? ["list of ", of] : [`list of at most ${maxItems} × `, of];
}

function mapWords({ properties, additionalProperties }: Schema): Part {
  if (properties !== undefined || typeof additionalProperties !== "object") return "object";
  return ["object of ", typeWords(additionalProperties)];
}

function boundsOf(schema: Schema): Part[] {
  const { minimum, maximum, minLength = 0, maxLength, format, pattern } = schema;
  return [
    range(minimum, maximum),
    maxLength === undefined
      ? null
      : minLength > 0
        ? `${minLength} to ${maxLength} characters`
        : `at most ${maxLength} characters`,
    // A format says what its pattern spells out.
    format === undefined ? null : `format ${format}`,
    pattern === undefined || format !== undefined || pattern.length > LONGEST_PATTERN
      ? null
      : html`<code>${pattern}</code>`,
  ].filter((bound) => bound !== null);
}

function range(minimum: number | undefined, maximum: number | undefined): string | null {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${grouped(maximum)}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return maximum === undefined ? null : `at most ${grouped(maximum)}`;
}

/** 10000 → 10,000. */
function grouped(value: number): string {
  return value.toLocaleString("en-GB");
}

function joined(parts: readonly Part[], between: string): Part {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));
}

/** A comma more where there are commas already. */
function alternatives(parts: readonly Part[]): Part {
  const commas = parts.some((part) => html`${part}`.text.includes(", "));
  return joined(parts, commas ? ", or " : " or ");
}

/** `0 or 4` rather than the same words twice. */
function distinct(parts: readonly Part[]): Part[] {
  const seen = new Map(parts.map((part) => [html`${part}`.text, part]));
  return [...seen.values()];
}

interface Member {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** A table of two columns, which fits a telephone. */
export function memberTable(schema: Schema, label: string): Html | null {
  const members = membersOf(schema, "");
  if (members.length === 0) return null;
  return twoColumns(
    label,
    ["Member", "Meaning"],
    members.map(({ path, schema: member, required }) => ({
      name: html`<code>${path}</code>`,
      notes: [typeWords(member), required ? null : ", optional"],
      meaning: inline(member.description ?? ""),
    })),
  );
}

/** Members, and below each the members of the object it holds. */
function membersOf(schema: Schema, prefix: string): Member[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    return [{ path, schema: member, required: required.includes(name) }, ...within(member, path)];
  });
}

function within(schema: Schema, path: string): Member[] {
  if (schema.items !== undefined) return within(schema.items, `${path}[]`);
  const inner = schema.anyOf?.find((option) => option.properties !== undefined) ?? schema;
  return membersOf(inner, `${path}.`);
}

export interface Row {
  readonly name: Part;
  /** Small print below the name. */
  readonly notes: Part;
  readonly meaning: Part;
}

/** `label` is the caption. */
export function twoColumns(label: string, columns: readonly [string, string], rows: readonly Row[]): Html {
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
  header: (name: string) => `header-${name.toLowerCase()}`,
} as const;

/** The last segment of a reference: the name of a component. */
export function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
