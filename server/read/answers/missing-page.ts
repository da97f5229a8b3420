/**
 * No page at an address: a redirect to the right one, an answer made from the release's tables (a copy of a release may
 * come without its pages), or 404 with the reason.
 */

import type { Route } from "../../../api-static/routes/route.ts";
import { recordKey, repositoryKey, slugKey } from "../../../api-static/routes/route.ts";
import type { BadgeLook } from "../../../schemas/public/api/badge.ts";
import { recordId } from "../../../schemas/public/api/record.ts";
import { slug as slugSchema } from "../../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import type { Standing } from "../../accounts/hidden/standings.ts";
import { unknownKey } from "../../http/add-routes.ts";
import { type Answer, ProblemError, redirectAnswer } from "../../http/answer.ts";
import { readQuery } from "../../http/read-query.ts";
import type { ReadRequest } from "../../http/read-request.ts";
import { lookUpInstead } from "../../http/read-request.ts";
import type { OpenRelease } from "../release/open-release.ts";
import { answerByQuery, answerList } from "./answer-by-query.ts";
import { askedLook } from "./badge-answer.ts";

/** `key`: the path parameter, decoded and unchecked. */
export async function answerWithoutPage(
  route: Route,
  key: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
  standing: Standing,
): Promise<Answer> {
  switch (route.subject) {
    case "record":
      return recordElsewhere(route, key, version, request, release);
    case "researcher":
      return researcherElsewhere(route, key, version, request, release, standing);
    case "repository":
      return repositoryWithoutFile(route, key, version, request, release);
    case "release":
      return route.list
        ? answerList(route, readQuery(route, request.query), false, release, standing)
        : made(route, key, version, request, release);
    case null:
      throw new Error(`the route ${route.path} has no pages`);
    default:
      return route.subject satisfies never;
  }
}

/** An id that lost to another source's moves on to the winner; all others are 404, each with its reason. */
async function recordElsewhere(
  route: Route,
  id: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
): Promise<Answer> {
  const missing = (detail: string) => new ProblemError("dataset-not-found", detail);
  if (!recordId.safeParse(id).success) {
    const instead = lookUpInstead(id);
    throw instead === null ? unknownKey(recordKey) : missing(`${recordKey.unknown.detail} ${instead}`);
  }
  const found = await release.lookups.recordFate(id);
  switch (found.fate) {
    case "alias":
      return moved(route, found.winner, request);
    case "tombstone":
      throw missing(`This dataset has been withdrawn at its source${because(found.reason)}`);
    case "not_dataset":
      throw missing(`What was harvested under this id is not a dataset${because(found.reason)}`);
    case "unknown":
      throw missing("No dataset of this id has ever been harvested.");
    case "listed":
      return made(route, id, version, request, release);
    default:
      return found satisfies never;
  }
}

function because(reason: string | null): string {
  return reason === null ? "." : `: ${reason}.`;
}

/** A known ORCID or id behind another name moves on to the slug of today. Who is hidden is unknown. */
async function researcherElsewhere(
  route: Route,
  slug: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
  { hidden }: Standing,
): Promise<Answer> {
  const isSlug = version !== null && slugSchema.safeParse(slug).success;
  const right = isSlug ? await release.lookups.slugLike(slug, version, hidden) : null;
  if (right === null) throw unknownKey(slugKey);
  return right === slug ? made(route, slug, version, request, release) : moved(route, right, request);
}

/** Labels that cannot name a file have no page in any release. */
async function repositoryWithoutFile(
  route: Route,
  label: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
): Promise<Answer> {
  const answer = await answerByQuery(route, version ?? PUBLIC_VERSIONS[0], label, release, lookOf(route, request));
  if (answer === null) throw unknownKey(repositoryKey);
  return answer;
}

/** What is listed is there. */
async function made(
  route: Route,
  key: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
): Promise<Answer> {
  const answer = await answerByQuery(route, version ?? PUBLIC_VERSIONS[0], key, release, lookOf(route, request));
  if (answer === null) throw new Error(`release ${release.digest} lists ${key} but has no rows of it`);
  return answer;
}

/** How a badge is to look; null of all else. */
function lookOf(route: Route, { query }: ReadRequest): BadgeLook | null {
  return "style" in route.query.shape ? askedLook(readQuery(route, query)) : null;
}

/** To the same route under another key, the query kept. `key` is one of ours: an id or a slug. */
function moved(route: Route, key: string, { query }: ReadRequest): Answer {
  const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectAnswer(query === "" ? path : `${path}?${query}`, route.cache);
}
