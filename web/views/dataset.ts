/** One dataset: its score beside its cap, what to do next, each of the 25 signals, and how to show it elsewhere. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import type { PastScore } from "../../schemas/public/site/queries.ts";
import { bucketBars, meter } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { when, whole } from "../components/figures.ts";
import { press } from "../components/forms.ts";
import { underVersion } from "../components/navigation.ts";
import { previewWords } from "../components/preview-picture.ts";
import { type NextStep, nextSteps, signalDetails, signalGrid } from "../components/signals.ts";
import { snippets } from "../components/snippets.ts";
import { table } from "../components/table.ts";
import { BUCKET_NAMES } from "../components/words.ts";
import { type Html, html } from "../html.ts";
import { citationOf, datasetLinkedData, signposts } from "./linked-data.ts";

/** What of a record stands beside that of another version. */
type Totals = Pick<RecordDetail, "score" | "cap">;

interface DatasetPage {
  readonly record: RecordDetail;
  readonly version: PublicVersion;
  /** Address of the licence that the record names; null where it names none that has one. */
  readonly licence: string | null;
  /** The same under the other version; null where the release has no such scores. */
  readonly other: { readonly version: PublicVersion; readonly record: Totals } | null;
  readonly steps: readonly NextStep[];
  /** The question of each signal, by its id. */
  readonly questions: ReadonlyMap<string, string>;
  /** Its scores in earlier releases, oldest first, and in the current one. */
  readonly history: readonly PastScore[];
  readonly origin: string;
  /** Address at which a problem with the record can be reported; null if the operator has no contact. */
  readonly report: string | null;
}

export function datasetView(page: DatasetPage): View {
  const { record, version, origin } = page;
  const title = record.title ?? record.doi ?? record.identifier;
  const said = record.score === null ? "No score" : `SHARE score ${record.score.total} of 100`;
  return {
    title,
    description: `${said}${record.repository === null ? "" : `, ${record.repository}`}: what it is made of, and what would raise it.`,
    twin: `/records/${record.id}?rubric=${version}`,
    canonical: `/datasets/${record.id}`,
    linkedData: datasetLinkedData(record, origin),
    links: signposts(record, page.licence),
    picture: { path: `/datasets/${record.id}/card.png`, words: previewWords(record) },
    body: html`<p class="crumbs"><a href="/datasets">Datasets</a>${record.repository === null ? null : html` › <a href="${underVersion(`/repositories/${encodeURIComponent(record.repository)}`, version)}"><bdi>${record.repository}</bdi></a>`}</p>
<h1 dir="auto">${title}</h1>
${credits(record, version)}
${scoreOf(record, version)}
<h2 id="next">What to do next</h2>
${nextSteps(page.steps, record)}
<h2 id="signals">The 25 signals</h2>
<p>Open one to see what was found, where it was read, and what would pass it.</p>
${signalDetails(record, page.questions, version)}
${page.report === null ? null : html`<p>Is something wrong here? <a rel="nofollow" href="${page.report}">Report a problem</a></p>`}
${page.other === null ? null : bothVersions(page.record, version, page.other)}
${scoreHistory(page.history)}
<h2>Show the score</h2>
${snippets({ origin, version, page: `/datasets/${record.id}`, badge: said })}
<h2>About this record</h2>
${facts(record)}
<p><strong>Cite the dataset:</strong> ${citationOf(record)}</p>
<div class="actions">${press("/me", { do: "save-record", recordId: record.id }, "Save it to your account")}<a class="button quiet" href="/check?identifier=${encodeURIComponent(record.doi ?? record.identifier)}">Measure it again now</a></div>`,
  };
}

function credits({ authors, pubDate, doi, url }: RecordDetail, version: PublicVersion): Html {
  const shown = authors.slice(0, 12);
  const more = authors.length - shown.length;
  const names = shown.map(({ name, slug }, i) => [
    i === 0 ? "" : "; ",
    slug === null
      ? html`<bdi>${name}</bdi>`
      : html`<a href="${underVersion(`/researchers/${slug}`, version)}"><bdi>${name}</bdi></a>`,
  ]);
  const at = doi === null ? url : doiAddress(doi);
  return html`<p>${names}${more > 0 ? ` and ${more} more` : null}</p><p class="muted">${pubDate === null ? null : html`Published ${when(pubDate)}`}${
    at === null
      ? null
      : html`${pubDate === null ? "" : " · "}<a href="${at}" rel="external">${doi ?? "Its own page"}</a>`
  }</p>`;
}

function scoreOf({ score, scoreStatus, cap, repository, masks, signals }: RecordDetail, version: PublicVersion): Html {
  if (score === null) {
    const why =
      scoreStatus === "failed"
        ? "The record could not be read, so it has no score. That says nothing about the dataset."
        : "Too few of the 25 signals could be judged for a score. That says nothing about the dataset.";
    return html`<div class="note"><p><strong>No score.</strong> ${why}</p></div>${signalGrid({ signals })}`;
  }
  const { total } = score;
  const where = repository ?? "this repository";
  return html`<div class="score"><div><p><span class="big">${total}</span> <span class="of">of 100 points (SHARE ${version})</span></p>
${meter(total, 100, cap)}
<p>${
    cap < 100
      ? html`<strong>${cap} is the most</strong> that records from ${where} can reach: it has no place for the rest, or does not pass it on.`
      : html`Records from ${where} can reach all 100 points.`
  } ${judged(masks)}</p>
${bucketBars(score.bucketScores)}</div><div>${signalGrid({ signals })}</div></div>`;
}

function judged({ evaluableMask, passedMask }: RecordDetail["masks"]): string {
  const bits = (mask: number) => mask.toString(2).replaceAll("0", "").length;
  return `${bits(evaluableMask)} of the 25 signals could be judged, and ${bits(passedMask)} of these are there.`;
}

function bothVersions(record: Totals, version: PublicVersion, other: NonNullable<DatasetPage["other"]>): Html {
  const cell = (of: Totals, bucket: (typeof BUCKETS)[number]) => whole(of.score?.bucketScores[bucket] ?? null);
  const rows = BUCKETS.map((bucket) => [BUCKET_NAMES[bucket], cell(record, bucket), cell(other.record, bucket)]);
  return html`<h2>Both versions side by side</h2>
${table(
  "Points by version",
  [{ name: "Part" }, { name: `SHARE ${version}`, isNumber: true }, { name: `SHARE ${other.version}`, isNumber: true }],
  [
    ...rows,
    ["Total", whole(record.score?.total ?? null), whole(other.record.score?.total ?? null)],
    ["Most possible", record.cap, other.record.cap],
  ],
)}
<p class="small">In 1.0, R is use since publication (views, downloads, citations); in 2.0 it is how reusable the deposit was made. <a href="?rubric=${other.version}">This page under SHARE ${other.version}</a></p>`;
}

function facts(record: RecordDetail): Html {
  const { observedUse: use, source } = record;
  const rows: [string, Html | string | null][] = [
    ["Repository", record.repository],
    ["Kind", record.recordKind],
    ["Version", record.version],
    ["Licence", record.license],
    ["Access", record.accessStatus],
    ["Subjects", [...record.diseases, ...record.ageGroups, ...record.dataTypes].join(", ") || null],
    [
      "Seen, fetched, cited",
      `${whole(use.views)} views, ${whole(use.downloads)} downloads, ${whole(use.citations)} citations; not part of the score`,
    ],
    ["Described by", html`${source.name}, asked ${when(source.retrievedAt)}`],
    ["Identifier", record.identifier],
    ["The same elsewhere", record.aliases.map(({ identifier }) => identifier).join(", ") || null],
    ["Payload", html`<code>${source.payloadDigest}</code>`],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd dir="auto">${value}</dd>`))}</dl>`;
}

/** `scores`: oldest first; the last is the current one. */
export function scoreHistory(scores: readonly PastScore[]): Html | null {
  const [first, ...later] = scores;
  if (first === undefined) return null;
  return html`<h2 id="history">Over the releases</h2>${
    later.length === 0
      ? html`<p>Release ${first.scoreReleaseVersion} is the first that is kept here with this dataset.</p>`
      : html`${line(scores)}${table(
          "Score by release, newest first",
          [
            { name: "Release" },
            { name: "As of" },
            { name: "Score", isNumber: true },
            { name: "Change", isNumber: true },
            { name: "Possible", isNumber: true },
          ],
          scores
            .map((score, i) => [
              html`<a href="/history/${score.releaseDigest.replace(":", "-")}">${score.scoreReleaseVersion}</a>`,
              when(score.asOf),
              score.total === null ? "no score" : whole(score.total),
              change(scores[i - 1], score),
              whole(score.cap),
            ])
            .toReversed(),
        )}<p class="small muted">Each release says what moved in it, and why: the data’s description, how it is read, or the rules.</p>`
  }`;
}

/** Scores by different contracts are not taken from each other. */
function change(before: PastScore | undefined, { total, contract, reader }: PastScore): string {
  if (before === undefined) return "–";
  if (before.contract !== contract) return "other rules";
  if (before.total === null || total === null) return "–";
  const by = total - before.total;
  if (by === 0) return "0";
  const moved = `${by > 0 ? "+" : "−"}${Math.abs(by)}`;
  const read = before.reader !== null && reader !== null && before.reader !== reader;
  return read ? `${moved}, read by reader ${reader}, no longer ${before.reader}` : moved;
}

/** The drawing of the history, and its margins. */
const WIDTH = 600;
const HEIGHT = 140;
const LEFT = 36;
const TOP = 22;

function line(scores: readonly PastScore[]): Html {
  const x = (i: number) => Math.round(LEFT + 30 + ((WIDTH - LEFT - 60) * i) / Math.max(1, scores.length - 1));
  const y = (total: number) => Math.round(TOP + HEIGHT - (HEIGHT * total) / 100);
  const known = scores.flatMap(({ total, scoreReleaseVersion }, i) =>
    total === null ? [] : [{ at: x(i), up: y(total), total, name: scoreReleaseVersion }],
  );
  const path = known.map(({ at, up }, i) => `${i === 0 ? "M" : "L"}${at} ${up}`).join("");
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + TOP + 24}" aria-hidden="true" focusable="false"><path class="axis" d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${WIDTH}"/>${[
    0, 50, 100,
  ].map(
    (score) => html`<text x="${LEFT - 6}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<path class="line" d="${path}"/>${known.map(
    ({ at, up, total }) =>
      html`<circle class="point" cx="${at}" cy="${up}" r="4"/><text class="said" x="${at}" y="${up - 9}" text-anchor="middle">${total}</text>`,
  )}${[known[0], known.length > 1 ? known.at(-1) : undefined].map((end) =>
    end === undefined
      ? null
      : html`<text x="${end.at}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${end.name}</text>`,
  )}</svg>`;
}
