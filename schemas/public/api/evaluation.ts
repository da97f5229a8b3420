/** Requests and responses of evaluations and evaluation jobs (decisions.md, "Evaluation"). */

import { z } from "zod";
import { evidenceName } from "../evidence.ts";
import { adviceFor, effort } from "../form.ts";
import { named } from "../named.ts";
import { problem } from "../problem.ts";
import { digest, policy, reader, scoreRelease } from "../release.ts";
import { CONTRACTS, contractId, PUBLIC_VERSIONS, releasedContractId } from "../rubric.ts";
import { instant, isoDate } from "../scalars.ts";
import { signalId, signalState } from "../signal.ts";
import { IDENTIFIER_PATTERN, MAX_IDENTIFIER_LENGTH, text } from "../text.ts";
import { recordDetail } from "./record.ts";

/** The versions that a request can select: public versions, and contracts (docs/spec/interface.md, "Versioning"). */
export const RUBRIC_VERSIONS = [...PUBLIC_VERSIONS, ...CONTRACTS] as const;

export const rubricVersion = z
  .enum(RUBRIC_VERSIONS, `must be one of ${RUBRIC_VERSIONS.join(", ")}`)
  .describe("A public SHARE version, or the exact identifier of a contract.");
export type RubricVersion = z.infer<typeof rubricVersion>;

const identifier = text(MAX_IDENTIFIER_LENGTH)
  .refine((given) => given.trim() !== "", "must not be empty")
  .meta({ minLength: 1, maxLength: MAX_IDENTIFIER_LENGTH, pattern: IDENTIFIER_PATTERN })
  .describe(
    "A DOI in any form, `<source>/<source-id>`, an accession such as NCT…, a compact identifier such as geo:GSE12, or the URL of a landing page. Other text is rejected with 400.",
  );

export const fresh = z
  .boolean("must be true or false")
  .optional()
  .describe(
    "`true` asks the repository now and never answers from a release, so you see the effect of an edit at once. The published score changes with the next release.",
  );

/** Body of POST /evaluations and POST /evaluation-jobs. Unknown fields are ignored. */
export const evaluationRequest = named(
  "EvaluationRequest",
  z
    .object(
      { identifier, rubricVersion: rubricVersion.describe("The version to judge by."), fresh },
      "must be a JSON object",
    )
    .describe("The dataset to evaluate, and the version of the score."),
);
export type EvaluationRequest = z.infer<typeof evaluationRequest>;

/** Body of a dataset submission: an identifier, and optionally the version of the score. */
export const unversionedRequest = named(
  "DatasetRequest",
  z
    .object(
      {
        identifier,
        rubricVersion: rubricVersion.optional().describe("The version of the score, by default SHARE 2.0."),
      },
      "must be a JSON object",
    )
    .describe("The dataset that is meant."),
);

/** A request for an evaluation, with or without `fresh`. */
export type UnversionedRequest = z.infer<typeof unversionedRequest> & Pick<EvaluationRequest, "fresh">;

export const evaluationBasis = z
  .object({
    asOf: isoDate.describe("The day with which embargo dates are compared."),
    contract: z
      .object({ id: releasedContractId, digest })
      .describe("The contract of the score. `GET /rubrics/{id}` has its rules under the same digest."),
    pledge: z
      .object({
        source: z.string(),
        digest: digest.describe("Digest of the pledge as `data/pledges.json` of a release has it."),
        neverCarries: z
          .array(evidenceName)
          .describe("The evidence columns that this source can never carry. In an `or`, they count as 0."),
      })
      .describe("The pledge of the source; the signals it supports are those of `supportedMask`."),
    policy,
    reader: reader
      .nullable()
      .describe("The reader that converted the payload to evidence; null if the release does not state it."),
    unreadable: z.array(evidenceName).describe("The evidence columns that the payload has but that could not be read."),
  })
  .describe(
    "All inputs of the score besides the payload. With the evidence of the signals, you can recompute every state, mask and point.",
  );
export type EvaluationBasis = z.infer<typeof evaluationBasis>;

export const evaluation = named(
  "Evaluation",
  z
    .object({
      id: z
        .string()
        .regex(/^e[0-9a-f]{24}$/)
        .describe("Opaque. The same payload under the same contract on the same day has the same id."),
      identifier: z.string().describe("`<source>/<source-id>` of the record."),
      rubric: rubricVersion.describe("The requested version."),
      contract: contractId.describe("The contract of the score."),
      record: recordDetail,
      basis: evaluationBasis
        .nullable()
        .default(null)
        .describe("Null for old saved evaluations, and for releases without their rules."),
      evaluatedAt: instant,
      release: scoreRelease
        .nullable()
        .describe("The release that has the record; null if it was fetched and scored now."),
    })
    .describe("The current score of one record."),
);
export type Evaluation = z.infer<typeof evaluation>;

export const evaluationResult = named(
  "EvaluationResult",
  z.object({ evaluation }).describe("The record, fetched and scored now."),
);
export type EvaluationResult = z.infer<typeof evaluationResult>;

export const JOB_STATES = ["queued", "running", "succeeded", "failed"] as const;
export const jobStatus = z
  .enum(JOB_STATES)
  .describe("`queued`, `running`, and finally `succeeded` or `failed`. A job that is tried again returns to `queued`.");
export type JobStatus = z.infer<typeof jobStatus>;

export const jobId = z
  .string()
  .regex(/^j[0-9a-f]{32}$/)
  .describe("Opaque and unguessable. Anyone who has it can read the job.");

export const evaluationJob = named(
  "EvaluationJob",
  z
    .object({
      id: jobId,
      status: jobStatus,
      identifier: z.string().describe("The dataset in canonical form: `doi:10.…` or `<source>/<source-id>`."),
      fresh: z.boolean().default(false).describe("True if the repository is asked even if a release has the dataset."),
      rubricVersion: rubricVersion.describe("The requested version."),
      createdAt: instant,
      startedAt: instant.nullable().describe("The time of the first attempt."),
      finishedAt: instant.nullable().describe("The time of its end. The job is deleted 30 days later."),
      attempts: z.int().min(0).describe("Number of attempts."),
      failures: z
        .array(z.object({ at: instant, detail: z.string().describe("The cause.") }))
        .default([])
        .describe("The last five attempts after which the server tries again, oldest first, each with its cause."),
      retryAt: instant
        .nullable()
        .default(null)
        .describe("The time of the next attempt after a failed one; otherwise null."),
      result: evaluationResult.nullable().describe("Null unless it succeeded."),
      error: problem.nullable().describe("The problem of a failed job; otherwise null."),
    })
    .describe("An evaluation in the background."),
);
export type EvaluationJob = z.infer<typeof evaluationJob>;
export type JobFailure = EvaluationJob["failures"][number];

export const improvement = named(
  "Improvement",
  z
    .object({
      points: z.int().min(4).nullable().describe("Null if it is unknown whether they are missing."),
      adviceFor: adviceFor.nullable(),
      effort: effort.nullable(),
      field: z.string().describe("The paths in the source's metadata, separated by commas."),
      signals: z.array(z.object({ id: signalId, name: z.string(), state: signalState })),
      advice: z.array(z.string()),
    })
    .describe(
      "One edit of the metadata, and the points for it: four for each signal. Signals with a common field are one edit.",
    ),
);
export type Improvement = z.infer<typeof improvement>;

/** Query parameters of POST /evaluations/draft. */
export const draftQuery = z.object({
  source: text(80)
    .optional()
    .meta({
      description: "The source in whose format the draft is. By default, the format decides.",
      examples: ["zenodo"],
    }),
  rubricVersion: rubricVersion.default("2.0").meta({
    description: "A public SHARE version, or the exact identifier of a contract.",
    examples: ["2.0"],
  }),
});

export const draftResult = named(
  "DraftResult",
  z
    .object({
      draft: z
        .object({
          source: z.string(),
          rubric: rubricVersion.describe("The version, as it was asked for."),
          contract: contractId.describe("The contract of the score."),
          asOf: isoDate.describe("The day embargoes are judged by."),
          record: recordDetail,
          basis: evaluationBasis,
          improvements: z.array(improvement).describe("The ways to add points, the depositor's own part first."),
        })
        .describe("The score of the draft."),
    })
    .describe("The score of draft metadata. The server does not store the draft."),
);
export type DraftResult = z.infer<typeof draftResult>;
