/** Shows the changes of the datasets that a user follows as an Atom feed, with an entry for each release. */

import type { Movement } from "../../schemas/public/site/queries.ts";
import { type AtomEntry, atomDocument } from "../components/atom.ts";
import { largestList, movementSentences } from "../components/movement.ts";
import { html } from "../html.ts";

export interface ChangesFeed {
  /** Name of the subject of the feed, such as a repository. */
  readonly name: string;
  /** Path of the subject's page. */
  readonly page: string;
  /** Publication time of the oldest release that the feed compares: since then, a feed without entries is unchanged. */
  readonly begun: string;
  /** The changes of each release, the newest first. */
  readonly movements: readonly Movement[];
}

export function changesFeed({ name, page, begun, movements }: ChangesFeed, origin: string, site: string): string {
  const path = changesFeedPath(page);
  const feed = {
    path,
    title: `SHARE scores: ${name}`,
    subtitle: "Changed datasets in each release, and the causes. Releases without a change are left out.",
    page,
    begun,
    entries: movements.map((movement) => buildEntry(movement, path, origin)),
  };
  return atomDocument(feed, origin, site);
}

/** Returns the path of the feed of a page, which can be a list with filters. */
export function changesFeedPath(page: string): string {
  const [path, query] = page.split("?");
  return query === undefined ? `${path}/changes.atom` : `${path}.atom?${query}`;
}

function buildEntry(movement: Movement, path: string, origin: string): AtomEntry {
  const { releaseDigest, scoreReleaseVersion, publishedAt } = movement;
  const segment = releaseDigest.replace(":", "-");
  const words = movementSentences(movement);
  return {
    id: `${origin}${path}#${segment}`,
    title: `Release ${scoreReleaseVersion}`,
    published: publishedAt,
    updated: publishedAt,
    page: `${origin}/history/${segment}`,
    related: null,
    summary: words.join(" "),
    content: html`${words.map((sentence) => html`<p>${sentence}</p>`)}${largestList(movement, origin)}`,
  };
}
