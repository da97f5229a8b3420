/**
 * Badges of scores. Their colour shows how much of the possible points (cap) a score reaches (decisions.md, "URLs";
 * rubrics.md, "Arithmetic").
 */

import { makeBadge } from "badge-maker";
import type { BadgeLook, BadgeStyle, EndpointBadge } from "../../schemas/public/api/badge.ts";
import type { RecordRow, ScoreStatus } from "../../schemas/public/api/record.ts";
import type { SIndexBasis } from "../../schemas/public/api/researcher.ts";
import { PROBLEMS, type ProblemType } from "../../schemas/public/problem.ts";
import { ROUTES } from "../routes/index.ts";
import { isBadge, type Route } from "../routes/route.ts";
import { datasetTier, type ExactMean, scoreOfCap, tenths } from "./numbers.ts";
import { sIndexWords } from "./researcher.ts";

/** The colour of every S-Index badge. It does not depend on the value, because people are not ranked. */
const RESEARCHER_COLOR = "#1f6296";

const GREY = "#6b6b6b";

/** Colour of the left half of a badge. */
export const LABEL_GROUND = "#3d3d3d";

export const BADGE_LABELS = { record: "SHARE", repository: "SHARE mean", researcher: "S-Index" } as const;

/**
 * A total with its possible points (cap), or the status if there is no total. The cap is null in old releases without caps.
 */
export type BadgeScore = { readonly total: number; readonly cap: number | null } | Exclude<ScoreStatus, "scored">;

export function buildBadgeScore({
  scoreStatus,
  score,
  cap,
}: Pick<RecordRow, "scoreStatus" | "cap"> & { readonly score: { readonly total: number } | null }): BadgeScore {
  if (scoreStatus === "scored") return score === null ? "failed" : { total: score.total, cap };
  return scoreStatus;
}

const WITHOUT_TOTAL: Readonly<Record<Exclude<ScoreStatus, "scored">, string>> = {
  failed: "not scored",
  insufficient_evidence: "insufficient evidence",
};

export interface BadgeWords {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  /** Texts that follow the message in the title of the badge, without markup. */
  readonly beside: readonly string[];
}

/**
 * Returns the texts and colour of a dataset's badge, such as `SHARE | 48 of 60`. Without a total, the badge is grey and
 * shows the status.
 */
export function datasetWords(score: BadgeScore): BadgeWords {
  const label = BADGE_LABELS.record;
  if (typeof score === "string") return { label, message: WITHOUT_TOTAL[score], color: GREY, beside: [] };
  const { total, cap } = score;
  return { label, message: scoreOfCap(total, cap), color: datasetTier(total, cap).color, beside: [] };
}

/**
 * Returns the texts and colour of a repository's badge, such as `SHARE mean | 54.2 of 84.0`. If no record has a score, the
 * badge is grey.
 */
export function repositoryWords(mean: ExactMean | null, cap: ExactMean | null): BadgeWords {
  const label = BADGE_LABELS.repository;
  if (mean === null) return { label, message: "not scored", color: GREY, beside: [] };
  const { color } = datasetTier(mean.sum / mean.count, cap === null ? null : cap.sum / cap.count);
  return { label, message: scoreOfCap(tenths(mean), cap === null ? null : tenths(cap)), color, beside: [] };
}

/**
 * Returns the texts and colour of a researcher's badge, such as `S-Index | 8`, with the basis of the S-Index for the title.
 */
export function researcherWords(sIndex: number, basis: SIndexBasis): BadgeWords {
  const { researcher: label } = BADGE_LABELS;
  return { label, message: String(sIndex), color: RESEARCHER_COLOR, beside: sIndexWords(basis) };
}

export function datasetBadge(score: BadgeScore): string {
  return drawBadge(datasetWords(score));
}

export function repositoryBadge(mean: ExactMean | null, cap: ExactMean | null): string {
  return drawBadge(repositoryWords(mean, cap));
}

export function researcherBadge(sIndex: number, basis: SIndexBasis): string {
  return drawBadge(researcherWords(sIndex, basis));
}

/** Returns a grey badge for an error, such as `SHARE | unknown`. */
export function rejectedBadge(label: string, word: "unknown" | "try later"): string {
  return drawBadge({ label, message: word, color: GREY, beside: [] });
}

const drawn = new Map<string, string>();

/**
 * Returns the SVG of a badge. Badges with the default style and label are cached. Others are not, because there can be any
 * number of labels.
 */
export function drawBadge(words: BadgeWords, { style = "flat", label = null }: Partial<BadgeLook> = {}): string {
  if (style !== "flat" || label !== null) return draw({ ...words, label: label ?? words.label }, style);
  const key = JSON.stringify(words);
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const svg = draw(words, style);
  if (drawn.size < 10_000) drawn.set(key, svg);
  return svg;
}

/** Draws a badge. badge-maker escapes the text and writes an accessible title, to which this function adds `beside`. */
function draw({ label, message, color, beside }: BadgeWords, style: BadgeStyle): string {
  const svg = makeBadge({ label, message, color, labelColor: LABEL_GROUND, style });
  const further = beside.map((each) => `, ${each}`).join("");
  const titled = svg
    .replace(/ aria-label="[^"]*/, (said) => `${said}${further}`)
    .replace(/<title>[^<]*/, (said) => `${said}${further}`);
  return `${titled}\n`;
}

const BADGE_ROUTES: readonly Route[] = ROUTES.filter(isBadge);

/** Returns the word on an error badge: `try later` if a later request may succeed, otherwise `unknown`. */
export function errorBadgeWord(type: ProblemType): "unknown" | "try later" {
  const { status } = PROBLEMS[type];
  return status === 429 || status >= 500 ? "try later" : "unknown";
}

export function errorBadge(path: string, type: ProblemType): string | null {
  const route = BADGE_ROUTES.find((each) => isAt(each, path));
  return route === undefined ? null : rejectedBadge(getBadgeLabel(route), errorBadgeWord(type));
}

export function getBadgeLabel({ subject }: Route): string {
  if (subject === "record" || subject === "repository" || subject === "researcher") return BADGE_LABELS[subject];
  throw new Error(`a badge can be about a record, a repository or a researcher, not about ${subject}`);
}

/** True if a path matches the route with any key, even with one that cannot be decoded from percent-encoding. */
function isAt({ path: template }: Route, path: string): boolean {
  const [before = "", after = ""] = template.split(/\{\w+\}/);
  return path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length;
}

/** Seconds for which caches may store a badge. SVG badges have the same limit, and shields.io does not allow less. */
const CACHE_SECONDS = 300;

export function buildEndpointBadge(
  { label, message, color }: BadgeWords,
  look: Partial<BadgeLook> = {},
): EndpointBadge {
  const { style = "flat", label: own = null } = look;
  return {
    schemaVersion: 1,
    label: own ?? label,
    message,
    color,
    labelColor: LABEL_GROUND,
    ...(style === "flat" ? {} : { style }),
    cacheSeconds: CACHE_SECONDS,
  };
}
