/**
 * No page at an address: a redirect to the right one, an answer made from the release's tables (a copy of a release may
 * come without its pages), or 404 with the reason.
 */

import { recordKey, repositoryKey, slugKey } from "../../../api-static/routes/route.ts";
import { recordId } from "../../../schemas/public/api/record.ts";
import { slug as slugSchema } from "../../../schemas/public/api/researcher.ts";
import type { Standing } from "../../accounts/hidden/standings.ts";
import { type AskedPage, unknownKey } from "../../http/add-routes.ts";
import { type Answer, ProblemError, redirectAnswer } from "../../http/answer.ts";
import { lookUpInstead } from "../../http/read-request.ts";
import type { OpenRelease } from "../release/open-release.ts";
import { answerByQuery, answerList } from "./answer-by-query.ts";

export async function answerWithoutPage(asked: AskedPage, release: OpenRelease, standing: Standing): Promise<Answer> {
  const { route } = asked;
  switch (route.subject) {
    case "record":
      return recordElsewhere(asked, release);
    case "researcher":
      return researcherElsewhere(asked, release, standing);
    case "repository":
      return repositoryWithoutFile(asked, release);
    case "release":
      return route.list ? answerList(route, asked.query, false, release, standing) : made(asked, release);
    case null:
      throw new Error(`the route ${route.path} has no pages`);
    default:
      return route.subject satisfies never;
  }
}

/** An id that lost to another source's moves on to the winner; all others are 404, each with its reason. */
async function recordElsewhere(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const id = asked.key ?? "";
  const missing = (detail: string) => new ProblemError("dataset-not-found", detail);
  if (!recordId.safeParse(id).success) {
    const instead = lookUpInstead(id);
    throw instead === null ? unknownKey(recordKey) : missing(`${recordKey.unknown.detail} ${instead}`);
  }
  const found = await release.lookups.recordFate(id);
  switch (found.fate) {
    case "alias":
      return moved(asked, found.winner);
    case "tombstone":
      throw missing(`This dataset has been withdrawn at its source${because(found.reason)}`);
    case "not_dataset":
      throw missing(`What was harvested under this id is not a dataset${because(found.reason)}`);
    case "unknown":
      throw missing("No dataset of this id has ever been harvested.");
    case "listed":
      return made(asked, release);
    default:
      return found satisfies never;
  }
}

function because(reason: string | null): string {
  return reason === null ? "." : `: ${reason}.`;
}

/** A known ORCID or id behind another name moves on to the slug of today. Who is hidden is unknown. */
async function researcherElsewhere(asked: AskedPage, release: OpenRelease, { hidden }: Standing): Promise<Answer> {
  const { version } = asked;
  const slug = asked.key ?? "";
  const isSlug = version !== null && slugSchema.safeParse(slug).success;
  const right = isSlug ? await release.lookups.slugLike(slug, version, hidden) : null;
  if (right === null) throw unknownKey(slugKey);
  return right === slug ? made(asked, release) : moved(asked, right);
}

/** Labels that cannot name a file have no page in any release. */
async function repositoryWithoutFile(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const answer = await answerByQuery(asked, release);
  if (answer === null) throw unknownKey(repositoryKey);
  return answer;
}

/** Makes the answer for a key that the release lists. */
async function made(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const answer = await answerByQuery(asked, release);
  if (answer === null) throw new Error(`release ${release.digest} lists ${asked.key} but has no rows of it`);
  return answer;
}

/** Redirects to the same route under another key, an id or a slug, with the same query. */
function moved({ route, request: { query } }: AskedPage, key: string): Answer {
  const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectAnswer(query === "" ? path : `${path}?${query}`, route.cache);
}
