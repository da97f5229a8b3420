/** The receipt: what a release says of itself (`release.json`, written last), and its manifest of files. */

import { z } from "zod";
import { gate, gateLimits } from "./gates.ts";
import { signature } from "./key-set.ts";
import { named } from "./named.ts";
import { refusalReason } from "./problem.ts";
import { publicVersion, releasedContractId } from "./rubric.ts";
import { instant, isoDate, sha256Hex } from "./scalars.ts";

export const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .describe("`sha256:` and 64 hexadecimal digits.");

const count = z.int().min(0);

/** Every harvested payload, counted once: harvested is the sum of the rest. */
export const coverage = named(
  "Coverage",
  z
    .object({
      harvested: count.describe("All payloads: the sum of the rest."),
      superseded: count.describe("Older payloads of a record that came again."),
      duplicates: count.describe("Records of a DOI that another source has as well."),
      tombstones: count.describe("Records withdrawn at their source."),
      notDataset: count.describe("Records of what is not a dataset."),
      failed: count.describe("Records that could not be read or scored."),
      insufficient: count
        .default(0)
        .describe("Records of which too few signals could be judged for a total, under the default version."),
      scored: count.describe("Records with a total, under the default version."),
    })
    .describe("Every harvested payload, counted once.")
    .refine(reconciles, { error: "harvested must be the sum of the other counts" }),
);
export type Coverage = z.infer<typeof coverage>;

function reconciles(counts: Record<string, number>): boolean {
  const { harvested, ...rest } = counts;
  return harvested === Object.values(rest).reduce((sum, value) => sum + value, 0);
}

const refused = z.partialRecord(refusalReason, count).describe("Input that was no record at all, by reason.");

export const reader = z
  .object({
    version: z.int().min(1).describe("Goes up with every change after which a payload is read in another way."),
    digest: digest.describe(
      "Digest of the declarations of the normaliser and of the code that all normalisers share, and of the word lists. A moved file does not change it.",
    ),
  })
  .describe("The reader of a source: the normaliser and the word lists that made evidence of its payloads.");
export type Reader = z.infer<typeof reader>;

export const sourceReceipt = named(
  "SourceReceipt",
  z
    .object({
      source: z.string(),
      reader: reader.optional().describe("The reader of its payloads; older releases do not say."),
      rawDigest: digest.describe("Over the names and digests of the raw files read."),
      parts: count.describe("Raw files read."),
      coverage,
      refused,
      oldestRetrieval: z.string().nullable(),
      newestRetrieval: z.string().nullable(),
      completeness: z
        .object({
          expected: count.nullable().describe("Null where it was not asked for everything, or does not say."),
          got: count,
          complete: z.boolean().nullable().describe("Null where nothing is expected: nothing can be said then."),
        })
        .nullable()
        .describe(
          "The number that the source says it holds against that which the last finished harvest of all of it got; null where there is none.",
        ),
      carriedFrom: digest
        .optional()
        .describe("The release whose harvest of this source was taken again, where a newer one was left out."),
    })
    .describe("The contribution of one source."),
);
export type SourceReceipt = z.infer<typeof sourceReceipt>;

export const rubricReceipt = named(
  "RubricReceipt",
  z
    .object({
      version: publicVersion,
      contract: releasedContractId,
      digest: digest.describe("Digest of the contract."),
      insufficient: count
        .default(0)
        .describe("Records of which too few signals could be judged for a total under this version."),
    })
    .describe("A public version, and the contract it was scored by."),
);

export type RubricReceipt = z.infer<typeof rubricReceipt>;

/** The decisions of a release for itself, which no contract makes. */
export const policy = z
  .object({
    leastEvaluable: z
      .int()
      .min(0)
      .max(25)
      .describe("Signals that must have been judged for a dataset to have a total; below, `insufficient_evidence`."),
  })
  .describe("The decisions of the release beside the contracts; it is among the inputs of the digest.");
export type Policy = z.infer<typeof policy>;

function total(counts: readonly number[]): number {
  return counts.reduce((sum, value) => sum + value, 0);
}

export const attributionReceipt = z
  .object({
    complete: z.boolean(),
    records: count,
    attributed: count,
    unattributed: count,
    byBasis: z
      .object({
        ror: count.describe("Records attributed by a ROR id and the dump the build was given."),
        field: count.describe("Records attributed by a field of the payload for the country of an affiliation."),
        text: count.describe("Records attributed by the country at the end of the reported text."),
        region: count.describe("Records attributed by a state or province there."),
      })
      .optional()
      .describe("The attributed records by the strongest basis of their countries; older releases do not say."),
    withoutAffiliation: count.optional().describe("Unattributed records that report no affiliation at all."),
    withoutCountry: count.optional().describe("Unattributed records of whose affiliations none tells its country."),
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
        .describe("The as-of date, and a number where the day has several releases."),
      releaseDigest: digest.describe("Over the content: the same inputs give the same digest."),
      manifestDigest: digest.describe("Over the manifest, and so over every file."),
      publishedAt: instant,
      license: z
        .string()
        .optional()
        .describe("The licence of these data, as an id of SPDX; releases made before they named one say nothing."),
      asOf: isoDate.describe("The day the scores are of."),
      previousReleaseDigest: digest.nullable(),
      rubrics: z.array(rubricReceipt),
      alsoContracts: z
        .array(releasedContractId)
        .min(1)
        .optional()
        .describe(
          "The contracts, none of them that of a public version, whose scores are in `data/contract-scores` as well; left out where there are none, and so is the table.",
        ),
      policy: policy.optional().describe("Releases made before there was one say nothing: everything had a total."),
      tool: z.object({ name: z.string(), version: z.string(), engine: z.string() }),
      sources: z.array(sourceReceipt),
      coverage,
      refused,
      attribution: attributionReceipt.nullable().describe("Null where the release was built without attribution."),
      history: z.boolean().describe("False where the release was built without history."),
      enrichments: z
        .record(z.string(), digest)
        .describe("Digests of what the build was given beside the harvest: `ror`, `citations`."),
      withheld: z.object({ count, digest }).describe("Researchers withheld at their own wish."),
      content: z
        .object({
          inputs: z.record(z.string(), z.string()),
          tables: z.record(z.string(), digest),
          pages: z
            .record(z.string(), digest)
            .optional()
            .describe(
              "The root over the pages of each version and route; pages that name the release are not in it. Releases of format 1, whose pages are single files, have none.",
            ),
        })
        .describe("The parts of the digest: the inputs, and the Merkle roots of every table and of the pages."),
      gates: z
        .array(gate)
        .optional()
        .describe("Its result at each gate before activation; releases made before there were any say nothing."),
      gateLimits: gateLimits.optional().describe("The bounds of those gates; older releases do not say."),
      forced: z
        .string()
        .nullable()
        .optional()
        .describe("The reason it was activated in spite of a gate, where it was."),
      signature: signature.nullable(),
    })
    .describe("The statement of a release about itself."),
);
export type Receipt = z.infer<typeof receipt>;

/** The history that a release carries on from its predecessors. */
export const HISTORY_FILE = "data/history.json";

/** One line of manifest.ndjson. `index`: of a pack, the root of its index, which is the end of the file (docs/packs.md). */
export const manifestLine = z.strictObject({
  path: z.string(),
  bytes: count,
  sha256: sha256Hex,
  index: z.strictObject({ bytes: count, sha256: sha256Hex }).optional(),
});
export type ManifestLine = z.infer<typeof manifestLine>;

/** The part of a receipt that lists and metrics carry. */
export const scoreRelease = named(
  "ScoreRelease",
  z
    .object({ scoreReleaseVersion: receipt.shape.scoreReleaseVersion, releaseDigest: digest })
    .describe("The release an answer is from: enough to cite it."),
);
export type ScoreRelease = z.infer<typeof scoreRelease>;

/** The part of a receipt that live metrics carry. */
export const releaseExcerpt = named(
  "ReleaseExcerpt",
  scoreRelease
    .extend({ publishedAt: instant, asOf: isoDate, rubric: rubricReceipt, coverage })
    .describe("The release that figures are from, with the rubric they are under and what was harvested."),
);
export type ReleaseExcerpt = z.infer<typeof releaseExcerpt>;
