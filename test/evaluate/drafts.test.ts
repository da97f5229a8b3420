/** Drafts in common formats: the source that is recognised, the evidence that is read, and the errors for other files. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDraft } from "../../pipeline/evaluate/draft.ts";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { readRecord } from "../sources/fragment.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

const CONTRACT = "2.0.0-beta.2";

let opened: OpenEvaluator;
beforeAll(async () => {
  opened = await openEvaluator();
});
afterAll(() => opened[Symbol.asyncDispose]());

type File = string | object;

const toBytes = (file: File) => Buffer.from(typeof file === "string" ? file : JSON.stringify(file));

/** Returns the name of the source that is recognised from the format of a draft. */
const sourceOf = async (file: File) => (await readDraft(toBytes(file), null)).source;

async function evaluated(source: string, file: File): Promise<ScoredEvaluation> {
  const known = sourceNamed(source);
  if (known === null) throw new Error(`unknown source ${source}`);
  return await opened.evaluator.draft(known, toBytes(file), CONTRACT);
}

/** Returns all evidence of a draft for DataCite, including evidence that no signal reads. */
function readEvidence(file: object): unknown {
  return readRecord(datacite, datacite.readDraft?.(file), "draft").evidence;
}

function findState({ record }: ScoredEvaluation, id: string): string | undefined {
  return record?.signals.find((signal) => signal.id === id)?.state;
}

const SERIES = {
  uid: "200099990",
  accession: "GSE99990",
  title: "Invented leaves under invented light",
  summary: "Leaves of an invented plant, under five lights.",
  entrytype: "GSE",
  gpl: "99",
  gse: "99990",
};
const STUDY = {
  uid: "99000099",
  expxml:
    '<Summary><Title>Reads</Title></Summary><Study acc="SRP999999" name="Invented reads"/><Bioproject>PRJNA99000099</Bioproject>',
  runs: '<Run acc="SRR9999999" total_spots="1"/>',
};
const COLLECTION = {
  EntryTitle: "Invented sea ice, day by day",
  ShortName: "INVENTED_ICE",
  Version: "1",
  Abstract: "How much of an invented sea is ice, day by day, from an invented satellite.",
};
const PRODUCT = {
  id: "doi_________::0123456789abcdef0123456789abcdef",
  type: "dataset",
  mainTitle: "Invented tides",
  descriptions: ["Heights of an invented tide."],
};
const summaries = (...members: readonly { readonly uid: string; readonly [key: string]: unknown }[]) => ({
  header: { type: "esummary", version: "0.3" },
  result: { uids: members.map(({ uid }) => uid), ...Object.fromEntries(members.map((member) => [member.uid, member])) },
});

describe("a response with a list of records", () => {
  test.each([
    ["geo", summaries(SERIES), "geo/GSE99990"],
    ["sra", summaries(STUDY), "sra/PRJNA99000099"],
    ["nasa_cmr", { hits: 1, items: [{ meta: { "concept-id": "C99-TEST" }, umm: COLLECTION }] }, "nasa_cmr/C99-TEST"],
    ["openaire", { header: { numFound: 1 }, results: [PRODUCT] }, `openaire/${PRODUCT.id}`],
  ])("a list with one record is read as this record: %s", async (source, answer, identifier) => {
    expect(await sourceOf(answer)).toBe(source);
    expect(await evaluated(source, answer)).toMatchObject({ outcome: "record", identifier });
  });

  test.each([
    [
      "geo",
      summaries(SERIES, { ...SERIES, uid: "200099991", accession: "GSE99991" }),
      /a list of several records; give a file with one/,
    ],
    ["nasa_cmr", { hits: 0, items: [] }, /a list without records/],
    ["figshare", [{ name: "no known entry" }], /a list with one entry, which is not a record/],
  ])("a list without exactly one record is rejected: %s", async (source, answer, says) => {
    await expect(evaluated(source, answer)).rejects.toThrow(says);
  });

  test("a UMM-C file (NASA CMR) is read as a collection without an id", async () => {
    const evaluation = await evaluated("nasa_cmr", COLLECTION);
    expect(await sourceOf(COLLECTION)).toBe("nasa_cmr");
    expect(evaluation).toMatchObject({
      identifier: "nasa_cmr/draft",
      record: { title: COLLECTION.EntryTitle, url: null },
    });
  });
});

describe("a draft that states no type", () => {
  const DEPOSIT = { title: "Soil", creators: [{ name: "Carberry, Josiah" }], description: "Moisture of a soil." };
  const ATTRIBUTES = { titles: [{ title: "Soil" }], creators: [{ name: "Carberry, Josiah" }], publicationYear: 2026 };
  const XML = `<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Soil</title></titles>
    <creators><creator><creatorName>Carberry, Josiah</creatorName></creator></creators></resource>`;

  test.each([
    [".zenodo.json", "zenodo", DEPOSIT],
    [
      ".zenodo.json with fields that other sources also use",
      "zenodo",
      { title: "Soil", keywords: ["soil"], license: "cc0-1.0" },
    ],
    ["a deposit of Zenodo", "zenodo", { metadata: DEPOSIT }],
    ["attributes of DataCite", "datacite", ATTRIBUTES],
    [
      "a deposit of DataCite",
      "datacite",
      { data: { type: "dois", attributes: { ...ATTRIBUTES, types: { ris: "DATA" } } } },
    ],
    ["DataCite's XML", "datacite", XML],
  ])("a draft that states no type is scored as a dataset: %s", async (_name, source, file) => {
    expect(await sourceOf(file)).toBe(source);
    const evaluation = await evaluated(source, file);
    expect(evaluation).toMatchObject({ outcome: "record", record: { title: "Soil", scoreStatus: "scored" } });
    expect(evaluation.improvements.some(({ points }) => points !== null)).toBe(true);
  });

  test("a field is absent if a DataCite deposit omits it, but unknown if a response of DataCite omits it", async () => {
    const answer = { id: "10.5072/soil", ...ATTRIBUTES, types: { resourceTypeGeneral: "Dataset" } };
    expect(findState(await evaluated("datacite", ATTRIBUTES), "S1")).toBe("absent");
    expect(findState(await evaluated("datacite", answer), "S1")).toBe("source_missing");
  });
});

const ALICE = { "@id": "https://orcid.org/0000-0002-1825-0097", "@type": "Person", name: "Josiah Carberry" };
const UNIVERSITY = { "@id": "https://ror.org/05gq02987", "@type": "Organization", name: "Brown University" };
const DATASET = {
  "@context": "https://schema.org/",
  "@type": "Dataset",
  name: "Invented tides",
  description:
    "Heights of an invented tide, hour by hour, with the gauge that was used and what it cannot see at night.",
  keywords: "tides, sea level, gauges",
  license: "https://creativecommons.org/licenses/by/4.0/",
  creator: { ...ALICE, affiliation: UNIVERSITY },
  version: "1.0",
  datePublished: "2026-01-02",
};

describe("a Dataset of schema.org", () => {
  const crate = (root: object, ...others: readonly object[]) => ({
    "@context": "https://w3id.org/ro/crate/1.1/context",
    "@graph": [
      { "@id": "ro-crate-metadata.json", "@type": "CreativeWork", about: { "@id": "./" } },
      { "@id": "./", ...root },
      ...others,
    ],
  });
  const { "@context": _context, ...bare } = DATASET;
  const prefixed = Object.fromEntries(
    Object.entries(bare).map(([key, each]) => [key.replace(/^(?!@)/, "schema:"), each]),
  );

  test.each([
    ["plain", DATASET],
    ["in a list, as on web pages", [DATASET]],
    [
      "as the root of an RO-Crate that contains another dataset",
      crate(
        { ...bare, creator: { "@id": ALICE["@id"] }, hasPart: [{ "@id": "a/" }] },
        { ...ALICE, affiliation: { "@id": UNIVERSITY["@id"] } },
        UNIVERSITY,
        { "@id": "a/", "@type": "Dataset", name: "A folder" },
      ),
    ],
    [
      "as Croissant writes it",
      {
        ...DATASET,
        "@context": { "@vocab": "https://schema.org/", cr: "http://mlcommons.org/croissant/" },
        "@type": "sc:Dataset",
      },
    ],
    [
      "as codemeta.json, with aliases",
      { ...bare, "@context": "https://w3id.org/codemeta/3.0", "@type": undefined, type: "Dataset" },
    ],
    ["with the vocabulary as a prefix of each name", { ...prefixed, "@type": "schema:Dataset" }],
    [
      "with its creators in an ordered list",
      { ...DATASET, creator: { "@list": [{ ...ALICE, affiliation: [UNIVERSITY] }] } },
    ],
  ])("a Dataset of schema.org is read as a draft for DataCite: %s", async (_name, file) => {
    expect(await sourceOf(file)).toBe("datacite");
    const evaluation = await evaluated("datacite", file);
    expect(evaluation).toMatchObject({ outcome: "record", record: { title: "Invented tides", pubDate: "2026-01-02" } });
    expect(readEvidence(file)).toMatchObject({
      keyword_count: 3,
      creator_pid_count: 1,
      organization_pid_count: 1,
      license_spdx: "CC-BY-4.0",
      version_stated: true,
    });
  });

  test("the tool that wrote an RO-Crate does not count as code or as a related work", () => {
    const tool = { "@id": "https://github.com/nipy/heudiconv", "@type": "SoftwareApplication", name: "HeuDiConv" };
    const action = { "@id": "#run", "@type": "CreateAction", instrument: tool, result: { "@id": "./" } };
    const made = { ...bare, instrument: tool, mentions: { "@id": "#run" } };
    expect(readEvidence(crate(made, tool, action))).toEqual(readEvidence(crate(bare)));
  });

  test("the properties of a Dataset of schema.org are read as evidence for DataCite", () => {
    const evidence = readEvidence({
      ...DATASET,
      keywords: [{ "@type": "DefinedTerm", name: "Tides", inDefinedTermSet: "https://example.org/terms" }, "gauges"],
      contributor: { "@type": "Role", roleName: "DataCurator", contributor: { "@type": "Person", name: "Nora Nemo" } },
      measurementTechnique: "A gauge that is read by eye, every full hour, by two people who take turns.",
      temporalCoverage: "2020-01-01/2020-12-31",
      spatialCoverage: { "@type": "Place", geo: { "@type": "GeoCoordinates", latitude: 1, longitude: 2 } },
      funding: { "@type": "Grant", identifier: "N-17", funder: { name: "Invented Fund" } },
      citation: [
        "Nemo, N. (2020). Tides. https://doi.org/10.5072/tides.",
        { "@type": "ScholarlyArticle", "@id": "https://doi.org/10.5072/b" },
      ],
      isPartOf: { "@type": "Periodical", name: "Invented Letters" },
      distribution: { "@type": "DataDownload", encodingFormat: "text/csv", contentUrl: "https://example.org/a.csv" },
    });
    expect(evidence).toMatchObject({
      keyword_count: 2,
      subject_count: 1,
      contributor_count: 1,
      contributor_role_count: 1,
      coverage_date_count: 1,
      place_count: 1,
      funder_count: 1,
      award_count: 1,
      reference_count: 2,
      reference_pid_count: 2,
      open_format_file_count: 1,
      methods_length: 75,
      venue_stated: true,
    });
  });

  test("evidence without a property in schema.org is unknown, and other missing evidence is absent", async () => {
    const file = { "@context": "https://schema.org", "@type": "Dataset", name: "Tides" };
    const evaluation = await evaluated("datacite", file);
    expect(["S1", "A1"].map((id) => findState(evaluation, id))).toEqual(["absent", "absent"]);
    expect(readEvidence(file)).toMatchObject({ methods_length: null, access_declared: null, keyword_count: 0 });
    expect(findState(evaluation, "H3")).toBe("source_missing");
  });
});

describe("a file that is not a draft for the source", () => {
  test.each([
    [
      "zenodo",
      { titles: [{ title: "Soil" }] },
      /^is not metadata for Zenodo: it fits DataCite \(datacite\); choose that source$/,
    ],
    ["zenodo", DATASET, /it fits DataCite/],
    ["datacite", { title: "Soil", creators: [] }, /it fits Zenodo \(zenodo\)/],
    ["zenodo", { Name: "Heads", BIDSVersion: "1.8.0" }, /it fits OpenNeuro/],
    ["zenodo", `<eml:eml xmlns:eml="x"><dataset><title>Rain</title></dataset></eml:eml>`, /it fits .*\(edi\)/],
    ["figshare", { id: 99, title: "x", metadata: { title: "x", upload_type: "dataset" } }, /it fits Zenodo/],
    ["zenodo", { metadata: { nothing: "of Zenodo" } }, /neither a Zenodo record nor/],
    ["dryad", { ...DATASET, identifier: "https://doi.org/10.5072/x" }, /it fits DataCite/],
  ])(
    "a draft for another source than %s is rejected, and the error names the source that it fits",
    async (source, file, says) => {
      await expect(evaluated(source, file)).rejects.toThrow(says);
    },
  );
});

describe("a response of a service that is not the metadata of one dataset", () => {
  const PERSON = { id: "ab1cd", type: "users", attributes: { full_name: "Josiah Carberry" } };

  test.each<[string, object, string | RegExp]>([
    ["an error with a title", { errors: [{ status: "404", title: "No such DOI." }] }, '("No such DOI.")'],
    ["an error as text", { errors: ["no valid id"] }, '("no valid id")'],
    ["an error of a token", { error: "invalid_token", error_description: "Old" }, '("invalid_token")'],
    ["a status with a message", { "response-code": 404, "user-message": "Not found" }, '("Not found")'],
    ["a status alone", { status: "503", headers: {} }, '("503")'],
    ["an error of NCBI", { header: { type: "einfo" }, einforesult: { ERROR: "No such db" } }, '("No such db")'],
    ["records in a list", [{ id: 1 }, { id: 2 }], /^is a list of 2 records: give a file with one of them$/],
    ["hits of a search", { hits: { total: 9, hits: [{ id: "a" }, { id: "b" }, { id: "c" }] } }, /^is a list of 3 /],
    ["a page of HAL", { total: 2, _embedded: { "stash:files": [{ path: "a" }, { path: "b" }] } }, /^is a list of 2 /],
    ["a person of JSON:API", { data: PERSON }, /^is a JSON:API resource of type "users", and only datasets have/],
  ])("the message for a draft says what it is: %s", async (_name, file, says) => {
    await expect(readDraft(toBytes(file), null)).rejects.toThrow(says);
  });

  test.each([
    ["an error of a measurement", { name: "Tides", error: "0.5 m" }],
    ["a title and data", { title: "Tides", data: [{ id: 1 }, { id: 2 }] }],
    ["a status that is not an error", { status: 200 }],
  ])("the message for a draft asks for the repository if it may be metadata: %s", async (_name, file) => {
    await expect(readDraft(toBytes(file), null)).rejects.toThrow(/^does not show which repository/);
  });

  test("a JSON:API resource that is not a DOI is rejected by DataCite, and does not fit DataCite for another source", async () => {
    await expect(evaluated("datacite", { data: PERSON })).rejects.toThrow(
      /a DataCite resource of type "users", not a DOI/,
    );
    await expect(evaluated("osf", { data: PERSON })).rejects.toThrow(/a resource of OSF of the type users, not a node/);
  });
});

describe("a CITATION.cff of a dataset", () => {
  const CITATION = `cff-version: "1.2.0"
message: Cite it as below.
type: dataset
title: Invented tides
abstract: >-
  ${"The heights of an invented tide at an invented quay, hour by hour, for one year. ".repeat(4)}
version: 1.0
date-released: 2026-01-02
license: CC-BY-4.0
doi: 10.5072/tides
keywords: [tides, gauges, quays]
repository-code: https://github.com/example/tides
authors:
  - family-names: Nemo
    name-particle: van
    given-names: Alice
    orcid: https://orcid.org/0000-0005-1200-0216
    affiliation: University of Norvale
  - name: Norvale Tide Office
references:
  - type: article
    title: Tides and quays
    doi: 10.5072/quays
  - type: report
    title: A report without an identifier
preferred-citation:
  type: dataset
  title: Invented tides
  doi: https://doi.org/10.5072/tides
`;
  const changed = (...changes: readonly [string, string][]) =>
    changes.reduce((text, [from, to]) => text.replace(from, to), CITATION);
  const attributesIn = async (text: string) => {
    expect(await sourceOf(text)).toBe("datacite");
    return evaluated("datacite", text);
  };

  test("a CITATION.cff of a dataset is read as a draft for DataCite with all its fields", async () => {
    const { outcome, record } = await attributesIn(CITATION);
    expect(outcome).toBe("record");
    expect(record).toMatchObject({
      title: "Invented tides",
      pubDate: "2026-01-02",
      version: "1.0",
      license: "CC-BY-4.0",
      authors: [
        { name: "van Nemo, Alice", affiliation: "University of Norvale", orcid: "0000-0005-1200-0216" },
        { name: "Norvale Tide Office", orcid: null },
      ],
    });
    const states = Object.fromEntries((record?.signals ?? []).map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({
      S1: "passed",
      H1: "passed",
      A1: "passed",
      R2: "passed",
      E1: "passed",
      E5: "passed",
    });
  });

  test("evidence that a CITATION.cff cannot state is unknown", async () => {
    const { record } = await attributesIn(changed(["repository-code: https://github.com/example/tides\n", ""]));
    const absent = (record?.signals ?? []).filter(({ state }) => state === "absent").map(({ id }) => id);
    // Only linked code is absent, because the file could state it and does not.
    expect(absent).toEqual(["R2"]);
  });

  test.each<[string, string, object]>([
    ["several licences", changed(["license: CC-BY-4.0", "license: [CC-BY-4.0, MIT]"]), { license: "CC-BY-4.0" }],
    [
      "a DOI among identifiers",
      changed(["doi: 10.5072/tides", "identifiers: [{type: doi, value: 10.5072/tides}]"]),
      { title: "Invented tides" },
    ],
    ["a comment before the first member", `# made by hand\n${CITATION}`, { title: "Invented tides" }],
    ["Windows line ends", CITATION.replaceAll("\n", "\r\n"), { title: "Invented tides" }],
    [
      "a tag, which has no effect",
      changed(["title: Invented tides", "title: !!python/object:os.system Invented tides"]),
      { title: "Invented tides" },
    ],
    ["a year without quotes, which stays text", changed(["title: Invented tides", "title: 2026"]), { title: "2026" }],
    [
      "a person by an alias",
      changed(
        ["family-names: Nemo", "alias: nemo"],
        ["    name-particle: van\n", ""],
        ["    given-names: Alice\n", ""],
      ),
      { authors: [{ name: "nemo" }, {}] },
    ],
  ])("a CITATION.cff is read with %s", async (_name, text, expected) => {
    expect((await attributesIn(text)).record).toMatchObject(expected);
  });

  test("a CITATION.cff is rejected for a source that does not accept this format", async () => {
    await expect(evaluated("zenodo", CITATION)).rejects.toThrow(/is not metadata for Zenodo: it fits DataCite/);
  });
});

describe("a file in an unsupported format", () => {
  test.each([
    [
      "CITATION.cff of software",
      "cff-version: 1.2.0\ntitle: Tides\ntype: software\n",
      /^describes software, and only datasets have a score: .* add the line type: dataset/,
    ],
    ["CITATION.cff without a type", "# by hand\ncff-version: 1.2.0\ntitle: Tides\n", /the default is software$/],
    [
      "CITATION.cff with an error",
      'cff-version: 1.2.0\ntitle: "Tides\n',
      /^cannot be read as metadata: YAML with an error: .*line/,
    ],
    [
      "CITATION.cff that is too large",
      `cff-version: 1.2.0\ntitle: ${"x".repeat(65_536)}\n`,
      /CITATION\.cff of more than 65536 bytes; shorten it$/,
    ],
    [
      "CITATION.cff with many aliases",
      `cff-version: 1.2.0\na: &a [x]\nb: [${"*a, ".repeat(11)}]\n`,
      /YAML with too many aliases or levels; write out the values, or nest less deeply$/,
    ],
    [
      "CITATION.cff that is too deep",
      `cff-version: 1.2.0\na: ${"[".repeat(60_000)}\n`,
      /YAML with more than 100 open brackets/,
    ],
    ["BibTeX", "% tides\n@dataset{tides, title = {Tides}}", /^is BibTeX/],
    ["RIS", "TY  - DATA\nTI  - Tides\nER  -\n", /^is RIS/],
    ["HTML", "<!doctype html><title>Tides</title>", /^is an HTML page/],
    ["ISO 19115", '<gmd:MD_Metadata xmlns:gmd="x"/>', /^is ISO 19115/],
    [
      "package.json",
      { name: "tides", version: "1.0.0", dependencies: {} },
      /^is package\.json, which describes software/,
    ],
    ["a data package", { name: "tides", resources: [{ path: "a.csv" }] }, /^is a data package/],
    ["CSL JSON", [{ type: "dataset", issued: { "date-parts": [[2026]] } }], /^is CSL JSON/],
    [
      "codemeta.json",
      { "@context": "https://w3id.org/codemeta/3.0", "@type": "SoftwareSourceCode", name: "x" },
      /^describes software \(SoftwareSourceCode\), and only datasets/,
    ],
    [
      "a web page with schema.org data",
      { "@context": "https://schema.org", "@type": "BlogPosting" },
      /something else than a dataset \(BlogPosting\)/,
    ],
    ["two datasets", [DATASET, DATASET], /^describes several datasets; give a file that describes one/],
    [
      "JSON with a syntax error",
      '{\n  "title": "Soil"\n  "creators": []\n}',
      /^cannot be read as metadata: JSON with a syntax error at line 3, column 3: a comma is missing$/,
    ],
    ["JSON that is cut", '{"title": "<html>', /at line 1, column 11: a text in quotes does not end$/],
  ])("a file in another format is rejected, and the error names the format: %s", async (_name, file, says) => {
    await expect(sourceOf(file)).rejects.toThrow(says);
    const whole = new RegExp(says.source.replace("as metadata:", "as metadata for \\w+:"));
    for (const source of ["zenodo", "datacite"]) await expect(evaluated(source, file)).rejects.toThrow(whole);
  });
});

test("a draft that cannot be read is rejected, and gets no advice about missing fields", async () => {
  await expect(evaluated("dryad", { identifier: "doi:10.5061/dryad.x" })).rejects.toThrow(
    /^cannot be read: the response is incomplete/,
  );
});
