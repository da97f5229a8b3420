/** Tests that the table of values agrees with the counts in the evidence, for every record of the bundled corpus. */

import { expect, test } from "vitest";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Row, resolveStore } from "./captures.ts";

/** Columns of evidence whose values are all in the table: as many as the count, up to ten. Names of people are left out. */
const COLUMNS = [
  "keyword_count",
  "subject_count",
  "documentation_file_count",
  "code_file_count",
  "award_count",
] as const;

test("the table of values has as many values for a record as its evidence counts, up to ten", async () => {
  await using place = await temporaryStore();
  await harvestBundled(place.store);
  const sources = SOURCES.map(({ name }) => name);
  const { tables } = await resolveStore(place.store, "values", { sources, threads: 1 });
  const shown = Map.groupBy(tables.value.filter(isCounted), ({ id, evidence }) => `${id} ${evidence}`);
  for (const column of COLUMNS) {
    const counts = tables.evidence.flatMap((row) => {
      const count = Number(row[column] ?? 0);
      return count === 0 ? [] : [{ least: Math.min(10, count), shown: shown.get(`${row.id} ${column}`)?.length ?? 0 }];
    });
    expect(counts.filter(({ least, shown: values }) => values > least)).toEqual([]);
    expect(counts.length).toBeGreaterThan(5);
    // Fewer values than counted are possible, because names of creators are left out and values are cut at 120 characters.
    const same = counts.filter(({ least, shown: values }) => values === least);
    expect([column, same.length / counts.length > 0.9]).toEqual([column, true]);
  }
  const readable = new Set(tables.evidence.map(({ id }) => id));
  expect(tables.value.filter(({ id }) => !readable.has(id))).toEqual([]);
});

const isCounted = ({ counts }: Row) => counts === true;
