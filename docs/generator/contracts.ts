/** Sections about contracts: signals, buckets, states, changes, evidence, and signals judged by hand. */

import { rubricDescriptor } from "../../api-static/pages/rubric.ts";
import { jsonDigest } from "../../pipeline/files/json-digest.ts";
import { publicContracts, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { rounded, wilson } from "../../pipeline/validation/statistics.ts";
import { handJudged as schema } from "../../schemas/internal/rows.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { SIGNAL_EXAMPLES } from "../../web/components/signal-examples.ts";
import counts from "../hand-judged.json" with { type: "json" };
import { blocks, code, table } from "./markdown.ts";

/**
 * Returns a contract by its identifier, or by the public version that stands for it.
 * @throws Error if no such contract exists
 */
export async function contractNamed(name: string): Promise<Rubric> {
  const contracts = [...(await readContracts()).values()];
  const found = contracts.find(({ contract, publicVersion }) => contract === name || publicVersion === name);
  if (found !== undefined) return found;
  const known = contracts.map(({ contract }) => contract).join(", ");
  throw new Error(`no contract is called "${name}"; the contracts are ${known}`);
}

/** Writes a table of the 25 signals of a contract. */
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
    describeIdentity(contract),
    contract.summary,
    table(["bit", "signal", "passes when", "not evaluable when", "FAIR", "advice"], rows),
  );
}

function describeIdentity(contract: Rubric): string {
  const version = contract.publicVersion === null ? "no public version" : `public version ${contract.publicVersion}`;
  return `Contract ${code(contract.contract)}: ${version}, ${contract.status}, digest ${code(jsonDigest(contract))}.`;
}

/** Writes, for each signal of a contract, its question, examples, and when a result can be wrong. */
export async function signalGuide(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  return blocks(
    ...contract.signals.flatMap(({ id, name, question }) => {
      const examples = SIGNAL_EXAMPLES[id];
      if (examples === undefined)
        throw new Error(`the signal ${id} has no examples; add them to web/components/signal-examples.ts`);
      const { passes, fails, misses } = examples;
      return [
        `### ${id} ${name}`,
        question,
        `- Passes: ${passes.words}\n- Does not pass: ${fails.words}\n- When a result can be wrong: ${misses}`,
      ];
    }),
  );
}

/** Writes a table of the five buckets of a contract. */
export async function buckets(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  return table(
    ["bucket", "name", "question", "judged by"],
    contract.buckets.map(({ id, name, question, description }) => [id, name, question, description]),
  );
}

/**
 * Writes a table of the signals whose rules differ between two contracts. `identifiers` names both contracts, separated
 * by a space.
 */
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

/** Writes a table of the six states of a signal in the order of their codes. They are the same in all contracts. */
export async function states(identifier: string): Promise<string> {
  const contract = await contractNamed(identifier);
  const descriptor = rubricDescriptor(contract, jsonDigest(contract));
  return table(
    ["state", "meaning"],
    descriptor.states.map(({ state, meaning }) => [code(state), meaning]),
  );
}

function codeOrNone(text: string | null): string {
  return text === null ? "" : code(text);
}

/** Writes a table of the columns of evidence, in the order of the bits of `evidence_errors`. */
export async function evidence(): Promise<string> {
  const contracts = await publicContracts();
  const rows = EVIDENCE.map(({ name, type, fact }, bit) => [
    String(bit),
    code(name),
    type,
    fact,
    ...contracts.map(({ contract }) => listReaders(name, contract.signals)),
  ]);
  return table(["bit", "column", "type", "fact", ...contracts.map(({ version }) => `read by, ${version}`)], rows);
}

/**
 * Returns the ids of the signals whose rule or not-evaluable condition uses the column; an en dash if there are none.
 */
function listReaders(column: string, signals: readonly Signal[]): string {
  const word = new RegExp(`\\b${column}\\b`);
  const readers = signals.filter(({ rule, notEvaluableWhen }) => word.test(`${rule} ${notEvaluableWhen ?? ""}`));
  return readers.length === 0 ? "–" : readers.map(({ id }) => id).join(" ");
}

/**
 * Writes a table of the precision and recall of each signal of a public version, over the datasets that a person
 * judged.
 */
export async function handJudged(version: string): Promise<string> {
  const { asOf, datasets, signals } = schema.parse(counts);
  const { signals: names } = await contractNamed(version);
  const rows = signals
    .filter(({ rubric }) => rubric === version)
    .map(({ signal, ...own }) => {
      const precision = cells(own.presentPassed, own.presentPassed + own.absentPassed);
      const recall = cells(own.presentPassed, own.presentPassed + own.presentAbsent);
      const name = names.find(({ id }) => id === signal)?.name ?? "";
      const absent = own.absentPassed + own.absentAbsent + own.absentUnjudged;
      const present = own.presentPassed + own.presentAbsent + own.presentUnjudged;
      return [`**${signal}** ${name}`, String(present), String(absent), ...precision, ...recall];
    });
  return blocks(
    `${datasets} datasets, as of ${asOf}.`,
    table(["signal", "present", "absent", "precision", "n", "recall", "n"], rows),
  );
}

/** Returns two cells of a table: the share `count / n` with its Wilson interval, and `n`. */
function cells(count: number, n: number): string[] {
  if (n === 0) return ["–", "0"];
  const { low, high } = wilson(count / n, n);
  return [`${text(count / n)} (${text(low)}–${text(high)})`, String(n)];
}

function text(value: number): string {
  return (rounded(value) ?? 0).toFixed(2);
}
