/**
 * Statistics about the meaning of scores, in a file of each release (docs/validation.md). They are computed from the tables
 * of the release. The release digest does not cover them.
 */

import { z } from "zod";
import { digest } from "./release.ts";
import { publicVersion, releasedContractId } from "./rubric.ts";
import { isoDate, sourceName } from "./scalars.ts";
import { signalId } from "./signal.ts";

/** Paths of the statistics in a release, and of their HTML view. */
export const VALIDATION_FILE = "data/validation.json";
export const VALIDATION_PAGE = "validation.html";

/** Number of records below which a statistic is null. */
export const MIN_RECORDS = 30;

const count = z.int().min(0);
/** A statistic with four decimals. Null if there are too few records, or if all records have the same value. */
const figure = z.number().nullable();

const signalRate = z.object({
  signal: signalId,
  records: count,
  supported: count,
  evaluable: count,
  passed: count.nullable(),
  rate: figure.describe("Share of evaluable signals that passed."),
  clusters: count.describe(
    "Clusters: records of one source with one first creator. In a large release, of a sample of clusters.",
  ),
  design: figure.describe(
    "Design effect: the variance of the rate with records in clusters, divided by its variance with independent records.",
  ),
  low: figure.describe("Wilson interval, 95 percent, for the number of evaluable records divided by `design`."),
  high: figure,
});

const signalPair = z.object({ one: signalId, other: signalId, n: count, phi: z.number() });

const dimensions = z.object({
  signals: z.array(signalId).describe("Signals with variation and enough evaluable records."),
  effective: figure.describe(
    "Effective number of signals: the square of their number, divided by the sum of the squared matrix elements.",
  ),
  eigenvalues: z
    .array(z.number())
    .describe("Eigenvalues of the matrix, largest first. A pair without a phi counts as 0."),
});

const itemRest = z.object({
  signal: signalId,
  n: count.describe("Records with a total for which the signal is evaluable."),
  correlation: figure.describe("Pearson's correlation of the signal with the number of the other signals that passed."),
});

const scaledThresholds = z.object({
  scale: z.enum(["0.5", "2"]),
  n: count,
  tau: figure.describe("Kendall's tau between the orders by the total with original and with scaled thresholds."),
  mean: figure.describe("Mean total with scaled thresholds."),
  signals: z.array(z.object({ signal: signalId, evaluable: count, rate: figure })),
});

const denominators = z.object({
  n: count,
  all: figure.describe("Mean percentage of the 25 signals that passed."),
  supported: figure.describe("Mean percentage of the supported signals that passed."),
  evaluable: figure.describe("Mean percentage of the evaluable signals that passed."),
  tauSupported: figure.describe("Kendall's tau between the orders by `all` and by `supported`."),
  tauEvaluable: figure.describe("Kendall's tau between the orders by `all` and by `evaluable`."),
});

export const population = z.object({
  source: sourceName.nullable().describe("Null for all sources."),
  records: count,
  scored: count,
  signals: z.array(signalRate),
  phi: z.array(signalPair).describe("For each pair of signals, over the records with both evaluable."),
  dimensions,
  floor: z.object({ n: count, share: figure.describe("Share of totals that are 0.") }),
  ceiling: z.object({ n: count, share: figure.describe("Share of totals that equal the cap of their source.") }),
  itemRest: z.array(itemRest),
  denominators,
  thresholds: z.array(scaledThresholds),
});
export type Population = z.infer<typeof population>;

const agreement = z.object({
  taken: sourceName,
  other: sourceName,
  rubric: publicVersion,
  records: count,
  signals: z.array(z.object({ signal: signalId, n: count, agreement: figure, kappa: figure })),
});
export type Agreement = z.infer<typeof agreement>;

const outcome = z.object({
  outcome: z.enum(["citations", "downloads"]),
  source: sourceName.nullable().describe("Null for all sources."),
  strata: count.describe("Number of publication years of a source with enough records."),
  n: count,
  tau: z.number(),
  low: z.number(),
  high: z.number(),
});
export type Outcome = z.infer<typeof outcome>;

export const validation = z
  .object({
    format: z.literal(2),
    releaseDigest: digest,
    asOf: isoDate,
    least: count.describe("Statistics over fewer records are null."),
    harvested: count.describe("Number of records."),
    generated: count.describe("Generated records (`share-release fixtures`), which are excluded."),
    sampled: z
      .object({ below: z.string().describe("The sample has the records with ids before this one."), records: count })
      .nullable()
      .describe("The sample for scaled thresholds, and for clusters by the same start of their digests; null for all."),
    rubrics: z.array(
      z.object({ version: publicVersion, contract: releasedContractId, populations: z.array(population) }),
    ),
    sources: z.array(agreement).describe("Agreement of two sources on the same dataset."),
    outcomes: z.array(outcome).describe("Totals under 2.0 compared with later use."),
    caution: z.string(),
  })
  .describe("Statistics on the meaning of scores.");
export type Validation = z.infer<typeof validation>;

/** The sentence that accompanies every outcome. */
export const NO_CAUSE = "An association is not a cause: well-described datasets may be used more for other reasons.";
