/** Validates values against the schemas of the OpenAPI document, with an independent validator. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApi } from "../../api-static/openapi/index.ts";
import type { Schema } from "../../api-static/openapi/types.ts";

/** The OpenAPI document, made once for all suites of a process. */
export const DOCUMENT = openApi();

/**
 * Returns a schema that forbids additional properties. The document allows them, so that responses can grow, but a test must
 * find every property that is not described.
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

/** Returns the violations of a schema, each as one line of text. The list is empty if the value is valid. */
export function findFaults(schema: Schema, value: unknown): string[] {
  const own = () => JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/'));
  const validate = compiled.get(schema) ?? ajv.compile(own());
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
}

/** Returns every value under a property name, at any depth. */
export function findValues(name: string, within: unknown): unknown[] {
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...findValues(name, value),
  ]);
}
