/** The schemas of schemas/ as JSON Schema, named, each written once and referred to by its name. */

import { z } from "zod";
import { deleted } from "../../schemas/public/account/list.ts";
import { registrationRequest, registrationResult } from "../../schemas/public/account/registration.ts";
import { sessionList, sessionRow } from "../../schemas/public/account/session.ts";
import {
  linkConsumption,
  linkRequest,
  linkRequested,
  signedIn,
  signedOut,
  signInStart,
} from "../../schemas/public/account/sign-in.ts";
import { user } from "../../schemas/public/account/user.ts";
import {
  countryRow,
  institutionRow,
  queriedCountryList,
  queriedInstitutionList,
} from "../../schemas/public/api/attribution.ts";
import { endpointBadge } from "../../schemas/public/api/badge.ts";
import { changeList, changeRow } from "../../schemas/public/api/changes.ts";
import {
  bucketMeans,
  listPagination,
  meta,
  pagination,
  scoreDistribution,
  totalDistribution,
} from "../../schemas/public/api/common.ts";
import { recordChange, releaseDiff, researcherChange, signalChange } from "../../schemas/public/api/diff.ts";
import {
  draftResult,
  evaluation,
  evaluationJob,
  evaluationRequest,
  evaluationResult,
  improvement,
  unversionedRequest,
} from "../../schemas/public/api/evaluation.ts";
import { liveMetrics, metricsHistory, metricsSnapshot } from "../../schemas/public/api/metrics.ts";
import {
  author,
  bucketScores,
  detailedScore,
  outcome,
  queriedRecordList,
  recordDetail,
  recordImpact,
  recordRow,
  score,
  signalResult,
} from "../../schemas/public/api/record.ts";
import { answeredDispute, recordDisputes } from "../../schemas/public/api/record-disputes.ts";
import { queriedResearcherList, researcherDetail, researcherRow } from "../../schemas/public/api/researcher.ts";
import { rubricDescriptor, rubricList, rubricListEntry } from "../../schemas/public/api/rubric.ts";
import {
  apiDescription,
  health,
  problemPage,
  releaseList,
  releaseSummary,
  serviceIndex,
  serviceStatus,
} from "../../schemas/public/api/service.ts";
import { evidenceName } from "../../schemas/public/evidence.ts";
import { gate } from "../../schemas/public/gates.ts";
import { keyRevocation, keyRotation, keySet, keyStatement } from "../../schemas/public/key-set.ts";
import { problem } from "../../schemas/public/problem.ts";
import {
  coverage,
  receipt,
  releaseExcerpt,
  rubricReceipt,
  scoreRelease,
  sourceReceipt,
} from "../../schemas/public/release.ts";
import { releaseKey } from "../../schemas/public/release-key.ts";
import { bucket, publicVersion, signal } from "../../schemas/public/rubric.ts";
import { signalState } from "../../schemas/public/signal.ts";
import { ACCOUNT_SCHEMAS } from "./account-schemas.ts";
import type { Schema } from "./types.ts";

/** Names are part of the interface: generated clients call their types by them. */
const NAMED = {
  RecordList: queriedRecordList,
  RecordRow: recordRow,
  RecordDetail: recordDetail,
  RecordImpact: recordImpact,
  RecordDisputes: recordDisputes,
  AnsweredDispute: answeredDispute,
  Score: score,
  DetailedScore: detailedScore,
  BucketScores: bucketScores,
  Outcome: outcome,
  Author: author,
  SignalResult: signalResult,
  SignalState: signalState,
  ResearcherList: queriedResearcherList,
  ResearcherRow: researcherRow,
  ResearcherDetail: researcherDetail,
  LiveMetrics: liveMetrics,
  MetricsHistory: metricsHistory,
  MetricsSnapshot: metricsSnapshot,
  RubricList: rubricList,
  RubricListEntry: rubricListEntry,
  Rubric: rubricDescriptor,
  Signal: signal,
  Bucket: bucket,
  EvidenceName: evidenceName,
  PublicVersion: publicVersion,
  InstitutionList: queriedInstitutionList,
  InstitutionRow: institutionRow,
  CountryList: queriedCountryList,
  CountryRow: countryRow,
  EndpointBadge: endpointBadge,
  BucketMeans: bucketMeans,
  ScoreDistribution: scoreDistribution,
  TotalDistribution: totalDistribution,
  Pagination: pagination,
  ListPagination: listPagination,
  Meta: meta,
  ScoreRelease: scoreRelease,
  ReleaseExcerpt: releaseExcerpt,
  ReleaseList: releaseList,
  ReleaseSummary: releaseSummary,
  Receipt: receipt,
  RubricReceipt: rubricReceipt,
  SourceReceipt: sourceReceipt,
  Gate: gate,
  ReleaseDiff: releaseDiff,
  RecordChange: recordChange,
  SignalChange: signalChange,
  ChangeList: changeList,
  ChangeRow: changeRow,
  ResearcherChange: researcherChange,
  Coverage: coverage,
  EvaluationRequest: evaluationRequest,
  DatasetRequest: unversionedRequest,
  EvaluationResult: evaluationResult,
  Evaluation: evaluation,
  EvaluationJob: evaluationJob,
  DraftResult: draftResult,
  Improvement: improvement,
  ReleaseKeys: keySet,
  KeyStatement: keyStatement,
  KeyRotation: keyRotation,
  KeyRevocation: keyRevocation,
  ReleaseKey: releaseKey,
  RegistrationRequest: registrationRequest,
  RegistrationResult: registrationResult,
  SignInStart: signInStart,
  SignedIn: signedIn,
  SignedOut: signedOut,
  LinkRequest: linkRequest,
  LinkRequested: linkRequested,
  LinkConsumption: linkConsumption,
  User: user,
  SessionList: sessionList,
  Session: sessionRow,
  Deleted: deleted,
  ...ACCOUNT_SCHEMAS,
  ServiceIndex: serviceIndex,
  Health: health,
  ServiceStatus: serviceStatus,
  ProblemPage: problemPage,
  ApiDescription: apiDescription,
  Problem: problem,
} as const satisfies Readonly<Record<string, z.ZodType>>;

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id });

/** What is sent is described as it may be sent, before defaults are filled in; all else as it is read or answered. */
const SENT: readonly string[] = [
  "EvaluationRequest",
  "DatasetRequest",
  "RegistrationRequest",
  "LinkRequest",
  "LinkConsumption",
  "ProfileClaimRequest",
  "VisibilityRequestBody",
  "SaveRecordRequest",
  "SaveAuthorRequest",
  "DisputeRequest",
] satisfies readonly (keyof typeof NAMED)[];

/** What zod writes and a reader does not need, or must not rely on. */
const OPTIONS = {
  io: "output",
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // Answers may grow members in any 1.x, so a client must not refuse those it does not know.
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // zod's own name for a check that the pattern spells out.
    if (jsonSchema.format === "ends_with") delete jsonSchema.format;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

/** Every named schema. */
export function namedSchemas(): Record<string, Schema> {
  const all = (io: "input" | "output") => z.toJSONSchema(names, { ...OPTIONS, io, uri: schemaAddress }).schemas;
  const [sent, answered] = [all("input"), all("output")];
  return Object.fromEntries(
    Object.entries(answered).map(([name, answer]) => {
      const { $schema: _dialect, $id: _id, ...schema } = (SENT.includes(name) ? sent[name] : undefined) ?? answer;
      return [name, schemaOf(schema)];
    }),
  );
}

/**
 * A reference to the named schema that a route asks for or answers with.
 * @throws Error for a schema without a name
 */
export function refTo(schema: z.ZodType, route: string): Schema {
  const name = names.get(schema)?.id;
  if (name === undefined) {
    throw new Error(
      `a body or an answer of the route ${route} has no name: add it to schemas.ts or account-schemas.ts`,
    );
  }
  return { $ref: schemaAddress(name) };
}

/** A schema written out where it stands: those of parameters. */
export function inlineSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, OPTIONS);
  return schemaOf(rest);
}

function schemaAddress(name: string): string {
  return `#/components/schemas/${name}`;
}

/** zod's type of what it writes is wider than what our schemas come to. */
function schemaOf(json: object): Schema {
  return json;
}
