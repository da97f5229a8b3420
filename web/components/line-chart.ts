/** The drawing of a line through values, with a point for each. */

import { ticks } from "d3-array";
import { type Html, html } from "../html.ts";
import { datum, gridLines, part, xLabel } from "./chart.ts";
import { integer } from "./figures.ts";

export interface LinePoint {
  /** Position in percent of the width. */
  readonly at: number;
  readonly value: number;
  readonly words: string;
  readonly href: string | null;
  /** True if the value is based on few datasets. Then its point is hollow. */
  readonly isFew: boolean;
  /** True if the value cannot be compared with the value before it. Then the line has a gap. */
  readonly isNew: boolean;
}

/** The minimum height of the vertical axis in units, so that a small change also looks small. */
const MIN_SPAN = 20;

/** Returns the lower and upper end of the vertical axis: multiples of ten around the values. */
export function chooseEdges(values: readonly number[]): readonly [low: number, high: number] {
  const low = Math.max(0, 10 * Math.floor((Math.min(...values) - 2) / 10));
  const high = Math.min(100, Math.max(low + MIN_SPAN, 10 * Math.ceil((Math.max(...values) + 2) / 10)));
  return [Math.min(low, high - MIN_SPAN), high];
}

/** Returns the horizontal position of a value in percent. `room` percent stay free at both sides. */
export function placeValue(value: number, least: number, greatest: number, room = 3): number {
  if (least === greatest) return 50;
  return Math.round(100 * (room + ((100 - 2 * room) * (value - least)) / (greatest - least))) / 100;
}

/** Returns the drawing of a line with its points. `labels` are the labels of the horizontal axis. */
export function lineDrawing(points: readonly LinePoint[], labels: readonly Html[]): Html[] {
  const [low, high] = chooseEdges(points.map(({ value }) => value));
  const y = (value: number) => Math.round((10_000 * (high - value)) / (high - low)) / 100;
  const path = points.map(({ at, value, isNew }, i) => `${i === 0 || isNew ? "M" : "L"}${at} ${y(value)}`).join("");
  return [
    ...gridLines(low, high, integer),
    html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible"><path class="line" d="${path}" vector-effect="non-scaling-stroke"/></svg>`,
    ...points.map((point, i) => {
      const [from, to] = [middle(points[i - 1], point) ?? 0, middle(point, points[i + 1]) ?? 100];
      return datum({
        words: point.words,
        href: point.href,
        at: point.at,
        row: 0,
        hit: html`<rect class="hit" x="${from}%" width="${Math.round(100 * (to - from)) / 100}%" height="100%"/>`,
        mark: html`<circle class="${point.isFew ? "point few" : "point"}" cx="${point.at}%" cy="${part(high - point.value, high - low)}" r="4.5"/>`,
      });
    }),
    html`<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>`,
    ...labels,
  ];
}

function middle(one: LinePoint | undefined, other: LinePoint | undefined): number | null {
  return one === undefined || other === undefined ? null : Math.round(50 * (one.at + other.at)) / 100;
}

/** Returns labels of the horizontal axis for round years from `first` to `last`. */
export function yearLabels(first: number, last: number): Html[] {
  return ticks(first, last, 5)
    .filter((year) => Number.isInteger(year))
    .map((year) => xLabel(placeValue(year, first, last), year));
}
