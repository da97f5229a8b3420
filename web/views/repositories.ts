/** All repositories: the average of each beside what it could be. */

import { repositoriesOf } from "../../api-static/pages/metrics.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { decimal, whole } from "../components/figures.ts";
import { histogram } from "../components/histogram.ts";
import { meter } from "../components/meter.ts";
import { table } from "../components/table.ts";
import { olderVersion, underVersion } from "../components/under-version.ts";
import type { View } from "../components/view.ts";
import { html } from "../html.ts";

export function repositoriesView(metrics: LiveMetrics, version: PublicVersion): View {
  const rows = repositoriesOf(metrics)
    .toSorted((one, other) => other.count - one.count)
    .map(({ repository, count, meanScore, meanCap, passedOfEvaluable }) => [
      html`<a href="${underVersion(`/repositories/${encodeURIComponent(repository)}`, version)}"><bdi>${repository}</bdi></a>`,
      whole(count),
      decimal(meanScore),
      decimal(meanCap),
      meter(meanScore, 100, meanCap),
      passedOfEvaluable === null ? "not known" : `${decimal(passedOfEvaluable)} %`,
    ]);
  return {
    title: "Repositories",
    description: "How well the datasets of each repository are shared, beside what the repository allows.",
    twin: `/metrics/live?rubric=${version}`,
    body: html`<h1>Repositories</h1>
${olderVersion(version, "/repositories")}
<p class="lead">An average is to be read beside what was possible: a repository whose form has no field for methods cannot have them.</p>
<h2>How the scores are spread</h2>
${histogram("Datasets by score", metrics.scoreDistribution)}
<h2>Each repository</h2>
${table(
  "Repositories by number of datasets",
  [
    { name: "Repository" },
    { name: "Datasets", isNumber: true },
    { name: "Average score", isNumber: true },
    { name: "Possible", isNumber: true },
    { name: "Average beside what is possible", isBar: true },
    { name: "Yes, of what could be judged", isNumber: true },
  ],
  rows,
  true,
)}
<p class="muted small">${metrics.sampling.method === "census" ? "Every source is known to have given all it holds." : "All that was harvested is counted; that this is all there is, is not known."}</p>`,
  };
}
