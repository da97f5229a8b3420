/**
 * Tests the reader of DataCite's XML in each version of its schema (kernel): it is read like the REST API, and fields that a
 * version lacks are unknown.
 */

import { describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { normaliseDatacite, withoutXml } from "../../pipeline/sources/datacite/normalise.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { normalisePayload, readRecord } from "./fragment.ts";
import { testGolden } from "./golden.ts";

/** Returns the payload of one record in an XML file, as a harvest would store it. */
function readPayload(text: string, sourceId: string): unknown {
  const record = findRecords(Buffer.from(text), datacite).records.find((each) => each.sourceId === sourceId);
  if (record === undefined) throw new Error(`the file has no record ${sourceId}`);
  return parsePayload(record.payload);
}

testGolden(
  "datacite",
  normaliseDatacite,
  [
    {
      file: "oai-list.xml",
      sourceId: "10.5072/oai-complete",
      why: "XML of kernel 4 from OAI-PMH has every group of fields, but no counts of use, which XML cannot have",
      states: { "2.0": "ppppp pappp ppppp uauuu ppppp", "1.0": "ppppu ppppp ppppa mmmau pappa" },
      evidence: { keyword_count: 3, subject_count: 1, place_count: 2, view_count: null, organization_pid_count: 1 },
      fields: {
        title: "Tidal heights at four skerries & one jetty",
        repository: "Skerry Archive",
        pubDate: "2026-02-03",
        versionFamily: "10.5072/oai-family",
      },
      creators: [
        { name: "Lindqvist, Tove", person: true, orcid: "0000-0005-1000-0108" },
        { name: "Skerry Watch", person: false },
      ],
    },
    {
      file: "oai-list.xml",
      sourceId: "10.5072/oai-kernel-3",
      why: "kernel 3 has no field for funding, and affiliations are texts; fields that it has and this record lacks are empty",
      states: { "2.0": "aaaaa aaaaa aaaam uauuu aamma", "1.0": "aaaau aamaa aaama mmmau aamaa" },
      evidence: { place_count: 0, funder_count: null, organization_pid_count: null, keyword_count: 0 },
    },
    {
      file: "kernel-2.xml",
      sourceId: "10.5072/kernel-2",
      why: "kernel 2 has one element for rights, and no fields for places and funding",
      states: { "2.0": "aaaaa aaaaa pppam uauuu aamma", "1.0": "maaau aaaaa appma mmmau aamaa" },
      evidence: { place_count: null, funder_count: null, license_spdx: "CC-BY-4.0" },
    },
    {
      file: "zenodo-dump.xml",
      sourceId: "10.5281/zenodo.99000801",
      why: "a record of Zenodo's dump has escaped markup in its abstract, and its family in IsVersionOf",
      states: { "2.0": "paaaa aaaaa ppppp uauuu ppaaa", "1.0": "aaapu apaaa ppppa mmmau aaapa" },
      evidence: { description_length: 76, access_open: true, license_spdx: "CC0-1.0" },
      fields: { versionFamily: "10.5281/zenodo.99000800", repository: "Zenodo" },
    },
    {
      file: "zenodo-kernel-3.xml",
      sourceId: "10.5281/zenodo.99000811",
      why: "kernel 3 has no IsVersionOf, so the last Zenodo DOI in IsPartOf is the family; the licence is named in a sentence",
      states: { "2.0": "paaaa aaaaa ppppp uauuu ppmma", "1.0": "aaapu apmaa ppppa mmmau aampa" },
      evidence: { version_stated: true, license_spdx: "CC0-1.0", license_text: "The data are licensed under CC0." },
      fields: { versionFamily: "10.5281/zenodo.99000810" },
    },
  ],
  readPayload,
);

describe("the family of a Zenodo record in DataCite's XML", () => {
  const family = (kernel: number, doi: string, relations: readonly (readonly [string, string])[]) => {
    const relatedIdentifiers = relations.map(([relationType, relatedIdentifier]) => ({
      relationType,
      relatedIdentifier,
    }));
    const attributes = {
      schemaVersion: `http://datacite.org/schema/kernel-${kernel}`,
      types: { resourceTypeGeneral: "Dataset" },
      relatedIdentifiers,
    };
    return readRecord(datacite, { id: doi, attributes }, doi).fields.versionFamily;
  };
  test.each([
    {
      name: "the earlier record that it is part of, in kernel 3",
      kernel: 3,
      of: "10.5281/zenodo.1",
      family: "10.5281/zenodo.1",
    },
    {
      name: "not the record that it is part of, since kernel 4",
      kernel: 4,
      of: "10.5281/zenodo.1",
      family: "10.5281/zenodo.5",
    },
    {
      name: "not a later record that it is part of, because the concept has a smaller number",
      kernel: 3,
      of: "10.5281/zenodo.9",
      family: "10.5281/zenodo.5",
    },
    {
      name: "not a DOI of another repository that it is part of",
      kernel: 3,
      of: "10.5072/zenodo.1",
      family: "10.5281/zenodo.5",
    },
  ])("the family of a Zenodo record is $name", ({ kernel, of, family: due }) => {
    expect(family(kernel, "10.5281/zenodo.5", [["IsPartOf", of]])).toBe(due);
  });

  test("a record of another repository is its own family even if it is part of a Zenodo record", () => {
    expect(family(3, "10.5072/5", [["IsPartOf", "10.5281/zenodo.1"]])).toBe("10.5072/5");
  });
});

describe("documents of DataCite", () => {
  const bare = (content: string) => parsePayload(`<resource>${content}</resource>`);
  const type = `<resourceType resourceTypeGeneral="Dataset"/>`;

  test.each([
    {
      name: "a DOI in another spelling",
      xml: `<identifier identifierType="doi">https://doi.org/10.5072/A</identifier>`,
      id: "10.5072/a",
    },
    { name: "a handle", xml: `<identifier identifierType="Handle">1/2</identifier>`, id: null },
    { name: "no identifier", xml: "", id: null },
    {
      name: "a DOI among others",
      xml: `<identifier identifierType="URN">urn:x</identifier><identifier identifierType="DOI">10.5072/b</identifier>`,
      id: "10.5072/b",
    },
  ])("the identifier of a record in XML is found: $name", ({ xml, id }) => {
    expect(datacite.identify(bare(xml))).toBe(id);
  });

  test.each([
    { name: "a DOI", identifier: "doi:10.5072/A", id: "10.5072/a" },
    {
      name: "a DOI after the host name of the service",
      identifier: "oai:oai.example.org:10.5072/A.b",
      id: "10.5072/a.b",
    },
    { name: "the number of a Zenodo record", identifier: "oai:zenodo.org:42", id: "10.5281/zenodo.42" },
    { name: "a number of another repository", identifier: "oai:oai.example.org:42", id: null },
    { name: "a handle", identifier: "hdl:10864/10842", id: null },
  ])("the identifier of a deleted record in OAI-PMH is found: $name", ({ identifier, id }) => {
    const header = `<header status="deleted"><identifier>${identifier}</identifier><datestamp>2026-01-02</datestamp></header>`;
    const payload = parsePayload(`<record>${header}</record>`);
    expect(datacite.identify(payload)).toBe(id);
    expect(normalisePayload(datacite, payload, id ?? "x")).toMatchObject({
      outcome: "tombstone",
      updated: "2026-01-02T00:00:00.000Z",
    });
  });

  test("a document of DataCite's XML is not a dataset if it has another resource type", () => {
    const payload = bare(`<resourceType resourceTypeGeneral="Text"/>`);
    expect(normalisePayload(datacite, payload, "10.5072/a")).toMatchObject({ outcome: "not_dataset" });
  });

  test("a document of DataCite's XML is read with its venue in a related item, and without the markup in its description", () => {
    const item = `<relatedItem relationType="IsPublishedIn" relatedItemType="Journal"><relatedItemIdentifier relatedItemIdentifierType="DOI">10.5072/j</relatedItemIdentifier><titles><title>Journal of Tides</title></titles></relatedItem>`;
    const text = `<descriptions><description descriptionType="Abstract">One <br/>two <b>three</b></description></descriptions>`;
    const { evidence } = readRecord(datacite, bare(`${type}<relatedItems>${item}</relatedItems>${text}`), "10.5072/a");
    expect(evidence).toMatchObject({ venue_stated: true, description_length: 13 });
  });

  test("a document of DataCite's XML is read as it is if the payload is JSON", () => {
    const payload = { id: "10.5072/a", attributes: { titles: [] } };
    expect(withoutXml(payload)).toBe(payload);
  });
});
