/**
 * The colours of the words for scores, such as “fair”: the same on badges and on the site, readable, and different for
 * colour-blind readers.
 */

import { describe, expect, test } from "vitest";
import { DATASET_TIERS } from "../../api-static/pages/numbers.ts";
import { STYLE } from "../../web/components/style.ts";

type Triple = readonly [number, number, number];

/**
 * Matrices that turn linear RGB into the colour that people without one kind of cone see (Machado, Oliveira and Fernandes 2009,
 * table 1).
 */
const VISION: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function readColour(hex: string): Triple {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

const dot = ([a, b, c]: Triple, [x, y, z]: Triple) => a * x + b * y + c * z;
const clamp = (share: number) => Math.min(1, Math.max(0, share));

function simulate(colour: Triple, [red, green, blue]: readonly [Triple, Triple, Triple]): Triple {
  return [clamp(dot(red, colour)), clamp(dot(green, colour)), clamp(dot(blue, colour))];
}

/** Converts linear RGB to Oklab, in which a distance of 0.02 is just noticeable (CSS Color 4, section 9). */
function toOklab(colour: Triple): Triple {
  const long = Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], colour));
  const medium = Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], colour));
  const short = Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], colour));
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], [long, medium, short]),
    dot([1.9779984951, -2.428592205, 0.4505937099], [long, medium, short]),
    dot([0.0259040371, 0.7827717662, -0.808675766], [long, medium, short]),
  ];
}

const luminance = (hex: string) => dot([0.2126, 0.7152, 0.0722], readColour(hex));

/** Computes the contrast ratio of two colours as WCAG 2.2 defines it, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the colours of a tier in the style sheet, first those of light mode, then those of dark mode. */
const valuesOf = (name: string) =>
  STYLE.split(`--tier-${name}:`)
    .slice(1)
    .map((rest) => rest.slice(0, 7));

const MODES = [
  { mode: "light", at: 0, on: "#ffffff" },
  { mode: "dark", at: 1, on: "#11161a" },
].map((each) => ({ ...each, colours: DATASET_TIERS.map(({ name }) => valuesOf(name)[each.at] ?? "") }));

test("the words for scores have the same colours on the site, on badges and in print", () => {
  expect(MODES[0]?.colours).toEqual(DATASET_TIERS.map(({ color }) => color));
  // Dark mode is for screens alone, so that print has the colours of light mode.
  expect(STYLE.split("prefers-color-scheme:dark").length).toBe(
    STYLE.split("screen and (prefers-color-scheme:dark").length,
  );
});

describe.each(MODES)("the colours of the words for scores in $mode mode", ({ colours, on }) => {
  test("the colours of the words for scores have enough contrast with the background, as text and as bars", () => {
    for (const colour of colours) expect(contrast(colour, on), colour).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.entries(VISION))("the colours of any two words for scores differ visibly with %s", (_, matrix) => {
    const seen = colours.map((colour) => toOklab(simulate(readColour(colour), matrix)));
    const distances = seen.flatMap((one, i) =>
      seen.slice(i + 1).map((other) => Math.hypot(...one.map((part, k) => part - (other[k] ?? 0)))),
    );
    expect(distances).toHaveLength(10);
    expect(Math.min(...distances)).toBeGreaterThan(0.05);
  });
});
