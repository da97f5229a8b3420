/** Verifying a release: every file re-hashed, every table's root recomputed, every invariant of the scores checked. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scoreEvidence } from "../../pipeline/3-score/score-evidence.ts";
import { releaseDigest, tableRoots } from "../../pipeline/6-release/digest.ts";
import { inputDigests } from "../../pipeline/6-release/inputs.ts";
import { toolVersion } from "../../pipeline/6-release/tool.ts";
import type { DuckDBOptions } from "../../pipeline/engine/open.ts";
import { packPath, RELEASE_FAMILY } from "../../pipeline/packs/pack-names.ts";
import { openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/tables.ts";
import { publicContracts } from "../../pipeline/rubrics/contracts.ts";
import { NO_POLICY } from "../../pipeline/rubrics/policy.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { format1Words, formatOf } from "../../pipeline/store/release-format.ts";
import { ReleaseNotFound } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ManifestLine, Policy, Receipt } from "../../schemas/public/release.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import { recompute, type ScoreIn } from "./aggregates.ts";
import { compareTables } from "./compare-tables.ts";
import { verifyCsv } from "./csv-beside.ts";
import { verifyDoiLookup } from "./doi-lookup.ts";
import { verifyFiles } from "./files.ts";
import { type Finding, type Found, report, type Unproven } from "./finding.ts";
import { verifyPacks } from "./packs.ts";
import { differingPages } from "./pages.ts";
import { digestOfFolder, readForVerifying, readReceiptText, verifyReceipt, verifySignature } from "./receipt.ts";
import { verifyReleasePages } from "./release-pages.ts";
import { verifyRows } from "./rows.ts";
import { verifyTold } from "./told.ts";

export type { Finding } from "./finding.ts";

export interface Verification {
  readonly releaseDigest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scores: number;
  readonly findings: readonly Finding[];
  /** Files that neither the digest nor what is at hand proves; a signature by a trusted key does. */
  readonly unproven: readonly string[];
}

export interface VerifyOptions {
  readonly threads: number;
  readonly memory: string;
  /** Compute scores, aggregates and pages again from the published evidence and authorships, and compare. */
  readonly rescore: boolean;
  /** Public keys one trusts; the release must be signed by one of them. Null or absent: the signature is not looked at. */
  readonly keys?: readonly ReleaseKey[] | null;
  /** Where the releases before it may be: its diff, report and history follow from them. */
  readonly predecessors?: Store | null;
}

/** The check that could not be made because other code made the release: its files stand on its signature alone. */
export const OTHER_VERSION = "version";

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
  if (read === undefined) return { releaseDigest: named, files: 0, bytes: 0, scores: 0, findings, unproven: [] };
  if (formatOf(read.receipt) === 1) {
    found("format", `the release ${format1Words(read.receipt)}`);
    return { releaseDigest: named, files: 0, bytes: 0, scores: 0, findings, unproven: [] };
  }
  verifyReceipt(read.receipt, named, found);
  await verifySignature(read, options.keys ?? null, found);
  const { files, bytes, packs: listed, csv } = await verifyFiles(folder, read.receipt, found, effects);
  const tell = (stage: string, done: 0 | 1) => effects.progress({ stage, step: stage, done, total: 1, unit: "steps" });
  tell("tables", 0);
  const notProven: Unproven = (path) => unproven.add(path);
  // While workers read packs the engine digests tables.
  const pages =
    listed === null
      ? Promise.resolve(read.receipt.content.pages ?? {})
      : verifyPacks(folder, listed, read.receipt, options.threads, found);
  const packs = listed?.flatMap(({ line, there }) => (there ? [line] : [])) ?? null;
  const tables = verifyTables(folder, read.receipt, packs, pages, options, found, notProven);
  const [, scores] = await Promise.all([pages, tables]);
  await verifyCsv(folder, csv, options, found);
  tell("tables", 1);
  if (options.rescore) {
    tell("rescore", 0);
    await rescore(folder, read.receipt, packs ?? [], options, found, notProven);
    tell("rescore", 1);
  }
  return { releaseDigest: named, files, bytes, scores, findings, unproven: [...unproven].sort() };
}

/**
 * A receipt before anything else of its release is at hand: null where it is none of that digest, or its content gives
 * another one; with what is found wrong with it, its signature included where keys are given.
 */
export async function verifyReceiptText(
  text: string,
  digest: string,
  keys: readonly ReleaseKey[] | null,
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
  options: VerifyOptions,
  found: Found,
  unproven: Unproven,
): Promise<number> {
  const db = await openTables(releaseTablePaths(folder), options).catch((error: Error) => error);
  if (db instanceof Error) {
    await pages;
    found("data", db.message);
    return 0;
  }
  try {
    const roots = await tableRoots(db).finally(() => pages);
    for (const [table, root] of Object.entries(roots)) {
      if (receipt.content.tables[table] !== root)
        found("table", `data/${table} has the root ${root}, the receipt says ${receipt.content.tables[table]}`);
    }
    const digest = releaseDigest({ inputs: receipt.content.inputs, tables: roots, pages: await pages });
    if (digest !== receipt.releaseDigest) found("release digest", `the tables and pages give ${digest}`);
    await verifyRows(db, folder, receipt, found);
    await verifyDoiLookup(db, folder, found);
    if (packs !== null && (await rendersAlike(receipt)))
      await verifyReleasePages(db, folder, packs, receipt, options.predecessors ?? null, found, unproven);
    else unproven(packPath(RELEASE_FAMILY));
    const [row] = await db.rows("select cast(count(*) as integer) as scores from score");
    return Number(row?.scores ?? 0);
  } catch (error) {
    found("data", messageOf(error));
    return 0;
  } finally {
    db.close();
  }
}

/** Whether this version renders the same pages from the same tables. */
async function rendersAlike({ tool, content }: Receipt): Promise<boolean> {
  const ours = await inputDigests({ asOf: "", withheld: [], enrichments: {} });
  const shown = Object.keys(content.inputs).filter((name) => /^(contract .*|vocabularies|pages)$/.test(name));
  return tool.version === (await toolVersion()) && shown.every((name) => ours[name] === content.inputs[name]);
}

/** Only possible with the contracts and pledges the release was made with; others are named. */
async function rescore(
  folder: string,
  receipt: Receipt,
  packs: readonly ManifestLine[],
  { threads, memory, predecessors = null }: VerifyOptions,
  found: Found,
  unproven: Unproven,
): Promise<void> {
  const ours = await inputDigests({ asOf: receipt.asOf, withheld: [], enrichments: {} });
  const differs = (name: string) => ours[name] !== receipt.content.inputs[name];
  const others = Object.keys(receipt.content.inputs).filter(
    (name) => /^(contract|pledge) /.test(name) && differs(name),
  );
  for (const name of others)
    found(OTHER_VERSION, `the ${name} of this version is not the one the release was made with`);
  if (others.length > 0) return;
  const scratch = await mkdtemp(join(tmpdir(), "share-verify-"));
  try {
    const scoreIn = scoringBy(receipt.policy ?? NO_POLICY);
    const paths = await recompute(folder, receipt, scratch, { threads, memory }, scoreIn, found);
    const alike = await rendersAlike(receipt);
    const parts = { folder, receipt, packs, tables: paths, scratch, threads, memory };
    // Workers render while the engine compares.
    const pages = alike ? differingPages(parts) : Promise.resolve([]);
    const rows = compareRows(folder, paths, scratch, { threads, memory }, found);
    await Promise.allSettled([pages, rows]).then(throwFirst);
    report(found, "page", await pages);
    if (alike)
      await verifyTold({ folder, receipt, scratch, predecessors, options: { threads, memory }, found, unproven });
    else found(OTHER_VERSION, `pages were rendered by version ${receipt.tool.version}, and in another format`);
  } catch (error) {
    found("rescore", messageOf(error));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function compareRows(
  folder: string,
  paths: TablePaths,
  scratch: string,
  options: DuckDBOptions,
  found: Found,
): Promise<void> {
  const db = await openTables(paths, { ...options, spill: join(scratch, "spill-2") });
  try {
    await compareTables(db, folder, found);
  } finally {
    db.close();
  }
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** By the policy the release says it was made under. */
function scoringBy(policy: Policy): ScoreIn {
  return async (db, versions) => {
    const scored = (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract }));
    await scoreEvidence(db, scored, policy, versions);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
