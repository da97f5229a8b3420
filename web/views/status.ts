/** The view of the service's state: the active release with its age, and the last harvest of each source. */

import type { z } from "zod";
import type { health, serviceStatus } from "../../schemas/public/api/service.ts";
import type { View } from "../components/document.ts";
import { countText, integer, percent, plural, timeElement, UNKNOWN } from "../components/figures.ts";
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
<ul class="figures"><li><b>${status === null ? "Not available" : "Available"}</b> datasets and scores</li><li><b>${hiddenResearchers === "current" ? "Available" : "Limited"}</b> researchers and accounts</li>${status === null ? null : releaseFigures(status.release)}</ul>
<p class="muted small">${status === null ? null : releaseFacts(status.release)}State at ${timeElement(now.toISOString())}.</p>
${status === null ? null : [html`<h2>Sources</h2>\n`, sourceTable(status, names)]}`,
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
      ? `The metadata are ${newest} old`
      : `The newest metadata are ${newest} old, and the oldest ${oldest}`;
  return `${state} ${age}, so the scores do not show later changes in the repositories.`;
}

type Status = NonNullable<StatusPage["status"]>;

function releaseFigures({ coverage }: Status["release"]): Html {
  return html`<li><b>${integer(coverage.scored)}</b> ${plural(coverage.scored, "dataset", "datasets")} with a score</li>`;
}

function releaseFacts({ scoreReleaseVersion, asOf, publishedAt }: Status["release"]): Html {
  return html`Release${explain("release")} <a href="/history/latest">${scoreReleaseVersion}</a>, published ${timeElement(publishedAt)}. It judges dates, such as the end of an embargo, as of ${timeElement(asOf)}${explain("as-of")}, but contains no metadata newer than the last harvest. `;
}

/** Returns the number of records in their newest version. */
function countRecords({ coverage }: Status["sources"][number] | Status["release"]): number {
  return coverage.harvested - coverage.superseded;
}

/** Returns a sentence on the records that are not datasets with a score. */
function explainRecords(release: Status["release"]): string {
  const { duplicates, tombstones, notDataset, failed, insufficient, scored } = release.coverage;
  const others = [
    [notDataset, "{0} is not a dataset", "{0} are not datasets"],
    [tombstones, "{0} was deleted", "{0} were deleted"],
    [duplicates, "{0} repeats a dataset of another source", "{0} repeat a dataset of another source"],
    [insufficient, "{0} shows too few signals", "{0} show too few signals"],
    [failed, "{0} could not be judged", "{0} could not be judged"],
  ] as const;
  const listed = others.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many));
  const whole = `${plural(scored, "{0} of {1} is a dataset with a score", "{0} of {1} are datasets with a score", countText(countRecords(release), "record"))}.`;
  return listed.length === 0 ? whole : `${whole} The others have none: ${new Intl.ListFormat("en-GB").format(listed)}.`;
}

function sourceTable({ sources: all, release }: Status, names: ReadonlyMap<string, string>): Html {
  const sources = all.toSorted((one, other) => countRecords(other) - countRecords(one));
  const hasShares = sources.some(({ got, expected }) => got !== null && expected !== null);
  // The same day in each row would say nothing.
  const days = new Set(sources.map(({ newestRetrieval }) => newestRetrieval?.slice(0, 10)));
  const [first] = sources;
  const shared = days.size === 1 && first !== undefined ? dayOf(first) : null;
  const total = [
    html`<strong>All sources</strong>`,
    ...(shared === null ? [""] : []),
    ...(hasShares ? [""] : []),
    integer(countRecords(release)),
    integer(release.coverage.scored),
  ];
  return html`<p>${shared === null ? null : html`All sources were last harvested on ${shared}. `}${explainRecords(release)}</p>${table(
    shared === null ? "Last harvest of each source in the release" : "Records of each source in the release",
    [
      { name: "Source" },
      ...(shared === null ? [{ name: "Last harvest" }] : []),
      ...(hasShares ? [{ name: "Share of the source", isNumber: true }] : []),
      { name: "Records", isNumber: true },
      { name: "Scored", isNumber: true },
    ],
    [
      ...sources.map((each) => {
        const { source, scopes, got, expected } = each;
        return [
          sourceCell(names.get(source) ?? source, scopes),
          ...(shared === null ? [harvestDay(each) ?? UNKNOWN] : []),
          ...(hasShares ? [got === null || expected === null ? UNKNOWN : percent(got, expected)] : []),
          integer(countRecords(each)),
          integer(each.coverage.scored),
        ];
      }),
      total,
    ],
  )}`;
}

function dayOf({ newestRetrieval }: Status["sources"][number]): Html | null {
  return newestRetrieval === null ? null : html`${timeElement(newestRetrieval.slice(0, 10))}`;
}

/** Returns the day of the last harvest of a source, with its age; null if it is not known. */
function harvestDay({ newestRetrieval, ageSeconds }: Status["sources"][number]): Html | null {
  if (newestRetrieval === null || ageSeconds === null) return null;
  return html`${timeElement(newestRetrieval.slice(0, 10))}, ${ageText(ageSeconds)} ago`;
}

function ageText(seconds: number): string {
  return seconds < DAY ? "less than a day" : countText(Math.floor(seconds / DAY), "day");
}
