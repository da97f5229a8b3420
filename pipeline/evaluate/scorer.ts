/**
 * Scores one payload under every contract, with the same readers and rules as a build. Does not use the network or the
 * time.
 */

import { hash } from "#hash";
import type { RecordBundle, RecordData } from "../../api-static/pages/rows.ts";
import type { RubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { ReaderVersion } from "../../schemas/public/release.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { type CaptureRow, CaptureRows, captureLists } from "../2-normalise/rows.ts";
import { idOfOrcid } from "../parse-identifier.ts";
import { type ScoredPayload, scorePayload } from "../score-payload.ts";
import type { Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { readDraft } from "./draft.ts";
import { type DraftScore, explain, type ScoredEvaluation, showPeople } from "./evaluation.ts";
import { NoDraft } from "./evaluation-error.ts";
import type { ObtainedPayload } from "./obtain.ts";

/**
 * One payload, the record that a release would contain for it, the scores by contract, and the data that explain the
 * scores.
 */
export interface OneScored extends Pick<ScoredPayload, "pledge" | "scores"> {
  readonly bundle: RecordBundle;
  /** The researcher id of each author, as far as a single record determines it. Null for an organisation. */
  readonly researcherIds: readonly (string | null)[];
  /** A bit mask with one bit for each evidence column that could not be read. */
  readonly evidenceErrors: bigint;
  readonly outcome: ScoredPayload["normalised"]["outcome"];
  readonly reason: string | null;
  readonly reader: ReaderVersion;
  readonly asOf: string;
  readonly isDraft: boolean;
}

const KEY = { part: 0, row: 0 };

/**
 * Scores a payload under every contract, and returns the record that stages 2 and 4 would make from it. A release can
 * differ, because other records exist there: they can replace this record or be merged with it, and a creator without
 * an ORCID iD may turn out to be a researcher who has one. `reader` is published with the score; the caller computes
 * it, because it contains digests of files that this module cannot read.
 */
export function scoreOne(
  { isDraft = false, ...payload }: ObtainedPayload,
  asOf: string,
  reader: ReaderVersion,
): OneScored {
  const source = sourceNamed(payload.source);
  if (source === null)
    throw new Error(`there is no source called ${payload.source} in this version of the program; report this`);
  const { normalised, values, evidence, pledge, scores } = scorePayload(payload, { asOf, isDraft });
  const lists = captureLists();
  const rows = new CaptureRows(lists, source, KEY.part, { asOf, vocabularies: loadVocabularies() });
  rows.put(KEY, { ...payload, piece: null }, { normalised, values });
  const [capture] = lists.capture.rows;
  if (capture === undefined)
    throw new Error(`${source.name}/${payload.sourceId} was read, but resulted in no row; report this`);
  const creators = lists.capture_creator.rows;
  const firstAffiliations = lists.capture_affiliation.rows.filter(({ place }) => place === 0);
  const folded = new Map(firstAffiliations.map((each) => [each.position, each.folded]));
  const family = capture.version_family ?? "";
  return {
    bundle: {
      record: buildRecord(capture, asOf),
      evidence,
      // Without a link to a researcher, because an evaluation is not part of a release.
      authors: creators.map(({ name, affiliation, orcid }) => ({
        ...{ name, affiliation, orcid },
        ...{ researcher_id: null, slug: null },
      })),
      facets: lists.capture_facet.rows.map(({ kind, value }) => ({ kind, value })),
      aliases: [],
      values: lists.capture_value.rows,
    },
    researcherIds: creators.map((creator) =>
      isResearcher(creator) ? researcherId(creator, folded.get(creator.position) ?? "", family) : null,
    ),
    evidenceErrors: capture.evidence_errors ?? 0n,
    outcome: normalised.outcome,
    reason: normalised.outcome === "record" ? null : normalised.reason,
    ...{ reader, pledge, scores, asOf, isDraft },
  };
}

export interface DraftInputs {
  readonly contract: ContractId;
  readonly asOf: string;
  getReader(source: string): Promise<ReaderVersion>;
}

/**
 * Scores the metadata in a file as if they were published unchanged. Runs in this process, so it is only for trusted
 * users.
 * @throws NoDraft under the conditions of {@link readDraft}, or if the draft cannot be read
 */
export async function scoreDraft(
  source: Source | null,
  file: Uint8Array,
  { contract, asOf, getReader }: DraftInputs,
): Promise<ScoredEvaluation> {
  const payload = await readDraft(file, source);
  const scored = scoreOne(payload, asOf, await getReader(payload.source));
  return showPeople(explain(scored, contract), scored.researcherIds);
}

/**
 * Returns the score of a draft in the form of the API.
 * @throws NoDraft if the metadata are not those of a dataset
 */
export function buildDraftScore(evaluation: ScoredEvaluation, rubric: RubricVersion): DraftScore {
  const { record, outcome, reason, contract, asOf, basis, improvements } = evaluation;
  if (record === null) {
    const is = outcome === "not_dataset" ? "is not a dataset" : "is not a draft";
    throw new NoDraft(`${is}: ${reason ?? `the outcome is ${outcome}, without a reason`}`);
  }
  return { source: basis.pledge.source, rubric, contract, asOf, record, basis, improvements };
}

function buildRecord(capture: CaptureRow<"capture">, asOf: string): RecordData {
  return {
    ...capture,
    pub_date: publicationDate(capture.pub_date, asOf),
    version_family: capture.version_family ?? "",
    status: capture.outcome === "failed" ? "failed" : "ok",
    views: capture.view_count,
    downloads: capture.download_count,
    citations: capture.citation_count,
    derivatives: capture.derivative_count,
    mentions: capture.mention_count,
  };
}

// The functions below equal those of the same names in pipeline/engine/duckdb-macros.sql (test/identifiers/macros.test.ts).

/**
 * Returns the publication date; null if it lies after the end of the year that follows the as-of date, because it is
 * then a mistake.
 */
export function publicationDate(date: string | null, asOf: string): string | null {
  const [year] = /^\d{4}/.exec(date ?? "") ?? [];
  return year !== undefined && Number(year) <= Number(asOf.slice(0, 4)) + 1 ? date : null;
}

type Person = Pick<CaptureRow<"capture_creator">, "person" | "full_name" | "folded_name" | "orcid">;

export function isResearcher({ person, folded_name, orcid }: Omit<Person, "full_name">): boolean {
  return person && (folded_name !== "" || orcid !== null);
}

export function researcherId(
  { orcid, full_name, folded_name }: Omit<Person, "person">,
  foldedAffiliation: string,
  versionFamily: string,
): string {
  if (orcid !== null) return idOfOrcid(orcid);
  const identity =
    full_name && foldedAffiliation !== ""
      ? `name_affiliation:${folded_name}|${foldedAffiliation}`
      : `name:${folded_name}|${versionFamily}`;
  return `a${hash("sha256", identity).slice(0, 24)}`;
}
