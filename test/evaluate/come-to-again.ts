/**
 * Computes the masks and the total of an evaluation again from its response and its contract, as docs/method.md, "Reproduce an
 * evaluation", describes. It uses neither the scoring code nor the masks, states and points in the response.
 */

import type { Database } from "../../pipeline/engine/open.ts";
import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { RubricDescriptor } from "../../schemas/public/api/rubric.ts";

export interface Answered {
  readonly basis: EvaluationBasis;
  readonly record: {
    readonly scoreStatus: string;
    readonly signals: readonly Pick<RecordDetail["signals"][number], "id" | "bit" | "field" | "evidence">[];
  };
}

export interface Masks {
  readonly supportedMask: number;
  readonly evaluableMask: number;
  readonly passedMask: number;
  readonly sourceMissingMask: number;
  readonly failedMask: number;
}

/**
 * SQL types of evidence columns that are not counts, by a pattern for their names (docs/reference/tables.md). They are needed
 * for nulls.
 */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/_(?:declared|open|active|permissive|stated)$/, "boolean"],
  [/_(?:text|spdx)$/, "varchar"],
];

export async function comeToAgain(
  db: Database,
  { basis, record }: Answered,
  rules: Pick<RubricDescriptor, "signals">,
): Promise<{ masks: Masks; total: number | null }> {
  const masks = { supportedMask: 0, evaluableMask: 0, passedMask: 0, sourceMissingMask: 0, failedMask: 0 };
  const readable = record.scoreStatus !== "failed";
  const put = await putToEvidence(db, record.signals, rules, basis.pledge.neverCarries);
  for (const { id, bit, field } of record.signals) {
    if (field === null) continue;
    const own = 1 << bit;
    masks.supportedMask |= own;
    const needs = rules.signals.find((each) => each.id === id)?.needs ?? [];
    const [passes, notEvaluable] = readable ? [put[id], put[`${id}_not`]] : [null, null];
    if (passes === true) {
      masks.evaluableMask |= own;
      masks.passedMask |= own;
    } else if (!readable || needs.some((name) => basis.unreadable.includes(name))) masks.failedMask |= own;
    else if (notEvaluable === true) continue;
    else if (passes === null) masks.sourceMissingMask |= own;
    else masks.evaluableMask |= own;
  }
  const judged = bits(masks.evaluableMask) >= basis.policy.leastEvaluable && readable;
  return { masks, total: judged ? 4 * bits(masks.passedMask) : null };
}

/**
 * Evaluates the rule of each signal on the evidence. Returns the result by id (`S1`), and that of the condition for "not
 * evaluable" as `S1_not`: true, false or null for unknown.
 */
async function putToEvidence(
  db: Database,
  signals: Answered["record"]["signals"],
  { signals: rules }: Pick<RubricDescriptor, "signals">,
  neverCarries: readonly string[],
): Promise<Record<string, unknown>> {
  const evidence = new Map(signals.flatMap((each) => Object.entries(each.evidence)));
  const columns = [...evidence].map(([name, value]) => `cast(${literal(value)} as ${getKind(name)}) as ${name}`);
  const none = neverCarries.filter((name) => getKind(name) === "integer");
  const read = (rule: string) =>
    / or /.test(rule)
      ? none.reduce((text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `coalesce(${name}, 0)`), rule)
      : rule;
  const asked = rules.flatMap(({ id, rule, notEvaluableWhen }) => [
    `(${read(rule)}) as ${id}`,
    `(${notEvaluableWhen ?? "false"}) as ${id}_not`,
  ]);
  const [row] = await db.rows(`select ${asked.join(", ")} from (select ${columns.join(", ")})`);
  return { ...row };
}

function getKind(name: string): string {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? "integer";
}

function literal(value: string | number | boolean | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function bits(mask: number): number {
  return mask.toString(2).replaceAll("0", "").length;
}
