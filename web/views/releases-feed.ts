/** The releases as an Atom feed (RFC 4287): for people who want to hear when scores move, and when a release is retracted. */

import { CAUSES, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { FEED_ADDRESS } from "../components/document.ts";
import { counted, decimal, whole } from "../components/figures.ts";
import { type Html, html, type Part, xmlDocument } from "../html.ts";
import type { ReleaseSummary } from "./releases.ts";

/** A release, and what moved in it; null where it was made before that was written down. */
export interface FeedEntry {
  readonly release: ReleaseSummary;
  readonly diff: ReleaseDiff | null;
}

/** Of a feed without an entry, which must say one all the same. */
const NEVER = "1970-01-01T00:00:00.000Z";

/** `entries`: newest first. The whole document. */
export function releasesFeed(entries: readonly FeedEntry[], origin: string): string {
  const updated = entries.map(({ release }) => updatedAt(release)).toSorted();
  return xmlDocument(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">
<id>${origin}${FEED_ADDRESS}</id>
<title>Releases of SHARE scores</title>
<subtitle>What came, moved and went in each, and what was retracted.</subtitle>
<updated>${updated.at(-1) ?? NEVER}</updated>
<author><name>SHARE</name><uri>${origin}/</uri></author>
<link rel="self" type="application/atom+xml" href="${origin}${FEED_ADDRESS}"/>
<link rel="alternate" type="text/html" href="${origin}/history"/>
${entries.map((entry) => entryOf(entry, origin))}</feed>`);
}

/** One release is one entry, wherever it is served: who has read it sees it again when it is retracted. */
function entryOf({ release, diff }: FeedEntry, origin: string): Html {
  const { scoreReleaseVersion, releaseDigest, publishedAt, retraction } = release;
  const page = pageOf(releaseDigest, diff, origin);
  const title = `Release ${scoreReleaseVersion}${retraction === null ? "" : ", retracted"}`;
  const words = [...(retraction === null ? [] : [`Retracted: ${retraction.reason}`]), ...flowOf(release, diff)];
  return html`<entry>
<id>urn:${releaseDigest}</id>
<title>${title}</title>
<published>${publishedAt}</published>
<updated>${updatedAt(release)}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
${diff === null ? null : changesOf(releaseDigest, origin)}<summary>${words.join(" ")}</summary>
<content type="html">${contentOf(words, diff, page).text}</content>
</entry>
`;
}

/** Where it was not written down what moved, no page has it: then that of all releases, which names the files of each. */
function pageOf(digest: string, diff: ReleaseDiff | null, origin: string): string {
  return diff === null ? `${origin}/history` : `${origin}/history/${digest.replace(":", "-")}`;
}

function changesOf(digest: string, origin: string): Html {
  const address = `${origin}/releases/${digest.replace(":", "-")}/changes`;
  return html`<link rel="related" type="application/json" href="${address}" title="Every change, for programs"/>\n`;
}

function updatedAt({ publishedAt, retraction }: ReleaseSummary): string {
  return retraction !== null && retraction.retractedAt > publishedAt ? retraction.retractedAt : publishedAt;
}

/** Sentences. */
function flowOf({ coverage }: ReleaseSummary, diff: ReleaseDiff | null): string[] {
  if (diff === null) return [`${counted(coverage.scored, "dataset")} with a score.`];
  const { from, records } = diff;
  if (from === null) return [`The first release, of ${counted(records.after, "dataset")}.`];
  const { added, removed, after } = records;
  return [
    `${counted(added, "dataset")} came and ${whole(removed)} went since release ${from.scoreReleaseVersion}; there are ${whole(after)}.`,
    ...diff.rubrics.map(
      ({ rubric, moved, up, down, meanBefore, meanAfter }) =>
        `Under SHARE ${rubric}, ${counted(moved, "dataset")} moved: ${whole(up)} up, ${whole(down)} down; the average was ${decimal(meanBefore)} and is ${decimal(meanAfter)}.`,
    ),
  ];
}

function contentOf(words: readonly string[], diff: ReleaseDiff | null, page: string): Html {
  return html`${words.map((sentence) => html`<p>${sentence}</p>`)}${(diff?.rubrics ?? []).map(causesOf)}<p><a href="${page}">${diff === null ? "All releases, and their files" : "What moved, and why"}</a></p>`;
}

function causesOf({ rubric, byCause }: ReleaseDiff["rubrics"][number]): Part {
  if (byCause.length === 0) return null;
  const causes = byCause.map(
    ({ cause, records, gained, lost }) =>
      html`<li>${counted(records, "dataset")}: ${CAUSES[cause]} (${whole(gained)} points gained, ${whole(lost)} lost)</li>`,
  );
  return html`<p>What moved scores under SHARE ${rubric}:</p><ul>${causes}</ul>`;
}
