/** The table of values agrees with the counts of evidence, for every record of the bundled corpus. */

import { expect, test } from "vitest";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Row, resolveStore } from "./captures.ts";

/** Columns whose values are all reported: their number is the count, up to ten and without names of people. */
const COLUMNS = [
  "keyword_count",
  "subject_count",
  "documentation_file_count",
  "code_file_count",
  "award_count",
] as const;

test("as many values are listed as the evidence counts, up to ten", async () => {
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
    // The others have names of creators, or values that differ only after 120 characters.
    const same = counts.filter(({ least, shown: values }) => values === least);
    expect([column, same.length / counts.length > 0.9]).toEqual([column, true]);
  }
  const readable = new Set(tables.evidence.map(({ id }) => id));
  expect(tables.value.filter(({ id }) => !readable.has(id))).toEqual([]);
});

const isCounted = ({ counts }: Row) => counts === true;
