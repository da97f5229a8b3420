/** Compares a published score with the score of the metadata as they are now, signal by signal. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { countText, signedNumber } from "./figures.ts";
import { FACTS, valueText } from "./signals.ts";
import { STATE_WORDS } from "./state-words.ts";
import { table } from "./table.ts";

type ScoredDataset = Pick<RecordDetail, "id" | "title" | "license" | "cap" | "score" | "signals" | "source">;

/** Returns the comparison of two scores of a dataset. `release` is the version of the release that published `before`. */
export function beforeAndAfter(before: ScoredDataset, after: ScoredDataset, release: string): Html {
  const changes = after.signals.flatMap((now) => {
    const then = before.signals.find(({ id }) => id === now.id);
    const evidence = then === undefined ? [] : changedEvidence(then, now);
    return then === undefined || (then.state === now.state && evidence.length === 0) ? [] : [{ then, now, evidence }];
  });
  return html`<div class="panel"><h2 id="changes">Before and after</h2>
<p class="lead">${scoresText(before, after)}</p>
${
  changes.length === 0
    ? html`<p>${unchangedText(before, after)}</p>`
    : table(
        countText(changes.length, "signal changed", "signals changed"),
        [t("Signal"), t("Published"), t("Now"), { name: t("Changes in the metadata"), isLong: true }],
        changes.map(({ then, now, evidence }) => [
          html`<a href="#${now.id}">${now.id} ${t(now.name)}</a>`,
          stateText(then),
          stateText(now),
          evidence.length === 0
            ? t("nothing: it is judged by other rules or another day")
            : html`${evidence.join("; ")}`,
        ]),
      )
}
<p class="small">“Published” is release ${release}: <a href="/datasets/${after.id}">page of this dataset</a>. The result of this check is not published. The published score follows with the next release, as soon as we have harvested the metadata again.</p></div>`;
}

function scoresText({ score: then, cap: capThen }: ScoredDataset, { score: now, cap }: ScoredDataset): Html {
  const [published, current] = [then?.total ?? null, now?.total ?? null];
  const of = (total: number | null, possible: number) =>
    total === null ? t("no score") : t`${total} of ${possible ?? ""}`;
  const by = published === null || current === null ? null : current - published;
  const words =
    by === null ? null : by === 0 ? ` ${t("The score is the same.")}` : ` ${t`That is ${signedNumber(by)} points.`}`;
  return html`Published: ${of(published, capThen)}. Now: <strong>${of(current, cap)}</strong>.${words}`;
}

/** Explains why no signal changed. */
function unchangedText(before: ScoredDataset, after: ScoredDataset): string {
  return t(
    before.source.payloadDigest === after.source.payloadDigest
      ? "The repository still sends the metadata of the published score. If you have just edited the record, it may need some time to publish the change: some registries take a day."
      : "The repository sends other metadata than before, but none of the 25 signals depends on what changed.",
  );
}

type Signal = ScoredDataset["signals"][number];

function stateText({ state, points }: Signal): string {
  const { sign, word } = STATE_WORDS[state];
  return t`${sign} ${t(word)}, ${points} points`;
}

function changedEvidence(then: Signal, now: Signal): string[] {
  return Object.entries(now.evidence).flatMap(([column, value]) => {
    const was = then.evidence[column] ?? null;
    return was === value ? [] : [`${t(FACTS.get(column) ?? column)}: ${valueText(was)} → ${valueText(value)}`];
  });
}
