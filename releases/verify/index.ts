/** Verifies a release: the digest of every file, the root of every table, and every invariant of the scores. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { releaseDigest, tableRoots } from "../../pipeline/6-release/digest.ts";
import { rulesOf } from "../../pipeline/diff/rules.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { DEFAULT_MEMORY, memoryFor, partsIn } from "../../pipeline/engine/open.ts";
import { isOutOfMemory } from "../../pipeline/engine/sql-text.ts";
import { dataBytes, openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import { format1Words, formatOf, ReleaseNotFound } from "../../pipeline/store/releases.ts";
import { checkedRetraction } from "../../pipeline/store/revocations.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, type Table, tablesOf } from "../../schemas/public/tables.ts";
import { recompute, type ScoreIn } from "./aggregates.ts";
import { verifyFiles } from "./files.ts";
import { type Finding, type Found, report, type Unproven, verifyDerivedFiles } from "./finding.ts";
import { verifyPacks } from "./packs.ts";
import { differingPages, otherRenderer, unprovenPages } from "./pages.ts";
import {
  digestOfFolder,
  type ReadReceipt,
  readForVerifying,
  readReceiptText,
  verifyChain,
  verifyInputs,
  verifyNotDisowned,
  verifyReceipt,
  verifySignature,
} from "./receipt.ts";
import { verifyReleasePages } from "./release-pages.ts";
import { verifyRowCounts } from "./row-counts.ts";
import { verifyCsv, verifyDoiLookup, verifyRows } from "./rows.ts";

export type { Finding } from "./finding.ts";

export interface Verification {
  readonly releaseDigest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scores: number;
  readonly findings: readonly Finding[];
  /** Files that only a trusted signature would prove. */
  readonly unproven: readonly string[];
  /** The version that rendered the pages, if it is not this one. Different pages are then unproven, not wrong. */
  readonly renderedBy: string | null;
  /** The retraction in the available store. It does not affect the result. */
  readonly retraction: Retraction | null;
}

export interface VerifyOptions {
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB; null for a limit by the size of the tables. */
  readonly memory: string | null;
  /** Computes scores, aggregates and pages again from the published evidence and authorships. */
  readonly rescore: boolean;
  /**
   * Trusted public keys, of which one must have signed the release. Null or absent: the signature is only checked
   * against revoked keys of the store.
   */
  readonly keys?: readonly TrustedKey[] | null;
  /** Reads no tables if the files have a finding, and computes nothing again if the tables have one. */
  readonly stopEarly?: boolean;
  /** Store that may have earlier releases, on which diff, report and history depend. */
  readonly predecessors?: Store | null;
}

/**
 * Receivers of results. `rendered` gets texts that this version renders differently; they are findings only if it
 * rendered the release.
 */
interface Reports {
  readonly found: Found;
  readonly rendered: Found;
  readonly unproven: Unproven;
}

/** Returns all findings on a release of the store; none if it is valid. */
export async function verify(
  store: Store,
  digest: string,
  options: VerifyOptions,
  effects: Effects,
): Promise<Verification> {
  const verification = await verifyFolder(store.release(digest), digest, { predecessors: store, ...options }, effects);
  if (verification === null) throw new ReleaseNotFound(digest, store);
  return verification;
}

/**
 * Verifies a release in any folder, such as a downloaded copy; null if the folder has no receipt. `digest` is the
 * expected one; null takes it from the folder's name or the receipt.
 */
export async function verifyFolder(
  folder: string,
  digest: string | null,
  options: VerifyOptions,
  effects: Effects,
): Promise<Verification | null> {
  const findings: Finding[] = [];
  const found: Found = (check, detail) => {
    findings.push({ check, detail });
  };
  const read = await readForVerifying(folder, found);
  if (read === null) return null;
  const named = digest ?? digestOfFolder(folder) ?? read?.receipt.releaseDigest ?? "unknown";
  const unproven = new Set<string>();
  const retraction = await retractionOf(named, options, found);
  const none = { files: 0, bytes: 0, scores: 0, unproven: [], renderedBy: null };
  const nothing = { releaseDigest: named, ...none, findings, retraction };
  if (read === undefined) return nothing;
  if (formatOf(read.receipt) === 1) {
    found("format", `the release ${format1Words(read.receipt)}`);
    return nothing;
  }
  const workers = new WorkerPool(options.threads);
  try {
    const reports = { found, unproven: (path: string) => unproven.add(path) };
    const resolved = {
      ...options,
      ...(await memoryOf(options, folder)),
      workers,
      hasFindings: () => findings.length > 0,
    };
    const result = await verifyContent(folder, read, named, resolved, reports, effects);
    return { releaseDigest: named, ...result, findings, unproven: [...unproven].sort(), retraction };
  } finally {
    await workers.end();
  }
}

/** Options with a memory limit, and the shared workers. */
type ResolvedOptions = VerifyOptions & {
  readonly memory: string;
  readonly rangeMemory: string;
  readonly spillLimit: string;
  readonly workers: WorkerPool;
  readonly hasFindings: () => boolean;
};

/** Bytes that joins may write to the disk: so many for each byte of the tables, which are compressed, and some more. */
const SPILL = { each: 40, all: 4 * 2 ** 30 } as const;

/**
 * Returns the memory for joins of complete tables, and for a range of pages, whose size is constant; and the most that
 * joins may spill.
 */
async function memoryOf(
  { memory }: VerifyOptions,
  folder: string,
): Promise<Pick<ResolvedOptions, "memory" | "rangeMemory" | "spillLimit">> {
  // The verification reports missing files later.
  const bytes = await dataBytes(folder).catch(() => 0);
  const spillLimit = `${Math.ceil((SPILL.each * bytes + SPILL.all) / 1e6)}MB`;
  if (memory !== null) return { memory, rangeMemory: memory, spillLimit };
  return { memory: memoryFor(bytes), rangeMemory: DEFAULT_MEMORY, spillLimit };
}

type VerifiedContent = Pick<Verification, "files" | "bytes" | "scores" | "renderedBy">;

async function verifyContent(
  folder: string,
  read: ReadReceipt,
  named: string,
  options: ResolvedOptions,
  { found, unproven }: Omit<Reports, "rendered">,
  effects: Effects,
): Promise<VerifiedContent> {
  const renderedBy = await otherRenderer(read.receipt);
  verifyReceipt(read.receipt, named, found);
  await verifySignature(read, options.keys ?? null, found);
  await verifyNotDisowned(read, options, found);
  await verifyInputs(folder, read.receipt, found);
  await verifyChain(folder, read.receipt, found);
  const { files, bytes, packs: listed, csv } = await verifyFiles(folder, read.receipt, found, effects);
  const counted = await verifyRowCounts(folder, read.receipt, found);
  if (!counted || (options.stopEarly === true && options.hasFindings())) return { files, bytes, scores: 0, renderedBy };
  const tell = (stage: string, done: 0 | 1) => effects.progress({ stage, step: stage, done, total: 1, unit: "steps" });
  tell("tables", 0);
  // DuckDB digests tables while workers read packs.
  const pages =
    listed === null
      ? Promise.resolve(read.receipt.content.pages ?? {})
      : verifyPacks(folder, listed, read.receipt, options.workers, found);
  const packs = listed?.flatMap(({ line, exists }) => (exists ? [line] : [])) ?? null;
  const rendered: Found = renderedBy === null ? found : unprovenPages(unproven);
  const tables = verifyTables(folder, read.receipt, packs, pages, options, { found, rendered, unproven });
  const [, scores] = await Promise.all([pages, tables]);
  await verifyCsv(folder, csv, options, found);
  tell("tables", 1);
  if (options.rescore && !(options.stopEarly === true && options.hasFindings())) {
    tell("rescore", 0);
    await rescore(folder, read.receipt, packs ?? [], options, { found, rendered, unproven });
    tell("rescore", 1);
  }
  return { files, bytes, scores, renderedBy };
}

async function retractionOf(
  digest: string,
  { predecessors = null, keys = null }: VerifyOptions,
  found: Found,
): Promise<Retraction | null> {
  if (predecessors === null) return null;
  const { retraction, fault } = await checkedRetraction(predecessors, digest, keys);
  if (fault !== null) found("retraction", fault);
  return retraction;
}

/**
 * Verifies a receipt without the rest of its release. Returns null if its digest differs or does not match its content.
 * With keys, verifies the signature.
 */
export async function verifyReceiptText(
  text: string,
  digest: string,
  keys: readonly TrustedKey[] | null,
): Promise<{ readonly receipt: Receipt | null; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  const found: Found = (check, detail) => {
    findings.push({ check, detail });
  };
  const read = readReceiptText(text, found);
  if (read === undefined || read.receipt.releaseDigest !== digest || releaseDigest(read.receipt.content) !== digest)
    return { receipt: null, findings };
  if (formatOf(read.receipt) === 1) found("format", `the release ${format1Words(read.receipt)}`);
  verifyReceipt(read.receipt, digest, found);
  await verifySignature(read, keys, found);
  return { receipt: read.receipt, findings };
}

/**
 * Verifies that tables and pages give the release digest (`pages` has their roots), and checks the rows' invariants.
 */
async function verifyTables(
  folder: string,
  receipt: Receipt,
  packs: readonly ManifestLine[] | null,
  pages: Promise<Readonly<Record<string, string>>>,
  options: ResolvedOptions,
  { found, rendered, unproven }: Reports,
): Promise<number> {
  const existingTables = tablesOf(receipt);
  const paths = releaseTablePaths(folder, existingTables);
  const db = await openTables(paths, { ...options, isOlder: true }).catch((error: Error) => error);
  if (db instanceof Error) {
    await pages;
    found("data", db.message);
    return 0;
  }
  try {
    const made = await tablesAsMade(db, existingTables, paths, unproven);
    const roots = await tableRoots(db, made).finally(() => pages);
    for (const [table, root] of Object.entries(roots)) {
      if (receipt.content.tables[table] !== root)
        found("table", `data/${table} has the root ${root}, the receipt states ${receipt.content.tables[table]}`);
    }
    const digest = releaseDigest({ inputs: receipt.content.inputs, tables: roots, pages: await pages });
    if (digest !== receipt.releaseDigest) found("release digest", `the tables and pages give ${digest}`);
    await verifyRows(db, folder, receipt, found);
    await verifyDoiLookup(db, folder, found);
    if (packs !== null)
      await verifyReleasePages(db, folder, packs, receipt, options.predecessors ?? null, rendered, unproven);
    const [row] = await db.rows("select cast(count(*) as integer) as scores from score");
    return Number(row?.scores ?? 0);
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    found("data", messageOf(error));
    return 0;
  } finally {
    db.close();
  }
}

/**
 * Returns the tables with the columns of the version that made the release. Only a signature proves these columns: a
 * row's digest covers its values in order, but not their names.
 */
async function tablesAsMade(
  db: Database,
  tables: readonly Table[],
  paths: TablePaths,
  unproven: Unproven,
): Promise<Table[]> {
  const made: Table[] = [];
  for (const table of tables) {
    const own = await db.tableInFiles(table, partsIn(paths[table.name] ?? ""));
    if (Object.keys(own.columns).length < Object.keys(table.columns).length) unproven(`data/${publishedName(table)}`);
    made.push(own);
  }
  return made;
}

/** Computes scores again with the contracts and pledges of the release, which its digest covers. */
async function rescore(
  folder: string,
  receipt: Receipt,
  packs: readonly ManifestLine[],
  { threads, memory, rangeMemory, spillLimit, workers, predecessors = null }: ResolvedOptions,
  { found, rendered, unproven }: Reports,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-verify-"));
  try {
    const scoreIn = await scoringOf(folder, receipt);
    const paths = await recompute(folder, receipt, scratch, { threads, memory, spillLimit }, scoreIn, found);
    const parts = { folder, receipt, packs, tables: paths, scratch, threads, memory, rangeMemory, workers };
    const pages = await differingPages(parts);
    report(rendered, "page", pages);
    const options = { threads, memory };
    await verifyDerivedFiles({ folder, receipt, scratch, predecessors, options, found, rendered, unproven });
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    found("rescore", messageOf(error));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Returns the scoring by the release's rules and its stated policy. */
async function scoringOf(folder: string, receipt: Receipt): Promise<ScoreIn> {
  const rules = await rulesOf(folder, receipt);
  if (rules === null) throw new Error("the release's contracts and pledges are missing");
  const contracts = [...rules.contracts.values()];
  const scored = PUBLIC_VERSIONS.flatMap((rubric) => {
    const contract = contracts.find(({ publicVersion }) => publicVersion === rubric);
    return contract === undefined ? [] : [{ rubric, contract }];
  });
  const also = (receipt.alsoContracts ?? []).flatMap((id) => rules.contracts.get(id) ?? []);
  return (db, versions) => scoreEvidence(db, scored, receipt.policy ?? NO_POLICY, versions, rules.pledges, also);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
