/** Tests badges: each tier has its colour up to the threshold, and every badge is legible, accessible and well-formed SVG. */

import { expect, test } from "vitest";
import { z } from "zod";
import {
  buildEndpointBadge,
  datasetBadge,
  datasetWords,
  drawBadge,
  repositoryBadge,
  researcherBadge,
  researcherWords,
} from "../../api-static/pages/badge.ts";
import { datasetTier } from "../../api-static/pages/numbers.ts";
import { hasPage } from "../../api-static/routes/route.ts";
import { BADGE_STYLES, badgeQuery } from "../../schemas/public/api/badge.ts";
import type { SIndexBasis } from "../../schemas/public/api/researcher.ts";
import { parseElements } from "./well-formed.ts";

const GREY = "#6b6b6b";
const TIERS = { excellent: "#004f7d", good: "#00807d", fair: "#7a7700", basic: "#983c00", minimal: "#6b0f3a" } as const;

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
  test(`the badge of a dataset with ${total} of 100 points has the colour of the tier ${tier}`, () => {
    expect(datasetTier(total, 100).name).toBe(tier);
    expect(shown(datasetBadge({ total, cap: 100 }))).toEqual({ title: `SHARE: ${total}`, color: TIERS[tier] });
  });
}

test.each([
  { total: 48, cap: 60, tier: "excellent" },
  { total: 44, cap: 60, tier: "good" },
  { total: 20, cap: 20, tier: "excellent" },
  { total: 0, cap: 60, tier: "minimal" },
] as const)(
  "the badge of a dataset with $total of $cap possible points shows both, in the colour for their share",
  ({ total, cap, tier }) => {
    expect(shown(datasetBadge({ total, cap }))).toEqual({ title: `SHARE: ${total} of ${cap}`, color: TIERS[tier] });
  },
);

test("a badge shows only the total if the release has no possible points", () => {
  expect(shown(datasetBadge({ total: 48, cap: null }))).toEqual({ title: "SHARE: 48", color: TIERS.fair });
});

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

const hundredths = (mean: number) => ({ sum: Math.round(100 * mean), count: 100 });

test.each([
  // If the means were first rounded to hundredths, both would be 26.95, and a second rounding would give them the same number.
  { sum: 28_784, count: 1_068, message: "27.0" },
  { sum: 28_780, count: 1_068, message: "26.9" },
  { sum: 539, count: 20, message: "27.0" },
  { sum: 1, count: 20, message: "0.1" },
])("a repository's badge rounds the mean $sum / $count only once, half up, to $message", ({ sum, count, message }) => {
  expect(shown(repositoryBadge({ sum, count }, null)).title).toBe(`SHARE mean: ${message}`);
});

test("the colour of a repository's badge is that of the mean before it is rounded", () => {
  expect(shown(repositoryBadge({ sum: 59_999, count: 1000 }, null))).toEqual({
    title: "SHARE mean: 60.0",
    color: TIERS.fair,
  });
});

for (const { mean, message, color } of REPOSITORIES) {
  test(`the badge of a repository with the mean ${mean} shows ${message}`, () => {
    expect(shown(repositoryBadge(mean === null ? null : hundredths(mean), null))).toEqual({
      title: `SHARE mean: ${message}`,
      color,
    });
  });
}

test("the badge of a repository shows its mean with its possible points, in the colour for their share", () => {
  expect(shown(repositoryBadge(hundredths(41.97), hundredths(69)))).toEqual({
    title: "SHARE mean: 42.0 of 69.0",
    color: TIERS.good,
  });
  expect(shown(repositoryBadge(null, null)).title).toBe("SHARE mean: not scored");
});

test("the badge of a failed dataset is grey and says that it is not scored, and does not show zero", () => {
  expect(shown(datasetBadge("failed"))).toEqual({ title: "SHARE: not scored", color: GREY });
});

test("the badge of a dataset with too few signals is grey and has no number", () => {
  const badge = datasetBadge("insufficient_evidence");
  expect(shown(badge)).toEqual({ title: "SHARE: insufficient evidence", color: GREY });
  expect(parseElements(badge).filter(({ name, text }) => name === "text" && /\d/.test(text ?? ""))).toEqual([]);
});

/** The facts that the title of a researcher's badge states about the S-Index. */
const BASIS = { datasets: 12, rubric: "2.0", date: "2026-03-01", median: 2.5, cap: 84.25 } as const;

const BASES: readonly { basis: SIndexBasis; title: string }[] = [
  { basis: BASIS, title: "S-Index: 8, of 12 datasets, SHARE 2.0, as of 2026-03-01, mean cap 84.25" },
  {
    basis: { datasets: 1, rubric: "1.0", date: null, median: null, cap: null },
    title: "S-Index: 8, of 1 dataset, SHARE 1.0, date unknown, mean cap unknown",
  },
];

test.each(BASES)("the title of a researcher's badge is $title", ({ basis, title }) => {
  expect(shown(researcherBadge(8, basis)).title).toBe(title);
});

test("the badge of every researcher has the same colour", () => {
  const colors = [0, 1, 5, 15, 30, 50].map((sIndex) => shown(researcherBadge(sIndex, BASIS)).color);
  expect(new Set(colors).size).toBe(1);
});

test("white text has a contrast of at least 4.5 to 1 with every colour of a badge", () => {
  const badges = [
    ...DATASETS.map(({ total }) => datasetBadge({ total, cap: 100 })),
    researcherBadge(1, BASIS),
    datasetBadge("failed"),
    datasetBadge("insufficient_evidence"),
  ];
  const pale = badges.map(shown).filter(({ color }) => contrastWithWhite(color) < 4.5);
  expect(pale).toEqual([]);
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
  test(`the badge of the repository ${JSON.stringify(label.slice(0, 30))} is ${page ? "a page of the release" : "drawn by the server"}`, () => {
    expect(hasPage(label)).toBe(page);
  });
}

/** Checks that a badge is well formed, with its title as the name for screen readers. Returns its title and colour. */
function shown(svg: string): { title: string | undefined; color: string | undefined } {
  const elements = parseElements(svg);
  const [root] = elements;
  const title = elements.find(({ name }) => name === "title")?.text;
  expect(root?.name).toBe("svg");
  expect(root?.attributes.get("role")).toBe("img");
  expect(root?.attributes.get("aria-label")).toBe(title);
  const fills = elements.filter(({ name }) => name === "rect").map(({ attributes }) => attributes.get("fill"));
  return { title, color: fills.filter((fill) => fill?.startsWith("#")).at(-1) };
}

/** Computes the contrast ratio with white as WCAG 2.2 defines it. */
function contrastWithWhite(color = "#ffffff"): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

/** The fields of an endpoint badge that shields.io allows. It rejects other fields and an empty message. */
const SHIELDS = z.strictObject({
  schemaVersion: z.literal(1),
  label: z.string(),
  message: z.string().min(1),
  color: z.string().optional(),
  labelColor: z.string().optional(),
  isError: z.boolean().optional(),
  namedLogo: z.string().optional(),
  logoSvg: z.string().optional(),
  style: z.enum(["plastic", "flat", "flat-square", "for-the-badge", "social"]).optional(),
  cacheSeconds: z.int().min(300).optional(),
});

test.each(BADGE_STYLES)("a badge in the style %s contains its whole title, with markup escaped", (style) => {
  const words = researcherWords(8, BASIS);
  const label = `<&"' $& $1 Ünlü 指数`;
  const svg = drawBadge(words, { style, label });
  expect(parseElements(svg).filter(({ name }) => name === "title").length).toBe(1);
  const escaped = "&lt;&amp;&quot;&apos; $&amp; $1 Ünlü 指数";
  const title = /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? "";
  expect(title.toLowerCase()).toBe(
    `${escaped}: 8, of 12 datasets, SHARE 2.0, as of 2026-03-01, mean cap 84.25`.toLowerCase(),
  );
  expect(/ aria-label="([^"]*)"/.exec(svg)?.[1]).toBe(title);
  expect(new Set(BADGE_STYLES.map((each) => drawBadge(words, { style: each, label }))).size).toBe(BADGE_STYLES.length);
});

test("the response for shields.io is valid, and has the label, the message and the colour of the badge", () => {
  for (const { total, tier } of DATASETS) {
    const given = SHIELDS.parse(buildEndpointBadge(datasetWords({ total, cap: 100 })));
    expect(given).toMatchObject({ label: "SHARE", message: String(total), color: TIERS[tier] });
  }
  expect(SHIELDS.parse(buildEndpointBadge(datasetWords("failed")))).toMatchObject({
    message: "not scored",
    color: GREY,
  });
  expect(
    SHIELDS.parse(buildEndpointBadge(datasetWords({ total: 80, cap: 100 }), { style: "social", label: "shared" })),
  ).toMatchObject({
    label: "shared",
    style: "social",
  });
});

test.each(["", "a\u0000b", "a\nb", "\u202Eevil", "x".repeat(61)])("the label %j of a badge is rejected", (label) => {
  expect(badgeQuery.safeParse({ label }).success).toBe(false);
  expect(badgeQuery.safeParse({ label: "ours" }).success).toBe(true);
});
