/**
 * Makes each forgery, and checks which ways of verification find it. The results are in docs/proofs.json, from which
 * docs/reference/proofs.md is generated. `WRITE_PROOFS=docs/proofs.json vitest run test/trust/statements.test.ts` measures them
 * again. The third tier makes every forgery by itself. CI makes one for each result and tests others together, because the
 * rebuild of a forgery takes most of the time.
 */

import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Proof, proofsFile } from "../../docs/generator/tables.ts";
import { failedGates } from "../../pipeline/6-release/gates.ts";
import { activate, readReceipt } from "../../pipeline/store/releases.ts";
import { signatureFault } from "../../pipeline/store/signatures.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type Verification, verifyFolder } from "../../releases/verify/index.ts";
import { decideComparisonExtent, findRawInputs } from "../../releases/verify/rebuild.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { python, type Verifier, verifier } from "../support/share-scores.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { rewriteTable } from "./forge.ts";
import { FORGERIES, forge, forgersWorld } from "./forgeries.ts";
import { combine, type Forgery, type Original, remake } from "./remake.ts";

const PROOFS = join(REPOSITORY, "docs/proofs.json");

/** Path of the file to which the results are written. If it is not set, the results are compared with docs/proofs.json. */
const writeTo = process.env.WRITE_PROOFS;

let world: FilledStore & Original;
/** A store with releases but without raw payloads, like that of a mirror. */
let mirror: Store;
let shareScores: Verifier | null;
const stated = proofsFile.parse(JSON.parse(await readFile(PROOFS, "utf8")));
const measured: Record<string, Proof> = {};

beforeAll(async () => {
  shareScores = python === null ? null : verifier();
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

/** Makes a forged release in the folder `download` of a temporary folder. */
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

/** Returns the result of a verification: whether the forgery was found, was missed, or could not be compared ("partly"). */
function getOutcome({ findings, rebuilt, unproven }: Verification): Proof["verify"] {
  if (findings.length > 0) return "found";
  return rebuilt !== null && (unproven.length > 0 || rebuilt.notFromRaw !== null) ? "partly" : "missed";
}

/** Moves a forged release into a store with the genuine journal, and returns whether the program activates it. */
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

/**
 * The reason that a rebuild gives for not starting from raw payloads, for forgeries whose receipt claims inputs that are not
 * available.
 */
const REASONS: readonly (readonly [names: RegExp, why: string])[] = [
  [/part that the store lacks|number of raw files/, "the receipt states 2 raw files of zenodo, and the store has 1"],
  [/hidden researchers$/, "the receipt states 1 hidden researcher: give --exclude-researchers"],
  [/enrichment$/, "the receipt states the input ror: give --ror"],
  [/another reader$|digest of a reader$/, "the receipt states another reader of zenodo"],
  [/version of the program$/, "the receipt states version 0.0.1 of the program"],
];

/**
 * Names of the forgeries that CI makes one by one: all that are found without a rebuild, and the first one of every other
 * result.
 */
const QUICK = Object.entries(stated).flatMap(([name, proof], i, all) => {
  const first = all.findIndex(([, other]) => isDeepStrictEqual(other, proof));
  return proof.verify === "found" || first === i ? [name] : [];
});

describe("a forged release in which every digest agrees with a lie", () => {
  for (const name of IS_SOAK || writeTo !== undefined ? Object.keys(FORGERIES) : QUICK) {
    test(`the documented ways of verification find this lie: ${name}`, async () => {
      await using copy = await forged(name);
      const { folder, download } = copy;
      // One verification suffices for both results: it stops before the rebuild if it finds something, and only a rebuild reports "rebuild".
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
      // The signature stays valid only if the CSV file was changed, because it is beside the release and not covered.
      expect(signature === null).toBe(name.startsWith("CSV file"));
    });
  }

  test("docs/proofs.json has exactly the forgeries that exist", () => {
    if (writeTo === undefined) expect(Object.keys(stated)).toEqual(Object.keys(FORGERIES));
  });
});

/** Makes one release with all lies whose names are the keys of `details`. */
function forgedTogether(details: Readonly<Record<string, string>>) {
  return forged(combine(Object.keys(details).map((name) => FORGERIES[name] ?? {})));
}

const listDetails = ({ findings }: Verification) =>
  findings.filter(({ check }) => check === "rebuild").map(({ detail }) => detail);

describe("releases with several lies", () => {
  test("a rebuild of a release with several lies finds each lie about raw payloads if it starts from these, and none if it starts from tables", async () => {
    const found = {
      "evidence that a rule reads": "data/evidence: the row of id",
      "title of a record": "data/records: the row of id",
      "reason why a record is not listed": "data/unlisted: the row of",
      "ORCID of a creator": "data/authorships: the row of id",
      "receipt: version of a reader": "release.json: reader of zenodo",
      "receipt: digest of raw payloads": "release.json: rawDigest of zenodo",
      "receipt: superseded payloads": "release.json: coverage",
      "receipt: time of retrieval": "release.json: newestRetrieval of zenodo",
      "receipt: rejected input": "release.json: rejected of zenodo",
      "receipt: completeness of a source": "release.json: completeness of zenodo",
      "receipt: harvested part of a source": "release.json: scopes of zenodo",
    };
    await using copy = await forgedTogether(found);
    expect(await verified(copy.download, mirror)).toMatchObject({
      findings: [],
      rebuilt: { from: "published tables" },
    });
    const details = listDetails(await verified(copy.download, world.store));
    for (const detail of Object.values(found)) expect(details).toContainEqual(expect.stringContaining(detail));
  });

  test("a rebuild of a release with several lies finds each file that differs, even if it starts from tables", async () => {
    const found = {
      diff: "data/diff.json",
      report: "report.html",
      descriptor: "croissant.json",
      "citation file": "CITATION.cff",
      "validation figure": "data/validation.json",
      "validation page": "validation.html",
      "earlier mean in the history": "data/history.json",
    };
    await using copy = await forgedTogether(found);
    const details = listDetails(await verified(copy.download, mirror));
    for (const path of Object.values(found)) expect(details).toContain(`${path} differs from the rebuild`);
  });
});

test("a rebuild gives a reason for not starting from raw payloads if the receipt states inputs that are missing", async () => {
  const genuine = await readReceipt(world.store.release(world.digest));
  if (genuine === null) throw new Error("the release has no receipt");
  const why = async (changes: Partial<Receipt>) =>
    (await findRawInputs(world.store, { ...genuine, ...changes }, {})).why;
  const [source] = genuine.sources;
  expect([
    await why({}),
    await why({ withheld: { ...genuine.withheld, count: 1 } }),
    await why({ enrichments: { ror: genuine.releaseDigest } }),
    await why({ sources: source === undefined ? [] : [{ ...source, parts: 2 }] }),
  ]).toEqual([
    null,
    "the receipt states 1 hidden researcher: give --exclude-researchers",
    "the receipt states the input ror: give --ror",
    "the receipt states 2 raw files of zenodo, and the store has 1",
  ]);
  const version = { ...genuine, tool: { ...genuine.tool, version: "0.0.1" } };
  expect([await decideComparisonExtent(genuine), await decideComparisonExtent(version)]).toEqual([
    { extent: "bytes", why: null },
    { extent: "rows", why: "the receipt states version 0.0.1 of the program" },
  ]);
});

test("a rebuild finds nothing in a genuine release", async () => {
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

describe("rebuilds by the command line", () => {
  const run = (folder: string, store: Store, ...parameters: string[]) =>
    runCommand(["release", "verify", "--folder", folder, "--store", store.root, "--rebuild", ...parameters]);

  test("release verify --rebuild exits with 4 if the receipt claims inputs that the store lacks, and says what it did not compare", async () => {
    await using copy = await forged("evidence, and a part that the store lacks");
    const why = "because the receipt states 2 raw files of zenodo, and the store has 1";
    const { exitCode, stdout } = await run(copy.download, world.store);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 4,
      stdout: expect.stringMatching(`\nnot compared: evidence and other rows of records.* raw payloads.*, ${why}\n`),
    });
    expect(await run(copy.download, world.store, "--from", "raw")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(
        "rebuild: the rebuild cannot start from raw payloads: the receipt states 2 raw files",
      ),
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

test("a release that another engine wrote is verified by digests, and the bytes of its tables stay unproven", async () => {
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
