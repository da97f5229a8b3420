/**
 * Tests the pages of a release: each has a route, is valid, agrees with the tables, and stays the same if its data did not
 * change.
 */

import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile, hasPage, type PageFile, pagePath } from "../../api-static/routes/route.ts";
import { writeGenerated } from "../../fixtures/write.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { publicContracts, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { verify } from "../../releases/verify/index.ts";
import { liveMetrics, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { recordDetail, recordImpact, recordList } from "../../schemas/public/api/record.ts";
import { researcherDetail, researcherList } from "../../schemas/public/api/researcher.ts";
import { rubricList } from "../../schemas/public/api/rubric.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { popcount } from "../../schemas/public/signal.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { releaseContent } from "../support/release-content.ts";
import { pagesIn } from "../support/release-pages.ts";
import { harvestRecords, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { listPageAddresses } from "./page-address.ts";
import { dataciteRecord, PROLIFIC, prolificRecords, zenodoRecord } from "./prolific.ts";
import { parseElements } from "./well-formed.ts";

const AWKWARD = [`<&"' Archive`, "Bøse Archive", "A/B Archive", ".hidden", "x".repeat(201)];

let bench: TemporaryStore;
let receipt: Receipt;
let folder: string;
let pages: readonly string[];
let tables: Tables;
/** The bytes of all pages of the release, by path. */
let texts: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  bench = await temporaryStore();
  await harvestBundled(bench.store);
  for (const source of ["datacite", "zenodo", "clinicaltrials"] as const) {
    await writeGenerated(bench.store, { source, records: 200, seed: 11 }, recordedEffects());
  }
  await harvestRecords(bench.store, bench.folder, "zenodo", prolificRecords());
  const awkward = AWKWARD.map((label, i) => dataciteRecord(`awkward-${i}`, label));
  await harvestRecords(bench.store, bench.folder, "datacite", awkward);
  ({ receipt } = await buildRelease(bench.store));
  folder = bench.store.release(receipt.releaseDigest);
  texts = await pagesIn(folder);
  pages = [...texts.keys()];
  tables = await readTables(folder);
});

afterAll(() => bench[Symbol.asyncDispose]());

const text = z.string();
const cell = z.number().nullable();
const scoreRow = z.object({
  id: text,
  rubric: z.enum(PUBLIC_VERSIONS),
  source: text,
  status: z.enum(["scored", "insufficient_evidence"]),
  total: cell,
  s: cell,
  h: cell,
  a: cell,
  r: cell,
  e: cell,
  supported_mask: z.number(),
  evaluable_mask: z.number(),
  passed_mask: z.number(),
  source_missing_mask: z.number(),
  failed_mask: z.number(),
});
const authored = z.object({
  researcher_id: text,
  slug: text,
  id: text,
  version_family: text,
  rubric: z.enum(PUBLIC_VERSIONS),
  total: z.number(),
});

/** SQL queries over the release's Parquet files, each with the schema of its rows. */
const QUERIES = {
  records: [
    z.object({ id: text, status: z.enum(["ok", "failed"]), score_status: text.nullable(), total: cell, cap: cell }),
    `select record.id, record.status, score.status as score_status, score.total, 4 * bit_count(score.supported_mask) as cap from record
     left join score on score.id = record.id and score.rubric = '2.0' order by record.id`,
  ],
  researchers: [
    z.object({ id: text, slug: text, rubric: z.enum(PUBLIC_VERSIONS), s_index: z.number(), dataset_count: z.number() }),
    "select id, slug, rubric, s_index, dataset_count from researcher order by rubric, id",
  ],
  repositories: [z.object({ repository: text }), "select distinct repository from repository order by repository"],
  scores: [
    scoreRow,
    "select score.*, record.source from score join record on record.id = score.id order by score.id, rubric",
  ],
  authored: [
    authored,
    `select distinct authorship.researcher_id, authorship.slug, record.id, record.version_family, score.rubric, score.total
     from authorship join record on record.id = authorship.id join score on score.id = record.id
     where authorship.researcher_id is not null and score.total is not null order by all`,
  ],
} as const;
type Tables = { readonly [Name in keyof typeof QUERIES]: z.infer<(typeof QUERIES)[Name][0]>[] };

async function readTables(release: string): Promise<Tables> {
  const db = await openTables(releaseTablePaths(release), { threads: 2, memory: "256MB" });
  try {
    const read = async <Row extends z.ZodType>([row, sql]: readonly [Row, string]) =>
      z.array(row).parse(await db.rows(sql));
    return {
      records: await read(QUERIES.records),
      researchers: await read(QUERIES.researchers),
      repositories: await read(QUERIES.repositories),
      scores: await read(QUERIES.scores),
      authored: await read(QUERIES.authored),
    };
  } finally {
    db.close();
  }
}

test("a release has a page for every record, researcher, repository, version and list, and no other pages", async () => {
  const path = (name: string, version: PublicVersion | null, key = "") =>
    pagePath(routeNamed(name), getPageFile(routeNamed(name), version), key);
  const lists = ROUTES.filter(({ key }) => key === null).flatMap((route) =>
    route.pages.map((file) => pagePath(route, file)),
  );
  const expected = [
    ...tables.records.flatMap(({ id }) => [
      ...PUBLIC_VERSIONS.flatMap((version) => [path("record", version, id), path("impact", version, id)]),
      path("dataset-badge", "2.0", id),
    ]),
    ...tables.researchers.map(({ slug, rubric }) => path("author", rubric, slug)),
    ...tables.researchers
      .filter(({ rubric }) => rubric === "2.0")
      .map(({ slug }) => path("researcher-badge", "2.0", slug)),
    ...tables.repositories
      .filter(({ repository }) => hasPage(repository))
      .map(({ repository }) => path("repository-badge", "2.0", repository)),
    ...[...(await readContracts()).keys(), ...PUBLIC_VERSIONS].map((version) => path("rubric", null, version)),
    ...new Set(lists),
  ].sort();
  expect(new Set(expected).size).toBe(expected.length);
  expect(pages).toEqual(expected);
  const { scored, insufficient, failed } = receipt.coverage;
  expect(tables.records).toHaveLength(scored + insufficient + failed);
});

test("a repository whose name cannot be a file name is in the tables, but has no page", () => {
  const labels = tables.repositories.map(({ repository }) => repository);
  expect(labels).toEqual(expect.arrayContaining(AWKWARD));
  expect(AWKWARD.filter(hasPage)).toEqual([]);
});

test("the path of each page belongs to exactly one route", () => {
  expect(pages.filter((path) => listPageAddresses(path).length !== 1)).toEqual([]);
});

test("every JSON page is one line with exactly the fields in the schema of its route", () => {
  const wrong = pages
    .filter((path) => path.endsWith(".json"))
    .filter((path) => {
      const [address] = listPageAddresses(path);
      const page = read(path);
      const value: unknown = JSON.parse(page);
      const answer = address?.route.answer?.safeParse(value);
      return (
        answer?.success !== true || !isDeepStrictEqual(answer.data, value) || page !== `${JSON.stringify(value)}\n`
      );
    });
  expect(wrong).toEqual([]);
});

test("every badge is well formed, has a name for screen readers, and agrees with the tables", () => {
  const totals = new Map(
    tables.records.map(({ id, score_status, total, cap }) => {
      const without = score_status === "insufficient_evidence" ? "insufficient evidence" : "not scored";
      return [id, `SHARE: ${total === null ? without : cap === 100 ? total : `${total} of ${cap}`}`];
    }),
  );
  const indices = new Map(
    tables.researchers
      .filter(({ rubric }) => rubric === "2.0")
      .map(({ slug, s_index }) => [slug, `S-Index: ${s_index}`]),
  );
  const isIndexTitle = (title: string, index: string | undefined) =>
    title.startsWith(`${index}, of `) &&
    /, of \d+ datasets?, SHARE 2\.0, as of 2026-10-31, mean cap \d+(\.\d+)?$/.test(title);
  const badges = pages.filter((path) => path.startsWith("widgets/"));
  expect(badges.filter((path) => path.endsWith(".svg"))).toEqual(badges);
  const wrong = badges.filter((path) => {
    const elements = parseElements(read(path));
    const [root] = elements;
    const title = elements.find(({ name }) => name === "title")?.text ?? "";
    const key = listPageAddresses(path)[0]?.key ?? "";
    const said = path.includes("/repositories/")
      ? /^SHARE mean: (\d+\.\d( of \d+\.\d)?|not scored)$/.test(title)
      : title === totals.get(key) || isIndexTitle(title, indices.get(key));
    return !said || root?.attributes.get("role") !== "img" || root.attributes.get("aria-label") !== title;
  });
  expect(wrong).toEqual([]);
  expect([...totals.values()]).toContain("SHARE: not scored");
  expect([...totals.values()]).toContain("SHARE: insufficient evidence");
});

test("the pages of a failed record show that it failed, and no points", () => {
  const failed = tables.records.filter(({ status }) => status === "failed");
  expect(failed).toHaveLength(receipt.coverage.failed);
  expect(failed).not.toHaveLength(0);
  for (const { id } of failed) {
    for (const version of PUBLIC_VERSIONS) {
      const detail = recordDetail.parse(page("record", version, id));
      expect(detail).toMatchObject({ scoreStatus: "failed", score: null, shareScore: null, reuseScore: null });
      expect(detail.signals.filter(({ state }) => state !== "failed" && state !== "unsupported")).toEqual([]);
      expect(recordImpact.parse(page("impact", version, id)).stewardship).toBeNull();
    }
  }
});

test("the pages of a record with too few signals show its masks, and no points", () => {
  const insufficient = tables.scores.filter(({ status }) => status === "insufficient_evidence");
  expect(insufficient.filter(({ rubric }) => rubric === "2.0")).toHaveLength(receipt.coverage.insufficient);
  for (const { rubric, insufficient: counted } of receipt.rubrics.map((entry) => ({
    ...entry,
    rubric: entry.version,
  }))) {
    expect(insufficient.filter((score) => score.rubric === rubric)).toHaveLength(counted);
  }
  for (const score of insufficient) {
    expect(popcount(score.evaluable_mask)).toBeLessThan(5);
    const detail = recordDetail.parse(page("record", score.rubric, score.id));
    expect(detail).toMatchObject({ scoreStatus: "insufficient_evidence", score: null, shareScore: null });
    expect(detail).toMatchObject({ reuseScore: null, reusabilityScore: null, engagementScore: null });
    expect(detail.masks).toEqual({
      supportedMask: score.supported_mask,
      evaluableMask: score.evaluable_mask,
      passedMask: score.passed_mask,
      sourceMissingMask: score.source_missing_mask,
      failedMask: score.failed_mask,
    });
    expect(recordImpact.parse(page("impact", score.rubric, score.id)).stewardship).toBeNull();
  }
});

test("every published score agrees with its masks, and with the signals that the pledge of its source supports", async () => {
  const contracts = new Map((await publicContracts()).map(({ version, contract }) => [version, contract.contract]));
  const pledges = await readPledges();
  const wrong = tables.scores.filter((score) => {
    const { supported_mask: supported, evaluable_mask: evaluable, passed_mask: passed } = score;
    const { source_missing_mask: missing, failed_mask: failed } = score;
    const buckets = [score.s, score.h, score.a, score.r, score.e];
    const isEnough = popcount(evaluable) >= 5;
    const pledge = pledges.get(score.source);
    const contract = contracts.get(score.rubric);
    return !(
      pledge !== undefined &&
      contract !== undefined &&
      supported === supportedMask(pledge, contract) &&
      (passed & ~evaluable) === 0 &&
      ((evaluable | missing | failed) & ~supported) === 0 &&
      (evaluable & missing) === 0 &&
      (evaluable & failed) === 0 &&
      (missing & failed) === 0 &&
      supported < 2 ** 25 &&
      buckets.every((points, i) => points === (isEnough ? 4 * popcount((passed >> (5 * i)) & 0b11111) : null)) &&
      score.total === (isEnough ? 4 * popcount(passed) : null) &&
      (score.total ?? 0) <= 4 * popcount(supported)
    );
  });
  expect(wrong).toEqual([]);
  const { scored, insufficient } = receipt.coverage;
  expect(tables.scores).toHaveLength(PUBLIC_VERSIONS.length * (scored + insufficient));
});

test("the page of a scored record shows the masks, and 25 signals whose points add up to the score", () => {
  const scored = tables.scores.filter(({ status }) => status === "scored");
  const wrong = scored.filter((score) => {
    const detail = recordDetail.parse(page("record", score.rubric, score.id));
    const points = detail.signals.reduce((sum, signal) => sum + signal.points, 0);
    const passed = detail.signals
      .filter(({ state }) => state === "passed")
      .reduce((mask, { bit }) => mask | (1 << bit), 0);
    return !(
      detail.score?.total === score.total &&
      detail.shareScore === score.total &&
      points === score.total &&
      passed === score.passed_mask &&
      detail.signals.every(({ bit }, i) => bit === i) &&
      detail.signals.length === 25 &&
      detail.score.supportedMask === score.supported_mask &&
      detail.score.evaluableMask === score.evaluable_mask &&
      detail.score.sourceMissingMask === score.source_missing_mask &&
      detail.score.failedMask === score.failed_mask &&
      detail.cap === 4 * popcount(score.supported_mask) &&
      (score.rubric === "2.0" ? detail.reuseScore === null : detail.reusabilityScore === null) &&
      (score.rubric === "2.0" ? detail.reusabilityScore : detail.reuseScore) === score.r
    );
  });
  expect(wrong.map(({ id, rubric }) => ({ id, rubric }))).toEqual([]);
});

test("the page of a researcher lists the best dataset of each family of versions, by total and id, at most a hundred", () => {
  const wrong = tables.researchers.filter(({ id, slug, rubric, dataset_count }) => {
    const best = bestOfFamilies(id, rubric);
    const detail = researcherDetail.parse(page("author", rubric, slug));
    const shown = detail.datasets.map((dataset) => ({ id: dataset.id, total: dataset.score?.total }));
    const index = best.filter(({ total }, i) => total > i).length;
    return !(
      dataset_count === best.length &&
      detail.datasetCount === best.length &&
      detail.sIndex === index &&
      isDeepStrictEqual(
        shown,
        best.slice(0, 100).map((dataset) => ({ id: dataset.id, total: dataset.total })),
      )
    );
  });
  expect(wrong).toEqual([]);
});

test("the page of a researcher with 104 datasets lists a hundred of them, but counts all", () => {
  const slug = `prudence-abbott-${PROLIFIC.orcid}`;
  for (const version of PUBLIC_VERSIONS) {
    const detail = researcherDetail.parse(page("author", version, slug));
    expect(detail).toMatchObject({ datasetCount: PROLIFIC.datasets, orcid: PROLIFIC.orcid, identityBasis: "orcid" });
    expect(detail.datasets).toHaveLength(100);
    expect(new Set(detail.datasets.map(({ score }) => score?.total)).size).toBeGreaterThan(2);
  }
});

/** The ids that the page of each list must have, computed from the tables with the order that decisions.md defines. */
const LISTS: readonly { name: string; sorted: boolean; ids: (version: PublicVersion) => string[] }[] = [
  { name: "records", sorted: false, ids: () => tables.records.map(({ id }) => id) },
  {
    name: "records",
    sorted: true,
    ids: (version) => {
      const scored = tables.scores.filter(({ rubric, total }) => rubric === version && total !== null);
      return scored
        .sort((one, other) => Number(other.total) - Number(one.total) || compare(one.id, other.id))
        .map(({ id }) => id);
    },
  },
  {
    name: "authors",
    sorted: true,
    ids: (version) => {
      const people = tables.researchers.filter(({ rubric }) => rubric === version);
      return people.sort((one, other) => other.s_index - one.s_index || compare(one.id, other.id)).map(({ id }) => id);
    },
  },
];

for (const { name, sorted, ids } of LISTS) {
  test(`the page of all ${name} ${sorted ? "sorted by score" : "in the default order"} has the first ten`, () => {
    const route = routeNamed(name);
    for (const version of PUBLIC_VERSIONS) {
      const file = route.pages.find((one) => one.version === version && one.query.includes("sortBy") === sorted);
      const list = (name === "records" ? recordList : researcherList).parse(pageAt(name, file));
      const all = ids(version);
      const total = name === "records" ? tables.records.length : all.length;
      expect(list.data.map(({ id }) => id)).toEqual(all.slice(0, 10));
      expect(list.pagination).toEqual({
        total,
        page: 1,
        limit: 10,
        totalPages: Math.ceil(total / 10),
        hasNext: true,
        hasPrev: false,
      });
    }
  });
}

test("pages of lists and metrics contain the release digest, and pages of single records and people do not", () => {
  const { scoreReleaseVersion, releaseDigest } = receipt;
  const naming = z.object({ _meta: z.object({ scoreRelease: z.unknown() }) });
  for (const route of ROUTES.filter(({ list, name }) => list || name === "metrics")) {
    for (const file of route.pages) {
      const { _meta } = naming.parse(JSON.parse(read(file.path)));
      expect(_meta.scoreRelease, file.path).toEqual({ scoreReleaseVersion, releaseDigest });
    }
  }
  const hex = releaseDigest.slice("sha256:".length);
  const others = pages.filter((path) => listPageAddresses(path)[0]?.route.subject !== "release");
  expect(others.filter((path) => read(path).includes(hex))).toEqual([]);
});

test("the breakdown by repository contains only repositories with a scored record, and lists the others separately", () => {
  const { repositoryBreakdown, unscoredRepositories } = liveMetrics.parse(page("metrics", "1.0", ""));
  expect(unscoredRepositories.find(({ repository }) => repository === "GEO")).toMatchObject({
    scoredCount: 0,
    meanScore: null,
  });
  expect(repositoryBreakdown.map(({ repository }) => repository)).not.toContain("GEO");
});

test("meanReuse is a number even in a release that has only scores under 2.0", async () => {
  const reuse = async (source: string) => {
    await using own = await temporaryStore();
    await harvestBundled(own.store, [source]);
    const built = await buildRelease(own.store, { rubrics: ["2.0"], activate: false });
    const pages = await pagesIn(own.store.release(built.receipt.releaseDigest));
    const read = (name: string): unknown => JSON.parse(String(pages.get(`api/2.0/metrics/${name}.json`)));
    const [snapshot] = metricsHistory.parse(read("history"));
    return [liveMetrics.parse(read("live")).meanReuse, snapshot?.meanReuse];
  };
  expect(await reuse("openneuro")).toEqual([2.5, 2.5]);
  expect(await reuse("geo")).toEqual([0, 0]);
});

test("a release is valid even if a version has no scored record, and so no lists and no metrics", async () => {
  await using own = await temporaryStore();
  await harvestBundled(own.store, ["geo"]);
  const { receipt: built } = await buildRelease(own.store, { activate: false });
  const paths = [...(await pagesIn(own.store.release(built.releaseDigest)))].map(([path]) => path);
  const named = ["metrics/live.json", "metrics/history.json", "lists/records.json", "lists/authors.json"];
  expect(named.filter((name) => !paths.includes(`api/2.0/${name}`))).toEqual([]);
  expect(named.filter((name) => paths.includes(`api/1.0/${name}`))).toEqual([]);
  const verified = await verify(
    own.store,
    built.releaseDigest,
    { threads: 1, memory: "512MB", rebuild: { from: "tables" } },
    recordedEffects(),
  );
  expect(verified.findings).toEqual([]);
});

test("the list of contracts states the number of scored records of each version", () => {
  const list = rubricList.parse(pageAt("rubrics", routeNamed("rubrics").pages[0]));
  expect(list.map(({ version, available, scoredRecords }) => ({ version, available, scoredRecords }))).toEqual(
    rubricExcerpts(receipt).map(([version, { coverage }]) => ({
      version,
      available: true,
      scoredRecords: coverage.scored,
    })),
  );
});

test("one more record changes only the pages of its researchers and pages about the whole release", async () => {
  const deposit = { id: 99_300_000, keywords: 3, sentences: 4 };
  await harvestRecords(bench.store, bench.folder, "zenodo", [zenodoRecord(deposit)]);
  const next = await buildRelease(bench.store);
  const { files: before } = await releaseContent(folder);
  const { files: after } = await releaseContent(bench.store.release(next.receipt.releaseDigest));
  expect(next.receipt.coverage.scored).toBe(receipt.coverage.scored + 1);
  const about = (path: string) => listPageAddresses(path)[0];
  const ofOne = (path: string) => ["record", "researcher"].includes(about(path)?.route.subject ?? "");
  const changed = [...before].filter(([path, digest]) => after.get(path) !== digest).map(([path]) => path);
  const people = new Set(changed.filter(ofOne).map((path) => about(path)?.key));
  expect([...people]).toEqual([`prudence-abbott-${PROLIFIC.orcid}`]);
  const added = [...after.keys()].filter((path) => !before.has(path));
  expect(added).toHaveLength(5);
  expect(new Set(added.map((path) => about(path)?.route.name))).toEqual(new Set(["record", "impact", "dataset-badge"]));
  expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
});

/** Returns the researcher's best dataset of each version family, in the order that rubrics.md, "Arithmetic", defines. */
function bestOfFamilies(researcher: string, version: PublicVersion) {
  const families = new Map<string, z.infer<typeof authored>>();
  for (const row of authoredBy(researcher)) {
    if (row.rubric !== version) continue;
    const known = families.get(row.version_family);
    if (known === undefined || byTotal(row, known) < 0) families.set(row.version_family, row);
  }
  return [...families.values()].sort(byTotal);
}

let byResearcher: Map<string, Tables["authored"]> | undefined;

function authoredBy(researcher: string): Tables["authored"] {
  byResearcher ??= Map.groupBy(tables.authored, (row) => row.researcher_id);
  return byResearcher.get(researcher) ?? [];
}

function byTotal(one: { total: number; id: string }, other: { total: number; id: string }): number {
  return other.total - one.total || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function read(path: string): string {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`there is no page ${path}`);
  return text.toString("utf8");
}

function page(name: string, version: PublicVersion, key: string): unknown {
  return pageAt(name, getPageFile(routeNamed(name), version), key);
}

function pageAt(name: string, file: PageFile | undefined, key = ""): unknown {
  if (file === undefined) throw new Error(`the route ${name} has no such page`);
  return JSON.parse(read(pagePath(routeNamed(name), file, key)));
}
