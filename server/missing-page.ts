/** No page at an address: a redirect to the right one, an answer made from the release's tables, or 404 with the reason. */

import { repositoryBadge } from "../api-static/badge.ts";
import { meanOf } from "../api-static/numbers.ts";
import { hasPage, type Route } from "../api-static/route.ts";
import { recordId } from "../schemas/api/record.ts";
import { slug as slugSchema } from "../schemas/api/researcher.ts";
import type { PublicVersion } from "../schemas/rubric.ts";
import { type Answer, contentAnswer, redirectAnswer } from "./answer.ts";
import type { OpenRelease } from "./open-release.ts";
import { ProblemError } from "./problem-error.ts";
import type { ReadRequest } from "./read-request.ts";

/** `key`: the path parameter, decoded and unchecked. */
export async function answerWithoutPage(
  route: Route,
  key: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
): Promise<Answer> {
  switch (route.subject) {
    case "record":
      return recordElsewhere(route, key, request, release);
    case "researcher":
      return researcherElsewhere(route, key, version, request, release);
    case "repository":
      return repositoryWithoutFile(route, key, version, release);
    case "release":
    case null:
      throw new Error(`release ${release.digest} lacks its page of ${route.path}`);
    default:
      return route.subject satisfies never;
  }
}

/** An id that lost to another source's moves on to the winner; all others are 404, each with its reason. */
async function recordElsewhere(route: Route, id: string, request: ReadRequest, release: OpenRelease): Promise<Answer> {
  const missing = (detail: string) => new ProblemError("dataset-not-found", detail);
  if (!recordId.safeParse(id).success) throw missing("A dataset's id is the letter r and 24 hexadecimal digits.");
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
      throw new Error(`release ${release.digest} lists the record ${id} but lacks its page of ${route.path}`);
    default:
      return found satisfies never;
  }
}

function because(reason: string | null): string {
  return reason === null ? "." : `: ${reason}.`;
}

/** A known ORCID or id behind another name moves on to the slug of today. */
async function researcherElsewhere(
  route: Route,
  slug: string,
  version: PublicVersion | null,
  request: ReadRequest,
  release: OpenRelease,
): Promise<Answer> {
  const right =
    version !== null && slugSchema.safeParse(slug).success ? await release.lookups.slugLike(slug, version) : null;
  if (right === null) throw new ProblemError("researcher-not-found", "No researcher is known under this name.");
  if (right === slug) throw new Error(`release ${release.digest} lists ${slug} but lacks their page of ${route.path}`);
  return moved(route, right, request);
}

/** Labels that can name a file have one; the others are asked of the table, and drawn the same way. */
async function repositoryWithoutFile(
  route: Route,
  label: string,
  version: PublicVersion | null,
  release: OpenRelease,
): Promise<Answer> {
  const mean = version === null || hasPage(label) ? undefined : await release.lookups.repositoryMean(label, version);
  if (mean === undefined) {
    throw new ProblemError("repository-not-found", "No repository has exactly this label.");
  }
  return contentAnswer(Buffer.from(repositoryBadge(meanOf(mean))), route.contentType, route.cache);
}

/** To the same route under another key, the query kept. `key` is one of ours: an id or a slug. */
function moved(route: Route, key: string, { query }: ReadRequest): Answer {
  const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectAnswer(query === "" ? path : `${path}?${query}`, route.cache);
}
