/**
 * Makes each forgery, and checks which ways of verification find it. docs/proofs.json has the results, from which the
 * reference is generated: `WRITE_PROOFS=docs/proofs.json vitest run test/trust/statements.test.ts` writes them.
 */

import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Proof, proofsFile } from "../../docs/generator/tables.ts";
import { failedGates } from "../../pipeline/6-release/gates.ts";
import { activate, readReceipt } from "../../pipeline/store/releases.ts";
import { signatureFault } from "../../pipeline/store/signatures.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type Verification, verifyFolder } from "../../releases/verify/index.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { python, type Verifier, verifier } from "../support/share-scores.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { rewriteTable } from "./forge.ts";
import { FORGERIES, forge, forgersWorld } from "./forgeries.ts";
import { type Forgery, type Original, remake } from "./remake.ts";

const PROOFS = join(REPOSITORY, "docs/proofs.json");

/** Where to write what was measured; by default, it is compared. */
const writeTo = process.env.WRITE_PROOFS;

let world: FilledStore & Original;
/** The releases of the world without its raw payloads, as a mirror has them. */
let mirror: Store;
let shareScores: Verifier | null;
let stated: Readonly<Record<string, Proof>>;
const measured: Record<string, Proof> = {};

beforeAll(async () => {
  shareScores = python === null ? null : verifier();
  stated = proofsFile.parse(JSON.parse(await readFile(PROOFS, "utf8")));
  world = await forgersWorld();
  mirror = openStore(join(world.folder, "mirror"));
  await mkdir(mirror.root);
  await symlink(world.store.releases, mirror.releases);
});

afterAll(async () => {
  if (writeTo !== undefined) await writeFile(writeTo, `${JSON.stringify(measured, null, 2)}\n`);
  shareScores?.[Symbol.dispose]();
  await world.workers.end();
  await world[Symbol.asyncDispose]();
});

/** A folder with the forged release in `download`. */
async function forged(forgery: string | Forgery) {
  const folder = await mkdtemp(join(tmpdir(), "share-forged-"));
  const download = join(folder, "download");
  if (typeof forgery === "string") await forge(forgery, world, download);
  else await remake(world, forgery, join(folder, "scratch"), download);
  return { folder, download, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function verified(folder: string, store: Store): Promise<Verification> {
  const options = {
    ...{ threads: 1, memory: "512MB", predecessors: store, workers: world.workers },
    ...{ rebuild: {}, stopEarly: true },
  };
  const verification = await verifyFolder(folder, null, options, recordedEffects());
  if (verification === null) throw new Error(`${folder} has no receipt`);
  return verification;
}

/** The outcome of a verification, by its exit code. */
function getOutcome({ findings, rebuilt, unproven }: Verification): Proof["verify"] {
  if (findings.length > 0) return "found";
  return rebuilt !== null && (unproven.length > 0 || rebuilt.notFromRaw !== null) ? "partly" : "missed";
}

/** Puts a forged release in the place of the genuine one, and returns whether it can be activated. */
async function isActivated(folder: string, download: string): Promise<boolean> {
  const receipt = await readReceipt(download);
  if (receipt === null) throw new Error(`${download} has no receipt`);
  const store = openStore(join(folder, "store"));
  await mkdir(store.releases, { recursive: true });
  await cp(world.store.journal, store.journal);
  await rename(download, store.release(receipt.releaseDigest));
  const gated = failedGates(receipt.gates);
  return activate(store, receipt.releaseDigest).then(
    () => gated.length === 0,
    () => false,
  );
}

/** Why a rebuild of these forgeries does not start from raw payloads. The receipt can claim it, but not hide it. */
const REASONS: readonly (readonly [names: RegExp, why: string])[] = [
  [/part that the store lacks|number of raw files/, "the receipt states 2 raw files of zenodo, and the store has 1"],
  [/hidden researchers$/, "the receipt states 1 hidden researcher: give --exclude-researchers"],
  [/enrichment$/, "the receipt states the input ror: give --ror"],
  [/another reader$|digest of a reader$/, "the receipt states another reader of zenodo"],
  [/version of the program$/, "the receipt states version 0.0.1 of the program"],
];

describe("a forged release, made again from the lie on:", () => {
  for (const name of Object.keys(FORGERIES)) {
    test(name, async () => {
      await using copy = await forged(name);
      const { folder, download } = copy;
      // One run: it stops before the rebuild if the verification finds something. Only the rebuild reports "rebuild".
      const fromTables = await verified(download, mirror);
      const plain = fromTables.findings.filter(({ check }) => check !== "rebuild");
      // A rebuild from raw payloads compares everything that one from tables does.
      const isFoundEarly = fromTables.findings.length > 0;
      const fromRaw = isFoundEarly ? fromTables : await verified(download, world.store);
      const lines = await shareScores?.verify(download);
      const json = JSON.parse(await readFile(join(download, "release.json"), "utf8"));
      const signature = await signatureFault(json, world.keys);
      const proof: Proof = {
        verify: plain.length > 0 ? "found" : "missed",
        tables: getOutcome(fromTables),
        raw: getOutcome(fromRaw),
        python: lines === undefined ? (stated[name]?.python ?? false) : lines.length > 0,
        activate: (await isActivated(folder, download)) ? "missed" : "found",
      };
      measured[name] = proof;
      const seen = [...fromTables.findings, ...fromRaw.findings];
      if (writeTo === undefined) expect({ proof, seen, lines }).toEqual({ proof: stated[name], seen, lines });
      const why = REASONS.find(([names]) => names.test(name))?.[1] ?? null;
      if (!isFoundEarly) expect(fromRaw.rebuilt?.notFromRaw).toBe(why);
      // The CSV file is beside the release, which the signature does not cover.
      expect(signature === null).toBe(name.startsWith("CSV file"));
    });
  }

  test("the documentation has a row for each, and no other", () => {
    if (writeTo === undefined) expect(Object.keys(stated)).toEqual(Object.keys(FORGERIES));
  });
});

test("reports nothing about a genuine release", async () => {
  const folder = world.store.release(world.digest);
  for (const [store, from] of [
    [mirror, "published tables"],
    [world.store, "raw payloads"],
  ] as const) {
    const { findings, unproven, rebuilt } = await verified(folder, store);
    expect({ findings, unproven, rebuilt }).toEqual({
      findings: [],
      unproven: [],
      rebuilt: { from, extent: "bytes", notFromRaw: null },
    });
  }
  expect(await shareScores?.verify(folder)).toEqual(shareScores === null ? undefined : []);
});

describe("release verify --rebuild", () => {
  const run = (folder: string, store: Store, ...parameters: string[]) =>
    runCommand(["release", "verify", "--folder", folder, "--store", store.root, "--rebuild", ...parameters]);

  test("exits with 4 and says what it did not compare if the receipt claims more than the store has", async () => {
    await using copy = await forged("evidence, and a part that the store lacks");
    const why = "because the receipt states 2 raw files of zenodo, and the store has 1";
    const { exitCode, stdout } = await run(copy.download, world.store);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 4,
      stdout: expect.stringMatching(`\nnot compared: evidence and other rows of records.* raw payloads.*, ${why}\n`),
    });
    expect(await run(copy.download, world.store, "--from", "raw")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("rebuild: it cannot start from raw payloads: the receipt states 2 raw files"),
    });
  });

  test("--from tables exits with 4 if the store has raw payloads, and with 0 if it has none", async () => {
    const folder = world.store.release(world.digest);
    expect(await run(folder, world.store, "--from", "tables")).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining("because the tables of the release were chosen"),
    });
    expect(await run(folder, mirror, "--from", "tables")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("is valid"),
    });
  });
});

test("a release of another engine is verified up to the bytes of its tables", async () => {
  await using copy = await forged({
    receipt: (receipt) => ({ ...receipt, tool: { ...receipt.tool, engine: "Apache Spark 4.0.0" } }),
    files: async (folder) => {
      const receipt = await readReceipt(folder);
      for (const table of receipt === null ? [] : listReleaseTables(receipt)) {
        await rewriteTable(
          folder,
          publishedName(table),
          `select * from genuine order by ${table.key.join(", ")}`,
          ", kv_metadata {writer: 'Spark'}",
        );
      }
    },
  });
  const { findings, rebuilt, unproven } = await verified(copy.download, world.store);
  expect({ findings, rebuilt }).toEqual({
    findings: [],
    rebuilt: { from: "raw payloads", extent: "digests", notFromRaw: null },
  });
  expect(unproven).toEqual(expect.arrayContaining(["croissant.json", "data/scores"]));
  expect(unproven).not.toContain("report.html");
});
