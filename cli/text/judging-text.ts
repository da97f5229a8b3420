/** What others say of the datasets of a release, for people. */

import type { Against, Disagreement, RankAgreement } from "../../operations/judging/against.ts";
import type { Coded, CodedSignal } from "../../operations/judging/coded.ts";
import type { Share } from "../../operations/judging/coded-figures.ts";
import { AGREEMENT_ONLY } from "../../operations/judging/words.ts";
import { paint } from "./terminal-text.ts";
import { textTable } from "./text-table.ts";
import { shown } from "./wrapped.ts";

type Of<T> = T & { readonly releaseDigest: string };

export function againstText(found: Of<Against>): string {
  const { releaseDigest, rubric, datasets, judgements, least, disagreements } = found;
  const rows = [
    ["all", found.all] as const,
    ["within sources", found.withinSources] as const,
    ...found.sources.map((own) => [own.source, own] as const),
  ];
  return [
    `release     ${releaseDigest}, totals under ${rubric}`,
    `compared    ${datasets} datasets, of ${judgements} judgements${apart(found)}`,
    "",
    ...textTable(["", "n", "tau", "95 percent"], rows.map(rankRow), paint),
    ...(rows.some(([, { n }]) => n < least) ? [`No figure is given of fewer than ${least} datasets.`] : []),
    ...(disagreements.length === 0 ? [] : ["", "The largest disagreements, by their places in the two orders:"]),
    ...(disagreements.length === 0
      ? []
      : textTable(["total", "cap", "place", "judge", "place", "dataset"], disagreements.map(disagreementRow), paint)),
    "",
    AGREEMENT_ONLY,
  ].join("\n");
}

/** What was not compared, where there is any. */
function apart(counts: {
  readonly unknown: number;
  readonly generated: number;
  readonly withoutTotal?: number;
}): string {
  const parts = [
    [counts.unknown, "of no dataset here"] as const,
    [counts.generated, "of generated records"] as const,
    [counts.withoutTotal ?? 0, "of datasets without a total"] as const,
  ].filter(([count]) => count > 0);
  return parts.length === 0 ? "" : `; left out: ${parts.map(([count, what]) => `${count} ${what}`).join(", ")}`;
}

function rankRow([name, { n, tau, low, high }]: readonly [string, RankAgreement]): string[] {
  return [name, String(n), fixed(tau), tau === null ? "" : `${fixed(low)} to ${fixed(high)}`];
}

function disagreementRow({ total, cap, place, judge, judgePlace, identifier, title }: Disagreement): string[] {
  const name = title === null ? shown(identifier) : `${shown(identifier)}  ${shown(title)}`;
  return [String(total), String(cap), percent(place), String(judge ?? ""), percent(judgePlace), name];
}

export function codedText(found: Of<Coded>): string {
  const { releaseDigest, lines, coded, signals } = found;
  return [
    `release     ${releaseDigest}`,
    `compared    ${coded} datasets, of ${lines} lines${apart(found)}`,
    ...[...Map.groupBy(signals, ({ rubric }) => rubric)].flatMap(([rubric, own]) => [
      "",
      `SHARE ${rubric}`,
      ...textTable(["signal", "precision", "n", "recall", "n", "recall of all", "n"], own.map(signalRow), paint),
    ]),
    "",
    "Precision: of what passed, the share in which a person found it. Recall: of that in which a person found it and which",
    "could be judged, the share that passed; of all, whether it could be judged or not. In brackets 95 percent.",
  ].join("\n");
}

function signalRow({ signal, precision, recall, recallOfAll }: CodedSignal): string[] {
  return [signal, ...[precision, recall, recallOfAll].flatMap(shareCells)];
}

function shareCells({ n, share, low, high }: Share): string[] {
  return [share === null ? "" : `${fixed(share)} (${fixed(low)} to ${fixed(high)})`, String(n)];
}

function fixed(value: number | null): string {
  return value === null ? "" : value.toFixed(2);
}

function percent(value: number | null): string {
  return value === null ? "" : `${Math.round(value)} %`;
}
