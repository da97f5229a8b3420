/** The evidence that scores mean something, as a file of each release (docs/validation.md). It is outside the digest, and made of the release's tables alone. */

import { z } from "zod";
import { digest } from "./release.ts";
import { publicVersion, releasedContractId } from "./rubric.ts";
import { isoDate, sourceName } from "./scalars.ts";
import { bucketId, signalId } from "./signal.ts";

/** The file of a release, and its page for people. */
export const VALIDATION_FILE = "data/validation.json";
export const VALIDATION_PAGE = "validation.html";

/** No figure is given of fewer records. */
export const LEAST_RECORDS = 30;

const count = z.int().min(0);
/** Four decimals; null where there are too few records, or the figure is of what is the same for all. */
const figure = z.number().nullable();

const signalRate = z.object({
  signal: signalId,
  records: count,
  supported: count,
  evaluable: count,
  passed: count.nullable(),
  rate: figure.describe("Passed of evaluable."),
  low: figure.describe("Wilson interval, 95 percent."),
  high: figure,
});

const signalPair = z.object({ one: signalId, other: signalId, n: count, phi: z.number() });

const dimensions = z.object({
  signals: z.array(signalId).describe("Those that vary, each judged of enough records."),
  effective: figure.describe("The square of their number over the sum of the squares of all elements of the matrix."),
  eigenvalues: z.array(z.number()).describe("Of the matrix, largest first; a pair without a phi is 0 in it."),
});

const bucketAlpha = z.object({
  bucket: bucketId,
  signals: z.array(signalId),
  n: count.describe("Records of which all of these signals could be judged."),
  alpha: figure,
});

const leftOut = z.object({
  signal: signalId,
  n: count,
  tau: figure.describe("Order with the signal against order without it."),
});

const scaledThresholds = z.object({
  scale: z.enum(["0.5", "2"]),
  n: count,
  tau: figure.describe("Order by the total against order by the total under scaled thresholds."),
  mean: figure.describe("Mean total under scaled thresholds."),
  signals: z.array(z.object({ signal: signalId, evaluable: count, rate: figure })),
});

const denominators = z.object({
  n: count,
  all: figure.describe("Mean percent passed of 25."),
  supported: figure.describe("Mean percent passed of the signals that the source supports."),
  evaluable: figure.describe("Mean percent passed of the signals that could be judged."),
  tauSupported: figure.describe("Order by the first against order by the second."),
  tauEvaluable: figure.describe("Order by the first against order by the third."),
});

export const population = z.object({
  source: sourceName.nullable().describe("Null: all sources."),
  records: count,
  scored: count,
  signals: z.array(signalRate),
  phi: z.array(signalPair).describe("Of each two signals, over the records in which both could be judged."),
  dimensions,
  alpha: z.array(bucketAlpha),
  floor: z.object({ n: count, share: figure.describe("Share of totals that are 0.") }),
  ceiling: z.object({ n: count, share: figure.describe("Share of totals that are all their source allows.") }),
  leftOut: z.array(leftOut),
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
  source: sourceName.nullable().describe("Null: all sources."),
  strata: count.describe("Years of publication of a source with enough records."),
  n: count,
  tau: z.number(),
  low: z.number(),
  high: z.number(),
});
export type Outcome = z.infer<typeof outcome>;

export const validation = z
  .object({
    format: z.literal(1),
    releaseDigest: digest,
    asOf: isoDate,
    least: count.describe("No figure is given of fewer records."),
    harvested: count.describe("Records that the figures are of."),
    generated: count.describe("Records that `share-release fixtures` made up, which are left out."),
    sampled: z
      .object({ below: z.string().describe("Records whose id comes before this one."), records: count })
      .nullable()
      .describe("The part of the records that thresholds are scaled for; null: all."),
    rubrics: z.array(
      z.object({ version: publicVersion, contract: releasedContractId, populations: z.array(population) }),
    ),
    sources: z.array(agreement).describe("The same dataset through two sources."),
    outcomes: z.array(outcome).describe("Totals under 2.0 against what came after the deposit."),
    caution: z.string(),
  })
  .describe("Evidence of what scores mean, in figures.");
export type Validation = z.infer<typeof validation>;

/** Said wherever outcomes are shown. */
export const NO_CAUSE = "An association is not a cause: well-described datasets may be used more for other reasons.";
