/** SVG badges: a score in a glance, coloured by tier (decisions.md, "Badges"; rubrics.md, "Arithmetic"). */

import { makeBadge } from "badge-maker";

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

/** The tier of a dataset by its total, or of a repository by its mean. */
export function datasetTier(score: number): (typeof DATASET_TIERS)[number] {
  return DATASET_TIERS.find((tier) => score >= tier.from) ?? DATASET_TIERS[4];
}

/** `SHARE | 72`; null for a failed record. */
export function datasetBadge(total: number | null): string {
  return badge(
    BADGE_LABELS.record,
    total === null ? "not scored" : String(total),
    total === null ? GREY : datasetTier(total).color,
  );
}

/** `SHARE mean | 54.2`; null where the repository has no scored record. */
export function repositoryBadge(mean: number | null): string {
  const message = mean === null ? "not scored" : mean.toFixed(1);
  return badge(BADGE_LABELS.repository, message, mean === null ? GREY : datasetTier(mean).color);
}

/** `S-Index | 8`. */
export function researcherBadge(sIndex: number, tier: string): string {
  return badge(BADGE_LABELS.researcher, String(sIndex), RESEARCHER_COLORS[tier] ?? GREY);
}

/** `SHARE | unknown`, grey: what stands in the place of a badge that there is not. */
export function refusedBadge(label: string, word: "unknown" | "try later"): string {
  return badge(label, word, GREY);
}

const made = new Map<string, string>();

/** badge-maker escapes the text and writes an accessible title; badges that look alike are made once. */
function badge(label: string, message: string, color: string): string {
  const key = `${label}|${message}|${color}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const svg = `${makeBadge({ label, message, color, labelColor: "#3d3d3d", style: "flat" })}\n`;
  if (made.size < 10_000) made.set(key, svg);
  return svg;
}
