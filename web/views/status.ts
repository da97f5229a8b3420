/** The view of the service's state: the active release with its age, and the last harvest of each source. */

import type { z } from "zod";
import type { health, serviceStatus } from "../../schemas/public/api/service.ts";
import { meter } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { countText, integer, percent, timeElement, UNKNOWN } from "../components/figures.ts";
import { sourceCell } from "../components/scopes.ts";
import { table } from "../components/table.ts";
import { explain } from "../components/terms.ts";
import { type Html, html } from "../html.ts";

interface StatusPage {
  readonly health: z.infer<typeof health>;
  /** The state of the sources; null if no release is active. */
  readonly status: z.infer<typeof serviceStatus> | null;
  /** Names of sources by key. */
  readonly names: ReadonlyMap<string, string>;
  readonly now: Date;
}

const DAY = 24 * 60 * 60;

export function statusView({ health: { hiddenResearchers }, status, names, now }: StatusPage): View {
  return {
    title: "Status",
    description: "The active release and its age, and the last harvest of each source.",
    apiPath: "/status",
    body: html`<h1>Status</h1>
<p class="lead">${verdict(hiddenResearchers === "current", status)}</p>
<p class="muted small">State at ${timeElement(now.toISOString())}</p>
<dl class="facts">
<dt>Datasets and scores</dt><dd>${status === null ? "Not available: no release is active." : "Available."}</dd>
<dt>Researchers and accounts</dt><dd>${hiddenResearchers === "current" ? "Available." : "Limited: the server cannot read the accounts at present. Hidden researchers stay hidden."}</dd>
${status === null ? null : releaseFacts(status.release, now)}
</dl>
${status === null ? null : [html`<h2>Sources</h2>\n`, sourceTable(status.sources, names)]}`,
  };
}

/** Returns a sentence on the state of the service and the age of its newest metadata. */
function verdict(hasAccounts: boolean, status: StatusPage["status"]): string {
  if (status === null) return "Scores are not available, because no release is active.";
  const ages = status.sources.flatMap(({ ageSeconds }) => (ageSeconds === null ? [] : [ageSeconds]));
  const state = hasAccounts ? "All services are available." : "Scores are available, but the accounts are limited.";
  if (ages.length === 0) return state;
  const [newest, oldest] = [ageText(Math.min(...ages)), ageText(Math.max(...ages))];
  const age =
    newest === oldest
      ? `The metadata of all sources are ${newest} old`
      : `The newest metadata are ${newest} old, and the oldest ${oldest}`;
  return `${state} ${age}, so the scores do not show later changes in the repositories.`;
}

type Status = NonNullable<StatusPage["status"]>;

function releaseFacts({ scoreReleaseVersion, asOf, publishedAt, coverage }: Status["release"], now: Date): Html {
  const age = Math.floor((now.getTime() - Date.parse(asOf)) / 1000 / DAY);
  return html`<dt>Release${explain("release")}</dt><dd><a href="/history/latest">${scoreReleaseVersion}</a>, published ${timeElement(publishedAt)}</dd>
<dt>As of${explain("as-of")}</dt><dd>${timeElement(asOf)}: ${age < 1 ? "today" : `${countText(age, "day")} ago`}</dd>
<dt>Datasets with a score</dt><dd>${integer(coverage.scored)}</dd>`;
}

function sourceTable(sources: Status["sources"], names: ReadonlyMap<string, string>): Html {
  const recordsOf = ({ coverage }: Status["sources"][number]) => coverage.harvested - coverage.superseded;
  const days = sources.map(({ ageSeconds }) => (ageSeconds === null ? 0 : Math.floor(ageSeconds / DAY)));
  const most = Math.max(...days);
  // Bars of the same length would say nothing.
  const hasBars = new Set(days).size > 1;
  const hasShares = sources.some(({ got, expected }) => got !== null && expected !== null);
  return table(
    "Last harvest of each source in the release",
    [
      { name: "Source" },
      { name: "Records", isNumber: true },
      ...(hasShares ? [{ name: "Share of the source", isNumber: true }] : []),
      { name: "Last harvest", isNumber: true },
      ...(hasBars ? [{ name: "Age", isBar: true }] : []),
    ],
    sources.map((each, i) => {
      const { source, scopes, got, expected, newestRetrieval, ageSeconds } = each;
      return [
        sourceCell(names.get(source) ?? source, scopes),
        integer(recordsOf(each)),
        ...(hasShares ? [got === null || expected === null ? UNKNOWN : percent(got, expected)] : []),
        newestRetrieval === null || ageSeconds === null
          ? UNKNOWN
          : html`${timeElement(newestRetrieval.slice(0, 10))}, ${ageText(ageSeconds)} ago`,
        ...(hasBars ? [ageSeconds === null ? null : meter(days[i] ?? 0, { most })] : []),
      ];
    }),
  );
}

function ageText(seconds: number): string {
  return seconds < DAY ? "less than a day" : countText(Math.floor(seconds / DAY), "day");
}
