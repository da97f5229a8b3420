/** The spread of scores, as bars; the table beside it has the figures. */

import { type Html, html } from "../../api-static/html/html.ts";
import { whole } from "./figures.ts";
import { table } from "./table.ts";

const WIDTH = 660;
const HEIGHT = 150;
const LABELS = 34;

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
    return html`<rect class="fill" x="${x + 3}" y="${HEIGHT - height + 10}" width="${Math.round(step) - 6}" height="${height}"/><text x="${x + Math.round(step / 2)}" y="${HEIGHT + LABELS - 8}" text-anchor="middle">${label}</text>`;
  });
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + LABELS}" aria-hidden="true" focusable="false">${bars}<path class="axis" d="M0 ${HEIGHT + 10.5}H${WIDTH}"/></svg>
<details><summary>${caption}, as a table</summary>${table(
    caption,
    [{ name: "Score" }, { name: "Datasets", isNumber: true }],
    entries.map(([label, count]) => [label, whole(count)]),
  )}</details>`;
}
