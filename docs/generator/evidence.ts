/** The evidence columns, and which signals read each. */

import { publicContracts } from "../../pipeline/rubrics/contracts.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { Signal } from "../../schemas/public/rubric.ts";
import { code, table } from "./markdown.ts";

/** One row a column, in the order of the bits of `evidence_errors`. */
export async function evidence(): Promise<string> {
  const contracts = await publicContracts();
  const rows = EVIDENCE.map(({ name, type, fact }, bit) => [
    String(bit),
    code(name),
    type,
    fact,
    ...contracts.map(({ contract }) => readersOf(name, contract.signals)),
  ]);
  return table(["bit", "column", "type", "fact", ...contracts.map(({ version }) => `read by, ${version}`)], rows);
}

/** Signals whose rule or not-evaluable condition names the column. */
function readersOf(column: string, signals: readonly Signal[]): string {
  const word = new RegExp(`\\b${column}\\b`);
  const readers = signals.filter(({ rule, notEvaluableWhen }) => word.test(`${rule} ${notEvaluableWhen ?? ""}`));
  return readers.length === 0 ? "–" : readers.map(({ id }) => id).join(" ");
}
