/** The score of a dataset over releases: a line where there are several, and a table with what moved in each. */

import type { PastScore } from "../../schemas/public/site/past-score.ts";
import { type Html, html } from "../html.ts";
import { when, whole } from "./figures.ts";
import { table } from "./table.ts";

/** `scores`: oldest first; the last is the current one. */
export function scoreHistory(scores: readonly PastScore[]): Html | null {
  const [first, ...later] = scores;
  if (first === undefined) return null;
  return html`<h2 id="history">Over the releases</h2>${
    later.length === 0
      ? html`<p>Release ${first.scoreReleaseVersion} is the first that is kept here with this dataset.</p>`
      : html`${line(scores)}${table(
          "Score by release, newest first",
          [
            { name: "Release" },
            { name: "As of" },
            { name: "Score", isNumber: true },
            { name: "Change", isNumber: true },
            { name: "Possible", isNumber: true },
          ],
          scores
            .map((score, i) => [
              html`<a href="/history/${score.releaseDigest.replace(":", "-")}">${score.scoreReleaseVersion}</a>`,
              when(score.asOf),
              score.total === null ? "no score" : whole(score.total),
              change(scores[i - 1], score),
              whole(score.cap),
            ])
            .toReversed(),
        )}<p class="small muted">Each release says what moved in it, and why: the data’s description, how it is read, or the rules.</p>`
  }`;
}

/** Scores by different contracts are not taken from each other. */
function change(before: PastScore | undefined, { total, contract, reader }: PastScore): string {
  if (before === undefined) return "–";
  if (before.contract !== contract) return "other rules";
  if (before.total === null || total === null) return "–";
  const by = total - before.total;
  if (by === 0) return "0";
  const moved = `${by > 0 ? "+" : "−"}${Math.abs(by)}`;
  const read = before.reader !== null && reader !== null && before.reader !== reader;
  return read ? `${moved}, read by reader ${reader}, no longer ${before.reader}` : moved;
}

const WIDTH = 600;
const HEIGHT = 140;
const LEFT = 36;
const TOP = 22;

function line(scores: readonly PastScore[]): Html {
  const x = (i: number) => Math.round(LEFT + 30 + ((WIDTH - LEFT - 60) * i) / Math.max(1, scores.length - 1));
  const y = (total: number) => Math.round(TOP + HEIGHT - (HEIGHT * total) / 100);
  const known = scores.flatMap(({ total, scoreReleaseVersion }, i) =>
    total === null ? [] : [{ at: x(i), up: y(total), total, name: scoreReleaseVersion }],
  );
  const path = known.map(({ at, up }, i) => `${i === 0 ? "M" : "L"}${at} ${up}`).join("");
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + TOP + 24}" aria-hidden="true" focusable="false"><path class="axis" d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${WIDTH}"/>${[
    0, 50, 100,
  ].map(
    (score) => html`<text x="${LEFT - 6}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<path class="line" d="${path}"/>${known.map(
    ({ at, up, total }) =>
      html`<circle class="point" cx="${at}" cy="${up}" r="4"/><text class="said" x="${at}" y="${up - 9}" text-anchor="middle">${total}</text>`,
  )}${[known[0], known.length > 1 ? known.at(-1) : undefined].map((end) =>
    end === undefined
      ? null
      : html`<text x="${end.at}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${end.name}</text>`,
  )}</svg>`;
}
