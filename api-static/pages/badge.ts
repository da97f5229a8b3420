/** SVG badges: a score in a glance, coloured by tier (decisions.md, "Badges"; rubrics.md, "Arithmetic"). */

import { makeBadge } from "badge-maker";
import type { ScoreStatus } from "../../schemas/public/api/record.ts";
import type { SIndexBasis } from "../../schemas/public/api/researcher.ts";
import { sIndexWords } from "./s-index-words.ts";
import { type ExactMean, tenths } from "./tenths.ts";

/** Tier colours, dark enough for white text (contrast at least 4.5:1 by WCAG 2.2). */
const DATASET_TIERS = [
  { from: 80, name: "excellent", color: "#1b7a36" },
  { from: 60, name: "good", color: "#4b7416" },
  { from: 40, name: "fair", color: "#8a6100" },
  { from: 20, name: "basic", color: "#a84a0c" },
  { from: 0, name: "minimal", color: "#b3261e" },
] as const;

const RESEARCHER_COLORS: Readonly<Record<string, string>> = {
  exceptional: "#5b2a9d",
  strong: "#1b7a36",
  developing: "#4b7416",
  early: "#1f6296",
  beginning: "#596673",
  none: "#6b6b6b",
};

const GREY = "#6b6b6b";

/** The left half, by what a badge is about. */
export const BADGE_LABELS = { record: "SHARE", repository: "SHARE mean", researcher: "S-Index" } as const;

/** A total, or why there is none. */
export type BadgeScore = number | Exclude<ScoreStatus, "scored">;

const WITHOUT_TOTAL: Readonly<Record<Exclude<ScoreStatus, "scored">, string>> = {
  failed: "not scored",
  insufficient_evidence: "insufficient evidence",
};

/** The tier of a dataset by its total, or of a repository by its mean. */
export function datasetTier(score: number): (typeof DATASET_TIERS)[number] {
  return DATASET_TIERS.find((tier) => score >= tier.from) ?? DATASET_TIERS[4];
}

/** `SHARE | 72`; without a total it says why, in grey, and has no number. */
export function datasetBadge(score: BadgeScore): string {
  if (typeof score === "string") return badge(BADGE_LABELS.record, WITHOUT_TOTAL[score], GREY);
  return badge(BADGE_LABELS.record, String(score), datasetTier(score).color);
}

/** `SHARE mean | 54.2`, with the cap it is to be read against in the title; null where the repository has no scored record. */
export function repositoryBadge(mean: ExactMean | null, cap: ExactMean | null): string {
  if (mean === null) return badge(BADGE_LABELS.repository, "not scored", GREY);
  const beside = cap === null ? [] : [`of at most ${tenths(cap)}`];
  return badge(BADGE_LABELS.repository, tenths(mean), datasetTier(mean.sum / mean.count).color, beside);
}

/** `S-Index | 8`, with what it rests on in the title. */
export function researcherBadge(sIndex: number, tier: string | null, basis: SIndexBasis): string {
  return badge(BADGE_LABELS.researcher, String(sIndex), RESEARCHER_COLORS[tier ?? "none"] ?? GREY, sIndexWords(basis));
}

/** `SHARE | unknown`, grey: what stands in the place of a badge that there is not. */
export function refusedBadge(label: string, word: "unknown" | "try later"): string {
  return badge(label, word, GREY);
}

const drawn = new Map<string, string>();

/**
 * badge-maker escapes the text and writes an accessible title, which `beside` is added to (figures and dates: nothing to
 * escape); badges that look alike are made once.
 */
function badge(label: string, message: string, color: string, beside: readonly string[] = []): string {
  const key = `${label}|${message}|${color}|${beside.join()}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const title = `${label}: ${message}`;
  const plain = makeBadge({ label, message, color, labelColor: "#3d3d3d", style: "flat" });
  const svg = `${plain.replaceAll(title, [title, ...beside].join(", "))}\n`;
  if (drawn.size < 10_000) drawn.set(key, svg);
  return svg;
}
