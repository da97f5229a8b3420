/** Identifiers in many spellings give the right source and id, or a helpful error. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRecord, identifierKey, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";

/**
 * Returns the key of the identifier, which is `doi:…` or `<source>/<id>`, or the kind of its rejection, such as `malformed`.
 */
function read(text: string): string {
  const parsed = parseIdentifier(text);
  return parsed.kind === "rejected" ? parsed.rejection : identifierKey(parsed);
}

const CASES: readonly (readonly [text: string, expected: string])[] = [
  // DOIs in any of their forms
  ["10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["doi:10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["DOI: 10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["doi 10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["DOI=10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["info:doi/10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["urn:doi:10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["https://doi.org/10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["http://dx.doi.org/10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["HTTPS://DOI.ORG/10.1594/PANGAEA.123", "doi:10.1594/pangaea.123"],
  ["https://www.doi.org/10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["doi.org/10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["https://doi.org/doi:10.1594/pangaea.123", "doi:10.1594/pangaea.123"],
  ["https://doi.org/10.1594%2FPANGAEA.123", "doi:10.1594/pangaea.123"],
  ["10.1594%2Fpangaea.123", "doi:10.1594/pangaea.123"],
  ["https://doi.org/10.1594/pangaea.123?format=json#top", "doi:10.1594/pangaea.123"],
  ["  10.1594/pangaea.123\n", "doi:10.1594/pangaea.123"],
  ["<https://doi.org/10.1594/pangaea.123>", "doi:10.1594/pangaea.123"],
  ['"10.1594/pangaea.123"', "doi:10.1594/pangaea.123"],
  ["10.1000.10/a/b/c", "doi:10.1000.10/a/b/c"],
  ["10.1016/s0191-6599(01)00017-1", "doi:10.1016/s0191-6599(01)00017-1"],
  ["10.1002/(sici)1096<1::aid-a>3.0.co;2-b", "doi:10.1002/(sici)1096<1::aid-a>3.0.co;2-b"],
  ["10.5072/ÄRZTE", "doi:10.5072/ärzte"],
  // DOIs whose form alone shows the source
  ["10.5281/zenodo.3678326", "zenodo/3678326"],
  ["https://doi.org/10.5281/ZENODO.3678326", "zenodo/3678326"],
  ["https://doi.org/10.5281/zenodo.3678326?ref=x", "zenodo/3678326"],
  ["doi:10.5061/dryad.X1", "dryad/10.5061/dryad.x1"],
  ["https://doi.org/10.5061%2Fdryad.x1?x=1", "dryad/10.5061/dryad.x1"],
  ["10.6084/m9.figshare.12.v3", "figshare/12"],
  ["10.17605/OSF.IO/ABC12", "osf/abc12"],
  ["10.18112/openneuro.ds000001.v1.0.0", "openneuro/ds000001"],
  ["10.7910/DVN/ABC", "dataverse/10.7910/dvn/abc"],
  // DOIs with Zenodo's prefix, but without a record number
  ["10.5281/zenodo.x", "doi:10.5281/zenodo.x"],
  // <source>/<source-id>
  ["zenodo/3678326", "zenodo/3678326"],
  ["Zenodo/3678326", "zenodo/3678326"],
  ["zenodo/10.5281/zenodo.3678326", "zenodo/3678326"],
  ["datacite/10.5281/Zenodo.3678326", "datacite/10.5281/zenodo.3678326"],
  ["datacite/https://doi.org/10.1594/PANGAEA.1", "datacite/10.1594/pangaea.1"],
  ["clinicaltrials/nct01234567", "clinicaltrials/NCT01234567"],
  ["figshare/12", "figshare/12"],
  ["osf/ABC12", "osf/abc12"],
  ["dryad/10.7291/D1", "dryad/10.7291/d1"],
  ["dataverse/doi:10.7910/DVN/ABC", "dataverse/10.7910/dvn/abc"],
  ["dataverse/hdl:1902.1/7", "dataverse/hdl:1902.1/7"],
  ["edi/edi.1.2", "edi/edi.1.2"],
  // accessions
  ["NCT01234567", "clinicaltrials/NCT01234567"],
  ["nct01234567", "clinicaltrials/NCT01234567"],
  ["GSE12", "geo/GSE12"],
  ["PRJNA12", "sra/PRJNA12"],
  ["SRP000012", "sra/SRP000012"],
  ["ds000001", "openneuro/ds000001"],
  ["C12-POCLOUD", "nasa_cmr/C12-POCLOUD"],
  ["knb-lter-abc.12.3", "edi/knb-lter-abc.12.3"],
  // landing pages
  ["https://zenodo.org/records/3678326", "zenodo/3678326"],
  ["https://zenodo.org/record/3678326#files", "zenodo/3678326"],
  ["http://www.zenodo.org/records/3678326?q=1", "zenodo/3678326"],
  ["https://clinicaltrials.gov/study/NCT01234567?tab=table", "clinicaltrials/NCT01234567"],
  ["https://datadryad.org/stash/dataset/doi:10.5061/dryad.x1", "dryad/10.5061/dryad.x1"],
  ["https://openneuro.org/datasets/ds000001/versions/1.0.0", "openneuro/ds000001"],
  ["https://figshare.com/articles/dataset/A_title/12/3", "figshare/12"],
  ["https://osf.io/abc12/", "osf/abc12"],
  ["https://dataverse.harvard.edu/dataset.xhtml?persistentId=doi:10.7910/DVN/ABC", "dataverse/10.7910/dvn/abc"],
  // an installation of Dataverse that is not a source, but whose URL contains the DOI
  ["https://data.example.org/dataset.xhtml?persistentId=doi:10.9999/XY", "doi:10.9999/xy"],
  // well-formed identifiers of services that are not sources
  ["GSM12", "unsupported"],
  ["SRR1234567", "unsupported"],
  ["phs000001.v1.p1", "unsupported"],
  ["EGAD00001000001", "unsupported"],
  ["E-MTAB-1234", "unsupported"],
  ["PXD000001", "unsupported"],
  ["MTBLS1", "unsupported"],
  ["ISRCTN12345678", "unsupported"],
  ["2004-000446-20", "unsupported"],
  ["arXiv:2101.00001v2", "unsupported"],
  ["pmid:123", "unsupported"],
  ["PMC12345", "unsupported"],
  ["hdl:1902.1/7", "unsupported"],
  ["https://hdl.handle.net/1902.1/7", "unsupported"],
  ["ark:/13030/m5br8st1", "unsupported"],
  ["urn:nbn:de:101:1-201102033592", "unsupported"],
  ["https://orcid.org/0000-0002-1825-0097", "unsupported"],
  // identifiers with the name of a service
  ["pdb/1ABC", "unsupported"],
  ["PDB/1abc", "unsupported"],
  ["pangaea/12345", "unsupported"],
  ["pmid/123", "unsupported"],
  ["nowhere/123", "unsupported"],
  ["protein-data-bank/1ABC", "unsupported"],
  // compact identifiers of identifiers.org
  ["PDB:1ABC", "unsupported"],
  ["pdb:1abc", "unsupported"],
  ["rcsb/pdb:2gc4", "unsupported"],
  ["<uniprot:P12345>", "unsupported"],
  ["cellosaurus:CVCL_0030", "unsupported"],
  ["kaggle:somebody/a-dataset", "unsupported"],
  ["https://identifiers.org/pdb:1ABC", "unsupported"],
  ["https://identifiers.org/pdb/1ABC", "unsupported"],
  ["geo:GSE12", "geo/GSE12"],
  ["https://identifiers.org/geo:GSE12", "geo/GSE12"],
  ["clinicaltrials:NCT01234567", "clinicaltrials/NCT01234567"],
  ["bioproject:PRJNA12", "sra/PRJNA12"],
  ["zenodo:3678326", "zenodo/3678326"],
  ["zenodo:abc", "malformed"],
  ["PDB:", "malformed"],
  ["PDB:1ABC 2DEF", "malformed"],
  ["PDB: 1ABC", "malformed"],
  ["p:1", "malformed"],
  ["doi:1ABC", "malformed"],
  ["https://identifiers.org/", "malformed"],
  ["data:text/html,hello", "malformed"],
  // landing pages of services
  ["https://www.gbif.org/dataset/50c9509d-22c7-4a22-a47d-8c48425ef4a7", "unsupported"],
  ["http://gbif.org/dataset/50c9509d?x=1#y", "unsupported"],
  ["https://doi.pangaea.de/10.1594/PANGAEA.123", "unsupported"],
  ["https://www.pangaea.de/?t=Oceans", "unsupported"],
  ["https://www.rcsb.org/structure/1ABC", "unsupported"],
  // identifiers with other text before or behind them
  ["junk 10.1594/pangaea.123", "malformed"],
  ["10.1594/pangaea.123 junk", "malformed"],
  ["https://doi.org/10.1594/pangaea.123 junk", "malformed"],
  ["https://doi.org/10.1594/pangaea.123?x=1 junk", "malformed"],
  ["doi.org/10.1594/pangaea.123#x junk", "malformed"],
  ["junk zenodo/3678326", "malformed"],
  ["zenodo/3678326 junk", "malformed"],
  ["https://zenodo.org/records/3678326 junk", "malformed"],
  ["https://zenodo.org/records/3678326?x=1 junk", "malformed"],
  ["https://osf.io/abc12/ https://osf.io/def34/", "malformed"],
  ["junk NCT01234567", "malformed"],
  ["NCT01234567 junk", "malformed"],
  ["https://example.org/?of=https://zenodo.org/records/3678326", "malformed"],
  // no identifier at all
  ["", "malformed"],
  ["   ", "malformed"],
  ["hello", "malformed"],
  ["10.1234", "malformed"],
  ["10.1234/", "malformed"],
  ["10.12/short-prefix", "malformed"],
  ["doi:10.1234/with space", "malformed"],
  ["NCT0123", "malformed"],
  ["zenodo/", "malformed"],
  ["zenodo/abc", "malformed"],
  ["zenodo/0", "malformed"],
  ["clinicaltrials/GSE12", "malformed"],
  ["https://example.org/dataset/1", "malformed"],
  ["https://zenodo.org/communities/42", "malformed"],
  ["https://zenodo.org.example.org/records/42", "malformed"],
  ["https://notfigshare.com/articles/12", "malformed"],
  ["javascript:alert(1)", "malformed"],
  ["file:///etc/passwd", "malformed"],
  ["http://127.0.0.1/records/1", "malformed"],
  ["../../etc/passwd", "malformed"],
  ["n/a", "malformed"],
  ["pdb/", "malformed"],
  ["pdb/1ABC 2DEF", "malformed"],
  ["https://www.gbif.org/", "malformed"],
  ["https://notgbif.org/dataset/1", "malformed"],
  ["https://gbif.org.example.org/dataset/1", "malformed"],
  ["10.1234/a\u0000b", "malformed"],
  ["10.1234/a\u200bb", "malformed"],
  ["10.1234/a\u2028b", "malformed"],
  ["10.1234/a\u202eb", "malformed"],
  ["10.1234/\ud800", "malformed"],
  [`10.1234/${"a".repeat(2041)}`, "malformed"],
];

describe("reading the identifiers of a table", () => {
  test.each(CASES)("the identifier %j is read as %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

const REASONS: readonly (readonly [text: string, reason: RegExp])[] = [
  ["", /empty/],
  ["10.1234/a\u200bb", /invisible character \(U\+200B\)/],
  ["10.1234/a\u2028b", /invisible character \(U\+2028\)/],
  ["10.1234", /not a complete DOI/],
  ["nowhere/123", /no source called "nowhere".*zenodo/],
  ["https://example.org/dataset/1", /not a landing page/],
  ["zenodo/abc", /"abc" cannot be an id of zenodo/],
  ["phs000001.v1.p1", /dbGaP/],
  ["GSM12", /use the series/],
  ["a".repeat(3000), /at most 2048/],
];

test.each(REASONS)("the error for %j explains what is wrong", (text, reason) => {
  const parsed = parseIdentifier(text);
  expect(parsed.kind === "rejected" ? parsed.reason : parsed).toMatch(reason);
});

test("an identifier of several sources is read as that of the named source", () => {
  const datacite = sourceNamed("datacite");
  if (datacite === null) throw new Error("there is no source datacite");
  expect(findRecord(datacite, "https://doi.org/10.5281/ZENODO.1")).toEqual({
    kind: "record",
    source: "datacite",
    sourceId: "10.5281/zenodo.1",
  });
});

const RUNS = { numRuns: 1000 };

/** Makes suffixes of DOIs whose characters are the same in all FORMS. */
const suffix = fc
  .array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789-._;()/"), { minLength: 1, maxLength: 30 })
  .map((letters) => `x${letters.join("")}`);
const doi = fc
  .tuple(fc.integer({ min: 1000, max: 999_999_999 }), suffix)
  .map(([prefix, rest]) => `10.${prefix}/${rest}`);

/** Functions that write a DOI in different ways with the same meaning. */
const FORMS: readonly ((bare: string) => string)[] = [
  (bare) => bare,
  (bare) => bare.toUpperCase(),
  (bare) => `doi:${bare}`,
  (bare) => `DOI: ${bare}`,
  (bare) => `https://doi.org/${bare}`,
  (bare) => `http://dx.doi.org/${bare.toUpperCase()}`,
  (bare) => `https://doi.org/${encodeURIComponent(bare)}`,
  (bare) => encodeURIComponent(bare),
  (bare) => `doi.org/${bare}?x=1`,
  (bare) => `\t<${bare}> \n`,
];

describe("properties of all identifiers", () => {
  test("a DOI is read in every form, and reading its key gives the same DOI again", () => {
    fc.assert(
      fc.property(doi, fc.constantFrom(...FORMS), (bare, form) => {
        const parsed = parseIdentifier(form(bare));
        expect(parsed).toEqual(parseIdentifier(bare));
        expect(parsed.kind).not.toBe("rejected");
        if (parsed.kind !== "rejected") expect(parseIdentifier(identifierKey(parsed))).toEqual(parsed);
      }),
      RUNS,
    );
  });

  test("the number of a Zenodo record is read in every form", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), (number) => {
        const forms = [
          `zenodo/${number}`,
          `10.5281/zenodo.${number}`,
          `https://zenodo.org/records/${number}`,
          `https://zenodo.org/record/${number}/files/a.csv`,
          `https://doi.org/10.5281/ZENODO.${number}`,
        ];
        expect(forms.map(read)).toEqual(forms.map(() => `zenodo/${number}`));
      }),
      RUNS,
    );
  });

  test("any text is read as an identifier or rejected with a reason, and never causes an exception", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const parsed = parseIdentifier(text);
        if (parsed.kind === "rejected") expect(parsed.reason.length).toBeGreaterThan(10);
        else expect(identifierKey(parsed).length).toBeGreaterThan(3);
      }),
      RUNS,
    );
  });

  test("the record of every accepted identifier is requested from a host of its source", () => {
    for (const [text] of CASES) {
      const parsed = parseIdentifier(text);
      if (parsed.kind !== "record") continue;
      const source = SOURCES.find(({ name }) => name === parsed.source);
      const asked = source?.planFetch(parsed.sourceId)[0]?.buildRequest({}, { base: source.walk.base, contact: null });
      const first = Array.isArray(asked) ? asked[0] : asked;
      expect({ text, host: source?.hosts.includes(new URL(first?.url ?? "").hostname) }).toEqual({ text, host: true });
    }
  });

  test("a long text that resembles an identifier is rejected quickly", () => {
    const starts = ["doi:", "https://zenodo.org/records/", "%", "ark:/", "10."];
    const texts = starts.map((start) => start.repeat(Math.floor(2048 / start.length)));
    expect(texts.map(read)).toEqual(texts.map(() => "malformed"));
  });
});
