/** Compares a reply with the OpenAPI document: status, media type, schema and headers. */

import type { Response } from "../../api-static/openapi/types.ts";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import type { Reply } from "../server/ask.ts";
import { DOCUMENT, findFaults } from "./validator.ts";

const PROBLEM_CONTENT = "application/problem+json";

/** Headers that only some replies of an operation have. */
const OPTIONAL_HEADERS = ["x-total-count", "link", "share-retracted"];

/**
 * Routes in the order in which they are tried. A path without parameters comes first, because a path with parameters may also
 * match it.
 */
const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(
    `^${route.path
      .replace(/[.]/g, "\\.")
      .replace("{file}", ".+")
      .replace(/\{\w+\}/g, "[^/]+")}$`,
  ),
})).toSorted((a, b) => a.route.path.split("{").length - b.route.path.split("{").length);

/** Returns the documented route for a request; null if no documented route matches. */
export function findRoute(method: string, target: string): Route | null {
  const [path = ""] = target.split("?");
  const found = PATTERNS.find(
    ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path),
  )?.route;
  return found !== undefined && DOCUMENT.paths[found.path]?.[found.method] !== undefined ? found : null;
}

/** Returns the differences between a reply and the document's description of the operation. */
export function describedFaults({ name }: Route, target: string, reply: Reply): string[] {
  const response = findResponse(name, reply.status);
  if (response === null) return [`${name} does not describe ${reply.status}`];
  const { headers = {}, content = {} } = response;
  const missing = Object.keys(headers)
    .map((header) => header.toLowerCase())
    .filter((header) => !OPTIONAL_HEADERS.includes(header) && reply.headers[header] === undefined)
    .map((header) => `${name} ${reply.status} lacks the header ${header}`);
  if (reply.text === "") return missing;
  const type = reply.headers["content-type"]?.split(";")[0] ?? "";
  const described = content[type] ?? (name === "release-file" ? content["application/octet-stream"] : undefined);
  if (described === undefined) return [...missing, `${name} ${reply.status} does not describe ${type}`];
  if (type === "text/csv" && !target.includes("fields=")) {
    const [columns, wanted] = [reply.text, String(described.example)].map((text) => text.split("\r\n")[0]);
    return columns === wanted ? missing : [...missing, `${name}: the columns are ${columns}, in the example ${wanted}`];
  }
  if (!type.endsWith("json") || described.schema === undefined || name === "release-file") return missing;
  const body: unknown = JSON.parse(reply.text);
  // A complete row would also match the schema of a row whose fields were selected.
  const schema = target.includes("fields=") ? described.schema : (described.schema.anyOf?.[0] ?? described.schema);
  const wrong = findFaults(schema, body).map((fault) => `${name} ${reply.status}: ${fault}`);
  if (type !== PROBLEM_CONTENT) return [...missing, ...wrong];
  const types = Object.keys(described.examples ?? {}).map((problem) => `/problems/${problem}`);
  const { type: problem } = JSON.parse(reply.text);
  return types.includes(problem) ? [...missing, ...wrong] : [...missing, ...wrong, `${name} does not list ${problem}`];
}

/** Returns the documented response of an operation with this status; null if there is none. */
export function findResponse(name: string, status: number): Response | null {
  const { path, method } = routeNamed(name);
  const found = DOCUMENT.paths[path]?.[method]?.responses[String(status)];
  if (found === undefined) return null;
  if (!("$ref" in found)) return found;
  const component = DOCUMENT.components.responses[found.$ref.replace("#/components/responses/", "")];
  if (component === undefined) throw new Error(`${found.$ref} leads nowhere`);
  return component;
}
