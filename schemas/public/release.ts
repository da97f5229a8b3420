/** The receipt of a release (`release.json`, which is written last), and the lines of its manifest. */

import { z } from "zod";
import { gate, gateLimits } from "./gates.ts";
import { harvestScope } from "./harvest-scope.ts";
import { named } from "./named.ts";
import { rejectionReason } from "./problem.ts";
import { publicVersion, releasedContractId } from "./rubric.ts";
import { instant, isoDate, sha256Hex } from "./scalars.ts";
import { signature } from "./signature.ts";

export const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .describe("`sha256:` and 64 hexadecimal digits.");

const count = z.int().min(0);

/** Counts of harvested payloads. Each payload is counted under exactly one outcome. */
export const coverage = named(
  "Coverage",
  z
    .object({
      harvested: count.describe("All payloads, the sum of the other counts."),
      superseded: count.describe("Older payloads of a record with a newer one."),
      duplicates: count.describe("Records whose DOI another source has too."),
      tombstones: count.describe("Records withdrawn at their source."),
      notDataset: count.describe("Records that are not datasets."),
      failed: count.describe("Records that could not be read or scored."),
      insufficient: count
        .default(0)
        .describe("Records with too few evaluable signals for a total, under the default version."),
      scored: count.describe("Records with a total, under the default version."),
    })
    .describe("The counts of harvested payloads.")
    .refine(reconciles, { error: "harvested must be the sum of the other counts" }),
);
export type Coverage = z.infer<typeof coverage>;

function reconciles(counts: Record<string, number>): boolean {
  const { harvested, ...rest } = counts;
  return harvested === Object.values(rest).reduce((sum, value) => sum + value, 0);
}

const rejected = z.partialRecord(rejectionReason, count).describe("Rejected input, by reason.");

export const reader = z
  .object({
    version: z.int().min(1).describe("Increases with every change of how payloads are read."),
    digest: digest.describe(
      "Digest of the declarations of the normaliser and of the code that all normalisers share, and of the word lists. A moved file does not change it.",
    ),
  })
  .describe("The reader of a source: its normaliser and word lists.");
export type ReaderVersion = z.infer<typeof reader>;

export const sourceReceipt = named(
  "SourceReceipt",
  z
    .object({
      source: z.string().describe("Name of the source."),
      reader: reader.optional().describe("The reader of its payloads; old releases do not state it."),
      rawDigest: digest.describe("Digest over the names and digests of the raw files."),
      parts: count.describe("Number of raw files."),
      coverage,
      rejected,
      oldestRetrieval: z.string().nullable().describe("Time of the earliest retrieval; null without records."),
      newestRetrieval: z.string().nullable().describe("Time of the latest retrieval; null without records."),
      completeness: z
        .object({
          expected: count
            .nullable()
            .describe("Null if the harvest was partial, the source does not report it, or parts may overlap."),
          got: count.describe("Records received."),
          complete: z
            .boolean()
            .nullable()
            .describe("Null if the expected number is unknown. For several parts: true if each is complete."),
        })
        .nullable()
        .describe(
          "The number of records that the source reports, compared with its last complete harvest; null without one.",
        ),
      scopes: z
        .array(harvestScope)
        .optional()
        .describe(
          "The harvested parts; absent if all of the source's own service was harvested, or files were imported.",
        ),
      carriedFrom: digest.optional().describe("The release whose data of this source were carried forward, if any."),
    })
    .describe("One source of the release."),
);
export type SourceReceipt = z.infer<typeof sourceReceipt>;

export const rubricReceipt = named(
  "RubricReceipt",
  z
    .object({
      version: publicVersion,
      contract: releasedContractId.describe("Id of its contract."),
      digest: digest.describe("Digest of the contract."),
      insufficient: count.default(0).describe("Records with too few evaluable signals for a total under this version."),
    })
    .describe("A public version and its contract."),
);

export type RubricReceipt = z.infer<typeof rubricReceipt>;

/** The rules of a release that are not part of a contract. */
export const policy = z
  .object({
    leastEvaluable: z
      .int()
      .min(0)
      .max(25)
      .describe("Minimum number of evaluable signals for a total; with fewer, the status is `insufficient_evidence`."),
  })
  .describe("Decisions of the release that are not part of a contract. The digest covers them.");
export type Policy = z.infer<typeof policy>;

function total(counts: readonly number[]): number {
  return counts.reduce((sum, value) => sum + value, 0);
}

export const attributionReceipt = z
  .object({
    complete: z.boolean().describe("True if attributed and unattributed records add up to all."),
    records: count.describe("All records."),
    attributed: count.describe("Records with a country."),
    unattributed: count.describe("Records without a country."),
    byBasis: z
      .object({
        ror: count.describe("Records attributed by a ROR id and the ROR dump."),
        field: count.describe("Records attributed by a country field of the payload."),
        text: count.describe("Records attributed by the country at the end of the reported text."),
        region: count.describe("Records attributed by a state or province in the text."),
      })
      .optional()
      .describe("Attributed records by the strongest basis of their countries; old releases do not state it."),
    withoutAffiliation: count.optional().describe("Unattributed records without an affiliation."),
    withoutCountry: count.optional().describe("Unattributed records with affiliations of unknown country."),
  })
  .refine((value) => value.complete === (value.attributed + value.unattributed === value.records))
  .refine(({ attributed, byBasis }) => byBasis === undefined || attributed === total(Object.values(byBasis)))
  .refine(({ unattributed, withoutAffiliation: none, withoutCountry: untold }) => {
    return none === undefined || untold === undefined || unattributed === none + untold;
  });

export const receipt = named(
  "Receipt",
  z
    .object({
      scoreReleaseVersion: z
        .string()
        .regex(/^\d{4}\.\d{2}\.\d{2}(\.\d+)?$/)
        .describe("The as-of date, with a number if the day has several releases."),
      releaseDigest: digest.describe("Digest of the content: the same inputs give the same digest."),
      manifestDigest: digest.describe("Digest of the manifest, which has the digest of every file."),
      publishedAt: instant.describe("Time at which stage 6 of the build began."),
      license: z.string().optional().describe("The licence of the data, an SPDX id; old releases do not state it."),
      asOf: isoDate.describe("The day with which embargo dates are compared."),
      previousReleaseDigest: digest
        .nullable()
        .describe("The release that was active during the build; null for the first."),
      rubrics: z.array(rubricReceipt).describe("The public versions of the scores."),
      alsoContracts: z
        .array(releasedContractId)
        .min(1)
        .optional()
        .describe(
          "Other contracts, without a public version, whose scores are in `data/contract-scores`; absent if there are none.",
        ),
      policy: policy.optional().describe("Absent in old releases, in which every record had a total."),
      tool: z
        .object({
          name: z.string(),
          version: z.string(),
          engine: z.string().describe("The engine that wrote the tables."),
        })
        .describe("The program that built the release."),
      sources: z.array(sourceReceipt).describe("The sources of the release."),
      coverage,
      rejected,
      attribution: attributionReceipt.nullable().describe("Null if the release was built without attribution."),
      history: z.boolean().describe("False if the release was built without history."),
      enrichments: z.record(z.string(), digest).describe("Digests of additional inputs: `ror`, `citations`."),
      withheld: z
        .object({ count: count.describe("Their number."), digest: digest.describe("Digest of the list of their ids.") })
        .describe("Researchers who opted out."),
      content: z
        .object({
          inputs: z.record(z.string(), z.string()).describe("Inputs by name."),
          tables: z.record(z.string(), digest).describe("Roots of tables by published name."),
          pages: z
            .record(z.string(), digest)
            .optional()
            .describe(
              "The root over the pages of each version and route; pages that name the release are not in it. Releases of format 1, whose pages are single files, have none.",
            ),
        })
        .describe("The parts of the digest: inputs, and Merkle roots of tables and pages."),
      gates: z.array(gate).optional().describe("The result of each gate; absent in old releases."),
      gateLimits: gateLimits.optional().describe("The bounds of the gates; absent in old releases."),
      forced: z.string().nullable().optional().describe("The reason for a forced activation."),
      signature: signature.nullable().describe("Signature of the other fields; null if unsigned."),
    })
    .describe("The receipt of a release."),
);
export type Receipt = z.infer<typeof receipt>;

/** File with the metrics of earlier releases. */
export const HISTORY_FILE = "data/history.json";

/** One line of manifest.ndjson. `index` describes the root of the index in a pack (docs/packs.md). */
export const manifestLine = z.strictObject({
  path: z.string(),
  bytes: count,
  sha256: sha256Hex,
  index: z.strictObject({ bytes: count, sha256: sha256Hex }).optional(),
});
export type ManifestLine = z.infer<typeof manifestLine>;

/** The fields of a receipt that lists and metrics contain. */
export const scoreRelease = named(
  "ScoreRelease",
  z
    .object({ scoreReleaseVersion: receipt.shape.scoreReleaseVersion, releaseDigest: digest })
    .describe("The release of the response, for citation."),
);
export type ScoreRelease = z.infer<typeof scoreRelease>;

/** The fields of a receipt that live metrics contain. */
export const releaseExcerpt = named(
  "ReleaseExcerpt",
  scoreRelease
    .extend({ publishedAt: instant, asOf: isoDate, rubric: rubricReceipt, coverage })
    .describe("The release of the metrics, with its rubric and coverage."),
);
export type ReleaseExcerpt = z.infer<typeof releaseExcerpt>;
