/** Shows the signals to fix first in a set of datasets, for managers of many datasets and for researchers. */

import { exactMean } from "../../api-static/pages/numbers.ts";
import type { Crosswalk, SignalImprovement, SignalImprovements } from "../../schemas/public/api/improvements.ts";
import { POINTS_PER_SIGNAL, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { english, sign, t } from "../languages/translate.ts";
import { countText, hundredths, integer, percent, plural } from "./figures.ts";
import { capitalised, EFFORT_ORDER, EFFORT_WORDS } from "./state-words.ts";
import { numberColumn, table } from "./table.ts";

/** Number of steps that are shown at once; the others are folded. */
const FIRST = 3;

/** Notes on exports and on copies of the metadata are left out for fewer datasets than this, because they would say little. */
const MIN_DATASETS = 5;

/**
 * The reader of the page: `repository` can change the export of the datasets, `depositor` can edit each dataset, and
 * `any` can be anyone.
 */
type ImprovementReader = "repository" | "depositor" | "any";

/** The S-Index of a researcher, now and after changes. */
export interface SIndexIf {
  readonly now: number;
  /** Returns the S-Index if each of these signals passed in every dataset of its source that lacks it. */
  readonly after: (parts: readonly SourceSignal[]) => number;
  /** The S-Index if all missing signals passed. */
  readonly all: number;
  /**
   * The datasets that count for the S-Index, grouped by source, total and the mask of their missing signals. Null if there are too many groups to send to the browser.
   */
  readonly kinds: readonly DatasetKind[] | null;
}

/** A signal in the datasets of one source. */
type SourceSignal = Pick<SignalImprovement, "source" | "signal">;

export interface DatasetKind {
  readonly source: string;
  readonly total: number;
  readonly absent: number;
  readonly datasets: number;
}

/** Number of steps in the list of those that take the least work. */
const CHEAPEST = 3;

/** Returns the improvements to all datasets of a researcher that take the researcher the least work. */
export function cheapestSteps(
  { data }: SignalImprovements,
  names: ReadonlyMap<string, string>,
  sIndex: SIndexIf,
): Html {
  const own = data.improvements.filter(({ datasets, adviceFor }) => datasets > 0 && adviceFor === "depositor");
  const hasSources = new Set(own.map(({ source }) => source)).size > 1;
  const shown = { data, hasSources, reader: "depositor", names, sIndex } as const;
  return (
    stepList(inOrder(own, shown.reader).slice(0, CHEAPEST), shown) ??
    html`<p>None of your datasets lacks a signal that you can add.</p>`
  );
}

/** Number of steps in a list of those that add the most points. */
const LARGEST = 3;

/** Returns the steps in the order of their gains, with the words for the gain in the average of the datasets. */
function byGain({ data }: SignalImprovements): readonly { readonly names: string; readonly gain: string }[] {
  const { improvements, scoredCount } = data;
  if (scoredCount === 0) return [];
  return inOrder(
    improvements.filter(({ datasets }) => datasets > 0),
    "any",
  )
    .toSorted((one, other) => other.gain - one.gain)
    .map(({ parts, gain }) => ({
      names: listNames(parts),
      gain: `+${gainText(gain, scoredCount)}`,
    }));
}

/** Returns the signals of the steps that raise the average most, without their advice, and a link to the steps. */
export function largestGains(report: SignalImprovements): Html {
  const steps = byGain(report);
  if (steps.length === 0) return html`<p>No signal is absent in these datasets.</p>`;
  return html`<p class="small muted">Points that the average would gain</p><ul class="moves">${steps
    .slice(0, LARGEST)
    .map(
      ({ names, gain }) => html`<li><span>${names}</span> <b>${gain}</b></li>`,
    )}</ul><p><a href="#fix">How to make each change</a></p>`;
}

/** Returns one line with the step that raises the average most, as a link to the steps; null if no signal is absent. */
export function largestGain(report: SignalImprovements): Html | null {
  const [step] = byGain(report);
  if (step === undefined) return null;
  return html`<p>Largest gain: <a href="#fix">${step.gain} points</a> by ${step.names}.</p>`;
}

/**
 * Returns the steps, each with the advice of each source under the name of the source. Steps in a deposit form come
 * first, then those with the largest gain. For a depositor, the steps that a depositor can do come first, with the
 * least effort first. `areVersions` is true if several versions of a dataset are among the datasets.
 */
export function improvementParts(
  { data, _meta }: SignalImprovements,
  names: ReadonlyMap<string, string>,
  reader: ImprovementReader = "any",
  sIndex: SIndexIf | null = null,
  areVersions = false,
): Html {
  const { scoredCount } = data;
  const improvements = data.improvements.filter((each) => each.datasets > 0);
  if (data.improvements.length === 0) return html`<p>No signal is absent in these datasets.</p>`;
  const hasSources = new Set(improvements.map(({ source }) => source)).size > 1;
  const about = { data, hasSources, reader, names, sIndex, areVersions };
  const usual = findUsual(improvements, about);
  const shown = { ...about, usual: usual?.words ?? "" };
  const isDepositors = ({ adviceFor }: SignalImprovement) => adviceFor === "depositor";
  return html`${scoredCount === 1 ? null : html`<p>${introduce(data, areVersions)}</p>`}
${usual === null ? null : html`<p class="small muted">${usual.isAll ? null : [t("Unless a step says otherwise:"), html`<br>`]}${usual.works.map((work, i) => [i === 0 ? null : html`<br>`, work])}</p>`}
${_meta.previousRelease === null ? null : changeSummary(data.improvements)}
${
  reader === "depositor" && improvements.some(isDepositors)
    ? [
        steps(improvements.filter(isDepositors), shown),
        folded(
          t("For the repository or data centre"),
          improvements.filter((each) => !isDepositors(each)),
          shown,
        ),
      ]
    : [
        reader === "depositor" && improvements.length > 0
          ? html`<p><strong>${t("For the repository or data centre")}</strong></p>`
          : null,
        steps(improvements, shown),
      ]
}${
  sIndex === null
    ? null
    : stepsTogether(
        [improvements.filter(isDepositors), improvements.filter((each) => !isDepositors(each))].flatMap((some) =>
          inOrder(some, reader),
        ),
        sIndex,
      )
}`;
}

function introduce({ scoredCount }: SignalImprovements["data"], areVersions: boolean): string {
  return areVersions
    ? t`Each step shows the points that the average of ${integer(scoredCount)} scored versions would gain. For the S-Index, only the best version of each dataset counts.`
    : t`Each step shows the points that the average of ${integer(scoredCount)} scored datasets would gain.`;
}

/**
 * Returns the S-Index after several steps together: a panel in which users can choose steps with a script, and a table
 * for users without one. Null if no step changes the S-Index, or if there is only one step.
 */
function stepsTogether(all: readonly ImprovementStep[], sIndex: SIndexIf): Html | null {
  if (sIndex.all === sIndex.now || all.length < 2) return null;
  const rows = all.map(({ parts }, i) => {
    const before = all.slice(0, i + 1).flatMap((step) => step.parts);
    return [listSignals(parts).join(sign("; ")), integer(sIndex.after(parts)), integer(sIndex.after(before))];
  });
  const kinds = sIndex.kinds
    ?.map(({ source, total, absent, datasets }) => `${source} ${total} ${absent} ${datasets}`)
    .join();
  return html`${
    kinds === undefined
      ? null
      : html`<div class="panel chosen" data-choose="${kinds}" hidden><p><output></output></p><button type="button" class="quiet">Copy as checklist</button></div>`
  }
<details><summary>S-Index after several steps: now ${sIndex.now}, with all of them ${sIndex.all}</summary>${table(
    t("S-Index if a step is taken in all datasets that lack it"),
    [{ name: t("Step") }, numberColumn(t("This step alone")), numberColumn(t("With the steps above it"))],
    rows,
  )}</details>
`;
}

/** Returns the signals that a step fixes, each once. */
function listSignals(parts: readonly SignalImprovement[]): string[] {
  return [...bySignal(parts).keys()];
}

/** Returns the names of the signals that a step fixes, without their ids. */
function listNames(parts: readonly SignalImprovement[]): string {
  return [...new Set(parts.map(({ name }) => t(name)))].join(sign(", "));
}

/**
 * Returns one line with the numbers of signals that were fixed and lost since the previous release. The signals are
 * folded, those with the most changes first. Null if there are none.
 */
function changeSummary(improvements: readonly SignalImprovement[]): Html | null {
  const sumCounts = (some: readonly SignalImprovement[]) => ({
    fixed: some.reduce((sum, { fixed }) => sum + (fixed ?? 0), 0),
    lost: some.reduce((sum, { lost }) => sum + (lost ?? 0), 0),
  });
  const changes = [...bySignal(improvements)]
    .map(([signal, some]) => ({ signal, ...sumCounts(some) }))
    .filter(({ fixed, lost }) => fixed + lost > 0)
    .toSorted((one, other) => other.fixed + other.lost - one.fixed - one.lost);
  if (changes.length === 0) return null;
  const all = sumCounts(improvements);
  return html`<details><summary>${plural(all.fixed, "Since the previous release: {0} signal fixed, {1} lost", "Since the previous release: {0} signals fixed, {1} lost", integer(all.lost))}</summary><ul>${changes.map(
    ({ signal, fixed, lost }) =>
      html`<li>${plural(fixed, "{1}: {0} dataset fixed, {2} lost", "{1}: {0} datasets fixed, {2} lost", signal, integer(lost))}</li>`,
  )}</ul></details>`;
}

function bySignal(improvements: readonly SignalImprovement[]): ReadonlyMap<string, readonly SignalImprovement[]> {
  return Map.groupBy(improvements, ({ signal, name }) => `${signal} ${t(name)}`);
}

interface ShownSteps {
  /** The number of datasets that the page is about, how many of them have a score, and the sum of their totals. */
  readonly data: Pick<SignalImprovements["data"], "datasets" | "scoredCount" | "points">;
  /** True if the datasets come from several sources, so that each next step must name its source. */
  readonly hasSources: boolean;
  readonly reader: ImprovementReader;
  readonly names: ReadonlyMap<string, string>;
  /** The S-Index of the researcher; null if the page is not about one researcher. */
  readonly sIndex: SIndexIf | null;
  /** True if several versions of a dataset are among the datasets. */
  readonly areVersions?: boolean;
  /** The lines about the work that the page has above the steps. A step with the same lines does not repeat them. */
  readonly usual?: string;
}

/** Returns the lines about the work in a step, one for each source and person. */
function listWorks(parts: readonly SignalImprovement[], shown: ShownSteps): string[] {
  return [...new Set(parts.map((part) => workText(part, shown)))].filter((work) => work !== "").toSorted();
}

/** Returns the lines about the work that most steps have in common, so that the page has them once; null without such lines. */
function findUsual(improvements: readonly SignalImprovement[], shown: ShownSteps) {
  const all = byEdit(improvements).map((parts) => listWorks(parts, shown));
  const [most] = [...Map.groupBy(all, (works) => works.join("\n")).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const works = most?.[0] ?? [];
  if (most === undefined || works.length === 0 || most.length < 2 || 2 * most.length <= all.length) return null;
  return { works, words: works.join("\n"), isAll: most.length === all.length };
}

/** Returns steps that somebody else can take than the reader of the page, so they are folded. */
function folded(summary: string, some: readonly SignalImprovement[], shown: ShownSteps): Html | null {
  const list = stepList(inOrder(some, shown.reader), shown);
  return list === null ? null : html`<details><summary>${summary}</summary>${list}</details>`;
}

/** A step, which is one edit. It has one part for each signal that the edit fixes, in each source. */
interface ImprovementStep {
  readonly parts: readonly SignalImprovement[];
  /**
   * Points that the step adds to all datasets together. They are divided by the number of datasets only when they are
   * shown, so that the average is rounded once.
   */
  readonly gain: number;
}

/**
 * Returns the steps in the order in which the page lists them. For a depositor, the least effort comes first; for other
 * readers, values that a deposit form asks for.
 */
function inOrder(improvements: readonly SignalImprovement[], reader: ImprovementReader): ImprovementStep[] {
  const computeRank = ({ parts }: ImprovementStep) =>
    reader === "depositor"
      ? EFFORT_ORDER.indexOf(parts[0]?.effort ?? null)
      : Number(parts.every(({ label }) => label === null));
  return byEdit(improvements)
    .map((parts) => ({ parts, gain: POINTS_PER_SIGNAL * parts.reduce((sum, { scored }) => sum + scored, 0) }))
    .toSorted((one, other) => computeRank(one) - computeRank(other) || other.gain - one.gain);
}

/** Groups the signals that one edit fixes, in the same way as the page of a dataset. */
function byEdit(improvements: readonly SignalImprovement[]): SignalImprovement[][] {
  const groups: SignalImprovement[][] = [];
  for (const parts of bySignal(improvements).values()) {
    const group = groups.find((others) => isSameEdit(others, parts));
    if (group === undefined) groups.push([...parts]);
    else group.push(...parts);
  }
  return groups;
}

/**
 * True if one edit fixes the signals of the parts and of the group: they have a source in common, and in each such
 * source the same person fixes both with the same effort in the same field.
 */
function isSameEdit(group: readonly SignalImprovement[], parts: readonly SignalImprovement[]): boolean {
  const pairs = parts.flatMap((part) => {
    const own = group.find(({ source }) => source === part.source);
    return own === undefined ? [] : [[own, part] as const];
  });
  return (
    pairs.length > 0 &&
    pairs.every(
      ([one, other]) =>
        one.adviceFor === other.adviceFor &&
        one.effort === other.effort &&
        one.field.split(", ").some((path) => other.field.split(", ").includes(path)),
    )
  );
}

function steps(improvements: readonly SignalImprovement[], shown: ShownSteps): Html | null {
  const all = inOrder(improvements, shown.reader);
  const rest = all.slice(FIRST);
  const first = stepList(all.slice(0, FIRST), shown);
  if (first === null || rest.length === 0) return first;
  return html`${first}<details><summary>${countText(rest.length, "more step")}</summary>${stepList(rest, shown)}</details>`;
}

function stepList(some: readonly ImprovementStep[], shown: ShownSteps): Html | null {
  if (some.length === 0) return null;
  const { datasets, scoredCount } = shown.data;
  return html`<ol class="steps">${some.map(({ parts, gain }) => {
    const counts = [...bySignal(parts).values()].map((own) => own.reduce((sum, each) => sum + each.datasets, 0));
    const all = shown.areVersions === true ? countText(datasets, "version") : countText(datasets, "dataset");
    const most = Math.max(...counts);
    const reach = `${integer(most)} of ${all}`;
    // Several signals can concern different datasets, so at least as many as the most frequent of them.
    const concerned = counts.length > 1 && most < datasets ? t`at least ${reach}` : reach;
    const effects = [...(datasets === 1 ? [] : [concerned]), ...sIndexText(parts, shown.sIndex)];
    return html`<li${shown.sIndex === null ? null : html` data-step="${[...makeMasks(parts)].map(([source, mask]) => `${source} ${mask}`).join()}" data-name="${listSignals(parts).join("; ")}"`}><b>+${gainText(gain, scoredCount)}<small>points</small></b><div><div class="what"><p><strong>${listSignals(parts).join(sign(", "))}</strong></p><p class="small muted">${effects.join(" · ")}</p></div>${advice(parts, shown)}</div></li>\n`;
  })}</ol>`;
}

/** Returns the gain of the average; for one dataset, its own gain, which is a whole number. */
function gainText(gain: number, scoredCount: number): string {
  if (scoredCount === 1) return integer(gain);
  return hundredths(scoredCount === 0 ? 0 : exactMean(gain, scoredCount));
}

/**
 * Returns the step that the page lists first, with its points and its signals; null if no step has points. `isOwn` is true if a
 * depositor can take it.
 */
export function firstStep(
  { data }: SignalImprovements,
  reader: ImprovementReader,
): { readonly gain: string; readonly signals: string; readonly isOwn: boolean } | null {
  const missing = data.improvements.filter(({ scored }) => scored > 0);
  const own = missing.filter(({ adviceFor }) => reader !== "depositor" || adviceFor === "depositor");
  const [first] = inOrder(own.length === 0 ? missing : own, reader);
  if (first === undefined) return null;
  return { gain: gainText(first.gain, data.scoredCount), signals: listNames(first.parts), isOwn: own.length > 0 };
}

/** Returns the mask of the signals in each source. */
export function makeMasks(parts: readonly SourceSignal[]): ReadonlyMap<string, number> {
  const masks = new Map<string, number>();
  for (const { source, signal } of parts)
    masks.set(source, (masks.get(source) ?? 0) | (1 << SIGNAL_IDS.indexOf(signal)));
  return masks;
}

/**
 * Returns the change of the S-Index, such as `S-Index 4 → 5`, if the parts of a step passed in all datasets of their sources;
 * empty if it does not change.
 */
function sIndexText(parts: readonly SignalImprovement[], sIndex: SIndexIf | null): string[] {
  const next = sIndex?.after(parts);
  return sIndex === null || next === undefined || next === sIndex.now ? [] : [t`S-Index ${sIndex.now} → ${next}`];
}

const READER_WORDS: Readonly<Record<NonNullable<SignalImprovement["adviceFor"]>, string>> = {
  depositor: english("For the depositor"),
  repository: english("For the repository"),
  "data centre": english("For the data centre"),
};

/**
 * Returns the advice that concerns the most datasets, and a line for each source with the person who can follow it. If
 * there is more advice, a fold has it for each source and signal.
 */
function advice(parts: readonly SignalImprovement[], shown: ShownSteps): Html {
  const works = [...Map.groupBy(parts, (part) => workText(part, shown))];
  const first = parts.toSorted((one, other) => other.datasets - one.datasets)[0];
  const isUsual = listWorks(parts, shown).join("\n") === shown.usual;
  const lines = works.map(([work]) => (work === "" || isUsual ? null : html`<p class="small muted">${work}</p>`));
  if (first === undefined || parts.length === 1)
    return html`${parts.map((part) => html`<p>${datasetsLink(part, shown)}: ${t(part.advice)}</p>`)}${lines}${exportNotes(parts, shown)}`;
  return html`<p>${datasetsLink(first, shown)}: ${t(first.advice)}</p>${lines}<details><summary>All advice, with the datasets</summary>${works.map(
    ([work, own]) =>
      html`${works.length === 1 ? null : html`<p class="small muted">${work}</p>`}<ul>${own.map((part) => html`<li>${t(part.name)}, ${datasetsLink(part, shown)}: ${t(part.advice)}</li>`)}</ul>`,
  )}${exportNotes(parts, shown)}</details>`;
}

/** Returns the number of datasets that lack a signal, as a link to their list. */
function datasetsLink({ datasets, records }: SignalImprovement, { areVersions }: ShownSteps): Html | string {
  const count = areVersions === true ? countText(datasets, "version") : countText(datasets, "dataset");
  return records === null ? count : html`<a href="${records.replace("/records?", "/datasets?")}">${count}</a>`;
}

/**
 * Returns a text about the work for one signal: its source if the page has several, the person who can do it, and the
 * effort. Facts that are not known are left out.
 */
function workText({ source, adviceFor, effort }: SignalImprovement, { hasSources, reader, names }: ShownSteps): string {
  const work = [
    ...(reader === "depositor" || adviceFor === null ? [] : [t(READER_WORDS[adviceFor])]),
    ...(effort === null ? [] : [t(EFFORT_WORDS[effort])]),
  ];
  return [...(hasSources ? [t`Read through ${names.get(source) ?? source}`] : []), work.join(sign(": "))]
    .filter((text) => text !== "")
    .map(capitalised)
    .join(" · ");
}

/** Returns notes on signals that no dataset of a source passes, with the fields that the export may lack, each once. */
function exportNotes(parts: readonly SignalImprovement[], { reader, names }: ShownSteps): Html[] {
  if (reader !== "repository") return [];
  const lacking = parts.filter(({ passed, datasets }) => passed === 0 && datasets >= MIN_DATASETS);
  return [...Map.groupBy(lacking, ({ source }) => source)].map(([source, own]) => {
    const fields = [...new Set(own.flatMap(({ field }) => field.split(", ")))].join(", ");
    const isWhole = own.length === parts.filter((part) => part.source === source).length;
    return html`<p><strong>No dataset read through ${names.get(source) ?? source} passes${isWhole ? null : ` ${own.map(({ name }) => t(name)).join(", ")}`}.</strong> First check that the export has <code>${fields}</code>.</p>`;
  });
}

/** Returns folded tables, one for each copy of the metadata with enough datasets; null if there are none. */
export function crosswalkSection({ data }: Crosswalk, names: ReadonlyMap<string, string>): Html | null {
  const copies = data.filter(({ datasets }) => datasets >= MIN_DATASETS);
  if (copies.length === 0) return null;
  return html`<h2 id="copies">Losses in copies of the metadata</h2>
<p>We also harvested these datasets from a registry or an aggregator. If its copy lacks a field, people who find the dataset there see less.</p>
${copies.map(
  ({
    source,
    copy,
    datasets,
    signals,
  }) => html`<details><summary>Copies at ${names.get(copy) ?? copy}: ${countText(datasets, "dataset")}</summary>
${table(
  `Signals that pass by ${names.get(source) ?? source}, and by the copy at ${names.get(copy) ?? copy}`,
  [
    { name: "Signal, field here and field of the copy" },
    numberColumn("Pass here"),
    numberColumn("Kept"),
    numberColumn("Lost"),
    numberColumn("Not known"),
  ],
  signals.map((each): HtmlPart[] => [
    html`${each.signal} ${each.name}<br><span class="small"><code>${each.field ?? "–"}</code> → ${each.copyField === null ? "no field" : html`<code>${each.copyField}</code>`}</span>`,
    integer(each.passed),
    percent(each.kept, each.passed),
    integer(each.absent + each.unsupported),
    integer(each.unknown),
  ]),
)}</details>\n`,
)}`;
}
