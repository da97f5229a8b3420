/** Badges: a colour per tier at every threshold, legible, accessible, and well-formed whatever is asked of them. */

import { expect, test } from "vitest";
import { datasetBadge, datasetTier, repositoryBadge, researcherBadge } from "../../api-static/badge.ts";
import { hasPage } from "../../api-static/route.ts";
import { RESEARCHER_TIERS } from "../../schemas/api/researcher.ts";
import { elementsOf } from "./well-formed.ts";

const GREY = "#6b6b6b";
const TIERS = { excellent: "#1b7a36", good: "#4b7416", fair: "#8a6100", basic: "#a84a0c", minimal: "#b3261e" } as const;

const DATASETS: readonly { total: number; tier: keyof typeof TIERS }[] = [
  { total: 100, tier: "excellent" },
  { total: 80, tier: "excellent" },
  { total: 76, tier: "good" },
  { total: 60, tier: "good" },
  { total: 56, tier: "fair" },
  { total: 40, tier: "fair" },
  { total: 36, tier: "basic" },
  { total: 20, tier: "basic" },
  { total: 16, tier: "minimal" },
  { total: 0, tier: "minimal" },
];

for (const { total, tier } of DATASETS) {
  test(`a dataset of ${total} points is ${tier}`, () => {
    expect(datasetTier(total).name).toBe(tier);
    expect(shown(datasetBadge(total))).toEqual({ title: `SHARE: ${total}`, color: TIERS[tier] });
  });
}

const REPOSITORIES: readonly { mean: number | null; message: string; color: string }[] = [
  { mean: 100, message: "100.0", color: TIERS.excellent },
  { mean: 80, message: "80.0", color: TIERS.excellent },
  { mean: 79.9, message: "79.9", color: TIERS.good },
  { mean: 60, message: "60.0", color: TIERS.good },
  { mean: 59.9, message: "59.9", color: TIERS.fair },
  { mean: 54.2, message: "54.2", color: TIERS.fair },
  { mean: 40, message: "40.0", color: TIERS.fair },
  { mean: 39.99, message: "40.0", color: TIERS.basic },
  { mean: 20, message: "20.0", color: TIERS.basic },
  { mean: 19.9, message: "19.9", color: TIERS.minimal },
  { mean: 0, message: "0.0", color: TIERS.minimal },
  { mean: null, message: "not scored", color: GREY },
];

for (const { mean, message, color } of REPOSITORIES) {
  test(`a repository of mean ${mean} reads ${message}`, () => {
    expect(shown(repositoryBadge(mean))).toEqual({ title: `SHARE mean: ${message}`, color });
  });
}

test("a failed dataset is not scored, in grey, and not a zero", () => {
  expect(shown(datasetBadge(null))).toEqual({ title: "SHARE: not scored", color: GREY });
});

test("every tier of a researcher has its colour", () => {
  const colors = RESEARCHER_TIERS.map((tier) => shown(researcherBadge(8, tier)));
  expect(new Set(colors.map(({ color }) => color)).size).toBe(RESEARCHER_TIERS.length);
  for (const { title } of colors) expect(title).toBe("S-Index: 8");
});

test("white text is legible on every colour: contrast of at least 4.5 to 1", () => {
  const badges = [
    ...DATASETS.map(({ total }) => datasetBadge(total)),
    ...RESEARCHER_TIERS.map((tier) => researcherBadge(1, tier)),
    datasetBadge(null),
  ];
  const pale = badges.map(shown).filter(({ color }) => contrastWithWhite(color) < 4.5);
  expect(pale).toEqual([]);
});

/** A label of a repository or researcher never enters a badge; a word that is no tier does not either. */
test("no text from outside reaches a badge", () => {
  const badge = researcherBadge(3, `<&"'`);
  expect(shown(badge)).toEqual({ title: "S-Index: 3", color: GREY });
  expect(badge).not.toContain("&");
});

const LABELS: readonly { label: string; page: boolean }[] = [
  { label: "Zenodo", page: true },
  { label: "Norvale Data Archive", page: true },
  { label: "ClinicalTrials.gov", page: true },
  { label: "a-b_c.d", page: true },
  { label: `<&"' Archive`, page: false },
  { label: `Archive <&"'>`, page: false },
  { label: "Bøse Archive", page: false },
  { label: "A/B", page: false },
  { label: "..", page: false },
  { label: "../../release", page: false },
  { label: ".hidden", page: false },
  { label: "", page: false },
  { label: "line\nend", page: false },
  { label: "nul\u0000", page: false },
  { label: "x".repeat(201), page: false },
];

for (const { label, page } of LABELS) {
  test(`the label ${JSON.stringify(label.slice(0, 30))} ${page ? "names a file" : "is left to the server"}`, () => {
    expect(hasPage(label)).toBe(page);
  });
}

/** What a badge shows, once it is well-formed, has a title, and says the same to those who hear it. */
function shown(svg: string): { title: string | undefined; color: string | undefined } {
  const elements = elementsOf(svg);
  const [root] = elements;
  const title = elements.find(({ name }) => name === "title")?.text;
  expect(root?.name).toBe("svg");
  expect(root?.attributes.get("role")).toBe("img");
  expect(root?.attributes.get("aria-label")).toBe(title);
  const fills = elements.filter(({ name }) => name === "rect").map(({ attributes }) => attributes.get("fill"));
  return { title, color: fills.filter((fill) => fill?.startsWith("#")).at(-1) };
}

/** WCAG 2.2, "contrast ratio". */
function contrastWithWhite(color = "#ffffff"): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
