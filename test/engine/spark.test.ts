/** A build on Apache Spark gives the release that DuckDB gives: digest, rows and packs. */

import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import type { StageProgress } from "../../pipeline/stage/effects.ts";
import type { ReleaseResult } from "../../releases/activate.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { filesAlike, rowsOfBoth } from "./same-release.ts";
import { SMALL_CONF, sparkPython } from "./spark-here.ts";

/** Hostile texts. Each is used as a title, a name, an affiliation, a subject and the end of a DOI. */
const TEXTS: readonly string[] = [
  "İstanbul IĞDIR ıi",
  "Straße STRASSE ẞ",
  "ΟΔΥΣΣΕΥΣ ὈΔΥΣΣΕΎΣ ς",
  "ﬁeld ﬃnity ǅ ǆ",
  "e\u0301 é E\u0301 É",
  "𝐀nn 𐐀𐐨 \u{1f9ea}",
  "Ａｎｎ Ｂｏ ー々",
  "עברית \u202eabc\u202c العربية",
  "a\tb\nc\r\nd\u000be\u2028f",
  "back\\slash \\N \\n \\\\ \\u0041",
  "it's '' \"so\" `there` $1 $x %s {a,b}; -- drop",
  "zero\u200bwidth no\u00a0break \ufeffmark",
  "a|b^c[d]e(f)g*h+i?j.k",
  "K Å Ω ſ",
  "ǰ ΐ ŉ",
  "\u0000nul \ufffd",
  "   ",
  "~._-",
];

/** Writes the hostile texts as DataCite payloads into a folder, and a file with citations of their DOIs. Returns both paths. */
async function writeHostile(folder: string): Promise<{ payloads: string; citations: string }> {
  const payloads = join(folder, "hostile.jsonl");
  const lines = TEXTS.flatMap((text, at) => [
    makePayload(text, at, "a"),
    makePayload(`${text} ${text.toUpperCase()}`, at, "B"),
  ]);
  await writeFile(payloads, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const citations = join(folder, "citations.csv");
  const rows = TEXTS.flatMap((_, at) => [
    `"HTTPS://DX.DOI.ORG/10.5072/Hostile.${at}.A",${at},1`,
    `doi:10.5072/hostile.${at}.b,1,`,
  ]);
  await writeFile(citations, `doi,citations,mentions\n${rows.join("\n")}\n"10.5072/HOSTİLE.İ",1,1\n`);
  return { payloads, citations };
}

function makePayload(text: string, at: number, end: string): unknown {
  const creator = {
    name: `${text}, Ann`,
    nameType: "Personal",
    familyName: text,
    givenName: "Ann",
    affiliation: [{ name: text }],
  };
  return {
    data: {
      id: `10.5072/hostile.${at}.${end}`,
      type: "dois",
      attributes: {
        doi: `10.5072/hostile.${at}.${end}`,
        creators: [creator, { ...creator, name: `${text.toLowerCase()}, Ann`, familyName: text.toLowerCase() }],
        titles: [{ title: text }],
        publisher: text,
        publicationYear: 2020 + (at % 5),
        subjects: [{ subject: text }, { subject: text.normalize("NFD") }, { subject: text.toLowerCase() }],
        descriptions: [{ description: `${text} `.repeat(20), descriptionType: "Abstract" }],
        rightsList: [{ rights: text }],
        types: { resourceTypeGeneral: "Dataset" },
        url: `https://example.org/${at}`,
        version: text,
        state: "findable",
        updated: "2026-10-01T00:00:00.000Z",
      },
    },
  };
}

const MINUTES = 60_000;

/** Builds the golden corpus, hostile texts and every optional input on both engines. */
describe.skipIf(sparkPython === null)("a build on Spark, compared with the same build on DuckDB", () => {
  let one: TemporaryStore;
  let other: TemporaryStore;
  let onDuckDB: ReleaseResult;
  let onSpark: ReleaseResult;
  const progressed: StageProgress[] = [];

  beforeAll(async () => {
    one = await temporaryStore();
    other = await temporaryStore();
    await harvestBundled(one.store);
    const { payloads, citations } = await writeHostile(one.folder);
    const paths = { paths: [payloads], retrievedAt: RETRIEVED_AT, limit: null };
    await harvestFiles(one.store, datacite, paths, recordedEffects());
    await cp(join(one.store.root, "raw"), join(other.store.root, "raw"), { recursive: true });
    const ror = join(one.folder, "ror.json");
    await writeFile(ror, JSON.stringify([{ id: "https://ror.org/0abcd1z09", country: { country_code: "NO" } }]));
    const options = {
      threads: 2,
      citations,
      ror,
      withheld: ["a000000000000000000000000"],
      alsoContracts: OTHER_CONTRACTS,
    };
    onDuckDB = await buildRelease(one.store, options);
    const spark = { master: "local[2]", conf: SMALL_CONF, python: sparkPython ?? "" };
    onSpark = await buildRelease(other.store, { ...options, spark }, undefined, progressed);
  }, 20 * MINUTES);

  afterAll(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  test("Spark gives the release digest, and the root of every table and family of pages, that DuckDB gives", () => {
    expect(onSpark.receipt.tool.engine).toMatch(/^Apache Spark \d/);
    expect(onSpark.receipt.content).toEqual(onDuckDB.receipt.content);
    expect(onSpark.receipt.releaseDigest).toBe(onDuckDB.receipt.releaseDigest);
    expect(onSpark.receipt.coverage).toEqual(onDuckDB.receipt.coverage);
  });

  test("a build on Spark reports progress while one statement runs in many tasks", () => {
    const steps = progressed.filter(({ stage, unit }) => stage === "aggregate" && unit === "steps");
    expect(steps.some(({ done }) => !Number.isInteger(done))).toBe(true);
    expect(steps.every(({ done, total }) => done >= 0 && done <= (total ?? 0))).toBe(true);
  });

  test("every table of the build on Spark has the rows of the build on DuckDB", async () => {
    const rows = await rowsOfBoth(one.store, other.store, onDuckDB.receipt.releaseDigest);
    expect(rows).toBeGreaterThan(1000);
  });

  test("every pack, file and page of the build on Spark has the bytes of the build on DuckDB", async () => {
    const digest = onDuckDB.receipt.releaseDigest;
    const wanted = await filesAlike(one.store, digest);
    expect([...wanted.keys()].filter((path) => path.endsWith(".zst")).length).toBeGreaterThan(4);
    expect(await filesAlike(other.store, digest)).toEqual(wanted);
  });
});

describe("an error about a missing dependency names the command that installs it", () => {
  test.skipIf(sparkPython === null)("an error about missing Java names the command that installs Java", async () => {
    await using empty = await temporaryStore();
    await harvestBundled(empty.store, ["osf"]);
    const python = join(empty.folder, "python");
    // The Python that has pyspark, with a PATH without Java.
    await writeFile(python, `#!/bin/sh\nexec env -u JAVA_HOME PATH=/nowhere ${sparkPython} "$@"\n`, { mode: 0o755 });
    const spark = { master: "local[1]", conf: {}, python };
    await expect(buildRelease(empty.store, { spark })).rejects.toThrow(/^Spark needs java.*openjdk-17-jre-headless/);
  });

  test.each([
    { python: "/nowhere/python", says: /make spark/ },
    { python: "/usr/bin/env", says: /make spark|did not start/ },
  ])("an error about a Python that cannot run Spark says what to do: $python", async ({ python, says }) => {
    await using empty = await temporaryStore();
    await harvestBundled(empty.store, ["osf"]);
    const spark = { master: "local[1]", conf: {}, python };
    await expect(buildRelease(empty.store, { spark })).rejects.toThrow(says);
  });
});
