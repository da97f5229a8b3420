/** Tests that verification finds every kind of damage and forgery of a release, and names the path or the row. */

import { rename, rm, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Finding, verify } from "../../releases/verify/index.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, firstPage, flipByte, forgePage, forgeScore, resealAs, sealFile } from "../support/forgery.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";
import { casesToRun, IS_FIRST } from "../tiers.ts";

let original: TemporaryStore;
let digest: string;
/** Paths of the packs with record pages and with badges. A release as small as this one has one pack of each kind. */
const RECORDS = "pages/2.0/record.zst";
const BADGES = "pages/2.0/dataset-badge.zst";

beforeAll(async () => {
  // The release has one source, so that few files are copied for each damage.
  const filled = await filledStore({ bundled: ["zenodo"], builds: [{ sources: ["zenodo"] }] });
  original = filled;
  digest = filled.last.releaseDigest;
  await rm(original.store.work(""), { recursive: true });
  await rm(original.store.raw(""), { recursive: true });
});

afterAll(() => original[Symbol.asyncDispose]());

interface Damage {
  readonly name: string;
  readonly damage: (folder: string) => Promise<void>;
  /** The expected findings in order: the check of each, and part of its text. */
  readonly findings: () => readonly (readonly [check: string, names: string])[];
  /** True if further findings follow, because pages repeat the receipt or the exact byte matters. */
  readonly more?: true;
}

const OTHER = `sha256:${"0".repeat(64)}`;

const DAMAGES: readonly Damage[] = [
  {
    name: "a flipped byte in a pack",
    damage: (folder) => flipByte(join(folder, RECORDS)),
    findings: () => [["changed file", `${RECORDS} is sha256 `]],
    more: true,
  },
  {
    name: "a changed page in a pack, even if the manifest has the pack's new digest",
    damage: async (folder) => {
      const page = await firstPage(folder, "2.0/record");
      await forgePage(folder, page, (text) => text.replace('"title":', '"title":"Retracted: ","was":'));
    },
    findings: () => [
      ["pages", "pages/2.0/record has the root sha256:"],
      ["release digest", "the tables and pages give the digest sha256:"],
    ],
  },
  {
    name: "a changed badge in a pack, even if the manifest has the pack's new digest",
    damage: async (folder) => {
      await forgePage(folder, await firstPage(folder, "2.0/dataset-badge"), (text) => text.replace("SHARE", "FAKE"));
    },
    findings: () => [
      ["pages", "pages/2.0/dataset-badge has the root sha256:"],
      ["release digest", "the tables and pages give the digest sha256:"],
    ],
  },
  {
    name: "a flipped byte in a Parquet file",
    damage: (folder) => flipByte(join(folder, "data/facets/part-0000.parquet"), 40),
    findings: () => [["changed file", "data/facets/part-0000.parquet is sha256 "]],
    more: true,
  },
  {
    name: "a flipped byte in the manifest",
    damage: (folder) => flipByte(join(folder, "manifest.ndjson"), 100),
    findings: () => [["manifest", "manifest.ndjson is sha256:"]],
    more: true,
  },
  {
    name: "a missing manifest",
    damage: (folder) => unlink(join(folder, "manifest.ndjson")),
    findings: () => [["missing file", "manifest.ndjson"]],
  },
  {
    name: "an edited release digest",
    damage: (folder) => editReceipt(folder, (receipt) => ({ ...receipt, releaseDigest: OTHER })),
    findings: () => [
      ["receipt", `release.json states ${OTHER} for releaseDigest`],
      ["release digest", digest],
    ],
    more: true,
  },
  {
    name: "an edited manifest digest",
    damage: (folder) => editReceipt(folder, (receipt) => ({ ...receipt, manifestDigest: OTHER })),
    findings: () => [["manifest", `the receipt states ${OTHER}`]],
  },
  {
    name: "an edited as-of date",
    damage: (folder) => editReceipt(folder, (receipt) => ({ ...receipt, asOf: "2026-11-02" })),
    findings: () => [["receipt", "release.json states 2026-11-02 for asOf"]],
    more: true,
  },
  {
    name: "a changed count of scored records, even if the sum of the counts is right",
    damage: (folder) =>
      editReceipt(folder, (receipt) => ({
        ...receipt,
        coverage: { ...receipt.coverage, scored: receipt.coverage.scored - 1, failed: receipt.coverage.failed + 1 },
      })),
    findings: () => [
      ["receipt", "release.json contradicts itself: the sources have "],
      ["receipt", "release.json contradicts itself: the sources have "],
    ],
    more: true,
  },
  {
    name: "an invalid receipt",
    damage: (folder) => writeFile(join(folder, "release.json"), "{"),
    findings: () => [["receipt", "release.json cannot be read"]],
  },
  {
    name: "a missing pack",
    damage: (folder) => unlink(join(folder, RECORDS)),
    findings: () => [["missing file", RECORDS]],
  },
  {
    name: "a missing Parquet file",
    damage: (folder) => unlink(join(folder, "data/scores/part-0000.parquet")),
    findings: () => [
      ["extra file", "data/scores/"],
      ["missing file", "data/scores/part-0000.parquet"],
      ["data", "data/scores"],
    ],
  },
  {
    name: "additional files, even at the start and the end of the list",
    damage: async (folder) => {
      await writeFile(join(folder, "a"), "");
      await writeFile(join(folder, "data/zzz.json"), "{}\n");
      await writeFile(join(folder, "~"), "");
    },
    findings: () => [
      ["extra file", "a"],
      ["extra file", "data/zzz.json"],
      ["extra file", "~"],
    ],
  },
  {
    name: "a truncated pack",
    damage: (folder) => truncate(join(folder, BADGES), 20),
    findings: () => [["changed file", `${BADGES} has 20 bytes`]],
  },
  {
    name: "a truncated Parquet file",
    damage: (folder) => truncate(join(folder, "data/scores/part-0000.parquet"), 500),
    findings: () => [
      ["changed file", "data/scores/part-0000.parquet has 500 bytes"],
      ["data", "data/scores"],
      ["parquet", "data/scores"],
    ],
  },
];

describe("valid releases", () => {
  test("verification of a valid release finds nothing wrong", async () => {
    const result = await verified(original, digest);
    expect(result.findings).toEqual([]);
    expect(result.scores).toBeGreaterThan(40);
    expect(result.files).toBe((await pathsIn(original.store.release(digest))).length - 2);
  });
});

describe("verification of a damaged release", () => {
  for (const { name, damage, findings, more } of casesToRun(DAMAGES, 4)) {
    test(`verification finds ${name}`, async () => {
      await using copy = await temporaryStore(original.store);
      await damage(copy.store.release(digest));
      const result = await verified(copy, digest, false);
      if (!more) expect(result.findings).toHaveLength(findings().length);
      for (const [at, [check, names]] of findings().entries()) {
        expect(result.findings[at]).toMatchObject({ check, detail: expect.stringContaining(names) });
      }
    });
  }
});

describe("verification finds a forged score", () => {
  test("a forged score is found by the table's root and by a rebuild, if manifest and receipt agree with it", async () => {
    await using copy = await temporaryStore(original.store);
    const folder = copy.store.release(digest);
    const id = await forgeScore(folder);
    await sealFile(folder, "data/scores/part-0000.parquet");
    const { findings } = await verified(copy, digest);
    expect(listChecks(findings).slice(0, 2)).toEqual(["table", "release digest"]);
    expect(findings[0]?.detail).toContain("data/scores has the root");
    const detail = `data/scores: the row of id ${id}, rubric 2.0 differs from the rebuild`;
    expect(findings).toContainEqual({ check: "rebuild", detail });
  });

  // test/trust/statements.test.ts, in the second test tier, forges every fact of a release.
  if (IS_FIRST) return;
  test("a forged score is found by a rebuild from the evidence, if even the release digest agrees with it", async () => {
    await using copy = await temporaryStore(original.store);
    const folder = copy.store.release(digest);
    const id = await forgeScore(folder);
    await sealFile(folder, "data/scores/part-0000.parquet");
    const forged = await resealAs(folder);
    await rename(folder, copy.store.release(forged));
    // Without a rebuild, only the Parquet statistics show the forgery, because they still have the original values.
    expect(new Set(listChecks((await verified(copy, forged, false)).findings))).toEqual(new Set(["parquet"]));
    const { findings } = await verified(copy, forged);
    const detail = `data/scores: the row of id ${id}, rubric 2.0 differs from the rebuild`;
    expect(findings).toContainEqual({ check: "rebuild", detail });
    expect(new Set(listChecks(findings))).toEqual(new Set(["parquet", "rebuild"]));
  });
});

describe("share-release release verify", () => {
  test("release verify exits with 0 and prints `is valid` for a valid release, even if only the start of its digest is given", async () => {
    const { exitCode, stdout } = await command(original, digest.slice(0, 15), "--rebuild");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^rebuilt from its published tables\\n${digest} is valid \\(`));
  });

  test("release verify exits with 1 and prints every fault of a damaged release", async () => {
    await using copy = await temporaryStore(original.store);
    await truncate(join(copy.store.release(digest), RECORDS), 100);
    const { exitCode, stdout } = await command(copy, "--json");
    expect(exitCode).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { check: "changed file", detail: expect.stringContaining(RECORDS) },
      { releaseDigest: digest, findings: 1 },
    ]);
  });

  test("release verify exits with 1 and prints one line if the store has no release with that digest", async () => {
    const { exitCode, stdout, stderr } = await command(original, OTHER);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^share-release: there is no release ${OTHER} in [^\\n]+\\n$`));
  });
});

function verified({ store }: TemporaryStore, wanted: string, isRebuilt = true) {
  const rebuild = isRebuilt ? ({ from: "tables" } as const) : null;
  return verify(store, wanted, { threads: 2, memory: "512MB", rebuild }, recordedEffects());
}

function command({ store }: TemporaryStore, ...parameters: string[]) {
  return runHosted(["release", "verify", ...parameters, "--store", store.root, "--threads", "2"]);
}

function listChecks(findings: readonly Finding[]): string[] {
  return findings.map(({ check }) => check);
}
