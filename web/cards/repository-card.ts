/** The card of a repository: the mean of its scores beside that of their caps, and how they are spread. */

import { type Html, html } from "../../api-static/html/html.ts";
import { tenths } from "../../api-static/pages/tenths.ts";
import type { RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { bars } from "../parts/bars.ts";
import { counted, decimal, percent } from "../parts/figures.ts";
import { meter } from "../parts/meter.ts";
import type { Card } from "./card.ts";

type Figures = Pick<RepositoryFigures, "repository" | "scoredCount" | "meanScore" | "meanCap" | "totalDistribution">;

export function repositoryCard(figures: Figures, version: PublicVersion): Card {
  return {
    page: `/repositories/${encodeURIComponent(figures.repository)}`,
    version,
    title: figures.repository,
    words: repositoryWords(figures),
    figures: figuresOf(figures),
  };
}

function figuresOf(figures: Figures): Html {
  const { scoredCount, meanScore, meanCap } = figures;
  if (meanScore === null) return html`<p class="total"><b>No score</b> none of its datasets could be judged.</p>`;
  return html`<p class="total"><b>${meanOf(figures)}</b> average of ${counted(scoredCount, "dataset")}; ${decimal(meanCap)} can be reached</p>${meter(meanScore, 100, meanCap)}
${spread(figures)}`;
}

/** The least total of each range, as badges are coloured by them. */
const RANGES = [80, 60, 40, 20, 0] as const;

function spread({ totalDistribution, scoredCount }: Figures): Html {
  const totals = Object.entries(totalDistribution).map(([total, count]) => ({ total: Number(total), count }));
  return bars(
    RANGES.map((least, i) => {
      const above = RANGES[i - 1] ?? 101;
      const inside = totals.filter(({ total }) => total >= least && total < above);
      const value = inside.reduce((sum, { count }) => sum + count, 0);
      return { name: `${least}–${above - 1} points`, value, most: scoredCount, figure: percent(value, scoredCount) };
    }),
  );
}

/** Rounded once, as on the badge that may stand beside it. */
function meanOf({ totalDistribution, scoredCount }: Figures): string {
  const sum = Object.entries(totalDistribution).reduce((all, [total, count]) => all + Number(total) * count, 0);
  return tenths({ sum, count: scoredCount });
}

export function repositoryWords(figures: Figures): string {
  if (figures.meanScore === null) return "SHARE: no score, none of its datasets could be judged.";
  const many = counted(figures.scoredCount, "dataset");
  return `SHARE average ${meanOf(figures)} of 100, ${decimal(figures.meanCap)} can be reached: ${many} with a score.`;
}
