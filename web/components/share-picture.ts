/** The picture that other sites show beside a link to a page (Open Graph): its title, its result in large letters, and a chart. */

import type { RecordDetail, ScoreStatus } from "../../schemas/public/api/record.ts";
import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import type { BucketSums } from "./bucket-profile.ts";
import { countText, hundredths, plural, UNKNOWN } from "./figures.ts";
import { MIN_AVERAGED, roundMean } from "./list-columns.ts";
import { BUCKET_NAMES, capitalised } from "./state-words.ts";

export interface SharePicture {
  readonly title: string;
  /** The result in large letters; null if there is none. */
  readonly number: string | null;
  /** Words that explain the number, or the reason why there is no number. */
  readonly words: string;
  readonly chart: Chart | null;
  /** An identifier at the bottom of the picture; null for none. */
  readonly foot: string | null;
}

type Chart =
  /** A bar for each bucket: its points, of 20; null if they are not known. */
  | { readonly buckets: Readonly<Record<BucketId, number | null>> }
  /** A curve of the totals of datasets, the best first, with the S-Index that they give. */
  | { readonly totals: readonly number[]; readonly sIndex: number }
  /** One bar for a part of the whole, from 0 to 1. */
  | { readonly part: number };

/** The size of the picture in pixels, which most preview services ask for. */
export const SHARE_PICTURE = { width: 1200, height: 630 } as const;

const { width: WIDTH, height: HEIGHT } = SHARE_PICTURE;
const [MUTED, LIGHT, DARK] = ["#b7c4cb", "#74c7da", "#244a55"];
/** The area of the chart in pixels, at the right of the picture. */
const CHART = { left: 640, top: 312, width: 480, height: 230 };

/** Returns the picture in words. */
export function describePicture({ number, words, chart }: SharePicture): string {
  const result = number === null ? t`No score: ${words}` : `${number} ${words}`;
  if (chart === null || !("buckets" in chart)) return `${result}.`;
  const parts = BUCKETS.map((bucket) => `${t(BUCKET_NAMES[bucket])} ${chart.buckets[bucket] ?? t(UNKNOWN)}`);
  return t`${result}. Points of 20: ${parts.join(", ")}.`;
}

/** Returns the picture as SVG. `site` is the title of the site. */
export function drawPicture({ title, number, words, chart, foot }: SharePicture, site: string): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter" fill="#fff"><rect width="${WIDTH}" height="${HEIGHT}" fill="#0b2f3a"/><rect width="${WIDTH}" height="14" fill="${LIGHT}"/>
<g transform="translate(80 60)"><rect width="56" height="56" rx="12" fill="${LIGHT}"/><path transform="scale(1.75)" fill="#0b2f3a" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/><text x="76" y="40" font-size="34" font-weight="700" letter-spacing="3">${LETTERS.test(site) ? site : "SHARE"}</text></g>
${(LETTERS.test(title) ? breakLines(title, TITLE) : []).map((line, i) => html`<text x="80" y="${186 + 56 * i}" font-size="${TITLE.size}" font-weight="700">${line}</text>`)}
${number === null ? html`<text x="80" y="430" font-size="84" font-weight="700">No score</text>` : html`<text x="74" y="446" font-size="150" font-weight="700" letter-spacing="-4">${number}</text>`}
${breakLines(number === null ? `${capitalised(words)}.` : words, WORDS).map((line, i) => html`<text x="80" y="${498 + 36 * i}" font-size="${WORDS.size}" fill="${MUTED}">${line}</text>`)}
${chart === null ? null : drawChart(chart)}
<text x="80" y="592" font-size="26" fill="${MUTED}">${foot !== null && PRINTABLE.test(foot) ? foot : ""}</text></svg>`
    .text;
}

function drawChart(chart: Chart): Html | Html[] {
  const { left, top, width } = CHART;
  if ("part" in chart)
    return html`<rect x="${left}" y="${top + 90}" width="${width}" height="48" rx="8" fill="${DARK}"/><rect x="${left}" y="${top + 90}" width="${width * chart.part}" height="48" rx="8" fill="${LIGHT}"/>`;
  if ("totals" in chart) return drawCurve(chart.totals, chart.sIndex);
  return BUCKETS.map((bucket, i) => {
    const y = top + 48 * i;
    const bar = { x: left + 220, width: width - 220 };
    return html`<text x="${left}" y="${y + 24}" font-size="28">${t(BUCKET_NAMES[bucket])}</text><rect x="${bar.x}" y="${y}" width="${bar.width}" height="28" rx="6" fill="${DARK}"/><rect x="${bar.x}" y="${y}" width="${(bar.width * (chart.buckets[bucket] ?? 0)) / 20}" height="28" rx="6" fill="${LIGHT}"/>`;
  });
}

/** Returns a curve of the scores from the best dataset down, with a mark where score and rank are equal. */
function drawCurve(totals: readonly number[], sIndex: number): Html {
  const { left, top, width, height } = CHART;
  const ranks = Math.max(totals.length, 10);
  const even = Math.min(ranks, 100);
  const x = (rank: number) => Math.round(left + (width * rank) / ranks);
  const y = (score: number) => Math.round(top + height - (height * score) / 100);
  const steps = totals.map((total, i) => `L${x(i)} ${y(total)}L${x(i + 1)} ${y(total)}`).join("");
  return html`<path d="M${x(0)} ${y(0)}${steps}L${x(totals.length)} ${y(0)}z" fill="${DARK}"/><path d="M${x(0)} ${y(totals[0] ?? 0)}${steps}" fill="none" stroke="${LIGHT}" stroke-width="6" stroke-linejoin="round"/><path d="M${x(0)} ${y(0)}L${x(even)} ${y(even)}" stroke="${MUTED}" stroke-width="3" stroke-dasharray="8 8"/><circle cx="${x(sIndex)}" cy="${y(sIndex)}" r="11"/>`;
}

/** Identifiers that the picture can show: ASCII without a space. */
const PRINTABLE = /^[\x21-\x7e]{1,64}$/;

/** Matches texts of characters that the font has. A title with any other character is left out. */
const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{Zs}\p{P}+=<>°]+$/u;

/** The size of the font and the available width, in pixels. */
interface Line {
  readonly size: number;
  readonly width: number;
}

const TITLE: Line = { size: 46, width: WIDTH - 160 };
const WORDS: Line = { size: 30, width: CHART.left - 110 };
const MAX_LINES = 2;

/** Breaks a text into at most two lines. If the text is longer, the second line ends in an ellipsis. */
function breakLines(text: string, place: Line): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (isNarrow(longer, place)) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
    if (lines.length > MAX_LINES) break;
  }
  if (line !== "") lines.push(line);
  const shown = lines.slice(0, MAX_LINES);
  const last = shown.at(-1) ?? "";
  const isCut = lines.length > MAX_LINES || !isNarrow(last, place);
  return isCut ? [...shown.slice(0, -1).filter((each) => isNarrow(each, place)), cut(last, place)] : shown;
}

function cut(line: string, place: Line): string {
  const letters = Array.from(line);
  while (letters.length > 0 && !isNarrow(`${letters.join("")}…`, place)) letters.pop();
  return `${letters.join("").replace(/[\s.,;:]$/, "")}…`;
}

/** True if a line fits. Each letter counts as wide as the widest letter of its kind, as a part of the font's size. */
function isNarrow(line: string, { size, width: available }: Line): boolean {
  const width = Array.from(line).reduce(
    (sum, letter) =>
      sum +
      (/[ijlI.,:;'’|!()[\] ]/.test(letter) ? 0.36 : /[mwMW@%]/.test(letter) ? 1 : /\p{Lu}/u.test(letter) ? 0.78 : 0.6),
    0,
  );
  return width * size <= available;
}

/** Returns the picture of a dataset with its result. */
export function pictureRecord({
  score,
  scoreStatus,
  cap,
}: Pick<RecordDetail, "score" | "scoreStatus" | "cap">): Pick<SharePicture, "number" | "words" | "chart"> {
  if (score === null) return { number: null, words: whyUnscored(scoreStatus), chart: null };
  return {
    number: String(score.total),
    words: t`of ${cap ?? ""} possible points`,
    chart: { buckets: score.bucketScores },
  };
}

/** Returns the reason for the missing score as a clause, without a capital letter and a full stop. */
function whyUnscored(status: ScoreStatus): string {
  return t(status === "failed" ? "the record could not be read" : "too little could be judged");
}

/** Returns the picture of several datasets with their average; with only their number if few have a score. */
export function pictureAverage(figures: {
  readonly datasets: number;
  readonly meanScore: number | null;
  readonly meanCap: number | null;
  readonly buckets: Readonly<Record<BucketId, number | null>>;
}): Pick<SharePicture, "number" | "words" | "chart"> {
  const { datasets, meanScore, meanCap, buckets } = figures;
  const chart = { buckets };
  if (meanScore === null) return { number: null, words: t("no dataset has a score"), chart };
  if (datasets < MIN_AVERAGED) {
    const words = plural(datasets, "dataset with a score", "datasets with a score");
    return { number: String(datasets), words, chart: null };
  }
  const possible = meanCap === null ? t("points") : t`of ${hundredths(meanCap)} possible points`;
  const words = t`${possible}, the average of ${countText(datasets, "dataset")}`;
  return { number: hundredths(meanScore), words, chart };
}

/** Returns the average points of each bucket; null without a scored dataset. */
export function averageBuckets({ S, H, A, R, E }: BucketSums): Readonly<Record<BucketId, number | null>> {
  return { S: roundMean(S), H: roundMean(H), A: roundMean(A), R: roundMean(R), E: roundMean(E) };
}
