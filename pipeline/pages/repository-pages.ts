/** The pages of repositories: a badge of each, of its mean beside its cap. */

import { repositoryBadge } from "../../api-static/pages/badge.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { hasPage, type Route } from "../../api-static/routes/route.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import { pageAddress } from "../packs/pack-names.ts";
import { placeOf } from "../packs/place.ts";
import type { PageSink } from "./page-sink.ts";
import { REPOSITORY_FIGURES, repositoryFiguresOf } from "./repository-figures.ts";

/** Writes them all; labels that are no key of a page are left to the server. Repositories are few. */
export async function writeRepositoryPages(
  db: Database,
  sink: PageSink,
  versions: readonly PublicVersion[],
): Promise<void> {
  const route: Route = routeNamed("repository-badge");
  const file = route.pages.find(({ version }) => version !== null && versions.includes(version));
  if (file === undefined) return;
  const rows = await db.rows(REPOSITORY_FIGURES, { version: file.version });
  const badges = rows.flatMap(({ repository: label, sum, count, cap: caps }) => {
    const { repository, mean, cap } = repositoryFiguresOf([label, sum, count, caps]);
    return hasPage(repository) ? [{ repository, text: repositoryBadge(mean, cap) }] : [];
  });
  badges.sort((one, other) => placeOf(one.repository).compare(placeOf(other.repository)));
  for (const { repository, text } of badges) sink.write(pageAddress(route, file, repository), text);
}
