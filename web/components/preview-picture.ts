/** The Open Graph pictures of a dataset and of a researcher: the score or S-Index, and the points of each bucket. */

import type { RecordDetail, ScoreStatus } from "../../schemas/public/api/record.ts";
import type { ResearcherDetail } from "../../schemas/public/api/researcher.ts";
import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { countText } from "./figures.ts";
import { BUCKET_NAMES, capitalised } from "./state-words.ts";

type PictureRecord = Pick<RecordDetail, "score" | "scoreStatus" | "cap" | "doi" | "identifier">;

/** The size in pixels that most preview services ask for. */
export const PREVIEW_PICTURE = { width: 1200, height: 630 } as const;

const { width: WIDTH, height: HEIGHT } = PREVIEW_PICTURE;
const BAR = { left: 800, width: 320, height: 28 };

/** Identifiers that the font can display. It has Latin, Greek and Cyrillic. Previews show the title as text. */
const PRINTABLE = /^[\x21-\x7e]{1,48}$/;

/** Letters of the font. A title with others is replaced by the name of the program. */
const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{Zs}\p{P}]+$/u;

/** Returns an SVG. Its only text from a repository is an identifier in ASCII. `site` is the title of the site. */
export function previewPicture({ score, scoreStatus, cap, doi, identifier }: PictureRecord, site: string): string {
  const name = [doi, identifier].find((text) => text !== null && PRINTABLE.test(text)) ?? "";
  return frame(
    score === null
      ? unscored(scoreStatus)
      : [largeNumber(score.total, `of ${cap} possible points`), bars(score.bucketScores)],
    name,
    site,
  );
}

type PictureResearcher = Pick<ResearcherDetail, "sIndex" | "datasetCount" | "bucketMeans" | "orcid">;

/** Returns an SVG without the name, because the font does not have all letters of names. */
export function researcherPicture(person: PictureResearcher, site: string): string {
  const { sIndex, datasetCount, bucketMeans, orcid } = person;
  const means = Object.fromEntries(BUCKETS.map((bucket) => [bucket, bucketMeans[bucket] ?? 0]));
  return frame(
    [largeNumber(sIndex, `S-Index of ${countText(datasetCount, "dataset")}`), bars(means)],
    orcid === null ? "" : `orcid.org/${orcid}`,
    site,
  );
}

export function researcherPictureWords({ sIndex, datasetCount, bucketMeans }: PictureResearcher): string {
  const parts = BUCKETS.map((bucket) => `${BUCKET_NAMES[bucket]} ${bucketMeans[bucket] ?? "not known"}`).join(", ");
  return `S-Index ${sIndex} of ${countText(datasetCount, "dataset")}. Average points of 20: ${parts}.`;
}

function frame(body: HtmlPart, identifier: string, site: string): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter" fill="#fff"><rect width="${WIDTH}" height="${HEIGHT}" fill="#0b2f3a"/><rect width="${WIDTH}" height="14" fill="#74c7da"/>
<g transform="translate(80 76)"><rect width="56" height="56" rx="12" fill="#74c7da"/><path transform="scale(1.75)" fill="#0b2f3a" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/><text x="76" y="40" font-size="34" font-weight="700" letter-spacing="3">${LETTERS.test(site) ? site : "SHARE"}</text></g>
${body}
<text x="80" y="566" font-size="28" fill="#b7c4cb">${identifier}</text></svg>`.text;
}

export function previewWords({
  score,
  scoreStatus,
  cap,
}: Pick<PictureRecord, "score" | "scoreStatus" | "cap">): string {
  if (score === null) return `SHARE: no score, ${whyUnscored(scoreStatus)}.`;
  const parts = BUCKETS.map((bucket) => `${BUCKET_NAMES[bucket]} ${score.bucketScores[bucket]}`).join(", ");
  return `SHARE score ${score.total} of ${cap} possible points. Points of 20: ${parts}.`;
}

/** Returns the reason as a clause, without a capital letter and a full stop. */
function whyUnscored(status: ScoreStatus): string {
  return status === "failed" ? "the record could not be read" : "too little could be judged";
}

function unscored(status: ScoreStatus): Html {
  const why = whyUnscored(status);
  const sentence = `${capitalised(why)}.`;
  return html`<text x="80" y="330" font-size="84" font-weight="700">No score</text><text x="80" y="392" font-size="34" fill="#b7c4cb">${sentence}</text>`;
}

function largeNumber(number: number, words: string): Html {
  return html`<text x="72" y="392" font-size="230" font-weight="700" letter-spacing="-8">${number}</text><text x="80" y="456" font-size="34" fill="#b7c4cb">${words}</text>`;
}

/** `points` has the points of each bucket, of 20. */
function bars(points: Readonly<Partial<Record<BucketId, number>>>): Html[] {
  return BUCKETS.map((bucket, i) => {
    const y = 186 + i * 66;
    return html`<text x="${BAR.left - 240}" y="${y + 24}" font-size="30">${BUCKET_NAMES[bucket]}</text><rect x="${BAR.left}" y="${y}" width="${BAR.width}" height="${BAR.height}" rx="6" fill="#244a55"/><rect x="${BAR.left}" y="${y}" width="${(BAR.width * (points[bucket] ?? 0)) / 20}" height="${BAR.height}" rx="6" fill="#74c7da"/>`;
  });
}
