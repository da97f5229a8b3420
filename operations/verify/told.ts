/**
 * What a release tells about itself, made again and compared: contracts and pledges, the diff, the report, descriptors.
 * The release digest covers none of them. What depends on the release before can be made only where that one is at hand.
 */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Database, type DuckDBOptions, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { readPackPath } from "../../pipeline/packs/format.ts";
import { formatOf } from "../../pipeline/store/release-format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_FILE, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import { HISTORY_FILE, type ManifestLine, type Receipt } from "../../schemas/public/release.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { writeDescriptors } from "../describe/write-descriptors.ts";
import { writeReport } from "../describe/write-report.ts";
import { compare } from "../diff/compare.ts";
import { RULE_FILES, writeRules } from "../diff/rules.ts";
import { type Side, sideOf } from "../diff/side.ts";
import { writeDiff } from "../diff/write.ts";
import { gateText, judge } from "../gates/index.ts";
import { writeValidation } from "../validation/write.ts";
import { manifestLines } from "./files.ts";
import type { Found, Unproven } from "./finding.ts";
import { DIFFERENCE_FILES } from "./release-files.ts";

export interface ToldParts {
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
