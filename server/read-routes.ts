/** Answers every route of api-static/routes.ts from the pages of one release. */

import { hasPage, type PageFile, pagePath, type Route } from "../api-static/routes.ts";
import { CONTRACTS, PUBLIC_VERSIONS } from "../schemas/rubric.ts";
import { type Answer, contentAnswer } from "./answer.ts";
import { listPageOf } from "./lists.ts";
import { answerWithoutPage } from "./missing-page.ts";
import type { OpenRelease } from "./open-release.ts";
import { ProblemError } from "./problem-error.ts";
import { requirePublished } from "./published.ts";
import { type ReadQuery, readQuery } from "./read-query.ts";
import type { ReadRequest } from "./read-request.ts";

/** @throws ProblemError with the reason, where there is no such page */
export async function answerRoute(route: Route, request: ReadRequest, release: OpenRelease): Promise<Answer> {
  const query = readQuery(route, request.query);
  const key = keyOf(route, request);
  const version = route.versioned ? query.rubric : (route.pages[0]?.version ?? null);
  requirePublished(release.receipt, route, version);
  const file = fileFor(route, query, request);
  // Only a key that can name a file ever becomes part of a path.
  const page = key === "" || hasPage(key) ? await release.page(pagePath(route, file, key)) : null;
  if (page === null) return answerWithoutPage(route, key, version, request, release);
  return contentAnswer(page.body, route.contentType, route.cache, page.etag);
}

function fileFor(route: Route, query: ReadQuery, request: ReadRequest): PageFile {
  if (route.list) {
    requireJson(request);
    return listPageOf(route, query);
  }
  const file = route.pages.find(({ version }) => !route.versioned || version === query.rubric);
  if (file === undefined) throw new Error(`route ${route.name} has no page under ${query.rubric}`);
  return file;
}

/** The path parameter, '' where the route has none. */
function keyOf(route: Route, { path, parameters }: ReadRequest): string {
  if (route.key === null) return "";
  const parsed = route.key.safeParse(Object.values(parameters)[0]);
  if (!parsed.success || parsed.data === "") throw new ProblemError("not-found", `There is nothing at ${path}.`);
  if (route.name === "rubric") requireRubricName(parsed.data);
  return parsed.data;
}

/** An unknown rubric is 400, not 404 (interface.md, "Errors"). */
function requireRubricName(name: string): void {
  const known: readonly string[] = [...PUBLIC_VERSIONS, ...CONTRACTS];
  if (known.includes(name)) return;
  throw new ProblemError(
    "unsupported-rubric",
    `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}; the exact contracts are ${CONTRACTS.join(", ")}.`,
    { errors: [{ path: "version", message: `must be one of ${known.join(", ")}` }] },
  );
}

/** Who accepts CSV alone is told so, rather than given JSON. */
function requireJson({ headers }: ReadRequest): void {
  const accept = headers.accept ?? "*/*";
  if (!accept.includes("text/csv") || /\*\/\*|application\/(json|\*)/.test(accept)) return;
  throw new ProblemError("query-not-available", "Lists are answered as application/json; ask for that.");
}
