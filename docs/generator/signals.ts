/** The contracts as tables: buckets, signals, what changed between two of them, and the six states. */

import { rubricDescriptor } from "../../api-static/pages/rubric.ts";
import { contractDigest } from "../../pipeline/rubrics/contracts.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { contractNamed } from "./contracts.ts";
import { blocks, code, table } from "./markdown.ts";

/** The 25 signals of the contract named. */
export async function signals(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  const rows = contract.signals.map((signal) => [
    String(signal.bit),
    `**${signal.id}** ${signal.name}`,
    code(signal.rule),
    codeOrNone(signal.notEvaluableWhen),
    signal.fair,
    signal.advice,
  ]);
  return blocks(
    identityOf(contract),
    contract.summary,
    table(["bit", "signal", "passes when", "not evaluable when", "FAIR", "advice"], rows),
  );
}

function identityOf(contract: Rubric): string {
  const version = contract.publicVersion === null ? "no public version" : `public version ${contract.publicVersion}`;
  return `Contract ${code(contract.contract)}: ${version}, ${contract.status}, digest ${code(contractDigest(contract))}.`;
}

/** The five buckets of the contract named. */
export async function buckets(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  return table(
    ["bucket", "name", "question", "judged by"],
    contract.buckets.map(({ id, name, question, description }) => [id, name, question, description]),
  );
}

/** The signals whose rules differ between two contracts, named with a space between them. */
export async function changes(identifiers: string): Promise<string> {
  const [before = "", after = ""] = identifiers.split(" ");
  const [one, other] = [await contractNamed(before), await contractNamed(after)];
  const rows = other.signals.flatMap((signal, bit) => {
    const earlier = one.signals[bit];
    return earlier === undefined || sameRule(earlier, signal)
      ? []
      : [[`**${signal.id}** ${signal.name}`, code(earlier.rule), code(signal.rule)]];
  });
  return table(["signal", before, after], rows);
}

function sameRule(one: Signal, other: Signal): boolean {
  return one.rule === other.rule && one.notEvaluableWhen === other.notEvaluableWhen;
}

/** The six states in the order of their codes, as every rubric page lists them; they are the same in all contracts. */
export async function states(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  const descriptor = rubricDescriptor(contract, contractDigest(contract));
  return table(
    ["state", "meaning"],
    descriptor.states.map(({ state, meaning }) => [code(state), meaning]),
  );
}

function codeOrNone(text: string | null): string {
  return text === null ? "" : code(text);
}
