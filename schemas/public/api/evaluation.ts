/** POST /evaluations and the evaluation jobs: what is sent, and what comes back (decisions.md, "Evaluation"). */

import { z } from "zod";
import { evidenceName } from "../evidence.ts";
import { adviceFor, effort } from "../form.ts";
import { named } from "../named.ts";
import { problem } from "../problem.ts";
import { digest, policy, reader, scoreRelease } from "../release.ts";
import { CONTRACTS, contractId, PUBLIC_VERSIONS, releasedContractId } from "../rubric.ts";
import { instant, isoDate } from "../scalars.ts";
import { signalId, signalState } from "../signal.ts";
import { recordDetail } from "./record.ts";

/** Public versions and exact contracts (docs/spec/interface.md, "Versioning"). */
export const RUBRIC_VERSIONS = [...PUBLIC_VERSIONS, ...CONTRACTS] as const;

/** Characters are code points, as JSON Schema counts them. */
const LONGEST_IDENTIFIER = 2048;

export const rubricVersion = z
  .enum(RUBRIC_VERSIONS, `must be one of ${RUBRIC_VERSIONS.join(", ")}`)
  .describe("A public SHARE version, or the exact identifier of a contract.");
export type RubricVersion = z.infer<typeof rubricVersion>;

const identifier = z
  .string("must be text")
  .refine((text) => text.trim() !== "", "must not be empty")
  .refine((text) => [...text].length <= LONGEST_IDENTIFIER, `must have at most ${LONGEST_IDENTIFIER} characters`)
  .meta({ minLength: 1, maxLength: LONGEST_IDENTIFIER, pattern: "\\S" })
  .describe(
    "A DOI in any of its forms, `<source>/<source-id>`, an accession such as NCT…, or the address of a landing page.",
  );

/** POST /evaluations and POST /evaluation-jobs. Unknown members are ignored. */
export const evaluationRequest = named(
  "EvaluationRequest",
  z
    .object({ identifier, rubricVersion: rubricVersion.describe("The version to judge by.") }, "must be a JSON object")
    .describe("The dataset to be evaluated, and the version to judge by."),
);
export type EvaluationRequest = z.infer<typeof evaluationRequest>;

/** The same where the version may be left out: submissions and measurements. */
export const unversionedRequest = named(
  "DatasetRequest",
  evaluationRequest
    .extend({
      rubricVersion: rubricVersion.optional().describe("The version to judge by; SHARE 2.0 where it is left out."),
    })
    .describe("The dataset that is meant."),
);
export type UnversionedRequest = z.infer<typeof unversionedRequest>;

export const evaluationBasis = z
  .object({
    asOf: isoDate.describe("The day that embargoes are judged by."),
    contract: z
      .object({ id: releasedContractId, digest })
      .describe("The contract that was judged by: `GET /rubrics/{id}` answers its rules under the same digest."),
    pledge: z
      .object({
        source: z.string(),
        digest: digest.describe("Digest of the pledge as `data/pledges.json` of a release has it."),
        neverCarries: z
          .array(evidenceName)
          .describe("The columns of evidence that this source can never carry: inside an `or` they read 0."),
      })
      .describe("The pledge of the source; the signals it supports are those of `supportedMask`."),
    policy,
    reader: reader
      .nullable()
      .describe("The reader that made evidence of the payload; null where the release it is from does not say."),
    unreadable: z
      .array(evidenceName)
      .describe("The columns of evidence that the payload carried and that could not be read."),
  })
  .describe(
    "Everything that the score rests on besides the payload. With the evidence of the signals it is enough to come to every state, mask and point again.",
  );
export type EvaluationBasis = z.infer<typeof evaluationBasis>;

export const evaluation = named(
  "Evaluation",
  z
    .object({
      id: z
        .string()
        .regex(/^e[0-9a-f]{24}$/)
        .describe("Opaque; the same payload under the same contract on the same day has the same one."),
      identifier: z.string().describe("`<source>/<source-id>` of the record."),
      rubric: rubricVersion.describe("The version that was asked for."),
      contract: contractId.describe("The contract that was judged by."),
      record: recordDetail,
      basis: evaluationBasis
        .nullable()
        .default(null)
        .describe("Null in what was kept before evaluations had one, and for releases that do not carry their rules."),
      evaluatedAt: instant,
      release: scoreRelease
        .nullable()
        .describe("The release that the record is published in; null for what was fetched and scored now."),
    })
    .describe("The score of one record, as of now."),
);
export type Evaluation = z.infer<typeof evaluation>;

export const evaluationResult = named(
  "EvaluationResult",
  z.object({ evaluation }).describe("The record as it was fetched and scored now."),
);
export type EvaluationResult = z.infer<typeof evaluationResult>;

export const JOB_STATES = ["queued", "running", "succeeded", "failed"] as const;
export const jobStatus = z
  .enum(JOB_STATES)
  .describe(
    "`queued`, `running`, then `succeeded` or `failed` for good; back to `queued` where it has to be tried again.",
  );
export type JobStatus = z.infer<typeof jobStatus>;

export const jobId = z
  .string()
  .regex(/^j[0-9a-f]{32}$/)
  .describe("Opaque, and not to be guessed: whoever has it can read the job.");

export const evaluationJob = named(
  "EvaluationJob",
  z
    .object({
      id: jobId,
      status: jobStatus,
      identifier: z.string().describe("The dataset it is of, in one spelling: `doi:10.…`, or `<source>/<source-id>`."),
      rubricVersion: rubricVersion.describe("The version that was asked for."),
      createdAt: instant,
      startedAt: instant.nullable().describe("The moment at which work on it first began."),
      finishedAt: instant
        .nullable()
        .describe("The moment at which it succeeded or failed; it is kept for 30 days from then."),
      attempts: z.int().min(0).describe("The number of times that work on it has begun."),
      result: evaluationResult.nullable().describe("Null unless it succeeded."),
      error: problem.nullable().describe("The reason that it failed; null unless it did."),
    })
    .describe("An evaluation that is done in its own time."),
);
export type EvaluationJob = z.infer<typeof evaluationJob>;

/** Bytes of a draft: metadata of one record, no data. As much as an answer of a source may have (decisions.md, "Evaluation"). */
export const LARGEST_DRAFT = 5 * 1024 * 1024;

export const improvement = named(
  "Improvement",
  z
    .object({
      points: z.int().min(4).nullable().describe("Null where it is not known whether they are missing."),
      adviceFor: adviceFor.nullable(),
      effort: effort.nullable(),
      field: z.string().describe("The place in the source's own metadata that it is read from."),
      signals: z.array(z.object({ id: signalId, name: z.string(), state: signalState })),
      advice: z.array(z.string()),
    })
    .describe("One place in the metadata, and what filling it in would bring."),
);

/** POST /evaluations/draft: what is said beside the draft itself. */
export const draftQuery = z.object({
  source: z
    .string("must name the source the draft is meant for")
    .max(80)
    .meta({ description: "The source that the draft is meant for.", examples: ["zenodo"] }),
  rubricVersion: rubricVersion.default("2.0").meta({
    description: "The version to judge by: a public SHARE version, or the exact identifier of a contract.",
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
          contract: contractId.describe("The contract that was judged by."),
          asOf: isoDate.describe("The day embargoes are judged by."),
          record: recordDetail,
          basis: evaluationBasis,
          improvements: z.array(improvement).describe("The ways to add points, the depositor's own part first."),
        })
        .describe("The score that the draft would have if it were deposited as it is."),
    })
    .describe("The score of metadata that are not deposited yet. Nothing of them is kept."),
);
export type DraftResult = z.infer<typeof draftResult>;
