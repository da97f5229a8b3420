/** Tests the content of a receipt, and the effect of each build option on a release. */

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiptText } from "../../cli/terminal/release-text.ts";
import { withheldReceipt } from "../../pipeline/6-release/digest.ts";
import { release } from "../../pipeline/6-release/index.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { currentDigest, listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildReleaseOptions } from "../../releases/activate.ts";
import { metricsHistory } from "../../schemas/public/api/metrics.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import { rubricList } from "../../schemas/public/api/rubric.ts";
import { type Coverage, type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { buildRelease } from "../support/build-release.ts";
import { AS_OF } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { releaseContent } from "../support/release-content.ts";
import { mentions } from "../support/release-mentions.ts";
import { pageIn, pagesIn } from "../support/release-pages.ts";
import {
  bundledRelease,
  harvestRecords,
  linkedStore,
  type TemporaryStore,
  temporaryStore,
} from "../support/temporary-store.ts";
import { zenodoRecord } from "./prolific.ts";

/** A release in its own store, built from the raw payloads in `original`. */
interface Built extends AsyncDisposable {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

/** The store with the raw payloads from which all releases here are built. */
let original: Store;
let whole: Built;

beforeAll(async () => {
  const bundled = await bundledRelease();
  original = bundled.store;
  whole = { ...bundled, files: (await releaseContent(bundled.folder)).files };
});

afterAll(() => whole[Symbol.asyncDispose]());

async function built(options: Partial<BuildReleaseOptions>): Promise<Built> {
  const bench = await linkedStore(original, ["raw"]);
  const { receipt } = await buildRelease(bench.store, options);
  const folder = bench.store.release(receipt.releaseDigest);
  return {
    receipt,
    folder,
    files: (await releaseContent(folder)).files,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

describe("receipts", () => {
  test("the receipt of a complete release equals the receipt that the build returned, and its counts add up", async () => {
    const { receipt, folder } = whole;
    expect(receiptSchema.parse(await json(join(folder, "release.json")))).toEqual(receipt);
    expect(receipt.coverage).toEqual(sumCoverage(receipt.sources.map(({ coverage }) => coverage)));
    const { harvested, ...parts } = receipt.coverage;
    expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(harvested);
    expect(Object.values(parts).filter((count) => count === 0)).toEqual([]);
    const { coverage, attribution } = receipt;
    const listed = coverage.scored + coverage.insufficient + coverage.failed;
    expect(attribution).toMatchObject({ complete: true, records: listed });
    expect(receipt.rejected).toEqual({ "no-identifier": 1, "retired-format": 2, "unknown-shape": 4 });
  });

  test("states versions, dates, sources, readers and the tool", () => {
    expect(whole.receipt).toMatchObject({
      scoreReleaseVersion: "2026.11.01",
      publishedAt: "2026-11-02T09:30:00.000Z",
      asOf: AS_OF,
      previousReleaseDigest: null,
      rubrics: [
        { version: "2.0", contract: "2.0.0-beta.2" },
        { version: "1.0", contract: "1.0.0" },
      ],
      tool: { name: "share-release" },
      history: true,
      withheld: { count: 0 },
      signature: null,
    });
    expect(whole.receipt.sources.map(({ source }) => source)).toEqual(SOURCES.map(({ name }) => name));
    for (const { source, reader } of whole.receipt.sources) {
      const version = SOURCES.find(({ name }) => name === source)?.reader;
      expect({ source, reader }).toEqual({
        source,
        reader: { version, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      });
    }
  });
});

test("the text of a receipt has singular nouns after a count of one, such as `1 record`", () => {
  const { coverage, attribution, withheld } = whole.receipt;
  if (attribution === null) throw new Error("the receipt of the complete release has no attribution");
  const text = receiptText(
    {
      ...whole.receipt,
      coverage: { ...coverage, scored: 1 },
      attribution: { ...attribution, attributed: 1, records: 1 },
      withheld: { ...withheld, count: 1 },
    },
    false,
  );
  for (const words of ["1 record, ", "1 of 1 record has a country", "1 researcher who opted out"])
    expect(text).toContain(words);
});

describe("--rubric 2.0", () => {
  let narrow: Built;
  beforeAll(async () => {
    narrow = await built({ rubrics: ["2.0"] });
  });
  afterAll(() => narrow[Symbol.asyncDispose]());

  test("a release with only 2.0 has no page and no row of 1.0, and lists only 2.0 in its receipt", async () => {
    expect(narrow.receipt.rubrics.map(({ version }) => version)).toEqual(["2.0"]);
    expect([...narrow.files.keys()].filter((path) => path.startsWith("api/1.0/"))).toEqual([]);
    const list = rubricList.parse(await page(narrow.folder, "api/rubrics/index.json"));
    expect(list.map(({ version, available, scoredRecords }) => ({ version, available, scoredRecords }))).toEqual([
      { version: "2.0", available: true, scoredRecords: narrow.receipt.coverage.scored },
      { version: "1.0", available: false, scoredRecords: 0 },
    ]);
    for (const table of [
      "scores",
      "researchers",
      "researcher-datasets",
      "metrics",
      "repositories",
      "institutions",
      "geography",
    ]) {
      expect(await distinct(narrow.folder, table, "rubric"), table).toEqual(["2.0"]);
    }
  });

  test("a release with only 2.0 has the same pages of 2.0 as a complete release, and also the page of the contract 1.0", () => {
    const kept = [...whole.files].filter(([path]) =>
      /^(api\/2\.0\/(records|authors)|widgets|api\/rubrics\/[12])/.test(path),
    );
    expect(kept.length).toBeGreaterThan(400);
    expect(kept.filter(([path, digest]) => narrow.files.get(path) !== digest)).toEqual([]);
  });
});

describe("--skip attribution", () => {
  let plain: Built;
  beforeAll(async () => {
    plain = await built({ attribution: false });
  });
  afterAll(() => plain[Symbol.asyncDispose]());

  test("a release without attribution has no lists of institutions and countries, empty tables of them, and no attribution in its receipt", async () => {
    expect(plain.receipt.attribution).toBeNull();
    const gone = [...whole.files.keys()].filter((path) => !plain.files.has(path));
    expect(gone).toEqual([
      "api/1.0/lists/geography.json",
      "api/1.0/lists/institutions.json",
      "api/2.0/lists/geography.json",
      "api/2.0/lists/institutions.json",
    ]);
    for (const table of ["attributions", "institutions", "geography"]) {
      expect(await distinct(plain.folder, table, "count(*)"), table).toEqual(["0"]);
      expect(await distinct(whole.folder, table, "count(*)"), table).not.toEqual(["0"]);
    }
  });

  test("a release without attribution has the same tables as a complete release, except those of attribution", () => {
    const { attributions, institutions, geography, ...others } = whole.receipt.content.tables;
    expect(plain.receipt.content.tables).toMatchObject(others);
    expect(plain.receipt.content.tables).not.toMatchObject({ attributions, institutions, geography });
    expect(plain.receipt.releaseDigest).not.toBe(whole.receipt.releaseDigest);
  });
});

describe("--extra-contract", () => {
  const id = "2.0.0-beta.1";
  let also: Built;
  beforeAll(async () => {
    also = await built({ alsoContracts: [id] });
  });
  afterAll(() => also[Symbol.asyncDispose]());

  test("a release with scores under an unpublished contract has one more table and one more field of the receipt than a complete release, and the same pages", () => {
    expect([whole.receipt.alsoContracts, also.receipt.alsoContracts]).toEqual([undefined, [id]]);
    const { tables, pages } = also.receipt.content;
    const root = expect.stringMatching(/^sha256:/);
    expect(tables).toEqual({ ...whole.receipt.content.tables, "contract-scores": root });
    expect([whole, also].map(({ folder }) => existsSync(join(folder, "data/contract-scores")))).toEqual([false, true]);
    expect(pages).toEqual(whole.receipt.content.pages);
    // A receipt without such contracts omits the field, so an empty list is invalid.
    const none = receiptSchema.safeParse({ ...also.receipt, alsoContracts: [] });
    expect(none.error?.issues.map(({ path, code }) => [path.join("."), code])).toEqual([
      ["alsoContracts", "too_small"],
    ]);
  });

  test("a release with scores under an unpublished contract has a score for each record with evidence under that contract, and under no other", async () => {
    const db = await openDuckDB({ threads: 1 });
    try {
      const table = (name: string) => `read_parquet(${quote(join(also.folder, "data", name, "*.parquet"))})`;
      const [counts] = await db.rows(
        `select (select count(*) from ${table("evidence")}) as evidence, count(*) as rows,
           count(*) filter (where contract = '${id}') as own,
           count(*) filter (where other.passed_mask <> score.passed_mask) > 0 as differs
         from ${table("contract-scores")} as other
         join ${table("scores")} as score on score.id = other.id and score.rubric = '2.0'`,
      );
      expect(counts).toEqual({ evidence: counts?.rows, rows: counts?.evidence, own: counts?.rows, differs: true });
      expect(Number(counts?.rows)).toBeGreaterThan(50);
    } finally {
      db.close();
    }
  });
});

test("a release without history has the same digest as one with history, because the digest does not cover it", async () => {
  await using plain = await built({ history: false });
  expect(plain.receipt.history).toBe(false);
  expect([...whole.files.keys()].filter((path) => !plain.files.has(path))).toEqual([
    "api/1.0/metrics/history.json",
    "api/2.0/metrics/history.json",
    "data/history.json",
  ]);
  expect(plain.receipt.releaseDigest).toBe(whole.receipt.releaseDigest);
});

describe("researchers who opted out", () => {
  /**
   * People who are withheld, and words that identify them. One counts as two researchers, because one of her records lacks her
   * ORCID iD.
   */
  const PEOPLE = [
    { person: "Marlow, Tess", researchers: 2, words: ["Marlow", "0000-0005-1200-011X"] },
    { person: "Vance, Mirela", researchers: 1, words: ["Vance, M", "Mirela", "0000-0005-1200-0216"] },
    { person: "Щеглова, Ёлка", researchers: 1, words: ["Щеглова"] },
  ] as const;
  const RESEARCHERS = PEOPLE.reduce((sum, { researchers }) => sum + researchers, 0);
  let hidden: Built;
  let ids: string[];

  beforeAll(async () => {
    const names = PEOPLE.map(({ person }) => quote(person)).join(", ");
    ids = await distinct(whole.folder, "authorships", "researcher_id", `name in (${names})`);
    hidden = await built({ withheld: ids });
  });
  afterAll(() => hidden[Symbol.asyncDispose]());

  test("withheld researchers are counted in the receipt, which also has the digest of the list of their ids", () => {
    expect(ids).toHaveLength(RESEARCHERS);
    expect(hidden.receipt.withheld.count).toBe(RESEARCHERS);
    expect(hidden.receipt.withheld.digest).not.toBe(whole.receipt.withheld.digest);
    expect(hidden.receipt.withheld.digest).toBe(hidden.receipt.content.inputs.withheld);
  });

  test("withheld researchers appear in no file of the release by name, id, slug or ORCID iD", async () => {
    const slugs = await distinct(whole.folder, "researchers", "slug", `id in (${ids.map(quote).join(", ")})`);
    const words = [...PEOPLE.flatMap((one) => one.words), ...ids, ...slugs];
    expect(slugs).toHaveLength(RESEARCHERS);
    const [after, before] = [await mentions(hidden.folder, words), await mentions(whole.folder, words)];
    for (const word of words) {
      expect(after.get(word), word).toEqual([]);
      expect(before.get(word), word).toEqual(expect.arrayContaining(["data/authorships/part-0000.parquet"]));
    }
  });

  test('remain in the list of creators as "withheld", with nulls', async () => {
    const details = await readRecords(whole.folder);
    const hiddenDetails = await readRecords(hidden.folder);
    const withheld = { id: null, name: "withheld", affiliation: null, slug: null, orcid: null };
    let places = 0;
    for (const [id, before] of details) {
      const expected = before.authors.map((author) =>
        author.id !== null && ids.includes(author.id) ? withheld : author,
      );
      places += expected.filter((author) => author === withheld).length;
      expect(hiddenDetails.get(id)).toEqual({ ...before, authors: expected });
    }
    expect(places).toBeGreaterThan(RESEARCHERS);
  });

  test("withheld researchers lose their own pages and badges, and nothing else in the release's scores, records and evidence changes", async () => {
    const gone = [...whole.files.keys()].filter((path) => !hidden.files.has(path));
    const slugs = await distinct(whole.folder, "researchers", "slug", `id in (${ids.map(quote).join(", ")})`);
    expect(gone.sort()).toEqual(
      slugs
        .flatMap((slug) => [
          ...PUBLIC_VERSIONS.map((version) => `api/${version}/authors/${slug.slice(-3)}/${slug}.json`),
          `widgets/researchers/${slug.slice(-3)}/${slug}.svg`,
        ])
        .sort(),
    );
    const { records, evidence, scores, facets, search, repositories } = whole.receipt.content.tables;
    expect(hidden.receipt.content.tables).toMatchObject({ records, evidence, scores, facets, search, repositories });
    expect(hidden.receipt.coverage).toEqual(whole.receipt.coverage);
  });
});

describe("several releases", () => {
  interface Step {
    readonly name: string;
    readonly options: Partial<BuildReleaseOptions>;
    readonly more?: number;
    readonly version: string;
    /** The indices of the steps whose figures the history contains; null if the release has no history. */
    readonly history: readonly number[] | null;
    /** The index of the step whose release was active before; null for the first release. */
    readonly previous: number | null;
  }
  const STEPS: readonly Step[] = [
    { name: "the first release", options: {}, version: "2026.11.01", history: [0], previous: null },
    {
      name: "a release of the next day",
      options: { asOf: "2026-11-02" },
      version: "2026.11.02",
      history: [0, 1],
      previous: 0,
    },
    {
      name: "another release of that day, without history",
      options: { asOf: "2026-11-02", history: false },
      more: 1,
      version: "2026.11.02.1",
      history: null,
      previous: 1,
    },
    {
      name: "a third release with history, not activated",
      options: { asOf: "2026-11-02", activate: false },
      more: 2,
      version: "2026.11.02.2",
      history: [0, 1, 3],
      previous: 2,
    },
    {
      name: "a fourth release after the active one",
      options: { asOf: "2026-11-02" },
      more: 3,
      version: "2026.11.02.3",
      history: [0, 1, 4],
      previous: 2,
    },
  ];
  let bench: TemporaryStore;
  const receipts: Receipt[] = [];

  beforeAll(async () => {
    // Copies the payloads, because this test harvests more of them.
    bench = await temporaryStore();
    await cp(original.raw("zenodo"), bench.store.raw("zenodo"), { recursive: true });
    for (const [i, { options, more }] of STEPS.entries()) {
      if (more !== undefined)
        await harvestRecords(bench.store, bench.folder, "zenodo", [zenodoRecord({ id: 99_400_000 + more })]);
      const { receipt } = await buildRelease(
        bench.store,
        { ...options, sources: ["zenodo"] },
        `2026-12-0${i + 1}T12:00:00.000Z`,
      );
      receipts.push(receipt);
    }
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  for (const [i, { name, version, history, previous }] of STEPS.entries()) {
    test(`${name} has the expected version, predecessor and history`, async () => {
      const receipt = receiptAt(i);
      expect(receipt).toMatchObject({ scoreReleaseVersion: version, publishedAt: `2026-12-0${i + 1}T12:00:00.000Z` });
      expect(receipt.previousReleaseDigest).toBe(previous === null ? null : receiptAt(previous).releaseDigest);
      const folder = bench.store.release(receipt.releaseDigest);
      if (history === null) {
        const { files } = await releaseContent(folder);
        expect([...files.keys()].filter((path) => path.includes("history"))).toEqual([]);
        return;
      }
      for (const rubric of PUBLIC_VERSIONS) {
        const shown = metricsHistory.parse(await page(folder, `api/${rubric}/metrics/history.json`));
        expect(
          shown.map(({ releaseDigest, rubric, totalRecords }) => ({ releaseDigest, rubric, totalRecords })),
        ).toEqual(
          history.map((step) => {
            const { releaseDigest, coverage } = receiptAt(step);
            return { releaseDigest, rubric, totalRecords: coverage.scored + coverage.failed };
          }),
        );
      }
    });
  }

  test("consecutive releases are listed from the oldest to the newest, and the last activated one is active", async () => {
    expect((await listReleases(bench.store)).map(({ releaseDigest }) => releaseDigest)).toEqual(
      receipts.map(({ releaseDigest }) => releaseDigest),
    );
    expect(await currentDigest(bench.store)).toBe(receiptAt(4).releaseDigest);
  });

  function receiptAt(step: number): Receipt {
    const receipt = receipts[step];
    if (receipt === undefined) throw new Error(`there is no release ${step}`);
    return receipt;
  }
});

describe("wrong counts", () => {
  const CASES: readonly { name: string; change: (counts: Counts) => Counts; message: string }[] = [
    {
      name: "more harvested than counted records",
      change: (counts) => ({ ...counts, coverage: { ...counts.coverage, harvested: counts.coverage.harvested + 1 } }),
      message: "harvested must be the sum of the other counts",
    },
    {
      name: "a record lost between harvest and score",
      change: (counts) => ({ ...counts, coverage: { ...counts.coverage, scored: counts.coverage.scored - 1 } }),
      message: "harvested must be the sum of the other counts",
    },
    {
      name: "an attribution that is falsely marked as complete",
      change: (counts) => ({ ...counts, attribution: { complete: true, records: 9, attributed: 4, unattributed: 4 } }),
      message: "attribution",
    },
  ];

  for (const { name, change, message } of CASES) {
    test(`a build with counts that do not add up fails with an error that names the counts: ${name}`, async () => {
      await using bench = await temporaryStore();
      const { coverage, sources, rejected, attribution } = whole.receipt;
      const pages = join(bench.folder, "pages");
      // An empty folder of pages suffices, because the build fails earlier.
      await mkdir(join(pages, "tree"), { recursive: true });
      const made = release(
        bench.store,
        releaseTablePaths(whole.folder),
        pages,
        { lines: [], roots: {} },
        change({ coverage, sources, rejected, attribution, insufficient: new Map() }),
        {
          asOf: AS_OF,
          rubrics: PUBLIC_VERSIONS,
          withheldReceipt: withheldReceipt([]),
          enrichments: {},
          history: true,
          threads: 1,
          memory: "256MB",
        },
        recordedEffects(),
      );
      await expect(made).rejects.toThrow(message);
      expect(await listReleases(bench.store)).toEqual([]);
    });
  }
});

type Counts = Parameters<typeof release>[4];

test("a ROR dump changes countries of institutions and the release digest, but no score and no researcher", async () => {
  await using beside = await temporaryStore();
  const ror = join(beside.folder, "ror.json");
  // The first organisation is in complete-modern.json, where its address names Norway. The second is in no record.
  const locations = [{ geonames_id: 1, geonames_details: { country_code: "FR" } }];
  await writeFile(
    ror,
    JSON.stringify([
      { id: "https://ror.org/0abcd1z09", name: "University of Norvale", country: { country_code: "NZ" } },
      { id: "https://ror.org/0xyzabc12", locations },
    ]),
  );
  await using enriched = await built({ ror });
  const norvale = "label = 'University of Norvale, Norvale, Norway'";
  expect(await distinct(whole.folder, "institutions", "country_code", norvale)).toEqual(["NOR"]);
  expect(await distinct(enriched.folder, "institutions", "country_code", norvale)).toEqual(["NZL"]);
  expect(await distinct(enriched.folder, "geography", "country_code")).toContain("NZL");
  expect(enriched.receipt.releaseDigest).not.toBe(whole.receipt.releaseDigest);
  const { enrichments, ...inputs } = whole.receipt.content.inputs;
  expect(enriched.receipt.content.inputs).toMatchObject(inputs);
  expect(enriched.receipt.content.inputs).not.toMatchObject({ enrichments });
  const { scores, evidence, researchers } = whole.receipt.content.tables;
  expect(enriched.receipt.content.tables).toMatchObject({ scores, evidence, researchers });
});

/** Returns the distinct values of an SQL expression over a published table, as sorted texts. */
async function distinct(folder: string, table: string, expression: string, where = "true"): Promise<string[]> {
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    const file = quote(join(folder, "data", table, "part-0000.parquet"));
    const rows = await db.rows(
      `select distinct cast(value as varchar) as value from (select ${expression} as value from read_parquet(${file}) where ${where})
       where value is not null order by value`,
    );
    return rows.map(({ value }) => String(value));
  } finally {
    db.close();
  }
}

async function readRecords(folder: string) {
  const details = new Map<string, RecordDetail>();
  for (const [path, text] of await pagesIn(folder)) {
    if (!path.startsWith("api/2.0/records/") || path.endsWith(".impact.json")) continue;
    const detail = recordDetail.parse(JSON.parse(text.toString("utf8")));
    details.set(detail.id, detail);
  }
  return details;
}

function sumCoverage(coverages: readonly Coverage[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const coverage of coverages) {
    for (const [name, count] of Object.entries(coverage)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

async function page(folder: string, path: string): Promise<unknown> {
  return JSON.parse((await pageIn(folder, path)).toString("utf8"));
}

async function json(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
