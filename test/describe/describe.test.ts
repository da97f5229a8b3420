/** The descriptors of a release are valid and describe its files, and its report needs no other files. */

import { hash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { SANDBOX } from "../../api-static/routes/headers.ts";
import { semanticVersion } from "../../pipeline/6-release/describe.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { releaseDiff } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import { VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { reportPage } from "../../web/report/index.ts";
import { filledStore, type TemporaryStore } from "../support/temporary-store.ts";
import { judgement, validators } from "./validators/judgement.ts";

let bench: TemporaryStore;
let receipt: Receipt;
let folder: string;
let manifest: Map<string, ManifestLine>;

beforeAll(async () => {
  // Between the two days an embargo ends, and nothing else changes.
  const filled = await filledStore({
    bundled: ["zenodo", "clinicaltrials"],
    builds: [{ asOf: "2026-11-01" }, { asOf: "2027-02-01", now: "2027-02-02T09:30:00.000Z" }],
  });
  bench = filled;
  receipt = filled.last;
  folder = bench.store.release(receipt.releaseDigest);
  const lines = (await text("manifest.ndjson")).trimEnd().split("\n");
  manifest = new Map(lines.map((line) => manifestLine.parse(JSON.parse(line))).map((line) => [line.path, line]));
}, 300_000);

afterAll(() => bench[Symbol.asyncDispose]());

function text(path: string): Promise<string> {
  return readFile(join(folder, path), "utf8");
}

/** Returns the paths of data/ in the manifest, without the history, which contains the time of publication. */
function dataFiles(): string[] {
  return [...manifest.keys()].filter((path) => path.startsWith("data/") && path !== "data/history.json").sort();
}

test("the manifest lists every descriptor with its size and digest", async () => {
  for (const path of Object.values(DESCRIPTORS)) {
    const content = await readFile(join(folder, path));
    expect(manifest.get(path)).toEqual({ path, bytes: content.length, sha256: hash("sha256", content) });
  }
});

describe("the content of datapackage.json", () => {
  const field = z.strictObject({
    name: z.string(),
    type: z.enum(["string", "integer", "number", "boolean"]),
    description: z.string().optional(),
    missingValues: z.tuple([z.literal("nan")]).optional(),
    constraints: z.strictObject({ required: z.literal(true) }).optional(),
  });
  /** A resource of datapackage.json, with the fields that the specification requires and those that this project adds. */
  const resource = z.strictObject({
    name: z.string().regex(/^[-a-z0-9._/]+$/),
    title: z.string().min(1),
    path: z.string().regex(/^(?!\/)(?!.*\.\.)/),
    format: z.string(),
    mediatype: z.string().regex(/^.+\/.+$/),
    bytes: z.int().optional(),
    type: z.literal("table").optional(),
    hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    schema: z
      .strictObject({
        fields: z.array(field).min(1),
        missingValues: z.tuple([]),
        primaryKey: z.array(z.string()),
      })
      .optional(),
  });
  const dataPackage = z.looseObject({
    name: z.string().regex(/^[-a-z0-9._/]+$/),
    id: z.literal("").or(z.string()),
    version: z.string(),
    created: z.iso.datetime(),
    licenses: z.array(z.object({ name: z.string(), title: z.string(), path: z.url() })).min(1),
    resources: z.array(resource).min(1),
  });

  test("datapackage.json lists every file under data/ with its digest, and with its size if it is not a table", async () => {
    const found = dataPackage.parse(JSON.parse(await text(DESCRIPTORS.datapackage)));
    expect(found).toMatchObject({ id: receipt.releaseDigest, version: receipt.scoreReleaseVersion });
    expect(found.resources.map(({ path }) => path)).toEqual(dataFiles());
    expect(new Set(found.resources.map(({ name }) => name)).size).toBe(found.resources.length);
    for (const { path, bytes, hash: digest } of found.resources) {
      expect({ bytes, digest }).toEqual({
        bytes: path.endsWith(".parquet") ? undefined : (await stat(join(folder, path))).size,
        digest: `sha256:${manifest.get(path)?.sha256}`,
      });
    }
  });

  test("datapackage.json lists the columns of every table in order, with the right types", async () => {
    const { resources } = dataPackage.parse(JSON.parse(await text(DESCRIPTORS.datapackage)));
    const TYPES = {
      VARCHAR: "string",
      INTEGER: "integer",
      BIGINT: "integer",
      BOOLEAN: "boolean",
      "DECIMAL(18,2)": "number",
    };
    const db = await openDuckDB({ threads: 1, memory: "256MB" });
    try {
      for (const { path, schema } of resources) {
        const fields = schema?.fields.map(({ name, type }) => [name, type]) ?? null;
        if (path.endsWith(".parquet")) {
          const rows = await db.rows(`describe select * from read_parquet(${quote(join(folder, path))})`);
          const columns = new Map(Object.entries(TYPES));
          expect(fields, path).toEqual(rows.map((row) => [row.column_name, columns.get(String(row.column_type))]));
        } else expect(schema, path).toBeUndefined();
      }
    } finally {
      db.close();
    }
  });
});

describe("the content of ro-crate-metadata.json", () => {
  const reference = z.object({ "@id": z.string() });
  const entity = z.looseObject({ "@id": z.string(), "@type": z.string() });
  const crate = z.object({ "@context": z.literal("https://w3id.org/ro/crate/1.2/context"), "@graph": z.array(entity) });

  async function entities() {
    const { "@graph": graph } = crate.parse(JSON.parse(await text(DESCRIPTORS.roCrate)));
    return new Map(graph.map((each) => [each["@id"], each]));
  }

  test("ro-crate-metadata.json describes itself and the root dataset with the properties that RO-Crate 1.2 requires", async () => {
    const graph = await entities();
    expect(graph.get("ro-crate-metadata.json")).toMatchObject({
      "@type": "CreativeWork",
      conformsTo: { "@id": "https://w3id.org/ro/crate/1.2" },
      about: { "@id": "./" },
    });
    expect(graph.get("./")).toMatchObject({
      "@type": "Dataset",
      name: `SHARE scores ${receipt.scoreReleaseVersion}`,
      identifier: receipt.releaseDigest,
      datePublished: receipt.publishedAt,
      license: { "@id": expect.stringMatching(/^https:/) },
    });
  });

  test("ro-crate-metadata.json lists every file under data/ once with its size and digest, and no missing file", async () => {
    const graph = await entities();
    const parts = z.array(reference).parse(graph.get("./")?.hasPart);
    expect(parts.map((part) => part["@id"])).toEqual(dataFiles());
    for (const path of dataFiles()) {
      const { bytes, sha256 } = manifest.get(path) ?? {};
      expect(graph.get(path)).toMatchObject({ "@type": "File", contentSize: String(bytes), sha256 });
    }
  });

  test("ro-crate-metadata.json refers only to entities that it describes", async () => {
    const graph = await entities();
    const references = [...graph.values()]
      .flatMap((each) => Object.values(each))
      .flatMap((value) => {
        const found = z.union([reference, z.array(reference)]).safeParse(value).data ?? [];
        return (Array.isArray(found) ? found : [found]).map((one) => one["@id"]);
      });
    const outside = references.filter((id) => !graph.has(id));
    expect(outside).toEqual(["https://w3id.org/ro/crate/1.2"]);
  });
});

describe("the content of croissant.json", () => {
  const id = z.object({ "@id": z.string() });
  const field = z.looseObject({
    "@type": z.literal("cr:Field"),
    "@id": z.string(),
    dataType: z.enum(["sc:Text", "sc:Integer", "sc:Boolean", "sc:Float"]),
    source: z.object({ fileObject: id, extract: z.object({ column: z.string() }) }),
  });
  const recordSet = z.looseObject({ "@id": z.string(), key: z.array(id), field: z.array(field).min(1) });
  const descriptor = z.looseObject({
    "@type": z.literal("sc:Dataset"),
    conformsTo: z.literal("http://mlcommons.org/croissant/1.0"),
    version: z.string().regex(/^\d+\.[1-9]\d*\.[1-9]\d*(\+\d+)?$/),
    distribution: z.array(z.looseObject({ "@id": z.string(), contentUrl: z.string(), sha256: z.string() })),
    recordSet: z.array(recordSet),
  });

  test("croissant.json lists every file, and has a record set with all columns for every Parquet file", async () => {
    const found = descriptor.parse(JSON.parse(await text(DESCRIPTORS.croissant)));
    expect(found.distribution.map(({ contentUrl, sha256 }) => [contentUrl, sha256])).toEqual(
      dataFiles().map((path) => [path, manifest.get(path)?.sha256]),
    );
    const sources = found.recordSet.map((set) => new Set(set.field.map(({ source }) => source.fileObject["@id"])));
    expect(sources.map((files) => [...files])).toEqual(
      dataFiles()
        .filter((path) => path.endsWith(".parquet"))
        .map((path) => [path]),
    );
    for (const { key, field: fields } of found.recordSet) {
      const ids = new Set(fields.map((each) => each["@id"]));
      expect(key.filter((each) => !ids.has(each["@id"]))).toEqual([]);
    }
  });

  test.each([
    ["2026.11.01", "2026.11.1"],
    ["2026.01.09.3", "2026.1.9+3"],
  ])("the release label %s is the semantic version %s", (version, semantic) => {
    expect(semanticVersion(version)).toBe(semantic);
  });
});

test("CITATION.cff has the version and the digest, in YAML with one value on each line", async () => {
  const lines = (await text(DESCRIPTORS.citation)).trimEnd().split("\n");
  expect(lines.filter((line) => !/^(?: {2,4}| {2}- )?[a-z-]+:(?: .+)?$|^ {2}- ".+"$/.test(line))).toEqual([]);
  expect(lines).toEqual(
    expect.arrayContaining([
      "cff-version: 1.2.0",
      "type: dataset",
      `version: "${receipt.scoreReleaseVersion}"`,
      `    value: "${receipt.releaseDigest}"`,
      `date-released: "${receipt.asOf}"`,
    ]),
  );
});

describe("the page report.html of a release", () => {
  test("the report of a release has no scripts and loads no URLs", async () => {
    const page = await text(DESCRIPTORS.report);
    expect(page).not.toMatch(
      /<(?:script|link|img|iframe|object|embed|base|form)\b|\son\w+=|@import|url\((?!"#)|javascript:/i,
    );
    expect(page).not.toMatch(/(?:src|srcset)=|<(?!a\b)[^>]*\shref="(?!#)|href="(?:[a-z]+:|\/)/i);
    expect(SANDBOX).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    );
  });

  test("the report and the validation page of a release link to each other", async () => {
    expect(await text(DESCRIPTORS.report)).toContain(`<a href="${VALIDATION_PAGE}">`);
    expect(await text(VALIDATION_PAGE)).toContain(`<a href="${DESCRIPTORS.report}">`);
  });

  test("the report is well formed: every opened element is closed", async () => {
    const VOID = new Set(["meta"]);
    const open: string[] = [];
    const page = (await text(DESCRIPTORS.report)).replace(/<!doctype html>|<style>.*?<\/style>/gs, "");
    for (const [, end, name = "", , closed] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*?)?)(\/?)>/g)) {
      if (end === "/") expect(open.pop()).toBe(name);
      else if (closed !== "/" && !VOID.has(name)) open.push(name);
    }
    expect(open).toEqual([]);
    const ids = Array.from(page.matchAll(/\sid="([^"]+)"/g), ([, value]) => value);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, label = ""] of page.matchAll(/aria-labelledby="([^"]+)"/g)) expect(ids).toContain(label);
  });

  test("every chart of the report has a name or its figures beside it, and every table has a caption", async () => {
    const page = await text(DESCRIPTORS.report);
    const charts = page.match(/<svg\b[^>]*>/g) ?? [];
    expect(charts.length).toBeGreaterThan(50);
    expect(charts.filter((chart) => !/role="img" aria-labelledby=|aria-hidden="true"/.test(chart))).toEqual([]);
    expect(page.match(/<caption>/g)?.length).toBe(page.match(/<table>/g)?.length);
  });

  test("the report shows the gates, means, coverage, and the changes since the previous release with their causes", async () => {
    const page = await text(DESCRIPTORS.report);
    const words = [
      `Release ${receipt.scoreReleaseVersion}`,
      receipt.releaseDigest,
      "gates passed",
      "Since 2026.11.01",
      "The as-of date changed",
      "Footfall counts of the old market",
      "Scores under SHARE 2.0",
      "Harvest dates",
    ];
    for (const word of words) expect(page).toContain(word);
  });

  test("the report links to datasets, and escapes their titles", async () => {
    const diff = releaseDiff.parse(JSON.parse(await text("data/diff.json")));
    const [largest] = diff.largest;
    expect(await text(DESCRIPTORS.report)).toContain(`<a href="../../records/${largest?.id}"><bdi>`);
    const hostile = diff.largest.map((record) => ({ ...record, title: `<script>alert("&")</script>` }));
    expect(hostile.length).toBeGreaterThan(0);
    const sources = new Map<string, string>();
    const page = reportPage({
      receipt,
      citation: "",
      gates: [],
      diff: { ...diff, largest: hostile },
      rubrics: [],
      sources,
      sourceMeans: [],
    });
    expect(page).not.toContain("<script");
    expect(page).toContain("&lt;script&gt;alert(&quot;&amp;&quot;)");
  });

  test("the report shows the changes of averages from exact sums, rounded once", async () => {
    const db = await openDuckDB({ threads: 1, memory: "256MB" });
    const read = async (digest: string | null) => {
      const table = (name: string) =>
        `read_parquet(${quote(join(bench.store.release(digest ?? ""), "data", name, "*.parquet"))})`;
      return db.rows(
        `select source, count(*) as records, sum(total) as total, sum(a) as access
         from ${table("scores")} as score join ${table("records")} as record using (id)
         where rubric = '1.0' and score.status = 'scored' group by grouping sets ((), (source))`,
      );
    };
    const [before, after] = [await read(receipt.previousReleaseDigest), await read(receipt.releaseDigest)];
    db.close();
    const page = await text(DESCRIPTORS.report);
    const change = (caption: string, name: string) => {
      const [, rows = ""] = page.split(`<caption>${caption}</caption>`);
      const row = rows.split("<tr>").find((each) => each.includes(`>${name}<`)) ?? "";
      return [...row.matchAll(/data-name="Change">([^<]*)</g)].map(([, cell]) => cell)[0];
    };
    const changed = (column: "total" | "access", source: string | null) => {
      const [old, now] = [before, after].map((rows) => rows.find((row) => row.source === source));
      const change = Number(now?.[column]) / Number(now?.records) - Number(old?.[column]) / Number(old?.records);
      const size = (Math.floor(Math.abs(change) * 100 + 0.5) / 100).toFixed(2);
      return size === "0.00" ? "0" : `${change < 0 ? "−" : "+"}${size}`;
    };
    expect([changed("access", null), changed("total", "zenodo")]).not.toContain("0");
    expect(change("Of 20 points, under SHARE 1.0", "Access")).toBe(changed("access", null));
    expect(change("Datasets and averages by source under SHARE 1.0", "Zenodo")).toBe(changed("total", "zenodo"));
  });

  test("the report counts one dataset in the singular", async () => {
    const diff = releaseDiff.parse(JSON.parse(await text("data/diff.json")));
    const one = { ...diff, records: { before: 1, after: 1, added: 1, removed: 1 } };
    const few = {
      harvested: 1,
      scored: 1,
      insufficient: 0,
      duplicates: 1,
      superseded: 1,
      notDataset: 1,
      tombstones: 0,
    };
    const coverage = { ...receipt.coverage, ...few };
    const page = reportPage({
      receipt: { ...receipt, coverage },
      citation: "",
      gates: [],
      diff: one,
      rubrics: [],
      sources: new Map(),
      sourceMeans: [],
    });
    const words = page.replace(/<[^>]*>/g, "");
    for (const part of [
      "1 dataset was added, 1 was removed, and",
      "1 dataset ±0 since",
      "We harvested 1 record: 1 scored, 1 duplicate, 1 older version, 1 not a dataset",
    ])
      expect(words).toContain(part);
    expect(words).not.toMatch(/\b1 (datasets|records|signals|gates|researchers)\b/);
  });
});

describe("validators by the maintainers of each format", () => {
  const require = createRequire(import.meta.url);

  describe("the validator ro-crate by the Language Data Commons", () => {
    /**
     * The checks of ro-crate, except those of the context, which it would download, and of the contact, which is not required.
     */
    const ASKED = [
      "hasRootDataset",
      "hasRootDatasetWithProperID",
      "hasName",
      "hasDescription",
      "hasAuthor",
      "hasLicense",
      "hasDatePublished",
    ] as const;
    const item = z.looseObject({ name: z.string(), status: z.boolean() });
    const finding = z.looseObject({ entity: z.string().optional(), status: z.string(), message: z.string() });

    /** Returns the errors that ro-crate finds in a crate with the files of the manifest. */
    const findFaults = (crate: string): unknown[] => {
      const { Checker, Validator } = require("ro-crate");
      const validator = new Validator();
      validator.parseJSON(crate);
      validator.checkFiles(Object.fromEntries([...manifest.keys()].map((path) => [path, { exists: true }])));
      const checker = new Checker(validator.crate);
      return [
        ...z
          .array(finding)
          .parse(validator.results)
          .filter(({ status }) => status === "error"),
        ...ASKED.map((name) => item.parse(checker[name]())).filter(({ status }) => !status),
      ];
    };

    test("ro-crate reports no fault in ro-crate-metadata.json", async () => {
      expect(findFaults(await text("ro-crate-metadata.json"))).toEqual([]);
    });

    test.each([
      ["a missing file", "data/evidence/part-0000.parquet", "data/gone.parquet"],
      ["a root without a licence", '"license":', '"licence":'],
      ["an impossible date", '"datePublished": "2027-', '"datePublished": "in 2027-'],
    ])("ro-crate finds a planted fault: %s", async (_what, right, wrong) => {
      const crate = await text("ro-crate-metadata.json");
      expect(crate).toContain(right);
      expect(findFaults(crate.replaceAll(right, wrong))).toHaveLength(1);
    });
  });

  describe.skipIf(validators === null)(
    "the validators frictionless, mlcroissant and rocrate-validator from PyPI",
    () => {
      test("the validators from PyPI report no fault, and read every row of every table", async () => {
        const found = judgement(folder);
        expect(found.frictionless.faults).toEqual([]);
        expect(found.croissant.faults).toEqual([]);
        expect(found.crate).toMatchObject({ passed: true, faults: [] });
        expect(found.crate.checks).toBeGreaterThan(50);
        const { resources } = z
          .object({ resources: z.array(z.object({ path: z.string(), schema: z.unknown().optional() })) })
          .parse(JSON.parse(await text(DESCRIPTORS.datapackage)));
        const tables = resources.filter(({ schema }) => schema !== undefined);
        expect(found.frictionless.tables).toBe(tables.length);
        const db = await openDuckDB({ threads: 1, memory: "256MB" });
        try {
          for (const { path } of tables) {
            const [row] = await db.rows(
              `select count(*)::integer as n from read_parquet(${quote(join(folder, path))})`,
            );
            const name = path.replace(/^data\/(.+?)(?:\/part-\d+)?\.parquet$/, "$1");
            expect(found.croissant.rows[name], path).toBe(Number(row?.n));
          }
        } finally {
          db.close();
        }
      }, 600_000);

      test("the validators from PyPI report a wrong type, a missing column, and a program without a URL", async () => {
        const copy = join(await mkdtemp(join(tmpdir(), "share-descriptors-")), "release");
        try {
          await cp(folder, copy, { recursive: true });
          const forge = async (path: string, right: string | RegExp, wrong: string) => {
            const before = await text(path);
            const after = before.replace(right, wrong);
            expect(after).not.toBe(before);
            await writeFile(join(copy, path), after);
          };
          await forge(DESCRIPTORS.datapackage, /("name": "title",\s+"type": )"string"/, '$1"integer"');
          await forge(DESCRIPTORS.croissant, '"column": "pub_date"', '"column": "pub_day"');
          await forge(DESCRIPTORS.roCrate, /,\s+"url": "pkg:generic[^"]+"/, "");
          const found = judgement(copy);
          expect(found.frictionless.faults).not.toEqual([]);
          expect(found.croissant.faults).toHaveLength(1);
          expect(found.crate).toMatchObject({ passed: false, faults: [expect.stringContaining("url")] });
        } finally {
          await rm(dirname(copy), { recursive: true });
        }
      }, 600_000);
    },
  );
});
