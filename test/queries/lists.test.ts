/**
 * Lists that are computed from the tables of a real release: orders, filters, totals, CSV, and the same bytes as the stored
 * pages.
 */

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile, pagePath, type Route } from "../../api-static/routes/route.ts";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { Random } from "../../fixtures/generate/random.ts";
import { Database } from "../../pipeline/engine/open.ts";
import { LIST_NAMES, type ListName, listSorts } from "../../schemas/public/api/lists.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { makeEtag } from "../../server/http/response.ts";
import { TABLES } from "../../server/read/list-tables.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { responseByQuery } from "../../server/read/page-by-query.ts";
import { RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { pagesIn } from "../support/release-pages.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { askList, readRows } from "./ask-list.ts";
import { openLast } from "./described-release.ts";
import { parsedCsv } from "./parsed-csv.ts";

const generated = (source: "datacite" | "zenodo" | "clinicaltrials", records: number) =>
  Object.fromEntries(
    [...generatePayloads({ source, records, seed: 5 })].map(({ sourceId, payload }) => [sourceId, payload]),
  );

const trials = generated("clinicaltrials", 40);
const zenodo = generated("zenodo", 60);
const datacite = generated("datacite", 200);

/** Makes a DataCite payload with the DOI of the first Zenodo record, so that the release merges both into one record. */
function makeLoser(): { readonly doi: string; readonly payload: string } {
  const doi: string = JSON.parse(Object.values(zenodo)[0] ?? "").doi;
  const like = JSON.parse(Object.values(datacite)[0] ?? "");
  const record = { ...like, id: doi, attributes: { ...like.attributes, doi } };
  return { doi, payload: JSON.stringify(record) };
}

describe("lists of a release", () => {
  let folder: FilledStore;
  let release: OpenRelease;
  let pages: ReadonlyMap<string, Buffer>;
  const pageAt = (path: string) => String(pages.get(path));
  const loser = makeLoser();

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

  /** Reads all rows of a list, page by page. */
  async function everyRow(list: ListName, query: string, limit: number) {
    const rows: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await readRows(release, list, `${query}&limit=${limit}&page=${page}`);
      rows.push(...data);
      expect(pagination.hasPrev).toBe(page > 1);
      if (!pagination.hasNext) {
        expect(rows).toHaveLength(pagination.total);
        return rows;
      }
    }
  }

  test("500 random pages of a release have exactly the bytes that the queries compute for them", async () => {
    const random = new Random(11, 0, 0);
    const keys = await readKeys(release);
    const every = ROUTES.flatMap((route) =>
      route.pages.flatMap((page) => (keys[route.name] ?? [""]).map((key) => ({ route, page, key }))),
    );
    const seen = new Set<string>();
    for (let i = 0; i < 500; i += 1) {
      // The route is picked before the page, so that each route gets many pages although most pages are of records.
      const route = random.pick(ROUTES.filter(({ pages: some }) => some.length > 0));
      const { page, key } = random.pick(every.filter((entry) => entry.route === route));
      const file = pageAt(pagePath(route, page, key));
      const text = route.list
        ? (await askList(release, getListName(route), page.query)).text
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
    const answer = await responseByQuery({ route, key, version, query: {} }, release);
    return answer?.body instanceof Uint8Array ? Buffer.from(answer.body).toString("utf8") : "none";
  }

  test.each(["record", "impact", "dataset-badge", "author", "researcher-badge", "repository-badge", "rubric"])(
    "a query of the route %s with an unknown key has no response",
    async (name) => {
      for (const key of ["", "r000000000000000000000000", "a-0000-0000-0000-0000", "x' or '1'='1"]) {
        expect(await responseByQuery({ route: routeNamed(name), key, version: "2.0", query: {} }, release)).toBeNull();
      }
    },
  );

  const orders = LIST_NAMES.flatMap((list) =>
    listSorts(list).flatMap((sortBy) =>
      (["asc", "desc"] as const).flatMap((sortOrder) =>
        PUBLIC_VERSIONS.map((rubric) => ({ list, sortBy, sortOrder, rubric })),
      ),
    ),
  );
  test.each(orders)(
    "$list can be sorted by $sortBy $sortOrder under $rubric",
    async ({ list, sortBy, sortOrder, rubric }) => {
      const listed = await everyRow(list, `sortBy=${sortBy}&sortOrder=${sortOrder}&rubric=${rubric}`, 100);
      const rows = list === "authors" ? listed.map((row) => ({ ...row, ...readBucketMeans(row, rubric) })) : listed;
      const sorted = rows.toSorted((one, other) => compare(one, other, sortBy, sortOrder));
      expect(rows.map(getKey)).toEqual(sorted.map(getKey));
      expect(new Set(rows.map(getKey)).size).toBe(rows.length);
    },
  );

  /**
   * Reads the bucket averages of a researcher from the researcher's page, under the field names that records have. Rows of the
   * list lack them.
   */
  function readBucketMeans({ slug: key }: Readonly<Record<string, unknown>>, rubric: PublicVersion) {
    const route = routeNamed("author");
    const page = pageAt(pagePath(route, getPageFile(route, rubric), String(key)));
    const { S, H, A, R, E } = researcherDetail.parse(JSON.parse(page)).bucketMeans;
    const reuse = { reuseScore: rubric === "1.0" ? R : null, reusabilityScore: rubric === "2.0" ? R : null };
    return { stewardshipScore: S, harmonizationScore: H, accessScore: A, engagementScore: E, ...reuse };
  }

  test("a search for an ORCID iD and a name lists only people with both", async () => {
    const all = await everyRow("authors", "", 100);
    const known = all.find(({ orcid }) => orcid !== null);
    const orcid = String(known?.orcid);
    const family = encodeURIComponent(String(known?.name).split(/[\s,]+/)[0] ?? "");
    expect(await everyRow("authors", `search=${orcid}%20${family}`, 10)).toEqual([known]);
    expect(await everyRow("authors", `search=${orcid}%20nobody`, 10)).toEqual([]);
    expect(await everyRow("authors", `search=${orcid}%200000-0002-1825-0097`, 10)).toEqual([]);
  });

  test("a page beyond the end of a list is empty, and links back to the last page", async () => {
    const { text, headers } = await askList(release, "records", "page=10000&limit=100&sortBy=title&repository=Zenodo");
    expect(JSON.parse(text)).toMatchObject({ data: [], pagination: { page: 10_000, hasNext: false, hasPrev: true } });
    expect(headers.link).toBe(
      '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="first", ' +
        '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="prev", ' +
        '</records?page=1&limit=100&sortBy=title&repository=Zenodo>; rel="last"',
    );
  });

  test("the rows that match a filter are looked up once for all orders and pages", async () => {
    const lookups = vi.spyOn(Database.prototype, "positionBits");
    for (const query of ["page=1", "page=2", "page=3&sortBy=title", "page=1&limit=5&sortOrder=desc"]) {
      await readRows(release, "records", `minScore=12&maxScore=88&${query}`);
    }
    expect(lookups.mock.calls.map(([sql]) => sql)).toEqual([
      expect.stringContaining("$minScore"),
      expect.stringContaining("$maxScore"),
    ]);
    lookups.mockRestore();
  });

  const CSV = [
    { list: "records", query: "limit=100&sortBy=score&sortOrder=desc" },
    { list: "records", query: "limit=100&page=3&rubric=1.0" },
    { list: "records", query: "search=nothing-like-it" },
    { list: "authors", query: "limit=50" },
    { list: "institutions", query: "" },
    { list: "geography", query: "rubric=1.0" },
  ] as const;
  test.each(CSV)("a list as CSV has the rows of its JSON in the same order: $list?$query", async ({ list, query }) => {
    const json = await readRows(release, list, query);
    const { text, headers } = await askList(release, list, query, true);
    const [header = [], ...lines] = await parsedCsv(text);
    expect(headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "x-total-count": String(json.pagination.total),
      etag: makeEtag(Buffer.from(text)),
    });
    expect(headers.link).toBe((await askList(release, list, query)).headers.link);
    expect(lines).toEqual(json.data.map((row) => header.map((column) => shown(row, column))));
    expect(text.endsWith("\r\n")).toBe(true);
    const [row] = json.data.filter(({ score }) => score !== null);
    // Score ranges such as "100" come first in an object, because JavaScript puts integer keys first, so their order may differ.
    if (row !== undefined) expect(header.toSorted()).toEqual(paths(row).toSorted());
    if (row !== undefined && list !== "institutions" && list !== "geography") expect(header).toEqual(paths(row));
    expect(header).toContain(list === "geography" ? "bucketMeans.S" : "id");
  });
});

function getListName(route: Route): ListName {
  const name = LIST_NAMES.find((list) => list === route.name);
  if (name === undefined) throw new Error(`${route.name} is not a list`);
  return name;
}

async function readKeys({ engine: prepared }: OpenRelease): Promise<Readonly<Record<string, readonly string[]>>> {
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

const getKey = (row: Readonly<Record<string, unknown>>) => String(row.id ?? row.countryCode);

/** Compares numbers by value and texts by their UTF-8 bytes, as the engine and the pages do. */
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

function getField(row: Readonly<Record<string, unknown>>, sortBy: string): unknown {
  if (sortBy === "score") return row.shareScore;
  if (sortBy === "R") return row.reusabilityScore ?? row.reuseScore;
  if (sortBy === "relevance") return row.title === null ? null : -Array.from(String(row.title)).length;
  if (sortBy === "identity") return `${row.orcid === null ? 1 : 0} ${row.name}`;
  return row[BUCKETS[sortBy] ?? sortBy];
}

/** Fields that order rows with the same sort key, highest value first. The id decides if these are equal too. */
const TIES: Readonly<Record<string, readonly string[]>> = {
  shareOfCap: ["score", "pubDate"],
  relevance: ["pubDate"],
  identity: ["datasetCount"],
};

/** Compares two rows. Nulls are last, and rows with the same sort key have the same order in both directions. */
function compare(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  sortBy: string,
  sortOrder: "asc" | "desc",
): number {
  const byKey = compareField(one, other, sortBy, sortOrder);
  const byTie = (TIES[sortBy] ?? []).map((tie) => compareField(one, other, tie, "desc")).find((order) => order !== 0);
  return byKey || (byTie ?? compareValues(getKey(one), getKey(other)));
}

function compareField(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  sortBy: string,
  sortOrder: "asc" | "desc",
): number {
  const [left, right] = [getField(one, sortBy), getField(other, sortBy)];
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  return (sortOrder === "asc" ? 1 : -1) * compareValues(left, right);
}

function shown(row: Readonly<Record<string, unknown>>, column: string): string {
  let at: unknown = row;
  for (const name of column.split(".")) at = typeof at === "object" && at !== null ? Reflect.get(at, name) : null;
  return at === null || at === undefined ? "" : String(at);
}

/** Lists the paths of the simple values in a row, in order, for example `score.total`. */
function paths(value: object, before: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" && member !== null ? paths(member, [...before, name]) : [[...before, name].join(".")],
  );
}
