/** Tests institutions, which are grouped by the exact text of an affiliation, and countries. Both count a record once. */

import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aggregateWorks, type Person, type Work } from "./made-up.ts";

const person = (name: string, ...at: NonNullable<Person["at"]>[number][]): Person => ({ name, at });

function makePlaceId(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const WORKS: readonly Work[] = [
  { id: "r1", total: 40, by: [person("Bo, Ann", "Uni X, France"), person("Cy, Dee", "Uni X, France", "Uni Y, Spain")] },
  { id: "r2", total: 80, by: [person("Bo, Ann", "Uni X, France")] },
  // "Uni  X, France" differs from the text above only by a space. No country can be found for "Institute of Rain".
  { id: "r3", total: 60, by: [person("Bo, Ann", "Uni  X, France"), person("Eve, F.", "Institute of Rain")] },
  { id: "r4", by: [person("Bo, Ann", "Uni X, France")] },
  { id: "r5", total: 20, by: [{ name: "Lab", person: false, at: ["Lab, Spain"] }] },
  { id: "r6", total: 100, by: [{ name: "Bo, Ann" }] },
];

describe("the table of institutions", () => {
  test("institutions are grouped by the exact text of the affiliation, and count a record once", async () => {
    const { institution } = await aggregateWorks(WORKS);
    const rows = new Map(institution.map((row) => [row.id, row]));
    expect(rows.get(makePlaceId("Uni X, France"))).toMatchObject({
      label: "Uni X, France",
      country_code: "FRA",
      record_count: 3,
      scored_count: 2,
      author_count: 2,
      mean_score: 60,
      mean_s: 20,
      mean_h: 20,
      mean_a: 10,
      d4: 1,
      d8: 1,
      d6: 0,
      t40: 1,
      t80: 1,
      t60: 0,
    });
    expect(rows.get(makePlaceId("Uni  X, France"))).toMatchObject({
      label: "Uni X, France",
      record_count: 1,
      mean_score: 60,
    });
    expect(rows.get(makePlaceId("Institute of Rain"))).toMatchObject({ country_code: null, record_count: 1 });
    expect(rows.get(makePlaceId("Lab, Spain"))).toMatchObject({ author_count: 0, record_count: 1, mean_score: 20 });
    expect(rows.size).toBe(5);
  });

  test("institutions have a null mean if all their records failed", async () => {
    const { institution, country } = await aggregateWorks([{ id: "r1", by: [person("Bo, Ann", "Uni X, France")] }]);
    expect(institution).toMatchObject([{ record_count: 1, scored_count: 0, mean_score: null, d0: 0 }]);
    expect(country).toMatchObject([{ record_count: 1, scored_count: 0, mean_score: null }]);
  });

  test("institutions have labels without email addresses and URLs", async () => {
    const text = "Uni X (ann@uni-x.example), France https://uni-x.example";
    const { institution } = await aggregateWorks([{ id: "r1", total: 4, by: [person("Bo, Ann", text)] }]);
    expect(institution).toMatchObject([{ id: makePlaceId(text), country_code: "FRA" }]);
    expect(institution[0]?.label).not.toMatch(/@|http/);
  });
});

describe("the table of countries", () => {
  test("countries count each record once, and a record with affiliations in two countries once in both", async () => {
    const { country, manifest } = await aggregateWorks(WORKS);
    expect(country).toMatchObject([
      {
        country_code: "ESP",
        record_count: 2,
        scored_count: 2,
        institution_count: 2,
        mean_score: 30,
        d4: 1,
        d2: 1,
        t40: 1,
        t20: 1,
        t60: 0,
      },
      { country_code: "FRA", record_count: 4, scored_count: 3, institution_count: 2, mean_score: 60 },
    ]);
    expect(manifest.facts.attribution).toEqual({
      records: 6,
      attributed: 5,
      unattributed: 1,
      by_ror: 0,
      by_field: 0,
      by_text: 5,
      by_region: 0,
      without_affiliation: 1,
      without_country: 0,
    });
  });

  test("each affiliation of a creator has its own row in the attribution table", async () => {
    const { attribution } = await aggregateWorks(WORKS);
    expect(attribution).toHaveLength(8);
    expect(attribution.slice(0, 3).map(({ position, place, country_code }) => [position, place, country_code])).toEqual(
      [
        [0, 0, "FRA"],
        [1, 0, "FRA"],
        [1, 1, "ESP"],
      ],
    );
  });
});

test("a build without attribution has no institutions and no countries, but the same researchers", async () => {
  const open = await aggregateWorks(WORKS);
  const without = await aggregateWorks(WORKS, { attribution: false });
  expect([without.attribution, without.institution, without.country]).toEqual([[], [], []]);
  expect(without.manifest.facts.attribution).toBeNull();
  const { attribution, institution, country, manifest, ...rest } = open;
  expect(without).toMatchObject(rest);
  expect([attribution, institution, country].every((rows) => rows.length > 0) && manifest.tables.attribution).toBe(8);
});

describe("ROR ids", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "share-ror-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const works: Work[] = [
    { id: "r1", total: 40, by: [person("Bo, Ann", ["Institute of Rain", "00aaaaa01"])] },
    // The ROR dump is preferred to the last word of the text.
    { id: "r2", total: 40, by: [person("Bo, Ann", ["Uni X, Georgia", "00aaaaa02"])] },
    { id: "r3", total: 40, by: [person("Bo, Ann", ["Uni Y, Spain", "00aaaaa09"])] },
    { id: "r4", total: 40, by: [person("Bo, Ann", ["Uni Z, Spain", "00aaaaa03"])] },
  ];
  const V1 = [
    { id: "https://ror.org/00aaaaa01", name: "Rain", country: { country_name: "Norway", country_code: "NO" } },
    { id: "https://ror.org/00aaaaa02", name: "X", country: { country_name: "United States", country_code: "US" } },
    { id: "https://ror.org/00aaaaa03", name: "Z", country: { country_name: "Nowhere", country_code: "ZZ" } },
  ];
  const V2 = V1.map(({ id, name, country }) => ({
    id,
    names: [{ value: name, types: ["ror_display"] }],
    locations: [
      { geonames_id: 1, geonames_details: { country_code: country.country_code, name: "Town" } },
      { geonames_id: 2, geonames_details: { country_code: "DE", name: "Second" } },
    ],
  }));

  test.each([
    { name: "schema 1", dump: V1 },
    { name: "schema 2", dump: V2 },
    {
      name: "a mixture, with entries that have no country",
      dump: [
        ...V1.slice(0, 1),
        ...V2.slice(1),
        { id: "https://ror.org/00aaaaa04" },
        { id: "https://ror.org/00aaaaa05", locations: [] },
      ],
    },
  ])("countries of affiliations with a ROR id are read from a ROR dump of $name", async ({ dump }) => {
    const ror = join(folder, "ror.json");
    await writeFile(ror, JSON.stringify(dump));
    const { attribution } = await aggregateWorks(works, { ror });
    expect(attribution.map(({ country_code }) => country_code)).toEqual(["NOR", "USA", "ESP", "ESP"]);
  });

  test("countries of affiliations with a ROR id come from the text of the affiliation if there is no ROR dump", async () => {
    const { attribution } = await aggregateWorks(works);
    expect(attribution.map(({ country_code }) => country_code)).toEqual([null, "GEO", "ESP", "ESP"]);
  });

  test("a record counts under its best known country, or under the reason why it has none", async () => {
    const ror = join(folder, "bases.json");
    await writeFile(ror, JSON.stringify(V1));
    const given: Work[] = [
      { id: "r1", total: 40, by: [person("Bo, Ann", "Uni Y, Spain", ["Institute of Rain", "00aaaaa01"])] },
      { id: "r2", total: 40, by: [person("Bo, Ann", "Uni W, Boulder, Colorado", "Uni Y, Spain")] },
      { id: "r3", total: 40, by: [person("Bo, Ann", "Uni W, Boulder, CO 80309", "Institute of Rain")] },
      { id: "r4", total: 40, by: [person("Bo, Ann", "University of Georgia")] },
      { id: "r5", total: 40, by: [person("Bo, Ann")] },
      { id: "r6", total: 40 },
    ];
    const { manifest, attribution } = await aggregateWorks(given, { ror });
    expect(manifest.facts.attribution).toEqual({
      records: 6,
      attributed: 3,
      unattributed: 3,
      by_ror: 1,
      by_field: 0,
      by_text: 1,
      by_region: 1,
      without_affiliation: 2,
      without_country: 1,
    });
    expect(attribution.map(({ country_code, country_basis }) => `${country_code} ${country_basis}`)).toEqual([
      "ESP text",
      "NOR ror",
      "USA region",
      "ESP text",
      "USA region",
      "null null",
      "null null",
    ]);
  });
});
