/** Text of a payload reaches people neither as markup nor as control characters: in tables, in pages and in the terminal. */

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { makeSafeToShow } from "../../pipeline/reading/safe-to-show.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { partName } from "../../pipeline/store/raw-parts.ts";
import type { Normalised } from "../../schemas/internal/capture.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { AS_OF, vocabularies } from "../sources/fragment.ts";
import { buildRelease } from "../support/build-release.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { bundledRecords, textPaths, withTexts } from "./bundled-records.ts";

/** Characters that no reader may receive, because they control a terminal, reverse text or end a line. */
const STEERS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/u;
const TAG = /<\/?[a-zA-Z][^<>]*>/;
const isSafe = (text: string) => !STEERS.test(text) && !TAG.test(text);

/** Text with one character of each kind, and with tags that appear when other tags are removed, such as `<<i>b>`. */
const HOSTILE =
  "\u202egnp.exe\u2066<script>alert(1)</script>\u001b[31m\u001b]0;title\u0007<<i>b onclick=1>\u2028\u2029\u009b2J\u0085\u200f<\u0000img src=x onerror=alert(1)>\ufeff\r\nSet-Cookie: a=b";

const PIECES = [
  "\u001b[2J",
  "\u202e",
  "\u2067",
  "<b>",
  "</script>",
  "<<a>i>",
  "<\u0001i>",
  "\u2028",
  "\u009d",
  "\n",
  "&lt;b&gt;",
  "&#27;[2J",
  "&#x202e;",
  "&amp;lt;u&amp;gt;",
  "<",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5, unit: "binary" })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((pieces) => pieces.join(""));

/** Lists the texts of a record in each table, with the names of their columns. */
function listTexts(normalised: Normalised): [string, string][] {
  const named: [string, unknown][] = "reason" in normalised ? [["reason", normalised.reason]] : [];
  if ("fields" in normalised) named.push(...Object.entries(normalised.fields));
  if (normalised.outcome === "record") {
    named.push(...Object.entries(normalised.evidence));
    for (const { name, orcid } of normalised.creators) named.push(["creator", name], ["orcid", orcid]);
    for (const { kind, value } of normalised.facets) named.push([kind, value]);
  }
  return named.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as [string, string]] : []));
}

/** Columns whose texts are stored unchanged, markup included. No page shows them without escaping. */
const NAMES = ["doi", "url", "versionFamily"];

function expectSafe(normalised: Normalised): void {
  for (const [name, text] of listTexts(makeSafeToShow(normalised))) {
    const safe = NAMES.includes(name) ? !STEERS.test(text) : isSafe(text);
    expect([name, text, safe]).toEqual([name, text, true]);
  }
}

describe.each(SOURCES.map((source) => ({ name: source.name, source })))(
  "the text columns of records of $name",
  ({ source }) => {
    const records = bundledRecords(source);
    const context = { asOf: AS_OF, vocabularies };

    test("every text column of a record is safe to show for any text in its payload", () => {
      expect(records.length).toBeGreaterThan(0);
      fc.assert(
        fc.property(
          fc.constantFrom(...records),
          hostile,
          fc.func(fc.integer({ min: 0, max: 3 })),
          (record, text, pick) => {
            const { payload, sourceId } = record;
            // Only a third of the texts is changed at random, so that the payload is still a record.
            const paths = textPaths(payload).filter((path) => pick(path) === 0);
            expectSafe(
              source.normalise(
                withTexts(payload, paths, (old) => `${old}${text}`),
                sourceId,
                context,
              ),
            );
            expectSafe(
              source.normalise(
                withTexts(payload, paths, () => text),
                sourceId,
                context,
              ),
            );
          },
        ),
        { numRuns: 150 },
      );
    });
  },
);

test("values of a facet that are the same after they are made safe to show are kept once", () => {
  const of = (...facets: { kind: "disease" | "dataType"; value: string }[]) =>
    makeSafeToShow({ outcome: "record", fields: {}, evidence: {}, creators: [], facets } as unknown as Normalised);
  const asthma = { kind: "disease", value: "Asthma" } as const;
  const shown = of(asthma, { kind: "disease", value: "<b>Asthma</b>" }, { ...asthma, kind: "dataType" }, asthma);
  expect(shown).toMatchObject({ facets: [asthma, { kind: "dataType", value: "Asthma" }] });
});

/** Adds hostile characters to each text of a payload that may have them without the payload being rejected. */
function spoilt(source: Source, payload: unknown, sourceId: string): unknown {
  const context = { asOf: AS_OF, vocabularies };
  const change = (text: string) => `${text}${HOSTILE}`;
  const isRecord = (document: unknown) => source.normalise(document, sourceId, context).outcome === "record";
  if (!isRecord(payload)) return null;
  const paths = textPaths(payload).filter((path) => isRecord(withTexts(payload, [path], change)));
  const all = withTexts(payload, paths, change);
  return isRecord(all) ? all : null;
}

/** Lists the texts in a JSON document, keys included. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}

/** Columns of identifiers, which are stored unchanged, as those in {@link NAMES}. */
const KEYS = /^(?:doi|url|version_family|source_id|.*identifier)$/;

describe("a release made of hostile texts", () => {
  let made: TemporaryStore;
  let server: Listening;
  let host: CommandHost;
  const drafts: { readonly source: string; readonly path: string }[] = [];

  beforeAll(async () => {
    made = await temporaryStore();
    const { store, folder } = made;
    let count = 0;
    for (const source of SOURCES) {
      const lines = bundledRecords(source).flatMap(({ payload, sourceId }) => {
        const document = spoilt(source, payload, sourceId);
        if (document === null) return [];
        const text = JSON.stringify(document);
        const envelope = { source: source.name, sourceId, retrievedAt: null, url: null, status: 200 };
        return [`${JSON.stringify({ ...envelope, payloadDigest: hash("sha256", text), payload: text })}\n`];
      });
      expect([source.name, lines.length > 0]).toEqual([source.name, true]);
      count += lines.length;
      mkdirSync(store.raw(source.name), { recursive: true });
      writeFileSync(join(store.raw(source.name), partName(1)), zstdCompressSync(lines.join("")));
      const [first] = lines;
      const path = join(folder, `${source.name}.json`);
      writeFileSync(path, JSON.parse(first ?? "").payload);
      drafts.push({ source: source.name, path });
    }
    expect(count).toBeGreaterThan(50);
    await buildRelease(store);
    server = await serve(store);
    host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  }, 600_000);

  afterAll(async () => {
    await server?.close();
    await host?.[Symbol.asyncDispose]();
    await made?.[Symbol.asyncDispose]();
  });

  test("a release made of hostile texts has no hostile character in a text column", { timeout: 300_000 }, async () => {
    const db = await openDuckDB();
    let columns = 0;
    try {
      const data = join(made.store.current, "data");
      const files = await db.rows(`select file from glob(${quote(`${data}/**/*.parquet`)})`);
      expect(files.length).toBeGreaterThan(10);
      for (const { file } of files) {
        const name = String(file).slice(data.length);
        const from = `read_parquet(${quote(String(file))})`;
        const texts = await db.rows(
          `select column_name as name from (describe select * from ${from}) where column_type = 'VARCHAR'`,
        );
        for (const { name: column } of texts) {
          columns += 1;
          const rows = await db.rows(
            `select distinct "${String(column)}" as text from ${from} where "${String(column)}" is not null`,
          );
          const isFit = KEYS.test(String(column)) ? (text: string) => !STEERS.test(text) : isSafe;
          const bad = rows.map(({ text }) => String(text)).filter((text) => !isFit(text));
          expect([name, column, bad.slice(0, 3)]).toEqual([name, column, []]);
        }
      }
    } finally {
      db.close();
    }
    expect(columns).toBeGreaterThan(50);
  });

  test("a release made of hostile texts has no hostile character in its pages and lists", {
    timeout: 300_000,
  }, async () => {
    const { port } = server;
    const json = async (path: string) => {
      const { status, text } = await ask(port, path);
      expect([path, status]).toEqual([path, 200]);
      const document: unknown = JSON.parse(text);
      const bad = textsIn(document).filter((each) => !isSafe(each));
      expect([path, bad.slice(0, 3)]).toEqual([path, []]);
      return document;
    };
    const listKeys = (document: unknown, key: string): string[] =>
      (JSON.stringify(document).match(new RegExp(`"${key}":"[^"]*"`, "g")) ?? []).map(
        (match) => JSON.parse(`{${match}}`)[key],
      );
    const lists = await Promise.all(
      ["1.0", "2.0"].flatMap((version) =>
        ["records", "authors", "institutions"].map((name) => json(`/${name}?limit=100&rubric=${version}`)),
      ),
    );
    for (const name of ["geography", "metrics/live", "metrics/history", "rubrics", "status", "releases"])
      await json(`/${name}`);
    const ids = new Set(lists.flatMap((list) => listKeys(list, "id")).filter((id) => id.startsWith("r")));
    expect(ids.size).toBeGreaterThan(50);
    for (const id of ids) {
      await json(`/records/${id}`);
      await json(`/records/${id}/impact`);
      const badge = await ask(port, `/widgets/datasets/${id}/badge.svg`);
      expect(badge.text).not.toMatch(/alert|onerror/);
    }
    const slugs = new Set(lists.flatMap((list) => listKeys(list, "slug")));
    expect(slugs.size).toBeGreaterThan(20);
    for (const slug of slugs) await json(`/authors/${slug}`);
    for (const name of ["records", "authors", "institutions", "geography"]) {
      const { text } = await ask(port, `/${name}?limit=100`, { headers: { accept: "text/csv" } });
      const bad = text.split("\n").filter((line) => !isSafe(line.replace(/\r$/, "")));
      expect([name, bad.slice(0, 3)]).toEqual([name, []]);
    }
  });

  const ESCAPE = "\u001b";
  /** Finds lines that could control a terminal. The program prints colours only to a terminal, and here there is none. */
  const steers = (output: string) =>
    output.split(/[\n\t]/).filter((line) => STEERS.test(line) || line.includes(ESCAPE));

  test.each([
    ["source", "list"],
    ["source", "list", "--json"],
    ["release", "list"],
    ["release", "log"],
    ["doctor"],
    ["release", "verify"],
  ])(
    "no hostile character of a release is in the output of share-release %s",
    { timeout: 300_000 },
    async (...command) => {
      const { stdout, stderr } = await host.run([...command, "--store", made.store.root]);
      expect(stdout).not.toBe("");
      expect([steers(stdout), steers(stderr)]).toEqual([[], []]);
    },
  );

  test("no hostile character of a payload is in the output of share-release score", { timeout: 300_000 }, async () => {
    for (const { source, path } of drafts) {
      for (const more of [[], ["--json"]]) {
        const { stdout, stderr } = await host.run(["score", path, "--source", source, ...more]);
        // An identifier that becomes invalid is rejected with a message.
        expect([source, stdout + stderr === ""]).toEqual([source, false]);
        expect([source, steers(stdout), steers(stderr)]).toEqual([source, [], []]);
      }
    }
  });
});
