/**
 * Attacks by a mirror of a release: changed content under the right digest, endless responses, key theft, control characters.
 */

import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestManifest } from "../../pipeline/6-release/index.ts";
import { ONLY_PART, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type FetchOptions, fetchRelease } from "../../releases/fetch/index.ts";
import { runHosted } from "../support/command-host.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, firstPage, forgePage, sealFile } from "../support/forgery.ts";
import { linkedStore, temporaryStore } from "../support/temporary-store.ts";
import { everyNth } from "../tiers.ts";
import { forgeText, smuggleFile } from "../trust/forge.ts";
import { at, signedWorld, type World } from "../trust/world.ts";
import { type Lie, type Mirror, startMirror } from "./mirror.ts";

let world: World;
/** Digest of the first release, which has no predecessor. `second` is the release after it. */
let first: string;
let second: string;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02"]);
  [first, second] = [at(world.digests, 0), at(world.digests, 1)];
});

afterAll(() => world[Symbol.asyncDispose]());

function fetched(store: Store, url: string, options: Partial<FetchOptions> = {}) {
  const defaults = { url, apiKey: null, parallel: 8, keys: null, unproven: false, threads: 2, memory: "512MB" };
  const effects = { ...recordedEffects(), fetch: globalThis.fetch, sleep: () => wait(1) };
  return fetchRelease(store, { ...defaults, ...options }, effects);
}

/** Copies a release, lets `tamper` change the copy, and serves it. */
async function forged(digest: string, tamper: (folder: string) => Promise<unknown>, lie?: Lie) {
  const copy = await temporaryStore(world.store);
  const folder = copy.store.release(digest);
  await tamper(folder);
  const mirror = await startMirror(folder, digest, lie);
  return {
    ...mirror,
    async [Symbol.asyncDispose]() {
      await mirror[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}

async function expectNothing(store: Store): Promise<void> {
  expect(await readdir(store.releases).catch(() => [])).toEqual([]);
}

/** Adds a column to a table. No digest of rows covers this column. */
async function addColumn(folder: string, table: string): Promise<void> {
  const part = `data/${table}/${ONLY_PART}`;
  const path = join(folder, part);
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table changed as select *, 'retracted' as verdict from read_parquet(${quote(path)})`);
    await db.run(`copy changed to ${quote(path)} (format parquet)`);
  } finally {
    db.close();
  }
  await sealFile(folder, part);
}

test("a small file of a mirror that states millions of rows is rejected before the rows are read", async () => {
  await using to = await temporaryStore();
  await using mirror = await forged(first, async (folder) => {
    const part = `data/authorships/${ONLY_PART}`;
    const path = join(folder, part);
    const db = await openDuckDB({ threads: 1 });
    try {
      await db.run(
        `copy (select first.* from (select * from read_parquet(${quote(path)}) limit 1) as first, range(5000000))
         to ${quote(`${path}.large`)} (format parquet, compression zstd)`,
      );
    } finally {
      db.close();
    }
    await rename(`${path}.large`, path);
    expect((await stat(path)).size).toBeLessThan(1_000_000);
    await sealFile(folder, part);
  });
  const began = process.cpuUsage();
  await expect(fetched(to.store, mirror.url, { unproven: true })).rejects.toThrow(
    /row count: data\/authorships states 5000000 rows/,
  );
  expect(process.cpuUsage(began).user).toBeLessThan(10_000_000);
  await expectNothing(to.store);
});

describe("a mirror with changed content is rejected although manifest and receipt agree", () => {
  const FORGERIES: readonly { name: string; tamper: (folder: string) => Promise<unknown>; says: string }[] = [
    {
      name: "a page of a record",
      tamper: async (f) =>
        forgePage(f, await firstPage(f, "2.0/record"), (text) => text.replace('"total":', '"total":9')),
      says: "pages/2.0/record has the root",
    },
    {
      name: "a page of the release",
      tamper: (f) =>
        forgePage(f, { family: RELEASE_FAMILY, key: "api/2.0/metrics/live.json" }, (text) =>
          text.replace("{", '{"retracted":true,'),
        ),
      says: "api/2.0/metrics/live.json differs from the rebuild",
    },
    {
      name: "a badge",
      tamper: async (f) =>
        forgePage(f, await firstPage(f, "2.0/dataset-badge"), (text) => text.replace("SHARE", "FAKE")),
      says: "pages/2.0/dataset-badge has the root",
    },
    {
      name: "the report",
      tamper: (f) => forgeText(f, "report.html", (text) => text.replace("<h1>", "<h1>Retracted: ")),
      says: "report.html differs from the rebuild",
    },
    {
      name: "a contract",
      tamper: (f) => forgeText(f, "data/contracts.json", (text) => text.replace('"rule": "', '"rule": "not ')),
      says: "input: the contract ",
    },
    {
      name: "a diff",
      tamper: (f) => forgeText(f, "data/diff.json", (text) => text.replace(/"added": \d+/, '"added": 7')),
      says: "data/diff.json differs from the rebuild",
    },
    {
      name: "a descriptor",
      tamper: (f) => forgeText(f, "croissant.json", (text) => text.replace("SHARE scores", "Better scores")),
      says: "croissant.json differs from the rebuild",
    },
    {
      name: "a citation",
      tamper: (f) => forgeText(f, "CITATION.cff", (text) => text.replace("SHARE", "FAKE")),
      says: "CITATION.cff differs from the rebuild",
    },
    {
      name: "a history of invented releases",
      tamper: (f) => forgeText(f, "data/history.json", invented),
      says: "data/history.json differs from the rebuild",
    },
    {
      name: "an additional column",
      tamper: (f) => addColumn(f, "records"),
      says: "data/records has the column verdict",
    },
    {
      name: "an additional page beside the packs",
      tamper: (f) => smuggleFile(f, "pages/login.html", "<form action=https://elsewhere.example>"),
      says: "has a line that no release can have: pages/login.html",
    },
    {
      name: "an additional file beside the tables",
      tamper: (f) => smuggleFile(f, "data/records-corrected.csv.gz", "x"),
      says: "has a line that no release can have: data/records-corrected.csv.gz",
    },
  ];

  for (const { name, tamper, says } of everyNth(FORGERIES, 2)) {
    test(`a mirror with a forgery is rejected: ${name}`, async () => {
      await using own = await temporaryStore();
      await using mirror = await forged(first, tamper);
      await expect(fetched(own.store, mirror.url)).rejects.toThrow(says);
      await expectNothing(own.store);
    });
  }

  /** Inserts an invented release before the first one into the text of data/history.json. */
  function invented(text: string): string {
    const [only] = JSON.parse(text);
    const earlier = { ...only, scoreReleaseVersion: "2020.01.01", totalRecords: 1 };
    return `${JSON.stringify([earlier, { ...earlier, rubric: "1.0" }, ...JSON.parse(text)], null, 1)}\n`;
  }
});

describe("texts of a release, such as its report, that neither the digest nor a key proves", () => {
  test("a text that neither digest nor key proves is rejected, and the error names the options that accept it", async () => {
    await using own = await temporaryStore();
    await using mirror = await startMirror(world.store.release(second), second);
    await expect(fetched(own.store, mirror.url)).rejects.toThrow(
      /data\/diff\.json.*report\.html.*--key.*--allow-unverified|report\.html.*data\/diff\.json.*--key.*--allow-unverified/,
    );
    await expectNothing(own.store);
  });

  const WAYS: readonly { name: string; options: () => Partial<FetchOptions>; before: boolean; unproven: boolean }[] = [
    { name: "with a pinned key", options: () => ({ keys: world.keys }), before: false, unproven: false },
    { name: "if the store has the previous release", options: () => ({}), before: true, unproven: false },
    { name: "if an option allows unproven texts", options: () => ({ unproven: true }), before: false, unproven: true },
  ];
  for (const { name, options, before, unproven } of WAYS) {
    test(`a text that the digest does not prove is accepted ${name}`, async () => {
      await using own = await temporaryStore();
      for (const digest of before ? [first, second] : [second]) {
        await using mirror = await startMirror(world.store.release(digest), digest);
        const result = await fetched(own.store, mirror.url, options());
        if (digest !== second) continue;
        expect(result).toMatchObject({ created: true, releaseDigest: second });
        expect(result.unproven.includes("report.html")).toBe(unproven);
      }
    });
  }

  test("a forged report is found if the store has the previous release", async () => {
    await using own = await linkedStore(world.store);
    await rm(own.store.release(second), { recursive: true });
    await using mirror = await forged(second, (f) =>
      forgeText(f, "report.html", (text) => text.replace("<h1>", "<h1>Retracted: ")),
    );
    await expect(fetched(own.store, mirror.url)).rejects.toThrow("report.html differs from the rebuild");
  });
});

describe("a mirror whose files were not verified yet", () => {
  const rejecting = async (mirror: Mirror, says: string | RegExp, options: Partial<FetchOptions> = {}) => {
    await using own = await temporaryStore();
    await expect(fetched(own.store, mirror.url, options)).rejects.toThrow(says);
    await expectNothing(own.store);
    expect(await readdir(own.store.incoming).catch(() => [])).toEqual([]);
  };

  test("a mirror is rejected before other requests if its receipt has no signature", async () => {
    await using mirror = await forged(first, (f) => editReceipt(f, (receipt) => ({ ...receipt, signature: null })));
    await rejecting(mirror, "signature: the release is not signed", { keys: world.keys });
    expect(mirror.asked.map(({ path }) => path)).toEqual(["release.json"]);
  });

  test("a mirror is rejected if its receipt does not match the digest", async () => {
    await using mirror = await forged(first, (f) =>
      editReceipt(f, (receipt) => ({
        ...receipt,
        content: { ...receipt.content, tables: { ...receipt.content.tables, scores: `sha256:${"0".repeat(64)}` } },
      })),
    );
    await rejecting(mirror, "is not the receipt of the requested release");
    expect(mirror.asked.map(({ path }) => path)).toEqual(["release.json"]);
  });

  const writeManifest = (text: string) => async (folder: string) => {
    const manifest = join(folder, "manifest.ndjson");
    await writeFile(manifest, text);
    const manifestDigest = await digestManifest(manifest);
    await editReceipt(folder, (receipt) => ({ ...receipt, manifestDigest }));
  };

  test("a mirror whose manifest is one line of 600 MB is rejected, and the line is neither stored nor held in memory", async () => {
    const size = 600 * 2 ** 20;
    const piece = Buffer.alloc(2 ** 20, "a");
    const endless: Lie = (path, _request, response) => {
      if (path !== "manifest.ndjson") return false;
      response.writeHead(200);
      let sent = 0;
      const more = () => {
        for (; sent < size; sent += piece.length) if (!response.write(piece)) return void response.once("drain", more);
        response.end();
      };
      more();
      return true;
    };
    await using mirror = await forged(first, async () => undefined, endless);
    const before = process.memoryUsage().rss;
    await rejecting(mirror, "which no release can have");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  for (const [name, text, says] of [
    [
      "a line that is too long",
      `{"path":"${"a".repeat(70_000)}","bytes":0,"sha256":"${"0".repeat(64)}"}\n`,
      "has a line that no release can have: one that cannot be read",
    ],
    ["an invalid line", "{}\n", "no release can have: one that cannot be read"],
    [
      "a path with terminal control characters",
      `${JSON.stringify({ path: "api/\u001b]0;owned\u0007\u202e", bytes: 0, sha256: "0".repeat(64) })}\n`,
      "no release can have: api/",
    ],
  ] as const) {
    test(`a mirror whose manifest has ${name} is rejected before another file is requested`, async () => {
      await using mirror = await forged(first, writeManifest(text));
      await rejecting(mirror, says);
      expect(mirror.asked.map(({ path }) => path)).toEqual(["release.json", "manifest.ndjson"]);
    });
  }
});

describe("sending the key for a private mirror", () => {
  test("the key for a private mirror is not sent to another origin: a redirect there is followed without the key", async () => {
    await using elsewhere = await startMirror(world.store.release(first), first);
    await using mirror = await startMirror(world.store.release(first), first, (path, _request, response) => {
      const moved = path.startsWith("data/");
      if (moved) response.writeHead(302, { location: `${elsewhere.url}/${path}` }).end();
      return moved;
    });
    await using own = await temporaryStore();
    await fetched(own.store, mirror.url, { apiKey: "share_live_secret" });
    expect(new Set(mirror.asked.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set(["share_live_secret"]));
    expect(elsewhere.asked.length).toBeGreaterThan(10);
    expect(elsewhere.asked.filter(({ headers }) => headers["x-api-key"] !== undefined)).toEqual([]);
  });

  test("a mirror that redirects in a loop is rejected after five redirects", async () => {
    await using mirror = await startMirror(world.store.release(first), first, (path, request, response) => {
      if (!path.startsWith("data/scores/part-0000.parquet")) return false;
      response.writeHead(307, { location: request.url ?? "" }).end();
      return true;
    });
    await using own = await temporaryStore();
    await expect(fetched(own.store, mirror.url)).rejects.toThrow("redirects more than 5 times");
  });
});

/** Finds characters that control a terminal or reverse its text. */
function steering(text: string): string[] {
  return text.replace(/[\n\t]/g, "").match(/[\p{Cc}\p{Bidi_Control}]/gu) ?? [];
}

test("the output of release fetch contains no control characters from a mirror's files", async () => {
  const words = "\u001b]0;owned\u0007\u001b[2J\u202edlrow\u009b31m";
  await using mirror = await forged(first, (f) => smuggleFile(f, `data/x${words.replaceAll("/", "")}`, "x"));
  await using own = await temporaryStore();
  const { stderr, stdout, exitCode } = await runHosted(["release", "fetch", mirror.url, "--store", own.store.root]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("has a line that no release can have");
  expect(steering(stdout + stderr)).toEqual([]);
});

test("the output of release verify contains no control characters from the names of files", async () => {
  await using copy = await temporaryStore(world.store);
  const folder = copy.store.release(first);
  await writeFile(join(folder, "data/\u001b[31mred\u202e"), await readFile(join(folder, "release.json")));
  const { stdout, exitCode } = await runHosted(["release", "verify", "--folder", folder]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("extra file: data/");
  expect(steering(stdout)).toEqual([]);
});
