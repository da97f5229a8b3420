/** Forges each statement of a release, and checks which commands find the forgery. */

import { cp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplingOf } from "../../api-static/pages/metrics.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { compareReplayed, type Rebuilt } from "../../releases/replay/compare.ts";
import { rebuilding } from "../../releases/replay/index.ts";
import { verifyFolder } from "../../releases/verify/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, firstPage, flipByte, forgePage, repack, resealAs, sealFile } from "../support/forgery.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { addColumn, addMember, forgeTable, forgeText, hideFile, renameFile, tellAgain } from "./forge.ts";
import { at, signedWorld, type World } from "./world.ts";

const COMMANDS = ["verify", "--rescore", "--replay"] as const;

/** Commands that compute scores and pages again. */
const RESCORING = ["--rescore", "--replay"];
const REPLAY = ["--replay"];

/** The commands that find each forgery, if its maker made all digests agree. */
const FOUND_BY: Readonly<Record<string, readonly string[]>> = {
  "a file that no release has, or its own name in another case": COMMANDS,
  "a file that every release has": COMMANDS,
  "a column more in a table": COMMANDS,
  "a page of a record, a researcher or a repository": RESCORING,
  "two pages, swapped": RESCORING,
  "a badge": RESCORING,
  "a page that names the release": COMMANDS,
  "a state or a score": RESCORING,
  "a score under another contract": RESCORING,
  "an aggregate": RESCORING,
  "evidence that a rule reads": RESCORING,
  "evidence that no rule reads": REPLAY,
  "why something is not listed": REPLAY,
  "rows as CSV, beside the release": COMMANDS,
  contracts: COMMANDS,
  pledges: COMMANDS,
  "the diff": RESCORING,
  "the report": RESCORING,
  "a descriptor": RESCORING,
  "what its scores mean": RESCORING,
  "what its scores mean, as a page": RESCORING,
  "who is whom": RESCORING,
  "how it is cited": RESCORING,
  "a past mean in the history": COMMANDS,
  "the look-up of DOIs": COMMANDS,
  "the receipt: a member that is unknown": COMMANDS,
  "the receipt: the time of publication": COMMANDS,
  "the receipt: the release before it": COMMANDS,
  "the receipt: that there are scores under another contract": COMMANDS,
  "the receipt: what an enrichment was": COMMANDS,
  "the receipt: how many are withheld": COMMANDS,
  "the receipt: that it was forced": COMMANDS,
  "the receipt: how it stood a gate": RESCORING,
  "the receipt: counts of a source": COMMANDS,
  "the receipt: records by the basis of their country": RESCORING,
  "the receipt: the licence": RESCORING,
  "the receipt: the reader of a source": REPLAY,
  "the receipt: the bounds of its gates": RESCORING,
  "the receipt: the program": COMMANDS,
  "the receipt: the digest of raw payloads": REPLAY,
  "the receipt: when payloads were retrieved": RESCORING,
  "the receipt: what was refused": RESCORING,
  "the receipt: how complete a source is, on pages as well": REPLAY,
  "the receipt: the engine": ["--rescore"],
};

const METRICS = { family: RELEASE_FAMILY, key: "api/2.0/metrics/live.json" };

let world: World;
let digest: string;
let receipt: Receipt;
let rebuilt: Rebuilt;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02"], OTHER_CONTRACTS);
  digest = at(world.digests, 1);
  receipt = await receiptOf(world.store.release(digest));
  rebuilt = await rebuilding(
    receipt,
    world.store,
    { withheld: [], ror: null, citations: null, threads: 2, memory: "512MB", scratch: null },
    recordedEffects(),
    async (again) => {
      const folder = join(world.folder, "again");
      await cp(again.folder, folder, { recursive: true });
      return { ...again, folder };
    },
  );
});

afterAll(() => world[Symbol.asyncDispose]());

type Forgery = (folder: string) => Promise<unknown>;

const editSource =
  (change: (source: Receipt["sources"][number]) => Partial<Receipt["sources"][number]>): Forgery =>
  (folder) =>
    editReceipt(folder, ({ sources, ...rest }) => ({
      ...rest,
      sources: sources.map((source) => ({ ...source, ...change(source) })),
    }));

const told =
  (path: string, edit: (text: string) => string): Forgery =>
  (folder) =>
    forgeText(folder, path, edit);

/** Forges a table, and every file that names its digest. */
const recomputed =
  (table: string, statement: string): Forgery =>
  async (folder) => {
    const before = await receiptOf(folder);
    await forgeTable(folder, table, statement);
    await tellAgain(folder, before);
  };

/** Turns absent signals into missing ones, as if the source had not carried them. */
const MASKS = `update forged set evaluable_mask = passed_mask, source_missing_mask = supported_mask - passed_mask - failed_mask
  where rubric = '1.0' and bit_count(passed_mask) >= 5`;

/** Every digest is made to agree with a forgery, as a forger could do: only the inputs reveal it. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  "a file that no release has, or its own name in another case": (f) =>
    renameFile(f, "data/contracts.json", "Data/contracts.json"),
  "a file that every release has": (f) => hideFile(f, "report.html"),
  "a column more in a table": (f) => addColumn(f, "scores", "100 as official_total"),
  "a page of a record, a researcher or a repository": async (f) => {
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
  "a badge": async (f) => {
    await forgePage(f, await firstPage(f, "2.0/dataset-badge"), (text) => text.replace("SHARE", "FAKE"));
    await resealAs(f);
  },
  "a page that names the release": (f) =>
    forgePage(f, METRICS, (text) => text.replace('"totalRecords":', '"totalRecords":9')),
  "a state or a score": (f) => forgeTable(f, "scores", MASKS),
  "a score under another contract": (f) =>
    forgeTable(f, "contract-scores", MASKS.replace("rubric = '1.0'", "contract = '2.0.0-beta.1'")),
  "an aggregate": (f) => forgeTable(f, "researcher-datasets", "update forged set place = place + 1 where place = 1"),
  "evidence that a rule reads": (f) => forgeTable(f, "evidence", "update forged set description_length = 0"),
  "evidence that no rule reads": recomputed("evidence", "update forged set creator_count = creator_count + 1"),
  "why something is not listed": recomputed("unlisted", "update forged set reason = 'forged'"),
  "rows as CSV, beside the release": (f) => writeFile(join(f, "data/scores.csv.gz"), gzipSync("id,rubric,total\n")),
  contracts: told("data/contracts.json", (text) => text.replace("keyword_count >= 3", "keyword_count >= 1")),
  pledges: told("data/pledges.json", (text) => text.replace('"zenodo": {', '"zenodo": {\n  "endorsed": true,')),
  "the diff": told("data/diff.json", (text) =>
    text.replace(/"records": \{\s*"before": \d+/, '"records": {"before": 1'),
  ),
  "the report": told("report.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  "a descriptor": told("croissant.json", (text) => text.replace('"creator"', '"endorsedBy": "nobody", "creator"')),
  "what its scores mean": told("data/validation.json", (text) => text.replace(/"harvested":\d+/, '"harvested":99999')),
  "what its scores mean, as a page": told("validation.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  "who is whom": recomputed(
    "authorships",
    "update forged set orcid = '0000-0002-1825-0097' where orcid is null and position = 1",
  ),
  "how it is cited": told("CITATION.cff", (text) => text.replace("authors:", 'doi: "10.1234/forged"\nauthors:')),
  "a past mean in the history": told("data/history.json", (text) =>
    text.replace(/"meanShareScore": [\d.]+/, '"meanShareScore": 99'),
  ),
  "the look-up of DOIs": async (f) => {
    await flipByte(join(f, "lookup/doi.bin"), 16 + 12);
    await sealFile(f, "lookup/doi.bin");
  },
  "the receipt: a member that is unknown": addMember,
  "the receipt: the time of publication": (f) =>
    editReceipt(f, (own) => ({ ...own, publishedAt: "2026-11-02T13:00:00.000Z" })),
  "the receipt: the release before it": (f) =>
    editReceipt(f, (own) => ({ ...own, previousReleaseDigest: `sha256:${"0".repeat(64)}` })),
  "the receipt: that there are scores under another contract": (f) =>
    editReceipt(f, ({ alsoContracts: _also, ...own }) => own),
  "the receipt: what an enrichment was": (f) =>
    editReceipt(f, (own) => ({ ...own, enrichments: { ror: `sha256:${"0".repeat(64)}` } })),
  "the receipt: how many are withheld": (f) =>
    editReceipt(f, ({ withheld, ...own }) => ({ ...own, withheld: { ...withheld, count: 7 } })),
  "the receipt: that it was forced": (f) => editReceipt(f, (own) => ({ ...own, forced: "because" })),
  "the receipt: how it stood a gate": (f) =>
    editReceipt(f, ({ gates = [], ...own }) => ({
      ...own,
      gates: gates.map((gate) =>
        gate.gate === "drift" ? { ...gate, detail: "mean 1.00 → 1.00; at most 5 points" } : gate,
      ),
    })),
  "the receipt: counts of a source": (f) =>
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
  "the receipt: records by the basis of their country": (f) =>
    editReceipt(f, ({ attribution, ...own }) => {
      if (attribution?.byBasis === undefined) throw new Error("nothing is attributed");
      const { text, field, ...rest } = attribution.byBasis;
      return { ...own, attribution: { ...attribution, byBasis: { ...rest, text: text - 1, field: field + 1 } } };
    }),
  "the receipt: the licence": (f) => editReceipt(f, (own) => ({ ...own, license: "CC-BY-4.0" })),
  "the receipt: the reader of a source": editSource(({ reader }) => ({
    ...(reader && { reader: { ...reader, version: reader.version + 1 } }),
  })),
  "the receipt: the bounds of its gates": (f) =>
    editReceipt(f, ({ gateLimits, ...own }) => ({
      ...own,
      ...(gateLimits && { gateLimits: { ...gateLimits, lost: 0.5 } }),
    })),
  "the receipt: the program": (f) =>
    editReceipt(f, ({ tool, ...own }) => ({ ...own, tool: { ...tool, name: "another" } })),
  "the receipt: the digest of raw payloads": editSource(() => ({ rawDigest: `sha256:${"0".repeat(64)}` })),
  "the receipt: when payloads were retrieved": editSource(() => ({ newestRetrieval: "2026-11-02T00:00:00.000Z" })),
  "the receipt: what was refused": async (f) => {
    await editSource(({ refused }) => ({ refused: { ...refused, empty: 7 } }))(f);
    await editReceipt(f, ({ refused, ...own }) => ({ ...own, refused: { ...refused, empty: 7 } }));
  },
  "the receipt: how complete a source is, on pages as well": async (f) => {
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
  "the receipt: the engine": (f) =>
    editReceipt(f, ({ tool, ...own }) => ({ ...own, tool: { ...tool, engine: "an abacus" } })),
};

describe("forged statements of a release:", () => {
  for (const [name, forge] of Object.entries(FORGERIES)) {
    test(name, async () => {
      await using copy = await temporaryStore(world.store);
      const folder = join(copy.folder, "download");
      await forge(copy.store.release(digest));
      await rename(copy.store.release(digest), folder);
      const verified = async (rescore: boolean) => {
        const options = { threads: 2, memory: "512MB", rescore, predecessors: world.store };
        return (await verifyFolder(folder, null, options, recordedEffects()))?.findings ?? [];
      };
      const plain = await verified(false);
      // The other commands begin with a plain verification, so they have its findings too.
      const rescored = plain.length > 0 ? plain : await verified(true);
      const replayed =
        plain.length > 0 ? plain : (await compareReplayed(folder, await receiptOf(folder), rebuilt)).findings;
      const found = { verify: plain, "--rescore": rescored, "--replay": replayed };
      const by = COMMANDS.filter((each) => found[each].length > 0);
      expect({ by, found }).toEqual({ by: FOUND_BY[name], found });
    });
  }

  test("each forgery lists the commands that find it", () => {
    expect(Object.keys(FOUND_BY)).toEqual(Object.keys(FORGERIES));
  });
});

test("no command reports a genuine release", async () => {
  const folder = world.store.release(digest);
  const options = { threads: 2, memory: "512MB", rescore: true, keys: world.keys, predecessors: world.store };
  const verification = await verifyFolder(folder, digest, options, recordedEffects());
  expect(verification).toMatchObject({ findings: [], unproven: [], renderedBy: null });
  expect(await compareReplayed(folder, receipt, rebuilt)).toEqual({ findings: [], unproven: [] });
});

describe("a release rendered by another version:", () => {
  const other = (folder: string) =>
    editReceipt(folder, ({ tool, ...own }) => ({ ...own, tool: { ...tool, version: "0.0.1" } }));
  const verified = (folder: string) =>
    verifyFolder(
      folder,
      null,
      { threads: 2, memory: "512MB", rescore: true, predecessors: world.store },
      recordedEffects(),
    );

  test("is valid if this version renders the same bytes", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await other(folder);
    expect(await verified(folder)).toMatchObject({
      findings: [],
      renderedBy: "0.0.1",
      unproven: ["report.html", "ro-crate-metadata.json"],
    });
  });

  test("is unproven, but not forged, if this version renders other bytes; a score without its evidence is forged", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await other(folder);
    await forgePage(folder, await firstPage(folder, "2.0/record"), (text) => text.replace('"title":', '"heading":'));
    await forgeTable(folder, "scores", MASKS);
    const verification = await verified(await moved(folder, copy.folder));
    expect(verification?.unproven).toEqual(expect.arrayContaining(["pages/2.0/record", "report.html"]));
    expect(new Set(verification?.findings.map(({ check }) => check))).toEqual(new Set(["score", "derived file"]));
  });
});

async function moved(folder: string, beside: string): Promise<string> {
  await rename(folder, join(beside, "download"));
  return join(beside, "download");
}

async function receiptOf(folder: string): Promise<Receipt> {
  const read = await readReceipt(folder);
  if (read === null) throw new Error(`${folder} has no receipt`);
  return read;
}
