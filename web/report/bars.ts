/** Bars drawn as SVG inside table cells: the table says the figures, the bar shows them. */

import { type Html, html } from "../html.ts";

export interface Part {
  /** Class that gives the colour. */
  readonly kind: string;
  readonly value: number;
}

const WIDTH = 240;
const HEIGHT = 14;

/** Parts side by side; `all` fills the width. Hidden from screen readers: the cells beside it say the same. */
export function stackedBar(parts: readonly Part[], all: number): Html {
  let at = 0;
  const drawn = parts.flatMap(({ kind, value }) => {
    const width = all === 0 ? 0 : (WIDTH * value) / all;
    const x = at;
    at += width;
    return width === 0
      ? []
      : [html`<rect class="${kind}" x="${fixed(x)}" width="${fixed(width)}" height="${HEIGHT}"/>`];
  });
  return svg(html`<rect class="track" width="${WIDTH}" height="${HEIGHT}"/>${drawn}`);
}

/** Losses to the left of the middle, gains to the right; `most` fills a half. */
export function divergingBar(lost: number, gained: number, most: number): Html {
  const middle = WIDTH / 2;
  const length = (value: number) => (most === 0 ? 0 : (middle * value) / most);
  return svg(html`<rect class="lost" x="${fixed(middle - length(lost))}" width="${fixed(length(lost))}" height="${HEIGHT}"/>
<rect class="gained" x="${fixed(middle)}" width="${fixed(length(gained))}" height="${HEIGHT}"/>
<path class="axis" d="M${middle} 0V${HEIGHT}"/>`);
}

/** A movement from one value to another on a scale from 0 to `most`: a hollow dot, a line, a full dot. */
export function dumbbell(before: number | null, after: number | null, most: number): Html {
  const x = (value: number) => 5 + ((WIDTH - 10) * value) / most;
  const middle = HEIGHT / 2;
  const line =
    before === null || after === null
      ? null
      : html`<path class="way" d="M${fixed(x(before))} ${middle}H${fixed(x(after))}"/>`;
  const dot = (value: number | null, kind: string) =>
    value === null ? null : html`<circle class="${kind}" cx="${fixed(x(value))}" cy="${middle}" r="4"/>`;
  return svg(
    html`<path class="axis" d="M5 ${middle}H${WIDTH - 5}"/>${line}${dot(before, "before")}${dot(after, "after")}`,
  );
}

function svg(content: Html): Html {
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${content}</svg>`;
}

function fixed(value: number): string {
  return String(Math.round(100 * value) / 100);
}
