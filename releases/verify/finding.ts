/** What verifying finds. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDescriptors, writeReport } from "../../pipeline/6-release/describe.ts";
import { gateText, judge } from "../../pipeline/6-release/gates.ts";
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

/** One thing that is not as the release says: which check, and what exactly. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Names a file that neither the digest nor anything at hand proves. */
export type Unproven = (path: string) => void;

/** More of a kind than this are counted, not listed. */
export const MOST_LISTED = 20;

/** Reports up to {@link MOST_LISTED} details of a check, and how many more there are. */
export function report(found: Found, check: string, details: readonly string[]): void {
  for (const detail of details.slice(0, MOST_LISTED)) found(check, detail);
  if (details.length > MOST_LISTED) found(check, `and ${details.length - MOST_LISTED} more`);
}

interface ToldParts {
  readonly folder: string;
  readonly receipt: Receipt;
  readonly scratch: string;
  /** Where the release before may be; null where nowhere. */
  readonly predecessors: Store | null;
  readonly options: DuckDBOptions;
  readonly found: Found;
  /** Reports what this version tells in other words. */
  readonly rendered: Found;
  readonly unproven: Unproven;
}

/** Compares the files that the manifest lists; a release may have none of them. */
export async function verifyTold(parts: ToldParts): Promise<void> {
  const { folder, receipt, scratch, found, rendered, unproven } = parts;
  const listed = await dataAndRoot(folder);
  const tree = join(scratch, "told");
  await mkdir(join(tree, "data"), { recursive: true });
  const after = await sideOf(folder, receipt).catch((error: Error) => {
    found("told", error.message);
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
  // Causes before effects: descriptors name the files under data/.
  for (const { path, sha256 } of [...described, ...listed.filter((line) => !described.includes(line))]) {
    if (!made.includes(path) || (await fileDigest(join(tree, path)).catch(() => null)) === sha256) continue;
    rendered("told", `${path} is not what the release gives`);
  }
  for (const path of validated ? VALIDATION_FILES : []) {
    if (!listed.some((line) => line.path === path)) found("told", `${path} is missing`);
  }
  if (before !== undefined && difference.length > 0) await verifyDiffTables(parts, tree, new Set(difference));
  await rm(tree, { recursive: true, force: true });
}

const VALIDATION_FILES = [VALIDATION_FILE, VALIDATION_PAGE];

/** Of the release's own tables and rules; false where the rules are not at hand. */
async function writeValidated(
  { receipt, scratch, options }: ToldParts,
  { tables, rules }: Side,
  tree: string,
): Promise<boolean> {
  if (rules === null) return false;
  await writeValidation(tree, { receipt, tables, rules }, { ...options, spill: join(scratch, "spill-4") });
  return true;
}

/** The lines of all files that are no pages: few. */
async function dataAndRoot(folder: string): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for await (const line of manifestLines(join(folder, "manifest.ndjson"))) {
    if (line !== null && readPackPath(line.path) === null) lines.push(line);
  }
  return lines;
}

/** Null where there is none; undefined where it is not at hand. */
async function sideBefore({ receipt, predecessors }: ToldParts): Promise<Side | null | undefined> {
  const digest = receipt.previousReleaseDigest;
  if (digest === null) return null;
  const folder = predecessors?.release(digest);
  const earlier = folder === undefined ? null : await readReceipt(folder);
  if (folder === undefined || earlier === null) return undefined;
  return formatOf(earlier) === 1 ? null : sideOf(folder, earlier);
}

async function writeDifference(
  { receipt, scratch, options, found }: ToldParts,
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

/** Judged again by the bounds that the receipt names; how the last harvest of a source ended is known to its raw payloads alone. */
async function verifyGates(db: Database, after: Side, receipt: Receipt, found: Found): Promise<void> {
  const { gates = [], gateLimits: limits } = receipt;
  if (limits === undefined) return;
  const known = (list: readonly Gate[]) =>
    list
      .filter(({ gate }) => gate !== "harvested")
      .map((gate) => `${gate.passed ? "passed" : "not passed"} ${gateText(gate)}`);
  const [ours, theirs] = [known(await judge(db, after, receipt.coverage, limits, new Map())), known(gates)];
  for (const text of theirs) if (!ours.includes(text)) found("gate", `${text}: that is not what the release gives`);
  for (const text of ours) if (!theirs.includes(text)) found("gate", `${text}: the receipt does not say so`);
}

/** By their rows: Parquet of the same rows has other bytes on another engine. */
async function verifyDiffTables(
  { folder, found }: ToldParts,
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
      if (rows[0]?.n !== 0n) found("told", `${parquet} is not what the release gives`);
    }
  } finally {
    db.close();
  }
}
