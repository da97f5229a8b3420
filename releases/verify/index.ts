/**
 * Verifies a release: its signature, the digest of every file and the root of every table. If requested, also makes the
 * release again and compares the two.
 */

import { releaseDigest, tableRoots } from "../../pipeline/6-release/digest.ts";
import { DEFAULT_MEMORY, memoryFor } from "../../pipeline/engine/memory.ts";
import { partsIn } from "../../pipeline/engine/open.ts";
import { isOutOfMemory } from "../../pipeline/engine/sql-text.ts";
import { dataBytes, openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import { detectReleaseFormat, format1Words, ReleaseNotFound } from "../../pipeline/store/releases.ts";
import { checkedRetraction } from "../../pipeline/store/revocations.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { listReleaseTables, type Table } from "../../schemas/public/tables.ts";
import { compareBytes } from "./compare.ts";
import { verifyFiles } from "./files.ts";
import type { Finding, Found } from "./finding.ts";
import { verifyPacks } from "./packs.ts";
import {
  compareRows,
  decideComparisonExtent,
  type Extent,
  findRawInputs,
  type RebuildRequest,
  rebuild,
} from "./rebuild.ts";
import {
  digestOfFolder,
  type ReadReceipt,
  readReceiptText,
  readReceiptToVerify,
  verifyChain,
  verifyInputs,
  verifyNotDisowned,
  verifyReceipt,
  verifySignature,
} from "./receipt.ts";
import { verifyRowCounts } from "./row-counts.ts";
import { verifyCsv, verifyParquet, verifyRows } from "./rows.ts";

export type { Finding } from "./finding.ts";

/** The inputs from which a rebuild started, and how much of the release could be compared. */
interface RebuildExtent {
  readonly from: "raw payloads" | "published tables";
  /**
   * The reason why the rebuild did not start from raw payloads although the store has some. Null if it did, or if the store
   * has none.
   */
  readonly notFromRaw: string | null;
  readonly extent: Extent;
}

export interface Verification {
  readonly releaseDigest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scores: number;
  readonly findings: readonly Finding[];
  readonly rebuilt: RebuildExtent | null;
  /** Files that neither the release digest, nor a trusted key, nor a rebuild proves. */
  readonly unproven: readonly string[];
  /** The retraction, if the store has one. A retracted release can still be valid. */
  readonly retraction: Retraction | null;
}

export interface VerifyOptions {
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. If null, it follows from the size of the tables. */
  readonly memory: string | null;
  /** Set to make the release again and compare the two; by default, this is not done. */
  readonly rebuild?: RebuildRequest | null;
  /** Processes that several verifications share. By default, each verification starts new ones. */
  readonly workers?: WorkerPool;
  /** True to stop early: before the tables if a file has a finding, and before the rebuild if a table has one. */
  readonly stopEarly?: boolean;
  /**
   * Trusted public keys. One of them must have signed the release. If null or absent, the signature is only compared with
   * the revoked keys of the store.
   */
  readonly keys?: readonly TrustedKey[] | null;
  /** The store that may contain raw payloads and earlier releases; null if there is none. */
  readonly predecessors?: Store | null;
}

/** Verifies a release of the store. Returns all findings; none if it is valid. */
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
 * Verifies a release in any folder, such as a downloaded copy. Returns null if the folder has no receipt. `digest` is the
 * expected digest; if it is null, the name of the folder or the receipt determines it.
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
  const read = await readReceiptToVerify(folder, found);
  if (read === null) return null;
  const named = digest ?? digestOfFolder(folder) ?? read?.receipt.releaseDigest ?? "unknown";
  const retraction = await readRetraction(named, options, found);
  const none = { files: 0, bytes: 0, scores: 0, rebuilt: null, unproven: [] };
  const nothing = { releaseDigest: named, ...none, findings, retraction };
  if (read === undefined) return nothing;
  if (detectReleaseFormat(read.receipt) === 1) {
    found("format", `the release ${format1Words(read.receipt)}`);
    return nothing;
  }
  const workers = options.workers ?? new WorkerPool(options.threads);
  try {
    const resolved = {
      ...options,
      ...(await chooseMemory(options, folder)),
      workers,
      hasFindings: () => findings.length > 0,
    };
    const { uncovered, ...counts } = await verifyContent(folder, read, named, resolved, found, effects);
    const { rebuilt, unproven } = await rebuildAndCompare(folder, read.receipt, uncovered, resolved, found, effects);
    const isSigned = (options.keys ?? null) !== null;
    return { releaseDigest: named, ...counts, findings, rebuilt, unproven: isSigned ? [] : unproven, retraction };
  } finally {
    if (options.workers === undefined) await workers.end();
  }
}

/** Options with all memory limits set, and with the worker processes that all steps share. */
type ResolvedOptions = VerifyOptions & {
  readonly memory: string;
  readonly rangeMemory: string;
  readonly spillLimit: string;
  readonly workers: WorkerPool;
  readonly hasFindings: () => boolean;
};

/** Limit of bytes that joins may write to the disk: `each` for every byte of the compressed tables, plus `all`. */
const SPILL = { each: 40, all: 4 * 2 ** 30 } as const;

/**
 * Determines the memory limits for joins of complete tables and for one range of pages, and how much joins may write to the
 * disk. Ranges need the same memory in every release.
 */
async function chooseMemory(
  { memory }: VerifyOptions,
  folder: string,
): Promise<Pick<ResolvedOptions, "memory" | "rangeMemory" | "spillLimit">> {
  // The verification reports missing files later.
  const bytes = await dataBytes(folder).catch(() => 0);
  const spillLimit = `${Math.ceil((SPILL.each * bytes + SPILL.all) / 1e6)}MB`;
  if (memory !== null) return { memory, rangeMemory: memory, spillLimit };
  return { memory: memoryFor(bytes), rangeMemory: DEFAULT_MEMORY, spillLimit };
}

interface VerifiedContent extends Pick<Verification, "files" | "bytes" | "scores"> {
  /** Files that the release digest does not cover. */
  readonly uncovered: readonly string[];
}

async function verifyContent(
  folder: string,
  read: ReadReceipt,
  named: string,
  options: ResolvedOptions,
  found: Found,
  effects: Effects,
): Promise<VerifiedContent> {
  verifyReceipt(read.receipt, named, found);
  await verifySignature(read, options.keys ?? null, found);
  await verifyNotDisowned(read, options, found);
  await verifyInputs(folder, read.receipt, found);
  await verifyChain(folder, read.receipt, found);
  const { files, bytes, packs: listed, csv, uncovered } = await verifyFiles(folder, read.receipt, found, effects);
  const counted = await verifyRowCounts(folder, read.receipt, found);
  if (!counted || stopsEarly(options)) return { files, bytes, scores: 0, uncovered };
  const report = (done: 0 | 1) => effects.progress({ stage: "tables", step: "tables", done, total: 1, unit: "steps" });
  report(0);
  // DuckDB digests tables while workers read packs.
  const pages =
    listed === null
      ? Promise.resolve(read.receipt.content.pages ?? {})
      : verifyPacks(folder, listed, read.receipt, options.workers, found);
  const [, scores] = await Promise.all([pages, verifyTables(folder, read.receipt, pages, options, found)]);
  await verifyCsv(folder, csv, options, found);
  const foreign = await verifyParquet(folder, read.receipt, options, found);
  report(1);
  return { files, bytes, scores, uncovered: [...uncovered, ...foreign].sort() };
}

function stopsEarly({ stopEarly = false, hasFindings }: ResolvedOptions): boolean {
  return stopEarly && hasFindings();
}

/** Makes the release again, if requested, and compares the two. Returns the files that remain unproven. */
async function rebuildAndCompare(
  folder: string,
  receipt: Receipt,
  uncovered: readonly string[],
  resolved: ResolvedOptions,
  found: Found,
  effects: Effects,
): Promise<Pick<Verification, "rebuilt" | "unproven">> {
  const {
    rebuild: requested = null,
    predecessors: store = null,
    workers,
    threads,
    memory,
    rangeMemory,
    spillLimit,
  } = resolved;
  if (requested === null || stopsEarly(resolved)) return { rebuilt: null, unproven: uncovered };
  const { raw, why } = await findRawInputs(store, receipt, requested);
  const { extent, why: rowsOnly } = await decideComparisonExtent(receipt);
  const notFromRaw = raw === null ? why : rowsOnly;
  if (notFromRaw !== null && requested.from === "raw") {
    found("rebuild", `the rebuild cannot start from raw payloads: ${notFromRaw}`);
    return { rebuilt: null, unproven: uncovered };
  }
  const from = raw === null || extent === "rows" ? "published tables" : "raw payloads";
  const rebuilt = { from, notFromRaw, extent } as const;
  try {
    if (extent === "rows") {
      await compareRows(folder, receipt, { threads, memory, spillLimit }, effects, found);
      return { rebuilt, unproven: [...uncovered, "pages/", "the gates"] };
    }
    const options = { store, raw, workers, threads, memory, rangeMemory, spillLimit };
    const unproven = await rebuild(folder, receipt, options, effects, async (again) => [
      ...again.copied,
      ...(await compareBytes({ folder, receipt }, again, { threads, memory, spillLimit }, found)),
    ]);
    return { rebuilt, unproven };
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    found("rebuild", getErrorMessage(error));
    return { rebuilt, unproven: uncovered };
  }
}

async function readRetraction(
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
 * Verifies a receipt without the other files of its release. Returns null if its digest is not the expected one or does not
 * match its content. With keys, also verifies the signature.
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
  if (detectReleaseFormat(read.receipt) === 1) found("format", `the release ${format1Words(read.receipt)}`);
  verifyReceipt(read.receipt, digest, found);
  await verifySignature(read, keys, found);
  return { receipt: read.receipt, findings };
}

/**
 * Verifies that tables and pages result in the release digest, and checks relations between rows. `pages` contains the
 * roots of the pages. Returns the number of scores.
 */
async function verifyTables(
  folder: string,
  receipt: Receipt,
  pages: Promise<Readonly<Record<string, string>>>,
  options: ResolvedOptions,
  found: Found,
): Promise<number> {
  const tables = listReleaseTables(receipt);
  const paths = releaseTablePaths(folder, tables);
  const db = await openTables(paths, { ...options, isOlder: true }).catch((error: Error) => error);
  if (db instanceof Error) {
    await pages;
    found("data", db.message);
    return 0;
  }
  try {
    // A row digest covers the columns of the version that made the release.
    const made: Table[] = [];
    for (const table of tables) made.push(await db.tableInFiles(table, partsIn(paths[table.name] ?? "")));
    const roots = await tableRoots(db, made).finally(() => pages);
    for (const [table, root] of Object.entries(roots)) {
      if (receipt.content.tables[table] !== root)
        found("table", `data/${table} has the root ${root}, but the receipt states ${receipt.content.tables[table]}`);
    }
    const digest = releaseDigest({ inputs: receipt.content.inputs, tables: roots, pages: await pages });
    if (digest !== receipt.releaseDigest) found("release digest", `the tables and pages give the digest ${digest}`);
    await verifyRows(db, folder, receipt, found);
    const [row] = await db.rows("select cast(count(*) as integer) as scores from score");
    return Number(row?.scores ?? 0);
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    found("data", getErrorMessage(error));
    return 0;
  } finally {
    db.close();
  }
}
