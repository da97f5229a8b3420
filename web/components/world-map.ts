/** A map of countries by number of datasets. The table below it has the figures and the same links. */

import { geoNaturalEarth1, geoPath } from "d3-geo";
import iso from "i18n-iso-countries";
import { feature } from "topojson-client";
import atlas from "world-atlas/countries-110m.json" with { type: "json" };
import type { CountryRow } from "../../schemas/public/api/attribution.ts";
import { type Html, html } from "../html.ts";
import { countText, integer } from "./figures.ts";

const WIDTH = 800;
const HEIGHT = 400;

/** Antarctica (ISO 3166-1 numeric) has no institutions. Without it the map is a sixth larger. */
const ANTARCTICA = "010";

/** Numbers of datasets at which the shade of a country becomes darker. */
const SHADES = [1, 10, 100, 1000] as const;

interface Outline {
  /** ISO 3166-1 alpha-3; null for outlines of the atlas without a code. */
  readonly code: string | null;
  readonly name: string;
  readonly path: string;
}

let outlines: readonly Outline[] | null = null;

/** Returns the outlines, computed once. Whole pixels are precise enough for a map of this size. */
function countryOutlines(): readonly Outline[] {
  if (outlines !== null) return outlines;
  // The type of imported JSON has strings instead of the geometry types.
  const topology = atlas as unknown as Parameters<typeof feature>[0];
  const { countries } = topology.objects;
  if (countries === undefined) throw new Error("the atlas has no countries");
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

/** Returns an outline with steps in place of positions, which are half as long. Corners on the same pixel become one. */
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

/** Returns the distance between two corners `x,y`. A minus separates numbers like a space. */
function step(from: string, to: string): string {
  const [fromX = 0, fromY = 0] = from.split(",").map(Number);
  const [toX = 0, toY = 0] = to.split(",").map(Number);
  return [toX - fromX, toY - fromY].map((distance) => (distance < 0 ? `${distance}` : ` ${distance}`)).join("");
}

/** Returns the path of the list of the datasets of a country. */
export function datasetsPath(countryCode: string): string {
  return `/datasets?countryCode=${countryCode}`;
}

/** The links of the map are for the mouse only: the keyboard has those of the table, which are large enough. */
export function worldMap(rows: readonly Pick<CountryRow, "countryCode" | "recordCount">[]): Html {
  const counts = new Map(rows.map(({ countryCode, recordCount }) => [countryCode, recordCount]));
  const shade = (count: number) => SHADES.filter((least) => count >= least).length;
  const outline = ({ code, name, path }: Outline) => {
    const count = counts.get(code ?? "") ?? 0;
    const shape = html`<path class="l${shade(count)}" d="${path}"><title>${name}: ${countText(count, "dataset")}</title></path>`;
    return code === null || count === 0 ? shape : html`<a href="${datasetsPath(code)}" tabindex="-1">${shape}</a>`;
  };
  return html`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${countryOutlines().map(outline)}</svg>
<p class="visually-hidden">A world map of datasets by country. The table below has the same figures and links.</p>
<ul class="key" aria-hidden="true">${[
    "none",
    ...SHADES.map((least, i) =>
      i === SHADES.length - 1 ? `${integer(least)} or more` : `${least} to ${(SHADES[i + 1] ?? 0) - 1}`,
    ),
  ].map(
    (words, i) =>
      html`<li><svg class="map" viewBox="0 0 10 10"><path class="l${i}" d="M0 0h10v10H0z"/></svg>${i === 0 ? words : html`${words} datasets`}</li>`,
  )}</ul>`;
}
