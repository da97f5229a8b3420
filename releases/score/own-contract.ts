/**
 * Reads a contract that a user wrote from a JSON file. Reports faults with their line (docs/method.md, "Your own
 * contract").
 */

import { z } from "zod";
import { jsonFaultIn, placeAt } from "../../pipeline/1-harvest/json-fault.ts";
import { rangesAt, rangesOfMembers } from "../../pipeline/1-harvest/json-text.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import type { SignalRules } from "../../pipeline/rubrics/contracts.ts";
import { hasAlternatives } from "../../pipeline/rubrics/predicates.ts";
import { EVIDENCE_NAMES, type EvidenceName } from "../../schemas/public/evidence.ts";
import { ownContract } from "../../schemas/public/own-contract.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import { listPredicateColumns, parsePredicate } from "../../schemas/public/predicate.ts";
import type { ReleasedRubric } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";

type OwnSignal = SignalRules["signals"][number] & { readonly id: string; readonly name: string };

export interface OwnContract extends SignalRules {
  readonly title: string;
  /** The signals in the order of SIGNAL_IDS. */
  readonly signals: readonly OwnSignal[];
}

/** Error for a file that is not a valid contract. The message contains file, line and column. */
export class ContractRejected extends Error {
  readonly code = "ERR_CONTRACT_REJECTED";
  constructor(file: string, { line, column }: { readonly line: number; readonly column: number }, problem: string) {
    super(`${file}, line ${line}, column ${column}: ${problem}`);
    this.name = "ContractRejected";
  }
}

/**
 * Parses and checks a contract that a user wrote.
 * @throws ContractRejected
 */
export function parseOwnContract(bytes: Buffer, file: string): OwnContract {
  const fault = jsonFaultIn(bytes);
  if (fault !== null) throw new ContractRejected(file, fault, `not valid JSON: ${fault.problem}`);
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  const rejection: RejectContract = (path, problem, index = null) =>
    new ContractRejected(file, findPlace(bytes, path, index), `${signalAt(value, path)}${problem}`);
  const parsed = ownContract.safeParse(value);
  if (!parsed.success) throw toRejection(parsed.error, value, rejection);
  const { title, signals: stated } = parsed.data;
  const signals = stated.map((signal, i) => {
    const at = ["signals", i];
    const bit = SIGNAL_IDS.indexOf(signal.id);
    if (stated.findIndex(({ id }) => id === signal.id) !== i) {
      throw rejection([...at, "id"], `an earlier signal has the same id; give each signal its own id`);
    }
    if ((signal.bit ?? bit) !== bit)
      throw rejection([...at, "bit"], `the bit of ${signal.id} must be ${bit}; correct or remove "bit"`);
    const columns = listPredicateColumns(parsePredicate(signal.rule));
    const needs = signal.needs ?? columns;
    if (columns.length === 0)
      throw rejection([...at, "rule"], `the rule has no evidence column, such as file_count; ${LISTED}`);
    if (needs.toSorted().join() !== columns.toSorted().join()) {
      throw rejection([...at, "needs"], `the columns of the rule are ${columns.join(", ")}; remove or correct "needs"`);
    }
    const { id, name, rule, notEvaluableWhen } = signal;
    return { id, name, bit, rule, needs, notEvaluableWhen };
  });
  return {
    contract: "own",
    title,
    signals: signals.toSorted((one, other) => one.bit - other.bit),
  };
}

const LISTED = "docs/reference/evidence.md lists the columns";

/** Makes the error for a fault at a path. `index` is the position of the faulty character in the text at this path. */
type RejectContract = (path: readonly PropertyKey[], problem: string, index?: number | null) => ContractRejected;

/** Converts the first fault that the schema found to an error. */
function toRejection({ issues: [issue] }: z.ZodError, value: unknown, rejection: RejectContract): ContractRejected {
  if (issue === undefined) return rejection([], "not a contract; expected an object with a title and 1 to 25 signals");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    return rejection([...issue.path, key], `unexpected field ${JSON.stringify(key)}; remove or correct it`);
  }
  const stated = valueAt(value, issue.path);
  const field = issue.path.at(-1);
  if (stated === undefined)
    return rejection(issue.path.slice(0, -1), `the field "${String(field)}" is missing; add it`);
  const { at, unknown } = placeIn(issue, stated);
  const problem = issue.path.length > 1 ? issue.message : `${String(field ?? "the file")}: ${issue.message}`;
  if (unknown === null) return rejection(issue.path, problem, at);
  const meant = nearest(unknown, EVIDENCE_NAMES);
  return rejection(issue.path, `unexpected column "${unknown}"; did you mean "${meant}"? ${LISTED}`, at);
}

const place = z.object({ at: z.int(), unknown: z.string().nullable() });

/** Returns the position of a fault in a predicate. If the fault is a word that is not a column, also returns this word. */
function placeIn(issue: z.core.$ZodIssue, stated: unknown): { at: number | null; unknown: string | null } {
  if (issue.path.includes("needs") && typeof stated === "string") return { at: 0, unknown: stated };
  return place.safeParse("params" in issue ? issue.params : null).data ?? { at: null, unknown: null };
}

function signalAt(value: unknown, [list, index, field]: readonly PropertyKey[]): string {
  if (list !== "signals" || index === undefined) return "";
  const id = valueAt(value, [list, index, "id"]);
  const known = typeof id === "string" && SIGNAL_IDS.includes(id) ? id : `${Number(index) + 1} of the list`;
  return `signal ${known}${field === undefined ? "" : `, ${String(field)}`}: `;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/**
 * Returns line and column of the value at a path, or of the character `index` in this value. Only works if all characters
 * before it in the value are ASCII.
 */
function findPlace(bytes: Buffer, path: readonly PropertyKey[], index: number | null) {
  let start = 0;
  let here = bytes;
  for (const key of path) {
    const found = typeof key === "number" ? [...rangesAt(here, [])][key] : rangesOfMembers(here, []).get(key);
    if (found === undefined) break;
    start += found.start;
    here = here.subarray(found.start, found.end);
  }
  return placeAt(bytes, start + (index === null ? 0 : characterAt(here, index)));
}

const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/** Returns the position in bytes of a character in a JSON string. */
function characterAt(json: Buffer, index: number): number {
  let at = 1;
  for (let i = 0; i < index; i += 1) at += json[at] !== BACKSLASH ? 1 : json[at + 1] === UNICODE ? 6 : 2;
  return at;
}

/**
 * Returns the signals that a source supports, as a bit mask, from its pledge under the contracts of the release. As in a
 * pledge, a signal is supported if the source carries every column that the rule needs. If the rule has an `or`, one column
 * is enough.
 */
export function supportedByOwn(
  { neverCarries, contracts }: ReleasedPledge,
  own: SignalRules,
  released: ReadonlyMap<string, ReleasedRubric>,
): number {
  const unsupported = Object.entries(contracts).flatMap(([id, signals]) =>
    (released.get(id)?.signals ?? []).filter((signal) => signals[signal.id]?.supported === false),
  );
  const lacking = new Set<EvidenceName>(neverCarries);
  const isSure = (signal: (typeof unsupported)[number]) => signal.needs.length === 1 || hasAlternatives(signal);
  for (const { needs } of unsupported.filter(isSure)) for (const name of needs) lacking.add(name);
  // One of several columns is lacking. If it is not known which, none of them counts as carried.
  const unclear = unsupported.filter(({ needs }) => !needs.some((name) => lacking.has(name)));
  for (const { needs } of unclear) for (const name of needs) lacking.add(name);
  return own.signals.reduce((mask, signal) => {
    const missing = signal.needs.filter((name) => lacking.has(name));
    const isSupported = hasAlternatives(signal) ? missing.length < signal.needs.length : missing.length === 0;
    return isSupported ? mask | (1 << signal.bit) : mask;
  }, 0);
}
