/** The signals to fix first in a set of datasets, for managers of many datasets. */

import type { Crosswalk, SignalImprovement, SignalImprovements } from "../../schemas/public/api/improvements.ts";
import { type Html, html, type Part } from "../html.ts";
import { countText, integer, percent } from "./figures.ts";
import { numberColumn, table } from "./table.ts";
import { EFFORT_ORDER, EFFORT_WORDS } from "./words.ts";

/** Steps that are shown at once; a disclosure has the others. */
const FIRST = 5;

/** With fewer datasets, none that passes says little about the export. */
const LEAST = 5;

/**
 * Returns both groups, with sources by their names: changes of an export, which can fix many datasets at once, and work on
 * each dataset. For a depositor, the own work comes first, the least effort first.
 */
export function improvementParts(
  { data, _meta }: SignalImprovements,
  names: ReadonlyMap<string, string>,
  isForDepositor = false,
): Html {
  const { improvements, scoredCount } = data;
  if (improvements.length === 0) return html`<p>No signal is absent in these datasets.</p>`;
  const sources = new Set(improvements.map(({ source }) => source));
  const isDepositors = ({ adviceFor }: SignalImprovement) => adviceFor === "depositor";
  const hasPrevious = _meta.previousRelease !== null;
  const shown = { hasPrevious, hasSources: sources.size > 1, isForDepositor, names };
  const groups = [
    group(
      "For the repository or data centre",
      "One change of the export can fix many datasets.",
      improvements.filter((each) => !isDepositors(each)),
      shown,
    ),
    group(
      "For depositors",
      "Each dataset needs an edit.",
      isForDepositor
        ? improvements.filter(isDepositors).toSorted((one, other) => rankOf(one) - rankOf(other))
        : improvements.filter(isDepositors),
      shown,
    ),
  ];
  return html`<p>The points are the gain of the average of ${countText(scoredCount, "scored dataset")} if all these datasets passed. Unknown signals do not count.${isForDepositor ? " Each version of a dataset counts." : null}</p>
${hasPrevious ? changeSentence(improvements) : null}
${isForDepositor ? groups.toReversed() : groups}`;
}

const rankOf = ({ effort }: SignalImprovement) => EFFORT_ORDER.indexOf(effort);

/** Returns what was fixed and lost since the previous release, the most first. */
function changeSentence(improvements: readonly SignalImprovement[]): Html {
  const bySignal = Map.groupBy(improvements, ({ signal, name }) => `${signal} ${name}`);
  const changes = [...bySignal]
    .map(([signal, some]) => ({
      signal,
      fixed: some.reduce((sum, { fixed }) => sum + (fixed ?? 0), 0),
      lost: some.reduce((sum, { lost }) => sum + (lost ?? 0), 0),
    }))
    .filter(({ fixed, lost }) => fixed + lost > 0)
    .toSorted((one, other) => other.fixed + other.lost - one.fixed - one.lost);
  if (changes.length === 0) return html`<p>Since the previous release, none was fixed or lost.</p>`;
  return html`<p>Since the previous release:</p><ul>${changes.map(
    ({ signal, fixed, lost }) => html`<li>${signal}: ${changeText(fixed, lost)}</li>`,
  )}</ul>`;
}

const changeText = (fixed: number, lost: number) =>
  [
    ...(fixed === 0 ? [] : [`${countText(fixed, "dataset")} fixed`]),
    ...(lost === 0 ? [] : [`${integer(lost)} lost`]),
  ].join(", ");

interface Shown {
  readonly hasPrevious: boolean;
  /** Whether the datasets come from several sources, so that each step must name its source. */
  readonly hasSources: boolean;
  readonly isForDepositor: boolean;
  readonly names: ReadonlyMap<string, string>;
}

function group(heading: string, words: string, improvements: readonly SignalImprovement[], shown: Shown): Html | null {
  if (improvements.length === 0) return null;
  const [first, rest] = [improvements.slice(0, FIRST), improvements.slice(FIRST)];
  const list = (some: readonly SignalImprovement[]) =>
    html`<ol class="steps">${some.map((each) => step(each, shown))}</ol>`;
  return html`<h3 class="by">${heading}</h3><p class="muted">${words}</p>
${list(first)}${
  rest.length === 0
    ? null
    : html`<details><summary>${countText(rest.length, "more signal")}</summary>${list(rest)}</details>`
}`;
}

function step(each: SignalImprovement, { hasPrevious, hasSources, isForDepositor, names }: Shown): Html {
  const { signal, name, points, datasets, records, advice, effort, field, passed, fixed, lost } = each;
  const source = names.get(each.source) ?? each.source;
  const count = countText(datasets, "dataset");
  return html`<li><b>+${points.toFixed(2)}<small>points</small></b><div><p class="what">${signal} ${name} · ${
    records === null
      ? datasets === 0
        ? "no dataset left"
        : count
      : html`<a href="${records.replace("/records?", "/datasets?")}">${count}</a>`
  }${hasSources ? html` <span class="muted">from ${source}</span>` : null}</p>
<p>${advice}${effort === null ? null : html` <span class="muted">${EFFORT_WORDS[effort]}</span>`}</p>
${passed > 0 || datasets < LEAST || isForDepositor ? null : html`<p><strong>None of these datasets from ${source} passes.</strong> First check that the export has <code>${field}</code>.</p>`}${
  hasPrevious && (fixed ?? 0) + (lost ?? 0) > 0
    ? html`<p class="muted">Since the previous release: ${changeText(fixed ?? 0, lost ?? 0)}</p>`
    : null
}</div></li>\n`;
}

/** Returns a table for each copy of the metadata; a sentence if no dataset was harvested from both. */
export function crosswalkParts({ data }: Crosswalk, names: ReadonlyMap<string, string>): Html {
  if (data.length === 0)
    return html`<p>No dataset of this repository was also harvested from DataCite or an aggregator, so there is nothing to compare.</p>`;
  return html`<p>We also harvested these datasets from a registry or an aggregator. If its copy lacks a field, people who find the dataset there see less.</p>
${data.map(
  ({
    source,
    copy,
    datasets,
    signals,
  }) => html`<h3>Copies at ${names.get(copy) ?? copy}: ${countText(datasets, "dataset")}</h3>
${table(
  `Signals that pass by ${names.get(source) ?? source}, and by the copy at ${names.get(copy) ?? copy}`,
  [
    { name: "Signal, field here and field of the copy" },
    numberColumn("Pass here"),
    numberColumn("Kept"),
    numberColumn("Lost"),
    numberColumn("Not known"),
  ],
  signals.map((each): Part[] => [
    html`${each.signal} ${each.name}<br><span class="small"><code>${each.field ?? "–"}</code> → ${each.copyField === null ? "no field" : html`<code>${each.copyField}</code>`}</span>`,
    integer(each.passed),
    percent(each.kept, each.passed),
    integer(each.absent + each.unsupported),
    integer(each.unknown),
  ]),
)}`,
)}`;
}
