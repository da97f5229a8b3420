/** Builds the evaluation of one payload: its score with explanations, or the reason why it has none. */

import { NAMING, recordDetail } from "../../api-static/pages/record.ts";
import { WITHHELD_NAME, withholding } from "../../api-static/pages/rows.ts";
import type { DraftResult, EvaluationBasis, Improvement } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { type EvidenceName, evidenceErrors } from "../../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { ContractId, PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { jsonDigest } from "../files/json-digest.ts";
import { safeText } from "../reading/text.ts";
import { getContract, POLICY } from "../rubrics/contracts.ts";
import { UNNAMED } from "./draft.ts";
import { NoDraft } from "./evaluation-error.ts";
import type { OneScored } from "./scorer.ts";

/** The score of a draft in the form of the API. */
export type DraftScore = DraftResult["draft"];

export interface ScoredEvaluation extends Pick<DraftScore, "contract" | "asOf" | "basis" | "improvements"> {
  /**
   * The result of reading the payload. A deleted record, or an item that is not a dataset, has a `reason` instead of a
   * record.
   */
  readonly outcome: OneScored["outcome"];
  readonly reason: string | null;
  /** Identifier in the form `<source>/<source-id>`. */
  readonly identifier: string;
  /** The public version of the contract. A contract that was replaced keeps the version that it belonged to. */
  readonly rubric: PublicVersion;
  readonly record: RecordDetail | null;
}

/**
 * The public version shown for 2.0.0-beta.1, a contract that never had one. Its R bucket is about reuse, as in version
 * 2.0.
 */
const SHOWN_UNDER: PublicVersion = "2.0";

/**
 * Explains the score of a payload under one contract.
 * @throws NoDraft for a draft that could not be read, because the advice would then be wrong
 */
export function explain(scored: OneScored, id: ContractId): ScoredEvaluation {
  const { outcome, reason, pledge, asOf, isDraft, bundle } = scored;
  if (isDraft && outcome === "failed")
    throw new NoDraft(
      `cannot be read: ${reason ?? "none of the fields is known; check that the file contains the metadata of a dataset"}`,
    );
  const contract = getContract(id);
  const version = contract.publicVersion ?? SHOWN_UNDER;
  const pledges = new Map([[pledge.source, pledge]]);
  const isRecord = outcome === "record" || outcome === "failed";
  const score = scored.scores.get(id) ?? null;
  const detail = isRecord ? recordDetail(bundle, score, { version, contract, pledges }) : null;
  // A draft without an id has no page yet.
  const hasPage = !isDraft || bundle.record.source_id !== UNNAMED;
  const record = detail === null ? null : addSpecifics(hasPage ? detail : { ...detail, url: null });
  return {
    outcome,
    reason,
    identifier: `${bundle.record.source}/${bundle.record.source_id}`,
    contract: id,
    rubric: version,
    asOf,
    record,
    basis: buildEvaluationBasis({ contract, policy: POLICY, ...scored }),
    improvements: record === null || outcome === "failed" ? [] : listImprovements(record),
  };
}

/**
 * Replaces the names of hidden creators. Adds the names of the other people without an ORCID iD to the advice.
 * @param researcherIds one id for each creator, in the same order; null for an organisation
 */
export function showPeople(
  evaluation: ScoredEvaluation,
  researcherIds: readonly (string | null)[],
  isHidden: (researcherId: string, place: number) => boolean = () => false,
): ScoredEvaluation {
  if (evaluation.record === null) return evaluation;
  const authors = withholding(evaluation.record.authors, researcherIds, isHidden);
  const record = { ...evaluation.record, authors };
  if (evaluation.outcome === "failed") return { ...evaluation, record };
  const people = researcherIds.map((id) => id !== null);
  const named = withPeopleNames(record, people);
  return { ...evaluation, record: named, improvements: listImprovements(named) };
}

interface BasisInputs extends Pick<EvaluationBasis, "asOf" | "policy" | "reader"> {
  readonly contract: ReleasedRubric;
  readonly pledge: ReleasedPledge;
  /** Evidence columns whose values could not be read, as the bit mask `evidence_errors`. */
  readonly evidenceErrors: bigint;
}

export function buildEvaluationBasis({
  asOf,
  contract,
  pledge,
  policy,
  reader,
  evidenceErrors: errors,
}: BasisInputs): EvaluationBasis {
  return {
    asOf,
    contract: { id: contract.contract, digest: digestRules(contract) },
    pledge: { source: pledge.source, digest: digestRules(pledge), neverCarries: [...pledge.neverCarries] },
    policy,
    reader,
    unreadable: evidenceErrors(errors),
  };
}

const DIGESTS = new WeakMap<object, string>();

/** Returns the digest of a contract or pledge. It is cached, because a digest takes longer than the rest of an evaluation. */
function digestRules(rules: ReleasedRubric | ReleasedPledge): string {
  const digest = DIGESTS.get(rules) ?? jsonDigest(rules);
  DIGESTS.set(rules, digest);
  return digest;
}

type SignalResult = RecordDetail["signals"][number];

/**
 * Groups the signals that have not passed, so that one change of the metadata fixes all signals of a group. Leaves out
 * signals that the source cannot carry.
 */
export function listImprovements(detail: Pick<RecordDetail, "signals">): Improvement[] {
  const groups: SignalResult[][] = [];
  for (const signal of detail.signals) {
    if (signal.state === "passed" || signal.state === "unsupported") continue;
    const group = groups.find(([first]) => first !== undefined && isSameEdit(first, signal));
    if (group === undefined) groups.push([signal]);
    else group.push(signal);
  }
  return groups
    .map(improvement)
    .toSorted((one, other) => rank(one) - rank(other) || (other.points ?? 0) - (one.points ?? 0));
}

/**
 * True if one change of the metadata can fix both signals. This means that both or neither are absent, that the same
 * person can make the change with the same effort, and that the signals share at least one field.
 */
function isSameEdit(one: SignalResult, other: SignalResult): boolean {
  const fields = splitPaths(one);
  return (
    (one.state === "absent") === (other.state === "absent") &&
    one.adviceFor === other.adviceFor &&
    one.effort === other.effort &&
    splitPaths(other).some((path) => fields.includes(path))
  );
}

function splitPaths({ field }: Pick<SignalResult, "field">): string[] {
  return (field ?? "").split(", ");
}

function improvement(signals: readonly SignalResult[]): Improvement {
  const [first] = signals;
  return {
    points: first?.state === "absent" ? POINTS_PER_SIGNAL * signals.length : null,
    adviceFor: first?.adviceFor ?? null,
    effort: first?.effort ?? null,
    field: [...new Set(signals.flatMap(splitPaths))].join(", "),
    signals: signals.map(({ id, name, state }) => ({ id, name, state })),
    advice: [...new Set(signals.flatMap(({ advice }) => advice ?? []))],
  };
}

function rank({ points, adviceFor }: Improvement): number {
  if (points === null) return 2;
  return adviceFor === "depositor" ? 0 : 1;
}

/** Largest number of names in the advice for one signal. Further names are only counted. */
const NAMED = 5;
/** Longest name that advice shows, in characters. */
const SHOWN = 60;

const NAMING_PEOPLE = ` ${NAMING.withoutOne}: `;

/**
 * Names the files without a descriptive name, and the cited works without an identifier, in the advice of their
 * signals.
 */
function addSpecifics(record: RecordDetail): RecordDetail {
  const missing = (column: EvidenceName) => record.values?.[column]?.missing ?? [];
  const files = appendNames(
    record,
    "descriptive_filename_count",
    NAMING.notYet,
    missing("descriptive_filename_count"),
    ", ",
  );
  return appendNames(files, "reference_pid_count", NAMING.withoutOne, missing("reference_pid_count"), "; ");
}

/**
 * Names the people without an ORCID iD in the advice. `people` contains true for each creator who is a person. Returns
 * the record unchanged if it is not clear who has an identifier, because an ISNI counts as an identifier but is not
 * shown.
 */
function withPeopleNames(record: RecordDetail, people: readonly boolean[]): RecordDetail {
  const { person_creator_count: persons, creator_pid_count: identified } = findEvidence(record, "person_creator_count");
  const without = record.authors.filter(({ orcid }, i) => people[i] === true && orcid === null);
  const withheld = record.authors.filter(({ name }, i) => people[i] === true && name === WITHHELD_NAME);
  const known = people.filter((person) => person).length === persons;
  if (!known || withheld.length > 0 || without.length !== Number(persons) - Number(identified)) return record;
  const names = without.map(({ name }) => name);
  return appendNames(record, "creator_pid_count", NAMING.withoutOne, names, "; ");
}

/** Removes the names of people from the advice. */
export function removePeopleNames(record: RecordDetail): RecordDetail {
  const signals = record.signals.map((signal) => {
    const [advice = null] = "creator_pid_count" in signal.evidence ? (signal.advice?.split(NAMING_PEOPLE) ?? []) : [];
    return advice === null ? signal : { ...signal, advice };
  });
  return { ...record, signals };
}

function findEvidence({ signals }: RecordDetail, column: EvidenceName) {
  return signals.find(({ evidence }) => column in evidence)?.evidence ?? {};
}

/** Adds names to the advice of the first absent signal that uses this evidence column. */
function appendNames(
  record: RecordDetail,
  column: EvidenceName,
  words: string,
  found: readonly string[],
  mark: string,
): RecordDetail {
  // These texts come from the payload. Unlike texts of rows, they can contain markup.
  const names = [...new Set(found.map((name) => safeText(name)).filter((name) => name !== ""))];
  const first = record.signals.find(
    ({ state, evidence, advice }) => state === "absent" && column in evidence && advice !== null,
  );
  if (names.length === 0 || first === undefined) return record;
  const advice = `${first.advice} ${words}: ${joinNames(names, mark)}.`;
  return { ...record, signals: record.signals.map((signal) => (signal === first ? { ...signal, advice } : signal)) };
}

function joinNames(names: readonly string[], mark: string): string {
  const safeNames = names.slice(0, NAMED).map((name) => {
    const points = Array.from(name);
    return points.length > SHOWN ? `${points.slice(0, SHOWN - 1).join("")}…` : name;
  });
  const more = names.length - safeNames.length;
  return more > 0 ? `${safeNames.join(mark)} and ${more} more` : safeNames.join(mark);
}
