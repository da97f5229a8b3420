/** Judges values by the schemas of our OpenAPI document, with a validator that is not ours. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApi } from "../../api-static/openapi/index.ts";
import type { Schema } from "../../api-static/openapi/types.ts";

/** The document, made once. */
export const DOCUMENT = openApi();

/**
 * In the document objects may have members it does not name, so that answers can grow; here they may not, so that none
 * is answered that is not described.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const open = "properties" in members && !("additionalProperties" in members);
  return open ? { ...members, additionalProperties: false } : members;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ components: { schemas: closed(DOCUMENT.components.schemas) } }, "document");

const compiled = new WeakMap<Schema, ValidateFunction>();

/** What is wrong with a value, one line a fault; nothing where it is as described. */
export function faultsOf(schema: Schema, value: unknown): string[] {
  const own = () => JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/'));
  const validate = compiled.get(schema) ?? ajv.compile(own());
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
}

/** Every value below a name, wherever it stands. */
export function valuesOf(name: string, within: unknown): unknown[] {
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(name, value)]);
}
