/**
 * Tests that a rebuild, which reuses parts of an earlier build, always has the result of a full build: after each kind of
 * change, and after each damage to the earlier build.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, cp, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildReleaseOptions } from "../../releases/activate.ts";
import { verify } from "../../releases/verify/index.ts";
import { buildRelease } from "../support/build-release.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { pagesIn } from "../support/release-pages.ts";
import { type TemporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { digestsIn, pathsIn } from "../support/tree.ts";
import { CHANGES, copyWorld, expectSame, LATER, later, rebuildWorld } from "./rebuild-world.ts";

let world: TemporaryStore;

beforeAll(async () => {
  world = await rebuildWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

const nothing = async () => undefined;

interface Case {
  readonly name: string;
  readonly change?: (store: Store) => Promise<void>;
  readonly options?: Partial<BuildReleaseOptions>;
  /** True if the rebuild can reuse pages of the earlier release. */
  readonly links: boolean;
}

const CASES: readonly Case[] = [
  { name: "a changed title", change: (store) => writeCaptures(store, [later(1, CHANGES.title)]), links: true },
  { name: "a payload that was harvested again", change: (store) => writeCaptures(store, [later(1)]), links: true },
  {
    name: "a record with one more researcher",
    change: (store) => writeCaptures(store, [later(2, CHANGES.creator)]),
    links: true,
  },
  {
    name: "a record that lost its researchers",
    change: (store) => writeCaptures(store, [later(4, CHANGES.nobody)]),
    links: true,
  },
  {
    name: "a record with another score",
    change: (store) => writeCaptures(store, [later(3, CHANGES.subjects)]),
    links: true,
  },
  { name: "a new record", change: (store) => writeCaptures(store, [later(90)]), links: true },
  {
    name: "a withdrawn record",
    change: (store) => writeCaptures(store, [{ ...later(5), payload: "", status: 410 }]),
    links: true,
  },
  {
    name: "a record that became unreadable",
    change: (store) => writeCaptures(store, [{ ...later(6), payload: "{" }]),
    links: true,
  },
  { name: "an as-of date after embargoes have ended", options: { asOf: "2031-01-01" }, links: true },
  { name: "one source fewer", options: { sources: ["datacite", "dryad"] }, links: true },
  { name: "a build without history", options: { asOf: "2026-11-02", history: false }, links: true },
  { name: "a build without attribution", options: { attribution: false }, links: true },
  { name: "a build for only one version of the contract", options: { rubrics: ["2.0"] }, links: false },
];

for (const { name, change = nothing, options = {}, links } of CASES) {
  test(`a rebuild has the files of a full build after this change: ${name}`, async () => {
    const { reused } = await expectSame(world, change, options);
    expect(reused.pages > 0).toBe(links);
    expect(reused.parts).toBeGreaterThan(0);
  });
}

test("a rebuild does not reuse a page that names a researcher who opted out", async () => {
  const release = world.store.release((await currentDigest(world.store)) ?? "");
  const [page] = [...(await pagesIn(release))].filter(([path]) => path.startsWith("api/2.0/authors/"));
  const { id, name } = JSON.parse(String(page?.[1])) as { id: string; name: string };
  expect(name.length).toBeGreaterThan(0);
  const { reused, receipt } = await expectSame(world, nothing, { withheld: [id] });
  expect(reused.pages).toBeGreaterThan(0);
  expect(receipt.withheld.count).toBe(1);
});

/** Damages to the earlier build, before a rebuild that must still have the result of a full build. */
const DAMAGES: readonly { name: string; damage: (release: string, store: Store) => Promise<void>; links: boolean }[] = [
  {
    name: "a longer pack",
    damage: (release) => appendFile(packIn(release), " "),
    links: false,
  },
  {
    name: "a changed pack of the same length",
    damage: async (release) => {
      const bytes = await readFile(packIn(release));
      bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      await writeFile(packIn(release), bytes);
    },
    links: false,
  },
  { name: "a missing pack", damage: (release) => rm(packIn(release)), links: false },
  {
    name: "a pack that is a symbolic link",
    damage: async (release) => {
      await rm(packIn(release));
      await symlink(join(release, "manifest.ndjson"), packIn(release));
    },
    links: false,
  },
  {
    name: "a changed manifest",
    damage: (release) => appendFile(join(release, "manifest.ndjson"), "{}\n"),
    links: false,
  },
  {
    name: "a changed table",
    damage: (release) => retitle(join(release, "data/records/part-0000.parquet")),
    links: false,
  },
  { name: "a missing receipt", damage: (release) => rm(join(release, "release.json")), links: false },
  { name: "a missing release folder", damage: (release) => rm(release, { recursive: true }), links: false },
  {
    name: "a missing cache/last-release.json",
    damage: (_, store) => rm(join(store.root, "cache/last-release.json")),
    links: false,
  },
  {
    name: "an invalid cache/last-release.json",
    damage: (_, store) => writeFile(join(store.root, "cache/last-release.json"), '{"releaseDigest":'),
    links: false,
  },
  {
    name: "a missing cache",
    damage: (_, store) => rm(join(store.root, "cache"), { recursive: true }),
    links: false,
  },
  {
    name: "cached parts with other bytes",
    damage: async (_, store) => {
      for (const path of await pathsIn(join(store.root, "cache/normalised"))) {
        if (path.endsWith("capture.parquet")) await appendFile(join(store.root, "cache/normalised", path), "x");
      }
    },
    links: true,
  },
  {
    name: "row digests with other bytes",
    damage: async (_, store) => {
      const path = join(store.root, "cache/row-digests/record.rows");
      const digests = await readFile(path);
      await writeFile(path, digests.fill(0, digests.length - 32));
    },
    links: true,
  },
  {
    name: "truncated row digests",
    damage: (_, store) => truncate(join(store.root, "cache/row-digests/search.rows"), 100),
    links: true,
  },
  {
    name: "missing row digests",
    damage: (_, store) => rm(join(store.root, "cache/row-digests"), { recursive: true }),
    links: true,
  },
];

describe("a rebuild after damage to the earlier build", () => {
  let wanted: Map<string, string>;

  beforeAll(async () => {
    await using full = await copyWorld(world);
    await writeCaptures(full.store, [later(1, CHANGES.title)]);
    const { receipt } = await buildRelease(full.store, { reuse: "never", activate: false }, LATER);
    wanted = filterPages(await digestsIn(full.store.release(receipt.releaseDigest)));
  });

  for (const { name, damage, links } of DAMAGES) {
    test(`a rebuild has the pages of a full build after ${name}`, async () => {
      await using copy = await copyWorld(world);
      await damage(copy.store.release((await currentDigest(copy.store)) ?? ""), copy.store);
      await writeCaptures(copy.store, [later(1, CHANGES.title)]);
      const { receipt, reused } = await buildRelease(copy.store, { reuse: "always", activate: false }, LATER);
      const made = filterPages(await digestsIn(copy.store.release(receipt.releaseDigest)));
      expect(made).toEqual(wanted);
      expect(reused.pages > 0).toBe(links);
      const settings = { threads: 2, memory: "512MB" };
      expect((await verify(copy.store, receipt.releaseDigest, settings, recordedEffects())).findings).toEqual([]);
    });
  }
});

/** Keeps only the packs of the versions, because other files of a release also depend on the previous release. */
function filterPages(files: Map<string, string>): Map<string, string> {
  return new Map([...files].filter(([path]) => /^pages\/\d/.test(path)));
}

/** Replaces all titles in a table, so that it can be read but is no longer the published one. */
async function retitle(path: string): Promise<void> {
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(
      `copy (select * replace ('x' as title) from read_parquet(${quote(path)})) to ${quote(`${path}.tmp`)} (format parquet)`,
    );
  } finally {
    db.close();
  }
  await rename(`${path}.tmp`, path);
}

function packIn(release: string): string {
  return join(release, "pages/1.0/record.zst");
}

/** Copies the program into a folder, so that a test can change one of its files. */
async function programIn(folder: string): Promise<string> {
  const program = join(folder, "program");
  for (const part of [
    "api-static",
    "bin",
    "cli",
    "fixtures",
    "releases",
    "pipeline",
    "schemas",
    "server",
    "web",
    "package.json",
    "package-lock.json",
  ]) {
    await cp(join(REPOSITORY, part), join(program, part), { recursive: true });
  }
  await symlink(join(REPOSITORY, "node_modules"), join(program, "node_modules"));
  return program;
}

const PROGRAM_CHANGES: readonly { name: string; file: string; from: string; to: string; links: boolean }[] = [
  {
    name: "a pledge, which renders only the pages of its source again",
    file: "pipeline/sources/zenodo/pledge.json",
    from: '"status": "self-attested"',
    to: '"status": "verified"',
    links: true,
  },
  {
    name: "the wording of a contract, which renders all pages again",
    file: "pipeline/rubrics/2.0.0-beta.2.json",
    from: '"question": "',
    to: '"question": "Well: ',
    links: false,
  },
  {
    name: "the program, which normalises and renders everything again",
    file: "api-static/pages/read-page.ts",
    from: "/**",
    to: "/** .",
    links: false,
  },
];

for (const { name, file, from, to, links } of PROGRAM_CHANGES) {
  test(`a rebuild equals a full build after a change to ${name}`, async () => {
    await using cheap = await copyWorld(world);
    await using full = await copyWorld(world);
    const program = await programIn(cheap.folder);
    const text = await readFile(join(program, file), "utf8");
    expect(text).toContain(from);
    await writeFile(join(program, file), text.replace(from, to));
    const run = async (store: Store, reuse: string) => {
      const words = [
        "build",
        "--as-of",
        "2026-11-02",
        "--store",
        store.root,
        "--reuse",
        reuse,
        "--force",
        "a test",
        "--json",
      ];
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(program, "bin/share-release.js"), ...words],
        {
          maxBuffer: 1 << 26,
        },
      ).catch((error: unknown) => {
        // The command exits with 3, because some of the bundled input is rejected. That is not an error here.
        if (typeof error === "object" && error !== null && "code" in error && error.code === 3 && "stdout" in error) {
          return { stdout: String(error.stdout) };
        }
        throw error;
      });
      return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    };
    const [rebuilt, built] = [await run(cheap.store, "always"), await run(full.store, "never")];
    const digest = built.receipt.releaseDigest;
    expect(rebuilt.receipt.releaseDigest).toBe(digest);
    expect(filterPages(await digestsIn(cheap.store.release(digest)))).toEqual(
      filterPages(await digestsIn(full.store.release(digest))),
    );
    expect(rebuilt.reused.pages > 0).toBe(links);
  });
}

test("a build of a small corpus caches no parts, because reading them later would save no time", async () => {
  await using copy = await copyWorld(world);
  await rm(join(copy.store.root, "cache"), { recursive: true });
  await writeCaptures(copy.store, [later(1, CHANGES.title)]);
  const { reused } = await buildRelease(copy.store, {}, LATER);
  expect(reused).toMatchObject({ parts: 0, pages: 0 });
  expect(existsSync(join(copy.store.root, "cache"))).toBe(false);
  expect((await readdir(copy.store.root)).sort()).not.toContain("cache");
});
