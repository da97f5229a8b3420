/** Funders, awards and identifiers of organisations, in the spellings of services and in hostile spellings. */

import { describe, expect, test } from "vitest";
import { PRIVATE_FUNDER, readFunding, type StatedFunding, withoutNames } from "../../pipeline/reading/funding.ts";
import { affiliationIds, readOrganisationId } from "../../pipeline/reading/identifiers.ts";
import { vocabularies } from "../sources/fragment.ts";

test.each([
  ["https://doi.org/10.13039/501100000780", "Crossref Funder ID", "crossref_funder:10.13039/501100000780"],
  ["http://dx.doi.org/10.13039/501100000780", null, "crossref_funder:10.13039/501100000780"],
  ["10.13039/501100000780", "ISNI", "crossref_funder:10.13039/501100000780"],
  ["501100000780", "Crossref Funder ID", "crossref_funder:10.13039/501100000780"],
  ["501100000780", null, null],
  ["501100000780", "ISNI", null],
  ["10.13039/abc", "Crossref Funder ID", null],
  ["10.5072/funder", "Crossref Funder ID", null],
  ["https://ror.org/00k4n6c32", "ROR", "ror:00k4n6c32"],
  ["HTTPS://ROR.ORG/00K4N6C32/", "Other", "ror:00k4n6c32"],
  ["ror.org/00k4n6c32", null, "ror:00k4n6c32"],
  ["00k4n6c32", "ror", "ror:00k4n6c32"],
  ["https://ror.org.example.org/00k4n6c32", "ROR", null],
  ["grid.5335.0", "ROR", "grid:grid.5335.0"],
  ["0000 0001 2103 2683", "ISNI", "isni:0000000121032683"],
  ["https://isni.org/isni/0000000121032683", "Other", "isni:0000000121032683"],
  ["0000 0001 2103 2684", "ISNI", null],
  ["https://www.wikidata.org/wiki/Q35794", "Other", "wikidata:Q35794"],
  ["2152", "Ringgold", "ringgold:2152"],
  ["ringgold:2152", null, "ringgold:2152"],
  ["2152", null, null],
  ["", "ROR", null],
  [null, "ROR", null],
  [`https://ror.org/${"0".repeat(5000)}`, "ROR", null],
])("the identifier %j of an organisation with the scheme %j is read as %j", (text, scheme, id) => {
  expect(readOrganisationId(text, scheme)).toBe(id);
});

test("the first ROR id of an affiliation is read, and each of its other identifiers once and in order", () => {
  const stated = [
    { text: "grid.5335.0", scheme: "GRID" },
    { text: "0000 0001 2103 2683", scheme: "ISNI" },
    { text: "https://ror.org/00k4n6c32", scheme: "ROR" },
    { text: "https://isni.org/isni/0000000121032683", scheme: "ISNI" },
    { text: "unknown", scheme: "Other" },
  ];
  expect(affiliationIds(...stated)).toEqual({
    ror: "00k4n6c32",
    otherIds: ["grid:grid.5335.0", "isni:0000000121032683"],
  });
  expect(affiliationIds()).toEqual({ ror: null });
});

interface Case {
  readonly name: string;
  readonly stated: readonly StatedFunding[];
  readonly rows: readonly object[];
  readonly counts: readonly [funders: number, awards: number];
}

const CASES: readonly Case[] = [
  {
    name: "every field",
    stated: [
      {
        funder: "Rain Fund",
        funderId: "https://doi.org/10.13039/501100000780",
        funderScheme: "Crossref Funder ID",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
    ],
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/501100000780",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
    ],
    counts: [1, 1],
  },
  {
    name: "one funder with two awards, and the first award again",
    stated: ["RF-1", "RF-2", "RF-1"].map((awardNumber) => ({ funder: "Rain Fund", awardNumber })),
    rows: ["RF-1", "RF-2", "RF-1"].map((awardNumber) => ({ ...PRIVATE_FUNDER, funder: "Rain Fund", awardNumber })),
    counts: [1, 2],
  },
  {
    name: "a funder without a name, and an identifier of an unknown scheme",
    stated: [{ funderId: "https://ror.org/00k4n6c32" }, { funder: "Rain Fund", funderId: "RF" }],
    rows: [
      { ...PRIVATE_FUNDER, funderId: "ror:00k4n6c32" },
      { ...PRIVATE_FUNDER, funder: "Rain Fund" },
    ],
    counts: [2, 0],
  },
  {
    name: "placeholders and empty texts, which give no row",
    stated: [{ funder: "null", awardNumber: "n/a" }, { funder: " ", awardNumber: "" }, {}],
    rows: [],
    counts: [0, 0],
  },
  {
    name: "markup, control characters, and URLs of other schemes",
    stated: [
      { funder: "<b>Rain</b> Fund\u202e", awardNumber: "RF\u00001", awardUrl: "javascript:alert(1)" },
      { funder: "Rain Fund", awardUrl: "info:eu-repo/grantAgreement/EC/FP7/246686/" },
      { awardNumber: "RF2", awardUrl: "https://example.org/\u202erf" },
    ],
    rows: [
      { ...PRIVATE_FUNDER, funder: "Rain Fund", awardNumber: "RF1" },
      { ...PRIVATE_FUNDER, funder: "Rain Fund" },
      { ...PRIVATE_FUNDER, awardNumber: "RF2" },
    ],
    counts: [1, 2],
  },
];

describe("reading the funding of a record", () => {
  test.each(CASES)(
    "the funding of a record has the expected rows and counts: $name",
    ({ stated, rows, counts: [funders, awards] }) => {
      const { funding, evidence } = readFunding(stated, vocabularies);
      expect(funding).toEqual(rows);
      expect(evidence).toEqual({ funder_count: funders, award_count: awards });
    },
  );

  test("a name of a funder or title of an award that contains the name of a creator is not shown", () => {
    const creator = { fullName: true, orcid: null, affiliations: [] };
    const creators = [
      { ...creator, name: "Steele, Jané Q.", person: true },
      { ...creator, name: "Rain Fund", person: false },
    ];
    const own = { ...PRIVATE_FUNDER, funder: "Funded by Jane Steele herself" };
    const shown = withoutNames(
      [
        { ...own, funderId: "ror:00k4n6c32" },
        { ...own, awardNumber: "S-1" },
        { ...PRIVATE_FUNDER, funder: "Rain Fund", awardTitle: "The Jane Steele Fellowship" },
        { ...PRIVATE_FUNDER, funder: "Steele Foundation" },
        PRIVATE_FUNDER,
      ],
      creators,
      vocabularies,
    );
    expect(shown).toEqual([
      { ...PRIVATE_FUNDER, awardNumber: "S-1" },
      { ...PRIVATE_FUNDER, funder: "Rain Fund" },
      { ...PRIVATE_FUNDER, funder: "Steele Foundation" },
      PRIVATE_FUNDER,
      PRIVATE_FUNDER,
    ]);
  });

  test("the name of a funder is limited to 1,000 characters", () => {
    const { funding } = readFunding([{ funder: "rain ".repeat(100_000) }], vocabularies);
    expect(funding[0]?.funder?.length).toBeLessThanOrEqual(1000);
  });
});
