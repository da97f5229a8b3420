/**
 * Tests citations and mentions from a file: they are joined by DOI, the larger known value counts, and an error names the
 * fault.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { type Capture, type TemporaryStore, temporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { recordId, resolveStore } from "./captures.ts";

function dataset(doi: string, counts: { readonly citationCount?: number }): Capture {
  const attributes = { types: { resourceTypeGeneral: "Dataset" }, ...counts };
  return { source: "datacite", sourceId: doi, payload: { id: doi, attributes } };
}

/** Cases whose lines are all in one file. Each case is about its own dataset, which has five citations or no known number. */
const ROWS: readonly {
  readonly name: string;
  readonly citationCount?: number;
  /** Lines of the file in CSV (doi, citations, mentions). `DOI` stands for the DOI of the case's dataset. */
  readonly lines: readonly string[];
  readonly use: readonly [citations: number | null, mentions: number | null];
}[] = [
  { name: "a larger value counts", citationCount: 5, lines: ["DOI,9,1"], use: [9, 1] },
  { name: "a smaller value does not count", citationCount: 5, lines: ["DOI,3,"], use: [5, null] },
  { name: "zero is a count", citationCount: 5, lines: ["DOI,,0"], use: [5, 0] },
  { name: "the DOI is spelled as a URL", citationCount: 5, lines: ["https://doi.org/DOI,7,"], use: [7, null] },
  { name: "the larger of two rows for one DOI counts", citationCount: 5, lines: ["DOI,8,", "DOI,6,"], use: [8, null] },
  { name: "a row for another DOI changes nothing", citationCount: 5, lines: ["DOI.other,8,"], use: [5, null] },
  { name: "an unknown count becomes known", lines: ["DOI,1,2"], use: [1, 2] },
];
const rowDoi = (i: number) => `10.5072/row-${i}`;

const CAPTURES = [
  dataset("10.5072/known", { citationCount: 5 }),
  dataset("10.5072/unknown", {}),
  dataset("10.5072/alone", { citationCount: 2 }),
  ...ROWS.map(({ citationCount }, i) => dataset(rowDoi(i), citationCount === undefined ? {} : { citationCount })),
];

let temporary: TemporaryStore;
let run = 0;
beforeAll(async () => {
  temporary = await temporaryStore();
  await writeCaptures(temporary.store, CAPTURES, 10);
});
afterAll(() => temporary[Symbol.asyncDispose]());

/** Runs stage 2 with a file of citations (or none), and returns citations and mentions of every record, by DOI. */
async function useWith(citations?: string) {
  run += 1;
  const options = { sources: ["datacite"], threads: 1, ...(citations === undefined ? {} : { citations }) };
  const { tables } = await resolveStore(temporary.store, `run-${run}`, options);
  return Object.fromEntries(
    CAPTURES.map(({ sourceId }) => {
      const row = tables.record.find(({ id }) => id === recordId(`datacite/${sourceId}`));
      return [sourceId.replace("10.5072/", ""), [row?.citations, row?.mentions]];
    }),
  );
}

async function writeUseFile(text: string, name = "use.csv"): Promise<string> {
  const path = join(temporary.folder, name);
  await writeFile(path, text);
  return path;
}

const PLAIN = {
  known: [5, null],
  unknown: [null, null],
  alone: [2, null],
  ...Object.fromEntries(ROWS.map(({ citationCount = null }, i) => [`row-${i}`, [citationCount, null]])),
};

describe("files of citations and mentions", () => {
  let joined: Awaited<ReturnType<typeof useWith>>;
  beforeAll(async () => {
    // The DOI in the URL is in capitals, because DOIs do not depend on case.
    const of = (line: string, i: number) =>
      line.replace("DOI", line.startsWith("https") ? rowDoi(i).toUpperCase() : rowDoi(i));
    const lines = ROWS.flatMap(({ lines }, i) => lines.map((line) => of(line, i)));
    joined = await useWith(await writeUseFile(["doi,citations,mentions", ...lines, ""].join("\n")));
  });

  test.each(ROWS.map((row, i) => ({ ...row, key: `row-${i}` })))(
    "a file of citations and mentions gives a record the expected counts: $name",
    ({ key, use }) => {
      expect(joined[key]).toEqual(use);
    },
  );

  test("a file of citations and mentions changes only the records whose DOIs it contains", async () => {
    const named = Object.fromEntries(ROWS.map(({ use }, i) => [`row-${i}`, use]));
    expect(joined).toEqual({ ...PLAIN, ...named });
    expect(await useWith()).toEqual(PLAIN);
  });

  const cases = [
    { name: "may spell a DOI in another way", csv: "citations,doi\n7, doi:10.5072/Known \n", known: [7, null] },
    { name: "may have other columns", csv: 'title,doi,mentions\n"a, b",10.5072/known,4\n', known: [5, 4] },
    { name: "may lack the mentions", csv: "doi,citations\n10.5072/known,8\n", known: [8, null] },
  ];
  test.each(cases)("a file of citations and mentions $name", async ({ csv, known }) => {
    expect(await useWith(await writeUseFile(csv))).toEqual({ ...PLAIN, known });
  });

  test("a file of citations and mentions can be a Parquet file, with counts as integers", async () => {
    const path = join(temporary.folder, "use.parquet");
    const db = await openDuckDB({ threads: 1 });
    await db.run(`copy (select '10.5072/alone' as doi, 11::bigint as citations) to ${quote(path)} (format parquet)`);
    db.close();
    expect(await useWith(path)).toEqual({ ...PLAIN, alone: [11, null] });
  });
});

describe("invalid files", () => {
  const cases = [
    { name: "a missing column doi", text: "id,citations\n1,2\n", says: "the column doi is missing" },
    {
      name: "no column with counts",
      text: "doi,views\n10.5072/known,2\n",
      says: "both columns citations and mentions are missing",
    },
    {
      name: "a count that is not a number",
      text: "doi,citations\n10.5072/known,many\n",
      says: "10.5072/known",
    },
    {
      name: "a negative count",
      text: "doi,mentions\n10.5072/known,-1\n",
      says: "-1",
    },
    { name: "an empty file", text: "", says: "the column doi is missing" },
  ];
  test.each(cases)(
    "an invalid file of citations and mentions is rejected, and the error contains its path and the fault: $name",
    async ({ text, says }) => {
      const file = await writeUseFile(text);
      const failure = await useWith(file).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "enrichment-unreadable" });
      expect(String(failure)).toContain(file);
      expect(String(failure)).toContain(says);
    },
  );

  test("an invalid file of citations and mentions is rejected if it is not Parquet although its name ends with .parquet", async () => {
    const failure = await useWith(await writeUseFile("not Parquet", "no.parquet")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "enrichment-unreadable" });
  });
});
