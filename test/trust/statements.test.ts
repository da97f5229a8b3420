/** Forges each part of a release, and checks which ways of verification find it (docs/reference/proofs.md). */

import { readFileSync } from "node:fs";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { samplingOf } from "../../api-static/pages/metrics.ts";
import { digestOf } from "../../pipeline/6-release/digest.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { compareBytes } from "../../releases/verify/compare.ts";
import { type Finding, verifyFolder } from "../../releases/verify/index.ts";
import { type Rebuilt, rebuild } from "../../releases/verify/rebuild.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, firstPage, flipByte, forgePage, repack, resealAs, sealFile } from "../support/forgery.ts";
import { python, type Verifier, verifier } from "../support/share-scores.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import {
  addColumn,
  addMember,
  falsifyStatistics,
  forgeRows,
  forgeTable,
  forgeText,
  hideFile,
  renameFile,
  rewriteTable,
} from "./forge.ts";
import { at, signedWorld, type World } from "./world.ts";

/** The ways to verify a release, each of which also has the findings of the one before. */
const WAYS = ["verify", "tables", "raw payloads"] as const;

/** The weakest way that finds each forgery, and whether share-scores finds it, as the documentation has it. */
const PROOFS = z
  .record(z.string(), z.object({ weakest: z.enum(WAYS), python: z.boolean() }))
  .parse(JSON.parse(readFileSync(new URL("../../docs/proofs.json", import.meta.url), "utf8")));

const METRICS = { family: RELEASE_FAMILY, key: "api/2.0/metrics/live.json" };

const NO_INPUTS = { withheld: [], ror: null, citations: null } as const;

let world: World;
let digest: string;
let receipt: Receipt;
let rebuilt: Rebuilt;
let shareScores: Verifier | null;

beforeAll(async () => {
  shareScores = python === null ? null : verifier();
  world = await signedWorld(["2026-11-01", "2026-11-02"], OTHER_CONTRACTS);
  digest = at(world.digests, 1);
  receipt = await receiptOf(world.store.release(digest));
  rebuilt = await rebuild(
    world.store.release(digest),
    receipt,
    { store: world.store, inputs: NO_INPUTS, threads: 2, memory: "512MB", rangeMemory: "512MB" },
    recordedEffects(),
    async (again) => {
      const folder = join(world.folder, "again");
      await cp(again.folder, folder, { recursive: true });
      return { ...again, folder };
    },
  );
});

afterAll(async () => {
  shareScores?.[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
});

type Forgery = (folder: string) => Promise<unknown>;

const editSource =
  (change: (source: Receipt["sources"][number]) => Partial<Receipt["sources"][number]>): Forgery =>
  (folder) =>
    editReceipt(folder, ({ sources, ...rest }) => ({
      ...rest,
      sources: sources.map((source) => ({ ...source, ...change(source) })),
    }));

const edited =
  (path: string, edit: (text: string) => string): Forgery =>
  (folder) =>
    forgeText(folder, path, edit);

/** Forges a table, and makes everything again that follows from it. */
const remade =
  (table: string, statement: string): Forgery =>
  async (folder) => {
    await forgeRows(folder, table, statement);
    const options = { store: world.store, inputs: null, threads: 2, memory: "512MB", rangeMemory: "512MB" };
    await rebuild(folder, await receiptOf(folder), options, recordedEffects(), async (again) => {
      await rm(folder, { recursive: true });
      await cp(again.folder, folder, { recursive: true });
    });
  };

/** Turns absent signals into missing ones, as if the source had not carried them. */
const MASKS = `update forged set evaluable_mask = passed_mask, source_missing_mask = supported_mask - passed_mask - failed_mask
  where rubric = '1.0' and bit_count(passed_mask) >= 5`;

/** Every digest is made to agree with a forgery, as a forger could do: only the inputs reveal it. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  "file that no release has, or a name in another case": (f) =>
    renameFile(f, "data/contracts.json", "Data/contracts.json"),
  "file that every release has": (f) => hideFile(f, "report.html"),
  "column more in a table": (f) => addColumn(f, "scores", "100 as official_total"),
  "page of a record, researcher or repository": async (f) => {
    await forgePage(f, await firstPage(f, "2.0/record"), (text) =>
      text.replace('"title":', '"title":"Retracted","was":'),
    );
    await resealAs(f);
  },
  "two pages, swapped": async (f) => {
    await repack(f, "2.0/author", (pages) => {
      const [[one, text] = ["", ""], [other, others] = ["", ""]] = pages;
      pages.set(one, others).set(other, text);
    });
    await resealAs(f);
  },
  badge: async (f) => {
    await forgePage(f, await firstPage(f, "2.0/dataset-badge"), (text) => text.replace("SHARE", "FAKE"));
    await resealAs(f);
  },
  "page that names the release": (f) =>
    forgePage(f, METRICS, (text) => text.replace('"totalRecords":', '"totalRecords":9')),
  "state or score": (f) => forgeTable(f, "scores", MASKS),
  "score under another contract": (f) =>
    forgeTable(f, "contract-scores", MASKS.replace("rubric = '1.0'", "contract = '2.0.0-beta.1'")),
  aggregate: (f) => forgeTable(f, "researcher-datasets", "update forged set place = place + 1 where place = 1"),
  "evidence that a rule reads": remade("evidence", "update forged set description_length = 0"),
  "evidence that no rule reads": remade("evidence", "update forged set creator_count = creator_count + 1"),
  "reason why a record is not listed": remade("unlisted", "update forged set reason = 'forged'"),
  "CSV file beside the release": (f) => writeFile(join(f, "data/scores.csv.gz"), gzipSync("id,rubric,total\n")),
  contract: edited("data/contracts.json", (text) => text.replace("keyword_count >= 3", "keyword_count >= 1")),
  pledge: edited("data/pledges.json", (text) => text.replace('"zenodo": {', '"zenodo": {\n  "endorsed": true,')),
  diff: edited("data/diff.json", (text) => text.replace(/"records": \{\s*"before": \d+/, '"records": {"before": 1')),
  report: edited("report.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  descriptor: edited("croissant.json", (text) => text.replace('"creator"', '"endorsedBy": "nobody", "creator"')),
  "validation figure": edited("data/validation.json", (text) => text.replace(/"harvested":\d+/, '"harvested":99999')),
  "validation page": edited("validation.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  "ORCID of a creator": remade(
    "authorships",
    "update forged set orcid = '0000-0002-1825-0097' where orcid is null and position = 1",
  ),
  "country of an institution by its text": remade(
    "attributions",
    "update forged set country_code = 'ATA' where country_basis = 'text'",
  ),
  "label of an institution": remade("institutions", "update forged set label = 'Elsewhere'"),
  "citations of a record": remade("records", "update forged set citations = coalesce(citations, 0) + 1"),
  "version family of a record": remade("records", "update forged set version_family = 'x' || version_family"),
  "statistics of a Parquet file": (f) => falsifyStatistics(f, "records"),
  "order of columns in a Parquet file": (f) =>
    rewriteTable(f, "scores", "select rubric, * exclude (rubric) from genuine"),
  "order of rows in a Parquet file": (f) => rewriteTable(f, "scores", "select * from genuine order by id desc, rubric"),
  "metadata of a Parquet file": (f) =>
    rewriteTable(f, "scores", "select * from genuine order by id, rubric", ", kv_metadata {endorsed: 'yes'}"),
  "word list": edited("data/vocabularies.json", (text) => text.replace("licence-aliases.csv", "licence-alias.csv")),
  "citation file": edited("CITATION.cff", (text) => text.replace("authors:", 'doi: "10.1234/forged"\nauthors:')),
  "earlier mean in the history": edited("data/history.json", (text) =>
    text.replace(/"meanShareScore": [\d.]+/, '"meanShareScore": 99'),
  ),
  "DOI look-up": async (f) => {
    await flipByte(join(f, "lookup/doi.bin"), 16 + 12);
    await sealFile(f, "lookup/doi.bin");
  },
  "receipt: unknown field": addMember,
  "receipt: time of publication": (f) => editReceipt(f, (own) => ({ ...own, publishedAt: "2026-11-02T13:00:00.000Z" })),
  "receipt: previous release": (f) =>
    editReceipt(f, (own) => ({ ...own, previousReleaseDigest: `sha256:${"0".repeat(64)}` })),
  "receipt: list of other contracts": (f) => editReceipt(f, ({ alsoContracts: _also, ...own }) => own),
  "receipt: enrichment": (f) => editReceipt(f, (own) => ({ ...own, enrichments: { ror: `sha256:${"0".repeat(64)}` } })),
  "receipt: number of withheld researchers": (f) =>
    editReceipt(f, ({ withheld, ...own }) => ({ ...own, withheld: { ...withheld, count: 7 } })),
  "receipt: forced activation": (f) => editReceipt(f, (own) => ({ ...own, forced: "because" })),
  "receipt: result of a gate": (f) =>
    editReceipt(f, ({ gates = [], ...own }) => ({
      ...own,
      gates: gates.map((gate) =>
        gate.gate === "drift" ? { ...gate, detail: "mean 1.00 → 1.00; at most 5 points" } : gate,
      ),
    })),
  "receipt: counts of a source": (f) =>
    editReceipt(f, ({ coverage, sources, ...own }) => {
      const moved = <T extends typeof coverage>(counts: T) => ({
        ...counts,
        tombstones: counts.tombstones + 1,
        harvested: counts.harvested + 1,
      });
      return {
        ...own,
        coverage: moved(coverage),
        sources: sources.map((each) => ({ ...each, coverage: moved(each.coverage) })),
      };
    }),
  "receipt: records by basis of their country": (f) =>
    editReceipt(f, ({ attribution, ...own }) => {
      if (attribution?.byBasis === undefined) throw new Error("nothing is attributed");
      const { text, field, ...rest } = attribution.byBasis;
      return { ...own, attribution: { ...attribution, byBasis: { ...rest, text: text - 1, field: field + 1 } } };
    }),
  "receipt: licence": (f) => editReceipt(f, (own) => ({ ...own, license: "CC-BY-4.0" })),
  "receipt: version of a reader": editSource(({ reader }) => ({
    ...(reader && { reader: { ...reader, version: reader.version + 1 } }),
  })),
  "receipt: limits of the gates": (f) =>
    editReceipt(f, ({ gateLimits, ...own }) => ({
      ...own,
      ...(gateLimits && { gateLimits: { ...gateLimits, lost: 0.5 } }),
    })),
  "receipt: name of the program": (f) =>
    editReceipt(f, ({ tool, ...own }) => ({ ...own, tool: { ...tool, name: "another" } })),
  "receipt: digest of raw payloads": editSource(() => ({ rawDigest: `sha256:${"0".repeat(64)}` })),
  "receipt: time of retrieval": editSource(() => ({ newestRetrieval: "2026-11-02T00:00:00.000Z" })),
  "receipt: rejected input": async (f) => {
    await editSource(({ refused }) => ({ refused: { ...refused, empty: 7 } }))(f);
    await editReceipt(f, ({ refused, ...own }) => ({ ...own, refused: { ...refused, empty: 7 } }));
  },
  "receipt: completeness of a source": async (f) => {
    const completeness = { expected: 40, got: 40, complete: true };
    await editSource(() => ({ completeness }))(f);
    const { sources } = await receiptOf(f);
    const sampling = JSON.stringify(samplingOf(sources));
    await repack(f, RELEASE_FAMILY, (pages) => {
      for (const [key, text] of pages)
        pages.set(
          key,
          text.replace(/"sampling":\{.*?\]\}/, () => `"sampling":${sampling}`),
        );
    });
  },
};

describe("forged statements of a release:", () => {
  for (const [name, forge] of Object.entries(FORGERIES)) {
    test(name, async () => {
      await using copy = await temporaryStore(world.store);
      const folder = join(copy.folder, "download");
      await forge(copy.store.release(digest));
      await rename(copy.store.release(digest), folder);
      // One run: it stops before the rebuild if the weakest way finds something. Only the rebuild reports "rebuild".
      const fromTables = await findingsOf(folder, { inputs: null }, true);
      const plain = fromTables.filter(({ check }) => check !== "rebuild");
      const fromRaw: Finding[] = [...plain];
      const found = (check: string, detail: string) => void fromRaw.push({ check, detail });
      if (plain.length === 0)
        await compareBytes({ folder, receipt: await receiptOf(folder) }, rebuilt, { threads: 2 }, found);
      const findings = [plain, fromTables, fromRaw];
      const weakest = WAYS.find((_, place) => findings[place]?.length !== 0);
      expect({ weakest, findings }).toEqual({ weakest: PROOFS[name]?.weakest, findings });
      if (shareScores === null) return;
      const lines = await shareScores.verify(folder);
      expect({ python: lines.length > 0, lines }).toEqual({ python: PROOFS[name]?.python, lines });
    });
  }

  test("the documentation has a row for each forgery, and no other", () => {
    expect(Object.keys(PROOFS)).toEqual(Object.keys(FORGERIES));
  });
});

test("reports nothing about a genuine release", async () => {
  const folder = world.store.release(digest);
  const settings = { threads: 2, memory: "512MB", predecessors: world.store };
  for (const [inputs, from] of [
    [null, "published tables"],
    [NO_INPUTS, "raw payloads"],
  ] as const) {
    const verification = await verifyFolder(folder, digest, { ...settings, rebuild: { inputs } }, recordedEffects());
    expect(verification).toMatchObject({ findings: [], unproven: [], rebuilt: { from, extent: "bytes" } });
  }
  expect(await shareScores?.verify(folder)).toEqual(shareScores === null ? undefined : []);
});

describe("a release that states another program:", () => {
  const states = (folder: string, change: Partial<Receipt["tool"]>) =>
    editReceipt(folder, ({ tool, ...own }) => ({ ...own, tool: { ...tool, ...change } }));
  const verified = (folder: string) =>
    verifyFolder(
      folder,
      null,
      { threads: 2, memory: "512MB", rebuild: { inputs: NO_INPUTS }, predecessors: world.store },
      recordedEffects(),
    );

  test("is verified up to its rows if the version differs", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await states(folder, { version: "0.0.1" });
    const verification = await verified(folder);
    expect(verification).toMatchObject({ findings: [], rebuilt: { from: "published tables", extent: "rows" } });
    expect(verification?.unproven).toEqual(expect.arrayContaining(["pages/", "report.html", "lookup/doi.bin"]));
    const { exitCode, stdout } = await runCommand(["release", "verify", "--rebuild", "--store", copy.store.root]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 4,
      stdout: expect.stringContaining("is verified up to its scores"),
    });
  });

  test("is verified up to its tables and pages if the engine differs", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await states(folder, { engine: "Apache Spark 4.0.0" });
    const verification = await verified(folder);
    expect(verification).toMatchObject({ findings: [], rebuilt: { from: "raw payloads", extent: "digests" } });
    expect(verification?.unproven).toEqual(expect.arrayContaining(["data/scores/part-0000.parquet", "report.html"]));
  });

  test("is never valid with forged pages, and fails with forged scores", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await states(folder, { version: "0.0.1" });
    await forgePage(folder, await firstPage(folder, "2.0/record"), (text) => text.replace('"title":', '"heading":'));
    await resealAs(folder);
    const download = await moved(folder, copy.folder);
    expect(await verified(download)).toMatchObject({ findings: [], unproven: expect.arrayContaining(["pages/"]) });
    await forgeTable(download, "scores", MASKS);
    const findings = (await verified(download))?.findings ?? [];
    expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(["rebuild"]));
    expect(findings.at(-1)?.detail).toMatch(/^and \d+ more$/);
  });
});

describe("foreign inputs:", () => {
  const FOREIGN: Readonly<Record<string, readonly [Forgery, string]>> = {
    "one word of a pledge": [
      (f) =>
        forgeRule(f, "data/pledges.json", "pledge zenodo", (text) => text.replace("Zenodo's records API", "an API")),
      "the pledge zenodo of the release differs",
    ],
    "one word of a contract": [
      (f) =>
        forgeRule(f, "data/contracts.json", "contract 2.0.0-beta.2", (text) =>
          text.replace("keyword_count >= 3", "keyword_count >= 2"),
        ),
      "the contract 2.0.0-beta.2 of the release differs",
    ],
    "word lists of zeros": [
      (f) => editReceipt(f, (own) => withInput(own, "vocabularies", `sha256:${"0".repeat(64)}`)),
      "the vocabularies of the release is",
    ],
  };
  for (const [name, [forge, detail]] of Object.entries(FOREIGN)) {
    test(`reports ${name}, although every digest agrees`, async () => {
      await using copy = await temporaryStore(world.store);
      const folder = copy.store.release(digest);
      await forge(folder);
      await resealAs(folder);
      const findings = await findingsOf(await moved(folder, copy.folder), null);
      expect(findings).toContainEqual({ check: "input", detail: expect.stringContaining(detail) });
    });
  }

  test("with another version are verified up to the rows that follow from them", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await editReceipt(folder, ({ tool, ...own }) => ({ ...own, tool: { ...tool, version: "0.0.1" } }));
    await forgeRule(folder, "data/pledges.json", "pledge zenodo", (text) =>
      text.replace("Zenodo's records API", "an API"),
    );
    await resealAs(folder);
    const options = { threads: 2, memory: "512MB", rebuild: { inputs: NO_INPUTS }, predecessors: world.store };
    const verification = await verifyFolder(await moved(folder, copy.folder), null, options, recordedEffects());
    expect(verification).toMatchObject({ findings: [], rebuilt: { extent: "rows" } });
  });
});

function withInput(receipt: Receipt, name: string, digest: string): Receipt {
  return { ...receipt, content: { ...receipt.content, inputs: { ...receipt.content.inputs, [name]: digest } } };
}

/** Changes an entry of a file of rules, and its digest among the inputs. */
async function forgeRule(folder: string, path: string, input: string, edit: (text: string) => string): Promise<void> {
  await forgeText(folder, path, edit);
  const entry: unknown = JSON.parse(await readFile(join(folder, path), "utf8"))[input.split(" ")[1] ?? ""];
  await editReceipt(folder, (own) => {
    const changed = withInput(own, input, digestOf(canonicalJson(entry)));
    const rubrics = own.rubrics.map((rubric) =>
      input === `contract ${rubric.contract}` ? { ...rubric, digest: digestOf(canonicalJson(entry)) } : rubric,
    );
    return { ...changed, rubrics };
  });
}

async function findingsOf(
  folder: string,
  rebuild: { readonly inputs: null } | null,
  stopEarly = false,
): Promise<readonly Finding[]> {
  const options = { threads: 1, memory: "512MB", rebuild, stopEarly, predecessors: world.store };
  return (await verifyFolder(folder, null, options, recordedEffects()))?.findings ?? [];
}

async function moved(folder: string, beside: string): Promise<string> {
  await rename(folder, join(beside, "download"));
  return join(beside, "download");
}

async function receiptOf(folder: string): Promise<Receipt> {
  const read = await readReceipt(folder);
  if (read === null) throw new Error(`${folder} has no receipt`);
  return read;
}
