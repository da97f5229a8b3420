/** Every SQL text is bound and run by a real DuckDB, and text from outside never becomes SQL. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { readSide } from "../../pipeline/diff/compare.ts";
import { readerImpact } from "../../pipeline/diff/reader-impact.ts";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { POLICY, readContracts, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { findRelease } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { publish } from "../../releases/publish/index.ts";
import { verify } from "../../releases/verify/index.ts";
import { CONTRACTS, type Rubric } from "../../schemas/public/rubric.ts";
import { RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { OpenRelease } from "../../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS } from "../../server/read/query-engine.ts";
import { count } from "../../server/site/counts.ts";
import { PLACES } from "../publish/places.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, PAYLOADS, REPOSITORY } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { at } from "../trust/world.ts";
import { findPaths } from "./sources-of.ts";

/** All SQL files except the macros for Spark, which test/engine/ runs. */
const sqlFiles = (await findPaths(/\.sql$/)).filter((path) => !path.startsWith("pipeline/engine/spark-"));

/** Returns the SQL files that ran to their end during `work`, in the order of their names. */
async function sqlFilesRun(work: () => Promise<unknown>): Promise<string[]> {
  const ran = new Set<string>();
  const hear = (file: unknown) => {
    if (file instanceof URL) ran.add(fileURLToPath(file).slice(REPOSITORY.length + 1));
  };
  subscribe("share-release:sql-file", hear);
  try {
    await work();
  } finally {
    unsubscribe("share-release:sql-file", hear);
  }
  return [...ran].sort();
}

/** Runs the SQL that builds do not run, such as the SQL of the server's prepared tables. */
async function askAbout(store: Store, digest: string): Promise<void> {
  const release = await OpenRelease.open(store, digest, DEFAULT_QUERY_OPTIONS, new AbortController().signal);
  await count(release, "2.0");
  await release.close();
  await using bucket = await at(PLACES, 1).open();
  const effects = recordedEffects();
  const options = { parallel: 2, dryRun: true, pages: { researchers: true } };
  await publish(store, digest, await bucket.target(effects), options, effects);
  const receipt = await findRelease(store, digest);
  const side = await readSide(store.release(digest), receipt);
  expect(await readerImpact(side, side, { threads: 1 })).toMatchObject({ readers: [], sources: [], largest: [] });
}

/** Writes a file of citations without rows, because a build runs the SQL for citations only if it gets such a file. */
async function emptyCitations(folder: string): Promise<string> {
  const path = join(folder, `it's "citations".csv`);
  await writeFile(path, "doi,citations,mentions\n");
  return path;
}

async function withDuckDB<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDuckDB({ threads: 1 });
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

async function contract(id: (typeof CONTRACTS)[number]): Promise<Rubric> {
  const found = (await readContracts()).get(id);
  if (found === undefined) throw new Error(`there is no contract ${id}`);
  return found;
}

describe("the SQL files of the pipeline", () => {
  test("every SQL file runs in a build of one withdrawn record, which leaves every table empty", async () => {
    await using empty = await temporaryStore();
    const citations = await emptyCitations(empty.folder);
    const options = { paths: [join(PAYLOADS, "datacite/tombstone-registered.json")], retrievedAt: null, limit: null };
    await harvestFiles(empty.store, datacite, options, recordedEffects());
    const files = await sqlFilesRun(async () => {
      const { receipt } = await buildRelease(empty.store, { citations });
      expect(receipt.coverage).toMatchObject({ harvested: 1, tombstones: 1 });
      const options = { threads: 1, memory: "512MB", rebuild: { from: "tables" } as const };
      const { findings } = await verify(empty.store, receipt.releaseDigest, options, recordedEffects());
      expect(findings).toEqual([]);
      await askAbout(empty.store, receipt.releaseDigest);
    });
    expect(files).toEqual(sqlFiles);
  });

  test("every SQL file runs in a build of the bundled corpus, in a folder whose name would break unquoted SQL", async () => {
    await using beside = await temporaryStore();
    const store = openStore(join(beside.folder, `it's "here"; drop table record; -- $1 {a,b} %s`));
    const files = await sqlFilesRun(async () => {
      await harvestBundled(store);
      const { receipt } = await buildRelease(store, { citations: await emptyCitations(beside.folder) });
      const options = { threads: 1, memory: "512MB", rebuild: { from: "tables" } as const };
      const { findings, scores } = await verify(store, receipt.releaseDigest, options, recordedEffects());
      expect({ findings, scored: scores > 0 }).toEqual({ findings: [], scored: true });
      await askAbout(store, receipt.releaseDigest);
    });
    expect(files).toEqual(sqlFiles);
  });

  test("no SQL file uses the clock or random numbers, so a build depends only on its inputs", async () => {
    const ASKS =
      /\b(?:current_\w+|now|today|get_current_\w+|transaction_timestamp|random|uuid\w*|gen_random_uuid|setseed)\s*\(|\bcurrent_(?:date|time\w*)\b|\blocaltime\w*\b/i;
    for (const text of ["select now()", "select current_date", "order by random()"]) expect(text).toMatch(ASKS);
    for (const path of sqlFiles) {
      const text = await readFile(join(REPOSITORY, path), "utf8");
      expect({ path, asks: ASKS.exec(text)?.[0] ?? null }).toEqual({ path, asks: null });
    }
  });
});

describe("SQL that is compiled from contracts", () => {
  for (const id of CONTRACTS) {
    test(`the SQL of ${id} is valid and gives the columns of the score table`, async () => {
      const scored = [{ rubric: id, contract: await contract(id) }];
      const rows = await withDuckDB(async (db) => {
        await db.create(RECORD_TABLES.evidence);
        await scoreEvidence(db, scored, POLICY);
        expect(await db.rows("select * from score")).toEqual([]);
        return db.rows("select column_name from (describe score)");
      });
      expect(rows.map((row) => row.column_name)).toEqual(Object.keys(SCORE_TABLES.score.columns));
    });

    test(`the SQL of ${id} is rejected if a rule uses an unknown column`, async () => {
      const sound = await contract(id);
      const signals = sound.signals.map((signal) =>
        signal.bit === 0 ? { ...signal, rule: "no_such_column > 0" } : signal,
      );
      const failure = withDuckDB(async (db) => {
        await db.create(RECORD_TABLES.evidence);
        await scoreEvidence(db, [{ rubric: id, contract: { ...sound, signals } }], POLICY);
      });
      await expect(failure).rejects.toThrow("no_such_column");
    });
  }

  test("the SQL that scores all contracts is standard SQL, and coalesce is its only function", async () => {
    const sql = scoringSql(
      [...(await readContracts()).values()].map((each) => ({ rubric: each.contract, contract: each })),
      POLICY.leastEvaluable,
    );
    expect(new Set(Array.from(sql.matchAll(/\b(\w+)\(/g), ([, name]) => name))).toEqual(new Set(["coalesce"]));
    expect(sql).not.toMatch(/::|->|\[|\{|\blist\b|\bstruct\b|\bqualify\b|\bexclude\b/);
  });
});

test("quote() quotes any text so that the engine reads the same text", async () => {
  const TEXTS = [
    "",
    "plain",
    "it's",
    "''",
    "'; drop table record; --",
    "\\'",
    "a\nb",
    'say "so"',
    "$1 ? :x",
    "Ωメ\u{1f600}",
  ];
  await withDuckDB(async (db) => {
    for (const text of TEXTS) expect(await db.rows(`select ${quote(text)} as text`)).toEqual([{ text }]);
  });
});
