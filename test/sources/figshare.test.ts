/**
 * Tests the reader of Figshare with complete articles, items of lists, and articles with or without statistics, in the forms
 * since 2016.
 */

import { describe, expect, test } from "vitest";
import { asText, at } from "../../pipeline/reading/reader.ts";
import { normaliseDatacite } from "../../pipeline/sources/datacite/normalise.ts";
import { normaliseFigshare } from "../../pipeline/sources/figshare/normalise.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { payloadIn, readCapture } from "./capture-reading.ts";
import { AS_OF, type Captured, type FragmentCase, testFragments, vocabularies } from "./fragment.ts";
import { recordedAnswers, testGolden } from "./golden.ts";

type Fields = Readonly<Record<string, unknown>>;

const ID = "9900099";

function normalise(payload: unknown, sourceId = ID, isDraft = false) {
  return normaliseFigshare(payload, sourceId, { asOf: AS_OF, vocabularies, isDraft });
}

function read(payload: unknown): Captured {
  const normalised = normalise(payload);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

function table(name: string, cases: readonly FragmentCase<Fields>[]): void {
  describe(`${name} in a payload of Figshare`, () =>
    testFragments(cases, (given) => read({ defined_type_name: "dataset", ...given })));
}

testGolden("figshare", normaliseFigshare, [
  {
    file: "complete.json",
    sourceId: "9900001",
    why: "all fields are filled, with views and downloads",
    states: { "2.0": "ppuup ppupp ppppp ppppp ppppp", "1.0": "uuupu upupp ppppp ppupu ppppu" },
    fields: {
      doi: "10.5072/m9.figshare.9900001.v2",
      versionFamily: "10.5072/m9.figshare.9900001",
      version: "2",
      license: "CC-BY-4.0",
      accessStatus: "public",
      pubDate: "2024-02-03",
    },
  },
  {
    file: "bare.json",
    sourceId: "9900002",
    why: "there are no statistics; Figshare sends empty fields too, so an empty field counts as empty",
    states: { "2.0": "aauua pauaa aaapp aaaaa aaaaa", "1.0": "uuuau uauap paapa mmuau aaapu" },
  },
  {
    file: "list-item.json",
    sourceId: "9900003",
    why: "an item of a list has almost no fields, so most signals are unknown",
    states: { "2.0": "mmuum mmumm mmmmm mmmmm mmmmm", "1.0": "uuumu umumm mmmmm mmumu mmmmu" },
  },
  {
    file: "embargoed.json",
    sourceId: "9900004",
    why: "the files are under embargo, funding is a line of text, and an error is in place of the downloads",
    states: { "2.0": "pauup ppupp ppppa nnnnn pppmp", "1.0": "uuupu upupp pppam amuau aappu" },
    fields: { accessStatus: "File(s) under embargo" },
  },
  {
    file: "embargo-permanent.json",
    sourceId: "9900005",
    why: "the embargo has no end, the older form of the response lacks related materials, and code is among the references",
    states: { "2.0": "ppuua aaupp ppapa npnnn aaaap", "1.0": "uuupu uaupa ppaam mmumu mpapu" },
    fields: { accessStatus: "embargoed" },
  },
  {
    file: "metadata-record.json",
    sourceId: "9900006",
    why: "a metadata record has no files and no author, but the article to which it belongs",
    states: { "2.0": "ppuup aauaa ppppa nnnnn nnaap", "1.0": "uuupu uauaa ppppm mmuau paapu" },
    fields: { accessStatus: "metadata record" },
  },
  {
    file: "ten-files.json",
    sourceId: "9900007",
    why: "ten files may be only the first ten; the licence is free text, and one keyword is repeated",
    states: { "2.0": "pauup pauaa paapp mmmmm papaa", "1.0": "uuupu upuap paapp mmuau aappu" },
    evidence: { file_count: 10, inspectable_file_count: null, open_format_file_count: 10 },
  },
  {
    file: "files-apart.json",
    sourceId: "9900008",
    why: "the files were requested separately, one of them is a link, the embargo has ended, and values are null",
    states: { "2.0": "aauua aauaa paapa paapp nnaaa", "1.0": "uuuau uauaa paapp ppuau aaaau" },
    evidence: { file_count: 11, view_count: 5, download_count: 7 },
  },
  {
    file: "malformed-values.json",
    sourceId: "9900009",
    why: "all values have the wrong type",
    states: { "2.0": "ffuuf ffuff fffff fffff fffff", "1.0": "uuufu ufuff fffff ffufu ffffu" },
  },
  {
    file: "hostile.json",
    sourceId: "9900010",
    why: "values are placeholders or unusual, one reference has three spellings, and downloads are switched off",
    states: { "2.0": "pauup ppupp ppppa aaapa aaaap", "1.0": "uuupu uaupp ppppp mmuau aaapu" },
    evidence: { reference_count: 1, keyword_count: 2 },
    fields: { doi: "10.5072/m9.figshare.9900010.v1", recordKind: "3" },
  },
  {
    file: "fileset-2016.json",
    sourceId: "9900011",
    why: "a fileset of 2016 had no fields for access, funders and relations",
    states: { "2.0": "ppuup pauaa pppmm paapp aapma", "1.0": "uuupu uauap mppmp mmumu mmppu" },
  },
]);

describe("the outcome of normalising payloads of Figshare", () => {
  test.each([
    { file: "software.json", outcome: "not_dataset" },
    { file: "private.json", outcome: "tombstone" },
    { file: "draft-in-list.json", outcome: "tombstone" },
    { file: "type-missing.json", outcome: "failed" },
  ])("the payload in $file counts as $outcome", async ({ file, outcome }) => {
    expect(normalise(await payloadIn("figshare", file)).outcome).toBe(outcome);
  });

  test.each(["private.json", "draft-in-list.json"])(
    "the Figshare payload %s is read as a record if its owner submits it",
    async (file) => {
      expect(normalise(await payloadIn("figshare", file), ID, true).outcome).toBe("record");
    },
  );

  test("a Figshare draft has the access that the published article will have", () => {
    const draft = { status: "draft", is_public: false, published_date: null, version: 0, files: [] };
    const flags = { is_embargoed: false, is_confidential: false, is_metadata_record: false };
    expect(normalise({ defined_type: 3, ...draft, ...flags }, ID, true)).toMatchObject({
      fields: { version: null, accessStatus: "draft" },
      evidence: { access_declared: true, access_open: true, file_count: 0 },
    });
  });

  test.each([
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "an error", given: { message: "Entity not found: article", code: "EntityNotFound" }, outcome: "failed" },
  ])("a payload of Figshare ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalise(given).outcome).toBe(outcome);
  });
});

test("all fields of a complete Figshare article without values count as empty", async () => {
  const { evidence, errors } = read(await payloadIn("figshare", "bare.json"));
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] === null)).toEqual([
    "contributor_count",
    "contributor_role_count",
    "place_count",
    "coverage_date_count",
    "ethics_length",
    "methods_length",
    "organization_pid_count",
    "view_count",
    "download_count",
    "citation_count",
    "mention_count",
    "venue_stated",
  ]);
  expect(errors.size).toBe(0);
});

table("access", [
  {
    name: "a confidential article",
    given: { is_embargoed: false, is_confidential: true },
    evidence: { access_declared: true, access_open: false, embargo_active: false },
    fields: { accessStatus: "confidential" },
  },
  {
    name: "embargoed until a date that cannot be read",
    given: { is_embargoed: true, embargo_date: "spring" },
    evidence: { access_declared: true, access_open: false, embargo_active: null },
    errors: ["embargo_active"],
  },
  {
    name: "embargoed, without a date in the response",
    given: { is_embargoed: true },
    evidence: { access_open: false, embargo_active: null },
  },
  {
    name: "no field about embargoes",
    given: { is_confidential: false },
    evidence: { access_declared: null, access_open: null, embargo_active: null },
  },
]);

table("authors", [
  {
    name: "two authors, who count as people because Figshare states no type",
    given: {
      authors: [
        { id: 1, full_name: "Ada Northwind", orcid_id: "" },
        { id: 2, full_name: "Northwind" },
      ],
    },
    evidence: { creator_count: 2, person_creator_count: 2, creator_pid_count: 0 },
  },
]);

table("links", [
  {
    name: "only the publisher's article",
    given: { resource_doi: "10.5072/a" },
    evidence: { publication_link_count: 1, related_identifier_count: 1, reference_count: null, data_link_count: null },
  },
  {
    name: "no article and no lists",
    given: { resource_doi: "" },
    evidence: { publication_link_count: null, related_identifier_count: null },
  },
]);

test("versions of a Figshare article and DataCite's records of them are in one family", () => {
  const doi = "10.5072/m9.figshare.9900020.v3";
  const registry = normaliseDatacite({ id: doi, attributes: { types: { resourceTypeGeneral: "Dataset" } } }, doi, {
    asOf: AS_OF,
    vocabularies,
  });
  const native = normalise({ defined_type: 3, doi: "10.5072/m9.figshare.9900020.v2" });
  expect(registry).toMatchObject({ fields: { doi, versionFamily: "10.5072/m9.figshare.9900020" } });
  expect(native).toMatchObject({ fields: { versionFamily: "10.5072/m9.figshare.9900020" } });
});

const recorded = recordedAnswers(["figshare"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of Figshare give records for public datasets, and tombstones for drafts and private articles", () => {
    const outcomes: Record<string, number> = {};
    for (const { path, text } of recorded ?? []) {
      // Skips responses of version 1 of the API, because a harvest rejects them before they are read.
      if (path.includes("legacy_v1")) continue;
      const document: unknown = JSON.parse(text);
      for (const item of Array.isArray(document) ? document : [document]) {
        const { outcome } = readCapture(normaliseFigshare, item, asText(at(item, "id")) ?? "none");
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    }
    expect(outcomes).toEqual({ record: 10, tombstone: 24, not_dataset: 16 });
  });

  test("recorded responses of Figshare include a private article, of which all fields are read once it is public", () => {
    const private_ = (recorded ?? []).find(({ path }) => path.endsWith("article_23522487.json"));
    const article: object = JSON.parse(private_?.text ?? "null");
    const shown = { ...article, status: "public", is_public: true, published_date: "2022-01-01T00:00:00Z" };
    expect(readCapture(normaliseFigshare, shown, "23522487")).toMatchObject({
      outcome: "record",
      evidence: {
        keyword_count: 3,
        subject_count: 1,
        person_creator_count: 2,
        file_count: 2,
        license_spdx: "CC-BY-4.0",
      },
      errors: new Set(),
    });
  });
});
