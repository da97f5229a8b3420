/** The list of records that were added, changed or removed since the previous release. */

import { z } from "zod";
import { named } from "../named.ts";
import { scoreRelease } from "../release.ts";
import { defineQueriedList, meta } from "./common.ts";
import { changeKind, reason, recordChange } from "./diff.ts";

const changeShape = recordChange.shape;

/** A row of the list of changes. Its fields are columns of `diff-records`, with some descriptions for this list. */
export const changeRow = named(
  "ChangeRow",
  z
    .object({
      id: changeShape.id.describe(
        "Id of the record in the release; of a removed record, its id in the previous release.",
      ),
      kind: changeKind.describe(
        "`added`: new in the release. `moved`: at least one signal has another state. `removed`: no longer in the release.",
      ),
      previousId: changeShape.previousId,
      identifier: changeShape.identifier.describe("`<source>/<source-id>`."),
      source: changeShape.source,
      previousSource: changeShape.previousSource.describe("The source that described it before, if it was another."),
      repository: changeShape.repository,
      title: changeShape.title,
      statusBefore: changeShape.statusBefore,
      statusAfter: changeShape.statusAfter,
      totalBefore: changeShape.totalBefore,
      totalAfter: changeShape.totalAfter,
      points: changeShape.points,
      causes: z
        .string()
        .describe(
          "The causes of the change, joined by spaces; empty for added and removed records. `diff` explains them.",
        ),
      reason: reason
        .nullable()
        .describe(
          "The reason why it was added or removed; `tombstone` if its source withdrew it. Null for changed records.",
        ),
    })
    .describe("One record that was added, changed or removed, under one public version."),
);
export type ChangeRow = z.infer<typeof changeRow>;

export const changeList = named(
  "ChangeList",
  defineQueriedList(changeRow)
    .extend({
      _meta: meta
        .extend({
          scoreRelease: scoreRelease.describe("The requested release."),
          previousRelease: scoreRelease
            .nullable()
            .describe("The release it is compared with; null for the first release, which has no changes."),
        })
        .describe("The two releases that are compared."),
    })
    .describe("A page of changes, and the two compared releases."),
);
export type ChangeList = z.infer<typeof changeList>;
