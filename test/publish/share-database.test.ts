/**
 * Tests the published file share.duckdb, opened in its folder and over HTTP: its rows are those of the release's tables and
 * pages.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { quote } from "../../pipeline/engine/open.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import { changeNow } from "../../pipeline/store/releases.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { folderTarget } from "../../releases/publish/folder-target.ts";
import { publish } from "../../releases/publish/index.ts";
import { SHARE_DATABASE } from "../../releases/share-database.ts";
import { verify } from "../../releases/verify/index.ts";
import { releasedPledge } from "../../schemas/public/pledge.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { releasedRubric } from "../../schemas/public/rubric.ts";
import { getSignalState, STATES } from "../../schemas/public/signal.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { serveFolder } from "../clients/published-release.ts";
import { validators } from "../describe/validators/judgement.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, REPOSITORY } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const SELF = "test/publish/share-database.test.ts";
const PATIENCE = 300_000;

let bench: TemporaryStore;
let root: string;
let receipt: Receipt;
let folder: string;

beforeAll(async () => {
  bench = await temporaryStore();
  root = await mkdtemp(join(tmpdir(), "share-database-"));
  await harvestBundled(bench.store, ["datacite", "zenodo"]);
  receipt = (await buildRelease(bench.store, { asOf: "2026-11-01" })).receipt;
  await published();
  folder = join(root, "releases", receipt.releaseDigest.replace(":", "-"));
}, PATIENCE);

afterAll(async () => {
  await bench?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

function published() {
  const effects = recordedEffects();
  const target = folderTarget(root, changeNow(effects));
  return publish(bench.store, receipt.releaseDigest, target, { parallel: 2, dryRun: false }, effects);
}

type Row = Readonly<Record<string, unknown>>;

/** Opens share.duckdb at `base` (a folder or URL) as a user would, in a working directory without releases. */
async function withDatabase<T>(base: string, extension: string | null, work: (rows: Rows) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    if (extension !== null) await connection.run(`load ${quote(extension)}`);
    await connection.run(`attach ${quote(`${base}/${SHARE_DATABASE}`)} as share (read_only)`);
    return await work(async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
type Rows = (sql: string) => Promise<readonly Row[]>;

const named = (base: string) => `set variable share_release = ${quote(base)}`;

describe("the database in a published folder", () => {
  test("share.duckdb has a view for each table of the release, with the same rows", { timeout: PATIENCE }, async () => {
    await withDatabase(folder, null, async (rows) => {
      await rows(named(folder));
      for (const table of listReleaseTables(receipt).map(publishedName)) {
        const view = table.replaceAll("-", "_");
        const parts = `read_parquet(${quote(join(folder, "data", table, "*.parquet"))})`;
        expect(await rows(`from share.${view} order by all`)).toEqual(await rows(`from ${parts} order by all`));
      }
      const views = await rows("select view_name from duckdb_views() where database_name = 'share' and not internal");
      expect(views.map(({ view_name: name }) => name)).toEqual(
        expect.arrayContaining(["records", "scores", "signals_1_0", "signals_2_0"]),
      );
    });
  });

  test("share.duckdb shows the state of each signal of each record as masks and pledges define it", {
    timeout: PATIENCE,
  }, async () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, "data", name), "utf8"));
    const pledges = z.record(z.string(), releasedPledge).parse(read("pledges.json"));
    const seen = new Set<unknown>();
    await withDatabase(folder, null, async (rows) => {
      await rows(named(folder));
      for (const { version, contract } of receipt.rubrics) {
        const { signals } = releasedRubric.parse(
          z.record(z.string(), z.unknown()).parse(read("contracts.json"))[contract],
        );
        const masks = await rows(
          `select id, source, score.* from share.records left join (from share.scores where rubric = ${quote(version)}) as score using (id) order by id`,
        );
        const wanted = masks.map((row) => {
          const pledge = pledges[String(row.source)];
          if (pledge === undefined) throw new Error(`${row.source} has no pledge`);
          const pledged = supportedMask(pledge, contract);
          const decoded = {
            supportedMask: Number(row.supported_mask ?? pledged),
            evaluableMask: Number(row.evaluable_mask ?? 0),
            passedMask: Number(row.passed_mask ?? 0),
            sourceMissingMask: Number(row.source_missing_mask ?? 0),
            failedMask: Number(row.failed_mask ?? pledged),
          };
          const states = signals.map(({ key, bit }) => [key, getSignalState(bit, decoded)]);
          return { id: row.id, total: row.total, ...Object.fromEntries(states) };
        });
        const decoded = await rows(`from share.signals_${version.replace(".", "_")} order by id`);
        expect(decoded).toEqual(wanted);
        for (const value of decoded.flatMap((row) => Object.values(row))) seen.add(value);
      }
    });
    expect([...seen]).toEqual(expect.arrayContaining([...STATES]));
  });

  test("share.duckdb gives a result for the recipes in docs/cookbook/duckdb.md", { timeout: PATIENCE }, async () => {
    const guide = readFileSync(join(REPOSITORY, "docs/cookbook/duckdb.md"), "utf8");
    const [block, ...others] = fencedBlocks(guide).filter(({ runBy }) => runBy === SELF);
    expect(others).toEqual([]);
    const statements = (block?.text ?? "")
      .replaceAll("'release", `'${folder}`)
      .split(";")
      .filter((text) => text.trim());
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    for (const statement of statements.slice(0, -1)) await connection.run(statement);
    const rows = (await connection.runAndReadAll(statements.at(-1) ?? "")).getRowObjectsJS();
    const [all] = (await connection.runAndReadAll("select count(*) as n from share.records")).getRowObjectsJS();
    connection.closeSync();
    instance.closeSync();
    expect(rows.map(({ methods }) => methods)).toEqual(expect.arrayContaining(["absent", "passed"]));
    expect(rows.reduce((sum, { datasets }) => sum + Number(datasets), 0)).toBe(Number(all?.n));
  });

  test("share.duckdb describes each view and column without reading the release", async () => {
    await withDatabase(folder, null, async (rows) => {
      const columns = await rows(
        "select table_name, column_name, comment from duckdb_columns() where database_name = 'share'",
      );
      expect(columns.filter(({ comment }) => comment === null)).toEqual([]);
      expect(columns.find((row) => row.table_name === "signals_2_0" && row.column_name === "methods")?.comment).toMatch(
        /^H3 .*\? passed, absent, not_evaluable, source_missing, failed or unsupported$/,
      );
      const views = await rows("select comment from duckdb_views() where database_name = 'share' and not internal");
      expect(views.every(({ comment }) => String(comment).startsWith("One row for each "))).toBe(true);
    });
  });

  test("share.duckdb explains in its error that the variable share_release must be set", async () => {
    await withDatabase(folder, null, async (rows) => {
      await expect(rows("from share.signals_2_0")).rejects.toThrow(
        "Name the release first: set variable share_release",
      );
    });
  });

  test("share.duckdb stays the same after a second publication, and verification does not report it as an extra file", {
    timeout: PATIENCE,
  }, async () => {
    const before = readFileSync(join(folder, SHARE_DATABASE));
    expect(await published()).toMatchObject({ uploaded: 0 });
    expect(readFileSync(join(folder, SHARE_DATABASE)).equals(before)).toBe(true);
    const { findings } = await verify(
      openStore(root),
      receipt.releaseDigest,
      { threads: 1, memory: "256MB" },
      recordedEffects(),
    );
    expect(findings).toEqual([]);
  });
});

/** Path of DuckDB's HTTP extension from PyPI, whose signature DuckDB checks; null if it is not installed. */
const HTTPFS = await (async () => {
  if (validators === null) return null;
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const [row] = (await connection.runAndReadAll("select version() as version")).getRowObjectsJS();
  connection.closeSync();
  instance.closeSync();
  const libraries = join(validators, "../../lib");
  return (
    readdirSync(libraries)
      .map((python) =>
        join(
          libraries,
          python,
          `site-packages/duckdb_extension_httpfs/extensions/${row?.version}/httpfs.duckdb_extension`,
        ),
      )
      .find((path) => existsSync(path)) ?? null
  );
})();

test.skipIf(HTTPFS === null || !HAS_NGINX)(
  "share.duckdb gives the same rows over HTTP as in a folder, and reads only parts of its files",
  { timeout: PATIENCE },
  async () => {
    await using server = await serveFolder(join(root, "releases"));
    const url = `${server.address}/${receipt.releaseDigest.replace(":", "-")}`;
    const query = "select id, total, methods from share.signals_2_0 order by id";
    const byFolder = await withDatabase(folder, null, async (rows) => {
      await rows(named(folder));
      return rows(query);
    });
    const byHttp = await withDatabase(url, HTTPFS, async (rows) => {
      await rows(named(url));
      return rows(query);
    });
    expect(byHttp).toEqual(byFolder);
    expect(byHttp.length).toBeGreaterThan(10);
    const asked = await server.asked((lines) => lines.some((line) => line.includes("/data/scores/")));
    expect(asked.some((line) => line.includes(`/${SHARE_DATABASE} 206 bytes=`))).toBe(true);
  },
);
