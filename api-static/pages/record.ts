/** Pages of one record: list row, detail with 25 signals, impact. */

import type { RecordDetail, RecordImpact, RecordRow } from "../../schemas/public/api/record.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import { findForm } from "../../schemas/public/form.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";
import { judgingColumns, type PublicVersion, type Rubric, type Signal } from "../../schemas/public/rubric.ts";
import {
  getSignalState,
  type Masks,
  POINTS_PER_SIGNAL,
  popcount,
  type SignalState,
} from "../../schemas/public/signal.ts";
import { computeShare } from "./numbers.ts";
import type { PageText } from "./read-page.ts";
import {
  type ListedRecord,
  type ListedScore,
  type Points,
  type RecordBundle,
  type ScoreData,
  shownMembers,
  type ValueData,
} from "./rows.ts";

/** A public version with its contract and the pledges by source. */
export interface Explanation {
  readonly version: PublicVersion;
  readonly contract: Rubric;
  readonly pledges: ReadonlyMap<string, Pledge>;
}

/** Returns the row of a record in lists. `score` is null for a record that could not be read. */
export function recordRow(record: ListedRecord, score: ListedScore | null, version: PublicVersion): RecordRow {
  const reusability = version === "2.0";
  const points = findPoints(score);
  return {
    id: record.id,
    ...shownMembers("row", record),
    scoreStatus: getScoreStatus(record, points),
    score: points === null ? null : { total: points.total, bucketScores: bucketScores(points), status: "scored" },
    shareScore: points?.total ?? null,
    stewardshipScore: points?.s ?? null,
    harmonizationScore: points?.h ?? null,
    accessScore: points?.a ?? null,
    engagementScore: points?.e ?? null,
    // R of 2.0 is reusability at deposit, and never shown as reuse (interface.md).
    reuseScore: reusability ? null : (points?.r ?? null),
    reusabilityScore: reusability ? (points?.r ?? null) : null,
    ...besideTotal(score),
  };
}

export function getScoreStatus(
  { status }: Pick<ListedRecord, "status">,
  points: Points | null,
): RecordRow["scoreStatus"] {
  if (status === "failed") return "failed";
  return points === null ? "insufficient_evidence" : "scored";
}

export function findPoints(score: ListedScore | null): Points | null {
  return score === null || score.total === null ? null : score;
}

/**
 * Returns the numbers beside a total. Readers need them to interpret the total, because unsupported and unknown signals
 * give no points, just like absent ones.
 */
export function besideTotal(
  score: ListedScore | null,
): Pick<RecordRow, "cap" | "shareOfCap" | "passedOfEvaluable" | "range"> {
  if (score === null) return { cap: null, shareOfCap: null, passedOfEvaluable: null, range: null };
  const cap = POINTS_PER_SIGNAL * popcount(score.supported_mask);
  const evaluable = POINTS_PER_SIGNAL * popcount(score.evaluable_mask);
  const { total } = score;
  if (total === null) return { cap, shareOfCap: null, passedOfEvaluable: null, range: null };
  return {
    cap,
    shareOfCap: computeShare(total, cap),
    passedOfEvaluable: computeShare(total, evaluable),
    range: { least: total, most: total + cap - evaluable },
  };
}

function bucketScores(score: Points) {
  return { S: score.s, H: score.h, A: score.a, R: score.r, E: score.e };
}

export function recordDetail(bundle: RecordBundle, score: ScoreData | null, explanation: Explanation): RecordDetail {
  const judged = judgedBy(bundle, score, explanation);
  return {
    ...judgement(bundle, score, explanation, judged),
    ...about(bundle),
    signals: explanation.contract.signals.map((signal) => signalResult(signal, judged, bundle, explanation)),
    ...origin(bundle, judged),
  };
}

/** The pledge of a record's source, and the masks of the record. */
export interface Judged {
  readonly pledge: Pledge;
  readonly masks: Masks;
}

function judgedBy(bundle: RecordBundle, score: ScoreData | null, explanation: Explanation): Judged {
  const { id, source } = bundle.record;
  const pledge = explanation.pledges.get(source);
  if (pledge === undefined) throw new Error(`record ${id}: the program has no pledge.json for the source ${source}`);
  return { pledge, masks: score === null ? failedMasks(pledge, explanation.contract) : readMasks(score) };
}

/** Returns the first part of a record's page: its row in lists, and the masks. */
function judgement({ record }: RecordBundle, score: ScoreData | null, { version }: Explanation, { masks }: Judged) {
  const row = recordRow(record, score, version);
  const cap = POINTS_PER_SIGNAL * popcount(masks.supportedMask);
  return { ...row, score: row.score === null ? null : { ...row.score, ...masks }, cap, masks };
}

/** Returns the part of a record's page between the row and the signals. This part is the same under every version. */
function about(bundle: RecordBundle) {
  const { record } = bundle;
  return {
    identifier: buildIdentifier(bundle),
    ...shownMembers("about", record),
    diseases: facets(bundle, "disease"),
    ageGroups: facets(bundle, "ageGroup"),
    dataTypes: facets(bundle, "dataType"),
    ...shownMembers("terms", record),
    ...(bundle.values === null ? {} : { values: buildValues(bundle.values) }),
    authors: bundle.authors.map((author) => ({
      id: author.researcher_id,
      name: author.name,
      affiliation: author.affiliation,
      slug: author.slug,
      orcid: author.orcid,
    })),
  };
}

function buildValues(rows: readonly ValueData[]): NonNullable<RecordDetail["values"]> {
  const values: Record<
    string,
    { counted: string[]; missing: string[]; elsewhere?: { value: string; foundIn: string }[] }
  > = {};
  for (const { evidence, value, counts, found_in: foundIn } of rows) {
    values[evidence] ??= { counted: [], missing: [] };
    const { counted, missing } = values[evidence];
    if (foundIn === null) (counts ? counted : missing).push(value);
    else values[evidence].elsewhere = [...(values[evidence].elsewhere ?? []), { value, foundIn }];
  }
  return values;
}

/** Returns the part of a record's page that follows the signals. */
function origin(bundle: RecordBundle, { pledge }: Judged) {
  const { record } = bundle;
  return {
    observedUse: { views: record.views, downloads: record.downloads, citations: record.citations },
    source: {
      name: pledge.name,
      identifier: buildIdentifier(bundle),
      retrievedAt: record.retrieved_at,
      payloadDigest: `sha256:${record.payload_digest}`,
      pledgeStatus: pledge.status,
    },
    aliases: bundle.aliases.map((alias) => ({ id: alias.alias_id, identifier: alias.alias_identifier })),
  };
}

function buildIdentifier({ record }: RecordBundle): string {
  return `${record.source}/${record.source_id}`;
}

function facets(bundle: RecordBundle, kind: string): string[] {
  return bundle.facets.filter((facet) => facet.kind === kind).map((facet) => facet.value);
}

export function readMasks(score: ScoreData): Masks {
  return {
    supportedMask: score.supported_mask,
    evaluableMask: score.evaluable_mask,
    passedMask: score.passed_mask,
    sourceMissingMask: score.source_missing_mask,
    failedMask: score.failed_mask,
  };
}

/** Returns the masks of an unreadable record: every supported signal has failed. */
function failedMasks(pledge: Pledge, contract: Rubric): Masks {
  const signals = pledge.contracts[contract.contract];
  const supportedMask = contract.signals.reduce(
    (mask, { id, bit }) => (signals[id]?.supported ? mask | (1 << bit) : mask),
    0,
  );
  return { supportedMask, evaluableMask: 0, passedMask: 0, sourceMissingMask: 0, failedMask: supportedMask };
}

export function signalResult(
  signal: Signal,
  { pledge, masks }: Judged,
  bundle: Pick<RecordBundle, "evidence">,
  { contract }: Pick<Explanation, "contract">,
): RecordDetail["signals"][number] {
  const state = getSignalState(signal.bit, masks);
  const pledged = pledge.contracts[contract.contract][signal.id];
  const evidence: Record<string, number | boolean | string | null> = {};
  for (const name of judgingColumns(signal)) evidence[name] = bundle.evidence?.[name] ?? null;
  return {
    id: signal.id,
    name: signal.name,
    bucket: signal.bucket,
    bit: signal.bit,
    state,
    points: state === "passed" ? POINTS_PER_SIGNAL : 0,
    field: pledged?.supported ? pledged.field : null,
    evidence,
    ...adviceOn(signal, state, bundle.evidence, { pledge, contract }),
  };
}

/** Returns the points of a record in each bucket and, separately, its observed use, which is not part of the total. */
export function recordImpact(bundle: RecordBundle, scored: ScoreData | null, explanation: Explanation): RecordImpact {
  const { record } = bundle;
  const score = findPoints(scored);
  const never: readonly string[] = explanation.pledges.get(record.source)?.neverCarries ?? [];
  const outcome = (value: number | null, column: string): RecordImpact["outcomes"]["views"] => {
    if (value !== null) return { value, state: "known" };
    return { value: null, state: never.includes(column) ? "unsupported" : "source_missing" };
  };
  const stewardship = score === null ? null : { S: score.s, H: score.h, A: score.a, E: score.e };
  return {
    id: record.id,
    rubric: explanation.version,
    stewardship:
      stewardship === null || explanation.version === "1.0" ? stewardship : { ...stewardship, R: score?.r ?? 0 },
    outcomes: {
      views: outcome(record.views, "view_count"),
      downloads: outcome(record.downloads, "download_count"),
      citations: outcome(record.citations, "citation_count"),
      derivatives: outcome(record.derivatives, "derivative_count"),
      mentions: outcome(record.mentions, "mention_count"),
    },
  };
}

/**
 * Returns the page of a record as text, equal to `pageText(recordDetail(…))`, but faster, because texts that many pages
 * share are made only once.
 */
export function recordText(bundle: RecordBundle, score: ScoreData | null, explanation: Explanation): PageText {
  const judged = judgedBy(bundle, score, explanation);
  const remembered = rememberedFor(explanation, judged.pledge.source);
  const signals = explanation.contract.signals.map((signal, place) =>
    remembered.writeText(signal, place, judged, bundle, explanation),
  );
  const before = `${writeMembers(judgement(bundle, score, explanation, judged))},${aboutText(bundle)}`;
  return [`{${before},"signals":[`, ...signals, `],${writeMembers(origin(bundle, judged))}}\n`];
}

/** Returns the JSON of an object without its outer braces. */
function writeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

const ABOUT = new WeakMap<RecordBundle, string>();

function aboutText(bundle: RecordBundle): string {
  const known = ABOUT.get(bundle);
  if (known !== undefined) return known;
  const text = writeMembers(about(bundle));
  ABOUT.set(bundle, text);
  return text;
}

/** A value of evidence; undefined if the record has no evidence. */
type Value = number | boolean | string | null | undefined;

/** Cached texts of a signal, by its evidence: nested maps with a level for each evidence column. */
interface TextTree extends Map<Value, TextTree | Uint8Array> {}

/**
 * Longest evidence text, in characters, for which texts are cached. Longer ones, such as a full licence, are rarely
 * repeated.
 */
const MAX_VALUE_LENGTH = 160;

/** Maximum number of cached texts for one source. Each has a few hundred bytes. */
const MAX_REMEMBERED = 5000;

class RememberedSignals {
  readonly #texts = new Map<Signal, Map<SignalState, TextTree>>();
  #count = 0;

  /** Returns the text of {@link signalText}, from the cache if it was made before. */
  writeText(
    signal: Signal,
    place: number,
    judged: Judged,
    bundle: RecordBundle,
    explanation: Explanation,
  ): string | Uint8Array {
    // The key contains every value in the text, so different texts have different keys.
    const columns = judgingColumns(signal);
    const { evidence } = bundle;
    let texts = this.#listTexts(signal, getSignalState(signal.bit, judged.masks));
    for (let i = 0; i < columns.length; i += 1) {
      const name = columns[i];
      const value: Value = name === undefined ? null : evidence?.[name];
      if (typeof value === "string" && value.length > MAX_VALUE_LENGTH) break;
      const known = texts.get(value);
      if (known instanceof Map) {
        texts = known;
        continue;
      }
      if (known !== undefined) return known;
      if (i === columns.length - 1)
        return this.#remember(texts, value, Buffer.from(signalText(signal, place, judged, bundle, explanation)));
      const next: TextTree = new Map();
      texts.set(value, next);
      texts = next;
    }
    return signalText(signal, place, judged, bundle, explanation);
  }

  #listTexts(signal: Signal, state: SignalState): TextTree {
    const byState = this.#texts.get(signal) ?? new Map<SignalState, TextTree>();
    const texts: TextTree = byState.get(state) ?? new Map();
    byState.set(state, texts);
    this.#texts.set(signal, byState);
    return texts;
  }

  #remember(texts: TextTree, value: Value, text: Uint8Array): Uint8Array {
    if (this.#count >= MAX_REMEMBERED) {
      this.#texts.clear();
      this.#count = 0;
    }
    texts.set(value, text);
    this.#count += 1;
    return text;
  }
}

/** Returns the JSON of a signal, with a leading comma unless it is the first. */
function signalText(
  signal: Signal,
  place: number,
  judged: Judged,
  bundle: RecordBundle,
  explanation: Explanation,
): string {
  return `${place === 0 ? "" : ","}${JSON.stringify(signalResult(signal, judged, bundle, explanation))}`;
}

const REMEMBERED = new WeakMap<Explanation, Map<string, RememberedSignals>>();

function rememberedFor(explanation: Explanation, source: string): RememberedSignals {
  const bySource = REMEMBERED.get(explanation) ?? new Map<string, RememberedSignals>();
  const remembered = bySource.get(source) ?? new RememberedSignals();
  bySource.set(source, remembered);
  REMEMBERED.set(explanation, bySource);
  return remembered;
}

export type SignalAdvice = Pick<RecordDetail["signals"][number], "advice" | "adviceFor" | "effort">;

const NONE: SignalAdvice = { advice: null, adviceFor: null, effort: null };

/** Returns the advice for a signal: an instruction if it is absent, and a question if it is unknown. */
export function adviceOn(
  signal: Signal,
  state: SignalState,
  evidence: Readonly<Partial<Evidence>> | null,
  { pledge, contract }: { readonly pledge: Pledge; readonly contract: Rubric },
): SignalAdvice {
  const pledged = pledge.contracts[contract.contract][signal.id];
  if (pledged?.supported !== true || state === "passed" || state === "unsupported") return NONE;
  const form = findForm(pledge.forms, signal);
  const who = form?.who ?? null;
  if (state === "absent") return { advice: pledged.advice, adviceFor: who, effort: form?.effort ?? null };
  const advice = `${reason(signal, state, evidence)}${NOT_JUDGED}${asClause(signal.question)}`;
  return { advice, adviceFor: who, effort: null };
}

function reason(
  { needs, notEvaluableWhen }: Signal,
  state: "source_missing" | "not_evaluable" | "failed",
  evidence: Readonly<Partial<Evidence>> | null,
): string {
  switch (state) {
    case "source_missing":
      return NOT_GIVEN[missing(needs, evidence)];
    case "failed":
      return evidence === null ? UNREAD.payload : UNREAD.field;
    case "not_evaluable":
      return notEvaluableWhen?.includes("person_creator_count") === true ? UNREAD.people : UNREAD.files;
    default:
      return state satisfies never;
  }
}

/** Returns the first needed column that the payload does not contain. */
function missing(needs: readonly EvidenceName[], evidence: Readonly<Partial<Evidence>> | null): EvidenceName {
  const column = needs.find((name) => (evidence?.[name] ?? null) === null) ?? needs[0];
  if (column === undefined)
    throw new Error("a signal of the contract needs no column of evidence; list at least one in needs");
  return column;
}

/** Returns a question of the contract reworded as a clause of a sentence. */
function asClause(question: string): string {
  return question.charAt(0).toLowerCase() + question.slice(1);
}

/** The words between the reason and the question in the advice for an unknown signal. */
export const NOT_JUDGED = ", so this could not be judged: ";

/**
 * Words that introduce names at the end of the advice for a signal, such as "Without one: " and the creators without an
 * ORCID iD.
 */
export const NAMING = { withoutOne: "Without one", notYet: "Not yet" } as const;

const UNREAD = {
  payload: "The payload could not be read",
  field: "The value of this field could not be read",
  people: "No person is named among the creators",
  files: "The files are hidden by access or embargo",
} as const;

const FILES = "No list of files was given";
const RELATIONS = "No list of related works was given";

/** Clauses that say that evidence is missing, by column. */
const NOT_GIVEN: Readonly<Record<EvidenceName, string>> = {
  keyword_count: "No keywords were given",
  subject_count: "No subjects were given",
  contributor_count: "No contributors were given",
  contributor_role_count: "No roles of contributors were given",
  place_count: "No places were given",
  coverage_date_count: "No dates of collection or coverage were given",
  ethics_length: "No statement on ethics or consent was given",
  description_length: "No description was given",
  methods_length: "No account of the methods was given",
  reference_count: "No references were given",
  reference_pid_count: "No references were given",
  creator_count: "No creators were given",
  person_creator_count: "No creators were given",
  creator_pid_count: "No identifiers of creators were given",
  organization_pid_count: "No identifiers of organisations were given",
  access_declared: "No access level was given",
  access_open: "No access level was given",
  embargo_active: "No end of an embargo was given",
  license_text: "No licence was given",
  license_spdx: "No SPDX id of a licence was given",
  license_permissive: "No licence was given",
  license_open: "No licence was given",
  file_count: FILES,
  open_format_file_count: FILES,
  inspectable_file_count: FILES,
  documentation_file_count: FILES,
  code_file_count: FILES,
  manifest_file_count: FILES,
  descriptive_filename_count: FILES,
  linked_code_count: RELATIONS,
  view_count: "No number of views was given",
  download_count: "No number of downloads was given",
  citation_count: "No number of citations was given",
  derivative_count: RELATIONS,
  mention_count: "No number of mentions was given",
  funder_count: "No funders were given",
  award_count: "No grants were given",
  publication_link_count: RELATIONS,
  data_link_count: RELATIONS,
  related_identifier_count: RELATIONS,
  version_stated: "No version was given",
  venue_stated: "No journal, conference or imprint was given",
};

/** Returns all texts that give a reason why a signal is unknown. */
export function reasonsNotJudged(): string[] {
  return [...new Set([...Object.values(UNREAD), ...Object.values(NOT_GIVEN)])];
}
