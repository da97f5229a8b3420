/** A contract whose thresholds are half as high, or twice, to see how far scores depend on where they stand. */

import type { ReleasedRubric } from "../../schemas/public/rubric.ts";

/** A number that a column must reach. */
const THRESHOLD = />= (\d+)/g;

/** A rule with its thresholds scaled, in halves: 1 for a half, 4 for twice. What has to be there at all still has to be: none falls below 1. */
function scaledRule(rule: string, halves: number): string {
  return rule.replaceAll(THRESHOLD, (_, threshold: string) => {
    return `>= ${Math.max(1, Math.ceil((Number(threshold) * halves) / 2))}`;
  });
}

/** Whether scaling changes the rule. */
export function isScaled(rule: string, halves: number): boolean {
  return scaledRule(rule, halves) !== rule;
}

/** The contract with every rule scaled. */
export function scaledContract(contract: ReleasedRubric, halves: number): ReleasedRubric {
  const signals = contract.signals.map((signal) => ({ ...signal, rule: scaledRule(signal.rule, halves) }));
  return { ...contract, signals };
}
