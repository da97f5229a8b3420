/**
 * The Python package share-scores, written from the documentation alone, computes a release again: it agrees with the
 * release, and disagrees if a figure was changed and every digest made to agree.
 */

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { buildRelease } from "../support/build-release.ts";
import { editReceipt, resealAs, sealFile } from "../support/forgery.ts";
import { python, shareScores } from "../support/share-scores.ts";
import { type BundledRelease, bundledRelease, linkedStore } from "../support/temporary-store.ts";

let bundled: BundledRelease;
let copies: string;

beforeAll(async () => {
  bundled = await bundledRelease();
  copies = await mkdtemp(join(tmpdir(), "share-recompute-"));
}, 300_000);

afterAll(async () => {
  await rm(copies, { recursive: true });
  await bundled[Symbol.asyncDispose]();
});

function recomputed(folder: string): { status: number | null; said: string[] } {
  const { status, stdout, stderr } = shareScores("verify", folder);
  return { status, said: `${stdout}${stderr}`.trimEnd().split("\n") };
}

/** A table with one update, sealed so that its file is the manifest's, its root the receipt's. */
async function forged(name: string, table: string, update: string, of = bundled.folder): Promise<string> {
  const folder = join(copies, name.replaceAll(" ", "-"));
  await cp(of, folder, { recursive: true });
  const path = `data/${table}/part-0000.parquet`;
  const file = join(folder, path);
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table forged as select * from read_parquet(${quote(file)})`);
    await db.run(`update forged set ${update}`);
    await db.run(`copy forged to ${quote(file)} (format parquet)`);
  } finally {
    db.close();
  }
  await sealFile(folder, path);
  await resealAs(folder);
  return folder;
}

describe.skipIf(python === null)("share-scores verify", () => {
  test("computes every value of a release again, and finds no difference", () => {
    const { status, said } = recomputed(bundled.folder);
    const [, count = "0"] = /^(\d+) values, 0 of them differ$/.exec(said.at(-1) ?? "") ?? [said.join("\n")];
    expect(Number(count)).toBeGreaterThan(10_000);
    expect(status).toBe(0);
  });

  test("computes the scores under another contract, and finds a changed score", async () => {
    const store = await linkedStore(bundled.store, ["raw"]);
    try {
      const { receipt } = await buildRelease(store.store, { sources: ["zenodo"], alsoContracts: ["2.0.0-beta.1"] });
      const folder = store.store.release(receipt.releaseDigest);
      expect(recomputed(folder).said.at(-1)).toMatch(/^\d+ values, 0 of them differ$/);
      const update = "passed_mask = xor(passed_mask, 1) where id = (select min(id) from forged)";
      const { status, said } = recomputed(await forged("another contract", "contract-scores", update, folder));
      expect([status, said[0]]).toEqual([1, expect.stringMatching(/^contract-scores .* passed_mask: /)]);
    } finally {
      await store[Symbol.asyncDispose]();
    }
  });

  test.each([
    [
      "a state",
      "scores",
      "passed_mask = xor(passed_mask, 1) where id = (select min(id) from forged where rubric = '2.0' and total is not null) and rubric = '2.0'",
      "scores",
    ],
    ["points", "scores", "total = total + 4 where id = (select min(id) from forged where total < 96)", "scores"],
    ["evidence that a rule reads", "evidence", "keyword_count = coalesce(keyword_count, 0) + 7", "scores"],
    ["an index", "researchers", "s_index = s_index + 1 where id = (select min(id) from forged)", "researchers"],
    [
      "a mean of a repository",
      "repositories",
      "mean_score = mean_score + 0.01 where mean_score is not null",
      "repositories",
    ],
    ["a country", "geography", "record_count = record_count + 1", "geography"],
    ["the best dataset of a researcher", "researcher-datasets", "place = place + 1", "researcher-datasets"],
    ["the exact text of an institution", "institutions", `reported_json = '"Elsewhere"'`, "institutions"],
    ["the exact text of an affiliation", "affiliations", `reported_json = '"Elsewhere"'`, "affiliations"],
    ["an award", "funding", "award_number = 'A-' || place where funder is not null", "evidence"],
    ["a year", "records", "publication_year = publication_year + 1", "records"],
    ["the median", "metrics", "median_score = median_score - 4", "metrics"],
  ])(
    "finds a change of %s",
    async (name, table, update, found) => {
      const { status, said } = recomputed(await forged(name, table, update));
      expect(status).toBe(1);
      expect(said.filter((line) => line.startsWith(`${found} (`))).not.toEqual([]);
      expect(said.filter((line) => line.startsWith("releaseDigest") || line.startsWith("table roots"))).toEqual([]);
    },
    120_000,
  );

  test.each([
    ["an input", (inputs: Record<string, string>) => ({ ...inputs, policy: `sha256:${"0".repeat(64)}` }), "policy: "],
    [
      "a contract",
      (inputs: Record<string, string>) => ({ ...inputs, "contract 1.0.0": `sha256:${"0".repeat(64)}` }),
      "contract 1.0.0: ",
    ],
  ])(
    "finds %s that does not match its digest",
    async (name, edit, found) => {
      const folder = join(copies, name.replaceAll(" ", "-"));
      await cp(bundled.folder, folder, { recursive: true });
      await editReceipt(folder, (before) => ({
        ...before,
        content: { ...before.content, inputs: edit(before.content.inputs) },
      }));
      const { status, said } = recomputed(folder);
      expect(status).toBe(1);
      expect(said.filter((line) => line.startsWith(found))).toHaveLength(1);
    },
    120_000,
  );
});
