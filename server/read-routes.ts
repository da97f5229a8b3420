/** Answers every route of api-static/routes.ts from the pages of one release. */

import { hasPage, type PageFile, pagePath, type Route, type Subject } from "../api-static/routes.ts";
import { recordId } from "../schemas/api/record.ts";
import { slug } from "../schemas/api/researcher.ts";
import { CONTRACTS, PUBLIC_VERSIONS } from "../schemas/rubric.ts";
import { type Answer, contentAnswer } from "./answer.ts";
import { listPageOf } from "./lists.ts";
import { answerWithoutPage } from "./missing-page.ts";
import type { OpenRelease } from "./open-release.ts";
import { ProblemError } from "./problem-error.ts";
import { requirePublished } from "./published.ts";
import { type ReadQuery, readQuery } from "./read-query.ts";
import type { ReadRequest } from "./read-request.ts";

/** @throws ProblemError with the reason, where there is nothing to answer with */
export async function answerRoute(route: Route, request: ReadRequest, release: OpenRelease): Promise<Answer> {
  const query = readQuery(route, request.query);
  const key = route.key === null ? null : (Object.values(request.parameters)[0] ?? "");
  if (route.name === "rubric") requireRubricName(key);
  const version = route.versioned ? query.rubric : (route.pages[0]?.version ?? null);
  requirePublished(release.receipt, route, version);
  const file = fileFor(route, query, request);
  const page = namesPage(route, key) ? await release.page(pagePath(route, file, key ?? "")) : null;
  if (page === null) return answerWithoutPage(route, key ?? "", version, request, release);
  return contentAnswer(page.body, route.contentType, route.cache, page.etag);
}

/** Only a key that is one, and that can name a file, ever becomes part of a path. */
function namesPage(route: Route, key: string | null): boolean {
  if (key === null) return true;
  return route.key?.safeParse(key).success === true && isKeyOf(route.subject, key) && hasPage(key);
}

function isKeyOf(subject: Subject, key: string): boolean {
  if (subject === "record") return recordId.safeParse(key).success;
  return subject !== "researcher" || slug.safeParse(key).success;
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

/** An unknown rubric is 400, not 404 (interface.md, "Errors"). */
function requireRubricName(name: string | null): void {
  const known: readonly (string | null)[] = [...PUBLIC_VERSIONS, ...CONTRACTS];
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
