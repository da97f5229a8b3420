/**
 * The forgeries of docs/reference/proofs.md, by name. Tests make each in a temporary folder. To look at forgeries or to test
 * another program with them, run `node test/trust/forgeries.ts FOLDER [WORD]`: it writes those whose name contains the word
 * into a new folder, beside the `genuine` release, and prints a line of JSON for each.
 */

import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { digestText, withheldReceipt } from "../../pipeline/6-release/digest.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import type { Receipt, SourceReceipt } from "../../schemas/public/release.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { firstPage, flipByte, forgePage, repack } from "../support/forgery.ts";
import { type Build, type FilledStore, filledStore } from "../support/temporary-store.ts";
import { addColumn, addMember, falsifyStatistics, forgeText, hideFile, renameFile, rewriteTable } from "./forge.ts";
import { type Forgery, type Original, remake } from "./remake.ts";
import { at, SOURCES } from "./world.ts";

const ZEROS = `sha256:${"0".repeat(64)}`;
const SOMEBODY = withheldReceipt(["a000000000000000000000000"]);

const METRICS = { family: RELEASE_FAMILY, key: "api/2.0/metrics/live.json" };

/** SQL that changes absent signals to "source missing", as if the source could not have their fields. */
const MASKS = `update forged set evaluable_mask = passed_mask, source_missing_mask = supported_mask - passed_mask - failed_mask
  where rubric = '2.0' and bit_count(passed_mask) >= 5`;

const SHORT = { evidence: "update forged set description_length = 0 where description_length > 0" };

const edited = (path: string, edit: (text: string) => string): Forgery => ({ files: (f) => forgeText(f, path, edit) });

const listed = (path: string, edit: (text: string) => string): Forgery => ({ listed: (f) => forgeText(f, path, edit) });

/** Returns a forgery that changes the entry of every source in the receipt. */
const source = (change: (entry: SourceReceipt, genuine: Receipt) => Partial<SourceReceipt>): Forgery => ({
  counts: (counts, genuine) => {
    const sources = counts.sources.map((entry) => ({ ...entry, ...change(entry, genuine) }));
    const { rejected } = at(sources, 0);
    return { ...counts, sources, rejected };
  },
});

const reader = source(({ reader: own }) => (own === undefined ? {} : { reader: { ...own, digest: ZEROS } }));

const tool = (change: Partial<Receipt["tool"]>): Forgery => ({
  receipt: (receipt) => ({ ...receipt, tool: { ...receipt.tool, ...change } }),
});

/**
 * Returns a forgery that changes an entry in a file of rules (contracts or pledges), and the entry's digest among the inputs.
 */
const rule = (path: string, kind: string, name: string, edit: (text: string) => string): Forgery => {
  let input = "";
  return {
    files: async (f) => {
      await forgeText(f, path, (text) => {
        const changed = edit(text);
        input = digestText(canonicalJson(JSON.parse(changed)[name]));
        return changed;
      });
    },
    receipt: (receipt) => ({
      ...receipt,
      content: {
        ...receipt.content,
        inputs: { ...receipt.content.inputs, ...(input === "" ? {} : { [`${kind} ${name}`]: input }) },
      },
      rubrics: receipt.rubrics.map((each) =>
        input !== "" && each.contract === name ? { ...each, digest: input } : each,
      ),
    }),
  };
};

function passed(gates: readonly Gate[]): readonly Gate[] {
  if (gates.every((gate) => gate.passed))
    throw new Error("no gate fails in the genuine release, so the forgery would change nothing");
  return gates.map((gate) => ({ ...gate, passed: true }));
}

export const FORGERIES: Readonly<Record<string, Forgery>> = {
  "file that no release has, or a name in another case": {
    listed: (f) => renameFile(f, "data/contracts.json", "Data/contracts.json"),
  },
  "file that every release has": { listed: (f) => hideFile(f, "report.html") },
  "CSV file beside the release": {
    last: (f) => writeFile(join(f, "data/scores.csv.gz"), gzipSync("id,rubric,total\n")),
  },

  "column more in a table": { files: (f) => addColumn(f, "scores", "100 as official_total") },
  "maximum in the statistics of a Parquet file": { files: (f) => falsifyStatistics(f, "records") },
  "order of columns in a Parquet file": {
    files: (f) => rewriteTable(f, "scores", "select rubric, * exclude (rubric) from genuine"),
  },
  "order of rows in a Parquet file": {
    files: (f) => rewriteTable(f, "scores", "select * from genuine order by id desc, rubric"),
  },
  "metadata of a Parquet file": {
    files: (f) =>
      rewriteTable(f, "scores", "select * from genuine order by id, rubric", ", kv_metadata {endorsed: 'yes'}"),
  },

  "page of a record": {
    pages: async (f) =>
      forgePage(f, await firstPage(f, "2.0/record"), (text) => text.replace('"title":', '"title":"Retracted","was":')),
  },
  "two pages, swapped": {
    pages: (f) =>
      repack(f, "2.0/author", (pages) => {
        const [[one, text] = ["", ""], [other, others] = ["", ""]] = pages;
        pages.set(one, others).set(other, text);
      }),
  },
  "page that is gone": {
    pages: async (f) => {
      const { key } = await firstPage(f, "2.0/record");
      await repack(f, "2.0/record", (pages) => pages.delete(key));
    },
  },
  "page that no release has": { pages: (f) => repack(f, "2.0/author", (pages) => pages.set("endorsed", "{}\n")) },
  badge: {
    pages: async (f) => forgePage(f, await firstPage(f, "2.0/dataset-badge"), (text) => text.replace("SHARE", "FAKE")),
  },
  "page that names the release": {
    files: (f) => forgePage(f, METRICS, (text) => text.replace('"totalRecords":', '"totalRecords":9')),
  },
  "DOI look-up": { files: (f) => flipByte(join(f, "lookup/doi.bin"), 16 + 12) },

  "state or score": { rows: { scores: MASKS } },
  "score under another contract": {
    rows: { "contract-scores": MASKS.replace("rubric = '2.0'", "contract = '2.0.0-beta.1'") },
  },
  aggregate: { rows: { "researcher-datasets": "update forged set place = place + 1 where place = 1" } },

  "evidence that a rule reads": { rows: SHORT },
  "evidence that no rule reads": { rows: { evidence: "update forged set creator_count = creator_count + 1" } },
  "title of a record": { rows: { records: "update forged set title = 'Retracted: ' || title" } },
  "reason why a record is not listed": { rows: { unlisted: "update forged set reason = 'forged'" } },
  "ORCID of a creator": {
    rows: {
      authorships: "update forged set orcid = '0000-0002-1825-0097' where orcid is null and position = 1",
    },
  },
  "country of an institution by its text": {
    rows: { attributions: "update forged set country_code = 'ATA' where country_basis = 'text'" },
  },
  "label of an institution": { rows: { institutions: "update forged set label = 'Elsewhere'" } },
  "citations of a record": { rows: { records: "update forged set citations = coalesce(citations, 0) + 1" } },
  "version family of a record": { rows: { records: "update forged set version_family = 'x' || version_family" } },
  "evidence, and a part that the store lacks": {
    rows: SHORT,
    ...source(({ parts }) => ({ parts: parts + 1, rawDigest: ZEROS })),
  },
  "evidence, and hidden researchers": { rows: SHORT, options: () => ({ withheldReceipt: SOMEBODY }) },
  "evidence, and an enrichment": { rows: SHORT, options: () => ({ enrichments: { ror: ZEROS } }) },
  "evidence, and another reader": { rows: SHORT, ...reader },
  "evidence, and another version of the program": { rows: SHORT, ...tool({ version: "0.0.1" }) },
  "evidence, and another engine": { rows: SHORT, ...tool({ engine: "Apache Spark 4.0.0" }) },
  "evidence, and an unknown previous release": { rows: SHORT, options: () => ({ predecessor: ZEROS }) },

  contract: rule("data/contracts.json", "contract", "2.0.0-beta.2", (text) =>
    text.replace("keyword_count >= 3", "keyword_count >= 1"),
  ),
  pledge: rule("data/pledges.json", "pledge", "zenodo", (text) => text.replace("Zenodo's records API", "an API")),
  "word list": edited("data/vocabularies.json", (text) => text.replace("licence-aliases.csv", "licence-alias.csv")),
  diff: edited("data/diff.json", (text) => text.replace(/"records": \{\s*"before": \d+/, '"records": {"before": 1')),
  report: listed("report.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  descriptor: listed("croissant.json", (text) => text.replace('"creator"', '"endorsedBy": "nobody", "creator"')),
  "citation file": listed("CITATION.cff", (text) => text.replace("authors:", 'doi: "10.1234/forged"\nauthors:')),
  "validation figure": edited("data/validation.json", (text) => text.replace(/"harvested":\d+/, '"harvested":99999')),
  "validation page": listed("validation.html", (text) => text.replace("</h1>", " (audited)</h1>")),
  "earlier mean in the history": edited("data/history.json", (text) =>
    text.replace(/"meanShareScore": [\d.]+/, '"meanShareScore": 99'),
  ),

  "receipt: unknown field": { last: addMember },
  "receipt: name of the program": tool({ name: "another" }),
  "receipt: version of the program": tool({ version: "0.0.1" }),
  "receipt: engine": tool({ engine: "Apache Spark 4.0.0" }),
  "receipt: label": { options: () => ({ label: "2026.11.02.7" }) },
  "receipt: time of publication": { options: () => ({ publishedAt: "2026-11-02T13:00:00.000Z" }) },
  "receipt: licence": { options: () => ({ licence: "CC-BY-4.0" }) },
  "receipt: previous release, unknown": { options: () => ({ predecessor: ZEROS }) },
  "receipt: previous release, none": { options: () => ({ predecessor: null }) },
  "receipt: other contracts": {
    last: async (f) => forgeText(f, "release.json", (text) => text.replace(/ {2}"alsoContracts": \[[^\]]*\],\n/, "")),
  },
  "receipt: enrichment": { options: () => ({ enrichments: { ror: ZEROS } }) },
  "receipt: hidden researchers": { options: () => ({ withheldReceipt: SOMEBODY }) },
  "receipt: number of hidden researchers": {
    options: ({ withheld }) => ({ withheldReceipt: { ...withheld, count: 7 } }),
  },
  "receipt: limits of the gates": { options: () => ({ limits: { lost: 0.5 } }) },
  "receipt: passed gates of a release that fails": {
    rows: SHORT,
    options: () => ({ limits: { drift: 0 } }),
    gates: passed,
  },
  "receipt: no gates": { gates: () => [] },
  "receipt: no gates, and an unknown previous release": {
    options: () => ({ predecessor: ZEROS }),
    gates: () => [],
  },
  "receipt: figure of a gate": {
    gates: (gates) =>
      gates.map((gate) => (gate.gate === "drift" ? { ...gate, detail: "mean 1.00 → 1.00; at most 5 points" } : gate)),
  },
  "receipt: reason for a forced activation": {
    options: () => ({ force: "because" }),
    last: async (f) => forgeText(f, "release.json", (text) => text.replace('"forced": null', '"forced": "because"')),
  },
  "receipt: version of a reader": source(({ reader: own }) =>
    own === undefined ? {} : { reader: { ...own, version: own.version + 1 } },
  ),
  "receipt: digest of a reader": reader,
  "receipt: digest of raw payloads": source(() => ({ rawDigest: ZEROS })),
  "receipt: number of raw files": source(({ parts }) => ({ parts: parts + 1 })),
  "receipt: withdrawn records": {
    counts: (counts) => {
      const more = <C extends typeof counts.coverage>(count: C) => ({
        ...count,
        tombstones: count.tombstones + 1,
        harvested: count.harvested + 1,
      });
      const sources = counts.sources.map((each) => ({ ...each, coverage: more(each.coverage) }));
      return { ...counts, coverage: more(counts.coverage), sources };
    },
  },
  "receipt: superseded payloads": {
    counts: (counts) => {
      const more = <C extends typeof counts.coverage>(count: C) => ({
        ...count,
        superseded: count.superseded + 1,
        harvested: count.harvested + 1,
      });
      const sources = counts.sources.map((each) => ({ ...each, coverage: more(each.coverage) }));
      return { ...counts, coverage: more(counts.coverage), sources };
    },
  },
  "receipt: records by basis of their country": {
    counts: ({ attribution, ...counts }) => {
      if (attribution?.byBasis === undefined) throw new Error("the genuine release has no attribution to forge");
      const { text, field, ...rest } = attribution.byBasis;
      return { ...counts, attribution: { ...attribution, byBasis: { ...rest, text: text - 1, field: field + 1 } } };
    },
  },
  "receipt: time of retrieval": source(() => ({ newestRetrieval: "2026-11-02T00:00:00.000Z" })),
  "receipt: rejected input": source(({ rejected }) => ({ rejected: { ...rejected, empty: 7 } })),
  "receipt: completeness of a source": source(() => ({ completeness: { expected: 40, got: 40, complete: true } })),
  "receipt: harvested part of a source": source(() => ({
    scopes: [{ only: "community=somebody", expected: 40, got: 40, complete: true }],
  })),
  "receipt: source carried forward": source((_, { previousReleaseDigest }) => ({
    carriedFrom: previousReleaseDigest ?? ZEROS,
  })),
  "receipt: source carried forward from an unknown release": source(() => ({ carriedFrom: ZEROS })),
  "receipt: source carried forward, and its completeness": source((_, { previousReleaseDigest }) => ({
    carriedFrom: previousReleaseDigest ?? ZEROS,
    completeness: { expected: 40, got: 40, complete: true },
  })),
};

/** Creates a store with a small release that has a predecessor and scores under other contracts. */
export async function forgersWorld(): Promise<FilledStore & Original> {
  const builds = ["2026-11-01", "2026-11-02"].map(
    (asOf): Build => ({
      asOf,
      sources: SOURCES,
      rubrics: ["2.0"],
      alsoContracts: OTHER_CONTRACTS,
      now: `${asOf}T12:00:00.000Z`,
    }),
  );
  const world = await filledStore({ bundled: SOURCES, builds, signed: true });
  return { ...world, digest: world.last.releaseDigest, workers: new WorkerPool(1) };
}

/** Makes the forgery `name` of the release in the new folder `into`. */
export async function forge(name: string, original: Original, into: string): Promise<void> {
  const forgery = FORGERIES[name];
  if (forgery === undefined) throw new Error(`there is no forgery "${name}"`);
  const scratch = await mkdtemp(join(tmpdir(), "share-forge-"));
  try {
    await remake(original, forgery, scratch, into);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [, , folder = "", word = ""] = process.argv;
  if (folder === "") throw new Error("give the path of a new folder: node test/trust/forgeries.ts FOLDER [WORD]");
  await mkdir(folder);
  const world = await forgersWorld();
  const write = (name: string, path: string) => process.stdout.write(`${JSON.stringify({ name, folder: path })}\n`);
  const genuine = join(resolve(folder), "genuine");
  await cp(world.store.release(world.digest), genuine, { recursive: true });
  write("genuine", genuine);
  for (const name of Object.keys(FORGERIES).filter((each) => each.includes(word))) {
    const into = join(resolve(folder), name.replaceAll(/[^A-Za-z]+/g, "-"));
    await forge(name, world, into);
    write(name, into);
  }
  await world.workers.end();
  await world[Symbol.asyncDispose]();
}
