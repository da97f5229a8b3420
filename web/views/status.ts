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
<ul class="figures"><li><b>${status === null ? "Not available" : "Available"}</b> datasets and scores</li><li><b>${hiddenResearchers === "current" ? "Available" : "Limited"}</b> researchers and accounts</li>${status === null ? null : releaseFigures(status.release, now)}</ul>
<p class="muted small">${status === null ? null : releaseFacts(status.release)}State at ${timeElement(now.toISOString())}.</p>
${status === null ? null : [html`<h2>Sources</h2>\n`, sourceTable(status.sources, names)]}`,
  };
}

/** Returns a sentence on the state of the service and the age of its newest metadata. */
function verdict(hasAccounts: boolean, status: StatusPage["status"]): string {
  if (status === null) return "Scores are not available, because no release is active.";
  const ages = status.sources.flatMap(({ ageSeconds }) => (ageSeconds === null ? [] : [ageSeconds]));
  const state = hasAccounts
    ? "All services are available."
    : "Scores are available, but the server cannot read the accounts at present. Hidden researchers stay hidden.";
  if (ages.length === 0) return state;
  const [newest, oldest] = [ageText(Math.min(...ages)), ageText(Math.max(...ages))];
  const age =
    newest === oldest
      ? `The metadata of all sources are ${newest} old`
      : `The newest metadata are ${newest} old, and the oldest ${oldest}`;
  return `${state} ${age}, so the scores do not show later changes in the repositories.`;
}

type Status = NonNullable<StatusPage["status"]>;

function releaseFigures({ asOf, coverage }: Status["release"], now: Date): Html {
  const age = Math.floor((now.getTime() - Date.parse(asOf)) / 1000 / DAY);
  return html`<li><b>${age < 1 ? "Today" : countText(age, "day")}</b> ${age < 1 ? "is the day of the scores" : "since the day of the scores"}${explain("as-of")}</li><li><b>${integer(coverage.scored)}</b> datasets with a score</li>`;
}

function releaseFacts({ scoreReleaseVersion, asOf, publishedAt }: Status["release"]): Html {
  return html`Release${explain("release")} <a href="/history/latest">${scoreReleaseVersion}</a>, published ${timeElement(publishedAt)}, with scores as of ${timeElement(asOf)}. `;
}

function sourceTable(all: Status["sources"], names: ReadonlyMap<string, string>): Html {
  const recordsOf = ({ coverage }: Status["sources"][number]) => coverage.harvested - coverage.superseded;
  const sources = all.toSorted((one, other) => recordsOf(other) - recordsOf(one));
  const most = Math.max(...sources.map(recordsOf));
  const hasShares = sources.some(({ got, expected }) => got !== null && expected !== null);
  // The same day in each row would say nothing.
  const days = new Set(sources.map(({ newestRetrieval }) => newestRetrieval?.slice(0, 10)));
  const [first] = sources;
  const shared = days.size === 1 && first !== undefined ? harvestDay(first) : null;
  return html`${shared === null ? null : html`<p>All sources were last harvested on ${shared}.</p>`}${table(
    shared === null ? "Last harvest of each source in the release" : "Records of each source in the release",
    [
      { name: "Source" },
      ...(shared === null ? [{ name: "Last harvest" }] : []),
      ...(hasShares ? [{ name: "Share of the source", isNumber: true }] : []),
      { name: "Records", isNumber: true },
      { name: "Compared", isBar: true },
    ],
    sources.map((each) => {
      const { source, scopes, got, expected } = each;
      return [
        sourceCell(names.get(source) ?? source, scopes),
        ...(shared === null ? [harvestDay(each) ?? UNKNOWN] : []),
        ...(hasShares ? [got === null || expected === null ? UNKNOWN : percent(got, expected)] : []),
        integer(recordsOf(each)),
        meter(recordsOf(each), { most }),
      ];
    }),
  )}`;
}

/** Returns the day of the last harvest of a source, with its age; null if it is not known. */
function harvestDay({ newestRetrieval, ageSeconds }: Status["sources"][number]): Html | null {
  if (newestRetrieval === null || ageSeconds === null) return null;
  return html`${timeElement(newestRetrieval.slice(0, 10))}, ${ageText(ageSeconds)} ago`;
}

function ageText(seconds: number): string {
  return seconds < DAY ? "less than a day" : countText(Math.floor(seconds / DAY), "day");
}
