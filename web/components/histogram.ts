/** The spread of scores, as bars; the table beside it has the figures. */

import { type Html, html } from "../html.ts";
import { whole } from "./figures.ts";
import { table } from "./table.ts";

const WIDTH = 660;
const HEIGHT = 150;
const LABELS = 32;
/** Room for the count above the highest bar. */
const TOP = 20;

/** On a phone the least score of a range names it: there is no room for the greatest. */
function rangeOf(label: string): Html {
  const [least = "", most] = label.split("-");
  return html`${least}${most === undefined ? null : html`<tspan class="upto">–${most}</tspan>`}`;
}

/** `counts` by range of the score. */
export function histogram(caption: string, counts: Readonly<Record<string, number>>): Html {
  // A name that is a number, such as 100, comes first in any object.
  const entries = Object.entries(counts).toSorted(
    ([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10),
  );
  const most = Math.max(1, ...entries.map(([, count]) => count));
  const step = WIDTH / entries.length;
  const bars = entries.map(([label, count], i) => {
    const height = Math.round((HEIGHT * count) / most);
    const x = Math.round(i * step);
    return html`<rect class="fill" x="${x + 3}" y="${TOP + HEIGHT - height}" width="${Math.round(step) - 6}" height="${height}"/><text class="said" x="${x + Math.round(step / 2)}" y="${TOP + HEIGHT - height - 5}" text-anchor="middle">${whole(count)}</text><text x="${x + Math.round(step / 2)}" y="${TOP + HEIGHT + LABELS - 12}" text-anchor="middle">${rangeOf(label)}</text>`;
  });
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${TOP + HEIGHT + LABELS}" aria-hidden="true" focusable="false">${bars}<path class="axis" d="M0 ${TOP + HEIGHT + 0.5}H${WIDTH}"/></svg>
<details><summary>${caption}, as a table</summary>${table(
    caption,
    [{ name: "Score" }, { name: "Datasets", isNumber: true }],
    entries.map(([label, count]) => [label, whole(count)]),
  )}</details>`;
}
