/** Whether a reply is what the document says of its operation: status, kind of content, schema and headers. */

import { expect } from "vitest";
import type { Response } from "../../api-static/openapi/types.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import type { Reply } from "../server/ask.ts";
import { DOCUMENT, faultsOf } from "./validator.ts";

export const PROBLEM_CONTENT = "application/problem+json";

/**
 * Said of lists, whose canonical pages come without: CSV has the one, queries have the other. And of what was withdrawn
 * (test/trust/retraction.test.ts), which no release here was.
 */
const SOMETIMES = ["x-total-count", "link", "share-retracted"];

/** `type` is '' if there is no content. `isCut`: whether the request names the members of rows. */
export function expectDescribed(name: string, reply: Reply, type: string, isCut = false): void {
  const { headers = {}, content = {} } = responseOf(name, reply.status);
  const required = Object.keys(headers).map((header) => header.toLowerCase());
  const missing = required.filter((header) => !SOMETIMES.includes(header) && reply.headers[header] === undefined);
  expect(missing).toEqual([]);
  if (type === "") {
    expect([reply.text, content]).toEqual(["", {}]);
    return;
  }
  const described = content[type];
  expect(described, `${type} is described`).toBeDefined();
  if (name !== "release-file" || type === PROBLEM_CONTENT)
    expect(reply.headers["content-type"]?.split(";")[0]).toBe(type);
  if (type.endsWith("json") && described?.schema !== undefined) {
    // A whole row would also be described as one that may lack any member.
    const schema = isCut ? described.schema : (described.schema.anyOf?.[0] ?? described.schema);
    expect(faultsOf(schema, JSON.parse(reply.text))).toEqual([]);
  }
  if (type === PROBLEM_CONTENT) {
    const types = Object.keys(described?.examples ?? {}).map((problem) => `/problems/${problem}`);
    expect(types).toContain(JSON.parse(reply.text).type);
  }
}

export function responseOf(name: string, status: number): Response {
  const { path, method } = routeNamed(name);
  const found = DOCUMENT.paths[path]?.[method]?.responses[String(status)];
  if (found === undefined) throw new Error(`${name} does not describe ${status}`);
  if (!("$ref" in found)) return found;
  const component = DOCUMENT.components.responses[found.$ref.replace("#/components/responses/", "")];
  if (component === undefined) throw new Error(`${found.$ref} leads nowhere`);
  return component;
}
