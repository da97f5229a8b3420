/** Improvements for a set of datasets: absent signals, and signals that are lost in copies of their metadata. */

import { z } from "zod";
import { adviceFor, effort } from "../form.ts";
import { named } from "../named.ts";
import { scoreRelease } from "../release.ts";
import { bucketId, signalId } from "../signal.ts";
import { count, meta, percentage } from "./common.ts";

export const improvement = named(
  "SignalImprovement",
  z
    .object({
      signal: signalId,
      name: z.string(),
      bucket: bucketId,
      source: z.string().describe("The source of these datasets. Its payloads have the field."),
      field: z.string().describe("The field of the payload that lacks a sufficient value."),
      label: z.string().nullable().describe("The label of the field in the source's own form; null if unknown."),
      page: z.string().nullable().describe("The page that shows the label."),
      advice: z.string(),
      adviceFor: adviceFor
        .nullable()
        .describe("The person or organisation that can follow the advice; null if unknown."),
      effort: effort.nullable().describe("The effort for each dataset; null if unknown."),
      datasets: count.describe("Datasets for which the signal is absent. Unknown states do not count."),
      scored: count.describe("Number of those that have a total, so that the signal would add four points to it."),
      passed: count.describe("Datasets of the same source that pass. If it is 0, look at the export first."),
      points: percentage.describe("Points that the mean score would gain if all these datasets passed."),
      fixed: count
        .nullable()
        .describe(
          "Datasets that pass since the active release because their metadata changed; null without an earlier release.",
        ),
      lost: count
        .nullable()
        .describe("Datasets that no longer pass because their metadata changed; null without an earlier release."),
      records: z
        .string()
        .nullable()
        .describe(
          "The path of the list of exactly these datasets; null if there are none, or more ids than `/records` takes.",
        ),
    })
    .describe("One signal that is absent in datasets of one source."),
);
export type SignalImprovement = z.infer<typeof improvement>;

export const improvements = named(
  "SignalImprovements",
  z
    .object({
      data: z.object({
        datasets: count.describe("Datasets that match the filters."),
        scoredCount: count.describe("Datasets with a total."),
        points: count.describe("Sum of these totals."),
        meanScore: percentage.nullable().describe("Mean total of the scored datasets; null if there are none."),
        meanCap: percentage.nullable().describe("Mean of their highest possible totals."),
        years: z
          .array(
            z.object({
              year: z.int().nullable().describe("Year of publication; null if unknown."),
              datasets: count,
              scoredCount: count,
              meanScore: percentage.nullable(),
            }),
          )
          .describe("The same figures by year of publication, the newest first."),
        improvements: z
          .array(improvement)
          .describe("The greatest gain first. Fixed signals without more to do are last."),
      }),
      _meta: meta.extend({
        previousRelease: scoreRelease
          .nullable()
          .describe("The release that `fixed` and `lost` compare with; null for the first release."),
      }),
    })
    .describe("The absent signals of a set of datasets, by signal and source."),
);
export type SignalImprovements = z.infer<typeof improvements>;

const copiedSignal = z.object({
  signal: signalId,
  name: z.string(),
  field: z.string().nullable().describe("The field of the repository's own payload."),
  copyField: z.string().nullable().describe("The field of the copy; null if the copy cannot carry the signal."),
  passed: count.describe("Datasets that pass by the repository's own metadata."),
  kept: count.describe("Number of those that also pass by the copy."),
  absent: count.describe("Number of those for which the copy has no sufficient value."),
  unknown: count.describe("Number of those for which the copy's value is missing, hidden or unreadable."),
  unsupported: count.describe("Number of those whose copy cannot carry the signal."),
  gained: count.describe("Datasets that pass by the copy alone."),
});

export const crosswalk = named(
  "Crosswalk",
  z
    .object({
      data: z.array(
        z.object({
          source: z.string().describe("The repository's own interface."),
          copy: z.string().describe("The registry or aggregator with the copy."),
          datasets: count.describe("Datasets that were harvested from both."),
          signals: z
            .array(copiedSignal)
            .describe("All signals that a dataset passes by either, the greatest loss first."),
        }),
      ),
      _meta: meta,
    })
    .describe("The signals that copies of a repository's metadata lose, for datasets that were harvested from both."),
);
export type Crosswalk = z.infer<typeof crosswalk>;
