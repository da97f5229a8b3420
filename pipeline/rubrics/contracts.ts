/** Reads the contracts, and compiles them to SQL. */

import { EVIDENCE_NAMES, evidenceBit } from "../../schemas/public/evidence.ts";
import { parsePredicate } from "../../schemas/public/predicate.ts";
import type { Policy } from "../../schemas/public/release.ts";
import {
  CONTRACTS,
  type ContractId,
  PUBLIC_VERSIONS,
  type PublicVersion,
  type ReleasedRubric,
  type Rubric,
  rubric,
  type Signal,
  STANDING,
} from "../../schemas/public/rubric.ts";
import { BUCKETS, POINTS_PER_SIGNAL, SIGNALS_PER_BUCKET, STATES } from "../../schemas/public/signal.ts";
import first from "./1.0.0.json" with { type: "json" };
import firstBeta from "./2.0.0-beta.1.json" with { type: "json" };
import secondBeta from "./2.0.0-beta.2.json" with { type: "json" };
import { COUNTS, hasOr, predicateSql } from "./predicates.ts";

/** The contract files by contract id. They never change. */
const FILES: Readonly<Record<ContractId, object>> = {
  "1.0.0": first,
  "2.0.0-beta.1": firstBeta,
  "2.0.0-beta.2": secondBeta,
};

let contracts: ReadonlyMap<string, Rubric> | undefined;

export function readContracts(): ReadonlyMap<string, Rubric> {
  contracts ??= new Map(CONTRACTS.map((id) => [id, rubric.parse({ contract: id, ...STANDING[id], ...FILES[id] })]));
  return contracts;
}

/** Returns the public versions with their contracts, in the order of {@link PUBLIC_VERSIONS}. */
export function publicContracts(): { version: PublicVersion; contract: Rubric }[] {
  const all = [...readContracts().values()];
  return PUBLIC_VERSIONS.map((version) => {
    const contract = all.find((entry) => entry.publicVersion === version);
    if (contract === undefined)
      throw new Error(`none of the contracts of this program has the public version ${version}; report this`);
    return { version, contract };
  });
}

/**
 * Returns the contract of a public version in this program. A release may have an earlier contract for the same version.
 */
export function publicContract(version: PublicVersion): Rubric {
  const found = publicContracts().find((each) => each.version === version);
  if (found === undefined)
    throw new Error(
      `no contract has the public version ${version}; the public versions are ${PUBLIC_VERSIONS.join(", ")}`,
    );
  return found.contract;
}

/** Returns the contract with this id, or the contract of this public version. */
export function getContract(version: ContractId | PublicVersion): Rubric {
  const all = [...readContracts().values()];
  const found = all.find(({ contract, publicVersion }) => contract === version || publicVersion === version);
  if (found !== undefined) return found;
  throw new Error(`there is no contract ${version}; the versions are ${[...PUBLIC_VERSIONS, ...CONTRACTS].join(", ")}`);
}

export function getContractId(version: ContractId | PublicVersion): ContractId {
  return getContract(version).contract;
}

/** Returns the contracts with the given ids, in that order. */
export function contractsNamed(ids: readonly ContractId[]): Rubric[] {
  const all = readContracts();
  return ids.flatMap((id) => all.get(id) ?? []);
}

/**
 * Smallest number of evaluable signals for a total. With fewer, a total would say more about the payload than about how
 * well the dataset was shared.
 */
export const POLICY: Policy = { leastEvaluable: 5 };

/** The rule of older releases, in which every record had a total. */
export const NO_POLICY: Policy = { leastEvaluable: 0 };

/** The fields of a contract that determine scores. */
export interface SignalRules {
  readonly contract: string;
  readonly signals: readonly Pick<Signal, "bit" | "rule" | "needs" | "notEvaluableWhen">[];
}

export interface ScoredContract<Contract extends SignalRules = ReleasedRubric> {
  readonly rubric: string;
  readonly contract: Contract;
}

/**
 * The contract whose R bucket is published as observed use. Each score row contains this bucket in addition to its
 * total. It is null if too few signals of this contract are evaluable.
 */
export const OBSERVED_USE: ContractId = "1.0.0";

const CODE = Object.fromEntries(STATES.map((state, code) => [state, code])) as Record<(typeof STATES)[number], number>;

/**
 * Returns the scoring statement. It reads `evidence` (one row for each record) and `pledge` (one row for each source:
 * supported_<contract> masks, never_carries mask), and returns rows of the table `score`. It only uses SQL that every
 * engine supports: flat columns, literals, comparisons, case, coalesce, and `&` on integers. A record with fewer than
 * `leastEvaluable` evaluable signals has masks but no points. This limit belongs to the release, not to the contract.
 */
export function scoringSql(scored: readonly ScoredContract<SignalRules>[], leastEvaluable: number): string {
  return [
    "with",
    `known as (\n${knownSql(scored)}\n),`,
    `state as (\n${stateSql(scored)}\n),`,
    `mask as (\n${maskSql(scored, leastEvaluable)}\n)`,
    scored.map(({ rubric, contract }) => finalSql(rubric, contract.contract, scored)).join("\nunion all\n"),
  ].join("\n");
}

export function columnName(contract: string): string {
  return contract.replaceAll(/[^0-9a-z]/g, "_");
}

/** Returns SQL that selects the evidence of each record with the masks of its source. */
function knownSql(scored: readonly ScoredContract<SignalRules>[]): string {
  const columns = EVIDENCE_NAMES.map((name) => `  evidence.${name}`);
  const supported = scored.map(({ contract }) => `  pledge.supported_${columnName(contract.contract)}`);
  return [
    "select",
    ["  evidence.id", ...columns, "  evidence.evidence_errors", "  pledge.never_carries", ...supported].join(",\n"),
    "from evidence join pledge on pledge.source = evidence.source",
  ].join("\n");
}

/**
 * Returns the SQL of a rule. In a rule with `or`, a count that the source can never carry is 0, so that the other count
 * decides. Columns about hidden files stay unknown.
 */
function ruleSql(rule: string): string {
  const tree = parsePredicate(rule);
  if (!hasOr(tree)) return predicateSql(tree);
  return predicateSql(tree, (name) =>
    COUNTS.has(name) ? `coalesce(${name}, case when never_carries & ${evidenceBit(name)} <> 0 then 0 end)` : name,
  );
}

/** Returns SQL that derives the states of signals with three-valued logic, in the order of method.md, "Five masks". */
function stateSql(scored: readonly ScoredContract<SignalRules>[]): string {
  const columns = scored.flatMap(({ contract }) =>
    contract.signals.map(
      (signal) => `  ${stateCase(signal, contract.contract)} as ${stateColumn(contract.contract, signal.bit)}`,
    ),
  );
  return `select\n${["  id", ...columns].join(",\n")}\nfrom known`;
}

function stateCase(signal: SignalRules["signals"][number], contract: string): string {
  const needs = signal.needs.reduce((mask, name) => mask | evidenceBit(name), 0n);
  const rule = ruleSql(signal.rule);
  const { notEvaluableWhen: hidden } = signal;
  return [
    "case",
    `when supported_${columnName(contract)} & ${1 << signal.bit} = 0 then ${CODE.unsupported}`,
    `when ${rule} then ${CODE.passed}`,
    `when evidence_errors & ${needs} <> 0 then ${CODE.failed}`,
    ...(hidden === null ? [] : [`when ${predicateSql(parsePredicate(hidden))} then ${CODE.not_evaluable}`]),
    `when ${rule} is null then ${CODE.source_missing}`,
    `else ${CODE.absent} end`,
  ].join(" ");
}

function stateColumn(contract: string, bit: number): string {
  return `c${columnName(contract)}_${bit}`;
}

const MASKS = {
  supported: `> ${CODE.unsupported}`,
  evaluable: `>= ${CODE.absent}`,
  passed: `= ${CODE.passed}`,
  source_missing: `= ${CODE.source_missing}`,
  failed: `= ${CODE.failed}`,
} as const;

function maskSql(scored: readonly ScoredContract<SignalRules>[], leastEvaluable: number): string {
  const columns = scored.flatMap(({ contract: { contract, signals } }) => {
    const sum = (test: string, worth: (bit: number) => number) =>
      signals
        .map(({ bit }) => `case when ${stateColumn(contract, bit)} ${test} then ${worth(bit)} else 0 end`)
        .join(" + ");
    return [
      ...Object.entries(MASKS).map(
        ([mask, test]) => `  ${sum(test, (bit) => 1 << bit)} as ${mask}_${columnName(contract)}`,
      ),
      `  ${sum(MASKS.evaluable, () => 1)} >= ${leastEvaluable} as ${enoughColumn(contract)}`,
    ];
  });
  return `select\n${["  id", ...columns].join(",\n")}\nfrom state`;
}

/** Returns the name of the boolean column that is true if enough signals are evaluable for points. */
function enoughColumn(contract: string): string {
  return `enough_${columnName(contract)}`;
}

/**
 * Returns SQL for the points. The total is 4 × popcount(passedMask), and a bucket is 4 × popcount of its five bits.
 * Total and buckets are null if too few signals are evaluable.
 */
function finalSql(rubric: string, contract: string, scored: readonly ScoredContract<SignalRules>[]): string {
  const buckets = BUCKETS.map((id, index) => `  ${pointsSql(contract, listBucketBits(index))} as ${id.toLowerCase()}`);
  const total = `  ${pointsSql(
    contract,
    BUCKETS.flatMap((_, index) => listBucketBits(index)),
  )} as total`;
  const reuse = scored.some((entry) => entry.contract.contract === OBSERVED_USE);
  const observed = `  ${reuse ? pointsSql(OBSERVED_USE, listBucketBits(BUCKETS.indexOf("R"))) : "null"} as observed_use`;
  const masks = Object.keys(MASKS).map((mask) => `  ${mask}_${columnName(contract)} as ${mask}_mask`);
  const status = `  case when ${enoughColumn(contract)} then 'scored' else 'insufficient_evidence' end as status`;
  const columns = ["  id", `  '${rubric}' as rubric`, status, total, ...buckets, observed, ...masks];
  return `select\n${columns.join(",\n")}\nfrom mask`;
}

function listBucketBits(bucket: number): number[] {
  return Array.from({ length: SIGNALS_PER_BUCKET }, (_, i) => bucket * SIGNALS_PER_BUCKET + i);
}

function pointsSql(contract: string, bits: readonly number[]): string {
  const passed = `passed_${columnName(contract)}`;
  const points = bits.map((bit) => `case when ${passed} & ${1 << bit} <> 0 then ${POINTS_PER_SIGNAL} else 0 end`);
  return `case when ${enoughColumn(contract)} then ${points.join(" + ")} end`;
}
