/** Writes the changes of a repaired record as text. */

import type { RepairedRecord } from "../../pipeline/repair/record.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { type Paint, shown, wrapped } from "./text.ts";

const WIDTH = 80;

/** Returns the changes of a repair as text. `name` is the file, or the identifier of the record. */
export function repairText(name: string, { before, after, repair }: RepairedRecord, paint: Paint): string {
  if (before.record === null) {
    return wrapped(`${shown(name)} has no score: ${shown(before.reason ?? "the source states no reason")}`, WIDTH).join(
      "\n",
    );
  }
  if (repair === null) {
    return wrapped(
      `${shown(name)}: SHARE cannot write this format. It writes JSON for DataCite, Zenodo, InvenioRDM, Dataverse and schema.org.`,
      WIDTH,
    ).join("\n");
  }
  const { changes, leftOver, format } = repair;
  const count = changes.length === 1 ? "one change" : `${changes.length} changes`;
  const head = [
    paint("bold", `${shown(name)} · ${format.name}`),
    changes.length === 0
      ? "We found no fact that stands in the wrong place."
      : `${scoreText(before.record)} → ${paint("bold", scoreText(after.record))} with ${count}`,
  ];
  const fields = [...Map.groupBy(changes, ({ field }) => field)].map(([field, own]) => [
    paint("bold", field),
    ...own.flatMap(({ original, repaired, evidence, foundIn }) => [
      ...(original === undefined || original === "" ? [] : [paint("red", `  - ${line(original)}`)]),
      paint("green", `  + ${line(repaired)}`),
      paint("dim", `    from ${shown(foundIn)}, for ${formatSignals(before.record, evidence)}`),
    ]),
  ]);
  const left = leftOver.map(({ value, foundIn, reason }) =>
    wrapped(`  ${shown(value)} (from ${shown(foundIn)}): ${reason}.`, WIDTH).join("\n"),
  );
  const rest = left.length === 0 ? [] : [[paint("bold", "Left for you"), ...left]];
  return [head, ...fields, ...rest].map((lines) => lines.join("\n")).join("\n\n");
}

function line(value: unknown): string {
  return shown(JSON.stringify(value));
}

function scoreText(record: RecordDetail | null): string {
  return record?.score === null || record === null ? "no score" : `${record.score.total} of ${record.cap}`;
}

/** Returns the signals that use an evidence column, as text such as "Funders (E3)". */
function formatSignals(record: RecordDetail | null, column: EvidenceName): string {
  const signals = (record?.signals ?? []).filter(({ evidence }) => column in evidence);
  return signals.map(({ id, name }) => `${name} (${id})`).join(" and ");
}
