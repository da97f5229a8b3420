/** One dataset as a person coded it: of each signal whether it is present, absent, or cannot be told. */

import { type PublicVersion, publicVersion } from "../../../schemas/public/rubric.ts";
import { SIGNAL_IDS, signalId } from "../../../schemas/public/signal.ts";
import { DATASET_FIELDS, type JudgedDataset, judgedDataset } from "./judged-dataset.ts";
import type { JudgementLine } from "./judgement-lines.ts";
import type { Faults } from "./judgements-unreadable.ts";

/** The words of a coded cell; an empty one has not been coded. */
export const CODES = ["present", "absent", "unknown"] as const;
export type Code = (typeof CODES)[number];

export interface CodedLine extends JudgedDataset {
  readonly line: number;
  readonly rubric: PublicVersion;
  /** Bit i is the i-th signal. */
  readonly present: number;
  readonly absent: number;
}

/** A column that is meant for a signal. */
const LIKE_SIGNAL = /^[a-z]\d{1,2}$/i;

/** Says what is wrong with the columns of a file. */
export function checkCodedHeader(names: readonly string[], faults: Faults): void {
  if (!DATASET_FIELDS.some((name) => names.includes(name))) faults.add(1, "identifier", "there is no such column");
  if (!names.includes("rubric")) faults.add(1, "rubric", "there is no such column");
  if (!SIGNAL_IDS.some((id) => names.includes(id))) faults.add(1, "S1", "no column has the name of a signal, S1 to E5");
  for (const name of names) {
    if (LIKE_SIGNAL.test(name) && !SIGNAL_IDS.includes(name)) faults.add(1, name, "is no signal; they are S1 to E5");
  }
}

/** Null where the line is at fault. */
export function codedLine(line: JudgementLine, faults: Faults): CodedLine | null {
  const dataset = judgedDataset(line, faults);
  const rubric = publicVersion.safeParse(line.fields.get("rubric")).data;
  if (rubric === undefined) faults.add(line.line, "rubric", `is one of ${publicVersion.options.join(", ")}`);
  let [present, absent] = [0, 0];
  for (const [bit, id] of SIGNAL_IDS.entries()) {
    const code = codeOf(line, id, faults);
    if (code === "present") present |= 1 << bit;
    if (code === "absent") absent |= 1 << bit;
  }
  for (const name of line.fields.keys()) {
    if (LIKE_SIGNAL.test(name) && !signalId.safeParse(name).success) faults.add(line.line, name, "is no signal");
  }
  return dataset === null || rubric === undefined ? null : { line: line.line, ...dataset, rubric, present, absent };
}

function codeOf({ line, fields }: JudgementLine, id: string, faults: Faults): Code | null {
  const text = fields.get(id) ?? "";
  if (text === "") return null;
  const code = CODES.find((each) => each === text);
  return code ?? faults.add(line, id, `"${String(text).slice(0, 40)}" is none of ${CODES.join(", ")}`);
}
