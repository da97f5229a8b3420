/** Tests how stage 4 merges creators into researchers, how it makes their names, slugs and ids, and whom it leaves out. */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Row } from "../normalise/captures.ts";
import { type Aggregated, aggregateWorks, type Person, type Work } from "./made-up.ts";

const ORCID = "0000-0002-1825-0097";
const OTHER = "0000-0001-5109-3700";

/** Makes one dataset for each person, with the person as its first creator. No two datasets are in the same version family. */
function worksBy(...people: readonly Person[]): Work[] {
  return people.map((person, index) => ({ id: `r${index}`, total: 8, by: [person] }));
}

/**
 * Returns one letter for each dataset. Datasets whose first creators are one researcher have the same letter, and `-` means
 * that the first creator is not a researcher: "AAB-".
 */
function formatGroups({ authorship }: Aggregated): string {
  const letters = new Map<unknown, string>([[null, "-"]]);
  for (const { researcher_id } of authorship) {
    if (!letters.has(researcher_id)) letters.set(researcher_id, String.fromCharCode(64 + letters.size));
  }
  return authorship.map(({ researcher_id }) => letters.get(researcher_id)).join("");
}

interface Case {
  readonly name: string;
  readonly works: readonly Work[];
  readonly groups: string;
  /** How each researcher was identified, in the order of the letters. */
  readonly bases: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "creators with the same ORCID iD and different names are one researcher",
    works: worksBy(
      { name: "Bo, Ann", orcid: ORCID },
      { name: "Ann B. Bo", orcid: ORCID },
      { name: "王明", orcid: ORCID, full: false },
    ),
    groups: "AAA",
    bases: ["orcid"],
  },
  {
    name: "creators with different ORCID iDs and the same name and institution are two researchers",
    works: worksBy({ name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] }, { name: "Bo, Ann", orcid: OTHER, at: ["Uni X"] }),
    groups: "AB",
    bases: ["orcid", "orcid"],
  },
  {
    name: "creators with one full name in different spellings at one institution are one researcher",
    works: worksBy(
      { name: "Bo, Ánn", at: ["Uni X, Kiel"] },
      { name: "Ann Bo", at: ["UNI X  KIEL"] },
      { name: "Bo, Ann, PhD", at: ["<b>Uni X</b>, Kiel"] },
    ),
    groups: "AAA",
    bases: ["name_affiliation"],
  },
  {
    name: "creators with the same full name at two institutions are two researchers",
    works: worksBy({ name: "Bo, Ann", at: ["Uni X"] }, { name: "Bo, Ann", at: ["Uni Y"] }),
    groups: "AB",
    bases: ["name_affiliation", "name_affiliation"],
  },
  {
    name: "a creator without an ORCID iD joins the only ORCID iD with the same full name and institution",
    works: worksBy({ name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] }, { name: "Ann Bo", at: ["uni x"] }),
    groups: "AA",
    bases: ["orcid"],
  },
  {
    name: "a creator joins an ORCID iD with the same name if they share any one affiliation",
    works: worksBy(
      { name: "Bo, Ann", orcid: ORCID, at: ["Uni Y", "Uni X"] },
      { name: "Ann Bo", at: ["Uni Z", "Uni X"] },
    ),
    groups: "AA",
    bases: ["orcid"],
  },
  {
    name: "a creator joins an ORCID iD if any of its records has the same name and institution",
    works: worksBy(
      { name: "Bo, Ann", orcid: ORCID },
      { name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] },
      { name: "Ann Bo", at: ["Uni X"] },
    ),
    groups: "AAA",
    bases: ["orcid"],
  },
  {
    name: "a creator joins neither of two ORCID iDs with the same name and institution",
    works: worksBy(
      { name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] },
      { name: "Bo, Ann", orcid: OTHER, at: ["Uni X"] },
      { name: "Bo, Ann", at: ["Uni X"] },
      { name: "Bo, Ann", at: ["Uni X"] },
    ),
    groups: "ABCC",
    bases: ["orcid", "orcid", "name_affiliation"],
  },
  {
    name: "a creator joins neither of two ORCID iDs with the same name, each at one of the creator's affiliations",
    works: worksBy(
      { name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] },
      { name: "Bo, Ann", orcid: OTHER, at: ["Uni Y"] },
      { name: "Bo, Ann", at: ["Uni X", "Uni Y"] },
    ),
    groups: "ABC",
    bases: ["orcid", "orcid", "name_affiliation"],
  },
  {
    name: "a creator whose given name is an initial is not merged with anybody",
    works: worksBy(
      { name: "Bo, A.", full: false, orcid: ORCID, at: ["Uni X"] },
      { name: "Bo, A.", full: false, at: ["Uni X"] },
      { name: "Bo, A.", full: false, at: ["Uni X"] },
    ),
    groups: "ABC",
    bases: ["orcid", "name", "name"],
  },
  {
    name: "an initial (A.) is not merged with a full given name of one letter (A)",
    works: worksBy({ name: "Bo, A", orcid: ORCID, at: ["Uni X"] }, { name: "Bo, A.", full: false, at: ["Uni X"] }),
    groups: "AB",
    bases: ["orcid", "name"],
  },
  {
    name: "a creator without an institution is not merged with anybody of the same name",
    works: worksBy({ name: "Bo, Ann", orcid: ORCID }, { name: "Bo, Ann" }, { name: "Bo, Ann" }),
    groups: "ABC",
    bases: ["orcid", "name", "name"],
  },
  {
    name: "a creator at another institution is not merged with anybody of the same name",
    works: worksBy({ name: "Bo, Ann", orcid: ORCID, at: ["Uni X"] }, { name: "Bo, Ann", at: ["Uni Y"] }),
    groups: "AB",
    bases: ["orcid", "name_affiliation"],
  },
  {
    name: "creators with the same name in versions of one dataset are one researcher",
    works: worksBy(
      { name: "Bo, A.", full: false },
      { name: "A. Bo", full: false },
      { name: "Bo, A.", full: false },
    ).map((work, index) => ({ ...work, family: index < 2 ? "f" : "g" })),
    groups: "AAB",
    bases: ["name", "name"],
  },
  {
    name: "organisations and names without a type are not researchers",
    works: worksBy(
      { name: "Uni X", person: false, at: ["Uni X"] },
      { name: "Bo", person: false },
      { name: "Bo, Ann", at: ["Uni X"] },
    ),
    groups: "--A",
    bases: ["name_affiliation"],
  },
  {
    name: "a creator whose name has no letters or digits is a researcher only with an ORCID iD",
    works: worksBy({ name: "?!" }, { name: "?!", orcid: ORCID }),
    groups: "-A",
    bases: ["orcid"],
  },
];

test.each(CASES)(
  "first creators are merged into the researchers $groups (one letter each): $name",
  async ({ works, groups, bases }) => {
    const aggregated = await aggregateWorks(works);
    expect(formatGroups(aggregated)).toBe(groups);
    const byId = new Map(aggregated.researcher.map((row) => [row.id, row.identity_basis]));
    const order = [...new Set(aggregated.authorship.map((row) => row.researcher_id))].filter((id) => id !== null);
    expect(order.map((id) => byId.get(id))).toEqual(bases);
  },
);

async function onlyResearcher(...people: readonly Person[]): Promise<Row> {
  const { researcher } = await aggregateWorks(worksBy(...people));
  const [row] = researcher;
  if (row === undefined || researcher.length !== 1)
    throw new Error(`expected one researcher, found ${researcher.length}`);
  return row;
}

describe("the displayed name and affiliation of a researcher", () => {
  test.each([
    { names: ["Bo, Ann", "Bo, Ann", "Ann Bo"], shown: "Bo, Ann" },
    { names: ["Bo, Ann", "Ann Bo"], shown: "Ann Bo" },
    { names: ["bo", "Zo"], shown: "Zo" },
    // By code point: U+FF21 before U+1D400, although its first UTF-16 unit is the larger.
    { names: ["𝐀nn Bo", "Ａnn Bo"], shown: "Ａnn Bo" },
  ])("the displayed name of a researcher with the names $names is $shown", async ({ names, shown }) => {
    expect((await onlyResearcher(...names.map((name) => ({ name, orcid: ORCID })))).name).toBe(shown);
  });

  test("the displayed affiliation is the one most often listed first, and the alphabet decides between equals", async () => {
    const at = (...places: string[]): Person[] =>
      places.map((place) => ({ name: "Bo, Ann", orcid: ORCID, at: [place, "Uni A"] }));
    expect((await onlyResearcher(...at("Uni Y", "Uni Z", "Uni Z"))).affiliation).toBe("Uni Z");
    expect((await onlyResearcher(...at("Uni Z", "Uni Y"))).affiliation).toBe("Uni Y");
    expect((await onlyResearcher({ name: "Bo, Ann", orcid: ORCID })).affiliation).toBeNull();
  });
});

function makeResearcherId(key: string): string {
  return `a${createHash("sha256").update(key).digest("hex").slice(0, 24)}`;
}

describe("the id and the slug of a researcher", () => {
  test.each([
    { person: { name: "Bo, Ann", orcid: ORCID }, key: `orcid:${ORCID}`, slug: `ann-bo-${ORCID}` },
    {
      person: { name: "Bø, Ánn-Marie", at: ["Uni X"] },
      key: "name_affiliation:ann marie bo|uni x",
      slug: "ann-marie-bo-",
    },
    { person: { name: "Bo, A.", full: false }, key: "name:a bo|r0", slug: "a-bo-" },
    { person: { name: "王, 明", orcid: ORCID }, key: `orcid:${ORCID}`, slug: `researcher-${ORCID}` },
    { person: { name: "Иванов, Иван", at: ["Uni X"] }, key: "name_affiliation:иван иванов|uni x", slug: "researcher-" },
  ])("the id and the slug of $person.name have the specified form", async ({ person, key, slug }) => {
    const row = await onlyResearcher(person);
    expect(row.id).toBe(makeResearcherId(key));
    expect(row.slug).toBe(slug.endsWith("-") ? `${slug}${makeResearcherId(key).slice(1, 11)}` : slug);
    expect(row.slug).toMatch(/^[A-Za-z0-9._~-]{1,160}$/);
  });

  test("the slug of a researcher with a very long name has at most 160 characters", async () => {
    const row = await onlyResearcher({ name: `${"Bo".repeat(60)}, Ann`, orcid: ORCID });
    expect(String(row.slug).length).toBeLessThanOrEqual(160);
  });

  test("the slugs of two researchers contain all digits of their ids if the first ten digits are the same", async () => {
    // Two families whose sha256 of `name:ann bo|<family>` begin with the same forty bits.
    const works = ["10.5072/74584", "10.5072/191720"].map(
      (family, i): Work => ({ id: `r${i}`, family, total: 8, by: [{ name: "Bo, Ann" }] }),
    );
    const { researcher, authorship } = await aggregateWorks(works);
    const ids = works.map(({ family }) => makeResearcherId(`name:ann bo|${family}`));
    expect(new Set(ids.map((id) => id.slice(0, 11))).size).toBe(1);
    expect(researcher.map(({ slug }) => slug).sort()).toEqual(ids.map((id) => `ann-bo-${id.slice(1)}`).sort());
    expect(new Set(authorship.map(({ slug }) => slug)).size).toBe(2);
  });
});

describe("opted-out researchers", () => {
  const works: Work[] = [
    {
      id: "r1",
      total: 40,
      by: [
        { name: "Bo, Ann", orcid: ORCID, at: ["Uni X, France"] },
        { name: "Cy, Dee", orcid: OTHER, at: ["Uni Y, Spain"] },
      ],
    },
    { id: "r2", total: 80, by: [{ name: "Ann Bo", at: ["Uni X, France"] }] },
  ];

  test("a researcher who opted out has no row of their own, and is shown as `withheld` in the list of authors of every record", async () => {
    const open = await aggregateWorks(works);
    const closed = await aggregateWorks(works, {
      withheld: [makeResearcherId(`orcid:${ORCID}`), makeResearcherId("nobody")],
    });
    expect(open.researcher).toHaveLength(2);
    // The median counts the remaining researchers.
    const others = open.researcher.filter(({ orcid }) => orcid === OTHER);
    expect(closed.researcher).toEqual(others.map((row) => ({ ...row, s_index_median: 1 })));
    const nobody = { name: "withheld", affiliation: null, orcid: null, researcher_id: null, slug: null };
    expect(closed.authorship).toMatchObject([
      { id: "r1", position: 0, ...nobody },
      { id: "r1", position: 1, name: "Cy, Dee" },
      { id: "r2", ...nobody },
    ]);
    expect(JSON.stringify(closed.researcher_dataset)).not.toContain(makeResearcherId(`orcid:${ORCID}`));
    expect(closed.manifest.facts.withheld).toBe(2);
  });

  test("a researcher who opted out changes only the platform's figures about researchers, because their records still count in all others", async () => {
    const [open] = (await aggregateWorks(works)).metrics;
    const [closed] = (await aggregateWorks(works, { withheld: [makeResearcherId(`orcid:${ORCID}`)] })).metrics;
    const people = ["total_authors", "authors_orcid", "mean_s_index", "max_s_index", "s_index_median"];
    const rest = (row: Row | undefined) => Object.entries(row ?? {}).filter(([name]) => !people.includes(name));
    expect(rest(closed)).toEqual(rest(open));
    expect(closed?.total_authors).toBe(1);
  });

  test("a researcher who opted out does not appear in affiliations, institutions and countries", async () => {
    const closed = await aggregateWorks(works, { withheld: [makeResearcherId(`orcid:${ORCID}`)] });
    expect(closed.institution.map(({ label }) => label)).toEqual(["Uni Y, Spain"]);
    expect(closed.country.map(({ country_code }) => country_code)).toEqual(["ESP"]);
    const reported = ({ id, position, reported_json }: Row) => [id, position, reported_json];
    expect(closed.reported_affiliation.map(reported)).toEqual([["r1", 1, '"Uni Y, Spain"']]);
    const unattributed = await aggregateWorks(works, {
      withheld: [makeResearcherId(`orcid:${ORCID}`)],
      attribution: false,
    });
    expect(unattributed.reported_affiliation).toEqual(closed.reported_affiliation);
  });
});
