/** Citations and mentions from elsewhere: joined by DOI, the larger value known counts, what is wrong is named. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/duckdb/open.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Capture, recordId, resolveStore, writeParts } from "./captures.ts";

function dataset(doi: string, counts: { readonly citationCount?: number }): Capture {
  const attributes = { types: { resourceTypeGeneral: "Dataset" }, ...counts };
  return { source: "datacite", sourceId: doi, payload: { id: doi, attributes } };
}

const CAPTURES = [
  dataset("10.5072/known", { citationCount: 5 }),
  dataset("10.5072/unknown", {}),
  dataset("10.5072/alone", { citationCount: 2 }),
];

let temporary: TemporaryStore;
let run = 0;
beforeAll(async () => {
  temporary = await temporaryStore();
  await writeParts(temporary.store, CAPTURES, 10);
});
afterAll(() => temporary[Symbol.asyncDispose]());

/** Citations and mentions of every record, by DOI, with an enrichment of that text. */
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

async function fileOf(text: string, name = "use.csv"): Promise<string> {
  const path = join(temporary.folder, name);
  await writeFile(path, text);
  return path;
}

const PLAIN = { known: [5, null], unknown: [null, null], alone: [2, null] };

describe("joined by DOI", () => {
  const cases = [
    { name: "the larger value counts", csv: "doi,citations,mentions\n10.5072/known,9,1\n", known: [9, 1] },
    { name: "a smaller one does not", csv: "doi,citations,mentions\n10.5072/known,3,\n", known: [5, null] },
    { name: "zero is a count", csv: "doi,citations,mentions\n10.5072/known,,0\n", known: [5, 0] },
    { name: "forms of a DOI", csv: "doi,citations\nhttps://doi.org/10.5072/KNOWN,7\n", known: [7, null] },
    { name: "another form", csv: "citations,doi\n7, doi:10.5072/Known \n", known: [7, null] },
    { name: "the larger of two rows", csv: "doi,citations\n10.5072/known,8\n10.5072/known,6\n", known: [8, null] },
    { name: "a DOI of no record", csv: "doi,citations\n10.5072/other,8\n", known: [5, null] },
    { name: "other columns do not matter", csv: 'title,doi,mentions\n"a, b",10.5072/known,4\n', known: [5, 4] },
  ];
  test.each(cases)("$name", async ({ csv, known }) => {
    expect(await useWith(await fileOf(csv))).toEqual({ ...PLAIN, known });
  });

  test("an unknown count becomes known, and without a file nothing changes", async () => {
    expect(await useWith(await fileOf("doi,citations,mentions\n10.5072/unknown,1,2\n"))).toEqual({
      ...PLAIN,
      unknown: [1, 2],
    });
    expect(await useWith()).toEqual(PLAIN);
  });

  test("Parquet, with numbers as numbers", async () => {
    const path = join(temporary.folder, "use.parquet");
    const db = await openDuckDB({ threads: 1 });
    await db.run(`copy (select '10.5072/alone' as doi, 11::bigint as citations) to ${quote(path)} (format parquet)`);
    db.close();
    expect(await useWith(path)).toEqual({ ...PLAIN, alone: [11, null] });
  });
});

describe("refused, naming the file and what is wrong", () => {
  const cases = [
    { name: "no DOI", text: "id,citations\n1,2\n", says: "no column doi" },
    { name: "no count", text: "doi,views\n10.5072/known,2\n", says: "neither a column citations nor mentions" },
    {
      name: "a count that is none",
      text: "doi,citations\n10.5072/known,many\n",
      says: "10.5072/known",
    },
    {
      name: "a negative count",
      text: "doi,mentions\n10.5072/known,-1\n",
      says: "-1",
    },
    { name: "nothing", text: "", says: "no column doi" },
  ];
  test.each(cases)("$name", async ({ text, says }) => {
    const file = await fileOf(text);
    const failure = await useWith(file).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "enrichment-unreadable" });
    expect(String(failure)).toContain(file);
    expect(String(failure)).toContain(says);
  });

  test("Parquet that is none", async () => {
    const failure = await useWith(await fileOf("not Parquet", "no.parquet")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "enrichment-unreadable" });
  });
});
