/** Filters by affiliation, funding, researcher and date, each compared with the published tables of the bundled corpus. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { MAX_VALUES } from "../../schemas/public/api/lists.ts";
import { queriedRecordList } from "../../schemas/public/api/record.ts";
import { facetParts } from "../../web/components/facets.ts";
import { forgetAccounts, type Listening, serve } from "../server/test-store.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";

let release: BundledRelease;
let server: Listening;
let db: Database;

beforeAll(async () => {
  release = await bundledRelease();
  forgetAccounts(release.store);
  server = await serve(release.store);
  db = await openDuckDB();
  for (const name of [
    "records",
    "scores",
    "affiliations",
    "attributions",
    "funding",
    "authorships",
    "institutions",
    "researchers",
  ]) {
    const files = join(release.folder, "data", name, "*.parquet");
    await db.run(`create view ${name} as select * from read_parquet(${quote(files)})`);
  }
}, 300_000);

afterAll(async () => {
  db?.close();
  await server?.close();
  await release?.[Symbol.asyncDispose]();
});

/** Returns the ids of all datasets that GET /records lists for a query, read by cursor. */
async function listed(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = "*";
  while (cursor !== null) {
    const { statusCode, body } = await server.app.inject({ url: `/records?limit=100&cursor=${cursor}&${query}` });
    expect([query, statusCode]).toEqual([query, 200]);
    const { data, pagination } = queriedRecordList.parse(JSON.parse(body));
    ids.push(...data.map(({ id }: { readonly id: string }) => id));
    cursor = pagination.nextCursor ?? null;
  }
  return ids;
}

/** Returns the sorted ids of the rows that have each value of a column, by value. `from` is a table or subquery. */
async function idsBy(value: string, from: string): Promise<Map<string, string[]>> {
  const rows = await db.rows(
    `select distinct ${value} as value, id from ${from} where ${value} is not null order by value, id`,
  );
  return new Map(
    [...Map.groupBy(rows, (row) => String(row.value))].map(([key, own]) => [key, own.map(({ id }) => String(id))]),
  );
}

const param = (name: string, value: string) => new URLSearchParams({ [name]: value }).toString();

test.each([
  { name: "ror", value: "ror", from: "affiliations" },
  { name: "license", value: "license", from: "records" },
  { name: "countryCode", value: "country_code", from: "attributions" },
  { name: "institution", value: "institution_id", from: "attributions" },
  { name: "funder", value: "funder", from: "funding" },
  { name: "award", value: "award_number", from: "funding" },
  { name: "author", value: "researcher_id", from: "authorships" },
])("the filter $name lists exactly the datasets that have each value", async ({ name, value, from }) => {
  const values = [...(await idsBy(value, from))];
  expect(values.length).toBeGreaterThan(3);
  for (const [key, ids] of values.slice(0, 40)) expect([key, await listed(param(name, key))]).toEqual([key, ids]);
});

test("the filter funder accepts identifiers in any spelling", async () => {
  const values = await idsBy("funder_scheme || ':' || funder_id", "funding");
  expect(values.size).toBeGreaterThan(1);
  for (const [key, ids] of values) {
    const [scheme = "", id = ""] = key.split(/:(.*)/s);
    const spellings = {
      ror: [id, `https://ror.org/${id}`],
      crossref_funder: [id, `https://doi.org/${id}`, id.slice("10.13039/".length)],
    };
    for (const text of Object.hasOwn(spellings, scheme) ? spellings[scheme as "ror"] : []) {
      expect([text, await listed(param("funder", text))]).toEqual([text, ids]);
    }
  }
});

test("the filter ror accepts an id in any spelling, and names and awards match in any case", async () => {
  const [[ror = "", ids] = []] = [...(await idsBy("ror", "affiliations"))];
  expect(await listed(param("ror", `https://ror.org/${ror}`))).toEqual(ids);
  const [[funder = ""] = []] = [...(await idsBy("funder", "funding"))];
  expect(await listed(param("funder", funder.toUpperCase()))).toEqual(await listed(param("funder", funder)));
});

test.each([
  { query: "publishedFrom=2020", where: "pub_date >= '2020'" },
  { query: "publishedUntil=2020", where: "left(pub_date, 4) <= '2020'" },
  {
    query: "publishedFrom=2020-05&publishedUntil=2021-02-03",
    where: "pub_date >= '2020-05' and left(pub_date, 10) <= '2021-02-03'",
  },
  { query: "publishedFrom=2020-01-01", where: "pub_date >= '2020'" },
  { query: "publishedFrom=9999", where: "false" },
  { query: "publishedUntil=0001", where: "false" },
])("GET /records?$query lists exactly the datasets that were published then", async ({ query, where }) => {
  const rows = await db.rows(`select id from records where ${where} order by id`);
  expect(await listed(query)).toEqual(rows.map(({ id }) => id));
});

test("a publication date that is only a year is compared as the first day of that year", async () => {
  const [row] = await db.rows("select id, pub_date from records where length(pub_date) = 4 order by id limit 1");
  const day = `${row?.pub_date}-01-01`;
  expect(await listed(`publishedFrom=${day}&publishedUntil=${day}`)).toContain(row?.id);
});

/** Returns the markup of a facet from its heading to its end; empty if the page does not have this facet. */
function facetIn(body: string, heading: string): string {
  const [, rest = ""] = body.split(`<h2>${heading}</h2>`);
  return rest.slice(0, Math.max(0, rest.indexOf("</section>")));
}

test("a facet counts the datasets that match all filters but its own, and those whose value is not known", async () => {
  const countries = "(select distinct id, country_code from attributions where country_code is not null)";
  const [both] = await db.rows(
    `select license, country_code as country from records join ${countries} using (id) where license is not null
     group by all order by count(*) desc, license, country limit 1`,
  );
  const license = `lower(license) = lower(${quote(String(both?.license))})`;
  const country = `id in (select id from attributions where country_code = ${quote(String(both?.country))})`;
  const own = new URLSearchParams({ license: String(both?.license), countryCode: String(both?.country) });
  for (const { query, licences, codes } of [
    { query: "", licences: "true", codes: "true" },
    { query: "repository=Zenodo", licences: "repository = 'Zenodo'", codes: "repository = 'Zenodo'" },
    { query: "publishedFrom=2020", licences: "pub_date >= '2020'", codes: "pub_date >= '2020'" },
    // A facet ignores its own filter.
    { query: own.toString(), licences: country, codes: license },
  ]) {
    const { body } = await server.app.inject({ url: `/datasets?${query}`, headers: { accept: "text/html" } });
    for (const [heading, value, from] of [
      ["Licence", "lower(license)", `records where ${licences}`],
      ["Country", "country_code", `records left join ${countries} using (id) where ${codes}`],
      ["Kind", "lower(record_kind)", `records where ${licences} and ${codes}`],
    ] as const) {
      const section = facetIn(body, heading);
      const shown = [...section.matchAll(/<span>([\d,]+)<\/span>/g)].map(([, count = ""]) =>
        Number(count.replace(",", "")),
      );
      const rows = await db.rows(
        `select ${value} as value, cast(count(*) as integer) as records from ${from}
         group by 1 order by value is null, records desc, value`,
      );
      const known = rows.filter((row) => row.value !== null).slice(0, MAX_VALUES);
      const unknown = rows.filter((row) => row.value === null);
      expect(known.length).toBeGreaterThan(0);
      // Each facet is complete.
      expect(section).not.toContain("most frequent of");
      expect([query, heading, section.includes('<li class="muted">not known <span>'), shown]).toEqual([
        query,
        heading,
        unknown.length > 0,
        [...known, ...unknown].map(({ records }) => records),
      ]);
    }
  }
});

test("a facet with more values than it shows says how many there are", () => {
  const values = ["AUT", "BEL", "CHE", "DEU", "EST", "FIN", "GRC"].map((value) => ({
    value,
    label: value,
    records: 1,
  }));
  const showFacet = (total: number) =>
    `${facetParts(new Map([["countryCode", { values, total, unknown: 0 }]]), { minScore: "1" }, new Map(), 7)?.text}`;
  expect(showFacet(1251)).toContain("The 7 most frequent of 1,251<");
  // The other values can be searched under the same filters.
  expect(showFacet(1251)).toMatch(/<form [^>]*action="\/datasets"><input type="hidden" name="minScore" value="1">/);
  expect(showFacet(7)).not.toMatch(/most frequent|<form/);
});

test("a facet counts all spellings of a value together, and on the site its filter lists the datasets of all spellings", async () => {
  const folded = "regexp_replace(lower(access_status), '^info:eu-repo/semantics/(.*)access$', '\\1')";
  const [row] = await db.rows(
    `select ${folded} as value, cast(count(*) as integer) as records, list(distinct access_status) as spellings from records
     where access_status is not null group by 1 having count(distinct access_status) > 2 order by records desc limit 1`,
  );
  expect(row?.value).toBe("open");
  const { body } = await server.app.inject({ url: "/datasets", headers: { accept: "text/html" } });
  const section = facetIn(body, "Access");
  expect(section).toContain(`><bdi>open</bdi></a> <span>${row?.records}</span>`);
  for (const spelling of ["open", "OPEN", "info:eu-repo/semantics/openAccess"]) {
    const filter = param("accessStatus", spelling);
    const all = await listed(`${filter}&spellings=all`);
    expect([spelling, all.length]).toEqual([spelling, row?.records]);
    const list = await server.app.inject({ url: `/datasets?${filter}`, headers: { accept: "text/html" } });
    expect([spelling, list.body.includes(`<strong>${row?.records} datasets`)]).toEqual([spelling, true]);
    const csv = await server.app.inject({ url: `/datasets.csv?${filter}` });
    expect([spelling, csv.body.trim().split("\n").length - 1]).toEqual([spelling, row?.records]);
    // In the API, the filter finds only the exact text.
    const [{ records: exact } = {}] = await db.rows(
      "select cast(count(*) as integer) as records from records where access_status = $spelling",
      { spelling },
    );
    expect([spelling, (await listed(filter)).length]).toEqual([spelling, exact]);
    expect(exact).not.toBe(row?.records);
  }
  // The facet marks the chosen value even if the URL has another spelling of it.
  const chosen = await server.app.inject({ url: "/datasets?accessStatus=OPEN", headers: { accept: "text/html" } });
  expect(chosen.body).toContain('aria-current="true"><bdi>open</bdi>');
});

test("a search among the values of a facet finds names that contain all its words, and keeps the other filters", async () => {
  const read = async (query: string) => {
    const { statusCode, body } = await server.app.inject({ url: query, headers: { accept: "text/html" } });
    const section = facetIn(body, "Institution by ROR id");
    const values = [...section.matchAll(/href="([^"]*)"[^>]*><bdi>([^<]*)<\/bdi><\/a> <span>(\d+)/g)];
    return {
      statusCode,
      body,
      section,
      values: values.map(([, path = "", name = "", count]) => ({ path, name, count })),
    };
  };
  const all = (await read("/datasets?minScore=1")).values;
  const found = await read("/datasets?minScore=1&valuesOf=ror&valuesWith=Univ%20OF");
  const wanted = all.filter(({ name }) => /univ/i.test(name) && /of/i.test(name));
  expect(wanted.length).toBeGreaterThan(1);
  expect(wanted.length).toBeLessThan(all.length);
  expect(found.values).toEqual(wanted);
  expect(found.section).toContain(`${wanted.length} values with “Univ OF”`);
  const [{ path, count } = { path: "", count: "" }] = wanted;
  expect(path).toContain("minScore=1&amp;ror=");
  expect((await read(path.replaceAll("&amp;", "&"))).body).toContain(`<strong>${count} dataset`);
  const none = await read("/datasets?valuesOf=ror&valuesWith=nosuchword");
  expect([none.values, none.section]).toEqual([[], expect.stringContaining("0 values with “nosuchword”")]);
  expect((await read("/datasets?valuesOf=nothing")).statusCode).toBe(400);
});

test("the filter countryCode accepts codes in any case", async () => {
  const [[code = "", ids] = []] = [...(await idsBy("country_code", "attributions"))];
  expect(await listed(param("countryCode", code.toLowerCase()))).toEqual(ids);
});

test("each row in the list of institutions links to exactly the datasets that it counts, as a page and as CSV", async () => {
  const html = { accept: "text/html" };
  const countAt = async (url: string) => {
    const { statusCode, body } = await server.app.inject({ url, headers: html });
    expect([url, statusCode]).toEqual([url, 200]);
    return /<p role="status"><strong>(\d+) /.exec(body)?.[1];
  };
  const { body } = await server.app.inject({ url: "/affiliations", headers: html });
  const [all] = await db.rows(`select cast(count(*) as integer) as records, cast(count(*) filter (
    where id in (select id from attributions)) as integer) as named from records`);
  expect(body).toContain(`of the datasets name an institution: ${all?.named} of ${all?.records}.`);
  const rows = [...body.matchAll(/<tr>.*?<a href="(\/datasets\?institution=\w+)".*?<\/tr>/gs)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [row = "", url = ""] of rows) {
    const [, datasets] = /data-name="Datasets"><a [^>]*><data value="(\d+)">/.exec(row) ?? [];
    expect([url, await countAt(url)]).toEqual([url, datasets]);
  }
  const [, url = ""] = rows[0] ?? [];
  const { label } =
    (await db.rows("select label from institutions where id = $id", { id: url.split("=")[1] ?? "" }))[0] ?? {};
  expect((await server.app.inject({ url, headers: html })).body).toContain(`Institution: <bdi>${label}</bdi>`);
  const csv = await server.app.inject({ url: url.replace("/datasets", "/datasets.csv") });
  expect(csv.body.trim().split("\n").length - 1).toBe(Number(await countAt(url)));
});

test("an institution links to its researchers, and a search for its name among researchers links back to the institution", async () => {
  const html = { accept: "text/html" };
  const { body } = await server.app.inject({ url: "/affiliations", headers: html });
  const links = [...body.matchAll(/href="(\/researchers\?institution=(\w+))"><data value="(\d+)"/g)];
  expect(links.length).toBeGreaterThan(3);
  const known = await idsBy("institution_id", "(select institution_id, researcher_id as id from attributions)");
  const listed = new Set((await db.rows("select id from researchers where rubric = '2.0'")).map(({ id }) => id));
  for (const [, url = "", id = "", authors] of links) {
    const reported = (known.get(id) ?? []).filter((each) => each !== "null");
    expect([url, `${reported.length}`]).toEqual([url, authors]);
    const { body: list } = await server.app.inject({ url, headers: html });
    expect([url, /<p role="status"><strong>(\d+) /.exec(list)?.[1]]).toEqual([
      url,
      `${reported.filter((each) => listed.has(each)).length}`,
    ]);
    expect(list).toContain(`<a href="/datasets?institution=${id}">`);
  }
  const [, label = ""] = /<th scope="row"><a [^>]*><bdi>([^<]+)</.exec(body) ?? [];
  const search = new URLSearchParams({ search: label }).toString();
  const found = await server.app.inject({ url: `/researchers?${search}`, headers: html });
  expect(found.body).toContain(`<bdi>${label}</bdi></a> <span class="muted">Institutions · `);
});

test("the list of funders has each name once, with the number of datasets that its filter selects, and can be searched", async () => {
  const html = { accept: "text/html" };
  const read = async (url: string) => {
    const { statusCode, body } = await server.app.inject({ url, headers: html });
    expect([url, statusCode]).toEqual([url, 200]);
    return { body, count: /<p role="status"><strong>([\d,]+) /.exec(body)?.[1] };
  };
  const names = await idsBy("lower(funder)", "funding");
  const { body, count } = await read("/funders");
  expect(count).toBe(`${names.size}`);
  const rows = [...body.matchAll(/<a href="\/funders\/([^"]+)"><bdi>[^<]+<\/bdi><\/a><\/th><td[^>]*>(\d+)</g)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, key = "", datasets] of rows) {
    const name = decodeURIComponent(key);
    expect([name, `${names.get(name.toLowerCase())?.length}`]).toEqual([name, datasets]);
    expect([name, (await read(`/datasets?${param("funder", name)}`)).count]).toEqual([name, datasets]);
  }
  const words = decodeURIComponent(rows[0]?.[1] ?? "").split(" ");
  expect(words.length).toBeGreaterThan(1);
  const search = param("search", words.toReversed().join(" ").toUpperCase());
  expect((await read(`/funders?${search}`)).body).toContain(`<a href="/funders/${rows[0]?.[1]}">`);
  expect((await read("/funders?search=nosuchword&page=x")).count).toBe("0");
  const none = (await read("/datasets?funder=nosuchword")).body;
  expect(none).toContain('<a href="/funders?search=nosuchword">');
  expect(none).not.toContain("Summary of this funder");
});

test("each row in the list of countries links to the datasets and institutions that it counts, and has the possible points", async () => {
  const html = { accept: "text/html" };
  const { body } = await server.app.inject({ url: "/countries", headers: html });
  const rows = [...body.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row);
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) {
    const links = [...row.matchAll(/href="([^"]+)"/g)].map(([, url = ""]) => url);
    const counted = ["Datasets", "Institutions"].map(
      (name) => new RegExp(`data-name="${name}">(?:<[^>]*>)*(\\d+)<`).exec(row)?.[1],
    );
    const listed = links.map(async (url) => {
      const { body: list } = await server.app.inject({ url, headers: html });
      return /<p role="status"><strong>(\d+) /.exec(list)?.[1];
    });
    expect([links, await Promise.all(listed)]).toEqual([links, counted]);
    expect(row).toMatch(
      /data-name="Average score">(?:<data value="[\d.]+">[\d.]+ of [\d.]+<|<span class="muted">too few scores<)/,
    );
  }
  const onMap = [...body.matchAll(/<a href="([^"]+)"><path/g)].map(([, url = ""]) => url);
  expect(onMap.length).toBeGreaterThan(3);
  for (const url of onMap) expect(rows.join("")).toContain(`<a href="${url}">`);
});

test("several filters select the datasets that match all of them, in any order and on any page", async () => {
  const rows = await db.rows(`select distinct records.id from records
    join affiliations on affiliations.id = records.id and affiliations.ror is not null
    join funding on funding.id = records.id and funding.funder is not null
    where records.pub_date >= '2015' order by records.id limit 1`);
  const id = String(rows[0]?.id);
  const [row] = await db.rows(
    `select ror, funder from affiliations join funding using (id) where id = $id and ror is not null and funder is not null`,
    { id },
  );
  const query = `${param("ror", String(row?.ror))}&${param("funder", String(row?.funder))}&publishedFrom=2015`;
  const found = await listed(query);
  expect(found).toContain(id);
  const byScore = await listed(`${query}&sortBy=score&sortOrder=desc`);
  expect(byScore.toSorted()).toEqual(found);
});

test.each([
  ["ror=alby", "ror"],
  ["countryCode=XXX", "countryCode"],
  ["author=jane-doe", "author"],
  ["institution=alby", "institution"],
  ["publishedFrom=May", "publishedFrom"],
  ["publishedUntil=2020-13", "publishedUntil"],
])("GET /records?%s is rejected, and the error names the parameter", async (query, path) => {
  const { statusCode, body } = await server.app.inject({ url: `/records?${query}` });
  expect([statusCode, JSON.parse(body).errors[0].path]).toEqual([400, path]);
});

/** Lists the names that are links in a section of a page, by the id of the section's heading. */
function namesUnder(page: string, section: string): string[] {
  const [, after = ""] = page.split(`<h2 id="${section}">`);
  return [...after.slice(0, after.search(/<h2|$/)).matchAll(/<a [^>]*><bdi>([^<]*)/g)].map(([, text = ""]) => text);
}

async function readFunders(ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows(
    `select funder, count(distinct id) as datasets from funding
     where funder is not null and id in (${ids.map((id) => quote(id)).join(", ")})
     group by funder order by datasets desc, funder limit 10`,
  );
  return rows.map(({ funder }) => String(funder).replaceAll("&", "&amp;"));
}

test("the page of an institution lists the researchers who most often state its name", async () => {
  let compared = 0;
  for (const ror of [...(await idsBy("ror", "affiliations")).keys()].slice(0, 5)) {
    const { body } = await server.app.inject({ url: `/organisations/${ror}`, headers: { accept: "text/html" } });
    const [, title = ""] = /<h1><bdi>([^<]*)/.exec(body) ?? [];
    const list = await server.app.inject({ url: `/institutions?search=${encodeURIComponent(title)}&limit=100` });
    const found = JSON.parse(list.body).data.find(({ label }: { label: string }) => label === title);
    const people = await server.app.inject({
      url: `/authors?institution=${found?.id}&sortBy=datasetCount&sortOrder=desc&limit=50`,
    });
    // Researchers of one name without an ORCID iD are one row.
    const all: { name: string; orcid: string | null }[] = JSON.parse(people.body).data;
    const names = [...Map.groupBy(all, ({ name, orcid }) => orcid ?? name).values()]
      .slice(0, 8)
      .map(([person]) => person?.name.replaceAll("'", "&#39;"));
    expect([ror, namesUnder(body, "people")]).toEqual([ror, names]);
    compared += names.length;
  }
  expect(compared).toBeGreaterThan(0);
});

/** Returns the share of the possible points of some datasets, or of all, in percent with one decimal. */
async function readShare(ids: readonly string[] | null): Promise<string> {
  const chosen = ids === null ? "" : `and id in (${ids.map((id) => quote(id)).join(", ")})`;
  const [row] = await db.rows(
    `select cast(sum(total) as integer) as points, cast(sum(4 * bit_count(supported_mask)) as integer) as possible
     from scores where rubric = '2.0' and total is not null ${chosen}`,
  );
  return ((100 * Number(row?.points)) / Number(row?.possible)).toFixed(1);
}

test.each([
  { name: "ror", path: "/organisations", value: "ror", from: "affiliations" },
  { name: "funder", path: "/funders", value: "funder", from: "funding" },
])(
  "the page $path shows its datasets, the signals to fix first, and charts if it has five scores",
  async ({ name, path, value, from }) => {
    const groups = [...(await idsBy(value, from))].toSorted(([, one], [, other]) => other.length - one.length);
    for (const [key, ids] of [...groups.slice(0, 2), ...groups.slice(-1)]) {
      const url = `${path}/${encodeURIComponent(key)}`;
      const { statusCode, body } = await server.app.inject({ url, headers: { accept: "text/html" } });
      expect([url, statusCode]).toEqual([url, 200]);
      const report = await server.app.inject({ url: `/improvements?${param(name, key)}` });
      const { years, meanScore, meanCap, scoredCount } = JSON.parse(report.body).data;
      expect(body).toContain(`<b>${ids.length}</b> ${ids.length === 1 ? "dataset" : "datasets"} `);
      const isFew = scoredCount < 5;
      expect(body.includes("Signals to fix first")).toBe(scoredCount > 0);
      expect(body.includes("<figure")).toBe(!isFew);
      if (isFew) expect([...body.matchAll(/<li><div class="figure">/g)].length).toBe(ids.length);
      const [list, words] = name === "ror" ? ["/affiliations", "Institutions"] : ["/funders", "Funders"];
      expect(body).toContain(`<p class="crumbs"><a href="${list}">${words}</a></p>`);
      // A single name is the heading of the page, so it is not listed again.
      const [, named] = new RegExp(`<a href="(${list}\\?search=[^"]+)">`).exec(body) ?? [];
      expect(named !== undefined).toBe(body.includes('<h2 id="names">'));
      if (named !== undefined) {
        const found = await server.app.inject({ url: named, headers: { accept: "text/html" } });
        expect([named, /<p role="status"><strong>[1-9]/.test(found.body)]).toEqual([named, true]);
      }
      if (name === "ror") expect(namesUnder(body, "funders")).toEqual(await readFunders(ids));
      if (!isFew) {
        const [, shown = "", own, others] =
          /([\d.]+ of [\d.]+) average score, ([\d.]+) % of the possible points; of all datasets here, ([\d.]+) %/.exec(
            body.replace(/<[^>]*>/g, ""),
          ) ?? [];
        expect(shown).toBe(`${meanScore.toFixed(2)} of ${meanCap.toFixed(2)}`);
        expect([own, others]).toEqual([await readShare(ids), await readShare(null)]);
      }
      const expected = await db.rows(
        `select publication_year as year, cast(count(*) as integer) as datasets from records
       where id in (${ids.map((id) => quote(id)).join(", ")}) group by all order by year desc nulls last`,
      );
      expect(
        years.map(({ year, datasets }: { year: number | null; datasets: number }) => ({ year, datasets })),
      ).toEqual(expected);
    }
    const unknown = await server.app.inject({
      url: `${path}/${name === "ror" ? "0aaaaaa00" : "Nobody"}`,
      headers: { accept: "text/html" },
    });
    expect(unknown.statusCode).toBe(404);
  },
);

test("the search box opens the page of an institution if its ROR id is entered", async () => {
  const { statusCode, headers } = await server.app.inject({
    url: "/find?q=https://ror.org/05gq02987",
    headers: { accept: "text/html" },
  });
  expect([statusCode, headers.location]).toEqual([303, "/organisations/05gq02987"]);
});
