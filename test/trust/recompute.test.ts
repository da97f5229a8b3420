/**
 * Tests the Python package share-scores, which was written from the documentation alone and computes a release again. It agrees
 * with a genuine release, and finds a changed figure even if every digest was made to agree with it.
 */

import { spawnSync } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { buildRelease } from "../support/build-release.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { editReceipt, resealAs, sealFile } from "../support/forgery.ts";
import { startServing } from "../support/serving.ts";
import { PYTHON_ENVIRONMENT, python, shareScores } from "../support/share-scores.ts";
import { type BundledRelease, bundledRelease, linkedStore } from "../support/temporary-store.ts";
import { everyNth } from "../tiers.ts";

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

/** Runs `share-scores verify`, and measures its largest use of memory in megabytes. */
function measured(folder: string): { readonly said: string[]; readonly megabytes: number } {
  const program = `import sys
from share_scores.command import main
main(["verify", sys.argv[1]])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")), file=sys.stderr)`;
  const { stdout, stderr } = spawnSync(python ?? "python3", ["-c", program, folder], {
    encoding: "utf8",
    env: PYTHON_ENVIRONMENT,
    timeout: 120_000,
  });
  return { said: stdout.trimEnd().split("\n"), megabytes: Number(stderr.trim() || Number.NaN) / 1024 };
}

/** Copies a release, changes a table with an SQL update, and makes manifest and receipt agree with the table. */
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

describe.skipIf(python === null)("the Python package share-scores", () => {
  test("share-scores verify finds no difference in a genuine release", () => {
    const { status, said } = recomputed(bundled.folder);
    const [, count = "0"] = /^(\d+) values, 0 of them differ\. Compared: /.exec(said.at(-1) ?? "") ?? [said.join("\n")];
    expect(Number(count)).toBeGreaterThan(10_000);
    expect(status).toBe(0);
  });

  test("share-scores verify lists in its last line what it compared and what it did not", () => {
    const { said } = recomputed(bundled.folder);
    const [, compared = "", others = ""] = /Compared: (.*)\. Not compared: (.*)\.$/.exec(said.at(-1) ?? "") ?? [];
    expect(compared.split("; ")).toEqual(
      expect.arrayContaining(["pages and badges with the tables", "validation figures"]),
    );
    expect(others).toMatch(/^evidence with the payloads of the sources; signatures, /);
    expect(others).toContain("history, changes, reports and descriptions of files");
  });

  test("share-scores verify does not compare rules and pages of a release of another version, and says so", async () => {
    const folder = join(copies, "another-version");
    await cp(bundled.folder, folder, { recursive: true });
    await editReceipt(folder, (own) => ({ ...own, tool: { ...own.tool, version: "0.0.1" } }));
    const { status, said } = recomputed(folder);
    expect(status).toBe(0);
    const [compared = "", others = ""] = (said.at(-1) ?? "").split("Not compared: ");
    expect(compared).not.toMatch(/contracts|pages/);
    expect(others).toMatch(/contracts, pledges, [^;]*this package knows those of version .*pages and badges/);
  });

  test("share-scores verify computes the scores under another contract as well, and finds a changed one", async () => {
    const store = await linkedStore(bundled.store, ["raw"]);
    try {
      const { receipt } = await buildRelease(store.store, { sources: ["zenodo"], alsoContracts: ["2.0.0-beta.1"] });
      const folder = store.store.release(receipt.releaseDigest);
      expect(recomputed(folder).said.at(-1)).toMatch(/^\d+ values, 0 of them differ\. /);
      const update = "passed_mask = xor(passed_mask, 1) where id = (select min(id) from forged)";
      const { status, said } = recomputed(await forged("another contract", "contract-scores", update, folder));
      expect([status, said[0]]).toEqual([1, expect.stringMatching(/^contract-scores .* passed_mask: /)]);
    } finally {
      await store[Symbol.asyncDispose]();
    }
  });

  test.each(
    everyNth(
      [
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
      ],
      3,
    ),
  )(
    "share-scores verify finds a changed value: %s",
    async (name, table, update, found) => {
      const { status, said } = recomputed(await forged(name, table, update));
      expect(status).toBe(1);
      expect(said.filter((line) => line.startsWith(`${found} (`))).not.toEqual([]);
      expect(said.filter((line) => line.startsWith("releaseDigest") || line.startsWith("table roots"))).toEqual([]);
    },
    120_000,
  );

  test.each([
    [
      "a row group of 20,000,000 rows",
      "select 'a' as term, 'r' || i // 9 as id from range(20000000) as t(i)",
      20_000_000,
    ],
    ["12,000,000 rows", "select 'a' as term, 'r' || i // 60000 as id from range(12000000) as t(i)", 65_536],
    [
      "a text of 100 kB in 5,000 rows",
      "select repeat('a', 100000) as term, 'r' || i as id from range(5000) as t(i)",
      65_536,
    ],
  ])(
    "rejects a table with %s within 700 MB of memory",
    async (name, select, rows) => {
      const folder = join(copies, name.replaceAll(/[^a-z0-9]+/g, "-"));
      await cp(bundled.folder, folder, { recursive: true });
      const path = "data/search/part-0000.parquet";
      const db = await openDuckDB({ threads: 1, memory: "2GB" });
      await db.run(
        `copy (${select}) to ${quote(join(folder, path))} (format parquet, row_group_size ${rows}, compression zstd)`,
      );
      db.close();
      await sealFile(folder, path);
      const { said, megabytes } = measured(folder);
      expect(said.join("\n")).toMatch(
        /a row group of more than 65536 rows|data\/search has \d+ bytes, but would take \d+ bytes of memory/,
      );
      expect(said.at(-1)).toMatch(/Compared: files with the manifest/);
      // The limit in megabytes. Python itself takes a third of it.
      expect(megabytes).toBeLessThan(700);
    },
    120_000,
  );

  test.each([
    [
      "the policy file",
      (inputs: Record<string, string>) => ({ ...inputs, policy: `sha256:${"0".repeat(64)}` }),
      "policy of version ",
    ],
    [
      "a contract",
      (inputs: Record<string, string>) => ({ ...inputs, "contract 1.0.0": `sha256:${"0".repeat(64)}` }),
      "contract 1.0.0 of version ",
    ],
  ])(
    "finds that %s does not match its digest in the receipt",
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

test.skipIf(python === null)(
  "docs/cookbook/recompute.py needs only the documents to compute every table, digest, range and improvement",
  async () => {
    const server = await startServing(["--store", bundled.store.root, "--rate", "100000"], {});
    try {
      const saved = await Promise.all(
        ["/records?limit=100", "/improvements"].map(async (path, place) => {
          const file = join(copies, `answer-${place}.json`);
          const response = await fetch(`http://localhost:${server.port}${path}`);
          await writeFile(file, await response.text());
          return file;
        }),
      );
      const program = join(REPOSITORY, "docs/cookbook/recompute.py");
      const parameters = [program, bundled.folder, join(REPOSITORY, "docs"), ...saved];
      const { status, stdout, stderr } = spawnSync(python ?? "python3", parameters, { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout.match(/^(.+): (?!0$)\d+$/gm)?.map((line) => line.split(":")[0])).toEqual([
        "tables with a section",
        "roots of tables",
        "inputs",
        "release digest",
        "funders and awards",
        "ids of institutions",
        "bases of researchers",
        "ranges",
        "improvements",
      ]);
    } finally {
      await server.end();
    }
  },
  120_000,
);
