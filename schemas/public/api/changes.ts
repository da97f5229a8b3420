/** What came, moved and went in a release since the one before it: a list, of flat rows. */

import { z } from "zod";
import { named } from "../named.ts";
import { scoreRelease } from "../release.ts";
import { meta, queriedListOf } from "./common.ts";
import { changeKind, reason, recordChange } from "./diff.ts";

const told = recordChange.shape;

/** Columns of `diff-records` besides, in the order of the row. */
export const changeRow = named(
  "ChangeRow",
  z
    .object({
      id: told.id.describe("Id of the record: in the release, or for what went in the one before."),
      kind: changeKind.describe("`added`: it came. `moved`: a signal of it has another state. `removed`: it went."),
      previousId: told.previousId,
      identifier: told.identifier.describe("`<source>/<source-id>`."),
      source: told.source,
      previousSource: told.previousSource.describe("The source that spoke for it before, where it was another."),
      repository: told.repository,
      title: told.title,
      statusBefore: told.statusBefore,
      statusAfter: told.statusAfter,
      totalBefore: told.totalBefore,
      totalAfter: told.totalAfter,
      points: told.points,
      causes: z
        .string()
        .describe("The causes of what moved, joined by spaces; empty for what came or went. `diff` has their meaning."),
      reason: reason
        .nullable()
        .describe("The reason that it came or went; `tombstone` where its source withdrew it. Null for what moved."),
    })
    .describe("One record that came, moved or went, under one public version."),
);
export type ChangeRow = z.infer<typeof changeRow>;

export const changeList = named(
  "ChangeList",
  queriedListOf(changeRow)
    .extend({
      _meta: meta
        .extend({
          scoreRelease: scoreRelease.describe("The release that was asked for."),
          previousRelease: scoreRelease
            .nullable()
            .describe("The release it is compared with; null for the first of all, which has no changes."),
        })
        .describe("The two releases that are compared."),
    })
    .describe("A page of what came, moved and went in a release, and the two releases that are compared."),
);
export type ChangeList = z.infer<typeof changeList>;
