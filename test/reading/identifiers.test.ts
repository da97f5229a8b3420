/** Identifiers in the spellings that people use are read in their canonical form, or rejected. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isIdentifier,
  readDoi,
  readIsni,
  readOrcid,
  readOrganisationPid,
  readRor,
  readWebUrl,
} from "../../pipeline/reading/identifiers.ts";

describe("reading a DOI", () => {
  test.each([
    "10.5061/dryad.234",
    "10.5061/DRYAD.234",
    " 10.5061/dryad.234\n",
    "doi:10.5061/dryad.234",
    "DOI: 10.5061/dryad.234",
    "https://doi.org/10.5061/dryad.234",
    "http://doi.org/10.5061/dryad.234",
    "http://dx.doi.org/10.5061/dryad.234",
    "https://www.doi.org/10.5061/dryad.234",
    "HTTPS://DOI.ORG/10.5061/DRYAD.234",
    "doi:https://doi.org/10.5061/dryad.234",
    "https://doi.org/doi:10.5061/dryad.234",
    "https://doi.org/10.5061%2Fdryad.234",
    "10.5061%2fdryad.234",
    "https://doi.org/10.5061/dryad%2E234",
  ])("the text %j is read as the DOI 10.5061/dryad.234", (text) => {
    expect(readDoi(text)).toBe("10.5061/dryad.234");
  });

  test.each([
    [
      "10.1002/(SICI)1097-0258(19980815)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
      "10.1002/(sici)1097-0258(19980815)17:15/16<1661::aid-sim968>3.0.co;2-2",
    ],
    ["10.1000.10/123", "10.1000.10/123"],
    ["10.123456789/x", "10.123456789/x"],
    // A per cent sign that belongs to the DOI stays if nothing shows that the text was encoded.
    ["10.1234/50%25", "10.1234/50%25"],
    ["https://doi.org/10.1234/50%", "10.1234/50%"],
  ])("the text %j is read as the DOI %j", (text, doi) => {
    expect(readDoi(text)).toBe(doi);
  });

  test.each([
    [null],
    [""],
    ["10.5061"],
    ["10.5061/"],
    ["10.506/x"],
    ["11.5061/x"],
    ["10.1234567890/x"],
    ["10.5061/a b"],
    ["https://example.org/10.5061/x"],
    ["hdl:10.5061/x"],
    ["10.5061 /x"],
    ["arXiv:2001.00001"],
    ["see 10.5061/x"],
    [`10.5061/${"x".repeat(2000)}`],
    ["https://doi.org/10.5061%2Fa%20b"],
  ])("the text %j is not accepted as a DOI", (text) => {
    expect(readDoi(text)).toBeNull();
  });

  test("the canonical form of a DOI is unchanged if it is read again", () => {
    const suffix = fc.string({ unit: fc.constantFrom(..."abcXYZ012./-_;()%<>:"), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(suffix, (text) => {
        const doi = readDoi(`10.5072/${text}`);
        if (doi !== null) expect(readDoi(doi)).toBe(doi);
      }),
    );
  });
});

describe("reading an ORCID iD", () => {
  test.each([
    "0000-0002-1825-0097",
    "0000000218250097",
    "0000 0002 1825 0097",
    "https://orcid.org/0000-0002-1825-0097",
    "http://orcid.org/0000-0002-1825-0097/",
    "orcid.org/0000-0002-1825-0097",
    "orcid:0000-0002-1825-0097",
    " ORCID 0000-0002-1825-0097 ",
    "ORCID iD: 0000-0002-1825-0097",
    "https://www.orcid.org/0000-0002-1825-0097",
    "orcid:https://orcid.org/0000-0002-1825-0097",
  ])("the text %j is read as the ORCID iD 0000-0002-1825-0097", (text) => {
    expect(readOrcid(text)).toBe("0000-0002-1825-0097");
  });

  test.each([
    ["0000-0002-1694-233X", "0000-0002-1694-233X"],
    ["0000-0002-1694-233x", "0000-0002-1694-233X"],
    ["0000-0001-5109-3700", "0000-0001-5109-3700"],
    ["0009-0000-0000-0004", null],
  ])("the text %j is read as the ORCID iD %j", (text, orcid) => {
    expect(readOrcid(text)).toBe(orcid);
  });

  test.each([
    [null],
    [""],
    ["0000-0002-1825-0098"],
    ["0000-0002-1825-009X"],
    ["0000-0002-1825-009"],
    ["0000-0000-0000-0000"],
    ["10000-0002-1825-0097"],
    ["0000-0002-1825-0097 is mine"],
    ["junk 0000-0002-1825-0097"],
    ["junk/0000-0002-1825-0097"],
    ["0000-0001-5109-3700 0000-0002-1825-0097"],
    ["https://example.org/0000-0002-1825-0097"],
    ["https://example.org/?u=https://orcid.org/0000-0002-1825-0097"],
    ["https://orcid.org/client/0000-0002-1825-0097"],
    ["https://isni.org/isni/0000000218250097"],
    ["0000-0002-1825-0O97"],
    ["X".repeat(300)],
    [`${"0".repeat(300)}-0002-1825-0097`],
    ["0000--0002-1825-0097"],
  ])("the text %j is not accepted as an ORCID iD", (text) => {
    expect(readOrcid(text)).toBeNull();
  });

  test("exactly one of the eleven possible check digits of an ORCID iD is valid", () => {
    fc.assert(
      fc.property(fc.integer({ min: 15_000_000, max: 35_000_000 }), (number) => {
        const stem = String(number).padStart(15, "0");
        const valid = [..."0123456789X"].filter((digit) => readOrcid(stem + digit) !== null);
        expect(valid).toHaveLength(1);
      }),
    );
  });
});

test.each([
  ["0000 0001 2103 2683", "0000000121032683"],
  ["https://isni.org/isni/0000000121032683", "0000000121032683"],
  ["ISNI: 0000 0001 2103 2683", "0000000121032683"],
  ["http://isni.org0000 0001 2103 2683", "0000000121032683"],
  ["ISNI: 0000 0001 2103 2684", null],
  ["S0000000121032683", null],
  ["https://example.org/0000000121032683", null],
  ["10.5072/0000000121032683", null],
  [null, null],
])("the ISNI %j is read as %j", (text, isni) => {
  expect(readIsni(text)).toBe(isni);
});

test.each([
  ["https://ror.org/00k4n6c32", "00k4n6c32"],
  ["http://www.ror.org/00K4N6C32/", "00k4n6c32"],
  ["ror.org/00k4n6c32", "00k4n6c32"],
  ["00k4n6c32", "00k4n6c32"],
  ["https://ror.org/10k4n6c32", null],
  ["https://ror.org/00k4n6c3", null],
  ["https://ror.org/00k4l6c32", null],
  ["https://ror.org/00k4n6c32/extra", null],
  ["https://example.org/00k4n6c32", null],
  [null, null],
])("the ROR id %j is read as %j", (text, ror) => {
  expect(readRor(text)).toBe(ror);
});

describe("reading the identifier of an organisation", () => {
  test.each([
    ["https://ror.org/00k4n6c32", "ROR", "ror:00k4n6c32"],
    ["https://ror.org/00k4n6c32", null, "ror:00k4n6c32"],
    ["grid.5335.0", "GRID", "grid:grid.5335.0"],
    ["https://www.grid.ac/institutes/grid.5335.0", null, "grid:grid.5335.0"],
    ["0000 0001 2103 2683", "ISNI", "isni:0000000121032683"],
    ["https://isni.org/isni/0000000121032683", null, "isni:0000000121032683"],
    ["0000 0001 2103 2684", "ISNI", null],
    ["https://www.wikidata.org/wiki/Q35794", null, "wikidata:Q35794"],
    ["Q35794", "Wikidata", "wikidata:Q35794"],
    ["Q35794", null, null],
    ["0000000121032683", null, null],
    ["100000001", "Crossref Funder ID", null],
    ["University of Cambridge", "ROR", null],
    [null, "ROR", null],
  ])("the identifier %j of an organisation with the scheme %j is read as %j", (text, scheme, pid) => {
    expect(readOrganisationPid(text, scheme)).toBe(pid);
  });
});

test.each([
  ["https://example.org/a?b=c#d", true],
  ["HTTP://EXAMPLE.ORG", true],
  ["ftp://example.org", false],
  ["javascript:alert(1)", false],
  ["https://", false],
  ["https://a b", false],
  ["example.org", false],
  [null, false],
  [`https://${"a".repeat(2048)}`, false],
])("readWebUrl accepts the URL %j: %j", (text, is) => {
  expect(readWebUrl(text)).toBe(is ? text : null);
});

test.each([
  ["10.5072/abc", "doi", true],
  ["https://doi.org/10.5072/ABC", "doi", true],
  ["foosball", "doi", false],
  ["10.5072", "doi", false],
  ["https://example.org/a", "url", true],
  ["www.example.org", "url", false],
  ["31415926", "pmid", true],
  ["PMID: 31415926", "pmid", true],
  ["https://pubmed.ncbi.nlm.nih.gov/31415926/", "pmid", true],
  ["in press", "pmid", false],
  ["0", "pmid", false],
  ["PMC123456", "pmid", false],
  ["2401.01234", "arxiv", true],
  ["arXiv:2401.01234v2", "arxiv", true],
  ["hep-th/9901001", "arxiv", true],
  ["math.GT/0309136", "arxiv", true],
  ["2024", "arxiv", false],
  ["20.500.99999/abc", "handle", true],
  ["hdl:10864/99001", "handle", true],
  ["11304/0b1f-4c", "handle", true],
  ["the handle", "handle", false],
  ["1/2 of it", "handle", false],
  [null, "url", false],
  [`10.5072/${"a".repeat(3000)}`, "doi", false],
] as const)('isIdentifier(%j, "%s") is %j', (text, scheme, is) => {
  expect(isIdentifier(text, scheme)).toBe(is);
});
