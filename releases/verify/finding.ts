/** Findings of a verification, and the verification of files derived from the tables. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDescriptors, writeReport } from "../../pipeline/6-release/describe.ts";
import { gateText, judgeGates } from "../../pipeline/6-release/gates.ts";
import { compare, type Side, sideOf } from "../../pipeline/diff/compare.ts";
import { RULE_FILES, writeRules } from "../../pipeline/diff/rules.ts";
import { writeDiff } from "../../pipeline/diff/summary.ts";
import { type Database, type DuckDBOptions, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { readPackPath } from "../../pipeline/packs/format.ts";
import { formatOf, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { writeValidation } from "../../pipeline/validation/index.ts";
import { DIFF_FILE, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import { HISTORY_FILE, type ManifestLine, type Receipt } from "../../schemas/public/release.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { DIFFERENCE_FILES, manifestLines } from "./files.ts";

/** A difference from the release's statements: the check, and the detail. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Receives a file that nothing available proves. */
export type Unproven = (path: string) => void;

/** Findings of one check that are listed; the rest is a number. */
export const MOST_LISTED = 20;

/** Reports up to {@link MOST_LISTED} details of a check, and the number of others. */
export function report(found: Found, check: string, details: readonly string[]): void {
  for (const detail of details.slice(0, MOST_LISTED)) found(check, detail);
  if (details.length > MOST_LISTED) found(check, `and ${details.length - MOST_LISTED} more`);
}

interface DerivedFiles {
  readonly folder: string;
  readonly receipt: Receipt;
  readonly scratch: string;
  /** Store that may have the previous release, or null. */
  readonly predecessors: Store | null;
  readonly options: DuckDBOptions;
  readonly found: Found;
  /** Reports texts that differ in this version. */
  readonly rendered: Found;
  readonly unproven: Unproven;
}

/** Compares derived files in the manifest. A release may have none of them. */
export async function verifyDerivedFiles(parts: DerivedFiles): Promise<void> {
  const { folder, receipt, scratch, found, rendered, unproven } = parts;
  const listed = await dataAndRoot(folder);
  const tree = join(scratch, "derived");
  await mkdir(join(tree, "data"), { recursive: true });
  const after = await sideOf(folder, receipt).catch((error: Error) => {
    found("derived file", error.message);
    return null;
  });
  if (after?.rules) await writeRules(tree, after.rules);
  const validated = after === null ? false : await writeValidated(parts, after, tree);
  const described = listed.filter(({ path }) => path.startsWith("data/") && path !== HISTORY_FILE);
  await writeDescriptors(tree, receipt, described);
  const before = after === null ? undefined : await sideBefore(parts);
  const difference = listed.map(({ path }) => path).filter((path) => DIFFERENCE_FILES.includes(path));
  if (before === undefined || after === null) for (const path of difference) unproven(path);
  else if (difference.length > 0) await writeDifference(parts, before, after, tree);
  const made = [
    ...Object.values(RULE_FILES),
    ...Object.values(DESCRIPTORS).filter((path) => path !== DESCRIPTORS.report),
    ...(validated ? VALIDATION_FILES : []),
    ...(before === undefined ? [] : [DIFF_FILE, DESCRIPTORS.report]),
  ];
  // Files under data/ come first, since descriptors contain their digests.
  for (const { path, sha256 } of [...described, ...listed.filter((line) => !described.includes(line))]) {
    if (!made.includes(path) || (await fileDigest(join(tree, path)).catch(() => null)) === sha256) continue;
    rendered("derived file", `${path} does not match the release's tables`);
  }
  for (const path of validated ? VALIDATION_FILES : []) {
    if (!listed.some((line) => line.path === path)) found("derived file", `${path} is missing`);
  }
  if (before !== undefined && difference.length > 0) await verifyDiffTables(parts, tree, new Set(difference));
  await rm(tree, { recursive: true, force: true });
}

const VALIDATION_FILES = [VALIDATION_FILE, VALIDATION_PAGE];

/** Computes the validation from the release's tables and rules. Returns false if the rules are missing. */
async function writeValidated(
  { receipt, scratch, options }: DerivedFiles,
  { tables, rules }: Side,
  tree: string,
): Promise<boolean> {
  if (rules === null) return false;
  await writeValidation(tree, { receipt, tables, rules }, { ...options, spill: join(scratch, "spill-4") });
  return true;
}

/** Returns the few lines of files that are not packs. */
async function dataAndRoot(folder: string): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for await (const line of manifestLines(join(folder, "manifest.ndjson"))) {
    if (line !== null && readPackPath(line.path) === null) lines.push(line);
  }
  return lines;
}

/** Returns the previous release; null if there is none, undefined if it is not available. */
async function sideBefore({ receipt, predecessors }: DerivedFiles): Promise<Side | null | undefined> {
  const digest = receipt.previousReleaseDigest;
  if (digest === null) return null;
  const folder = predecessors?.release(digest);
  const earlier = folder === undefined ? null : await readReceipt(folder);
  if (folder === undefined || earlier === null) return undefined;
  return formatOf(earlier) === 1 ? null : sideOf(folder, earlier);
}

async function writeDifference(
  { receipt, scratch, options, found }: DerivedFiles,
  before: Side | null,
  after: Side,
  tree: string,
): Promise<void> {
  const comparison = await compare(before, after, { ...options, spill: join(scratch, "spill-3") });
  try {
    await verifyGates(comparison.db, after, receipt, found);
    const diff = await writeDiff(comparison, before, after, tree);
    await writeReport(comparison.db, tree, { receipt, gates: receipt.gates ?? [], diff, after });
  } finally {
    comparison.db.close();
  }
}

/**
 * Judges the gates again by the limits in the receipt. Only raw payloads show how the last harvest of a source ended,
 * so that gate is skipped.
 */
async function verifyGates(db: Database, after: Side, receipt: Receipt, found: Found): Promise<void> {
  const { gates = [], gateLimits: limits } = receipt;
  if (limits === undefined) return;
  const known = (list: readonly Gate[]) =>
    list
      .filter(({ gate }) => gate !== "harvested")
      .map((gate) => `${gate.passed ? "passed" : "not passed"} ${gateText(gate)}`);
  const [ours, theirs] = [known(await judgeGates(db, after, receipt.coverage, limits, new Map())), known(gates)];
  for (const text of theirs)
    if (!ours.includes(text)) found("gate", `${text}: the release's tables give another result`);
  for (const text of ours) if (!theirs.includes(text)) found("gate", `${text}: the receipt does not state it`);
}

/** Compares rows, since another engine writes the same rows as other bytes. */
async function verifyDiffTables(
  { folder, found }: DerivedFiles,
  tree: string,
  listed: ReadonlySet<string>,
): Promise<void> {
  const db = await openDuckDB({ threads: 1 });
  try {
    for (const { published } of Object.values(DIFF_TABLES)) {
      const parquet = `data/${published}.parquet`;
      const read = (root: string) => `(select * from read_parquet(${quote(join(root, parquet))}))`;
      const [theirs, ours] = [read(folder), read(tree)];
      const differs = `select count(*) as n from ((${ours} except all ${theirs}) union all (${theirs} except all ${ours}))`;
      const rows = listed.has(parquet) ? await db.rows(differs).catch(() => [{ n: null }]) : [{ n: 0n }];
      if (rows[0]?.n !== 0n) found("derived file", `${parquet} does not match the release's tables`);
    }
  } finally {
    db.close();
  }
}
