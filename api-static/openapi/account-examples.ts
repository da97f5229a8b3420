/** An answer of each address under /account, about a made-up person and the records and researchers of other examples. */

import type { ProfileClaim } from "../../schemas/public/account/claim.ts";
import type { Dispute } from "../../schemas/public/account/dispute.ts";
import type { AccountExport } from "../../schemas/public/account/export.ts";
import { ACCOUNT_LIMITS, type AccountPage } from "../../schemas/public/account/me.ts";
import type { Measurement } from "../../schemas/public/account/measurement.ts";
import type { SavedAuthor, SavedRecord } from "../../schemas/public/account/saved.ts";
import type { DatasetSubmission } from "../../schemas/public/account/submission.ts";
import type { VisibilityRequest } from "../../schemas/public/account/visibility.ts";
import type { EvaluationResult } from "../../schemas/public/api/evaluation.ts";
import { type RecordRow, recordList } from "../../schemas/public/api/record.ts";
import type { RecordDisputes } from "../../schemas/public/api/record-disputes.ts";
import { type ResearcherRow, researcherList } from "../../schemas/public/api/researcher.ts";
import { paginationOf } from "../pages/list.ts";
import { claimKey, disputeKey, measurementKey, submissionKey, visibilityKey } from "../routes/account-keys.ts";
import { EXAMPLE_USER } from "./sign-in-examples.ts";

const DELETED = { deleted: true } as const;
const BEGUN = "2026-11-02T12:00:00.000Z";
const LATER = "2026-11-02T12:06:40.000Z";

/** Examples of what belongs to no release, put together from what does. */
export function accountExamples(
  taken: Readonly<Record<string, unknown>>,
  result: EvaluationResult,
): Readonly<Record<string, unknown>> {
  const researcher = firstOf(researcherList.parse(taken.authors).data);
  const record = firstOf(recordList.parse(taken.records).data);
  return answers(researcher, record, result);
}

function answers(researcher: ResearcherRow, record: RecordRow, { evaluation }: EvaluationResult) {
  const { id: authorId, slug: authorSlug } = researcher;
  const keptClaim = {
    id: claimKey.example,
    authorId,
    authorSlug,
    state: "approved",
    decisionReason: null,
    createdAt: BEGUN,
    decidedAt: BEGUN,
  } as const;
  const claim: ProfileClaim = { ...keptClaim, researcher };
  const request: VisibilityRequest = {
    id: visibilityKey.example,
    authorId,
    authorSlug,
    requestType: "opt_out",
    reason: "I have left research.",
    state: "pending",
    decisionReason: null,
    createdAt: LATER,
    decidedAt: null,
  };
  const saved = { note: "For the review.", savedAt: BEGUN, updatedAt: LATER };
  const savedRecord: SavedRecord = { recordId: record.id, ...saved, record };
  const savedAuthor: SavedAuthor = { authorId, authorSlug, ...saved, researcher };
  const submission: DatasetSubmission = {
    id: submissionKey.example,
    identifier: "https://zenodo.org/records/99000075",
    source: "zenodo",
    sourceId: "99000075",
    rubricVersion: "2.0",
    state: "queued",
    decisionReason: null,
    createdAt: LATER,
    decidedAt: null,
    harvestedAt: null,
    harvestOutcome: null,
  };
  const { id: recordId, repository, title, score } = evaluation.record;
  const measured = {
    id: measurementKey.example,
    identifier: "10.5072/complete-modern",
    rubricVersion: "2.0",
    recordId,
    repository,
    title,
    total: score?.total ?? null,
    createdAt: LATER,
  } as const;
  const measurement: Measurement = { ...measured, evaluation };
  const disputed = {
    contract: "2.0.0-beta.2",
    signal: "R1",
    publishedState: "absent",
    release: { scoreReleaseVersion: "2026.11.01", releaseDigest: `sha256:${"4d".repeat(32)}` },
    says: "present",
  } as const;
  const answer = "The reader took the file for data; it reads such names from the next release on.";
  const mendedIn = { scoreReleaseVersion: "2026.12.01", releaseDigest: `sha256:${"7a".repeat(32)}` };
  const keptDispute: Omit<Dispute, "record"> = {
    id: disputeKey.example,
    recordId: record.id,
    ...disputed,
    role: "creator",
    evidenceUrl: "https://example.org/records/1/files/LIESMICH.txt",
    evidence: "LIESMICH.txt explains every column.",
    statement: null,
    state: "open",
    answer: null,
    createdAt: LATER,
    answeredAt: null,
    mendedIn: null,
  };
  const dispute: Dispute = { ...keptDispute, record };
  const lists = {
    profileClaims: pageWith(claim),
    visibilityRequests: pageWith(request),
    savedRecords: pageWith(savedRecord),
    savedAuthors: pageWith(savedAuthor),
    datasetSubmissions: pageWith(submission),
    measurements: pageWith(measured),
    disputes: pageWith(dispute),
  };
  return {
    me: { user: EXAMPLE_USER, sessions: 1, hidden: [], ...lists, limits: ACCOUNT_LIMITS } satisfies AccountPage,
    "erase-account": DELETED,
    "export-account": {
      exportedAt: LATER,
      user: EXAMPLE_USER,
      sessions: [],
      signInLinks: [],
      profileClaims: [keptClaim],
      visibilityRequests: [request],
      savedRecords: [{ recordId: record.id, ...saved }],
      savedAuthors: [{ authorId, authorSlug, ...saved }],
      datasetSubmissions: [submission],
      measurements: [measurement],
      disputes: [keptDispute],
    } satisfies AccountExport,
    "profile-claims": lists.profileClaims,
    "new-profile-claim body": { authorSlug },
    "new-profile-claim": claim,
    "withdraw-profile-claim": DELETED,
    "visibility-requests": lists.visibilityRequests,
    "new-visibility-request body": { authorSlug, requestType: request.requestType, reason: request.reason },
    "new-visibility-request": request,
    "withdraw-visibility-request": DELETED,
    "saved-records": lists.savedRecords,
    "save-record body": { recordId: record.id, note: saved.note },
    "save-record": savedRecord,
    "unsave-record": DELETED,
    "saved-authors": lists.savedAuthors,
    "save-author body": { authorSlug, note: saved.note },
    "save-author": savedAuthor,
    "unsave-author": DELETED,
    "dataset-submissions": lists.datasetSubmissions,
    "new-dataset-submission body": { identifier: submission.identifier, rubricVersion: submission.rubricVersion },
    "new-dataset-submission": submission,
    "dataset-submission": submission,
    "withdraw-dataset-submission": DELETED,
    measurements: lists.measurements,
    "new-measurement body": { identifier: measured.identifier, rubricVersion: measured.rubricVersion },
    "new-measurement": measurement,
    measurement,
    "delete-measurement": DELETED,
    disputes: lists.disputes,
    "new-dispute body": {
      recordId: record.id,
      signal: disputed.signal,
      says: disputed.says,
      role: keptDispute.role,
      evidenceUrl: keptDispute.evidenceUrl,
      evidence: keptDispute.evidence,
    },
    "new-dispute": dispute,
    dispute,
    "withdraw-dispute": DELETED,
    "record-disputes": {
      recordId: record.id,
      ...pageWith({ ...disputed, outcome: "upheld", answer, answeredAt: "2026-11-03T09:30:00.000Z", mendedIn }),
    } satisfies RecordDisputes,
  };
}

function pageWith<Row>(row: Row) {
  return { data: [row], pagination: paginationOf({ total: 1, page: 1, limit: 10 }) };
}

function firstOf<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("an example of a list has no row");
  return row;
}
