/** /compare: two to four datasets side by side, with the signals that differ first. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { BUCKETS, type SignalState } from "../../schemas/public/signal.ts";
import type { COMPARED } from "../../schemas/public/site/queries.ts";
import type { View } from "../components/document.ts";
import { integer, timeElement } from "../components/figures.ts";
import { type FieldErrors, field, filledIn } from "../components/forms.ts";
import { urlOf } from "../components/navigation.ts";
import { tierMark } from "../components/score.ts";
import { table } from "../components/table.ts";
import { BUCKET_NAMES, STATE_WORDS } from "../components/words.ts";
import { type Html, html, type Part } from "../html.ts";

interface Comparison {
  /** Text of each box. */
  readonly typed: Readonly<Record<(typeof COMPARED)[number], string>>;
  readonly errors: FieldErrors;
  /** In the order of their boxes. */
  readonly records: readonly RecordDetail[];
}

/** The path of the comparison that begins with this dataset. */
export function comparePath({ identifier }: Pick<RecordDetail, "identifier">): string {
  return urlOf("/compare", { first: identifier });
}

export function compareView({ typed, errors, records }: Comparison): View {
  return {
    title: "Compare datasets",
    description: "Scores and signals of two to four datasets side by side.",
    unlisted: Object.values(typed).some((text) => text !== ""),
    canonical: "/compare",
    body: html`<h1>Compare datasets</h1>
<p class="lead">Enter two to four DOIs, accession numbers or URLs.</p>
<form action="/compare"><div class="fields"><div>${field({ label: "First dataset", ...filledIn("first", typed, errors) })}</div><div>${field({ label: "Second dataset", ...filledIn("second", typed, errors) })}</div><div>${field({ label: "Third dataset", ...filledIn("third", typed, errors) })}</div><div>${field({ label: "Fourth dataset", ...filledIn("fourth", typed, errors) })}</div></div><p><button>Compare</button></p></form>
${records.length === 1 ? html`<p class="note" role="status">Enter a second dataset to compare <bdi>${titleOf(records[0])}</bdi> with.</p>` : null}
${records.length < 2 ? null : comparison(records)}`,
  };
}

function titleOf(record: RecordDetail | undefined): string {
  return record?.title ?? record?.doi ?? record?.identifier ?? "";
}

function comparison(records: readonly RecordDetail[]): Html {
  // Short names, because phones repeat them in each row.
  const columns = ["Fact", ...records.map(({ repository, identifier }, i) => `${i + 1}: ${repository ?? identifier}`)];
  const row = (name: string, cell: (record: RecordDetail) => Part): Part[] => [name, ...records.map(cell)];
  const facts = [
    row("Dataset", (record) => html`<a href="/datasets/${record.id}" dir="auto">${titleOf(record)}</a>`),
    row("Repository", ({ repository }) => html`<bdi>${repository ?? "–"}</bdi>`),
    row("Published", ({ pubDate }) => (pubDate === null ? "–" : timeElement(pubDate))),
    row("Licence", ({ license }) => license ?? "–"),
    row("Score", ({ score, cap }) =>
      score === null
        ? "No score"
        : html`<strong>${score.total}</strong> of ${cap} possible points ${tierMark(score.total, cap)}`,
    ),
    ...BUCKETS.map((bucket) =>
      row(`${BUCKET_NAMES[bucket]}, of 20`, ({ score }) => integer(score?.bucketScores[bucket] ?? null)),
    ),
  ];
  const signals = (records[0]?.signals ?? []).map(({ id, name }) => ({
    name: html`<a href="/signals/${id}">${id} ${name}</a>`,
    states: records.map(({ signals: all }) => all.find((signal) => signal.id === id)?.state ?? null),
  }));
  const differ = signals.filter(({ states }) => new Set(states).size > 1);
  const agree = signals.filter(({ states }) => new Set(states).size === 1);
  const signalTable = (caption: string, some: typeof signals) =>
    table(
      caption,
      ["Signal", ...columns.slice(1)],
      some.map(({ name, states }) => [name, ...states.map(stateMark)]),
    );
  return html`<h2>Scores</h2>
${table("Scores side by side", columns, facts)}
<h2>Signals that differ: ${differ.length} of ${signals.length}</h2>
${signalTable("Signals that differ", differ)}
<details><summary>${agree.length} signals that are equal</summary>${signalTable("Signals that are equal", agree)}</details>`;
}

function stateMark(state: SignalState | null): Html {
  if (state === null) return html`–`;
  const { look, sign, word } = STATE_WORDS[state];
  return html`<span class="state ${look}">${sign} ${word}</span>`;
}
