/** The answers of a pledge to each signal of each contract, derived from what it states of the columns. */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { type Pledge, type PledgedSignal, pledge } from "../../schemas/public/pledge.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { alternatives } from "../rubrics/alternatives.ts";
import type { StatedAdvice, StatedPledge } from "./stated-pledge.ts";

/** @throws Error where the file says nothing of a column that a signal rests on */
export function pledgeOf(
  { columns, unsupported, signals, ...head }: StatedPledge,
  contracts: readonly Rubric[],
): Pledge {
  const stated = { source: head.source, neverCarries: new Set(head.neverCarries), columns, unsupported, signals };
  const answers = contracts.map((contract) => [
    contract.contract,
    Object.fromEntries(contract.signals.map((signal) => [signal.id, answerTo(signal, contract, stated)])),
  ]);
  const forms = Object.entries(columns).flatMap(([name, { form }]) => (form === undefined ? [] : [[name, form]]));
  return pledge.parse({ ...head, contracts: Object.fromEntries(answers), forms: Object.fromEntries(forms) });
}

interface Stated extends Pick<StatedPledge, "source" | "columns" | "unsupported" | "signals"> {
  readonly neverCarries: ReadonlySet<EvidenceName>;
}

/** A signal is supported where each column it needs is carried, or one of them where its rule has an `or`. */
function answerTo(signal: Signal, { contract }: Rubric, stated: Stated): PledgedSignal {
  const { source, neverCarries, columns, unsupported, signals } = stated;
  const more = { ...signals[signal.key], ...signals[`${contract} ${signal.key}`] };
  const lacking = signal.needs.filter((name) => neverCarries.has(name) || unsupported.has(name));
  const carried = signal.needs.filter((name) => !lacking.includes(name)).flatMap((name) => columns[name] ?? []);
  const said = <T>(text: T | undefined): T => {
    if (text !== undefined && text !== "") return text;
    throw new Error(
      `the pledge of ${source} says too little of ${signal.needs.join(", ")} for ${contract} ${signal.id}`,
    );
  };
  if (alternatives(signal) ? lacking.length === signal.needs.length : lacking.length > 0) {
    return { supported: false, why: said(more.why ?? firstOf(lacking, (name) => unsupported.get(name))) };
  }
  const fields = carried.flatMap(({ field }) => field?.split(", ") ?? []);
  return {
    supported: true,
    field: said(more.field ?? [...new Set(fields)].join(", ")),
    advice: said(more.advice ?? firstOf(carried, ({ advice }) => adviceFor(advice, leastOf(signal)))),
  };
}

function firstOf<T, U>(list: readonly T[], of: (entry: T) => U | undefined): U | undefined {
  return list.map(of).find((found) => found !== undefined);
}

/** The number that a rule over one column asks for; 1 where it asks for no number. */
function leastOf({ rule }: Signal): number {
  return Number(/^\w+ >= (\d+)$/.exec(rule)?.[1] ?? 1);
}

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function adviceFor(stated: StatedAdvice | undefined, least: number): string | undefined {
  const texts = typeof stated === "string" ? { 1: stated } : (stated ?? {});
  const from = Math.max(
    ...Object.keys(texts)
      .map(Number)
      .filter((number) => number <= least),
  );
  return texts[from]?.replaceAll("{number}", WORDS[least] ?? String(least));
}
