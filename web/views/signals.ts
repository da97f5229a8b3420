/** Views of all 25 signals, and of one signal: its question, how common it is, and how each source's metadata show it. */

import { exactMean } from "../../api-static/pages/numbers.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { RubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { meter, type Prevalence, prevalenceBar, prevalenceText, sumCounts, sumPoints } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { hundredths, integer, percent, plural } from "../components/figures.ts";
import { addQuery, underVersion, versionNote } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import { SIGNAL_EXAMPLES } from "../components/signal-examples.ts";
import { BUCKET_NAMES, renderWords, STATE_WORDS } from "../components/state-words.ts";
import { table } from "../components/table.ts";
import { explain } from "../components/terms.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";

/** Returns the view of all signals. `overall` has the prevalence of each signal in all datasets together. */
export function signalsView(rubric: RubricDescriptor, overall: ReadonlyMap<string, Prevalence>): View {
  return {
    title: t("How it is scored"),
    description: t("The 25 questions of a SHARE score, their reasons, and the share of datasets that pass each."),
    apiPath: `/rubrics/${rubric.version}`,
    body: html`<h1>How a dataset is scored</h1>
${versionNote(rubric.version, "/signals")}
<p class="lead">A score has 25 questions${explain("signal")} of four points each, five for each letter of SHARE${explain("bucket")}. ${rubric.version === PUBLIC_VERSIONS[0] ? t("Views, downloads and citations do not count.") : t(rubric.summary)}</p>
${bucketShares(rubric, overall)}
${rarestAndMostCommon(rubric, overall)}
${rubric.buckets.map(
  ({ id, name, question, description }) =>
    html`<h2 id="${id}">${t(name)}</h2><p><strong>${t(question)}</strong> ${t(description)}</p><ul class="rows">${rubric.signals
      .filter(({ bucket }) => bucket === id)
      .map((signal) => {
        const common = overall.get(signal.id);
        return html`<li><div class="figure">${signal.id}</div><div><h3><a href="${underVersion(`/signals/${signal.id}`, rubric.version)}">${t(signal.name)}</a></h3><p>${t(signal.question)}</p>${common === undefined ? null : html`${prevalenceBar(common)}<p class="small">${prevalenceText(common)}</p>`}</div></li>`;
      })}</ul>`,
)}
<h2>Possible results</h2>
<dl class="facts">${Object.values(STATE_WORDS)
      .filter(({ word }, i, all) => all.findIndex((other) => other.word === word) === i)
      .map(
        ({ sign, word, meaning, look }) =>
          html`<dt><span class="state ${look}">${sign} ${t(word)}</span></dt><dd>${t(meaning)}</dd>`,
      )}</dl>
<p>${rubric.version === "2.0" ? html`<a href="/signals?rubric=1.0">Signals of SHARE 1.0</a>` : html`<a href="/signals">Signals of SHARE 2.0</a>`}</p>`,
  };
}

/**
 * Returns for each bucket the share of the judged questions that are passed, and the average points, as links to the buckets;
 * null without any result.
 */
function bucketShares({ buckets, signals }: RubricDescriptor, overall: ReadonlyMap<string, Prevalence>): Html | null {
  if (overall.size === 0) return null;
  const areAllJudged = [...overall.values()].every(({ judged, scored }) => judged === scored);
  return html`<ul class="figures">${buckets.map(({ id, name }) => {
    const counts = signals.flatMap((signal) => (signal.bucket === id ? (overall.get(signal.id) ?? []) : []));
    const [passed, judged] = [sumCounts(counts, "passed"), sumCounts(counts, "judged")];
    const { scored, points } = sumPoints(counts);
    const mean = scored === 0 ? null : exactMean(points, scored);
    return html`<li><a href="#${id}"><b>${percent(passed, judged)}</b> ${t(name)}</a><div>${meter(judged === 0 ? null : passed, { most: judged })}</div><span class="hint">${t`${hundredths(mean)} of 20 points`}</span></li>`;
  })}</ul>
<p class="muted">${t("A percentage is the share of the questions that could be judged and are passed.")}${areAllJudged ? "" : ` ${t("The average points are lower, because a question that cannot be judged gives no points.")}`} ${t("Lines across the bars below show 95 % intervals.")}</p>`;
}

/** Returns the signals that the fewest and the most datasets pass; null if one of them is not the only one. */
function rarestAndMostCommon(
  { version, signals }: RubricDescriptor,
  overall: ReadonlyMap<string, Prevalence>,
): Html | null {
  const known = signals.flatMap(({ id, name }) => {
    const common = overall.get(id);
    return common === undefined || common.judged === 0 ? [] : [{ ...common, id, name }];
  });
  const ordered = known.toSorted((one, other) => computeShare(one) - computeShare(other));
  const [rarest, second] = ordered;
  const [most, next] = ordered.toReversed();
  if (rarest === undefined || second === undefined || most === undefined || next === undefined) return null;
  // Several signals with one share have no rarest among them.
  if (computeShare(rarest) === computeShare(second) || computeShare(most) === computeShare(next)) return null;
  const to = (id: string) => underVersion(`/signals/${id}`, version);
  return html`<p>The rarest signal is <a href="${to(rarest.id)}">${rarest.id} ${t(rarest.name)}</a>: <strong>${percent(rarest.passed, rarest.judged)}</strong> of the ${integer(rarest.judged)} datasets that could be judged pass. The most common is <a href="${to(most.id)}">${most.id} ${t(most.name)}</a>: <strong>${percent(most.passed, most.judged)}</strong> of ${integer(most.judged)}.</p>`;
}

function computeShare({ passed, judged }: Pick<Prevalence, "passed" | "judged">): number {
  return passed / judged;
}

interface SignalPage {
  readonly rubric: RubricDescriptor;
  readonly signal: RubricDescriptor["signals"][number];
  /** Each source, with a description of how its metadata show the signal, or why they cannot. */
  readonly sources: readonly { readonly name: string; readonly supported: boolean; readonly words: string }[];
  readonly prevalence: readonly Prevalence[];
  /** Examples of datasets that pass the signal, and of datasets that do not. */
  readonly examples: readonly RecordDetail[];
}

export function signalView({ rubric, signal, sources, prevalence, examples }: SignalPage): View {
  const { id, fair, needs, rule } = signal;
  const [name, question] = [t(signal.name), t(signal.question)];
  const to = (path: string) => underVersion(path, rubric.version);
  const [passed, judged] = [sumCounts(prevalence, "passed"), sumCounts(prevalence, "judged")];
  const ranked = rankRepositories(prevalence);
  const [compared, few] = [ranked.filter(isCompared), ranked.filter((each) => !isCompared(each))];
  const [some, none] = [compared.filter((each) => each.passed > 0), compared.filter((each) => each.passed === 0)];
  const [possible, impossible] = [
    sources.filter(({ supported }) => supported),
    sources.filter((each) => !each.supported),
  ];
  const fold = (folded: readonly Prevalence[], subject: (count: number) => string) =>
    folded.length === 0
      ? null
      : html`<details><summary>${subject(folded.length)}</summary>${shareTable(subject(folded.length), folded, to)}</details>`;
  const inState = (state: string) =>
    examples.filter(({ signals }) => signals.some((each) => each.id === id && each.state === state)).slice(0, 3);
  return {
    title: `${id} ${name}`,
    description:
      judged === 0 ? question : t`${question} ${percent(passed, judged)} of the datasets that could be judged pass.`,
    apiPath: `/rubrics/${rubric.version}`,
    picture: {
      title: question,
      number: judged === 0 ? null : percent(passed, judged),
      words:
        judged === 0
          ? t("no dataset could be judged")
          : plural(judged, "of {0} dataset that could be judged pass", "of {0} datasets that could be judged pass"),
      chart: judged === 0 ? null : { part: passed / judged },
      foot: id,
    },
    body: html`<p class="crumbs"><a href="${to("/signals")}">How it is scored</a> › <a href="${to(`/signals#${signal.bucket}`)}">${t(BUCKET_NAMES[signal.bucket])}</a></p>
<h1><span class="muted">${id}</span> ${name}</h1>
${versionNote(rubric.version, "/signals", t("The signals"))}
<p class="lead">${question}</p>
${figures(prevalence, to)}
<p data-server><a href="${addQuery("/datasets", { signals: `${id}:absent`, rubric: rubric.version === PUBLIC_VERSIONS[0] ? "" : rubric.version })}">${t("Datasets that do not pass")}</a></p>
<div class="halves"><section><h2>Why</h2><p>${t(signal.rationale)}</p></section>
<section><h2>How to pass it</h2><p>${t(signal.advice)}</p></section>
${renderExamples(signal.id, rubric.version)}</div>
<h2>How common it is</h2>
${
  some.length === 0
    ? null
    : html`${shareTable(t("Share of the datasets that pass, of those that could be judged, with 95 % intervals"), some.slice(0, MAX_SHOWN), to)}
${fold(some.slice(MAX_SHOWN), (count) => plural(count, "{0} more repository", "{0} more repositories"))}`
}
${fold(none, (count) => plural(count, "No dataset passes in {0} other repository", "No dataset passes in {0} other repositories"))}
${fold(few, (count) => plural(count, "{0} repository with fewer than {1} datasets that could be judged", "{0} repositories with fewer than {1} datasets that could be judged", MIN_JUDGED))}
${notJudged(prevalence.filter(({ judged, repository }) => judged === 0 && repository !== "").length)}
<h2>Possible in ${possible.length} of ${plural(sources.length, "{0} source", "{0} sources")}</h2>
${possible.length === 0 ? null : sourceTable(t("How to pass it"), possible)}
${impossible.length === 0 ? null : html`<details><summary>${plural(impossible.length, "Not possible in {0} source", "Not possible in {0} sources")}</summary>${sourceTable(t("Why not"), impossible)}</details>`}
<div class="halves"><section><h2>Datasets that pass</h2>${listed(inState("passed"), (record) => to(`/datasets/${record}#${id}`))}</section>
<section><h2>Datasets that do not pass</h2>${listed(inState("absent"), (record) => to(`/datasets/${record}#${id}`))}</section></div>
<details><summary>The exact rule</summary><p>A dataset passes if <code>${rule}</code> is true. The rule uses these facts:</p>
<dl class="facts">${EVIDENCE.filter((column) => needs.some((each) => each === column.name)).map((column) => html`<dt><code>${column.name}</code></dt><dd>${t(column.fact)}</dd>`)}</dl>
<p class="small muted">Supports the FAIR principle ${fair}. Contract ${rubric.contract}.</p></details>`,
  };
}

/** With fewer judged datasets, a repository is not compared, because one dataset would change its share too much. */
const MIN_JUDGED = 30;

function isCompared({ judged, repository }: Prevalence): boolean {
  return judged >= MIN_JUDGED && repository !== "";
}

/** Number of repositories that are shown at once; the others are folded. */
const MAX_SHOWN = 10;

/** Sorts repositories by the share of datasets that pass, the highest first. */
function rankRepositories(prevalence: readonly Prevalence[]): readonly Prevalence[] {
  return prevalence
    .filter(({ judged }) => judged > 0)
    .toSorted((one, other) => computeShare(other) - computeShare(one) || other.judged - one.judged);
}

/** Returns the figures of a signal: the share of all datasets that pass it, and the repository with the highest share. */
function figures(prevalence: readonly Prevalence[], to: (path: string) => string): Html | null {
  const [passed, judged] = [sumCounts(prevalence, "passed"), sumCounts(prevalence, "judged")];
  if (judged === 0) return null;
  const compared = rankRepositories(prevalence).filter(isCompared);
  const highest = compared.length < 2 ? undefined : compared[0];
  return html`<ul class="figures"><li><b>${percent(passed, judged)}</b> ${plural(judged, "of {0} dataset that could be judged pass", "of {0} datasets that could be judged pass")}<div>${prevalenceBar({ passed, judged })}</div></li>${
    highest === undefined
      ? null
      : html`<li><b>${percent(highest.passed, highest.judged)}</b> in ${repositoryLink(highest, to)}, the highest share of repositories with at least ${MIN_JUDGED} such datasets<div>${prevalenceBar(highest)}</div></li>`
  }</ul>`;
}

function repositoryLink({ repository }: Prevalence, to: (path: string) => string): Html | string {
  if (repository === "") return t("Without a repository");
  return html`<a href="${to(`/repositories/${encodeURIComponent(repository)}`)}"><bdi>${repository}</bdi></a>`;
}

function shareTable(caption: string, some: readonly Prevalence[], to: (path: string) => string): Html {
  return table(
    caption,
    [{ name: t("Repository") }, { name: t("Share and interval"), isBar: true }, { name: t("Datasets that pass") }],
    some.map((each) => [repositoryLink(each, to), prevalenceBar(each), prevalenceText(each)]),
  );
}

/** Returns how each source shows the signal, or why it cannot. */
function sourceTable(heading: string, some: SignalPage["sources"]): Html {
  return table(
    t("The signal in each source"),
    [{ name: t("Source") }, { name: heading }],
    some.map(({ name, words }) => [name, renderWords(words)]),
  );
}

/** Returns the examples of a signal; null for signals that ask other questions in 1.0, because the examples are for 2.0. */
function renderExamples(id: string, version: RubricDescriptor["version"]): Html | null {
  const found = version === "1.0" && id.startsWith("R") ? undefined : SIGNAL_EXAMPLES[id];
  if (found === undefined) return null;
  return html`<section><h2 id="examples">Examples</h2>
<ul><li><span class="state passed">✓ passes</span> ${t(found.passes.words)}</li><li><span class="state absent">✗ does not pass</span> ${t(found.fails.words)}</li></ul></section>
<section><h2 id="misses">When a result can be wrong</h2><p>${t(found.misses)}</p></section>`;
}

/** Returns a sentence about repositories in which no dataset could be judged. */
function notJudged(count: number): Html | null {
  if (count === 0) return null;
  return html`<p class="muted">${plural(count, "The signal could not be judged for any dataset in {0} other repository.", "The signal could not be judged for any dataset in {0} other repositories.")}</p>`;
}

function listed(examples: SignalPage["examples"], at: (record: string) => string): Html {
  if (examples.length === 0) return html`<p class="muted">None in the sample of this page.</p>`;
  return html`<ul>${examples.map((record) => html`<li><a href="${at(record.id)}" dir="auto">${datasetName(record)}</a> <span class="muted">${record.repository}</span></li>`)}</ul>`;
}
