/**
 * Tests how stage 2 makes records from captures (stored payloads): which capture counts, and which records are merged or left
 * out.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeReportedInstitution } from "../../pipeline/2-normalise/rows.ts";
import {
  type Capture,
  makeEnvelope,
  type TemporaryStore,
  temporaryStore,
  writeCaptures,
} from "../support/temporary-store.ts";
import { casesToRun } from "../tiers.ts";
import { type Resolved, type Row, recordId, resolveStore } from "./captures.ts";

const DAY = (day: number) => `2025-01-${String(day).padStart(2, "0")}T00:00:00.000Z`;

interface ZenodoFields {
  readonly title?: string;
  readonly updated?: string;
  readonly doi?: string;
  readonly stats?: Readonly<Record<string, number>>;
  readonly type?: string;
  readonly creators?: readonly unknown[];
}

function zenodo(id: number, fields: ZenodoFields, retrieved: Partial<Capture> = {}): Capture {
  const { title = "t", type = "dataset", creators = [], ...record } = fields;
  const metadata = { title, resource_type: { type }, creators };
  return { source: "zenodo", sourceId: String(id), payload: { id, ...record, metadata }, ...retrieved };
}

function gone(id: number, status: number, retrievedAt: string | null): Capture {
  return { source: "zenodo", sourceId: String(id), payload: "", status, retrievedAt };
}

function datacite(
  doi: string,
  attributes: Readonly<Record<string, unknown>>,
  retrieved: Partial<Capture> = {},
): Capture {
  const types = { resourceTypeGeneral: "Dataset" };
  return {
    source: "datacite",
    sourceId: doi,
    payload: { id: doi, attributes: { types, ...attributes } },
    ...retrieved,
  };
}

const SAME_AGE = [zenodo(3, { title: "one" }), zenodo(3, { title: "two" }), zenodo(3, { title: "three" })];
const LAST_BY_DIGEST = [...SAME_AGE].sort((a, b) =>
  makeEnvelope(a).payloadDigest < makeEnvelope(b).payloadDigest ? 1 : -1,
)[0];

const [SMALLER, LARGER] = ["small", "large", "middling"]
  .map((title) => ({ title, updated: "2020-01-01T00:00:00Z" }))
  .sort((a, b) => (makeEnvelope(zenodo(21, a)).payloadDigest < makeEnvelope(zenodo(21, b)).payloadDigest ? -1 : 1));

/**
 * The number of a Zenodo record whose id sorts after the id of the same DOI at DataCite, so that only the preference of sources
 * can decide.
 */
const BEHIND = Array.from({ length: 50 }, (_, i) => 600 + i).find(
  (number) => recordId(`datacite/10.5281/zenodo.${number}`) < recordId(`zenodo/${number}`),
);

/** The captures of all tests. The number of a group is the number of its Zenodo record, for example zenodo/21. */
const CAPTURES: readonly Capture[] = [
  // 1: the latest update at the source counts, whatever the order of retrieval.
  zenodo(1, { title: "of 2020", updated: "2020-01-01T00:00:00Z" }, { retrievedAt: DAY(9) }),
  zenodo(1, { title: "of 2022", updated: "2022-01-01T00:00:00+00:00" }, { retrievedAt: DAY(1) }),
  zenodo(1, { title: "of 2021", updated: "2021-01-01T00:00:00Z" }, { retrievedAt: DAY(5) }),
  // 2: the latest retrieval counts if the updates are the same time, which is written in several ways.
  zenodo(2, { title: "first", updated: "2020-01-01T00:00:00Z" }, { retrievedAt: "2025-01-01T00:00:00Z" }),
  zenodo(2, { title: "later", updated: "2020-01-01T00:00:00.000Z" }, { retrievedAt: "2025-01-01T00:00:00.500Z" }),
  zenodo(2, { title: "unknown", updated: "2020-01-01T02:00:00+02:00" }, { retrievedAt: null }),
  // 3: the larger payload digest counts if the captures have no times.
  ...SAME_AGE,
  // 21: the later retrieval counts, and not the larger digest.
  zenodo(21, SMALLER ?? {}, { retrievedAt: DAY(2) }),
  zenodo(21, LARGER ?? {}, { retrievedAt: DAY(1) }),
  // 4: a capture with a time of update counts more than one without, or with one that cannot be read.
  zenodo(4, { title: "unstated" }, { retrievedAt: DAY(9) }),
  zenodo(4, { title: "stated", updated: "2001-01-01T00:00:00Z" }, { retrievedAt: DAY(1) }),
  zenodo(4, { title: "garbled", updated: "3000" }, { retrievedAt: DAY(8) }),
  // 5: the same response was stored twice.
  zenodo(5, { title: "same" }, { retrievedAt: DAY(1) }),
  zenodo(5, { title: "same" }, { retrievedAt: DAY(1) }),
  // 6: Zenodo and DataCite both have a record of one DOI.
  zenodo(6, {
    title: "native",
    doi: "10.5281/zenodo.6",
    stats: { views: 3, downloads: 10 },
    creators: [{ name: "Bo, Ann" }],
  }),
  datacite("10.5281/zenodo.6", {
    titles: [{ title: "registry" }],
    viewCount: 5,
    downloadCount: 2,
    citationCount: 7,
    creators: [{ name: "Bo, A." }, { name: "Cy, Dee" }],
  }),
  zenodo(BEHIND ?? 0, { title: "native", doi: `10.5281/zenodo.${BEHIND}` }),
  datacite(`10.5281/zenodo.${BEHIND}`, { titles: [{ title: "registry" }] }),
  // 7: an older capture does not count, and neither do its views.
  zenodo(7, { updated: "2020-01-01T00:00:00Z", stats: { views: 900 } }),
  zenodo(7, { updated: "2021-01-01T00:00:00Z", stats: { views: 9 } }),
  // 8 and 9: two records of one source have the same DOI.
  zenodo(8, { title: "eight", doi: "10.5072/twice", stats: { views: 8 } }),
  zenodo(9, { title: "nine", doi: "10.5072/TWICE", stats: { views: 9 } }),
  // 10: the record is gone after it was seen.
  zenodo(10, { updated: "2024-12-31T00:00:00Z" }, { retrievedAt: DAY(1) }),
  gone(10, 410, DAY(2)),
  // 11: the record is seen again after it was gone, with the same update.
  zenodo(11, { title: "back", updated: "2019-01-01T00:00:00Z" }, { retrievedAt: DAY(1) }),
  gone(11, 404, DAY(2)),
  zenodo(11, { title: "back", updated: "2019-01-01T00:00:00Z" }, { retrievedAt: DAY(3) }),
  // 12: the record was never seen, and was twice gone.
  gone(12, 404, DAY(1)),
  gone(12, 410, DAY(2)),
  // 13: the record is gone, but the time of that response is unknown.
  zenodo(13, {}, { retrievedAt: DAY(1) }),
  gone(13, 410, null),
  // 14: the record was a dataset before, and is software now.
  zenodo(14, { updated: "2020-01-01T00:00:00Z" }),
  zenodo(14, { updated: "2021-01-01T00:00:00Z", type: "software" }),
  // 15 and 16: the captures have an id, but cannot be read.
  { source: "zenodo", sourceId: "15", payload: "{ no JSON" },
  { source: "zenodo", sourceId: "16", payload: { id: 16, metadata: { title: "sparse" } } },
  // DataCite hides the first DOI, which Zenodo still shows. The second DOI is hidden, and no other source has it.
  zenodo(17, { title: "shown", doi: "10.5281/zenodo.17" }),
  datacite("10.5281/zenodo.17", { state: "registered" }),
  datacite("10.5072/hidden", { state: "draft", updated: "2020-01-01" }),
  // Texts with half a surrogate pair, NUL and a control of text direction.
  datacite("10.5072/odd", {
    titles: [{ title: "lone \ud83d, nul \u0000 and \u202eturned" }],
    creators: [{ name: "\ud83d" }],
  }),
  {
    source: "clinicaltrials",
    sourceId: "NCT00000001",
    payload: {
      protocolSection: {
        identificationModule: { nctId: "NCT00000001" },
        conditionsModule: { conditions: ["b", "a"] },
        sponsorCollaboratorsModule: {
          responsibleParty: { investigatorFullName: "Ann Bo, MD", investigatorAffiliation: "Uni X, France" },
        },
      },
    },
  },
];

const SOURCES = ["clinicaltrials", "datacite", "zenodo"];

let bench: TemporaryStore;
let resolved: Resolved;
beforeAll(async () => {
  bench = await temporaryStore();
  await writeCaptures(bench.store, CAPTURES, 7);
  resolved = await resolveStore(bench.store, "one", { sources: SOURCES, threads: 1 });
});
afterAll(() => bench[Symbol.asyncDispose]());

function record(identifier: string): Row | undefined {
  return resolved.tables.record.find((row) => row.id === recordId(identifier));
}

describe("several captures with one id", () => {
  test.each([
    { identifier: "zenodo/1", title: "of 2022", why: "the capture with the latest update" },
    { identifier: "zenodo/2", title: "later", why: "the capture with the latest retrieval" },
    { identifier: "zenodo/4", title: "stated", why: "a capture with a time of update" },
    { identifier: "zenodo/5", title: "same", why: "either of two equal captures" },
    { identifier: "zenodo/11", title: "back", why: "a capture that was retrieved after a 404" },
  ])("the record of several captures with one id comes from $why ($identifier)", ({ identifier, title }) => {
    expect(record(identifier)).toMatchObject({ title, status: "ok" });
  });

  test("the record of several captures with one id comes from the capture with the latest retrieval, and not the larger digest (zenodo/21)", () => {
    expect(SMALLER?.title).not.toBe(LARGER?.title);
    expect(record("zenodo/21")?.title).toBe(SMALLER?.title);
  });

  test("the record of several captures with one id comes from the capture with the larger payload digest if no capture has a time (zenodo/3)", () => {
    if (LAST_BY_DIGEST === undefined) throw new Error("there is no capture of zenodo/3");
    expect(record("zenodo/3")?.payload_digest).toBe(makeEnvelope(LAST_BY_DIGEST).payloadDigest);
  });

  test("the record of several captures with one id has the observed use of the chosen capture", () => {
    expect(record("zenodo/7")?.views).toBe(9);
  });
});

describe("several captures with one DOI", () => {
  test("a DOI that several captures have becomes one record, from the repository's own source, with the largest use that any source knows", () => {
    expect(record("datacite/10.5281/zenodo.6")).toBeUndefined();
    expect(record("zenodo/6")).toMatchObject({
      title: "native",
      views: 5,
      downloads: 10,
      citations: 7,
      mentions: null,
    });
  });

  test("a DOI that several captures have becomes the record of the preferred source in any order of ids", () => {
    expect(BEHIND).toBeGreaterThan(0);
    expect(record(`zenodo/${BEHIND}`)?.title).toBe("native");
    expect(record(`datacite/10.5281/zenodo.${BEHIND}`)).toBeUndefined();
  });

  test("the record of a DOI that several captures have has the evidence, creators and pledge of the preferred source", () => {
    const id = recordId("zenodo/6");
    expect(resolved.tables.evidence.find((row) => row.id === id)).toMatchObject({
      source: "zenodo",
      view_count: 3,
      citation_count: null,
    });
    expect(resolved.tables.creator.filter((row) => row.id === id).map((row) => row.name)).toEqual(["Bo, Ann"]);
  });

  test("the record of a DOI that several captures have has the ids and identifiers of its other records as aliases", () => {
    const [one, other] = [recordId("zenodo/8"), recordId("zenodo/9")].sort();
    const aliases = [
      { loser: "datacite/10.5281/zenodo.6", id: recordId("zenodo/6") },
      { loser: `datacite/10.5281/zenodo.${BEHIND}`, id: recordId(`zenodo/${BEHIND}`) },
      { loser: other === recordId("zenodo/8") ? "zenodo/8" : "zenodo/9", id: one },
    ].map(({ loser, id }) => ({ alias_id: recordId(loser), alias_identifier: loser, id }));
    expect(resolved.tables.alias).toEqual(aliases.sort((a, b) => (a.alias_id < b.alias_id ? -1 : 1)));
    expect(resolved.tables.record.find((row) => row.id === one)).toMatchObject({ doi: "10.5072/twice", views: 9 });
  });
});

test("a capture that does not become a record is in the table `unlisted`, with the reason", () => {
  const kinds = new Map(resolved.tables.unlisted.map((row) => [row.identifier, row.kind]));
  expect(Object.fromEntries([...kinds].sort())).toEqual({
    "datacite/10.5072/hidden": "tombstone",
    "datacite/10.5281/zenodo.17": "tombstone",
    "zenodo/10": "tombstone",
    "zenodo/12": "tombstone",
    "zenodo/14": "not_dataset",
  });
  for (const { id, identifier, reason } of resolved.tables.unlisted) {
    expect(id).toBe(recordId(String(identifier)));
    expect(reason).not.toBe("");
    expect(record(String(identifier))).toBeUndefined();
  }
});

test("a record that one source hides is still a record of the other source", () => {
  expect(record("zenodo/17")).toMatchObject({ title: "shown", doi: "10.5281/zenodo.17" });
});

test("a 410 response without a time does not replace an earlier capture", () => {
  expect(record("zenodo/13")?.status).toBe("ok");
});

test("a capture that cannot be read becomes a failed record, with the reason and without evidence", () => {
  for (const identifier of ["zenodo/15", "zenodo/16"]) {
    const row = record(identifier);
    expect(row).toMatchObject({ status: "failed", source: "zenodo", version_family: identifier });
    expect(row?.reason).not.toBe(null);
    expect(resolved.tables.evidence.filter(({ id }) => id === row?.id)).toEqual([]);
  }
});

test("unusual characters in a capture become well-formed text", () => {
  expect(record("datacite/10.5072/odd")?.title).toBe("lone \ufffd, nul and turned");
});

test("people, affiliations and facets of a record are in the order of its payload", () => {
  const id = recordId("clinicaltrials/NCT00000001");
  const of = (rows: readonly Row[]) => rows.filter((row) => row.id === id);
  expect(of(resolved.tables.creator)).toMatchObject([
    {
      position: 0,
      name: "Ann Bo, MD",
      person: true,
      full_name: true,
      folded_name: "ann bo",
      slug_name: "ann-bo",
      affiliation: "Uni X, France",
    },
  ]);
  expect(of(resolved.tables.affiliation)).toMatchObject([
    {
      position: 0,
      place: 0,
      reported_json: JSON.stringify("Uni X, France"),
      label: "Uni X, France",
      folded: "uni x france",
      ror: null,
      country: "FRA",
      country_basis: "text",
    },
  ]);
  expect(of(resolved.tables.facet).map(({ kind, value }) => `${kind} ${value}`)).toEqual(["disease b", "disease a"]);
});

test("the manifest of the stage counts every capture once", () => {
  const { coverage, sources } = resolved.manifest.facts;
  expect(coverage).toEqual({
    harvested: CAPTURES.length,
    superseded: 17,
    duplicates: 3,
    tombstones: 4,
    not_dataset: 1,
    failed: 2,
    scored: 15,
  });
  expect(sources).toMatchObject([
    { source: "clinicaltrials", harvested: 1, scored: 1 },
    { source: "datacite", harvested: 5, superseded: 0, duplicates: 2, tombstones: 2, scored: 1 },
    { source: "zenodo", superseded: 17, oldest_retrieval: DAY(1), newest_retrieval: DAY(9) },
  ]);
  expect(resolved.manifest.tables).toMatchObject({ record: 17, evidence: 15, alias: 3, unlisted: 5 });
});

describe("the same captures give the same tables", () => {
  /** The captures in another, fixed order: every third one, from the end. */
  const shuffled = [0, 1, 2].flatMap((third) => CAPTURES.filter((_, index) => index % 3 === third).reverse());

  const ways = [
    { name: "with two threads", captures: CAPTURES, perPart: 7, threads: 2, sources: SOURCES },
    {
      name: "with four threads and one part for each capture",
      captures: CAPTURES,
      perPart: 1,
      threads: 4,
      sources: SOURCES,
    },
    {
      name: "in another order of captures and sources",
      captures: shuffled,
      perPart: 5,
      threads: 2,
      sources: [...SOURCES].reverse(),
    },
    { name: "with one part for each source", captures: shuffled, perPart: 100, threads: 1, sources: SOURCES },
  ];

  test.each(casesToRun(ways))(
    "stage 2 gives the same tables $name",
    async ({ captures, perPart, threads, sources }) => {
      await using other = await temporaryStore();
      await writeCaptures(other.store, captures, perPart);
      const again = await resolveStore(other.store, "other", { sources, threads });
      expect(again.tables).toEqual(resolved.tables);
      const { coverage, sources: bySource } = resolved.manifest.facts;
      expect(again.manifest.facts).toMatchObject({ coverage, sources: bySource });
    },
  );
});

test("stage 2 does not run again if its output exists", async () => {
  const again = await resolveStore(bench.store, "one", { sources: [], threads: 1 });
  expect(again.manifest).toEqual(resolved.manifest);
});

test("an empty store gives empty tables and zero counts", async () => {
  await using empty = await temporaryStore();
  const { manifest, tables } = await resolveStore(empty.store, "none", { sources: SOURCES, threads: 2 });
  expect(Object.values(tables).flat()).toEqual([]);
  expect(manifest.facts).toMatchObject({ coverage: { harvested: 0, scored: 0 }, sources: [] });
});

test("an affiliation has a label in one line, and also the exact text", async () => {
  await using other = await temporaryStore();
  const text = "Kelp Laboratory,\r\n  <b>University</b> of Norvale\u0000,\nNorway";
  const creators = [{ name: "Falk, Rune", affiliation: text }];
  await writeCaptures(other.store, [zenodo(1, { creators })], 1);
  const { tables } = await resolveStore(other.store, "one", { sources: ["zenodo"], threads: 1 });
  expect(tables.creator).toMatchObject([{ affiliation: "Kelp Laboratory, University of Norvale, Norway" }]);
  expect(tables.affiliation).toMatchObject([
    { reported_json: makeReportedInstitution(text).reported, label: "Kelp Laboratory, University of Norvale, Norway" },
  ]);
});

test("a year of publication later than next year is ignored", async () => {
  await using other = await temporaryStore();
  const published = { a: 2554, b: 2027, c: 2028, d: 1901 };
  const captures = Object.entries(published).map(([end, publicationYear]) =>
    datacite(`10.5072/${end}`, { publicationYear }),
  );
  await writeCaptures(other.store, captures, 4);
  const dates = async (asOf: string) => {
    const { tables } = await resolveStore(other.store, asOf, { sources: ["datacite"], threads: 1, asOf });
    return Object.fromEntries(tables.record.map(({ doi, pub_date }) => [doi, pub_date]));
  };
  expect(await dates("2026-11-01")).toEqual({
    "10.5072/a": null,
    "10.5072/b": "2027",
    "10.5072/c": null,
    "10.5072/d": "1901",
  });
  expect(await dates("2027-01-01")).toMatchObject({ "10.5072/a": null, "10.5072/c": "2028" });
});

test("an embargo is judged as of the day of the build", async () => {
  await using other = await temporaryStore();
  const dates = [{ date: "2026-06-15", dateType: "Available" }];
  await writeCaptures(other.store, [datacite("10.5072/embargo", { dates })], 1);
  const active = async (asOf: string) =>
    (await resolveStore(other.store, asOf, { sources: ["datacite"], threads: 1, asOf })).tables.evidence[0]
      ?.embargo_active;
  expect([await active("2026-06-14"), await active("2026-06-15")]).toEqual([true, false]);
});
