/** Whom a slug means: somebody the active release lists, and who has not opted out. */

import { slugKey } from "../../../api-static/routes/path-keys.ts";
import { idOfOrcid, idRangeOf } from "../../../pipeline/identifiers/id-range.ts";
import { slug as slugSchema } from "../../../schemas/public/api/researcher.ts";
import type { ProblemError } from "../../frame/answering/problem-error.ts";
import { unknownKey } from "../../frame/read-asked.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { Accounts } from "../accounts/index.ts";
import { shownVersion } from "./release-rows.ts";

export interface KnownResearcher {
  readonly id: string;
  /** Of today; an earlier one leads to it, as it does under /authors. */
  readonly slug: string;
}

/** Ids of one statement: a dataset may have thousands of creators. */
const MOST_AT_ONCE = 500;

interface Context {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
}

/** @throws ProblemError `researcher-not-found`, the same for who is hidden; `no-release` */
export async function knownResearcher(slug: string, { accounts, active }: Context): Promise<KnownResearcher> {
  const found = await listedResearcher(slug, active);
  if (found === null || (await hiddenAmong(accounts.db, [found.id])).has(found.id)) throw unknownResearcher();
  return found;
}

/**
 * The same, but whoever has the researcher's own ORCID iD finds them hidden, too: in a release that still lists them or in
 * one that was built without them. Nobody else could undo it.
 */
export async function claimableResearcher(
  slug: string,
  orcid: string | null,
  context: Context,
): Promise<KnownResearcher> {
  const own = orcid === null ? null : idOfOrcid(orcid);
  if (own !== null && idRangeOf(slug)?.from === own) {
    const hidden = await context.accounts.db
      .selectFrom("hidden_researcher")
      .select("slug")
      .where("researcher_id", "=", own)
      .executeTakeFirst();
    if (hidden !== undefined) return { id: own, slug: hidden.slug };
  }
  return knownResearcher(slug, context);
}

/** Hidden or not; null where the active release lists nobody under the slug. */
export function listedResearcher(slug: string, active: ActiveRelease): Promise<KnownResearcher | null> {
  return active.use(async (release) => {
    const version = shownVersion(release);
    if (!slugSchema.safeParse(slug).success) return null;
    const right = await release.lookups.slugLike(slug, version);
    const id = right === null ? null : await release.lookups.researcherId(right, version);
    return right === null || id === null ? null : { id, slug: right };
  });
}

/** Which of these have opted out. */
export async function hiddenAmong(db: Accounts["db"], ids: readonly string[]): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (let first = 0; first < ids.length; first += MOST_AT_ONCE) {
    const rows = await db
      .selectFrom("hidden_researcher")
      .select("researcher_id")
      .where("researcher_id", "in", ids.slice(first, first + MOST_AT_ONCE))
      .execute();
    for (const { researcher_id: id } of rows) hidden.add(id);
  }
  return hidden;
}

/** In the words of GET /authors/{slug}. */
export function unknownResearcher(): ProblemError {
  return unknownKey(slugKey);
}
