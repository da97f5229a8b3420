/** Lists by query over a real release: filters, orders, pages, totals, CSV, and the bytes of every page. */

import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import { pageOf, pagePath, type Route } from "../../api-static/routes/route.ts";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { Random } from "../../fixtures/generate/random.ts";
import { SORTS } from "../../schemas/public/api/queries.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { etagOf } from "../../server/http/answer.ts";
import { answerByQuery } from "../../server/read/answers/answer-by-query.ts";
import { LIST_NAMES, type ListName, TABLES } from "../../server/read/queries/lists.ts";
import type { OpenRelease } from "../../server/read/release/open-release.ts";
import { RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { pagesIn } from "../support/release-pages.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { askList, rowsOf } from "./ask-list.ts";
import { openLast } from "./described-release.ts";
import { parsedCsv } from "./parsed-csv.ts";

const generated = (source: "datacite" | "zenodo" | "clinicaltrials", records: number) =>
  Object.fromEntries(
    [...generatePayloads({ source, records, seed: 5 })].map(({ sourceId, payload }) => [sourceId, payload]),
  );

const trials = generated("clinicaltrials", 40);
const zenodo = generated("zenodo", 60);
const datacite = generated("datacite", 200);
const FAILED = "zenodo/99000200";

/** The first record of Zenodo is known to the registry too, by the same DOI. */
function loserOf(): { readonly doi: string; readonly payload: string } {
  const doi: string = JSON.parse(Object.values(zenodo)[0] ?? "").doi;
  const like = JSON.parse(Object.values(datacite)[0] ?? "");
  const record = { ...like, id: doi, attributes: { ...like.attributes, doi } };
  return { doi, payload: JSON.stringify(record) };
}

const idOf = (identifier: string) => `r${hash("sha256", identifier).slice(0, 24)}`;

describe("lists", () => {
  let folder: FilledStore;
  let release: OpenRelease;
  let pages: ReadonlyMap<string, Buffer>;
  const pageAt = (path: string) => String(pages.get(path));
  const loser = loserOf();
  const winner = `zenodo/${Object.keys(zenodo)[0]}`;

  beforeAll(async () => {
    const captures = Object.entries({
      clinicaltrials: trials,
      zenodo: { ...zenodo, "99000200": "{" },
      datacite: { ...datacite, [loser.doi]: loser.payload },
    }).flatMap(([source, payloads]) =>
      Object.entries(payloads).map(([sourceId, payload]) => ({
        source,
        sourceId,
        payload,
        retrievedAt: RETRIEVED_AT,
      })),
    );
    folder = await filledStore({ captures, builds: [{}] });
    release = await openLast(folder);
    pages = await pagesIn(release.folder);
  }, 300_000);

  afterAll(async () => {
    await release?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  /** All rows of a list, page after page. */
  async function everyRow(list: ListName, query: string, limit: number) {
    const rows: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await rowsOf(release, list, `${query}&limit=${limit}&page=${page}`);
      rows.push(...data);
      expect(pagination.hasPrev).toBe(page > 1);
      if (!pagination.hasNext) {
        expect(rows).toHaveLength(pagination.total);
        return rows;
      }
    }
  }

  test("the same bytes as 500 pages taken at random", async () => {
    const random = new Random(11, 0, 0);
    const keys = await keysOf(release);
    const every = ROUTES.flatMap((route) =>
      route.pages.flatMap((page) => (keys[route.name] ?? [""]).map((key) => ({ route, page, key }))),
    );
    const seen = new Set<string>();
    for (let i = 0; i < 500; i += 1) {
      // Every route often, though most pages are of records.
      const route = random.pick(ROUTES.filter(({ pages: some }) => some.length > 0));
      const { page, key } = random.pick(every.filter((entry) => entry.route === route));
      const file = pageAt(pagePath(route, page, key));
      const text = route.list
        ? (await askList(release, nameOf(route), page.query)).text
        : await byQuery(route, page.version, key);
      expect({ route: route.name, key, query: page.query, text }).toEqual({
        route: route.name,
        key,
        query: page.query,
        text: file,
      });
      seen.add(route.name);
    }
    expect([...seen].sort()).toEqual(
      ROUTES.filter(({ pages: some }) => some.length > 0)
        .map(({ name }) => name)
        .sort(),
    );
  });

  async function byQuery(route: Route, version: (typeof PUBLIC_VERSIONS)[number] | null, key: string): Promise<string> {
    const answer = await answerByQuery({ route, key, version, query: {} }, release);
    return answer?.body instanceof Uint8Array ? Buffer.from(answer.body).toString("utf8") : "none";
  }

  test.each(["record", "impact", "dataset-badge", "author", "researcher-badge", "repository-badge", "rubric"])(
    "%s of nothing listed is nothing",
    async (name) => {
      for (const key of ["", "r000000000000000000000000", "a-0000-0000-0000-0000", "x' or '1'='1"]) {
        expect(await answerByQuery({ route: routeNamed(name), key, version: "2.0", query: {} }, release)).toBeNull();
      }
    },
  );

  const orders = LIST_NAMES.flatMap((list) =>
    SORTS[list].flatMap((sortBy) =>
      (["asc", "desc"] as const).flatMap((sortOrder) =>
        PUBLIC_VERSIONS.map((rubric) => ({ list, sortBy, sortOrder, rubric })),
      ),
    ),
  );
  test.each(orders)("$list by $sortBy $sortOrder under $rubric", async ({ list, sortBy, sortOrder, rubric }) => {
    const listed = await everyRow(list, `sortBy=${sortBy}&sortOrder=${sortOrder}&rubric=${rubric}`, 100);
    const rows = list === "authors" ? listed.map((row) => ({ ...row, ...bucketMeansOf(row, rubric) })) : listed;
    const sorted = rows.toSorted((one, other) => compare(one, other, sortBy, sortOrder));
    expect(rows.map(keyOf)).toEqual(sorted.map(keyOf));
    expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
  });

  /** The means of a researcher's buckets, which only their own page shows, by the names that records have for buckets. */
  function bucketMeansOf({ slug: key }: Readonly<Record<string, unknown>>, rubric: PublicVersion) {
    const route = routeNamed("author");
    const page = pageAt(pagePath(route, pageOf(route, rubric), String(key)));
    const { S, H, A, R, E } = researcherDetail.parse(JSON.parse(page)).bucketMeans;
    const reuse = { reuseScore: rubric === "1.0" ? R : null, reusabilityScore: rubric === "2.0" ? R : null };
    return { stewardshipScore: S, harmonizationScore: H, accessScore: A, engagementScore: E, ...reuse };
  }

  const FILTERS: readonly { list: ListName; query: string; keeps: (row: Record<string, unknown>) => boolean }[] = [
    { list: "records", query: "repository=Zenodo", keeps: (row) => row.repository === "Zenodo" },
    { list: "records", query: "repository=zenodo", keeps: (row) => row.repository === "Zenodo" },
    { list: "records", query: "repository=ZENODO", keeps: (row) => row.repository === "Zenodo" },
    { list: "records", query: "repository=Zenod", keeps: () => false },
    { list: "records", query: "minScore=38.96984089297771", keeps: (row) => Number(row.shareScore ?? -1) >= 39 },
    { list: "records", query: "minScore=3e1", keeps: (row) => Number(row.shareScore ?? -1) >= 30 },
    { list: "records", query: "maxScore=2.79E%2B1", keeps: (row) => Number(row.shareScore ?? 101) <= 27.9 },
    { list: "records", query: "minScore=30", keeps: (row) => Number(row.shareScore ?? -1) >= 30 },
    { list: "records", query: "minScore=.5", keeps: (row) => Number(row.shareScore ?? -1) >= 0.5 },
    { list: "records", query: "minScore=30.5", keeps: (row) => Number(row.shareScore ?? -1) >= 30.5 },
    { list: "records", query: "maxScore=27.9", keeps: (row) => Number(row.shareScore ?? 101) <= 27.9 },
    { list: "records", query: "minScore=0", keeps: (row) => row.score !== null },
    { list: "records", query: "maxScore=100", keeps: (row) => row.score !== null },
    {
      list: "records",
      query: "minScore=20&maxScore=40&repository=Zenodo",
      keeps: (row) => row.repository === "Zenodo" && Number(row.shareScore ?? -1) >= 20 && Number(row.shareScore) <= 40,
    },
    { list: "records", query: "minSupportedChecks=0", keeps: () => true },
    { list: "records", query: `identifier=${winner}`, keeps: (row) => row.id === idOf(winner) },
    { list: "records", query: `identifier=datacite/${loser.doi}`, keeps: (row) => row.id === idOf(winner) },
    { list: "records", query: `identifier=${FAILED}`, keeps: (row) => row.id === idOf(FAILED) },
    { list: "records", query: "identifier=zenodo/0", keeps: () => false },
    { list: "records", query: "identifier=", keeps: () => false },
    ...[
      `identifier=${loser.doi}`,
      `identifier=doi:${loser.doi.toUpperCase()}`,
      `identifier=${encodeURIComponent(`https://doi.org/${loser.doi}`)}`,
      `identifier=DataCite/${loser.doi.toUpperCase()}`,
      `identifier=${encodeURIComponent(`https://zenodo.org/records/${winner.slice("zenodo/".length)}`)}`,
      `doi=${loser.doi}`,
      `doi=doi:%20${loser.doi}`,
      `doi=${encodeURIComponent(`https://dx.doi.org/${loser.doi.toUpperCase()}`)}`,
      `doi=${encodeURIComponent(encodeURIComponent(loser.doi))}`,
      `doi=${loser.doi}&search=${loser.doi}`,
    ].map((query) => ({
      list: "records" as const,
      query,
      keeps: (row: Record<string, unknown>) => row.id === idOf(winner),
    })),
    { list: "records", query: "doi=10.5072/nothing", keeps: () => false },
    { list: "authors", query: "minSIndex=1e300", keeps: () => false },
    { list: "authors", query: "minDatasets=0.2e1", keeps: (row) => Number(row.datasetCount) >= 2 },
    { list: "authors", query: "minSIndex=2", keeps: (row) => Number(row.sIndex) >= 2 },
    {
      list: "authors",
      query: "minDatasets=1.5&minSIndex=1",
      keeps: (row) => Number(row.datasetCount) >= 2 && Number(row.sIndex) >= 1,
    },
    { list: "authors", query: "minSIndex=999999999", keeps: () => false },
    { list: "institutions", query: "countryCode=ita", keeps: (row) => row.countryCode === "ITA" },
  ];
  test.each(FILTERS)("$list?$query", async ({ list, query, keeps }) => {
    const all = await everyRow(list, "", 100);
    const kept = all.filter(keeps);
    expect(await everyRow(list, query, 7)).toEqual(kept);
    // Bounds that let all or nothing through prove only that; the others must do both.
    if (kept.length > 0 && !query.endsWith("Checks=0")) expect(kept.length).toBeLessThan(all.length);
  });

  const FACETS = [
    { parameter: "disease", field: "diseases" },
    { parameter: "ageGroup", field: "ageGroups" },
    { parameter: "dataType", field: "dataTypes" },
    { parameter: "recordKind", field: "recordKind" },
    { parameter: "accessStatus", field: "accessStatus" },
  ] as const;
  test.each(FACETS)("$parameter matches stored values exactly", async ({ parameter, field }) => {
    const details = await everyDetail();
    const values = new Set(details.flatMap((detail) => detail[field] ?? []).map(String));
    expect(values.size).toBeGreaterThan(0);
    for (const value of values) {
      const query = (text: string) => new URLSearchParams({ [parameter]: text }).toString();
      const holding = details.filter((detail) => [detail[field]].flat().includes(value)).map(({ id }) => id);
      expect((await everyRow("records", query(value), 100)).map(({ id }) => id)).toEqual(holding);
      expect(await everyRow("records", query(`${value} `), 100)).toEqual([]);
    }
  });

  test("an ORCID iD finds whoever has it, in any spelling, by filter and by search", async () => {
    const all = await everyRow("authors", "", 100);
    const known = all.find(({ orcid }) => orcid !== null);
    const orcid = String(known?.orcid);
    for (const text of [orcid, orcid.replaceAll("-", ""), `https://orcid.org/${orcid}`, `orcid:${orcid}`]) {
      for (const name of ["orcid", "search"]) {
        expect(await everyRow("authors", `${name}=${encodeURIComponent(text)}`, 10)).toEqual([known]);
      }
    }
    const family = encodeURIComponent(String(known?.name).split(/[\s,]+/)[0] ?? "");
    expect(await everyRow("authors", `search=${orcid}%20${family}`, 10)).toEqual([known]);
    expect(await everyRow("authors", `search=${orcid}%20nobody`, 10)).toEqual([]);
    expect(await everyRow("authors", `search=${orcid}%200000-0002-1825-0097`, 10)).toEqual([]);
    expect(await everyRow("authors", "orcid=0000-0002-1825-0097", 10)).toEqual([]);
  });

  test("minSupportedChecks counts what the pledge supports, of a failed record too", async () => {
    const details = await everyDetail();
    for (const least of [1, 10, 12.5, 13, 16, 19, 22, 25]) {
      const wanted = details.filter(({ cap }) => Number(cap) / 4 >= least).map(({ id }) => id);
      expect((await everyRow("records", `minSupportedChecks=${least}`, 100)).map(({ id }) => id)).toEqual(wanted);
    }
    expect(details.some(({ scoreStatus }) => scoreStatus === "failed")).toBe(true);
  });

  let known: Promise<Record<string, unknown>[]> | null = null;
  /** The details of all records, by id, as their pages have them. */
  function everyDetail(): Promise<Record<string, unknown>[]> {
    const route = routeNamed("record");
    const detailOf = (id: string) => JSON.parse(pageAt(pagePath(route, pageOf(route, "2.0"), id)));
    known ??= everyRow("records", "", 100).then((rows) => rows.map(({ id }) => detailOf(String(id))));
    return known;
  }

  test("failed records come last under every score, up and down", async () => {
    for (const sortBy of ["score", "S", "reusabilityScore"]) {
      for (const sortOrder of ["asc", "desc"]) {
        const rows = await everyRow("records", `sortBy=${sortBy}&sortOrder=${sortOrder}`, 100);
        expect(rows.at(-1)?.id).toBe(idOf(FAILED));
      }
    }
  });

  test("a page past the end is empty, and links lead back", async () => {
    const { text, headers } = await askList(release, "records", "page=10000&limit=100&sortBy=title&repository=Zenodo");
    expect(JSON.parse(text)).toMatchObject({ data: [], pagination: { page: 10_000, hasNext: false, hasPrev: true } });
    expect(headers.link).toBe(
      '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="first", ' +
        '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="prev", ' +
        '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="last"',
    );
  });

  test("totals are counted once a filter, whatever the page and the order", async () => {
    const asked: string[] = [];
    const rows = release.prepared.rows.bind(release.prepared);
    release.prepared.rows = (sql, parameters) => {
      asked.push(sql);
      return rows(sql, parameters);
    };
    for (const query of ["page=1", "page=2", "page=3&sortBy=title", "page=1&limit=5&sortOrder=desc"]) {
      await rowsOf(release, "records", `minScore=12&maxScore=88&${query}`);
    }
    expect(asked.filter((sql) => sql.includes("count(*)"))).toHaveLength(1);
    release.prepared.rows = rows;
  });

  const CSV = [
    { list: "records", query: "limit=100&sortBy=score&sortOrder=desc" },
    { list: "records", query: "limit=100&page=3&rubric=1.0" },
    { list: "records", query: "search=nothing-like-it" },
    { list: "authors", query: "limit=50" },
    { list: "institutions", query: "" },
    { list: "geography", query: "rubric=1.0" },
  ] as const;
  test.each(CSV)("$list?$query as CSV: the same rows in the same order", async ({ list, query }) => {
    const json = await rowsOf(release, list, query);
    const { text, headers } = await askList(release, list, query, true);
    const [header = [], ...lines] = await parsedCsv(text);
    expect(headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "x-total-count": String(json.pagination.total),
      etag: etagOf(Buffer.from(text)),
    });
    expect(headers.link).toBe((await askList(release, list, query)).headers.link);
    expect(lines).toEqual(json.data.map((row) => header.map((column) => shown(row, column))));
    expect(text.endsWith("\r\n")).toBe(true);
    const [row] = json.data.filter(({ score }) => score !== null);
    // Where in the row a range stands is no choice of ours: objects have whole numbers first.
    if (row !== undefined) expect(header.toSorted()).toEqual(paths(row).toSorted());
    if (row !== undefined && list !== "institutions" && list !== "geography") expect(header).toEqual(paths(row));
    expect(header).toContain(list === "geography" ? "bucketMeans.S" : "id");
  });
});

function nameOf(route: Route): ListName {
  const name = LIST_NAMES.find((list) => list === route.name);
  if (name === undefined) throw new Error(`${route.name} is no list`);
  return name;
}

async function keysOf({ prepared }: OpenRelease): Promise<Readonly<Record<string, readonly string[]>>> {
  const column = async (sql: string) => (await prepared.rows(sql)).map(([value]) => String(value));
  const ids = await column("select id from record order by id");
  const slugs = await column(`select slug from ${TABLES.texts("authors")} order by id`);
  const labels = await column("select distinct repository from repository order by all");
  return {
    record: ids,
    impact: ids,
    "dataset-badge": ids,
    author: slugs,
    "researcher-badge": slugs,
    "repository-badge": labels.filter((label) => /^[A-Za-z0-9][A-Za-z0-9 ._~-]*$/.test(label)),
    rubric: ["2.0", "1.0", "1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"],
  };
}

const keyOf = (row: Readonly<Record<string, unknown>>) => String(row.id ?? row.countryCode);

/** By UTF-8, as the engine and the pages order text. */
function compareValues(one: unknown, other: unknown): number {
  return typeof one === "number" && typeof other === "number"
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

const BUCKETS: Readonly<Record<string, string>> = {
  S: "stewardshipScore",
  H: "harmonizationScore",
  A: "accessScore",
  E: "engagementScore",
};

function fieldOf(row: Readonly<Record<string, unknown>>, sortBy: string): unknown {
  if (sortBy === "score") return row.shareScore;
  if (sortBy === "R") return row.reusabilityScore ?? row.reuseScore;
  return row[BUCKETS[sortBy] ?? sortBy];
}

/** Nulls last and ties by id ascending, whatever the direction. */
function compare(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  sortBy: string,
  sortOrder: "asc" | "desc",
): number {
  const [left, right] = [fieldOf(one, sortBy), fieldOf(other, sortBy)];
  const byId = compareValues(keyOf(one), keyOf(other));
  if (left === null || right === null) return left === right ? byId : left === null ? 1 : -1;
  return (sortOrder === "asc" ? 1 : -1) * compareValues(left, right) || byId;
}

function shown(row: Readonly<Record<string, unknown>>, column: string): string {
  let at: unknown = row;
  for (const name of column.split(".")) at = typeof at === "object" && at !== null ? Reflect.get(at, name) : null;
  return at === null || at === undefined ? "" : String(at);
}

/** Paths of a row's members, in their order. */
function paths(value: object, before: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" && member !== null ? paths(member, [...before, name]) : [[...before, name].join(".")],
  );
}
