/**
 * Parts of the query layer that can be tested without a release: search texts, parameters, CSV, links, shared results,
 * temporary files.
 */

import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import { CLICKS, HTML_TYPE } from "../../api-static/routes/route.ts";
import { ABANDONED_MILLISECONDS, SIGN_OF_LIFE } from "../../pipeline/store/signs-of-life.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { SCORE_RANGES } from "../../schemas/public/signal.ts";
import { readQuery, unknownParameters } from "../../server/http/routes.ts";
import { csvBody, csvColumns, formatCursorLinks, formatLinks } from "../../server/read/list-response.ts";
import { listQuery } from "../../server/read/list-tables.ts";
import { makeScratch } from "../../server/read/scratch.ts";
import { readSearch } from "../../server/read/search.ts";
import { SharedResults } from "../../server/read/shared-results.ts";
import { ClientGone, TurnLost } from "../../server/scheduler.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const { names } = await loadVocabularies();

describe("the search text for records", () => {
  const WORDS = [
    { text: "Ocean OCEAN ocean", terms: [["ocean"]], inside: [null] },
    { text: "データ", terms: [["ー", "テ", "タ"]], inside: ["テータ"] },
    { text: "水", terms: [["水"]], inside: [null] },
    { text: "水分", terms: [["水分"]], inside: [null] },
    { text: "土壌水分", terms: [["土壌", "壌水", "水分"]], inside: ["土壌水分"] },
    { text: "人人人", terms: [["人人"]], inside: ["人人人"] },
    { text: "covid肺炎", terms: [["covid", "肺炎"]], inside: ["covid肺炎"] },
    { text: "a-b", terms: [["a"], ["b"]], inside: [null, null] },
    { text: "…", terms: [], inside: [] },
    { text: "y".repeat(80), terms: [["y".repeat(64)]], inside: [null] },
  ];
  test.each(WORDS)("the search text “$text” is split into the terms $terms", ({ text, terms, inside }) => {
    const { words, dois } = readSearch(text, names, "dois");
    expect(words.map((word) => word.terms)).toEqual(terms);
    expect(words.map((word) => word.inside)).toEqual(inside);
    expect(dois).toEqual([]);
  });

  const DOIS = [
    { text: "10.5281/Zenodo.12", dois: ["10.5281/zenodo.12"], words: 0 },
    { text: "10.5281", dois: ["10.5281"], words: 0 },
    { text: "info:doi/10.5281/Zenodo.12", dois: ["10.5281/zenodo.12"], words: 0 },
    { text: "urn:doi:10.5281/zenodo.12", dois: ["10.5281/zenodo.12"], words: 0 },
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
    { text: "10.5281/x.", dois: ["10.5281/x"], words: 0 },
    { text: "See https://doi.org/10.5281/x.y!", dois: ["10.5281/x.y"], words: 1 },
    { text: "(10.5281/x).", dois: ["10.5281/x"], words: 0 },
    { text: "“10.5281/x?”", dois: ["10.5281/x"], words: 0 },
    { text: "10.5281/x: data", dois: ["10.5281/x"], words: 1 },
    { text: "10.5281/x, data", dois: ["10.5281/x"], words: 1 },
    { text: "10.5281/s(05)1", dois: ["10.5281/s(05)1"], words: 0 },
    { text: "10.5281/s(05)", dois: ["10.5281/s(05)"], words: 0 },
    { text: "ice 10.5281/x 10.5281/x core", dois: ["10.5281/x"], words: 2 },
  ];
  test.each(DOIS)("in the search text “$text”, the DOIs $dois are found", ({ text, dois, words }) => {
    const read = readSearch(text, names, "dois");
    expect(read.dois).toEqual(dois);
    expect(read.words).toHaveLength(words);
    expect(readSearch(text, names, null).dois).toEqual([]);
  });
});

describe("the search text for people", () => {
  const ORCID = "0000-0002-1825-0097";
  const CASES = [
    { text: ORCID, orcids: [ORCID], words: 0 },
    { text: "0000000218250097", orcids: [ORCID], words: 0 },
    { text: "0000 0002 1825 0097", orcids: [ORCID], words: 0 },
    { text: "https://orcid.org/0000-0002-1825-0097", orcids: [ORCID], words: 0 },
    { text: "orcid:0000-0002-1825-0097,", orcids: [ORCID], words: 0 },
    { text: "(0000-0002-1694-233x)", orcids: ["0000-0002-1694-233X"], words: 0 },
    { text: `Jane ${ORCID}`, orcids: [ORCID], words: 1 },
    { text: "0000-0002-1825-0098", orcids: [], words: 4 },
    { text: "10.5281/x", orcids: [], words: 3 },
  ];
  test.each(CASES)("in the search text “$text”, the ORCID iDs $orcids are found", ({ text, orcids, words }) => {
    const read = readSearch(text, names, "orcids");
    expect([read.orcids, read.dois]).toEqual([orcids, []]);
    expect(read.words).toHaveLength(words);
    expect(readSearch(text, names, "dois").orcids).toEqual([]);
  });
});

describe("an unknown parameter", () => {
  const CASES = [
    { name: "pge", of: "records", meant: "page" },
    { name: "Page", of: "records", meant: "page" },
    { name: "minScor", of: "records", meant: "minScore" },
    { name: "sort", of: "records", meant: "sortBy" },
    { name: "repo", of: "records", meant: "repository" },
    { name: "odi", of: "records", meant: "doi" },
    { name: "q", of: "records", meant: "search" },
    { name: "pageSize", of: "records", meant: "limit" },
    { name: "select", of: "records", meant: "fields" },
    { name: "q", of: "record", meant: "rubric" },
    { name: "__proto__", of: "record", meant: "rubric" },
    { name: "constructor", of: "metrics", meant: "rubric" },
    { name: "fbclid", of: "record", meant: "rubric" },
  ] as const;
  test.each(CASES)(
    "the parameter $name of the endpoint $of is rejected, and $meant suggested",
    ({ name, of, meant }) => {
      const route = routeNamed(of);
      const [fault, ...others] = unknownParameters(new Set([name, ...Object.keys(route.query.shape)]), route);
      expect(others).toEqual([]);
      expect(fault).toEqual({ path: name, message: `is not a parameter of this endpoint; the nearest is ${meant}` });
    },
  );

  test("the error for an unknown parameter says so if the endpoint has no parameters", () => {
    expect(unknownParameters(new Set(["x"]), routeNamed("docs"))).toEqual([
      { path: "x", message: "is not a parameter of this endpoint; the endpoint has no parameters" },
    ]);
  });

  test.each(["utm_source", "utm_", "_", "cb"])(
    "the parameter %s is ignored, because shared links or tests of caches add it",
    (name) => {
      expect(unknownParameters(new Set([name]), routeNamed("records"))).toEqual([]);
    },
  );

  test.each(["utm", "__", "cbx", "CB", "clid"])(
    "the parameter %s is rejected, because it only looks like one that is ignored",
    (name) => {
      for (const of of ["records", "docs"] as const)
        expect(unknownParameters(new Set([name]), routeNamed(of))).toHaveLength(1);
    },
  );

  test.each(CLICKS)("the parameter %s is ignored only by pages of the site", (name) => {
    const ignoring = ROUTES.filter((route) => unknownParameters(new Set([name]), route).length === 0);
    expect(ignoring.map(({ path }) => path)).toEqual(expect.arrayContaining(["/", "/docs", "/problems/{type}"]));
    expect(ignoring.filter(({ html, contentType }) => !html && contentType !== HTML_TYPE)).toEqual([]);
  });

  test("the errors for unknown parameters shorten long names, and list at most 20", () => {
    const names = new Set(Array.from({ length: 50 }, (_, i) => `${i}${"x".repeat(100)}`));
    const faults = unknownParameters(names, routeNamed("records"));
    expect(faults).toHaveLength(20);
    expect(faults.every(({ path }) => path.length === 60)).toBe(true);
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
  test.each(FIELDS)("the value $value is written as the CSV field $field", async ({ value, field }) => {
    const text = (await csvBody(["id", "a.b"], [{ id: "x", a: { b: value } }])).toString();
    expect(text).toBe(`id,a.b\r\nx,${field}\r\n`);
  });

  test("CSV has empty fields for an object that a row lacks, and a header even without rows", async () => {
    expect((await csvBody(["id", "a.b"], [{ id: "x", a: null }])).toString()).toBe("id,a.b\r\nx,\r\n");
    expect((await csvBody(["id", "a.b"], [])).toString()).toBe("id,a.b\r\n");
  });

  test("every list has CSV columns", () => {
    for (const route of ROUTES.filter(({ list }) => list)) expect(csvColumns(route.answer).length).toBeGreaterThan(10);
    expect(() => csvColumns(routeNamed("record").answer)).toThrow("no array called data");
  });
});

describe("CSV columns", () => {
  test("the CSV columns of score ranges are in the order of the ranges", () => {
    for (const list of ["institutions", "geography"] as const) {
      const ranges = csvColumns(routeNamed(list).answer).filter((name) => name.startsWith("scoreDistribution."));
      expect(ranges).toEqual(SCORE_RANGES.map((range) => `scoreDistribution.${range}`));
    }
  });
});

describe("links to other pages of a list", () => {
  const listPages = (query: string, total: number) => {
    const route = routeNamed("authors");
    const links = formatLinks(route, listQuery.parse(readQuery(route, query)), total);
    return Object.fromEntries(
      Array.from((links ?? "").matchAll(/<([^>]+)>; rel="(\w+)"/g), ([, target = "", relation]) => [relation, target]),
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
  test.each(CASES)("a list of $total rows with ?$query links to the right pages", ({ query, total, pages }) => {
    const wanted = Object.entries(pages).map(([relation, page]) => [relation, `/authors?page=${page}`]);
    expect(listPages(query, total)).toEqual(Object.fromEntries(wanted));
  });

  test("links to other pages keep the filters of the request, escaped, and leave out default values", () => {
    const { next } = listPages("limit=5&search=a%26b%3Ec%22é&sortOrder=asc&rubric=1.0&utm_x=1", 25);
    expect(next).toBe("/authors?rubric=1.0&page=2&limit=5&search=a%26b%3Ec%22%C3%A9");
  });

  test("the Link header of a long query leaves out the first and the last page, and of a longer one all links", () => {
    const relations = (characters: number) => Object.keys(listPages(`page=2&search=${"文".repeat(characters)}`, 99));
    expect(relations(20)).toEqual(["first", "prev", "next", "last"]);
    expect(relations(90)).toEqual(["prev", "next"]);
    expect(relations(500)).toEqual([]);
  });

  test("the Link header of CSV keeps the next cursor of a long query, which the header of JSON leaves out", () => {
    const route = routeNamed("records");
    const query = listQuery.parse(readQuery(route, `cursor=*&search=${"文".repeat(500)}`));
    expect(formatCursorLinks(route, query, "next-cursor", false)).toBeNull();
    expect(formatCursorLinks(route, query, "next-cursor", true)).toMatch(
      /^<[^>]*cursor=next-cursor[^>]*>; rel="next"$/,
    );
  });
});

describe("results that several requests share", () => {
  const counted = (max = 10) => new SharedResults<number>({ max });

  test("a shared result is computed once for simultaneous and later requests, and again after a failure", async () => {
    const totals = counted();
    let counts = 0;
    const count = async () => {
      counts += 1;
      if (counts === 1) throw new Error("broken");
      return 7;
    };
    await expect(totals.of("a", count)).rejects.toThrow("broken");
    expect(totals.has("a")).toBe(false);
    expect(await Promise.all([totals.of("a", count), totals.of("a", count)])).toEqual([7, 7]);
    expect([await totals.of("a", count), counts, totals.has("a")]).toEqual([7, 2, true]);
  });

  test.each([new ClientGone(), new TurnLost("overloaded", "Too many queries are waiting.")])(
    "a shared result is computed again for a waiting client if the first client gets: $message",
    async (problem) => {
      const totals = counted();
      const { promise: gone, reject } = Promise.withResolvers<number>();
      const first = totals.of("a", () => gone);
      const others = [totals.of("a", async () => 7), totals.of("a", async () => 8)];
      reject(problem);
      await expect(first).rejects.toBe(problem);
      expect(await Promise.all(others)).toEqual([7, 7]);
    },
  );

  test("shared results with long keys take no more memory than with short ones", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const totals = counted(5000);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 5000; i += 1) await totals.of(`${i} ${"x".repeat(20_000)}`, async () => i);
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
    expect(await totals.of(`0 ${"x".repeat(20_000)}`, async () => -1)).toBe(0);
  });

  test.each([
    { name: "number", results: () => new SharedResults<string>({ max: 2 }) },
    {
      name: "size",
      results: () => new SharedResults<string>({ maxSize: 200, sizeCalculation: ({ length }: string) => length }),
    },
  ])("shared results are limited by $name, and the one that was unused for longest is dropped", async ({ results }) => {
    const texts = results();
    const made: string[] = [];
    const ask = (key: string) =>
      texts.of(key, async () => {
        made.push(key);
        return key.repeat(100);
      });
    for (const key of ["a", "b", "a", "c", "a", "b"]) await ask(key);
    expect(made).toEqual(["a", "b", "c", "b"]);
  });
});

describe("the folder for temporary files", () => {
  test("the folder for temporary files belongs to one server, and is removed when the server ends", async () => {
    await using folder = await temporaryStore();
    const scratch = await makeScratch(folder.store);
    expect(scratch.folder.startsWith(folder.store.queries(""))).toBe(true);
    expect(existsSync(scratch.spill)).toBe(true);
    await scratch.remove();
    expect(readdirSync(folder.store.queries(""))).toEqual([]);
  });

  test("old temporary folders are removed only if they were unused for a long time", async () => {
    await using folder = await temporaryStore();
    const before = new Date(Date.now() - ABANDONED_MILLISECONDS - 60_000);
    const leave = (name: string, { sign, made }: { sign?: Date; made?: Date }) => {
      const path = folder.store.queries(name);
      mkdirSync(join(path, "spill"), { recursive: true });
      if (sign !== undefined) {
        writeFileSync(join(path, SIGN_OF_LIFE), "");
        utimesSync(join(path, SIGN_OF_LIFE), sign, sign);
      }
      if (made !== undefined) utimesSync(path, made, made);
      return path;
    };
    const others = {
      silent: leave("silent", { sign: before, made: before }),
      neverSigned: leave("never-signed", { made: before }),
      signing: leave("signing", { sign: new Date(), made: before }),
      justBegun: leave("just-begun", {}),
      build: folder.store.work("build"),
    };
    mkdirSync(others.build, { recursive: true });
    const used = await makeScratch(folder.store);
    const left = Object.entries(others).filter(([, path]) => existsSync(path));
    expect(left.map(([name]) => name)).toEqual(["signing", "justBegun", "build"]);
    await used.remove();
  });
});
