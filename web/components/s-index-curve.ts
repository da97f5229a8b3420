/** An S-Index as a curve: datasets from best to worst against their scores, and the line where the two are equal. */

import { type Html, html } from "../html.ts";

const SIZE = 280;
const LEFT = 40;
const BELOW = 40;
/** The width of the words at the crossing, on a phone too. */
const ROOM = 130;

/** `totals`: best first. */
export function sIndexCurve(totals: readonly number[], sIndex: number): Html | null {
  const [first] = totals;
  if (first === undefined || totals.length < 2) return null;
  const last = Math.max(totals.length, 10);
  const x = (rank: number) => Math.round(LEFT + (SIZE * 2 * rank) / last);
  const y = (score: number) => Math.round(10 + SIZE - (SIZE * score) / 100);
  const line = totals.map((total, i) => `${i === 0 ? "M" : "L"}${x(i + 1)} ${y(total)}`).join("");
  // Its name stands at its end, above it: far from the crossing, unless that is at the end.
  const even = Math.min(last, 100);
  // Below its point, where neither line is; to the right where there is room.
  const isRight = x(sIndex) < LEFT + 2 * SIZE - ROOM;
  return html`<svg class="chart" viewBox="0 0 ${LEFT + 2 * SIZE + 20} ${SIZE + BELOW + 10}" role="img" aria-label="Scores from best to worst: the line of equal rank and score is crossed at ${sIndex}."><path class="axis" d="M${LEFT} 10V${10 + SIZE}H${LEFT + 2 * SIZE}"/>${[
    0, 50, 100,
  ].map(
    (score) => html`<text x="${LEFT - 6}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<path class="same" d="M${x(0)} ${y(0)}L${x(even)} ${y(even)}"/><path class="line" d="${line}"/><circle class="point" cx="${x(sIndex)}" cy="${y(sIndex)}" r="5"/><text class="said" x="${isRight ? x(sIndex) + 8 : x(sIndex)}" y="${y(sIndex) + 22}" text-anchor="${isRight ? "start" : "end"}">S-Index ${sIndex}</text><text x="${LEFT + 6}" y="20">score</text><text x="${x(last)}" y="${SIZE + BELOW - 8}" text-anchor="end">dataset ${last}</text><text x="${LEFT}" y="${SIZE + BELOW - 8}">best dataset first</text><text x="${x(even) - 14}" y="${y(even) + 4}" text-anchor="end">rank = score</text></svg>`;
}
