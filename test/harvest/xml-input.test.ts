/**
 * Tests imports of XML from sources that send XML: records are stored unchanged, and other documents are rejected with the
 * fault.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { xmlSlices } from "../../pipeline/1-harvest/json-text.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { parseXml } from "../../pipeline/reading/xml.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

async function imported(name: string, file: string, text: string) {
  await using bench = await temporaryStore();
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source ${name}`);
  const path = join(bench.folder, file);
  await writeFile(path, text);
  await harvestFiles(bench.store, source, { paths: [path], retrievedAt: null, limit: null }, testEffects());
  const envelopes = await readEnvelopes(bench.store, name);
  for (const { payload, sourceId } of envelopes) {
    expect(source.identify(parsePayload(payload, source.xmlParts))).toBe(sourceId);
  }
  return {
    records: envelopes.map(({ sourceId, payload }) => [sourceId, payload]),
    rejected: (await readRejections(bench.store, name)).map(
      ({ line, reason, detail }) => `${line}:${reason}:${detail}`,
    ),
  };
}

const EML = `<?xml version="1.0"?>\n<eml:eml xmlns:eml="u" packageId="Edi.1.2"><title>A &amp; <![CDATA[<b>]]></title></eml:eml>`;
const STUDY = (n: number) => `<STUDY accession="SRP00000${n}"><T a="/>">x</T><!-- <STUDY> --></STUDY>`;

describe("records in XML", () => {
  test("XML records are stored without the white space around them if a document is one record", async () => {
    expect((await imported("edi", "a.xml", `\ufeff\n${EML}\n`)).records).toEqual([["edi.1.2", EML]]);
  });

  test("XML records are stored as texts in JSON if a record has several parts", async () => {
    const payload = JSON.stringify({ eml: EML, reads: "<resourceReads/>" });
    expect((await imported("edi", "a.json", payload)).records).toEqual([["edi.1.2", payload]]);
  });

  test("XML records are cut out of a set of records, each byte for byte", async () => {
    const set = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "<STUDY/>">]><s:STUDY_SET xmlns:s="u">${STUDY(1)}\n<STUDY/>\n${STUDY(2)}</s:STUDY_SET>`;
    const { records, rejected } = await imported("sra", "a.xml", set);
    expect(records).toEqual([
      ["SRP000001", STUDY(1)],
      ["SRP000002", STUDY(2)],
    ]);
    expect(rejected).toEqual(["2:no-identifier:a record without an identifier of sra such as PRJNA171168"]);
  });
});

describe("other XML", () => {
  test.each([
    { name: "truncated XML", text: EML.slice(0, -5), rejected: /^null:truncated:/ },
    {
      name: "crossed tags",
      text: "<eml><a></eml></a>",
      rejected: /^null:not-json:XML with a syntax error .* does not close <a>$/,
    },
    { name: "XML that is too deep", text: "<a>".repeat(200) + "</a>".repeat(200), rejected: /^null:too-deep:/ },
    { name: "a web page", text: "<!DOCTYPE html><html><body/></html>", rejected: /^null:not-json:an HTML page/ },
    {
      name: "another document",
      text: "<qualityReport/>",
      rejected: /^null:unknown-shape:not an EML document, .* is qualityReport/,
    },
    { name: "a document without an id", text: "<eml/>", rejected: /^null:no-identifier:/ },
    { name: "an invalid id", text: `<eml packageId="x"/>`, rejected: /^null:no-identifier:/ },
    { name: "parts that are not XML", text: `{"eml":"<eml>"}`, rejected: /^null:no-identifier:/ },
    { name: "plain text", text: "edi\nknb-lter-abc\n", rejected: /^null:not-json:plain text/ },
  ])("XML that is not a record is rejected with a reason: $name", async ({ text, rejected }) => {
    const outcome = await imported("edi", "a.xml", text);
    expect(outcome.records).toEqual([]);
    expect(outcome.rejected).toHaveLength(1);
    expect(outcome.rejected[0]).toMatch(rejected);
  });

  test("XML that is not a record is rejected by a source that does not read XML, and the detail names the format", async () => {
    expect((await imported("zenodo", "a.xml", EML)).rejected).toEqual([
      "null:not-json:an XML document (<eml>); it looks like a payload of edi",
    ]);
  });
});

describe("elements in XML", () => {
  const name = fc.constantFrom("a", "b", "x:a", "y:b");
  const text = fc.constantFrom("", "t", "<!-- <a> -->", "<![CDATA[</a>]]>", "<?p <b> ?>", "&lt;a&gt;");
  const element: fc.Memo<string> = fc.memo((depth) =>
    fc
      .tuple(
        name,
        fc.constantFrom("", ` q="&gt;>"`, ` q='"/>' `),
        text,
        depth > 1 ? fc.array(element(), { maxLength: 3 }) : fc.constant([]),
      )
      .map(([tag, attribute, before, children]) =>
        children.length === 0 && before === ""
          ? `<${tag}${attribute}/>`
          : `<${tag}${attribute}>${before}${children.join("t")}</${tag}>`,
      ),
  );

  test("the search for elements in XML finds the same elements as an XML parser", () => {
    fc.assert(
      fc.property(fc.array(element(4), { maxLength: 4 }), (children) => {
        const xml = `<root>${children.join("")}</root>`;
        const root = parseXml(xml).root;
        const found = typeof root === "object" && root !== null && "a" in root ? root.a : [];
        const values = Array.isArray(found) ? found : [found];
        const slices = xmlSlices(xml, ["root", "a"]);
        expect(slices.map((slice) => parseXml(slice).a)).toEqual(values);
      }),
    );
  });
});
