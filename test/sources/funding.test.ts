/** Tests how funders, awards and identifiers of affiliations are read from the payloads of each source. */

import { expect, test } from "vitest";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import type { Funding } from "../../schemas/internal/capture.ts";
import { payloadIn } from "./capture-reading.ts";
import { readRecord } from "./fragment.ts";

type Cells = Partial<Funding>;

interface Case {
  readonly source: string;
  readonly name: string;
  readonly payload: () => unknown;
  /** The expected rows of the table of funding, without columns that are null. */
  readonly rows: readonly Cells[];
}

const file = (source: string, name: string) => () => payloadIn(source, name);

const FUNDER = "https://doi.org/10.13039/501100000780";
const ROR = "https://ror.org/00k4n6c32";

const datacite = (attributes: object) => ({
  data: {
    attributes: { doi: "10.5072/f", state: "findable", types: { resourceTypeGeneral: "Dataset" }, ...attributes },
  },
});

const zenodo = (metadata: object) => ({ id: 99000001, metadata: { resource_type: { type: "dataset" }, ...metadata } });

const figshare = (fields: object) => ({ id: 9900099, defined_type_name: "dataset", ...fields });

const compound = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([typeName, value]) => [typeName, { typeName, value }]));

const dataverse = (fields: readonly object[]) => ({
  data: {
    latestVersion: {
      versionState: "RELEASED",
      datasetPersistentId: "doi:10.5072/FK2/F",
      metadataBlocks: { citation: { fields } },
    },
  },
});

const eml = (project: string) =>
  parsePayload(
    `<eml:eml packageId="edi.1.1" xsi:schemaLocation="https://eml.ecoinformatics.org/eml-2.2.0 eml.xsd"><dataset>
     <title>Rain</title><project>${project}</project></dataset></eml:eml>`,
  );

const CASES: readonly Case[] = [
  {
    source: "datacite",
    name: "references with identifiers of every scheme",
    payload: () =>
      datacite({
        fundingReferences: [
          {
            funderName: "Rain Fund",
            funderIdentifier: FUNDER,
            funderIdentifierType: "Crossref Funder ID",
            awardNumber: "RF-1",
            awardTitle: "Rain",
            awardUri: "https://example.org/rf-1",
          },
          { funderName: "Snow Fund", funderIdentifier: ROR, funderIdentifierType: "Other", awardNumber: "null" },
          { funderName: "Hail Fund", funderIdentifier: "HF", awardUri: "info:eu-repo/grantAgreement/EC/1/" },
        ],
      }),
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/501100000780",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
      { funder: "Snow Fund", funderId: "ror:00k4n6c32" },
      { funder: "Hail Fund" },
    ],
  },
  {
    source: "datacite",
    name: "the XML of kernel 4",
    payload: () =>
      parsePayload(
        `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/f</identifier>
         <resourceType resourceTypeGeneral="Dataset">Table</resourceType><fundingReferences><fundingReference>
         <funderName>Rain Fund</funderName>
         <funderIdentifier funderIdentifierType="Crossref Funder ID">${FUNDER}</funderIdentifier>
         <awardNumber awardURI="https://example.org/rf-1">RF-1</awardNumber><awardTitle>Rain</awardTitle>
         </fundingReference></fundingReferences></resource>`,
      ),
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/501100000780",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
    ],
  },
  {
    source: "zenodo",
    name: "grants, and funding of InvenioRDM",
    payload: () =>
      zenodo({
        grants: [
          { code: "654003", title: "Rain", funder: { name: "Rain Fund", doi: "10.13039/501100000780" } },
          { id: "10.13039/501100000780::654004" },
        ],
        funding: [
          {
            funder: { id: "00k4n6c32", name: "Snow Fund" },
            award: {
              number: "SF-1",
              title: { en: "Snow" },
              identifiers: [{ scheme: "url", identifier: "https://example.org/sf-1" }],
            },
          },
        ],
      }),
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/501100000780",
        awardNumber: "654003",
        awardTitle: "Rain",
      },
      { funderId: "crossref_funder:10.13039/501100000780", awardNumber: "654004" },
      {
        funder: "Snow Fund",
        funderId: "ror:00k4n6c32",
        awardNumber: "SF-1",
        awardTitle: "Snow",
        awardUrl: "https://example.org/sf-1",
      },
    ],
  },
  {
    source: "dryad",
    name: "funders with identifiers",
    payload: () => ({
      identifier: "doi:10.5072/dryad.f",
      title: "Rain",
      funders: [
        {
          organization: "Rain Fund",
          identifier: "http://dx.doi.org/10.13039/100000001",
          identifierType: "crossref_funder_id",
          awardNumber: "RF-1",
          awardTitle: "Rain",
          awardURI: "https://example.org/rf-1",
        },
        { organization: "Snow Fund", identifier: ROR, identifierType: "ror", awardNumber: "" },
      ],
    }),
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/100000001",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
      { funder: "Snow Fund", funderId: "ror:00k4n6c32" },
    ],
  },
  {
    source: "figshare",
    name: "a list",
    payload: () =>
      figshare({
        funding_list: [
          { funder_name: "Rain Fund", title: "Rain", grant_code: "RF-1", url: "https://example.org/rf-1" },
          { title: "Snow Fund", funder_name: null, grant_code: "" },
        ],
      }),
    rows: [
      { funder: "Rain Fund", awardNumber: "RF-1", awardTitle: "Rain", awardUrl: "https://example.org/rf-1" },
      { funder: "Snow Fund" },
    ],
  },
  {
    source: "figshare",
    name: "a line of text",
    payload: () => figshare({ funding: "Rain Fund RF-1" }),
    rows: [{ funder: "Rain Fund RF-1" }],
  },
  {
    source: "dataverse",
    name: "grants, and a contributor who funds",
    payload: () =>
      dataverse([
        {
          typeName: "grantNumber",
          multiple: true,
          value: [compound({ grantNumberAgency: "Rain Fund", grantNumberValue: "RF-1" })],
        },
        {
          typeName: "contributor",
          multiple: true,
          value: [compound({ contributorType: "Funder", contributorName: "Snow Fund" })],
        },
      ]),
    rows: [{ funder: "Rain Fund", awardNumber: "RF-1" }, { funder: "Snow Fund" }],
  },
  {
    source: "edi",
    name: "elements of EML 2.2",
    payload: () =>
      eml(
        `<award><funderName>Rain Fund</funderName><funderIdentifier>${FUNDER}</funderIdentifier><awardNumber>RF-1</awardNumber>
         <title>Rain</title><awardUrl>https://example.org/rf-1</awardUrl></award>`,
      ),
    rows: [
      {
        funder: "Rain Fund",
        funderId: "crossref_funder:10.13039/501100000780",
        awardNumber: "RF-1",
        awardTitle: "Rain",
        awardUrl: "https://example.org/rf-1",
      },
    ],
  },
  {
    source: "edi",
    name: "words with an award number",
    payload: () => eml("<funding><para>Rain Fund DEB-0823293</para></funding>"),
    rows: [{ funder: "Rain Fund DEB-0823293" }, { awardNumber: "DEB-0823293" }],
  },
  {
    source: "openaire",
    name: "projects with several funders and unknown parts",
    payload: async () => ({
      ...((await payloadIn("openaire", "complete.json")) as object),
      projects: [
        {
          code: "99",
          title: "Rain",
          websiteUrl: "https://example.org/99",
          fundings: [{ shortName: "RF" }, { name: "SF" }],
        },
        { code: "unidentified", title: "unidentified", funder: "HF" },
      ],
    }),
    rows: [
      { funder: "RF", awardNumber: "99", awardTitle: "Rain", awardUrl: "https://example.org/99" },
      { funder: "SF", awardNumber: "99", awardTitle: "Rain", awardUrl: "https://example.org/99" },
      { funder: "HF" },
    ],
  },
  {
    source: "openneuro",
    name: "lines of text, and a form",
    payload: file("openneuro", "complete.json"),
    rows: [{ funder: "Elsewhere Science Fund" }, { funder: "Elsewhere Science Fund", awardNumber: "ESF-12" }],
  },
  {
    source: "clinicaltrials",
    name: "sponsors and grants",
    payload: file("clinicaltrials", "complete.json"),
    rows: [
      { funder: "Norvale University Hospital" },
      { funder: "Alder Foundation" },
      { funder: "Lumenor Ltd" },
      { awardNumber: "R01XX099001", awardUrl: "https://reporter.nih.gov/quickSearch/R01XX099001" },
      { awardNumber: "AF-77" },
    ],
  },
  {
    source: "clinicaltrials",
    name: "a sponsor who is a person, without their name",
    payload: file("clinicaltrials", "individual-sponsor.json"),
    rows: [{}],
  },
  ...["geo", "nasa_cmr", "osf", "sra"].map((source) => ({
    source,
    name: "no field for funding",
    payload: file(source, "complete.json"),
    rows: [],
  })),
];

function read(source: string, payload: unknown) {
  const found = sourceNamed(source);
  if (found === null) throw new Error(`there is no source ${source}`);
  return readRecord(found, payload, source === "zenodo" ? "99000001" : "10.5072/f");
}

test.each(CASES)("the funders and awards of $source are read: $name", async ({ source, payload, rows }) => {
  const { funding, evidence } = read(source, await payload());
  const stated = funding.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
  expect(stated).toEqual(rows);
  const awards = new Set(funding.flatMap(({ awardNumber }) => awardNumber ?? []));
  expect(evidence.award_count ?? 0).toBe(awards.size);
});

test("the test cases about funding cover every source", () => {
  expect([...new Set(CASES.map(({ source }) => source))].sort()).toEqual(SOURCES.map(({ name }) => name).sort());
});

const AFFILIATIONS: readonly { source: string; payload: unknown; ids: readonly object[] }[] = [
  {
    source: "datacite",
    payload: datacite({
      creators: [
        {
          name: "Steele, Jane",
          nameType: "Personal",
          affiliation: [
            { name: "Uni", affiliationIdentifier: ROR, affiliationIdentifierScheme: "ROR" },
            {
              name: "Lab",
              affiliationIdentifier: "https://grid.ac/institutes/grid.5335.0",
              affiliationIdentifierScheme: "ROR",
            },
            { name: "Hut", affiliationIdentifier: "2152", affiliationIdentifierScheme: "Ringgold" },
            { name: "Bar", affiliationIdentifier: "unknown" },
            "Text",
          ],
        },
      ],
    }),
    ids: [
      { ror: "00k4n6c32" },
      { ror: null, otherIds: ["grid:grid.5335.0"] },
      { ror: null, otherIds: ["ringgold:2152"] },
      { ror: null },
      { ror: null },
    ],
  },
  {
    source: "zenodo",
    payload: zenodo({
      creators: [
        {
          name: "Steele, Jane",
          affiliation: [
            { name: "Uni", id: "00k4n6c32", identifiers: [{ scheme: "isni", identifier: "0000 0001 2103 2683" }] },
          ],
        },
      ],
    }),
    ids: [{ ror: "00k4n6c32", otherIds: ["isni:0000000121032683"] }],
  },
  {
    source: "dryad",
    payload: {
      identifier: "doi:10.5072/dryad.f",
      title: "Rain",
      authors: [
        {
          firstName: "Jane",
          lastName: "Steele",
          affiliation: "Uni",
          affiliationROR: ROR,
          affiliationISNI: "0000000121032683",
        },
      ],
    },
    ids: [{ ror: "00k4n6c32", otherIds: ["isni:0000000121032683"] }],
  },
];

test.each(AFFILIATIONS)("the identifiers of affiliations in $source are read", ({ source, payload, ids }) => {
  const { creators } = read(source, payload);
  expect(creators.flatMap(({ affiliations }) => affiliations.map(({ text: _, ...rest }) => rest))).toEqual(ids);
});
