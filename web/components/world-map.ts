/** A map of countries by number of datasets, average score and change. The table below it has the same links. */

import { geoNaturalEarth1, geoPath } from "d3-geo";
import iso from "i18n-iso-countries/index.js";
import { feature } from "topojson-client";
import atlas from "world-atlas/countries-110m.json" with { type: "json" };
import { computeExactMean, type ExactMean } from "../../api-static/pages/numbers.ts";
import type { CountryRow } from "../../schemas/public/api/attribution.ts";
import { type Html, html } from "../html.ts";
import { COUNT, chart, MEAN } from "./chart.ts";
import { countText, hundredths, integer, percent, signedNumber } from "./figures.ts";
import { averageChange, MIN_AVERAGED, MIN_CHANGE } from "./list-columns.ts";

const WIDTH = 800;
const HEIGHT = 400;

/** Antarctica (ISO 3166-1 numeric) has no institutions. Without it the map is a sixth larger. */
const ANTARCTICA = "010";

interface Outline {
  /** ISO 3166-1 alpha-3; null for outlines of the atlas without a code. */
  readonly code: string | null;
  readonly name: string;
  readonly path: string;
}

let outlines: readonly Outline[] | null = null;

/** Returns the outlines of all countries, which are computed once. Whole pixels are precise enough for a map of this size. */
function countryOutlines(): readonly Outline[] {
  if (outlines !== null) return outlines;
  // The type of imported JSON has strings instead of the geometry types.
  const topology = atlas as unknown as Parameters<typeof feature>[0];
  const { countries } = topology.objects;
  if (countries === undefined)
    throw new Error("the package world-atlas has no outlines of countries; install the packages again");
  const shapes = feature(topology, countries);
  const all = ("features" in shapes ? shapes.features : [shapes]).filter(({ id }) => id !== ANTARCTICA);
  const projection = geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: "FeatureCollection", features: all });
  const path = geoPath(projection).digits(0);
  outlines = all.flatMap((shape) => {
    const line = path(shape);
    const code = shape.id === undefined ? null : (iso.numericToAlpha3(String(shape.id)) ?? null);
    return line === null ? [] : [{ code, name: String(shape.properties?.name ?? ""), path: shortened(line) }];
  });
  return outlines;
}

/**
 * Returns an outline with distances between its corners instead of their positions, which halves the length of the
 * text. Corners on the same pixel become one.
 */
function shortened(path: string): string {
  return path
    .split("Z")
    .map((ring) => {
      const corners = ring
        .slice(1)
        .split("L")
        .filter((corner, i, all) => corner !== all[i - 1]);
      const steps = corners.slice(1).map((corner, i) => step(corners[i] ?? "", corner));
      return steps.length === 0 ? "" : `M${corners[0]}l${steps.join("").trimStart()}z`;
    })
    .join("");
}

/** Returns the distance between two corners such as `12,40`. A minus separates numbers, so it needs no space before it. */
function step(from: string, to: string): string {
  const [fromX = 0, fromY = 0] = from.split(",").map(Number);
  const [toX = 0, toY = 0] = to.split(",").map(Number);
  return [toX - fromX, toY - fromY].map((distance) => (distance < 0 ? `${distance}` : ` ${distance}`)).join("");
}

/** Returns the path of the list of the datasets of a country. */
export function datasetsPath(countryCode: string): string {
  return `/datasets?countryCode=${countryCode}`;
}

/** The averages of the countries in the previous release, by country code. */
export interface EarlierCountries {
  readonly scoreReleaseVersion: string;
  readonly averages: ReadonlyMap<string, ExactMean>;
}

type Country = Pick<
  CountryRow,
  "countryCode" | "name" | "recordCount" | "scoredCount" | "meanScore" | "totalDistribution"
>;

/** The figures that the map can show. */
const CHOICES = [
  { id: "datasets", name: "Datasets" },
  { id: "average", name: "Average" },
  { id: "change", name: "Change" },
] as const;

type Choice = (typeof CHOICES)[number]["id"];

/** Distances between the classes of averages. The smallest that covers most countries is used. */
const STEPS = [2, 5, 10, 20] as const;

/** Returns the averages at which the shade of a country becomes darker: four limits, which a tenth of the countries may exceed. */
export function chooseLimits(averages: readonly number[]): readonly number[] {
  const sorted = averages.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const limits = STEPS.map((step) => [1, 2, 3, 4].map((i) => step * (Math.floor(at(0.1) / step) + i)));
  return limits.find((some) => at(0.9) <= (some.at(-1) ?? 0)) ?? [20, 40, 60, 80];
}

/** The shares of the countries in the classes of numbers of datasets before each class. */
const SHARES = [0, 0.3, 0.6, 0.8, 0.95] as const;

/** Returns the numbers of datasets at which the shade becomes darker: 1, 2, 5, 10, 20 and so on, without an empty class. */
export function chooseCounts(counts: readonly number[]): readonly number[] {
  const sorted = counts.toSorted((one, other) => one - other);
  const limits = SHARES.map((share) => {
    const count = sorted[Math.floor(share * (sorted.length - 1))] ?? 1;
    const power = 10 ** (String(count).length - 1);
    return power * (count < 2 * power ? 1 : count < 5 * power ? 2 : 5);
  });
  return [...new Set(limits)];
}

const HATCHED = { kind: "hatched", words: "few" };

/** Returns the classes of each figure in the key of the map, from the palest shade to the darkest. */
function keys(
  limits: readonly number[],
  counts: readonly number[],
): Readonly<Record<Choice, readonly { kind: string; words: string }[]>> {
  const shades = (letter: string, words: readonly string[]) =>
    words.map((text, i) => ({ kind: `${letter}${i}`, words: text }));
  const ranges = limits.map((limit, i) => (i === 0 ? `under ${limit}` : `${limits[i - 1]}–${limit}`));
  const numbers = counts.map((least, i) => {
    const next = counts[i + 1];
    return next === undefined
      ? `${integer(least)}+`
      : next === least + 1
        ? integer(least)
        : `${integer(least)}–${integer(next - 1)}`;
  });
  const [none = HATCHED, ...averages] = shades("a", ["none", ...ranges, `${limits.at(-1)}+`]);
  const [unknown = HATCHED, ...changes] = shades("c", ["none", "lower", "similar", "higher"]);
  return {
    datasets: shades("n", ["none", ...numbers]),
    average: [none, HATCHED, ...averages],
    change: [unknown, HATCHED, ...changes],
  };
}

const hasEnough = ({ scoredCount, meanScore }: Country) => scoredCount >= MIN_AVERAGED && meanScore !== null;

/**
 * Returns a map with a switch, which is a group of radio buttons, so that it needs no script and no server. `before` is
 * null if there is no release to compare with. `attributed` is the number of datasets with a country.
 */
export function worldMap(rows: readonly Country[], before: EarlierCountries | null, attributed: number): Html {
  const counts = chooseCounts(rows.map(({ recordCount }) => recordCount));
  const countries = new Map(rows.map((row) => [row.countryCode, row]));
  const limits = chooseLimits(rows.filter(hasEnough).map(({ meanScore }) => Number(meanScore)));
  const outline = ({ code, name, path }: Outline) => {
    const row = countries.get(code ?? "");
    const change = row === undefined ? null : computeChange(row, before);
    const kind =
      row === undefined
        ? null
        : [
            `n${counts.filter((least) => row.recordCount >= least).length}`,
            ...(hasEnough(row)
              ? [
                  `a${1 + limits.filter((limit) => Number(row.meanScore) >= limit).length}`,
                  `c${change === null ? 0 : 2 + readDirection(change)}`,
                ]
              : [HATCHED.kind]),
          ].join(" ");
    const words = row === undefined ? `${name}: no dataset` : describeCountry(row, change);
    const shape = html`<path${kind === null ? null : html` class="${kind}"`} d="${path}"><title>${words}</title></path>`;
    return row === undefined ? shape : html`<a href="${datasetsPath(row.countryCode)}">${shape}</a>`;
  };
  const shown = CHOICES.filter(({ id }) => id !== "change" || before !== null);
  const few = `Countries with fewer than ${MIN_AVERAGED} scores are hatched, because their average says little.`;
  const bases: Readonly<Record<Choice, string>> = {
    datasets: "Number of datasets by country. A dataset with creators in two countries counts in both.",
    average: `Average score of the datasets of each country. ${few}`,
    change: `Change of the average since release ${before?.scoreReleaseVersion}, “similar” up to half a point. ${few}`,
  };
  return chart({
    id: "map",
    subject: "Countries of the creators’ institutions",
    finding: shown.map(({ id }) => html`<span class="for-${id}">${describeMap(id, rows, before, attributed)}</span>`),
    basis: shown.map(({ id }) => html`<span class="for-${id}">${bases[id]}</span>`),
    look: "map",
    controls: html`<fieldset class="switch"><legend class="visually-hidden">Show on the map</legend>${shown.map(
      ({ id, name }, i) =>
        html`<input type="radio" name="map" id="show-${id}"${i === 0 ? html` checked` : null}><label for="show-${id}">${name}</label>`,
    )}</fieldset>`,
    drawing: [
      html`<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="5"/></pattern>`,
      html`<svg width="100%" height="100%" viewBox="0 0 ${WIDTH} ${HEIGHT}">${countryOutlines().map(outline)}</svg>`,
      shown.map(({ id }) => {
        const key = keys(limits, counts)[id];
        const width = Math.round(1000 / key.length) / 10;
        return html`<svg class="for-${id}" y="100%" overflow="visible">${key.map(
          ({ kind, words }, i) =>
            html`<rect class="${kind}" x="${Math.round(10 * width * i) / 10}%" y="14" width="${Math.round(10 * width - 6) / 10}%" height="10"/><text x="${Math.round(10 * width * (i + 0.48)) / 10}%" y="40" text-anchor="middle">${words}</text>`,
        )}</svg>`;
      }),
    ],
    columns: [{ name: "Country" }, COUNT("Datasets"), MEAN("Average score"), { name: "Change of the average" }],
    rows: rows.map((row) => ({
      cells: [row.name, row.recordCount, row.meanScore, computeChange(row, before)],
      href: datasetsPath(row.countryCode),
    })),
    hasOwnTable: true,
  });
}

/** Returns 1 for a rise, −1 for a fall, and 0 for a small change. */
function readDirection(change: number): number {
  return Math.abs(change) < MIN_CHANGE ? 0 : Math.sign(change);
}

/** Returns the change of a country's average since the previous release; null if it is not known. */
export function computeChange(
  { countryCode, totalDistribution }: Pick<Country, "countryCode" | "totalDistribution">,
  before: EarlierCountries | null,
): number | null {
  const earlier = before?.averages.get(countryCode);
  return earlier === undefined ? null : averageChange(earlier, computeExactMean(totalDistribution));
}

function describeCountry(row: Country, change: number | null): string {
  const { name, recordCount, meanScore } = row;
  const average = hasEnough(row) ? `, average ${hundredths(meanScore)}` : "";
  const by =
    change === null ? "" : `, ${change === 0 ? "unchanged" : `${signedNumber(change, 2)} since the last release`}`;
  return `${name}: ${countText(recordCount, "dataset")}${average}${by}`;
}

/** Returns the heading of the map as a sentence, for the figure that the map shows. */
export function describeMap(
  choice: Choice,
  rows: readonly Country[],
  before: EarlierCountries | null,
  attributed: number,
): string {
  const all = rows.toSorted((one, other) => other.recordCount - one.recordCount);
  const [first] = all;
  if (first === undefined) return "No dataset has a country";
  if (choice === "datasets") return describeCounts(all, first, attributed);
  const compared = all.filter(hasEnough).toSorted((one, other) => Number(one.meanScore) - Number(other.meanScore));
  const [low, high] = [compared[0], compared.at(-1)];
  if (low === undefined || high === undefined || low === high)
    return `Too few countries have ${MIN_AVERAGED} datasets with a score to compare averages`;
  if (choice === "change")
    return describeChanges(
      compared.flatMap((row) => {
        const by = computeChange(row, before);
        return by === null ? [] : [{ name: row.name, by }];
      }),
    );
  if (low.meanScore === high.meanScore) return `All ${compared.length} countries average ${hundredths(low.meanScore)}`;
  const limits = chooseLimits(compared.map(({ meanScore }) => Number(meanScore)));
  const classes = Map.groupBy(compared, (row) => limits.filter((limit) => Number(row.meanScore) >= limit).length);
  const [index, most] = [...classes].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [0, compared];
  const range = keys(limits, []).average[index + 2]?.words.replace("–", " to ").replace("+", " or more");
  return `${integer(most.length)} of ${integer(compared.length)} countries average ${range} points, in a range from ${hundredths(low.meanScore)} (${low.name}) to ${hundredths(high.meanScore)} (${high.name})`;
}

/** Returns the shares of the two countries with the most datasets. `all` has the country with the most datasets first. */
function describeCounts(all: readonly Country[], first: Country, attributed: number): string {
  const [, second] = all;
  if (second === undefined) return `All datasets with a country are from ${first.name}: ${integer(first.recordCount)}`;
  return `${first.name} has ${percent(first.recordCount, attributed)} of the ${countText(attributed, "dataset")} with a country, ${second.name} ${percent(second.recordCount, attributed)}`;
}

function describeChanges(changes: readonly { readonly name: string; readonly by: number }[]): string {
  const sorted = changes.toSorted((one, other) => one.by - other.by);
  const [low, high] = [sorted[0], sorted.at(-1)];
  const count = (direction: number) => changes.filter(({ by }) => readDirection(by) === direction).length;
  const [up, down] = [count(1), count(-1)];
  if (low === undefined || high === undefined || up + down === 0)
    return "No average of a country has moved by half a point since the last release";
  const range = `from ${signedNumber(low.by, 2)} (${low.name}) to ${signedNumber(high.by, 2)} (${high.name})`;
  return `Since the last release, ${integer(up + down)} of ${countText(changes.length, "average", "averages")} moved by half a point or more: ${integer(up)} up, ${integer(down)} down, ${range}`;
}
