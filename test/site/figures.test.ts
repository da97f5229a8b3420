/** Figures on pages and badges, each compared with a figure that the test computes from the Parquet tables in whole numbers. */

import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { computeExactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { improvements } from "../../schemas/public/api/improvements.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { changeText } from "../../web/components/figures.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";

let store: ReleasedStore;
let server: Listening;
let db: Database;

beforeAll(async () => {
  store = await releasedStore({});
  server = await serve(store.store, {});
  db = await openDuckDB();
  for (const table of ["records", "scores", "attributions", "affiliations", "funding", "authorships", "researchers"]) {
    const files = quote(join(store.store.root, "current", "data", table, "*.parquet"));
    await db.run(`create view ${table} as select * from read_parquet(${files})`);
  }
});

afterAll(async () => {
  db?.close();
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

const read = async (path: string) => (await ask(server.port, path, { headers: { accept: "text/html" } })).text;

const counts = z.object({
  key: z.coerce.string(),
  datasets: z.coerce.number(),
  scored: z.coerce.number(),
  points: z.coerce.number(),
  possible: z.coerce.number(),
  passed: z.coerce.number(),
  judged: z.coerce.number(),
  s: z.coerce.number(),
  h: z.coerce.number(),
  a: z.coerce.number(),
  r: z.coerce.number(),
  e: z.coerce.number(),
});
type Counts = z.infer<typeof counts>;

/**
 * Counts datasets and sums their points for each key, such as a repository. `grouped` is SQL that selects each pair of `key`
 * and dataset `id` once.
 */
async function readCounts(grouped: string, version = "2.0"): Promise<Counts[]> {
  const sum = (of: string) => `cast(coalesce(sum(${of}) filter (where total is not null), 0) as integer)`;
  const rows = await db.rows(
    `select key, cast(count(*) as integer) as datasets, cast(count(total) as integer) as scored, ${sum("total")} as points,
       ${sum("4 * bit_count(supported_mask)")} as possible, ${sum("bit_count(passed_mask)")} as passed,
       ${sum("bit_count(evaluable_mask)")} as judged, ${["s", "h", "a", "r", "e"].map((bucket) => `${sum(bucket)} as ${bucket}`).join(", ")}
     from (${grouped}) as grouped left join scores on scores.id = grouped.id and scores.rubric = ${quote(version)}
     group by key order by key`,
  );
  return rows.map((row) => counts.parse(row));
}

/** Divides `part` by `of` in whole numbers, and rounds the result once, half up, to this number of digits. */
function rounded(part: number, of: number, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const units = (2n * BigInt(part) * scale + BigInt(of)) / (2n * BigInt(of));
  const text = `${units % scale}`.padStart(digits, "0");
  return `${units / scale}.${text}`;
}

/** The average as lists show it: not with fewer than five scores. */
const average = ({ scored, points, possible }: Counts) =>
  scored === 0
    ? "not known"
    : scored < 5
      ? "too few scores"
      : `${rounded(points, scored, 2)} of ${rounded(possible, scored, 2)}`;
/** The share of the possible points; empty for a group with few scores. */
const possibleShare = ({ scored, points, possible }: Counts) =>
  scored < 5 ? "" : `${rounded(100 * points, possible, 1)} %`;

/** Returns the texts of the cells of each row of the tables in a page. */
function rowsIn(text: string): string[][] {
  return [...text.matchAll(/<tr>(<th scope="row".*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) =>
      cell
        .replace(/<label.*?<\/label>|<svg.*?<\/svg>|<[^>]*>/gs, "")
        .replace(/&amp;/g, "&")
        .trim(),
    ),
  );
}

/** Returns the figures in the list at the top of a page, as text and in order. */
const headIn = (text: string) =>
  [...text.matchAll(/<li>(?:<a [^>]*>)?<b>(.*?)<\/b>/g)].map(([, figure = ""]) => figure.replace(/<[^>]*>/g, ""));

/** Returns the number of datasets in the first sentence of a page with few scores. */
const countInLead = (text: string) => /<p class="lead"><b>(\d+)<\/b> dataset/.exec(text)?.[1];

const BY_REPOSITORY = "select repository as key, id from records where repository is not null";
const ALL = "select '' as key, id from records";

/** A figure as a page shows it and as the test computes it from the tables, with a name for error messages. */
type Pair = readonly [place: string, shown: string | undefined, computed: string];
const compared: Pair[] = [];

function compare(pairs: readonly Pair[]): void {
  expect(pairs.length).toBeGreaterThan(0);
  compared.push(...pairs);
  expect(pairs.map(([place, shown]) => [place, shown])).toEqual(pairs.map(([place, , computed]) => [place, computed]));
}

test.each(["2.0", "1.0"])("the list of repositories has the figures of the tables under SHARE %s", async (version) => {
  const rows = rowsIn(await read(`/repositories?rubric=${version}`));
  const found = await readCounts(BY_REPOSITORY, version);
  compare(
    found.flatMap((each): Pair[] => {
      const row = rows.find((cells) => cells[0] === each.key);
      return [
        [`${each.key} datasets`, row?.[1], String(each.datasets)],
        [`${each.key} average`, row?.[2], average(each)],
        [`${each.key} share`, row?.[3]?.replace(/ [a-z]+$/, ""), possibleShare(each)],
      ];
    }),
  );
});

test("the pages and badges of repositories have the figures of the tables", async () => {
  const pairs: Pair[] = [];
  for (const each of await readCounts(BY_REPOSITORY)) {
    const path = `/repositories/${encodeURIComponent(each.key)}`;
    const [datasets, mean, share] = headIn(await read(path));
    const badge = await read(`/widgets${path}/badge.svg`);
    const cap = each.possible === 100 * each.scored ? "" : ` of ${rounded(each.possible, each.scored, 1)}`;
    pairs.push(
      [`${each.key} datasets`, datasets, String(each.datasets)],
      ...(each.scored < 5
        ? []
        : [
            [`${each.key} average`, mean, average(each)] as const,
            [`${each.key} share`, share, possibleShare(each)] as const,
          ]),
      [
        `${each.key} badge`,
        /<title>SHARE mean: ([^<]*)/.exec(badge)?.[1],
        each.scored === 0 ? "not scored" : `${rounded(each.points, each.scored, 1)}${cap}`,
      ],
    );
  }
  compare(pairs);
});

test("the home page has the averages of the tables", async () => {
  const text = await read("/");
  const [all] = await readCounts(ALL);
  if (all === undefined) throw new Error("the release has no records");
  const [above] = await db.rows(
    "select cast(count(*) filter (where total >= 70) as integer) as above from scores where rubric = '2.0' and total is not null",
  );
  const buckets = [...text.matchAll(/<li><span>(\w+)<\/span>.*?<span class="num">([^<]*)<\/span>/gs)].slice(-5);
  const [points, caps] = [0, 1].map((at) => buckets.map(([, , words = ""]) => words.split(" of ")[at]));
  const cap = Number(average(all).split(" of ")[1]);
  expect(Math.abs(cap - (caps ?? []).reduce((sum, each) => sum + Number(each), 0))).toBeLessThan(0.03);
  compare([
    ["average", /The average dataset: <data[^>]*>([^<]*)/.exec(text)?.[1], average(all)],
    ["datasets", headIn(text)[0], all.datasets.toLocaleString("en-GB")],
    ["70 or more", headIn(text)[1], `${rounded(100 * Number(above?.above), all.scored, 2)} %`],
    ...(["s", "h", "a", "r", "e"] as const).map(
      (bucket, i): Pair => [buckets[i]?.[1] ?? "", points?.[i], rounded(all[bucket], all.scored, 2)],
    ),
  ]);
});

test("the lists of countries and of institutions have the averages of the tables", async () => {
  const countries = rowsIn(await read("/countries"));
  const byCountry = await readCounts(
    "select distinct country_code as key, id from attributions where country_code is not null",
  );
  const shown = countries.map((row) => row.slice(1, 3).join(": ")).toSorted();
  const computed = byCountry.map((each) => `${each.datasets}: ${average(each)}`).toSorted();
  expect(shown.length).toBe(computed.length);
  compare(computed.map((text, i): Pair => [`country ${i}`, shown[i], text]));
  const text = await read("/affiliations");
  const rows = rowsIn(text);
  const ids = [
    ...text.matchAll(/<td class="num" data-name="Datasets"><a href="\/datasets\?institution=([0-9a-f]{64})/g),
  ].map(([, id]) => id);
  const byInstitution = await readCounts("select distinct institution_id as key, id from attributions");
  compare(
    ids.flatMap((id, i): Pair[] => {
      const found = byInstitution.find(({ key }) => key === id);
      return [
        [`${rows[i]?.[0]} datasets`, rows[i]?.[1], String(found?.datasets)],
        [`${rows[i]?.[0]} average`, rows[i]?.[2], found === undefined ? "" : average(found)],
      ];
    }),
  );
});

test("the list of funders has the averages of the tables, and the datasets of each year", async () => {
  const text = await read("/funders");
  const byFunder = await readCounts("select distinct funder as key, id from funding where funder is not null");
  const years = await db.rows(
    `select funder as key, left(pub_date, 4) as year, cast(count(distinct id) as integer) as datasets
     from funding join records using (id) where pub_date is not null group by all order by key, year`,
  );
  const [, last = ""] = /Datasets (?:\d{4})–(\d{4})</.exec(text) ?? [];
  const listed = [...text.matchAll(/<tr><th scope="row"><a href="\/funders\/([^"]+)".*?<\/tr>/gs)];
  expect(listed.length).toBeGreaterThan(3);
  compare(
    listed.flatMap(([row, path = ""]): Pair[] => {
      const key = decodeURIComponent(path);
      const found = byFunder.find((each) => each.key === key);
      const [cells = []] = rowsIn(row);
      const [, bars] = /<svg class="years"[^>]* aria-label="([^"]*)"/.exec(row) ?? [];
      const own = years
        .filter(
          (each) => each.key === key && Number(each.year) > Number(last) - 15 && Number(each.year) <= Number(last),
        )
        .map(({ year, datasets }) => `${year}: ${datasets}`);
      return [
        [`${key} datasets`, cells[1], String(found?.datasets)],
        [`${key} average`, cells[2], found === undefined ? "" : average(found)],
        [`${key} years`, bars ?? "", own.join(", ")],
      ];
    }),
  );
});

test("the pages of funders and of institutions have the averages of the tables, overall and for each year", async () => {
  const pairs: Pair[] = [];
  const kinds = [
    { path: "/funders/", column: "funder", from: "funding" },
    { path: "/organisations/", column: "ror", from: "affiliations" },
  ];
  for (const { path, column, from } of kinds) {
    const all = await readCounts(`select distinct ${column} as key, id from ${from} where ${column} is not null`);
    const most = all.toSorted((one, other) => other.datasets - one.datasets).slice(0, 3);
    expect(most.length).toBeGreaterThan(0);
    for (const each of most) {
      const text = await read(`${path}${encodeURIComponent(each.key)}`);
      const [datasets, ...further] = headIn(text);
      const mean = further.find((figure) => figure?.includes(" of "));
      // A page with few scores has no averages.
      const isFew = each.scored < 5;
      expect([text.includes("an average would say little"), mean === undefined]).toEqual([isFew, isFew]);
      pairs.push([`${each.key} datasets`, isFew ? countInLead(text) : datasets, String(each.datasets)]);
      if (!isFew) pairs.push([`${each.key} average`, mean, average(each)]);
      const years = await readCounts(
        `select distinct left(records.pub_date, 4) as key, records.id from records join ${from} on ${from}.id = records.id
         where ${column} = ${quote(each.key)} and records.pub_date is not null`,
      );
      // A page has a chart of years only if two years have enough datasets. The API has all years.
      const isDrawn = years.filter(({ scored }) => scored >= 10).length > 1;
      expect(text.includes('<figure class="chart" id="years"')).toBe(isDrawn);
      const api = improvements.parse(
        JSON.parse((await ask(server.port, `/improvements?${new URLSearchParams({ [column]: each.key })}`)).text),
      ).data.years;
      const rows = isDrawn
        ? rowsIn(text)
        : api.map((own) => [String(own.year), String(own.datasets), "", own.meanScore?.toFixed(2) ?? "not known"]);
      for (const year of years) {
        const row = rows.find(([name]) => name === year.key);
        pairs.push(
          [`${each.key} ${year.key} datasets`, row?.[1], String(year.datasets)],
          [
            `${each.key} ${year.key} average`,
            row?.[3],
            year.scored === 0 ? "not known" : rounded(year.points, year.scored, 2),
          ],
        );
      }
    }
  }
  compare(pairs);
});

test("the page of an institution counts the datasets that state its name without its ROR id", async () => {
  const rows = (
    await db.rows("select distinct id, institution_id, ror from affiliations where institution_id is not null")
  ).map((row) => z.object({ id: z.string(), institution_id: z.string(), ror: z.string().nullable() }).parse(row));
  const stated = rows.filter(({ ror }) => ror !== null);
  const byName = Map.groupBy(stated, ({ institution_id }) => institution_id);
  const pairs = [...Map.groupBy(stated, ({ ror }) => ror ?? "")].map(([ror, own]) => {
    const ids = new Set(own.map(({ id }) => id));
    const isClear = (name: string) => byName.get(name)?.every((each) => each.ror === ror) === true;
    const further = rows.filter(({ id, institution_id }) => isClear(institution_id) && !ids.has(id));
    return { ror, own: ids.size, further: new Set(further.map(({ id }) => id)).size };
  });
  const most = pairs.toSorted((one, other) => other.further - one.further).slice(0, 5);
  expect(most[0]?.further).toBeGreaterThan(0);
  for (const { ror, own, further } of most) {
    const text = await read(`/organisations/${ror}`);
    const words = further === 0 ? [] : [/, and (\d+) further by name, without/];
    const found = words.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
    expect([ror, countInLead(text) ?? headIn(text)[0], ...found]).toEqual([
      ror,
      String(own),
      ...(further === 0 ? [] : [String(further)]),
    ]);
  }
});

test("the page of a researcher has the S-Index and the average over the best version of each dataset", async () => {
  const people = await db.rows(
    `with best as (
       select distinct on (authorships.researcher_id, coalesce(records.version_family, records.id))
         authorships.researcher_id, total, 4 * bit_count(supported_mask) as possible
       from authorships join records using (id) join scores on scores.id = records.id and scores.rubric = '2.0'
       where total is not null
       order by authorships.researcher_id, coalesce(records.version_family, records.id), total desc, records.id
     )
     select slug, cast(count(*) as integer) as datasets, cast(sum(total) as integer) as points,
       cast(sum(possible) as integer) as possible, list(total order by total desc) as totals
     from best join researchers on researchers.id = best.researcher_id and researchers.rubric = '2.0'
     where identity_basis <> 'name' group by slug order by datasets desc, slug limit 8`,
  );
  const pairs: Pair[] = [];
  for (const row of people) {
    const { slug, datasets, points, possible, totals } = z
      .object({ slug: z.string(), datasets: z.number(), points: z.number(), possible: z.number(), totals: z.unknown() })
      .parse(row);
    const scores = z.array(z.coerce.number()).parse(getItems(totals));
    const [sIndex, count, mean] = headIn(await read(`/researchers/${slug}`));
    pairs.push(
      [`${slug} S-Index`, sIndex, String(scores.filter((total, i) => total >= i + 1).length)],
      [`${slug} datasets`, count, String(datasets)],
      [`${slug} average`, mean, `${rounded(points, datasets, 2)} of ${rounded(possible, datasets, 2)}`],
    );
  }
  compare(pairs);
});

/** Returns the items of a DuckDB list value as an array. */
function getItems(list: unknown): unknown {
  return typeof list === "object" && list !== null && "items" in list ? list.items : list;
}

test("a comparison of repositories has the averages of their pages", async () => {
  const found = (await readCounts(BY_REPOSITORY)).filter(({ scored }) => scored >= 5).slice(0, 4);
  const query = new URLSearchParams(found.map(({ key }): [string, string] => ["repository", key]));
  const row = rowsIn(await read(`/compare?${query}`)).find(([name]) => name === "Average score");
  compare(found.map((each, i): Pair => [each.key, row?.[i + 1], `${possibleShare(each)} ${average(each)}`]));
});

test("the tests of this file have compared more than a hundred figures", () => {
  expect(compared.length).toBeGreaterThan(100);
});

/** Returns the first block of SQL on a page. */
async function sqlOn(path: string): Promise<string> {
  const [, sql = ""] = /aria-label="DuckDB">([^<]*)</.exec(await read(path)) ?? [];
  return sql.replaceAll("&apos;", "'").replaceAll("&amp;", "&").replaceAll("&quot;", '"');
}

/** Runs SQL on local copies of the files at its URLs, because the package of DuckDB does not contain its HTTP extension. */
async function queryRows(sql: string) {
  let local = sql;
  for (const [i, [url]] of [...sql.matchAll(/http:[^']+/g)].entries()) {
    const { pathname, search } = new URL(url);
    const { status, body } = await ask(server.port, pathname + search);
    expect([url, status]).toEqual([url, 200]);
    const file = join(store.store.root, `sql-${i}`);
    writeFileSync(file, body);
    local = local.replace(url, file);
  }
  return db.rows(local);
}

test("the SQL that the pages of lists and of a release offer runs, and returns the figures of the site", async () => {
  const { data, pagination } = recordList.parse(
    JSON.parse((await ask(server.port, "/records?maxScore=40&limit=10")).text),
  );
  expect(pagination.total).toBeGreaterThan(data.length);
  expect(await queryRows(await sqlOn("/datasets?maxScore=40"))).toHaveLength(pagination.total);
  expect((await queryRows(await sqlOn("/researchers"))).length).toBeGreaterThan(5);
  expect((await queryRows(await sqlOn("/countries"))).length).toBeGreaterThan(2);
  const byRepository = await queryRows(await sqlOn("/history/latest"));
  const zenodo = byRepository.find(({ repository }) => repository === "Zenodo");
  expect(headIn(await read("/repositories/Zenodo"))[1]).toContain(`${Number(zenodo?.average).toFixed(2)} of `);
});

const manifestLine = z.object({ path: z.string(), sha256: z.string() });

test("the command on the page of a release downloads all tables, and the SQL beside it makes one database of them", async () => {
  const unescaped = (text: string) => text.replaceAll("&apos;", "'").replaceAll("&quot;", '"');
  const page = await read("/history/latest");
  const [, command = ""] = /aria-label="the command that downloads all tables">([^<]*)</.exec(page) ?? [];
  const folder = await mkdtemp(join(store.store.root, "download-"));
  const here = unescaped(command).replace(/http:\/\/[^/']+/g, `http://localhost:${server.port}`);
  await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], { cwd: folder });
  const manifest = (await readFile(join(folder, "manifest.ndjson"), "utf8")).trim().split("\n");
  const listed = manifest.map((line) => manifestLine.parse(JSON.parse(line)));
  const tables = listed.filter(({ path }) => !path.startsWith("pages/"));
  expect(tables.length).toBeGreaterThan(20);
  for (const { path, sha256 } of tables) {
    expect([path, hash("sha256", await readFile(join(folder, path)))]).toEqual([path, sha256]);
  }

  const [, sql = ""] = /as one database<\/summary>.*?aria-label="DuckDB">([^<]*)</s.exec(page) ?? [];
  const local = unescaped(sql)
    .replace(/http:[^']*\/releases\/[^/]+/g, folder)
    .replace(/share-[\d.]+\.duckdb/, join(folder, "share.duckdb"));
  const own = await openDuckDB();
  try {
    await own.run(local);
    const [counted] = await own.rows("select count(*) as records from share.records");
    expect(Number(counted?.records)).toBe(
      Number((await db.rows("select count(*) as records from records"))[0]?.records),
    );
    const named = (await own.rows("select table_name as name from duckdb_tables()")).map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(["records", "scores", "evidence", "funding", "researcher-datasets"]));
  } finally {
    own.close();
  }
});

test.each([
  { name: "0.333 to 0.667", before: { 0: 2, 1: 1 }, after: { 0: 1, 1: 2 }, difference: 0.33, text: "+0.33" },
  { name: "0.667 to 0.333", before: { 0: 1, 1: 2 }, after: { 0: 2, 1: 1 }, difference: -0.33, text: "−0.33" },
  {
    name: "the same average of more datasets",
    before: { 32: 1, 36: 2 },
    after: { 32: 4, 36: 8 },
    difference: 0,
    text: "0",
  },
  {
    name: "ten million datasets",
    before: { 96: 9_999_999, 100: 1 },
    after: { 100: 10_000_000 },
    difference: 4,
    text: "+4.00",
  },
  { name: "a change from no datasets is null", before: {}, after: { 48: 1 }, difference: null, text: "" },
])(
  "the change of an average is computed from exact sums and rounded once: $name",
  ({ before, after, difference, text }) => {
    const [earlier, now] = [computeExactMean(before), computeExactMean(after)];
    expect(subtractMeans(earlier, now)).toBe(difference);
    expect(changeText(earlier, now)).toBe(text);
  },
);
