/** Records as the API shows them. */

import { z } from "zod";
import { evidenceName } from "../evidence.ts";
import { adviceFor, effort } from "../form.ts";
import { named } from "../named.ts";
import { type PagePart, type ShownColumn, shownIn, type ValueOf } from "../record-columns.ts";
import { publicVersion } from "../rubric.ts";
import { bucketId, masks, SCORE_RANGES, signalId, signalState } from "../signal.ts";
import { count, defineList, defineQueriedList, percentage, points, total } from "./common.ts";

type Shown<Column extends ShownColumn<PagePart>> = {
  [C in Column as C["shown"]["as"]]: z.ZodNullable<z.ZodType<ValueOf<C["type"]>>>;
};

const TYPES = { text: z.string(), int: z.int(), bool: z.boolean() } as const;

/** Returns the fields of one part of a record's page, which show columns unchanged. Any of them can be null. */
function shownColumns<Part extends PagePart>(part: Part): Shown<ShownColumn<Part>> {
  const members = shownIn(part).map(({ shown, type, meaning }) => [
    shown.as,
    TYPES[type].nullable().describe(`${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`),
  ]);
  return Object.fromEntries(members) as Shown<ShownColumn<Part>>;
}

export const recordId = z
  .string()
  .regex(/^r[0-9a-f]{24}$/)
  .describe("Opaque id of a record, the key for joins and URLs. It is never a DOI.");
export const scoreStatus = z.enum(["scored", "insufficient_evidence", "failed"]);

export type ScoreStatus = z.infer<typeof scoreStatus>;

export const bucketScores = named(
  "BucketScores",
  z
    .object({ S: points, H: points, A: points, R: points, E: points })
    .describe("Points of each bucket; the total is their sum."),
);

export const score = named(
  "Score",
  z
    .object({
      total: total.describe("Four points for each passed signal."),
      bucketScores,
      status: z.literal("scored"),
    })
    .describe("The score of a record."),
);

export const detailedScore = named(
  "DetailedScore",
  score.extend(masks.shape).describe("The score of a record, with five bit masks over the 25 signals."),
);

/** The numbers that accompany every total. Releases of earlier program versions lack them. */
const besideTotal = {
  cap: total
    .nullable()
    .describe(
      "The highest total that records of this source can reach. Null in lists if the record could not be read.",
    ),
  shareOfCap: percentage
    .nullable()
    .describe("The total as a percentage of `cap`, to compare records of sources with different caps."),
  passedOfEvaluable: percentage.nullable().describe("Passed signals as a percentage of evaluable signals."),
  range: z
    .object({
      least: total.describe("The total, in which unknown signals have no points."),
      most: total.describe("The total if all unknown signals passed."),
    })
    .nullable()
    .describe("The totals that are possible, because some signals are unknown."),
};

export const recordRow = named(
  "RecordRow",
  z
    .object({
      id: recordId,
      ...shownColumns("row"),
      scoreStatus: scoreStatus.describe(
        "`failed`: the payload could not be read or scored. `insufficient_evidence`: too few signals are evaluable for a total; `policy` in the receipt has the minimum.",
      ),
      score: score.nullable().describe("Null unless the status is `scored`: unknown is never zero."),
      shareScore: total.nullable().describe("Equal to `score.total`."),
      stewardshipScore: points.nullable().describe("The bucket S."),
      harmonizationScore: points.nullable().describe("The bucket H."),
      accessScore: points.nullable().describe("The bucket A."),
      engagementScore: points.nullable().describe("The bucket E."),
      reuseScore: points.nullable().describe("The bucket R of SHARE 1.0, observed use; null under 2.0."),
      reusabilityScore: points
        .nullable()
        .describe("The bucket R of SHARE 2.0, reusability at the time of deposit; null under 1.0."),
      ...besideTotal,
    })
    .describe("One dataset with its score, as in lists."),
);
export type RecordRow = z.infer<typeof recordRow>;
export const recordList = defineList(recordRow);
export const queriedRecordList = named("RecordList", defineQueriedList(recordRow));

export const author = named(
  "Author",
  z
    .object({
      id: z.string().nullable().describe("Id of the researcher; null if the creator is not a person or has opted out."),
      name: z.string(),
      affiliation: z.string().nullable(),
      slug: z.string().nullable().describe("Slug of the researcher in `/authors/{slug}`."),
      orcid: z.string().nullable(),
    })
    .describe("A creator, in the order of the deposit. The name of a creator who opted out is `withheld`."),
);

export const signalResult = named(
  "SignalResult",
  z
    .object({
      id: signalId,
      name: z.string(),
      bucket: bucketId,
      bit: z.int().min(0).max(24).describe("Its bit in every mask."),
      state: signalState.describe("Only `absent` counts against the dataset."),
      points: z.literal([0, 4]).meta({ type: "integer" }),
      field: z
        .string()
        .nullable()
        .describe("The path of the evidence in the source's payload; null for an unsupported signal."),
      evidence: z
        .record(z.string(), z.union([z.int(), z.boolean(), z.string(), z.null()]))
        .describe(
          "The evidence columns of the rule and of its not-evaluable condition. Null means that the payload does not carry it.",
        ),
      advice: z
        .string()
        .nullable()
        .describe(
          "One sentence. For an absent signal: what to do, in the words of the source's own form. For an unknown signal: a question about the missing field, without a promise of points. Null if passed or unsupported.",
        ),
      adviceFor: adviceFor
        .nullable()
        .describe("The person or organisation that can follow the advice; null without advice."),
      effort: effort
        .nullable()
        .describe(
          "The effort: `record` (edit the record), `version` (publish a new version) or `files` (add files). Null for questions, and if nothing can be entered.",
        ),
    })
    .describe("One of the 25 signals of a record."),
);

export const recordDetail = named(
  "RecordDetail",
  recordRow
    .extend({
      score: detailedScore.nullable().describe("Null unless the status is `scored`."),
      masks: masks.describe("The five masks. Records without a total have them too."),
      identifier: z.string().describe("`<source>/<source-id>`."),
      ...shownColumns("about"),
      diseases: z.array(z.string()),
      ageGroups: z.array(z.string()),
      dataTypes: z.array(z.string()),
      ...shownColumns("terms"),
      values: z
        .partialRecord(
          evidenceName,
          z.object({
            counted: z.array(z.string()).describe("Values that count, at most ten."),
            missing: z.array(z.string()).describe("Values of the same kind that do not count, at most ten."),
            elsewhere: z
              .array(z.object({ value: z.string(), foundIn: z.string() }))
              .optional()
              .describe(
                "Values that only a text of the record has, such as a DOI in the description, with the path of the text. They count as soon as they are in the field of the signal.",
              ),
          }),
        )
        .optional()
        .describe(
          "The values behind the counts of evidence, such as keywords, file names, related works, funders and award numbers. `missing` has, for example, the file names that are not descriptive. Releases of earlier programs do not have them.",
        ),
      authors: z.array(author),
      signals: z.array(signalResult).describe("All 25, in the order of their bits."),
      cap: total.describe("The highest total that records of this source can reach."),
      observedUse: z
        .object({ views: count.nullable(), downloads: count.nullable(), citations: count.nullable() })
        .describe("Observed use, which is not part of the total under SHARE 2.0."),
      source: z
        .object({
          name: z.string(),
          identifier: z.string(),
          retrievedAt: z.string().nullable(),
          payloadDigest: z.string().describe("Digest of the scored payload."),
          pledgeStatus: z.string(),
        })
        .describe("The origin of the payload."),
      aliases: z
        .array(z.object({ id: recordId, identifier: z.string() }))
        .describe("Records of other sources with the same DOI. Their ids redirect to this record."),
    })
    .describe("One dataset with the evidence behind each signal."),
);
export type RecordDetail = z.infer<typeof recordDetail>;

export const outcome = named(
  "Outcome",
  z
    .object({ value: count.nullable(), state: z.enum(["known", "source_missing", "unsupported"]) })
    .describe("An observed number, or null with the reason."),
);

export const recordImpact = named(
  "RecordImpact",
  z
    .object({
      id: recordId,
      rubric: publicVersion,
      stewardship: z
        .object({ S: points, H: points, A: points, R: points.optional(), E: points })
        .nullable()
        .describe("Points of the buckets; R (reusability) only under SHARE 2.0. Null without a total."),
      outcomes: z
        .object({
          views: outcome,
          downloads: outcome,
          citations: outcome,
          derivatives: outcome,
          mentions: outcome,
        })
        .describe("Observed use, which is not part of the total of SHARE 2.0."),
    })
    .describe("The scores of a dataset and, separately, its use."),
);
export type RecordImpact = z.infer<typeof recordImpact>;

interface Member {
  readonly path: string;
  /** True if the field contains a value, and not an object with further fields. */
  readonly leaf: boolean;
}

/** Returns all fields in the rows of a list, in order. An object comes before its fields. */
export function rowMembers(answer: z.ZodType | null): readonly Member[] {
  const data = answer instanceof z.ZodObject ? answer.shape.data : null;
  if (!(data instanceof z.ZodArray)) throw new Error("the response schema of a list has no array called data");
  return membersIn(data.element, []);
}

function membersIn(schema: unknown, path: readonly string[]): Member[] {
  if (schema instanceof z.ZodNullable) return membersIn(schema.unwrap(), path);
  const own = path.length === 0 ? [] : [{ path: path.join("."), leaf: !(schema instanceof z.ZodObject) }];
  if (!(schema instanceof z.ZodObject)) return own;
  return [...own, ...namesIn(schema.shape).flatMap((name) => membersIn(schema.shape[name], [...path, name]))];
}

/**
 * Returns the names of the fields of an object. Score ranges are put in order again, because JavaScript moves keys that
 * look like integers, such as `100`, to the front.
 */
function namesIn(shape: object): string[] {
  const names = Object.keys(shape);
  return SCORE_RANGES.every((range) => range in shape) ? [...SCORE_RANGES] : names;
}
