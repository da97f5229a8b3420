/** Tests the reader of SRA with hand-written studies and with recorded responses. */

import { describe, expect, test } from "vitest";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { asList, asObject, asText, at } from "../../pipeline/reading/reader.ts";
import { parseXml } from "../../pipeline/reading/xml.ts";
import { normaliseSra } from "../../pipeline/sources/sra/normalise.ts";
import { AS_OF, vocabularies } from "./fragment.ts";
import { type GoldenCase, recordedAnswers, recordFrom, testGolden } from "./golden.ts";

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: "PRJNA99000001",
    why: "project and experiments are as harvested; summaries have no links and no attributes of samples",
    states: { "2.0": "ppuuu pppuu uuupp umuuu uuuum", "1.0": "mmupu puuup puupu uuuuu mmuuu" },
    evidence: { keyword_count: 3, methods_length: 70, file_count: 2, creator_count: 1, person_creator_count: 0 },
    fields: {
      doi: null,
      repository: "SRA",
      title: "Example of a mown meadow",
      pubDate: "2022-07-23",
      recordKind: "study",
      accessStatus: "public",
      versionFamily: "sra/PRJNA99000001",
      url: "https://www.ncbi.nlm.nih.gov/bioproject/PRJNA99000001",
    },
    creators: [{ name: "Example University", person: false }],
    facets: [{ kind: "dataType", value: "AMPLICON" }],
  },
  {
    file: "project-alone.json",
    sourceId: "PRJNA99000002",
    why: "the payload has only the project, so protocols and access, which are in experiments, are missing",
    states: { "2.0": "aauuu pamuu uuumm umuuu uuuum", "1.0": "mmuau muuup muumu uuuuu mmuuu" },
    evidence: { keyword_count: 0, methods_length: null, file_count: null },
  },
  {
    file: "experiment-alone.json",
    sourceId: "PRJNA99000003",
    why: "the payload has only an experiment under controlled access; its runs say public, but the more restrictive level counts",
    states: { "2.0": "mmuuu mmpuu uuupa umuuu uuuum", "1.0": "mmumu puuum puumu uuuuu mmuuu" },
    evidence: { access_open: false, embargo_active: null, file_count: 2 },
    fields: { title: "Example of a mown meadow", pubDate: "2022-08-01", accessStatus: "controlled access" },
  },
  {
    file: "study.xml",
    sourceId: "PRJNA99000004",
    why: "the STUDY element links an article and a program; ENA's lists of the study's own parts are not links",
    states: { "2.0": "mmuuu pamuu uuumm upuuu uuuup", "1.0": "mmumu muuup muumu uuuuu ppuuu" },
    evidence: { publication_link_count: 1, linked_code_count: 1, related_identifier_count: 2 },
    fields: { pubDate: "2020-02-01" },
    facets: [{ kind: "dataType", value: "Metagenomics" }],
  },
  {
    file: "package.xml",
    sourceId: "PRJNA99000005",
    why: "the package has a sample with place and date, but no protocol and no links; its broker is not a creator",
    states: { "2.0": "mmuuu paauu uuupp uauuu uuuua", "1.0": "ppumu auuup puupu uuuuu aauuu" },
    evidence: { place_count: 2, coverage_date_count: 1, methods_length: 0, creator_count: 0 },
    creators: [],
  },
  {
    file: "package-missing-values.xml",
    sourceId: "PRJNA99000006",
    why: "values that are reported as missing count as empty, a date in words is not a date, and the protocol has 17 characters with CDATA",
    states: { "2.0": "mmuuu paauu uuupp uauuu uuuup", "1.0": "aaumu puuup puupu uuuuu apuuu" },
    evidence: { place_count: 0, coverage_date_count: 0, methods_length: 17, data_link_count: 1 },
  },
  {
    file: "malformed-values.json",
    sourceId: "PRJNA99000007",
    why: "objects are in place of texts, and the XML of an experiment is truncated",
    states: { "2.0": "ffuuu fffuu uuuff umuuu uuuum", "1.0": "mmufu fuuuf fuufu uuuuu mmuuu" },
    fields: { title: "7" },
  },
  {
    file: "null-everywhere.json",
    sourceId: "PRJNA99000008",
    why: "null counts as empty, and not as missing; without experiments, no access is stated",
    states: { "2.0": "aauuu aaauu uuuam umuuu uuuum", "1.0": "mmuau auuua auumu uuuuu mmuuu" },
    creators: [],
  },
  {
    file: "sparse-fields.json",
    sourceId: "PRJNA99000009",
    why: "the payload has only an accession, so all fields are missing",
    states: { "2.0": "mmuuu mmmuu uuumm umuuu uuuum", "1.0": "mmumu muuum muumu uuuuu mmuuu" },
  },
  {
    file: "two-pages.json",
    sourceId: "PRJNA99000010",
    why: "the experiments are on two pages, one run is not public, one entry is an error, and the protocol is short",
    states: { "2.0": "aauuu paauu uuupa umuuu uuuum", "1.0": "mmuau puuup puumu uuuuu mmuuu" },
    evidence: { file_count: 3, access_open: false, methods_length: 27 },
    fields: { accessStatus: "not public" },
    facets: [
      { kind: "dataType", value: "AMPLICON" },
      { kind: "dataType", value: "WGS" },
    ],
  },
  {
    file: "hostile.json",
    sourceId: "PRJNA99000011",
    why: "an XML fragment with a document type is rejected; a keyword is repeated in capitals, and the description has 99 code points",
    states: { "2.0": "pauuu aafuu uuuff umuuu uuuum", "1.0": "mmupu fuuua fuufu uuuuu mmuuu" },
    evidence: { keyword_count: 1, description_length: 99, methods_length: null },
    fields: { title: "xMeadow" },
  },
];

/** Returns the records in an XML response as a harvest stores them: an object for each, with the name of its element. */
function readElements(document: unknown): readonly unknown[] {
  for (const [set, name] of [
    ["STUDY_SET", "STUDY"],
    ["EXPERIMENT_PACKAGE_SET", "EXPERIMENT_PACKAGE"],
  ] as const) {
    const found = at(document, set, name);
    if (found !== undefined) return (Array.isArray(found) ? found : [found]).map((element) => ({ [name]: element }));
  }
  return [document];
}

testGolden("sra", normaliseSra, CASES, (text) => readElements(parsePayload(text))[0]);

const context = { asOf: AS_OF, vocabularies };

describe("the outcome of normalising payloads of SRA", () => {
  const umbrella = { project_acc: "PRJNA1", project_type: "Umbrella project" };
  test.each([
    { name: "a project", given: { project_acc: "PRJNA1" }, outcome: "record" },
    { name: "an umbrella project", given: umbrella, outcome: "not_dataset" },
    {
      name: "a project with array data",
      given: { project_acc: "PRJNA1", project_methodtype: "Array" },
      outcome: "not_dataset",
    },
    { name: "an error in a field", given: { uid: "1", error: "cannot get document summary" }, outcome: "tombstone" },
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a run", given: { RUN_SET: { RUN: {} } }, outcome: "failed" },
    { name: "text", given: "SRP1", outcome: "failed" },
  ])("a payload of SRA ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normaliseSra(given, "PRJNA1", context).outcome).toBe(outcome);
  });
});

describe("the date of publication in SRA", () => {
  const run = (published: string) => ({ "@accession": "SRR1", "@published": published });
  const packaged = (...runs: object[]) => ({ EXPERIMENT_PACKAGE: { STUDY: {}, RUN_SET: { RUN: runs } } });
  const summary = { expxml: "<Summary/>", runs: "", createdate: "2020/03/02", updatedate: "2020/02/01" };
  const project = { project_acc: "PRJNA1", registration_date: "2019/05/06 00:00" };
  test.each([
    {
      name: "several runs",
      given: packaged(run("2021-04-05 10:11:12"), run("2021-03-04 10:11:12")),
      date: "2021-03-04",
    },
    { name: "a run without a date", given: packaged({ "@accession": "SRR1" }), date: null },
    { name: "a summary with dates of creation and change", given: summary, date: "2020-03-02" },
    { name: "a summary with only a date of change", given: { ...summary, createdate: "" }, date: null },
    {
      name: "a project and its summaries",
      given: { project, experiments: { result: { uids: ["1"], 1: summary } } },
      date: "2019-05-06",
    },
    {
      name: "a run and its project",
      given: { project, ...packaged(run("2021-03-04 10:11:12")) },
      date: "2021-03-04",
    },
  ])("the date of publication in SRA for $name is $date", ({ given, date }) => {
    expect(normaliseSra(given, "PRJNA1", context)).toMatchObject({ outcome: "record", fields: { pubDate: date } });
  });
});

test("a summary that a response of SRA lists twice is read once", () => {
  const countReads = (uids: readonly string[]) => {
    let reads = 0;
    const summary = {
      runs: "",
      get expxml() {
        reads += 1;
        return "<Summary/>";
      },
    };
    normaliseSra({ experiments: { result: { uids, 1: summary } } }, "PRJNA1", context);
    return reads;
  };
  expect(countReads(["1", "1"])).toBe(countReads(["1"]));
});

const recorded = recordedAnswers(["sra"]);

/** Returns the summaries in a response of NCBI's esummary, in the order of its uids. */
function listSummaries(document: unknown): readonly unknown[] {
  return asList(at(document, "result", "uids")).map((uid) => at(document, "result", String(uid)));
}

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of SRA give records for studies and experiments, and no records for other documents", () => {
    const counts: Record<string, number> = {};
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    for (const { path, text } of recorded ?? []) {
      const document = path.endsWith(".xml") ? parseXml(text) : JSON.parse(text);
      const root = Object.keys(asObject(document) ?? {})[0] ?? "";
      const payloads = path.endsWith(".xml") ? readElements(document) : listSummaries(document);
      for (const payload of payloads) {
        const { outcome } = normaliseSra(payload, "SRP000001", context);
        count(outcome === "failed" ? `rejected: ${root}` : outcome);
      }
    }
    expect(counts).toEqual({
      record: 4,
      not_dataset: 1,
      "rejected: RUN_SET": 2,
      "rejected: SAMPLE_SET": 1,
      "rejected: eSummaryResult": 3,
      "rejected: header": 1,
      "rejected: html": 1,
    });
  });

  const readText = (name: string) => recorded?.find(({ path }) => path.endsWith(name))?.text ?? "";

  test("recorded responses of SRA include an experiment with a long protocol under controlled access, all of whose fields are read", () => {
    const [summary] = listSummaries(JSON.parse(readText("esummary.sra.json")));
    const { evidence, errors, fields, facets } = recordFrom(normaliseSra, summary, "SRP002426");
    expect(errors.size).toBe(0);
    expect(evidence).toMatchObject({ access_declared: true, access_open: false, file_count: 1, keyword_count: null });
    expect(evidence.methods_length).toBe(1774);
    expect(fields.title).toBe("The Role of the Gut Microbiota in Ulcerative Colitis, targeted gene survey");
    expect(facets).toEqual([{ kind: "dataType", value: "AMPLICON" }]);
  });

  test("recorded responses of SRA include a study with an article, all of whose fields are read", () => {
    const [payload] = readElements(parseXml(readText("ffq_SRP178136.xml")));
    const record = recordFrom(normaliseSra, payload, "PRJNA514051");
    expect(record.evidence).toMatchObject({
      publication_link_count: 1,
      related_identifier_count: 1,
      data_link_count: 0,
    });
    expect(record.fields).toMatchObject({ pubDate: "2019-01-26", accessStatus: null });
    expect(record.updated).toBe("2019-03-14T00:00:00.000Z");
    expect(asText(record.fields.title)).toBe("Multi-modal analysis of the aging mouse lung at cellular resolution");
  });
});
