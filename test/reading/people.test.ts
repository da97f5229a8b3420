/** Readers recognise which creators are people, their names, and whether a name is full enough to identify a person. */

import { describe, expect, test } from "vitest";
import { readCreator, type StatedCreator } from "../../pipeline/reading/people.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";

const vocabularies = await loadVocabularies();

const NOBODY: StatedCreator = { name: null, given: null, family: null, type: null, orcid: null, affiliations: [] };

function read(stated: Partial<StatedCreator>) {
  return readCreator({ ...NOBODY, ...stated }, vocabularies);
}

const ORCID = "0000-0002-1825-0097";

describe("deciding whether a creator is a person", () => {
  test.each([
    { name: "with the type person", given: { name: "Steele", type: "person" }, person: true },
    {
      name: "with the type organisation and a comma in the name",
      given: { name: "Steele, Inc", type: "organisation" },
      person: false,
    },
    {
      name: "with the type organisation and an ORCID iD",
      given: { name: "Lab", type: "organisation", orcid: ORCID },
      person: false,
    },
    { name: "with an ORCID iD", given: { name: "jsteele", orcid: ORCID }, person: true },
    { name: "only an ORCID iD", given: { orcid: ORCID }, person: true },
    { name: "with given and family name", given: { name: "Ann Steele", given: "Ann", family: "Steele" }, person: true },
    { name: "only a family name", given: { family: "Steele" }, person: false },
    { name: "Family, Given", given: { name: "Steele, Ann" }, person: true },
    { name: "Family, Initial", given: { name: "Steele, A." }, person: true },
    { name: "Family, Given and a degree", given: { name: "Steele, Ann, PhD" }, person: true },
    { name: "a name and a degree", given: { name: "Steele, PhD" }, person: false },
    { name: "a name and two degrees", given: { name: "Ann Steele, MD, PhD" }, person: false },
    { name: "Family, Initials that spell a degree", given: { name: "Scargle, J. D." }, person: true },
    { name: "Family, Given that spells a degree", given: { name: "Chen, Meng" }, person: true },
    { name: "Family, Given and a generation", given: { name: "King, Martin, Jr." }, person: true },
    { name: "a name in direct order", given: { name: "Ann Steele" }, person: false },
    { name: "a single name", given: { name: "Steele" }, person: false },
    { name: "an organisation without a type", given: { name: "University of Kiel" }, person: false },
    {
      name: "the name of an organisation in three parts",
      given: { name: "Kiel, University of, Germany" },
      person: false,
    },
    { name: "a trailing comma", given: { name: "Steele," }, person: false },
    { name: "a Chinese name without a comma", given: { name: "王小明" }, person: false },
    { name: "a Chinese name with a comma", given: { name: "王, 小明" }, person: true },
  ] as const)("whether a creator is read as a person ($name): $person", ({ given, person }) => {
    expect(read(given)?.person).toBe(person);
  });
});

describe("deciding whether a name has a full given name", () => {
  test.each([
    ["Steele, Ann", true],
    ["Steele, A.", false],
    ["Steele, A", false],
    ["Steele, A. B.", false],
    ["Steele, A.B.", false],
    ["Steele, AB", false],
    ["Steele, ABC", false],
    ["Steele, A.-B.", false],
    ["Steele, Ann B.", true],
    ["Steele, A. Bea", true],
    ["Steele, Jean-Luc", true],
    ["Steele, Li", true],
    ["Steele, É.", false],
    ["Steele, E\u0301.", false],
    ["Steele, Ann, PhD", true],
    ["Steele, A., MD", false],
    ["Bellon, M.R.", false],
    ["Chen, Meng", true],
    ["Thong, Wai Meng", true],
    ["Иванов, И. И.", false],
    ["Иванов, Иван", true],
    ["Παπαδόπουλος, Γ.", false],
    ["王, 明", true],
    ["김, 철", true],
    ["王, 小明", true],
    ["Ann Steele", true],
    ["A. Steele", false],
    ["A. B. Steele", false],
    ["A. Bea Steele", true],
    // Family name first, as in bibliographies.
    ["Steele A", false],
    ["Steele AB", false],
    ["Steele", false],
    ["Иванов И.И.", false],
    ["Steele A.-B.", false],
  ])("whether the creator %j has a full given name: %j", (name, full) => {
    expect(read({ name, type: "person" })?.fullName).toBe(full);
  });

  test.each([
    [{ name: "Ann Steele", given: "Ann", family: "Steele" }, true],
    [{ name: "王小明", given: "小明", family: "王" }, true],
    [{ given: "Ann", family: "Steele" }, true],
    // The displayed name has initials only, so another A. Steele would have the same name, whatever the other fields say.
    [{ name: "Steele, A.", given: "Ann", family: "Steele" }, false],
    [{ name: "Steele A", given: "Ann", family: "Steele" }, false],
    [{ name: "Steele, Ann", given: "A.", family: "Steele" }, true],
    [{ orcid: ORCID }, false],
  ])("whether the creator %j has a full given name: %j", (stated, full) => {
    expect(read(stated)?.fullName).toBe(full);
  });
});

describe("reading the name of a creator", () => {
  test.each([
    [{ name: " Steele,  Ann " }, "Steele, Ann"],
    [{ name: "Steele, Ann, PhD" }, "Steele, Ann, PhD"],
    [{ name: "<b>Steele</b>, Ann &amp; Co" }, "Steele, Ann & Co"],
    [{ given: "Ann", family: "Steele" }, "Steele, Ann"],
    [{ family: "Steele" }, "Steele"],
    [{ given: "Ann" }, "Ann"],
    [{ orcid: ORCID }, ORCID],
    [{ name: "S".repeat(400) }, "S".repeat(300)],
  ])("the creator %j is shown with the name %j", (stated, name) => {
    expect(read(stated)?.name).toBe(name);
  });

  test.each([
    [{}],
    [{ name: "" }],
    [{ name: "TODO", orcid: ORCID }],
    [{ name: ":unav" }],
    [{ name: "Anonymous" }],
    [{ name: "<p></p>" }],
    [{ name: "N/A", type: "person" as const }],
  ])("the creator %j is not accepted, because its name is missing or a placeholder", (stated) => {
    expect(read(stated)).toBeNull();
  });
});

test("affiliations of people are returned unchanged", () => {
  const affiliations = [{ text: " Uni  <b>X</b> ", ror: "00k4n6c32" }];
  expect(read({ name: "Steele, Ann", affiliations })?.affiliations).toEqual(affiliations);
});
