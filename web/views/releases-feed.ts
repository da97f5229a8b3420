/** The releases as an Atom feed (RFC 4287): an entry for each release, updated if the release is retracted. */

import { CAUSES, movedText, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { type AtomEntry, atomDocument } from "../components/atom.ts";
import { FEED_PATH } from "../components/document.ts";
import { countText, hundredths, integer } from "../components/figures.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { ReleaseSummary } from "./releases.ts";

/** A release and its changes. `diff` is null for releases that were built before diffs existed. */
export interface FeedEntry {
  readonly release: ReleaseSummary;
  readonly diff: ReleaseDiff | null;
}

/** Returns the feed as an Atom document. `entries` has the newest release first. */
export function releasesFeed(entries: readonly FeedEntry[], origin: string, site: string): string {
  const feed = {
    path: FEED_PATH,
    title: "Releases of SHARE scores",
    subtitle: "Added, changed and removed datasets in each release, and retractions.",
    page: "/history",
    // A server without a release has published nothing since any time.
    begun: "1970-01-01T00:00:00.000Z",
    entries: entries.map((entry) => buildEntry(entry, origin)),
  };
  return atomDocument(feed, origin, site);
}

/** Returns the entry of a release. Its id is the same on all servers, and a retraction changes its update time. */
function buildEntry({ release, diff }: FeedEntry, origin: string): AtomEntry {
  const { scoreReleaseVersion, releaseDigest, publishedAt, retraction } = release;
  const page = `${origin}/history/${releaseDigest.replace(":", "-")}`;
  const words = [...(retraction === null ? [] : [`Retracted: ${retraction.reason}`]), ...writeSummary(release, diff)];
  return {
    id: `urn:${releaseDigest}`,
    title: `Release ${scoreReleaseVersion}${retraction === null ? "" : ", retracted"}`,
    published: publishedAt,
    updated: updatedAt(release),
    page,
    related: diff === null ? null : renderChangesLink(releaseDigest, origin),
    summary: words.join(" "),
    content: renderContent(words, diff, page),
  };
}

function renderChangesLink(digest: string, origin: string): Html {
  const url = `${origin}/releases/${digest.replace(":", "-")}/changes`;
  return html`<link rel="related" type="application/json" href="${url}" title="All changes as JSON"/>\n`;
}

function updatedAt({ publishedAt, retraction }: ReleaseSummary): string {
  return retraction !== null && retraction.retractedAt > publishedAt ? retraction.retractedAt : publishedAt;
}

function writeSummary({ coverage }: ReleaseSummary, diff: ReleaseDiff | null): string[] {
  if (diff === null) return [`${countText(coverage.scored, "dataset")} with a score.`];
  const { from, records } = diff;
  if (from === null) return [`The first release, with ${countText(records.after, "dataset")}.`];
  const { added, removed, after } = records;
  return [
    `${countText(added, "dataset")} added and ${integer(removed)} removed since release ${from.scoreReleaseVersion}; ${integer(after)} in total.`,
    ...diff.rubrics.map(
      (figures) =>
        `Under SHARE ${figures.rubric}, ${countText(figures.moved, "dataset")} changed: ${movedText(figures)}; the average was ${hundredths(figures.meanBefore)} and is ${hundredths(figures.meanAfter)}.`,
    ),
  ];
}

function renderContent(words: readonly string[], diff: ReleaseDiff | null, page: string): Html {
  return html`${words.map((sentence) => html`<p>${sentence}</p>`)}${(diff?.rubrics ?? []).map(renderCauses)}<p><a href="${page}">${diff === null ? "Its files" : "All changes and their causes"}</a></p>`;
}

function renderCauses({ rubric, byCause }: ReleaseDiff["rubrics"][number]): HtmlPart {
  if (byCause.length === 0) return null;
  const causes = byCause.map(
    ({ cause, records, gained, lost }) =>
      html`<li>${countText(records, "dataset")}: ${CAUSES[cause]} (${integer(gained)} points gained, ${integer(lost)} lost)</li>`,
  );
  return html`<p>Causes of changed scores under SHARE ${rubric}:</p><ul>${causes}</ul>`;
}
