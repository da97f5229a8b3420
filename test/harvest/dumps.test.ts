/**
 * Tests imports of the dumps that services publish, each in its documented layout: every record is imported, and every other
 * entry is reported.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { type ArchivedFile, makeTar, makeZip } from "../support/archives.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { many } from "../support/upstream/world.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const lines = (values: readonly unknown[]) => Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));

/** Makes one month of DataCite's data file: gzipped parts with JSON Lines, and a CSV list of all DOIs. */
function dataciteMonth(month: string, parts: readonly (readonly string[])[]): ArchivedFile[] {
  const item = (doi: string) => ({ id: doi, type: "dois", attributes: { doi, state: "findable" } });
  const list = Buffer.from(`doi,state,client_id,updated\n${parts.flat().join(",findable,test.test,\n")}\n`);
  return [
    { name: `dois/updated_${month}/${month}.csv.gz`, bytes: gzipSync(list) },
    ...parts.map((dois, i) => ({
      name: `dois/updated_${month}/part_${String(i).padStart(4, "0")}.jsonl.gz`,
      bytes: gzipSync(lines(dois.map(item))),
    })),
  ];
}

const DATACITE = [
  ...dataciteMonth("2024-07", [
    ["10.5072/a", "10.5072/b"],
    ["10.5072/c", "10.5072/d"],
  ]),
  ...dataciteMonth("2024-08", [["10.5072/e"]]),
];
const DATACITE_IDS = ["a", "b", "c", "d", "e"].map((letter) => `10.5072/${letter}`);
const LISTS = ["2024-07/2024-07.csv.gz", "2024-08/2024-08.csv.gz"].map((name) => `dois/updated_${name}`);

const product = (i: number) => ({
  id: `test________::${String(i).padStart(32, "0")}`,
  type: "dataset",
  mainTitle: "T",
});
const nct = (i: number) => `NCT${String(i).padStart(8, "0")}`;
const study = (i: number) => json({ protocolSection: { identificationModule: { nctId: nct(i) } } });
const zenodoXml = (i: number) =>
  Buffer.from(
    `<?xml version='1.0' encoding='UTF-8'?>\n<oai_datacite xmlns="http://schema.datacite.org/oai/oai-1.1/"><payload>` +
      `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5281/zenodo.${i}` +
      `</identifier></resource></payload></oai_datacite>`,
  );

interface DumpCase {
  readonly name: string;
  readonly source: string;
  /** The files of the dump: one archive, or the files of a folder. */
  readonly files: readonly ArchivedFile[];
  readonly ids: readonly string[];
  /** Names of the entries that are rejected, because they contain no records. */
  readonly rejected?: readonly string[];
}

const CASES: readonly DumpCase[] = [
  {
    name: "DataCite's public data file: tar of gzipped parts by month",
    source: "datacite",
    files: [{ name: "datacite.tar", bytes: makeTar([{ name: "dois/", bytes: Buffer.alloc(0) }, ...DATACITE]) }],
    ids: DATACITE_IDS,
    rejected: LISTS,
  },
  {
    name: "DataCite's monthly data file, which is the same without tar",
    source: "datacite",
    files: DATACITE,
    ids: DATACITE_IDS,
    rejected: LISTS,
  },
  {
    name: "DataCite's first public file: gzipped tar of JSON lists by prefix",
    source: "datacite",
    files: [
      {
        name: "2023.tar.gz",
        bytes: gzipSync(
          makeTar([
            { name: "10.5072/000.json", bytes: json([{ id: "10.5072/a", attributes: {} }]) },
            { name: "10.5073/000.json", bytes: json({ data: [{ id: "10.5073/b", attributes: {} }] }) },
          ]),
        ),
      },
    ],
    ids: ["10.5072/a", "10.5073/b"],
  },
  {
    name: "Zenodo's exporter, records-json.tar.gz: one file for each record",
    source: "zenodo",
    files: [
      {
        name: "records-json.tar.gz",
        bytes: gzipSync(
          makeTar(
            [101, 102].map((id) => ({
              name: `${id}.json`,
              bytes: json({ id: String(id), metadata: { resource_type: { id: "dataset" } } }),
            })),
          ),
        ),
      },
    ],
    ids: ["101", "102"],
  },
  {
    name: "Zenodo's exporter, records-xml.tar.gz: DataCite's XML, one file for each record",
    source: "datacite",
    files: [
      {
        name: "records-xml.tar.gz",
        bytes: gzipSync(makeTar([101, 102].map((id) => ({ name: `${id}.xml`, bytes: zenodoXml(id) })))),
      },
    ],
    ids: ["10.5281/zenodo.101", "10.5281/zenodo.102"],
  },
  {
    name: "OpenAIRE's graph: tars of gzipped JSON Lines whose extension is JSON",
    source: "openaire",
    files: ["dataset_1.tar", "dataset_2.tar"].map((name, i) => ({
      name,
      bytes: makeTar([
        { name: `dataset/part-0000${i}.json.gz`, bytes: gzipSync(lines([product(2 * i), product(2 * i + 1)])) },
        { name: `dataset/_SUCCESS`, bytes: Buffer.alloc(0) },
      ]),
    })),
    ids: many(4, (i) => product(i).id),
    rejected: ["dataset/_SUCCESS", "dataset/_SUCCESS"],
  },
  {
    name: "ClinicalTrials.gov: a zip with one file for each study",
    source: "clinicaltrials",
    files: [
      {
        name: "ctg-studies.json.zip",
        bytes: makeZip(many(3, (i) => ({ name: `${nct(i)}.json`, bytes: study(i) }))),
      },
    ],
    ids: many(3, nct),
  },
  {
    name: "ClinicalTrials.gov's older archive: folders by number",
    source: "clinicaltrials",
    files: [
      {
        name: "AllAPIJSON.zip",
        bytes: makeZip([
          { name: "Contents.txt", bytes: Buffer.from("what there is") },
          ...many(2, (i) => ({ name: `NCT0000xxxx/${nct(i)}.json`, bytes: study(i) })),
        ]),
      },
    ],
    ids: many(2, nct),
    rejected: ["Contents.txt"],
  },
];

async function written(folder: string, files: readonly ArchivedFile[]): Promise<string> {
  const dump = join(folder, "dump");
  for (const { name, bytes } of files) {
    await mkdir(dirname(join(dump, name)), { recursive: true });
    await writeFile(join(dump, name), bytes);
  }
  return dump;
}

const named = (name: string) => {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source ${name}`);
  return source;
};

describe("dumps", () => {
  test.each(CASES)(
    "dumps of services are imported with every record, and other entries are rejected: $name",
    async ({ source, files, ids, rejected = [] }) => {
      await using bench = await temporaryStore();
      const paths = [await written(bench.folder, files)];
      const options = { paths, retrievedAt: "2026-01-06T00:00:00Z", limit: null };
      const summary = await harvestFiles(bench.store, named(source), options, testEffects());
      expect(summary).toMatchObject({ complete: true, records: ids.length });
      const envelopes = await readEnvelopes(bench.store, source);
      expect(envelopes.map(({ sourceId }) => sourceId).sort()).toEqual([...ids].sort());
      const names = (await readRejections(bench.store, source)).map(({ file }) =>
        file.replace(/^.*(?:#|\/dump\/)/, ""),
      );
      expect(names.sort()).toEqual([...rejected].sort());
    },
  );

  test("dumps of services are imported with a progress report for each file", async () => {
    await using bench = await temporaryStore();
    const paths = [await written(bench.folder, DATACITE)];
    const steps = new Set<string>();
    const effects = { ...testEffects(), progress: ({ step }: { readonly step: string }) => void steps.add(step) };
    await harvestFiles(bench.store, named("datacite"), { paths, retrievedAt: null, limit: null }, effects);
    expect([...steps]).toEqual(many(DATACITE.length, (i) => `datacite ${i + 1}/${DATACITE.length}`));
    // The log has only the beginning and the end, because a line for each file could be a million lines.
    expect(effects.logged.map(({ event }) => event)).toEqual(["harvest-started", "harvest-finished"]);
  });
});
