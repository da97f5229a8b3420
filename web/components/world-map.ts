/** A map of countries by number of datasets, average score and change. The table below it has the same links. */

import { geoNaturalEarth1, geoPath } from "d3-geo";
import iso from "i18n-iso-countries/index.js";
import { feature } from "topojson-client";
import atlas from "world-atlas/countries-110m.json" with { type: "json" };
import { computeExactMean, type ExactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import type { CountryRow } from "../../schemas/public/api/attribution.ts";
import { type Html, html } from "../html.ts";
import { COUNT, chart, MEAN } from "./chart.ts";
import { countText, hundredths, integer, signedNumber } from "./figures.ts";

const WIDTH = 800;
const HEIGHT = 400;

/** Antarctica (ISO 3166-1 numeric) has no institutions. Without it the map is a sixth larger. */
const ANTARCTICA = "010";

/** Numbers of datasets from which the shade of a country is darker. */
const SHADES = [1, 10, 100, 1000] as const;

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

/** The figures that the map can show, each with the words of its key from the palest shade to the darkest. */
const CHOICES = [
  { id: "datasets", name: "Datasets", key: ["none", "1–9", "10–99", "100–999", "1,000+"] },
  { id: "average", name: "Average", key: ["not known", "0–20", "20–40", "40–60", "60+"] },
  { id: "change", name: "Change", key: ["not known", "lower", "same", "higher"] },
] as const;

type Choice = (typeof CHOICES)[number]["id"];

/** The lowest average of each shade. */
const AVERAGES = [0, 20, 40, 60] as const;

/**
 * Returns a map with a switch, which is a group of radio buttons, so that it needs no script and no server. `before` is
 * null if there is no release to compare with.
 */
export function worldMap(rows: readonly Country[], before: EarlierCountries | null): Html {
  const countries = new Map(rows.map((row) => [row.countryCode, row]));
  const outline = ({ code, name, path }: Outline) => {
    const row = countries.get(code ?? "");
    const change = row === undefined ? null : computeChange(row, before);
    const kind = [
      `n${SHADES.filter((least) => (row?.recordCount ?? 0) >= least).length}`,
      `a${row?.meanScore == null ? 0 : AVERAGES.filter((least) => Number(row.meanScore) >= least).length}`,
      `c${change === null ? 0 : 2 + Math.sign(change)}`,
    ].join(" ");
    const words = row === undefined ? `${name}: no dataset` : describeCountry(row, change);
    const shape = html`<path class="${kind}" d="${path}"><title>${words}</title></path>`;
    return row === undefined ? shape : html`<a href="${datasetsPath(row.countryCode)}">${shape}</a>`;
  };
  const shown = CHOICES.filter(({ id }) => id !== "change" || before !== null);
  return chart({
    id: "map",
    subject: "Countries of the creators’ institutions",
    finding: shown.map(({ id }) => html`<span class="for-${id}">${describeMap(id, rows, before)}</span>`),
    basis:
      before === null
        ? "There is no earlier release to compare with."
        : `The change is that since release ${before.scoreReleaseVersion}.`,
    look: "map",
    controls: html`<fieldset class="switch"><legend class="visually-hidden">Show on the map</legend>${shown.map(
      ({ id, name }, i) =>
        html`<input type="radio" name="map" id="show-${id}"${i === 0 ? html` checked` : null}><label for="show-${id}">${name}</label>`,
    )}</fieldset>`,
    drawing: [
      html`<svg width="100%" height="100%" viewBox="0 0 ${WIDTH} ${HEIGHT}">${countryOutlines().map(outline)}</svg>`,
      shown.map(({ id, key }) => {
        const letter = id === "datasets" ? "n" : id.charAt(0);
        return html`<g class="for-${id}">${key.map(
          (words, i) =>
            html`<svg x="${20 * i}%" y="100%" overflow="visible"><rect class="${letter}${i}" y="14" width="12" height="12"/><text x="17" y="25">${words}</text></svg>`,
        )}</g>`;
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

/** Returns the change of a country's average since the previous release, rounded once; null if it is not known. */
export function computeChange(
  { countryCode, totalDistribution }: Pick<Country, "countryCode" | "totalDistribution">,
  before: EarlierCountries | null,
): number | null {
  const earlier = before?.averages.get(countryCode);
  return earlier === undefined ? null : subtractMeans(earlier, computeExactMean(totalDistribution));
}

function describeCountry({ name, recordCount, meanScore }: Country, change: number | null): string {
  const by =
    change === null ? "" : `, ${change === 0 ? "unchanged" : `${signedNumber(change, 2)} since the last release`}`;
  return `${name}: ${countText(recordCount, "dataset")}, average ${hundredths(meanScore)}${by}`;
}

/** With fewer scored datasets than this, the average of a country says little. */
const MIN_SCORED = 10;

/** Returns the heading of the map as a sentence, for the figure that the map shows. */
export function describeMap(choice: Choice, rows: readonly Country[], before: EarlierCountries | null): string {
  const all = rows.toSorted((one, other) => other.recordCount - one.recordCount);
  const [first, second] = all;
  if (first === undefined) return "No dataset has a country";
  if (choice === "datasets") {
    const most = all.filter(({ recordCount }) => recordCount === first.recordCount).length;
    if (second === undefined)
      return `All datasets with a country are from ${first.name}: ${integer(first.recordCount)}`;
    return most > 1
      ? `${integer(most)} countries have the most datasets: ${integer(first.recordCount)} each`
      : `${first.name} has the most datasets: ${integer(first.recordCount)}, before ${second.name} with ${integer(second.recordCount)}`;
  }
  if (choice === "average") {
    const compared = all
      .filter(({ scoredCount, meanScore }) => scoredCount >= MIN_SCORED && meanScore !== null)
      .toSorted((one, other) => Number(one.meanScore) - Number(other.meanScore));
    const [low, high] = [compared[0], compared.at(-1)];
    if (low === undefined || high === undefined || low === high)
      return "Too few countries have ten datasets with a score to compare averages";
    if (low.meanScore === high.meanScore)
      return `All countries with ten datasets or more average ${hundredths(low.meanScore)}`;
    return `Averages range from ${hundredths(low.meanScore)} in ${low.name} to ${hundredths(high.meanScore)} in ${high.name}, with ten datasets or more`;
  }
  const changes = all.flatMap((row) => computeChange(row, before) ?? []);
  const [up, down] = [changes.filter((by) => by > 0).length, changes.filter((by) => by < 0).length];
  if (up + down === 0) return "No average of a country has changed since the last release";
  return `The average rose in ${countText(up, "country", "countries")} and fell in ${integer(down)} since the last release`;
}
