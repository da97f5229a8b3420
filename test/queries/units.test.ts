/** Parts of the query layer that need no release: search texts, statements as they bind, CSV, links, totals, scratch. */

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROUTES, routeNamed } from "../../api-static/routes.ts";
import { lockFolder } from "../../pipeline/raw/lock.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { csvBody, csvColumns } from "../../server/queries/csv.ts";
import { linksOf } from "../../server/queries/links.ts";
import { listQuery } from "../../server/queries/lists.ts";
import { makeScratch, sweepScratch } from "../../server/queries/scratch.ts";
import { readSearch } from "../../server/queries/search-text.ts";
import { Totals } from "../../server/queries/totals.ts";
import { readQuery } from "../../server/read-query.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const { names } = await loadVocabularies();

describe("a search text", () => {
  const WORDS = [
    { text: "Ocean OCEAN ocean", terms: [["ocean"]], inside: [null] },
    { text: "データ", terms: [["ー", "デ", "タ"]], inside: ["データ"] },
    { text: "水", terms: [["水"]], inside: [null] },
    { text: "水分", terms: [["水分"]], inside: [null] },
    { text: "土壌水分", terms: [["土壌", "壌水", "水分"]], inside: ["土壌水分"] },
    { text: "人人人", terms: [["人人"]], inside: ["人人人"] },
    { text: "covid肺炎", terms: [["covid", "肺炎"]], inside: ["covid肺炎"] },
    { text: "a-b", terms: [["a"], ["b"]], inside: [null, null] },
    { text: "…", terms: [], inside: [] },
    { text: "y".repeat(80), terms: [["y".repeat(64)]], inside: [null] },
  ];
  test.each(WORDS)("“$text” asks for $terms", ({ text, terms, inside }) => {
    const { words, dois } = readSearch(text, names, true);
    expect(words.map((word) => word.terms)).toEqual(terms);
    expect(words.map((word) => word.inside)).toEqual(inside);
    expect(dois).toEqual([]);
  });

  const DOIS = [
    { text: "10.5281/Zenodo.12", dois: ["10.5281/zenodo.12"], words: 0 },
    { text: "10.5281", dois: ["10.5281"], words: 0 },
    { text: "10.5281.7/x", dois: ["10.5281.7/x"], words: 0 },
    { text: "10.52", dois: [], words: 2 },
    { text: "10.5281x", dois: [], words: 2 },
    { text: "110.5281/x", dois: [], words: 3 },
    { text: "doi:https://doi.org/10.5281/x", dois: ["10.5281/x"], words: 0 },
    { text: "doi: 10.5281/x", dois: ["10.5281/x"], words: 0 },
    { text: "https://www.doi.org/10.5281/x", dois: ["10.5281/x"], words: 0 },
    { text: "<10.5281/x>", dois: ["10.5281/x"], words: 0 },
    { text: "(10.5281/x),", dois: ["10.5281/x"], words: 0 },
    { text: "https://example.org/10.5281/x", dois: [], words: 6 },
    { text: "ice 10.5281/x 10.5281/x core", dois: ["10.5281/x"], words: 2 },
  ];
  test.each(DOIS)("“$text” names $dois", ({ text, dois, words }) => {
    const read = readSearch(text, names, true);
    expect(read.dois).toEqual(dois);
    expect(read.words).toHaveLength(words);
    expect(readSearch(text, names, false).dois).toEqual([]);
  });
});

describe("CSV", () => {
  const FIELDS = [
    { value: null, field: "" },
    { value: "", field: "" },
    { value: 0, field: "0" },
    { value: 54.2, field: "54.2" },
    { value: "plain", field: "plain" },
    { value: "a,b", field: '"a,b"' },
    { value: 'say "so"', field: '"say ""so"""' },
    { value: "two\r\nlines", field: '"two\r\nlines"' },
    { value: "データ", field: "データ" },
    { value: "=1+1", field: "'=1+1" },
    { value: '=HYPERLINK("x")', field: `"'=HYPERLINK(""x"")"` },
    { value: "+1", field: "'+1" },
    { value: "-1", field: "'-1" },
    { value: "@sum", field: "'@sum" },
    { value: "\tx", field: "'\tx" },
    { value: -1, field: "-1" },
  ];
  test.each(FIELDS)("$value is written $field", async ({ value, field }) => {
    const text = (await csvBody(["id", "a.b"], [{ id: "x", a: { b: value } }])).toString();
    expect(text).toBe(`id,a.b\r\nx,${field}\r\n`);
  });

  test("a row without the object has empty fields in its place, no row has the header all the same", async () => {
    expect((await csvBody(["id", "a.b"], [{ id: "x", a: null }])).toString()).toBe("id,a.b\r\nx,\r\n");
    expect((await csvBody(["id", "a.b"], [])).toString()).toBe("id,a.b\r\n");
  });

  test("every list has columns", () => {
    for (const route of ROUTES.filter(({ list }) => list)) expect(csvColumns(route.answer).length).toBeGreaterThan(10);
    expect(() => csvColumns(routeNamed("record").answer)).toThrow("no array of rows");
  });
});

describe("links", () => {
  const pagesOf = (query: string, total: number) => {
    const route = routeNamed("authors");
    const links = linksOf(route, listQuery.parse(readQuery(route.query, query)), total);
    return Object.fromEntries(
      Array.from(links.matchAll(/<([^>]+)>; rel="(\w+)"/g), ([, target = "", relation]) => [relation, target]),
    );
  };
  const CASES = [
    { query: "", total: 25, pages: { first: 1, next: 2, last: 3 } },
    { query: "page=3", total: 25, pages: { first: 1, prev: 2, last: 3 } },
    { query: "page=2", total: 25, pages: { first: 1, prev: 1, next: 3, last: 3 } },
    { query: "", total: 0, pages: { first: 1, last: 1 } },
    { query: "page=7", total: 25, pages: { first: 1, prev: 3, last: 3 } },
    { query: "page=10000", total: 1_000_000, pages: { first: 1, prev: 9999, last: 10_000 } },
  ];
  test.each(CASES)("?$query of $total", ({ query, total, pages }) => {
    const wanted = Object.entries(pages).map(([relation, page]) => [relation, `/authors?page=${page}`]);
    expect(pagesOf(query, total)).toEqual(Object.fromEntries(wanted));
  });

  test("keep what was asked for, escaped, and nothing that goes without saying", () => {
    const { next } = pagesOf("limit=5&search=a%26b%3Ec%22é&sortOrder=asc&rubric=1.0&utm=x", 25);
    expect(next).toBe("/authors?rubric=1.0&page=2&limit=5&search=a%26b%3Ec%22%C3%A9");
  });
});

describe("totals", () => {
  test("one count serves all who ask at the same time and later; a failed one is tried again", async () => {
    const totals = new Totals();
    let counts = 0;
    const count = async () => {
      counts += 1;
      if (counts === 1) throw new Error("broken");
      return 7;
    };
    await expect(totals.of("a", count)).rejects.toThrow("broken");
    expect(await Promise.all([totals.of("a", count), totals.of("a", count)])).toEqual([7, 7]);
    expect([await totals.of("a", count), counts]).toEqual([7, 2]);
  });

  test("the filter unused for longest is forgotten first", async () => {
    const totals = new Totals(2);
    const counted: string[] = [];
    const ask = (key: string) =>
      totals.of(key, async () => {
        counted.push(key);
        return 1;
      });
    for (const key of ["a", "b", "a", "c", "a", "b"]) await ask(key);
    expect(counted).toEqual(["a", "b", "c", "b"]);
  });
});

describe("scratch", () => {
  test("is the server's own below work/, gone when it is done with", async () => {
    await using folder = await temporaryStore();
    const scratch = await makeScratch(folder.store);
    expect(scratch.folder.startsWith(folder.store.work("queries-"))).toBe(true);
    await scratch.remove();
    expect(readdirSync(folder.store.work(""))).toEqual([]);
  });

  test("sweeping removes what nobody uses, and nothing else", async () => {
    await using folder = await temporaryStore();
    const used = await makeScratch(folder.store);
    const abandoned = folder.store.work("queries-of-a-killed-server");
    const build = folder.store.work("build");
    for (const path of [join(abandoned, "spill"), build]) mkdirSync(path, { recursive: true });
    await sweepScratch(folder.store);
    expect([used.folder, abandoned, build].map((path) => existsSync(path))).toEqual([true, false, true]);
    await expect(lockFolder(used.folder)).rejects.toThrow("is held");
    await used.remove();
  });

  test("sweeping a store that is not there is nothing", async () => {
    await using folder = await temporaryStore();
    await sweepScratch(folder.store);
    expect(existsSync(folder.store.root)).toBe(false);
  });
});
