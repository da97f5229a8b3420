/** Verifying a release: every file re-hashed, every table's root recomputed, every invariant of the scores checked. */

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
import { checkedRetraction } from "../../pipeline/store/disowned.ts";
import { format1Words, formatOf, ReleaseNotFound } from "../../pipeline/store/releases.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, type Table, tablesOf } from "../../schemas/public/tables.ts";
import { recompute, type ScoreIn } from "./aggregates.ts";
import { verifyFiles } from "./files.ts";
import { type Finding, type Found, report, type Unproven, verifyTold } from "./finding.ts";
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
import { verifyCsv, verifyDoiLookup, verifyRows } from "./rows.ts";

export type { Finding } from "./finding.ts";

export interface Verification {
  readonly releaseDigest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scores: number;
  readonly findings: readonly Finding[];
  /** Files that neither the digest nor what is at hand proves; a signature by a trusted key does. */
  readonly unproven: readonly string[];
  /** The version that rendered its pages, where it is another than this: pages that differ are then unproven, not false. */
  readonly renderedBy: string | null;
  /** What was said when it was withdrawn, as far as the store at hand knows: it holds all the same, or does not. */
  readonly retraction: Retraction | null;
}

export interface VerifyOptions {
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB; null: as much as the tables call for. */
  readonly memory: string | null;
  /** Compute scores, aggregates and pages again from the published evidence and authorships, and compare. */
  readonly rescore: boolean;
  /**
   * Public keys one trusts; the release must be signed by one of them. Null or absent: of its signature it is looked at no
   * more than whether the store at hand knows its key to be revoked.
   */
  readonly keys?: readonly TrustedKey[] | null;
  /** Where the releases before it may be: its diff, report and history follow from them. */
  readonly predecessors?: Store | null;
}

/** Where checks report: `rendered` what this version renders otherwise, which is a finding only where it rendered the release. */
interface Reports {
  readonly found: Found;
  readonly rendered: Found;
  readonly unproven: Unproven;
}

/** Everything found wrong with a release of the store; nothing found means that it holds. */
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
 * The same for a release anywhere, such as a downloaded copy; null where the folder has no receipt. `digest` is what it
 * should be; null takes it from the folder's name, else from the receipt itself.
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
    const settled = { ...options, ...(await memoryOf(options, folder)), workers };
    const held = await verifyHeld(folder, read, named, settled, reports, effects);
    return { releaseDigest: named, ...held, findings, unproven: [...unproven].sort(), retraction };
  } finally {
    await workers.end();
  }
}

/** Options with the memory that nobody named, and the workers that are started once. */
type Settled = VerifyOptions & { readonly memory: string; readonly rangeMemory: string; readonly workers: WorkerPool };

/** For what joins whole tables, and for a range of pages, which is of the same size however many there are. */
async function memoryOf({ memory }: VerifyOptions, folder: string): Promise<Pick<Settled, "memory" | "rangeMemory">> {
  if (memory !== null) return { memory, rangeMemory: memory };
  // What is missing is found when it is read.
  const bytes = await dataBytes(folder).catch(() => 0);
  return { memory: memoryFor(bytes), rangeMemory: DEFAULT_MEMORY };
}

type Held = Pick<Verification, "files" | "bytes" | "scores" | "renderedBy">;

async function verifyHeld(
  folder: string,
  read: ReadReceipt,
  named: string,
  options: Settled,
  { found, unproven }: Omit<Reports, "rendered">,
  effects: Effects,
): Promise<Held> {
  const renderedBy = await otherRenderer(read.receipt);
  verifyReceipt(read.receipt, named, found);
  await verifySignature(read, options.keys ?? null, found);
  await verifyNotDisowned(read, options, found);
  await verifyInputs(folder, read.receipt, found);
  await verifyChain(folder, read.receipt, found);
  const { files, bytes, packs: listed, csv } = await verifyFiles(folder, read.receipt, found, effects);
  const tell = (stage: string, done: 0 | 1) => effects.progress({ stage, step: stage, done, total: 1, unit: "steps" });
  tell("tables", 0);
  // While workers read packs the engine digests tables.
  const pages =
    listed === null
      ? Promise.resolve(read.receipt.content.pages ?? {})
      : verifyPacks(folder, listed, read.receipt, options.workers, found);
  const packs = listed?.flatMap(({ line, there }) => (there ? [line] : [])) ?? null;
  const rendered: Found = renderedBy === null ? found : unprovenPages(unproven);
  const tables = verifyTables(folder, read.receipt, packs, pages, options, { found, rendered, unproven });
  const [, scores] = await Promise.all([pages, tables]);
  await verifyCsv(folder, csv, options, found);
  tell("tables", 1);
  if (options.rescore) {
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
 * A receipt before anything else of its release is at hand: null where it is none of that digest, or its content gives
 * another one; with what is found wrong with it, its signature included where keys are given.
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

/** Tables and pages (`pages`: the roots over them) give the digest; the tables' rows keep the invariants. */
async function verifyTables(
  folder: string,
  receipt: Receipt,
  packs: readonly ManifestLine[] | null,
  pages: Promise<Readonly<Record<string, string>>>,
  options: Settled,
  { found, rendered, unproven }: Reports,
): Promise<number> {
  const there = tablesOf(receipt);
  const paths = releaseTablePaths(folder, there);
  const db = await openTables(paths, { ...options, asMade: true }).catch((error: Error) => error);
  if (db instanceof Error) {
    await pages;
    found("data", db.message);
    return 0;
  }
  try {
    const made = await tablesAsMade(db, there, paths, unproven);
    const roots = await tableRoots(db, made).finally(() => pages);
    for (const [table, root] of Object.entries(roots)) {
      if (receipt.content.tables[table] !== root)
        found("table", `data/${table} has the root ${root}, the receipt says ${receipt.content.tables[table]}`);
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
 * The digest is over the columns that the version which made the release knew. Nothing but a signature proves which these
 * were: the digest of a row is over its values in order, and not over their names.
 */
async function tablesAsMade(
  db: Database,
  tables: readonly Table[],
  paths: TablePaths,
  unproven: Unproven,
): Promise<Table[]> {
  const made: Table[] = [];
  for (const table of tables) {
    const own = await db.tableAsMade(table, partsIn(paths[table.name] ?? ""));
    if (Object.keys(own.columns).length < Object.keys(table.columns).length) unproven(`data/${publishedName(table)}`);
    made.push(own);
  }
  return made;
}

/** By the contracts and pledges that the release carries: the digest is over them. */
async function rescore(
  folder: string,
  receipt: Receipt,
  packs: readonly ManifestLine[],
  { threads, memory, rangeMemory, workers, predecessors = null }: Settled,
  { found, rendered, unproven }: Reports,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-verify-"));
  try {
    const scoreIn = await scoringOf(folder, receipt);
    const paths = await recompute(folder, receipt, scratch, { threads, memory }, scoreIn, found);
    const parts = { folder, receipt, packs, tables: paths, scratch, threads, memory, rangeMemory, workers };
    const pages = await differingPages(parts);
    report(rendered, "page", pages);
    const options = { threads, memory };
    await verifyTold({ folder, receipt, scratch, predecessors, options, found, rendered, unproven });
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    found("rescore", messageOf(error));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** By the rules that the release carries, and the policy it says it was made under. */
async function scoringOf(folder: string, receipt: Receipt): Promise<ScoreIn> {
  const rules = await rulesOf(folder, receipt);
  if (rules === null) throw new Error("the contracts and pledges that it was scored by are not at hand");
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
