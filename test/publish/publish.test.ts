/** Tests `release publish` to a folder and to a bucket. Both have the same cases and the same result, byte for byte. */

import { appendFile, cp, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishCommand } from "../../cli/commands/release-publish.ts";
import { UsageError } from "../../cli/options/exit-codes.ts";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { CSV_FILES } from "../../releases/export-csv.ts";
import { prune } from "../../releases/prune.ts";
import { publish } from "../../releases/publish/index.ts";
import { s3Address } from "../../releases/publish/s3-bucket.ts";
import { verify } from "../../releases/verify/index.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, flipByte } from "../support/forgery.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn, touchesIn } from "../support/tree.ts";
import { casesToRun, IS_FIRST } from "../tiers.ts";
import { at } from "../trust/world.ts";
import { mirrorCases } from "./mirror-cases.ts";
import { pagesCases } from "./pages-cases.ts";
import { PLACES, type PublishedPlace, releaseAt } from "./places.ts";
import { byHand, expectPublished, getReleaseFolder, published, readManifestLines, smallWorld } from "./publications.ts";

function usageCases(getWorld: () => FilledStore): void {
  /** Runs `release publish`, and returns its error or that of the option parser; null if it succeeds. */
  async function thrownBy(parameters: readonly string[]): Promise<unknown> {
    const said: string[] = [];
    const command = publishCommand()
      .exitOverride()
      .configureOutput({ writeErr: (text) => said.push(text) });
    const whole = ["node", "share-release", ...parameters, "--store", getWorld().store.root];
    return command.parseAsync(whole).then(
      () => null,
      (error: unknown) => error,
    );
  }

  const USAGE: readonly { name: string; parameters: readonly string[]; says: string }[] = [
    { name: "a missing target", parameters: [], says: "--to" },
    {
      name: "credentials in the URL",
      parameters: ["--to", "s3://me:hush@scores"],
      says: "--to expects s3://bucket",
    },
    {
      name: "a target with another protocol",
      parameters: ["--to", "https://scores.example.org"],
      says: "--to expects a folder or s3://",
    },
    {
      name: "credentials in the endpoint",
      parameters: ["--to", "s3://scores", "--endpoint", "https://me:hush@s3.example.org"],
      says: "--endpoint expects an http or https URL",
    },
    {
      name: "--endpoint for a folder",
      parameters: ["--to", "www", "--endpoint", "http://localhost"],
      says: "require --to s3://",
    },
    {
      name: "--include-researchers without --pages",
      parameters: ["--to", "s3://scores", "--include-researchers"],
      says: "--include-researchers requires --pages and a bucket",
    },
    {
      name: "--include-researchers for a folder",
      parameters: ["--to", "www", "--pages", "--include-researchers"],
      says: "--include-researchers requires --pages and a bucket",
    },
    { name: "too many parallel requests", parameters: ["--to", "www", "--parallel", "65"], says: "from 1 to 64" },
  ];

  test.each(USAGE)("release publish rejects $name", async ({ parameters, says }) => {
    const thrown = await thrownBy(parameters);
    expect(thrown).toMatchObject({ message: expect.stringContaining(says) });
    expect(thrown).toSatisfy((error) => error instanceof UsageError || String(error.code).startsWith("commander."));
    expect(String(thrown)).not.toContain("hush");
  });

  test("release publish rejects the store itself as the target, in one line and with exit code 2", async () => {
    const { root } = getWorld().store;
    const { exitCode, stderr } = await runCommand(["release", "publish", "--to", `${root}/../store`, "--store", root]);
    expect({ exitCode, lines: stderr.trimEnd().split("\n") }).toEqual({
      exitCode: 2,
      lines: [expect.stringContaining("share-release release activate")],
    });
  });

  test.each([
    ["s3://scores", { bucket: "scores", prefix: "" }],
    ["s3://scores/", { bucket: "scores", prefix: "" }],
    ["s3://scores/a/b.c", { bucket: "scores", prefix: "a/b.c/" }],
    ["s3://scores/a/", { bucket: "scores", prefix: "a/" }],
    ["s3://scores//a", null],
    ["s3://scores/../a", null],
    ["s3://scores/a b", null],
    ["s3://Scores", null],
    ["s3://", null],
  ])("the target %s is read as %j (bucket and prefix), and an invalid one as null", (text, address) => {
    expect(s3Address(text)).toEqual(address);
  });
}

const PATHS = [...CSV_FILES.keys()];

/** Reads a CSV file and its Parquet table as rows of text, expects them to be equal, and returns the rows. */
async function readRows(db: Database, csv: string, parquet: string, key: readonly string[]): Promise<unknown[][]> {
  const columns = (await db.rows(`describe select * from read_parquet(${quote(parquet)})`)).map(
    ({ column_name: name, column_type: type }) => [String(name), String(type)] as const,
  );
  const typed = columns.map(([name, type]) => `${quote(name)}: ${quote(type)}`).join(", ");
  const texts = columns.map(([name]) => `cast("${name}" as varchar)`).join(", ");
  const read = `read_csv(${quote(csv)}, header = true, auto_detect = false, columns = {${typed}}, quote = '"', escape = '"', delim = ',', allow_quoted_nulls = false)`;
  const order = key.map((name) => `"${name}"`).join(", ");
  const all = async (from: string, sorted: string) => {
    const rows: unknown[][] = [];
    for await (const batch of db.stream(`select ${texts} from ${from} ${sorted}`)) rows.push(...batch);
    return rows;
  };
  const [ours, theirs] = [await all(read, ""), await all(`read_parquet(${quote(parquet)})`, `order by ${order}`)];
  expect(ours).toEqual(theirs);
  return ours;
}

function csvCases(getWorld: () => FilledStore, { kind, open }: (typeof PLACES)[number]): void {
  const newer = () => at(getWorld().digests, 1);

  test("release publish --csv adds the tables as CSV files, and adds nothing the second time", async () => {
    const { store } = getWorld();
    await using place = await open();
    const dry = await published(store, place, newer(), { csv: true, dryRun: true });
    expect(await place.paths()).toEqual([]);
    const first = await published(store, place, newer(), { csv: true });
    expect(first.csv).toMatchObject({ uploaded: PATHS.length, unchanged: 0 });
    expect(dry.csv).toEqual(first.csv);
    const made = async (path: string) => (await place.read(`${getReleaseFolder(newer())}/${path}`)) ?? Buffer.alloc(0);
    const sizes = await Promise.all(PATHS.map(async (path) => (await made(path)).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(first.csv?.bytes);
    const again = await published(store, place, newer(), { csv: true });
    expect(again.csv).toEqual({ uploaded: 0, unchanged: PATHS.length, bytes: 0 });
    expect((await published(store, place, newer())).csv).toBeNull();
    expect((await made(at(PATHS, 0))).length).toBe(sizes[0]);
  });

  if (kind !== "a folder") return;

  test("published CSV files have the rows of the tables in the order of their keys, as `release export` prints them", async () => {
    const { store } = getWorld();
    await using place = await open();
    await published(store, place, newer(), { csv: true });
    const folder = join(at(place.options, 1), getReleaseFolder(newer()));
    const db = await openDuckDB({ threads: 1 });
    let rows = 0;
    try {
      for (const [path, { table, parquet }] of CSV_FILES) {
        const parts = parquet.endsWith(".parquet") ? parquet : `${parquet}/*.parquet`;
        rows += (await readRows(db, join(folder, path), join(folder, parts), table.key)).length;
      }
    } finally {
      db.close();
    }
    expect(rows).toBeGreaterThan(50);
    const printed = await runCommand(["release", "export", "scores", "--release", newer(), "--store", store.root]);
    const packed = await readFile(join(folder, "data/scores.csv.gz"));
    expect(printed).toMatchObject({ exitCode: 0, stdout: gunzipSync(packed).toString("utf8") });
    const unknown = await runCommand(["release", "export", "evidence", "--store", store.root]);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toContain("there is no table evidence");
  });

  test("verify accepts published CSV files, and reports a CSV file that differs from its table", async () => {
    await using place = await open();
    await published(getWorld().store, place, newer(), { csv: true });
    const store = openStore(at(place.options, 1));
    const findings = async () =>
      (await verify(store, newer(), { threads: 1, memory: "256MB" }, recordedEffects())).findings;
    expect(await findings()).toEqual([]);
    const scores = join(store.release(newer()), "data/scores.csv.gz");
    await appendFile(scores, "one more line");
    expect(await findings()).toEqual([{ check: "csv", detail: "data/scores.csv.gz does not match its table" }]);
    expect((await published(getWorld().store, place, newer(), { csv: true })).csv).toMatchObject({ uploaded: 1 });
    expect(await findings()).toEqual([]);
    await rm(scores);
    await appendFile(join(store.release(newer()), "data/evidence.csv.gz"), "no table that can be had so");
    expect(await findings()).toEqual([{ check: "extra file", detail: "data/evidence.csv.gz" }]);
  });
}

let world: FilledStore;
let older: string;
let newer: string;

beforeAll(async () => {
  world = await smallWorld();
  older = at(world.digests, 0);
  newer = at(world.digests, 1);
});
afterAll(() => world[Symbol.asyncDispose]());

/** Lists the requests so far that changed the bucket; none for a folder. */
const writes = (place: PublishedPlace) => place.s3?.requests.filter((request) => !/^(?:GET|HEAD) /.test(request)) ?? [];

describe.each(casesToRun(PLACES))("publications to $kind", ({ kind, open }) => {
  if (!IS_FIRST) csvCases(() => world, { kind, open });

  test("a publication sends every file, and a second run sends and changes nothing", async () => {
    await using place = await open();
    const dry = await published(world.store, place, newer, { dryRun: true });
    expect(await place.paths()).toEqual([]);
    const first = await published(world.store, place, newer);
    await expectPublished(world.store, place, [newer]);
    const lines = await readManifestLines(world.store, newer);
    // Two more files are sent: the manifest and the receipt, which the manifest does not list.
    expect(first).toMatchObject({ releaseDigest: newer, uploaded: lines.length + 2, unchanged: 0, pages: null });
    const manifest = (await readFile(join(world.store.release(newer), "manifest.ndjson"))).length;
    const receipt = (await readFile(join(world.store.release(newer), "release.json"))).length;
    expect(first.bytes).toBe(lines.reduce((sum, { bytes }) => sum + bytes, 0) + manifest + receipt);
    expect(dry).toEqual({ ...first, dryRun: true });

    const wrote = writes(place).length;
    const touched = place.s3 === null ? await touchesIn(at(place.options, 1)) : null;
    expect(await published(world.store, place, newer)).toMatchObject({
      uploaded: 0,
      unchanged: lines.length + 2,
      bytes: 0,
    });
    expect(writes(place).length).toBe(wrote);
    if (place.s3 === null) expect(await touchesIn(at(place.options, 1))).toEqual(touched);
    else expect(place.s3.requests.filter((request) => request.includes("list-type")).length).toBeLessThanOrEqual(3);
  });

  test("a publication sends only new files of the next release, and leaves the earlier release in place", async () => {
    await using place = await open();
    await published(world.store, place, older);
    const had = new Set((await readManifestLines(world.store, older)).map(({ sha256 }) => sha256));
    const lines = await readManifestLines(world.store, newer);
    const lacking = lines.filter(({ sha256 }) => !had.has(sha256));
    expect(lacking.length).toBeLessThan(lines.length);
    const result = await published(world.store, place, newer);
    expect(result).toMatchObject({ uploaded: lacking.length + 2, unchanged: lines.length - lacking.length });
    await expectPublished(world.store, place, [older, newer]);
  });

  test("a publication only moves the pointer if the release is there already", async () => {
    await using place = await open();
    await published(world.store, place, older);
    await published(world.store, place, newer);
    expect(await published(world.store, place, older)).toMatchObject({ uploaded: 0, bytes: 0 });
    await expectPublished(world.store, place, [newer, older]);
  });

  test("a publication resumes after an interruption: it sends only incomplete files again, and removes files of no release", async () => {
    await using place = await open();
    await published(world.store, place, newer);
    const whole = await releaseAt(place, newer);
    await breakUp(place);
    const result = await published(world.store, place, newer);
    expect(await releaseAt(place, newer)).toEqual(whole);
    await expectPublished(world.store, place, [newer]);
    // Three files are sent again: a garbled pack, a truncated pack, and the receipt.
    expect(result).toMatchObject({ uploaded: 3, unchanged: whole.size - 3 });
  });

  /** Damages the published newer release as a killed publication could, and also garbles complete files. */
  async function breakUp(place: PublishedPlace): Promise<void> {
    const packs = (await readManifestLines(world.store, newer)).filter(({ path }) => path.endsWith(".zst"));
    const [garbled, short] = [at(packs, 0), at(packs, 1)];
    if (place.s3 === null) {
      const root = at(place.options, 1);
      const incoming = join(root, "incoming", newer.replace(":", "-"));
      await mkdir(join(incoming, "parts"), { recursive: true });
      // The copied files have other times, so the publication must recognise complete files by their bytes.
      await cp(join(root, getReleaseFolder(newer)), join(incoming, "tree"), { recursive: true });
      await rm(join(root, getReleaseFolder(newer)), { recursive: true });
      await rm(join(incoming, "tree/release.json"));
      await writeFile(join(incoming, "tree/release.json.tmp"), "{");
      await writeFile(join(incoming, "parts/half"), "half");
      await writeFile(join(root, "releases.json.tmp"), "[");
      const { atime, mtime } = await stat(join(incoming, "tree", garbled.path));
      await flipByte(join(incoming, "tree", garbled.path));
      await utimes(join(incoming, "tree", garbled.path), atime, mtime);
      await writeFile(join(incoming, "tree", short.path), "{");
      return;
    }
    await byHand(place, "DELETE", `${getReleaseFolder(newer)}/release.json`);
    await byHand(place, "PUT", `${getReleaseFolder(newer)}/${garbled.path}`, "", Buffer.alloc(garbled.bytes, "x"));
    await byHand(place, "PUT", `${getReleaseFolder(newer)}/${short.path}`, "", Buffer.from("{"));
    await byHand(place, "PUT", `${getReleaseFolder(newer)}/stray.json`, "", Buffer.from("{}"));
    await byHand(place, "POST", `${getReleaseFolder(newer)}/data/records/part-0000.parquet`, "?uploads");
    expect(await place.s3.uploads()).toHaveLength(1);
  }

  test("a publication sends files again if the published earlier release lost one, or has a damaged manifest", async () => {
    await using place = await open();
    await published(world.store, place, older);
    const both = new Set((await readManifestLines(world.store, newer)).map(({ path, sha256 }) => `${path} ${sha256}`));
    const shared = (await readManifestLines(world.store, older)).filter(({ path, sha256 }) =>
      both.has(`${path} ${sha256}`),
    );
    await lose(place, `${getReleaseFolder(older)}/${at(shared, 0).path}`);
    const effects = recordedEffects();
    const first = await publish(
      world.store,
      newer,
      await place.target(effects),
      { parallel: 8, dryRun: true },
      effects,
    );
    const second = await published(world.store, place, newer);
    expect(second.uploaded).toBe(first.uploaded + 1);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(world.store.release(newer)));

    await using another = await open();
    await published(world.store, another, older);
    await lose(another, `${getReleaseFolder(older)}/manifest.ndjson`, Buffer.from("{}\n"));
    await publish(world.store, newer, await another.target(effects), { parallel: 8, dryRun: false }, effects);
    expect(effects.logged).toMatchObject([{ event: "publish-base-damaged", releaseDigest: older }]);
    expect(await releaseAt(another, newer)).toEqual(await digestsIn(world.store.release(newer)));
  });

  async function lose(place: PublishedPlace, path: string, instead: Buffer | null = null): Promise<void> {
    if (place.s3 !== null) return byHand(place, instead === null ? "DELETE" : "PUT", path, "", instead);
    const file = join(at(place.options, 1), path);
    await (instead === null ? rm(file) : writeFile(file, instead));
  }

  test("a publication restores a lost file of a published release if the receipt there was deleted too", async () => {
    await using place = await open();
    for (const digest of [older, newer]) await published(world.store, place, digest);
    for (const path of ["data/scores/part-0000.parquet", "release.json"])
      await lose(place, `${getReleaseFolder(newer)}/${path}`);
    await published(world.store, place, newer);
    await expectPublished(world.store, place, [older, newer]);
  });

  describe("rejected publications", () => {
    const DAMAGES: readonly { name: string; damage: (folder: string) => Promise<unknown>; says: string }[] = [
      {
        name: "a missing file",
        damage: (folder) => rm(join(folder, "data/scores/part-0000.parquet")),
        says: "is missing",
      },
      {
        name: "a longer file",
        damage: (folder) => appendFile(join(folder, "data/scores/part-0000.parquet"), "x"),
        says: "bytes, not",
      },
      {
        name: "a file with one changed byte",
        damage: (folder) => flipByte(join(folder, "pages/2.0/record.zst")),
        says: "does not match the manifest",
      },
      {
        name: "a changed manifest",
        damage: (folder) => appendFile(join(folder, "manifest.ndjson"), "{}\n"),
        says: "manifest.ndjson is",
      },
    ];
    let copy: TemporaryStore;
    let place: PublishedPlace;
    let before: Map<string, string>;
    beforeAll(async () => {
      copy = await temporaryStore(world.store);
      place = await open();
      await published(world.store, place, older);
      before = await releaseAt(place, older);
    });
    afterAll(async () => {
      await copy[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    test.each(DAMAGES)(
      "a publication leaves the target unchanged if the release has $name",
      async ({ damage, says }) => {
        const folder = copy.store.release(newer);
        await rm(folder, { recursive: true });
        await cp(world.store.release(newer), folder, { recursive: true, preserveTimestamps: true });
        await damage(folder);
        await expect(published(copy.store, place, newer)).rejects.toThrow(says);
        expect(await releaseAt(place, older)).toEqual(before);
        expect(await place.pointed()).toBe(older);
        expect(await place.paths()).not.toContain(`${getReleaseFolder(newer)}/release.json`);
      },
    );

    test("a publication leaves the target unchanged if another build of the same release is published there", async () => {
      const folder = copy.store.release(older);
      await editReceipt(folder, (receipt) => ({ ...receipt, publishedAt: "2026-12-24T12:00:00.000Z" }));
      await expect(published(copy.store, place, older)).rejects.toThrow("another build of");
      expect(await releaseAt(place, older)).toEqual(before);
    });
  });

  test("a publication protects its release from pruning, and prevents other publications from its store", async () => {
    await using place = await open();
    await using copy = await temporaryStore(world.store);
    const effects = recordedEffects();
    const target = await place.target(effects);
    const seen: unknown[] = [];
    const looking = {
      ...target,
      current: async () => {
        if (seen.length === 0) {
          seen.push(await prune(copy.store, 1, true), await published(copy.store, place, older).catch(String));
        }
        return target.current();
      },
    };
    await publish(copy.store, older, looking, { parallel: 4, dryRun: false }, effects);
    expect(seen).toMatchObject([
      { removed: [], kept: [{ releaseDigest: older, why: "held" }] },
      expect.stringContaining("is working in this folder"),
    ]);
    expect(kind).not.toBe("");
  });
});

if (!IS_FIRST) {
  describe("published files", () => mirrorCases(() => world));
  describe("pages as single files", () => pagesCases(() => world));
  describe("the options of release publish", () => usageCases(() => world));
}
