/** Repairs of metadata: which misplaced facts move into which fields of each format, and the effect on the score. */

import { describe, expect, test } from "vitest";
import type { DraftInputs } from "../../pipeline/evaluate/scorer.ts";
import { listAdditions, repair } from "../../pipeline/repair/index.ts";
import type { MetadataChange } from "../../pipeline/repair/metadata-change.ts";
import { foundIn, repairDraft, repairRecord } from "../../pipeline/repair/record.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";

const INPUTS: DraftInputs = { contract: "2.0.0-beta.2", asOf: "2026-11-01", getReader };
const PROSE =
  "The tide tables belong to our paper https://doi.org/10.1000/tides and were made with https://github.com/example/tides in 2019. They are licensed under CC BY 4.0. Paid by award number OCE-1537546 of the foundation.";

const draft = (document: unknown, source: string | null = null) =>
  repairDraft(source === null ? null : sourceNamed(source), new TextEncoder().encode(JSON.stringify(document)), INPUTS);

const primitive = (typeName: string, value: unknown, multiple = false) => ({
  typeName,
  multiple,
  typeClass: "primitive",
  value,
});

interface Case {
  readonly name: string;
  readonly source: string | null;
  readonly document: object;
  /** The expected value of each field that the repair changes. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly within?: (document: never) => unknown;
}

const CASES: readonly Case[] = [
  {
    name: ".zenodo.json",
    source: "zenodo",
    document: {
      title: "Tide tables of an invented coast",
      description: PROSE,
      creators: [{ name: "Carberry, Josiah (ORCID: 0000-0002-1825-0097)", affiliation: "Brown University" }],
      keywords: ["tides; sea level; North Sea"],
    },
    fields: {
      related_identifiers: [
        { identifier: "10.1000/tides", scheme: "doi", relation: "references" },
        { identifier: "https://github.com/example/tides", relation: "references", resource_type: "software" },
      ],
      license: "cc-by-4.0",
      creators: [{ name: "Carberry, Josiah", affiliation: "Brown University", orcid: "0000-0002-1825-0097" }],
      keywords: ["tides", "sea level", "North Sea"],
    },
  },
  {
    name: "an InvenioRDM record",
    source: "zenodo",
    document: {
      metadata: {
        resource_type: { id: "dataset" },
        title: "Tide tables of an invented coast",
        description: PROSE,
        creators: [{ person_or_org: { type: "personal", name: "Carberry, Josiah 0000-0002-1825-0097" } }],
        subjects: [{ subject: "tides; sea level; North Sea" }],
      },
    },
    within: (document: { metadata: unknown }) => document.metadata,
    fields: {
      related_identifiers: [
        { identifier: "10.1000/tides", scheme: "doi", relation_type: { id: "references" } },
        {
          identifier: "https://github.com/example/tides",
          scheme: "url",
          relation_type: { id: "references" },
          resource_type: { id: "software" },
        },
      ],
      rights: [{ id: "cc-by-4.0" }],
      creators: [
        {
          person_or_org: {
            type: "personal",
            name: "Carberry, Josiah",
            family_name: "Carberry",
            given_name: "Josiah",
            identifiers: [{ scheme: "orcid", identifier: "0000-0002-1825-0097" }],
          },
        },
      ],
      subjects: [{ subject: "tides" }, { subject: "sea level" }, { subject: "North Sea" }],
    },
  },
  {
    name: "DataCite JSON",
    source: "datacite",
    document: {
      titles: [{ title: "Tide tables of an invented coast" }],
      types: { resourceTypeGeneral: "Dataset" },
      creators: [{ name: "Carberry, Josiah", nameIdentifiers: [] }],
      contributors: [
        {
          name: "Carberry, Josiah",
          contributorType: "ContactPerson",
          nameIdentifiers: [{ nameIdentifier: "https://orcid.org/0000-0002-1825-0097", nameIdentifierScheme: "ORCID" }],
        },
        { name: "Department of Invented Seas", contributorType: "Funder" },
      ],
      subjects: [{ subject: "tides; sea level; North Sea", lang: "en" }],
      descriptions: [{ description: PROSE, descriptionType: "Abstract" }],
      fundingReferences: [],
      relatedIdentifiers: [],
      rightsList: [],
    },
    fields: {
      relatedIdentifiers: [
        { relatedIdentifier: "10.1000/tides", relatedIdentifierType: "DOI", relationType: "References" },
        {
          relatedIdentifier: "https://github.com/example/tides",
          relatedIdentifierType: "URL",
          relationType: "References",
          resourceTypeGeneral: "Software",
        },
      ],
      rightsList: [
        {
          rights: "CC-BY-4.0",
          rightsUri: "https://spdx.org/licenses/CC-BY-4.0.html",
          rightsIdentifier: "cc-by-4.0",
          rightsIdentifierScheme: "SPDX",
          schemeUri: "https://spdx.org/licenses/",
        },
      ],
      fundingReferences: [{ funderName: "Department of Invented Seas", awardNumber: "OCE-1537546" }],
      contributors: [
        {
          name: "Carberry, Josiah",
          contributorType: "ContactPerson",
          nameIdentifiers: [{ nameIdentifier: "https://orcid.org/0000-0002-1825-0097", nameIdentifierScheme: "ORCID" }],
        },
        { name: "Department of Invented Seas", contributorType: "Other" },
      ],
      subjects: [
        { subject: "tides", lang: "en" },
        { subject: "sea level", lang: "en" },
        { subject: "North Sea", lang: "en" },
      ],
      creators: [
        {
          name: "Carberry, Josiah",
          nameIdentifiers: [
            {
              nameIdentifier: "https://orcid.org/0000-0002-1825-0097",
              nameIdentifierScheme: "ORCID",
              schemeUri: "https://orcid.org",
            },
          ],
        },
      ],
    },
  },
  {
    name: "Dataverse JSON",
    source: "dataverse",
    document: {
      datasetVersion: {
        metadataBlocks: {
          citation: {
            fields: [
              primitive("title", "Tide tables of an invented coast"),
              {
                typeName: "author",
                multiple: true,
                typeClass: "compound",
                value: [{ authorName: primitive("authorName", "Carberry, Josiah (0000-0002-1825-0097)") }],
              },
              {
                typeName: "dsDescription",
                multiple: true,
                typeClass: "compound",
                value: [{ dsDescriptionValue: primitive("dsDescriptionValue", PROSE) }],
              },
              {
                typeName: "keyword",
                multiple: true,
                typeClass: "compound",
                value: [{ keywordValue: primitive("keywordValue", "tides; sea level; North Sea") }],
              },
            ],
          },
        },
      },
    },
    within: (document: {
      datasetVersion: {
        license: unknown;
        metadataBlocks: { citation: { fields: { typeName: string; value: unknown }[] } };
      };
    }) => ({
      license: document.datasetVersion.license,
      ...Object.fromEntries(
        document.datasetVersion.metadataBlocks.citation.fields.map(({ typeName, value }) => [typeName, value]),
      ),
    }),
    fields: {
      otherReferences: ["https://doi.org/10.1000/tides"],
      relatedMaterial: ["https://github.com/example/tides"],
      license: { name: "CC BY 4.0", uri: "http://creativecommons.org/licenses/by/4.0" },
      author: [
        {
          authorName: primitive("authorName", "Carberry, Josiah"),
          authorIdentifierScheme: {
            ...primitive("authorIdentifierScheme", "ORCID"),
            typeClass: "controlledVocabulary",
          },
          authorIdentifier: primitive("authorIdentifier", "0000-0002-1825-0097"),
        },
      ],
      keyword: ["tides", "sea level", "North Sea"].map((word) => ({ keywordValue: primitive("keywordValue", word) })),
    },
  },
  {
    name: "schema.org JSON-LD",
    source: null,
    document: {
      "@context": "https://schema.org",
      "@type": "Dataset",
      name: "Tide tables of an invented coast",
      description: PROSE,
      creator: { "@type": "Person", name: "Josiah Carberry (0000-0002-1825-0097)" },
    },
    fields: {
      citation: [
        "https://doi.org/10.1000/tides",
        {
          "@type": "SoftwareSourceCode",
          "@id": "https://github.com/example/tides",
          codeRepository: "https://github.com/example/tides",
        },
      ],
      license: "https://spdx.org/licenses/CC-BY-4.0.html",
      creator: [{ "@type": "Person", name: "Josiah Carberry", identifier: "https://orcid.org/0000-0002-1825-0097" }],
    },
  },
];

/** Formats for which additions can be made from stored facts, without the document. The other formats are only for drafts. */
const ADDABLE = CASES.flatMap(({ name, source, document }) =>
  [".zenodo.json", "DataCite JSON", "Dataverse JSON"].includes(name) && source !== null
    ? [{ name, source, document }]
    : [],
);

describe.each(CASES)("repair of $name", ({ source, document, fields, within = (all: unknown) => all }) => {
  test("a repair moves misplaced facts into their fields, changes nothing else, and raises the score", async () => {
    const { text, before, after, repair } = await draft(document, source);
    const repaired = within(JSON.parse(text ?? "null") as never) as Record<string, unknown>;
    const given = within(structuredClone(document) as never) as Record<string, unknown>;
    for (const [field, value] of Object.entries(fields)) expect(repaired[field], field).toEqual(value);
    for (const [field, value] of Object.entries(given)) if (!(field in fields)) expect(repaired[field]).toEqual(value);
    expect(new Set(repair?.changes.map(({ field }) => field))).toEqual(new Set(Object.keys(fields)));
    expect(after.record?.score?.total ?? 0).toBeGreaterThan(before.record?.score?.total ?? 0);
    const state = (id: string) => after.record?.signals.find((signal) => signal.id === id)?.state;
    for (const id of ["H5", "A2", "E1", "E2"]) expect(state(id), id).toBe("passed");
  });

  test("the repair of a repaired file changes nothing", async () => {
    const { text } = await draft(document, source);
    const again = await draft(JSON.parse(text ?? "null"), source);
    expect(again.repair?.changes).toEqual([]);
    expect(again.text).toBeNull();
  });
});

test.each(ADDABLE)(
  "the additions for $name are the same from the values in a release as from the whole document",
  async ({ source, document }) => {
    const { before, repair } = await draft(document, source);
    const additions = listAdditions(source, foundIn(before.record));
    const added = (changes: readonly MetadataChange[] = []) =>
      changes
        .filter(({ evidence }) => ["reference_pid_count", "linked_code_count", "license_text"].includes(evidence))
        .map(({ field, evidence, repaired }) => ({ field, evidence, repaired }));
    expect(added(additions?.changes)).toEqual(added(repair?.changes));
    expect(added(additions?.changes)).toHaveLength(3);
    for (const change of additions?.changes ?? []) expect(change).not.toHaveProperty("original");
    expect(additions?.leftOver.map(({ reason }) => reason)).toContain(
      "an award goes into the entry of its funder, so the update needs the whole record",
    );
  },
);

test("additions have one entry for each keyword, and leave out values that were shortened", () => {
  const found = { evidence: "keyword_count", foundIn: "metadata.keywords" } as const;
  const cut = {
    evidence: "reference_pid_count",
    value: `10.1000/${"x".repeat(300)}…`,
    foundIn: "description",
  } as const;
  const keyword = (source: string) => listAdditions(source, [{ ...found, value: "tides" }])?.changes[0]?.repaired;
  expect(keyword("zenodo")).toBe("tides");
  expect(keyword("datacite")).toEqual({ subject: "tides" });
  expect(keyword("dataverse")).toEqual({ keywordValue: primitive("keywordValue", "tides") });
  expect(listAdditions("zenodo", [cut])).toMatchObject({
    changes: [],
    leftOver: [{ reason: expect.stringContaining("too long") }],
  });
  expect(listAdditions("geo", [cut])).toBeNull();
});

test("a misplaced fact that cannot be moved is reported with the reason", async () => {
  const [zenodo] = CASES;
  const { repair } = await draft(zenodo?.document, "zenodo");
  expect(repair?.leftOver).toEqual([
    {
      value: "OCE-1537546",
      foundIn: "metadata.description",
      reason: "Zenodo metadata needs the funder's identifier beside the award",
    },
  ]);
});

test("a link is left to the user if the words before it may state another relation", async () => {
  const { repair, text } = await draft(
    {
      doi: "10.5072/tides",
      titles: [{ title: "Tides" }],
      types: { resourceTypeGeneral: "Dataset" },
      descriptions: [{ description: "This is an update of 10.5072/old, and not of https://github.com/example/old." }],
      relatedIdentifiers: [],
    },
    "datacite",
  );
  const foundIn = "descriptions.description";
  const reason = 'the text says "update of" before it, so it may not be a reference';
  expect(repair).toMatchObject({ changes: [], leftOver: [{ value: "10.5072/old", foundIn, reason }, { foundIn }] });
  expect(text).toBeNull();
});

const ENCODED = "Heights follow https://doi.org/10.1000/0426%281998%29015%3C0741:TT%3E2.0.CO;2 in every step.";

test.each([
  ["Zenodo metadata", "zenodo", { title: "Tides", description: ENCODED }],
  ["an InvenioRDM record", "zenodo", { metadata: { resource_type: { id: "dataset" }, description: ENCODED } }],
  ["DataCite JSON", "datacite", { titles: [{ title: "Tides" }], descriptions: [{ description: ENCODED }] }],
  ["schema.org JSON-LD", "datacite", { "@context": "https://schema.org", "@type": "Dataset", description: ENCODED }],
])("a percent-encoded DOI in a text is decoded for %s", async (_name, source, document) => {
  const { repair } = await draft(document, source);
  expect(JSON.stringify(repair?.changes)).toContain("10.1000/0426(1998)015<0741:tt>2.0.co;2");
});

test.each([
  { name: "two funders", funders: [{ funderName: "One" }, { funderName: "Two" }], reason: "several funders" },
  { name: "no funder", funders: [], reason: "does not name its funder" },
])("an award number is not assigned to a funder if there are $name", async ({ funders, reason }) => {
  const { repair } = await draft(
    {
      titles: [{ title: "Tide tables" }],
      creators: [{ name: "Carberry, Josiah" }],
      types: { resourceTypeGeneral: "Dataset" },
      descriptions: [{ description: "Paid by award number OCE-1537546 of them.", descriptionType: "Abstract" }],
      fundingReferences: funders,
    },
    "datacite",
  );
  expect(repair?.changes).toEqual([]);
  expect(repair?.leftOver.map((each) => each.reason)).toEqual([expect.stringContaining(reason)]);
});

test("the time of a repair grows no faster than the number of creators and keywords", () => {
  const orcid = { nameIdentifier: "https://orcid.org/0000-0002-1825-0097", nameIdentifierScheme: "ORCID" };
  const people = Array.from({ length: 20_000 }, (_, i) => ({ name: `Nemo, Alice ${i}` }));
  const contributors = people.map((person) => ({ ...person, nameIdentifiers: [orcid] }));
  const subjects = people.map((_, i) => ({ subject: `tide a${i}; tide b${i}; tide c${i}` }));
  const document = { titles: [{ title: "Tides" }], creators: people, contributors, subjects };
  const before = process.cpuUsage();
  const found = { evidence: "keyword_count", value: "tide a1", foundIn: "subjects.subject" } as const;
  expect(repair("datacite", document, [found])?.changes).toHaveLength(80_000);
  // Processor time, in microseconds: about a second. In quadratic time, it was minutes.
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(10_000_000);
});

test("a repaired file keeps its indentation", async () => {
  const [zenodo] = CASES;
  const file = new TextEncoder().encode(JSON.stringify(zenodo?.document, null, "\t"));
  const { text } = await repairDraft(sourceNamed("zenodo"), file, INPUTS);
  expect(text).toMatch(/^\{\n\t"title": "Tide tables/);
});

test("a draft in XML is scored, but a repaired XML file is not written", async () => {
  const xml = `<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Tides</title></titles><resourceType resourceTypeGeneral="Dataset"/></resource>`;
  const { before, repair, text } = await repairDraft(sourceNamed("datacite"), new TextEncoder().encode(xml), INPUTS);
  expect(before.outcome).toBe("record");
  expect([repair, text]).toEqual([null, null]);
});

describe("the update of a published record", () => {
  const published = (source: string, sourceId: string, record: object) =>
    repairRecord(
      {
        source,
        sourceId,
        payload: JSON.stringify(record),
        payloadDigest: "0".repeat(64),
        status: 200,
        retrievedAt: null,
      },
      INPUTS,
    );

  test("the update of a published DataCite record contains only the changed attributes", async () => {
    const { text } = await published("datacite", "10.1000/data", {
      id: "10.1000/data",
      type: "dois",
      attributes: {
        doi: "10.1000/data",
        viewCount: 3,
        types: { resourceTypeGeneral: "Dataset" },
        titles: [{ title: "Tides" }],
        descriptions: [{ description: PROSE, descriptionType: "Abstract" }],
        relatedIdentifiers: [
          { relatedIdentifier: "10.1000/set", relatedIdentifierType: "DOI", relationType: "IsPartOf" },
        ],
      },
    });
    expect(JSON.parse(text ?? "null")).toEqual({
      data: {
        id: "10.1000/data",
        type: "dois",
        attributes: {
          relatedIdentifiers: [
            { relatedIdentifier: "10.1000/set", relatedIdentifierType: "DOI", relationType: "IsPartOf" },
            { relatedIdentifier: "10.1000/tides", relatedIdentifierType: "DOI", relationType: "References" },
            {
              relatedIdentifier: "https://github.com/example/tides",
              relatedIdentifierType: "URL",
              relationType: "References",
              resourceTypeGeneral: "Software",
            },
          ],
        },
      },
    });
  });

  test("the update of a published Zenodo record is a complete .zenodo.json, and its score counts the files of the record", async () => {
    const { text, before, after } = await published("zenodo", "1", {
      id: 1,
      doi: "10.5281/zenodo.1",
      stats: { views: 1, downloads: 1 },
      files: [{ key: "README.md" }, { key: "tide-heights.csv" }],
      metadata: {
        title: "Tides",
        doi: "10.5281/zenodo.1",
        access_right: "open",
        resource_type: { type: "dataset", title: "Dataset" },
        description: PROSE,
        creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
        license: { id: "cc0-1.0" },
        grants: [{ code: "283595", funder: { doi: "10.13039/501100000780", name: "European Commission" } }],
        relations: { version: [] },
      },
    });
    expect(JSON.parse(text ?? "null")).toEqual({
      title: "Tides",
      upload_type: "dataset",
      access_right: "open",
      description: PROSE,
      creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
      license: "cc0-1.0",
      grants: [{ id: "10.13039/501100000780::283595" }],
      related_identifiers: [
        { identifier: "10.1000/tides", scheme: "doi", relation: "references" },
        { identifier: "https://github.com/example/tides", relation: "references", resource_type: "software" },
      ],
    });
    expect(before.record?.signals.find(({ id }) => id === "R1")?.state).toBe("passed");
    expect((after.record?.score?.total ?? 0) - (before.record?.score?.total ?? 0)).toBeGreaterThanOrEqual(8);
  });
});
