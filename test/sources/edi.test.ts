/** Tests the reader of EDI with hand-written packages and with recorded responses of its service PASTA. */

import { describe, expect, test } from "vitest";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { asObject, asText, at } from "../../pipeline/reading/reader.ts";
import { parseXml } from "../../pipeline/reading/xml.ts";
import { normaliseEdi } from "../../pipeline/sources/edi/normalise.ts";
import { edi } from "../../pipeline/sources/edi/source.ts";
import { AS_OF, testFragments, vocabularies } from "./fragment.ts";
import { type GoldenCase, recordedAnswers, recordFrom, testGolden } from "./golden.ts";

const XML_PARTS = ["eml", "rmd", "reads"];

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: "edi.990001.2",
    why: "the package has every pledged element, its DOI, and counts of use of this revision",
    states: { "2.0": "ppppp ppppp ppppp ppppp ppppp", "1.0": "ppppu ppppp ppppp ppuuu ppppu" },
    evidence: {
      keyword_count: 3,
      contributor_count: 2,
      contributor_role_count: 1,
      place_count: 2,
      coverage_date_count: 1,
      methods_length: 65,
      reference_count: 2,
      reference_pid_count: 1,
      creator_count: 3,
      person_creator_count: 2,
      creator_pid_count: 2,
      organization_pid_count: 1,
      license_spdx: "CC0-1.0",
      file_count: 4,
      view_count: 18,
      download_count: 7,
      funder_count: 1,
      award_count: 1,
      publication_link_count: 1,
      data_link_count: 2,
      linked_code_count: 1,
      related_identifier_count: 4,
    },
    fields: {
      doi: "10.5072/pasta/complete",
      repository: "EDI",
      pubDate: "2024-03-05",
      recordKind: "data package",
      version: "2",
      versionFamily: "edi/edi.990001",
      accessStatus: "public",
    },
    creators: [
      { name: "Muster, Ilse", affiliations: [{ text: "Example Field Station", ror: null }] },
      { name: "Exempel, Per", person: true, fullName: true },
      { name: "Example University", person: false },
    ],
    facets: [
      { kind: "dataType", value: "dataTable" },
      { kind: "dataType", value: "otherEntity" },
    ],
  },
  {
    file: "minimal.xml",
    sourceId: "edi.990002.1",
    why: "EML 2.1 with only its three required elements had none for cited works, publications and awards",
    states: { "2.0": "aaaaa aaamm aaaam aaaaa nnamm", "1.0": "aaaau aaama aaama mmuuu mampu" },
    evidence: { access_declared: false, file_count: 0, award_count: null, reference_count: null },
  },
  {
    file: "award-in-words.xml",
    sourceId: "knb-lter-exa.990013.1",
    why: "an award number in a text consists of letters and digits; years and numbers in addresses are not awards",
    states: { "2.0": "papaa papmm ppppp aaapp ppppm", "1.0": "ppppu ppamp ppppp mmuuu mappu" },
    evidence: { funder_count: 1, award_count: 1 },
  },
  {
    file: "eml-2.1.xml",
    sourceId: "knb-lter-exa.990003.4",
    why: "EML 2.1 as it was commonly used has the licence as a URL, and funding and award in a text",
    states: { "2.0": "papaa papmm ppppp aaapp ppppm", "1.0": "ppppu ppamp ppppp mmuuu mappu" },
    evidence: { license_spdx: "CC-BY-4.0", funder_count: 1, award_count: 1, contributor_count: 1 },
    fields: { doi: null, versionFamily: "edi/knb-lter-exa.990003" },
  },
  {
    file: "restricted.xml",
    sourceId: "edi.990004.1",
    why: "only the owner may read the package, so access is stated but not open; its files are listed",
    states: { "2.0": "paaaa paaaa aaapa aaapa aaaaa", "1.0": "aaapu aaaap paamp mmuuu aaapu" },
    evidence: { access_declared: true, access_open: false, embargo_active: null, file_count: 1 },
    fields: { accessStatus: "restricted" },
  },
  {
    file: "provenance-step.xml",
    sourceId: "edi.990005.1",
    why: "sentences that PASTA adds do not count as methods, but the source dataset that they introduce is a related work",
    states: { "2.0": "paaaa paaaa aaapp aaapa aaaap", "1.0": "aaapu aaaap paapp mmuuu apapu" },
    evidence: { methods_length: 0, data_link_count: 1 },
  },
  {
    file: "malformed-values.xml",
    sourceId: "edi.990008.1",
    why: "texts are in place of elements, so their signals fail; abstract and access rules can still be read",
    states: { "2.0": "fffff pafff fffpp fffff fffff", "1.0": "ffffu ffffp pffpf mmuuu fffpu" },
  },
  {
    file: "references.xml",
    sourceId: "edi.990009.1",
    why: "people are given by references to a listed creator, to nobody and to a contact; two people in one element share an ORCID iD",
    states: { "2.0": "pappa paaaa aaapp aaapa aaaaa", "1.0": "aappu aaaap paapp mmuuu aaapu" },
    evidence: { creator_count: 2, creator_pid_count: 0, contributor_count: 1, contributor_role_count: 1 },
    creators: [{ name: "Muster, Ilse", orcid: null }, { name: "Exempel, Per" }],
  },
  {
    file: "literature.xml",
    sourceId: "edi.990010.1",
    why: "cited works and the article about the data are given as BibTeX",
    states: { "2.0": "paaaa paapp aaapp aaapa aaaap", "1.0": "aaapu aaapp paapp mmuuu paapu" },
    evidence: { reference_count: 2, reference_pid_count: 1, publication_link_count: 1 },
  },
  {
    file: "other-revision-read.json",
    sourceId: "edi.990011.3",
    why: "only earlier revisions have reads, so this revision has none",
    states: { "2.0": "paaaa paaaa aaapp aaapa aaaaa", "1.0": "aaapu aaaap paapp aauuu aaapu" },
    evidence: { view_count: 0, download_count: 0 },
  },
  {
    file: "denied-and-old.xml",
    sourceId: "edi.990012.1",
    why: "the public is both allowed and denied; there are geological time, a polygon, and a date that is not a date",
    states: { "2.0": "paaaa paaaa aaapa aaapa aaaaa", "1.0": "ppapu aaaap paamp mmuuu aaapu" },
    evidence: { place_count: 1, coverage_date_count: 1, access_open: false },
  },
  {
    file: "hostile.xml",
    sourceId: "edi.990013.1",
    why: "the package has markup, doubly escaped text, two titles, a wrong check digit, keywords that differ by case, and no access rules",
    states: { "2.0": "paaaa aaaaa aaaam aaapa paaaa", "1.0": "aaapu apaaa aaamp mmuuu aaapu" },
    evidence: { keyword_count: 1, description_length: 99, license_text: "", creator_pid_count: 1 },
    fields: { doi: "10.5072/hostile", title: "alert(1)Lake & level" },
  },
];

test("the country of an organisation at EDI comes from the address of the party in EML", () => {
  const address = "<address><city>Wells</city><country>Norway</country></address>";
  const party = `<creator><individualName><surName>Bo</surName></individualName><organizationName>Rain</organizationName>${address}</creator>`;
  const eml = `<eml:eml xmlns:eml="eml://ecoinformatics.org/eml-2.1.1" packageId="edi.1.1"><dataset><title>Rain</title>${party}</dataset></eml:eml>`;
  const { creators } = recordFrom(normaliseEdi, parsePayload(eml, XML_PARTS), "edi.1.1");
  expect(creators).toMatchObject([{ name: "Bo", affiliations: [{ text: "Rain", ror: null, country: "Norway" }] }]);
});

testGolden("edi", normaliseEdi, CASES, (text) => parsePayload(text, XML_PARTS));

const context = { asOf: AS_OF, vocabularies };

describe("the outcome of normalising payloads of EDI", () => {
  test.each([
    { name: "a dataset", given: "<eml><dataset><title>x</title></dataset></eml>", outcome: "record" },
    { name: "an empty dataset", given: "<eml><dataset/></eml>", outcome: "failed" },
    { name: "no dataset", given: "<eml><access/></eml>", outcome: "failed" },
    { name: "software", given: "<eml><software><title>x</title></software></eml>", outcome: "not_dataset" },
    { name: "a citation", given: "<eml><citation><title>x</title></citation></eml>", outcome: "not_dataset" },
    { name: "only resource metadata", given: "<resourceMetadata><doi>x</doi></resourceMetadata>", outcome: "failed" },
  ])("a payload of EDI ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normaliseEdi(parseXml(given), "edi.1.1", context).outcome).toBe(outcome);
  });

  test("an EDI payload that is null is a tombstone", () => {
    expect(normaliseEdi(null, "edi.1.1", context).outcome).toBe("tombstone");
  });
});

const OPEN = "<access><allow><principal>public</principal><permission>read</permission></allow></access>";
const DENIED = "<access><deny><principal>public</principal><permission>read</permission></deny></access>";
const OWNER = "<access><allow><principal>uid=example</principal><permission>all</permission></allow></access>";
const entity = (rules: string) =>
  `<otherEntity><entityName>Levels</entityName><physical><objectName>levels.csv</objectName><distribution>${rules}</distribution></physical></otherEntity>`;
const getEml = (rules: string, elements: string) =>
  `<eml schemaLocation="https://eml.ecoinformatics.org/eml-2.2.0">${rules}<dataset><title>x</title>${elements}</dataset></eml>`;
const readEml = (given: string) => recordFrom(normaliseEdi, parseXml(given), "edi.1.1");

describe("access rules in a payload of EDI", () => {
  testFragments(
    [
      {
        name: "no access rule",
        given: getEml("", entity("")),
        evidence: { access_declared: false, access_open: null },
      },
      { name: "the package is open", given: getEml(OPEN, entity("")), evidence: { access_open: true } },
      {
        name: "one entity is denied",
        given: getEml(OPEN, entity(OPEN) + entity(DENIED)),
        evidence: { access_declared: true, access_open: false, embargo_active: null, file_count: 2 },
        fields: { accessStatus: "restricted" },
      },
      { name: "one entity only for its owner", given: getEml(OPEN, entity(OWNER)), evidence: { access_open: false } },
      {
        name: "each entity is open",
        given: getEml(OPEN, entity(OPEN) + entity(OPEN)),
        evidence: { access_open: true },
      },
      { name: "a closed package", given: getEml(OWNER, entity(OPEN)), evidence: { access_open: false } },
      {
        name: "only an entity has access rules",
        given: getEml("", entity(DENIED)),
        evidence: { access_declared: true, access_open: false },
      },
    ],
    readEml,
  );
});

describe("people and related works in a payload of EDI", () => {
  const party = (element: string, rest: string) =>
    `<${element}><individualName><givenName>Noor</givenName><surName>Example</surName></individualName>${rest}</${element}>`;
  testFragments(
    [
      {
        name: "a contact is a contributor without a role",
        given: getEml("", party("contact", "")),
        evidence: { contributor_count: 1, contributor_role_count: 0 },
      },
      ...["PI", "Co-PI", "Principal Investigator"].map((role) => ({
        name: `${role} is a role`,
        given: getEml("", party("associatedParty", `<role>${role}</role>`)),
        evidence: { contributor_count: 1, contributor_role_count: 1 },
      })),
      {
        name: "a work that uses the data is a related work, but neither a reference nor an article about them",
        given: getEml("", "<usageCitation><title>Lakes</title><DOI>10.5072/lakes</DOI></usageCitation>"),
        evidence: { related_identifier_count: 1, reference_count: 0, publication_link_count: 0 },
      },
      {
        name: "a work that uses the data, without an identifier",
        given: getEml("", "<usageCitation><title>Lakes</title></usageCitation>"),
        evidence: { related_identifier_count: 0 },
      },
    ],
    readEml,
  );
});

describe("the ids of EDI packages", () => {
  const eml = (id: string, system = "knb") =>
    `<eml packageId="${id}" system="${system}"><dataset><title>x</title></dataset></eml>`;
  test.each([
    { name: "is recognised by a scope of EDI", document: parseXml(eml("edi.1.2")), id: "edi.1.2" },
    {
      name: "is recognised by the scope of an LTER site",
      document: parseXml(eml("knb-lter-exa.3.4")),
      id: "knb-lter-exa.3.4",
    },
    { name: "is recognised by a scope in capitals", document: parseXml(eml("EDI.1.2")), id: "edi.1.2" },
    {
      name: "is not recognised by the scope of another repository",
      document: parseXml(eml("exampleuser.1.2")),
      id: null,
    },
    {
      name: "is not recognised by a scope that only begins like EDI's",
      document: parseXml(eml("edition.1.2")),
      id: null,
    },
    {
      name: "with a new scope is recognised by the system",
      document: parseXml(eml("new.1.2", "https://pasta.edirepository.org")),
      id: "new.1.2",
    },
    {
      name: "with a new scope is recognised by parts that only EDI returns",
      document: { ...parseXml(eml("new.1.2")), reads: "<resourceReads/>" },
      id: "new.1.2",
    },
    { name: "is not recognised without a revision", document: parseXml(eml("edi.1")), id: null },
  ])("an EDI package $name", ({ document, id }) => {
    expect(edi.identify(document)).toBe(id);
  });
});

const recorded = recordedAnswers(["edi"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of EDI have the expected outcomes: records for packages, and none for other XML documents", () => {
    const counts: Record<string, number> = {};
    for (const { path, text } of recorded ?? []) {
      const [root = "plain text"] = path.endsWith(".txt") ? [] : Object.keys(parseXml(text));
      const document = root === "eml" ? parseXml(text) : null;
      const id = asText(at(document, "eml", "@packageId")) ?? "";
      const outcome = document === null ? root : normaliseEdi(document, id, context).outcome;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    expect(counts).toEqual({
      record: 3,
      failed: 1,
      not_dataset: 1,
      "plain text": 3,
      dataDescendants: 1,
      dataSources: 1,
      journalCitation: 1,
      journalCitations: 2,
      methodStep: 1,
      auditReport: 1,
      qualityReport: 2,
      resourceMetadata: 3,
      resourceReads: 1,
      resultset: 1,
      schema: 1,
      subscriptions: 1,
    });
  });

  const getEml = (name: string) => parseXml(recorded?.find(({ path }) => path.endsWith(name))?.text ?? "");

  test("recorded responses of EDI include a package of 2021, of which licence, methods and an award in a text are read", () => {
    const record = recordFrom(normaliseEdi, getEml("eml2.2.0testotherentity.xml"), "edi.1.1");
    expect(record.errors.size).toBe(0);
    expect(record.fields).toMatchObject({ doi: "10.5061/dryad.0k6djh9z4", pubDate: "2021-02-02", license: "CC0-1.0" });
    expect(record.creators).toMatchObject([{ name: "Bell, Jenefer", orcid: "0000-0002-8371-7183" }]);
    expect(record.evidence).toMatchObject({
      keyword_count: 5,
      subject_count: 0,
      contributor_count: 1,
      contributor_role_count: 0,
      place_count: 2,
      coverage_date_count: 1,
      reference_count: 0,
      creator_pid_count: 1,
      access_declared: false,
      funder_count: 1,
      award_count: 1,
    });
    expect(record.evidence.methods_length).toBeGreaterThan(500);
  });

  test("recorded responses of EDI include counts of use and resource metadata, which are read together with their package", () => {
    const reads = getEml("reads_knb-lter-sgs_817.xml");
    const rmd = getEml("rmd_eml_edi_613_1.xml");
    const eml = { eml: { "@packageId": "knb-lter-sgs.817.17", dataset: { title: "x" } } };
    const record = recordFrom(normaliseEdi, { eml, rmd: asObject(rmd), reads: asObject(reads) }, "knb-lter-sgs.817.17");
    expect(record.fields.doi).toBe("10.6073/pasta/47d7cb6d374b6662cce98e42122169f8");
    expect(record.updated).toBe("2021-06-08T18:02:43.361Z");
    expect(record.evidence).toMatchObject({ view_count: 518, download_count: 47 });
  });
});
