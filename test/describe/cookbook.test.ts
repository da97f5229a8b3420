/**
 * Runs the recipes of docs/cookbook/ unchanged over two releases, and compares each tool's results with the release itself.
 * DuckDB reads downloaded files, because its HTTP extension is not available here. pandas and polars read URLs.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { type FileServer, serveFolder } from "../clients/published-release.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, REPOSITORY } from "../support/bundled-corpus.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { validators } from "./validators/judgement.ts";

const SELF = "test/describe/cookbook.test.ts";
const PATIENCE = 300_000;

/** Two spellings of one DOI in the corpus, and a DOI that is not in the corpus. */
const WRITTEN = ["https://doi.org/10.5072/COMPLETE-MODERN", " doi:10.5072/complete-modern", "10.5072/nobody-has-this"];

interface Answers {
  readonly years: readonly { readonly year: string; readonly datasets: number; readonly mean: number }[];
  readonly help: readonly { readonly id: string; readonly datasets: number }[];
  readonly index: { readonly datasets: number; readonly s_index: number };
  readonly moved: readonly { readonly id: string; readonly was: number | null; readonly is_now: number | null }[];
  readonly found: readonly { readonly written: string; readonly id: string | null; readonly total: number | null }[];
}

let bench: TemporaryStore;
let earlier: Receipt;
let later: Receipt;
let files: FileServer;
let wanted: Answers;

const readBlocks = (name: string) =>
  fencedBlocks(readFileSync(join(REPOSITORY, "docs/cookbook", name), "utf8"))
    .filter(({ runBy }) => runBy === SELF)
    .map(({ text: block }) => block);
const getFolder = ({ releaseDigest }: Receipt) => bench.store.release(releaseDigest);
const buildReceiptAddress = (receipt: Receipt) => `${files.address}/${basename(getFolder(receipt))}`;

beforeAll(async () => {
  bench = await temporaryStore();
  await harvestBundled(bench.store, ["datacite"]);
  earlier = (await buildRelease(bench.store, { asOf: "2026-11-01" })).receipt;
  await harvestBundled(bench.store, ["zenodo"]);
  later = (await buildRelease(bench.store, { asOf: "2027-02-01" }, "2027-02-02T09:30:00.000Z")).receipt;
  await writeFile(join(bench.folder, "my-dois.csv"), `doi\n${WRITTEN.map((doi) => `"${doi}"`).join("\n")}\n`);
  if (HAS_NGINX) files = await serveFolder(bench.store.releases);
  wanted = await answersOfRelease();
}, PATIENCE);

afterAll(async () => {
  await files?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

/** Computes the expected results from the tables row by row, by another method than the recipes. */
async function answersOfRelease(): Promise<Answers> {
  const db = await openDuckDB({ threads: 1 });
  const table = (name: string) => `read_parquet(${quote(join(getFolder(later), `data/${name}/*.parquet`))})`;
  const rows = async (sql: string) => (await db.rows(sql)).map((row) => row as Readonly<Record<string, unknown>>);
  try {
    const scored = await rows(
      `select * from ${table("scores")} as scores join ${table("records")} as records using (id) where rubric = '2.0' and total is not null`,
    );
    const labels = await rows(`select id, label from ${table("institutions")} where rubric = '2.0'`);
    const norvale = new Set(labels.filter(({ label }) => /norvale/i.test(String(label))).map(({ id }) => id));
    const said = await rows(`select id, institution_id from ${table("attributions")}`);
    const mine = new Set(said.filter(({ institution_id: id }) => norvale.has(id)).map(({ id }) => id));
    const rubrics = z.record(z.string(), z.object({ signals: z.array(z.object({ id: z.string(), bit: z.int() })) }));
    const contracts = rubrics.parse(JSON.parse(readFileSync(join(getFolder(later), "data/contracts.json"), "utf8")));
    const contract = later.rubrics.find(({ version }) => version === "2.0")?.contract ?? "";
    const help = (contracts[contract]?.signals ?? []).map(({ id, bit }) => ({
      id,
      datasets: scored.filter((row) => {
        const has = (mask: string) => Math.floor(Number(row[`${mask}_mask`]) / 2 ** bit) % 2 === 1;
        return mine.has(row.id) && has("evaluable") && !has("passed") && !has("source_missing") && !has("failed");
      }).length,
    }));
    const years = new Map<string, number[]>();
    for (const { repository, pub_date: date, total } of scored) {
      if (repository !== "Zenodo" || date === null) continue;
      const year = String(date).slice(0, 4);
      years.set(year, [...(years.get(year) ?? []), Number(total)]);
    }
    const [who] = await rows(
      `select s_index, dataset_count from ${table("researchers")} where rubric = '2.0' and orcid = '0000-0002-1825-0097'`,
    );
    const totals = async (receipt: Receipt) => {
      const parts = `read_parquet(${quote(join(getFolder(receipt), "data/scores/*.parquet"))})`;
      const found = await rows(`select id, total from ${parts} where rubric = '2.0'`);
      return new Map(found.map(({ id, total }) => [String(id), toNumber(total)]));
    };
    const [before, after] = [await totals(earlier), await totals(later)];
    const moved = [...new Set([...before.keys(), ...after.keys()])]
      .toSorted()
      .map((id) => ({ id, was: before.get(id) ?? null, is_now: after.get(id) ?? null }))
      .filter(({ was, is_now: now }) => was !== now);
    const complete = scored.find(({ doi }) => doi === "10.5072/complete-modern");
    return {
      years: [...years].toSorted().map(([year, totals]) => ({
        year,
        datasets: totals.length,
        mean: totals.reduce((sum, total) => sum + total, 0) / totals.length,
      })),
      help: help.filter(({ datasets }) => datasets > 0).toSorted((a, b) => b.datasets - a.datasets),
      index: { datasets: Number(who?.dataset_count), s_index: Number(who?.s_index) },
      moved,
      found: WRITTEN.map((written, i) => ({
        written,
        id: i < 2 ? String(complete?.id) : null,
        total: i < 2 ? toNumber(complete?.total) : null,
      })).toSorted((a, b) => (a.written < b.written ? -1 : 1)),
    };
  } finally {
    db.close();
  }
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function expectAnswers(answers: Answers): void {
  const rounded = ({ years, help, ...others }: Answers) => ({
    ...others,
    // Tools order equal rows differently.
    help: help.toSorted((a, b) => b.datasets - a.datasets || (a.id < b.id ? -1 : 1)),
    years: years.map((row) => ({ ...row, mean: Number(row.mean.toFixed(1)) })),
  });
  expect(rounded(answers)).toEqual(rounded(wanted));
}

test("the expected results of the recipes have rows for every question of the cookbook", () => {
  expect(wanted.years.length).toBeGreaterThan(1);
  expect(wanted.help.length).toBeGreaterThan(1);
  expect(wanted.index.s_index).toBeGreaterThan(0);
  expect(wanted.moved.length).toBeGreaterThan(0);
  expect(wanted.found.filter(({ total }) => total !== null).length).toBe(2);
});

test("the downloaded files belong to one release, even if another is activated meanwhile, and curl waits if a rate limit stops it", {
  timeout: PATIENCE,
}, async () => {
  const [block = ""] = readBlocks("../data-guide.md");
  let lost = "";
  let asked = 0;
  let isLimited = true;
  const turning = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    const latest = [later, earlier][asked % 2] ?? later;
    if (path.startsWith("/releases/latest")) {
      asked += 1;
      const location = path.replace("latest", basename(getFolder(latest)));
      response.writeHead(307, { location }).end();
    } else if (/^\/releases\/sha256-[0-9a-f]{64}$/.test(path)) response.end("{}");
    else if (path.endsWith(lost === "" ? "\0" : lost)) response.writeHead(404).end();
    else if (isLimited && path.includes("/data/")) {
      isLimited = false;
      response.writeHead(429, { "retry-after": "1" }).end();
    } else createReadStream(join(bench.store.releases, path.slice("/releases/".length))).pipe(response);
  });
  await once(turning.listen(0, "127.0.0.1"), "listening");
  const address = turning.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const run = async (name: string) => {
    const cwd = join(bench.folder, name);
    await mkdir(cwd);
    const given = block.replace("http://localhost:8080", `http://127.0.0.1:${address.port}`);
    const child = spawn("sh", ["-c", given], { cwd, timeout: PATIENCE });
    const [said, complaints, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { code, said, complaints, folder: join(cwd, "release") };
  };
  try {
    const { code, said, folder } = await run("fetched");
    expect({ code, said }).toEqual({ code: 0, said: "complete\n" });
    expect(isLimited).toBe(false);
    const paths =
      readFileSync(join(getFolder(later), "manifest.ndjson"), "utf8").match(/(?<="path":")data\/[^"]+/g) ?? [];
    expect(paths.length).toBeGreaterThan(10);
    for (const path of ["manifest.ndjson", "release.json", ...paths]) {
      expect([path, readFileSync(join(folder, path)).equals(readFileSync(join(getFolder(later), path)))]).toEqual([
        path,
        true,
      ]);
    }
    asked = 0;
    lost = paths[1] ?? "";
    const failed = await run("unfetched");
    expect([failed.code === 0, failed.said, failed.complaints]).toEqual([false, "", expect.stringContaining("404")]);
  } finally {
    turning.close();
  }
});

describe("the recipes for DuckDB", () => {
  test("the recipes for DuckDB give the expected results in one session over the downloaded files", {
    timeout: PATIENCE,
  }, async () => {
    const blocks = readBlocks("duckdb.md");
    expect(blocks.length).toBe(7);
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    try {
      const given = blocks.map((block) =>
        block
          .replace("= 'release'", `= ${quote(getFolder(later))}`)
          .replace("= 'earlier'", `= ${quote(getFolder(earlier))}`)
          .replace("'my-dois.csv'", quote(join(bench.folder, "my-dois.csv"))),
      );
      const results: Readonly<Record<string, unknown>>[][] = [];
      for (const block of given) results.push(await lastRows(connection, block));
      const [years = [], help = [], [index] = [], moved = [], found = []] = results.slice(2);
      expectAnswers({
        years: years.map((row) => ({ year: String(row.year), datasets: Number(row.datasets), mean: Number(row.mean) })),
        help: help.map((row) => ({ id: String(row.id), datasets: Number(row.datasets) })),
        index: { datasets: Number(index?.datasets), s_index: Number(index?.s_index) },
        moved: moved.map((row) => ({ id: String(row.id), was: toNumber(row.was), is_now: toNumber(row.is_now) })),
        found: found.map((row) => ({
          written: String(row.written),
          id: row.id === null ? null : String(row.id),
          total: toNumber(row.total),
        })),
      });
    } finally {
      connection.closeSync();
    }
  });
});

/** Runs every statement of a text, and returns the rows of the last one. */
async function lastRows(connection: DuckDBConnection, sql: string): Promise<Readonly<Record<string, unknown>>[]> {
  const statements = await connection.extractStatements(sql);
  let rows: Readonly<Record<string, unknown>>[] = [];
  for (let i = 0; i < statements.count; i += 1) {
    rows = (await (await statements.prepare(i)).runAndReadAll()).getRowObjectsJS();
  }
  return rows;
}

/** Python code, by library, that prints the variables of the recipes as one line of JSON after the word TOLD. */
const TOLD = {
  pandas: `import json
print("TOLD", json.dumps({
  "years": [{"year": y, "datasets": int(r["size"]), "mean": r["mean"]} for y, r in years.iterrows()],
  "help": [{"id": i, "datasets": int(r["datasets"])} for i, r in help_most[help_most["datasets"] > 0].sort_values("datasets", ascending=False, kind="stable").iterrows()],
  "index": {"datasets": len(best), "s_index": s_index},
  "moved": [{"id": r["id"], "was": None if pd.isna(r["total_was"]) else int(r["total_was"]), "is_now": None if pd.isna(r["total_is"]) else int(r["total_is"])} for _, r in moved.sort_values("id").iterrows()],
  "found": [{"written": r["written"], "id": None if pd.isna(r["id"]) else r["id"], "total": None if pd.isna(r["total"]) else int(r["total"])} for _, r in found.sort_values("written").iterrows()],
}))`,
  polars: `print("TOLD", json.dumps({
  "years": years.select("year", "datasets", "mean").to_dicts(),
  "help": help_most.filter(pl.col("datasets") > 0).sort("datasets", descending=True, maintain_order=True).select("id", "datasets").to_dicts(),
  "index": {"datasets": len(best), "s_index": s_index},
  "moved": moved.select("id", "was", "is_now").to_dicts(),
  "found": found.sort("written").select("written", "id", "total").to_dicts(),
}))`,
} as const;

describe.skipIf(validators === null || !HAS_NGINX)("the recipes for Python, by URL", () => {
  test.each([
    { library: "pandas", from: 0 },
    { library: "polars", from: 6 },
  ] as const)(
    "the recipes for $library give the expected results as one program",
    { timeout: PATIENCE },
    async ({ library, from }) => {
      const blocks = readBlocks("python.md");
      expect(blocks.length).toBe(12);
      const program = [...blocks.slice(from, from + 6), TOLD[library]]
        .join("\n")
        .replace(/^EARLIER = ".*"$/m, `EARLIER = "${buildReceiptAddress(earlier)}"`)
        .replace(/^RELEASE = ".*"$/m, `RELEASE = "${buildReceiptAddress(later)}"`);
      const child = spawn(validators ?? "python3", ["-c", program], { cwd: bench.folder, timeout: PATIENCE });
      const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const line = out.split("\n").find((each) => each.startsWith("TOLD "));
      expect({ told: line !== undefined, complaints: line === undefined ? complaints.slice(-2000) : "" }).toEqual({
        told: true,
        complaints: "",
      });
      expectAnswers(JSON.parse(line?.slice(5) ?? ""));
      await files.asked((lines) => lines.some((each) => each.includes("/data/scores/part-0000.parquet")));
    },
  );
});

test("the R recipes are marked as not run", () => {
  const blocks = fencedBlocks(readFileSync(join(REPOSITORY, "docs/cookbook/r.md"), "utf8"));
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.filter(({ notRun }) => notRun === null)).toEqual([]);
});
