/**
 * Tests the reader of OSF with nodes and registrations: with and without embedded objects and files, with entities in texts,
 * embargoed and withdrawn.
 */

import { describe, expect, test } from "vitest";
import { asText, at } from "../../pipeline/reading/reader.ts";
import { normaliseDatacite } from "../../pipeline/sources/datacite/normalise.ts";
import { normaliseOsf } from "../../pipeline/sources/osf/normalise.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { payloadIn, readCapture } from "./capture-reading.ts";
import { AS_OF, type Captured, type FragmentCase, testFragments, vocabularies } from "./fragment.ts";
import { recordedAnswers, testGolden } from "./golden.ts";

type Fields = Readonly<Record<string, unknown>>;

const ID = "zz9zz";

function normalise(payload: unknown, sourceId = ID, isDraft = false) {
  return normaliseOsf(payload, sourceId, { asOf: AS_OF, vocabularies, isDraft });
}

function record(payload: unknown): Captured {
  const normalised = normalise(payload);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** The attributes and embedded objects of a node, and the response with its files. */
interface Given {
  readonly attributes?: Fields;
  readonly embeds?: Fields;
  readonly files?: unknown;
}

function read({ attributes = {}, embeds = {}, files }: Given): Captured {
  return record({ node: { id: ID, type: "nodes", attributes, embeds }, files });
}

function table(name: string, cases: readonly FragmentCase<Given>[]): void {
  describe(`${name} in a payload of OSF`, () => testFragments(cases, read));
}

testGolden("osf", normaliseOsf, [
  {
    file: "complete.json",
    sourceId: "zz9a1",
    why: "a registration has all embedded objects and files",
    states: { "2.0": "ppuup ppuuu ppppp ppppp ppuup", "1.0": "uuupu uppup ppppp uuuuu puuuu" },
    fields: {
      doi: "10.5072/osf.io/zz9a1",
      title: "Rain & rivers",
      pubDate: "2024-02-03",
      url: "https://osf.io/zz9a1/",
      recordKind: "registration",
      accessStatus: "public",
      license: "CC-BY-4.0",
      versionFamily: "osf/zz9a0",
    },
  },
  {
    file: "bare.json",
    sourceId: "zz9a2",
    why: "contributors and files of the node were not requested",
    states: { "2.0": "aauua aauuu aaapp mmmmm mmuum", "1.0": "uuuau ummua paapm uuuuu muuuu" },
  },
  {
    file: "licence-unnamed.json",
    sourceId: "zz9a3",
    why: "the licence has no name, there are only folders, two of twelve contributors are listed, and the subjects are missing",
    states: { "2.0": "pauum pauuu mmmpp mmmmm pmuua", "1.0": "uuupu upmup pmmpm uuuuu auuuu" },
    evidence: { creator_count: null, creator_pid_count: 1, file_count: null },
  },
  {
    file: "embargoed.json",
    sourceId: "zz9a4",
    why: "the embargo has not ended, no files are visible, the licence is `No license`, and there is no contributor to cite",
    states: { "2.0": "pauup aauuu aaapa nnnnn nnuup", "1.0": "uuupu uaaua paaam uuuuu puuuu" },
    fields: { accessStatus: "embargoed" },
  },
  {
    file: "embargo-over.json",
    sourceId: "zz9a5",
    why: "the embargo ends on the as-of date, and two of five files are listed",
    states: { "2.0": "pauua ppuuu ppppa mmmpm aauua", "1.0": "uuupu uaaup ppppp uuuuu auuuu" },
  },
  {
    file: "malformed-values.json",
    sourceId: "zz9a6",
    why: "all values have the wrong type",
    states: { "2.0": "ffuuf ffuuu fffff fffff ffuuf", "1.0": "uuufu uffuf fffff uuuuu fuuuu" },
  },
  {
    file: "hostile.json",
    sourceId: "zz9a7",
    why: "texts have markup as entities, an account is closed, an ORCID iD is repeated, and errors are in place of embedded objects and files",
    states: { "2.0": "pauup pauuu paapp mmmmm pauua", "1.0": "uuupu upmup paapm uuuuu auuuu" },
    fields: { doi: null, title: "1 > data & < files" },
  },
  {
    file: "generic-names.json",
    sourceId: "zz9a8",
    why: "the contributor is an office, the institution has no ROR id, and file names are not descriptive",
    states: { "2.0": "ppuua ppuuu ppppp aaaaa nnuum", "1.0": "uuupu uaaup ppppp uuuuu muuuu" },
  },
  {
    file: "two-pages.json",
    sourceId: "zz9a9",
    why: "the list of files has two pages",
    states: { "2.0": "aauua aauuu aaapp ppppp ppuua", "1.0": "uuuau upaua paapp uuuuu auuuu" },
  },
  {
    file: "null-everywhere.json",
    sourceId: "zz9b1",
    why: "all optional values are null",
    states: { "2.0": "aauua aauuu aaapp mmmmm mmuua", "1.0": "uuuau ummua paapm uuuuu auuuu" },
    fields: { title: null, pubDate: null },
  },
]);

describe("the outcome of normalising payloads of OSF", () => {
  test.each([
    { file: "withdrawn.json", outcome: "tombstone" },
    { file: "private.json", outcome: "tombstone" },
    { file: "software.json", outcome: "not_dataset" },
  ])("the payload in $file counts as $outcome", async ({ file, outcome }) => {
    expect(normalise(await payloadIn("osf", file)).outcome).toBe(outcome);
  });

  test("a private node of OSF is read as a record if its owner submits it, and is not open", async () => {
    expect(normalise(await payloadIn("osf", "private.json"), ID, true)).toMatchObject({
      outcome: "record",
      fields: { accessStatus: "private" },
      evidence: { access_declared: true, access_open: false, embargo_active: false, file_count: null },
    });
    expect(normalise(await payloadIn("osf", "withdrawn.json"), ID, true).outcome).toBe("tombstone");
  });

  test.each([
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "a user", given: { data: { id: "x", type: "users", attributes: {} } }, outcome: "failed" },
    {
      name: "the response for one node",
      given: { data: { id: ID, type: "nodes", attributes: {} } },
      outcome: "record",
    },
  ])("a payload of OSF ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalise(given).outcome).toBe(outcome);
  });
});

test("an OSF response without attributes has no evidence", () => {
  const { evidence, errors, creators } = read({});
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] !== null)).toEqual([]);
  expect(errors.size).toBe(0);
  expect(creators).toEqual([]);
});

table("access and licence", [
  {
    name: "an embargo without an end date",
    given: { attributes: { public: true, embargoed: true, embargo_end_date: null } },
    evidence: { access_declared: true, access_open: false, embargo_active: null },
  },
  {
    name: "an embargo until a date that cannot be read",
    given: { attributes: { public: true, embargoed: true, embargo_end_date: "spring" } },
    evidence: { access_open: false, embargo_active: null },
    errors: ["embargo_active"],
  },
  {
    name: "a licence by its URL",
    given: {
      attributes: { node_license: { year: "2020" } },
      embeds: { license: { data: { attributes: { name: "Ours", url: "https://www.gnu.org/licenses/gpl-3.0" } } } },
    },
    evidence: { license_text: "Ours" },
  },
]);

table("article", [
  {
    name: "the DOI of an article",
    given: { attributes: { article_doi: "https://doi.org/10.5072/a" } },
    evidence: { publication_link_count: 1, related_identifier_count: 1 },
  },
  {
    name: "a value that is not a DOI",
    given: { attributes: { article_doi: "in press" } },
    evidence: { publication_link_count: null, related_identifier_count: null },
    errors: ["publication_link_count", "related_identifier_count"],
  },
]);

test("an OSF registration has the same DOI in DataCite", async () => {
  const doi = "10.5072/osf.io/zz9a1";
  const types = { resourceTypeGeneral: "Dataset" };
  const registry = normaliseDatacite({ id: doi, attributes: { types } }, doi, { asOf: AS_OF, vocabularies });
  expect(registry).toMatchObject({ fields: { doi } });
  expect(normalise(await payloadIn("osf", "complete.json"), "zz9a1")).toMatchObject({ fields: { doi } });
});

const recorded = recordedAnswers(["osf"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of OSF give records for public nodes and tombstones for private ones, and no records for users, files and version 1 of the API", () => {
    const outcomes: Record<string, number> = {};
    for (const { text, path } of recorded ?? []) {
      const document: unknown = JSON.parse(text);
      const data = at(document, "data") ?? document;
      for (const item of Array.isArray(data) ? data : [data]) {
        const { outcome } = readCapture(normaliseOsf, item, asText(at(item, "id")) ?? "none");
        const kind = /osf\/(nodes)_/.exec(path)?.[1] ?? "other";
        outcomes[`${kind}: ${outcome}`] = (outcomes[`${kind}: ${outcome}`] ?? 0) + 1;
      }
    }
    expect(outcomes).toEqual({ "nodes: record": 14, "nodes: tombstone": 5, "other: failed": 12 });
  });

  test("recorded responses of OSF include a title with entities, which are decoded, and folders, which do not count as files", () => {
    const found = (end: string): unknown =>
      JSON.parse((recorded ?? []).find(({ path }) => path.endsWith(end))?.text ?? "null");
    const node = at(found("nodes_single_0.json"), "data");
    const attributes = { ...Object(at(node, "attributes")), public: true };
    const shown = { node: { ...Object(node), attributes }, files: found("files_list_0.json") };
    expect(readCapture(normaliseOsf, shown, "mvhrz")).toMatchObject({
      fields: { title: "> data & < files", doi: null },
      evidence: { file_count: null, keyword_count: 0, license_text: "" },
      errors: new Set(),
    });
  });
});
