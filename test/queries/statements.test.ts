/** SQL statements of lists, run by a real DuckDB. Texts from a request must only ever be values in them. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeNamed } from "../../api-static/routes/index.ts";
import { LIST_NAMES, type ListName, listSorts } from "../../schemas/public/api/lists.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { readRows } from "./ask-list.ts";
import { openLast } from "./described-release.ts";

/** Texts that try to break out of a parameter into the SQL around it. */
const HOSTILE = [
  "'",
  "''; drop table narrow.label; --",
  '"',
  "$total",
  "?",
  "\\",
  "\u0000",
  "%",
  "\ud83d\ude00",
  "{}",
  "\u202e",
];

/** Parameters that must have a certain form, such as a DOI. Texts without this form are rejected before any statement. */
const IDENTIFIERS: readonly { readonly list: ListName; readonly name: string }[] = [
  { list: "records", name: "doi" },
  ...["signals", "institution", "ror", "author", "publishedFrom", "publishedUntil"].map((name) => ({
    list: "records" as const,
    name,
  })),
  { list: "authors", name: "institution" },
  { list: "authors", name: "orcid" },
  // This parameter has a fixed list of values.
  { list: "records", name: "spellings" },
  ...LIST_NAMES.flatMap((list) => ["cursor", "ids", "fields"].map((name) => ({ list, name }))),
];

/** Hostile suffixes of a DOI. A DOI has no white space, but in SQL a comment can replace white space. */
const SUFFIXES = HOSTILE.map((text) => text.replaceAll(" ", "/**/"));

describe("requests for lists, run by DuckDB", () => {
  let folder: FilledStore;
  let release: OpenRelease;

  beforeAll(async () => {
    folder = await filledStore({ generated: { clinicaltrials: 20, seed: 3 }, builds: [{}] });
    release = await openLast(folder);
  }, 300_000);

  afterAll(async () => {
    await release?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  const parameters = LIST_NAMES.flatMap((list) =>
    Object.entries(routeNamed(list).query.shape)
      .filter(([name]) => !["rubric", "page", "limit", "sortBy", "sortOrder", "countryCode"].includes(name))
      .map(([name]) => ({ list, name }))
      .filter(({ name }) => !IDENTIFIERS.some((identifier) => identifier.list === list && identifier.name === name)),
  );
  test.each(parameters)("the list $list treats any text for $name as a value, never as SQL", async ({ list, name }) => {
    const isNumber = /^m(?:in|ax)/.test(name);
    for (const value of isNumber ? ["0", "7", "25"] : HOSTILE) {
      const { data, pagination } = await readRows(release, list, new URLSearchParams({ [name]: value }).toString());
      expect(data.length).toBeLessThanOrEqual(pagination.total);
    }
    expect((await readRows(release, "records", "")).pagination.total).toBe(20);
  });

  test.each(IDENTIFIERS)("the list $list rejects any invalid $name", async ({ list, name }) => {
    for (const value of HOSTILE) {
      await expect(readRows(release, list, new URLSearchParams({ [name]: value }).toString())).rejects.toMatchObject({
        type: "invalid-parameter",
        errors: [{ path: name }],
      });
    }
  });

  test.each(SUFFIXES)("the list of records treats 10.5072/%j as a DOI, never as SQL", async (suffix) => {
    const { data, pagination } = await readRows(
      release,
      "records",
      new URLSearchParams({ doi: `10.5072/${suffix}` }).toString(),
    );
    expect([data, pagination.total]).toEqual([[], 0]);
    expect((await readRows(release, "records", "")).pagination.total).toBe(20);
  });

  test("the list of records returns the right number of rows for any combination of filters, orders and pages", async () => {
    const text = fc.constantFrom(...HOSTILE, "data", "study of", "Asthma", "ADULT", "ClinicalTrials.gov", "10.5072/a");
    const score = fc.integer({ min: 0, max: 100 }).map(String);
    const query = fc.record(
      {
        search: fc.array(text, { maxLength: 12 }).map((words) => words.join(" ")),
        identifier: text,
        repository: text,
        recordKind: text,
        disease: text,
        ageGroup: text,
        dataType: text,
        accessStatus: text,
        license: text,
        countryCode: fc.constantFrom("NOR", "ITA", "TUV"),
        minScore: score,
        maxScore: score,
        minSupportedChecks: fc.integer({ min: 0, max: 25 }).map(String),
        sortBy: fc.constantFrom(...listSorts("records")),
        sortOrder: fc.constantFrom("asc", "desc"),
        page: fc.constantFrom("1", "2", "10000"),
        limit: fc.constantFrom("1", "3", "100"),
        rubric: fc.constantFrom("1.0", "2.0"),
        ids: fc.stringMatching(/^r[0-9a-f]{24}(,r[0-9a-f]{24})?$/),
        fields: fc.constantFrom("id", "score.total,doi", "score"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const { data, pagination } = await readRows(release, "records", new URLSearchParams(asked).toString());
        const before = (pagination.page - 1) * pagination.limit;
        expect(data).toHaveLength(Math.max(0, Math.min(pagination.limit, pagination.total - before)));
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  test("a search with the maximum number of words works", async () => {
    const words = Array.from({ length: 250 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(" ");
    expect((await readRows(release, "records", new URLSearchParams({ search: words }).toString())).data).toEqual([]);
    const [{ title } = { title: "" }] = (await readRows(release, "records", "limit=1")).data;
    const search = `${title} ${title}`.slice(0, 512).replace(/\S*$/, "");
    const { data } = await readRows(release, "records", new URLSearchParams({ search }).toString());
    expect(data.map((row) => row.title)).toContain(title);
  });
});
