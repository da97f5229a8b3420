/** Compares a release with its rebuild: first receipts and manifests, then the rows and pages of each file that differs. */

import { join } from "node:path";
import { type DuckDBOptions, describeDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";
import { computePlace, PackDamaged, RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import { DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { listReleaseTables, publishedName, type Table } from "../../schemas/public/tables.ts";
import { manifestLines } from "./files.ts";
import { Details, type Found, MAX_LISTED } from "./finding.ts";

/** The folder and the receipt of a release. */
interface ReleaseFolder {
  readonly folder: string;
  readonly receipt: Receipt;
}

/** Fields of a receipt that are not compared: they follow from other fields, or describe the program and the signer. */
const DERIVED = ["releaseDigest", "manifestDigest", "tool", "signature"];

/**
 * Compares the receipts, except for the signature, and the bytes of every file. Tables come before pages, because their
 * differences cause those of pages. Returns the files of which only rows or pages could be compared, because another engine
 * writes other bytes.
 */
export async function compareBytes(
  theirs: ReleaseFolder,
  ours: ReleaseFolder,
  options: DuckDBOptions,
  found: Found,
): Promise<readonly string[]> {
  const isForeign = theirs.receipt.tool.engine !== describeDuckDB();
  const foreign: string[] = [];
  const alike: string[] = [];
  const [stated, made] = [await readLines(theirs.folder), await readLines(ours.folder)];
  const files = new Details();
  const tables = new Set<string>();
  const families = new Set<string>();
  for (const path of [...new Set([...stated.keys(), ...made.keys()])].sort()) {
    const [their, our] = [stated.get(path), made.get(path)];
    const table = TABLE_PART.exec(path)?.[1];
    const family = readPackPath(path)?.family;
    if (their === our) {
      if (table !== undefined) alike.push(path);
      continue;
    }
    if (table !== undefined) tables.add(table);
    if (family !== undefined) families.add(family);
    // Another engine also divides tables into other files.
    if (isForeign && table !== undefined) continue;
    if (their === undefined) files.add(`${path} is in the rebuild, but not in the release`);
    else if (our === undefined) files.add(`${path} is not in the rebuild`);
    else if (isForeign && OF_ENGINE.has(path)) foreign.push(path);
    else if (table === undefined && family === undefined) files.add(`${path} differs from the rebuild`);
  }
  const differing = listReleaseTables(theirs.receipt).filter((table) => tables.has(publishedName(table)));
  const rebuilt = releaseTablePaths(ours.folder, listReleaseTables(ours.receipt));
  for (const table of differing) {
    if (!(await compareTables(theirs.folder, rebuilt, [table], options, found))) continue;
    if (isForeign) foreign.push(`data/${publishedName(table)}`);
    else found("rebuild", `data/${publishedName(table)} has the same rows as the rebuild, but other bytes`);
  }
  for (const family of families) await comparePages(theirs.folder, ours.folder, family, found);
  if (isForeign && alike.length > 0)
    files.add(
      `release.json states the engine ${theirs.receipt.tool.engine}, but ${describeDuckDB()} wrote ${alike[0]}`,
    );
  files.report(found, "rebuild");
  compareReceipts(theirs.receipt, ours.receipt, found);
  return foreign.sort();
}

/**
 * Files whose bytes depend on the engine, in addition to tables. Descriptors are among them, because they contain the
 * digests of the tables.
 */
const OF_ENGINE: ReadonlySet<string> = new Set([
  ...DIFF_TABLE_FILES,
  DESCRIPTORS.datapackage,
  DESCRIPTORS.roCrate,
  DESCRIPTORS.croissant,
]);

function compareReceipts(theirs: Receipt, ours: Receipt, found: Found): void {
  const fields = new Details();
  for (const name of differing(texts(theirs), texts(ours))) {
    if (name === "content" || name === "sources" || DERIVED.includes(name)) continue;
    fields.add(`release.json: ${name} differs from the rebuild`);
  }
  for (const source of new Set([...theirs.sources, ...ours.sources].map((entry) => entry.source))) {
    const [stated, made] = [theirs, ours].map(({ sources }) => sources.find((entry) => entry.source === source));
    for (const name of differing(texts(stated ?? {}), texts(made ?? {})))
      fields.add(`release.json: ${name} of ${source} differs from the rebuild`);
  }
  for (const name of differing(theirs.content.inputs, ours.content.inputs))
    fields.add(`release.json: the input ${name} differs from the rebuild`);
  fields.report(found, "rebuild");
}

function texts(value: object): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, JSON.stringify(each)]));
}

function differing(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).sort();
}

const TABLE_PART = /^data\/([a-z-]+)\/part-\d+\.parquet$/;

/** Returns the lines of a manifest by path. They fit into memory, because a release has some hundred files. */
async function readLines(folder: string): Promise<Map<string, string>> {
  const lines = new Map<string, string>();
  for await (const line of manifestLines(join(folder, "manifest.ndjson")))
    if (line !== null) lines.set(line.path, JSON.stringify(line));
  return lines;
}

/**
 * Compares the rows of tables of a release with those in `rebuilt`, and reports rows that differ. Returns whether all are
 * equal.
 */
export async function compareTables(
  folder: string,
  rebuilt: TablePaths,
  tables: readonly Table[],
  options: DuckDBOptions,
  found: Found,
): Promise<boolean> {
  if (tables.length === 0) return true;
  const paths = releaseTablePaths(folder, tables);
  const db = await openTables(rebuilt, options);
  let areEqual = true;
  try {
    for (const table of tables) {
      const path = partsIn(paths[table.name] ?? "");
      const inFiles = Object.keys((await db.tableInFiles(table, path)).columns);
      const columns = inFiles.filter((name) => name in table.columns).join(", ");
      const theirs = `select ${columns}, -1 as side from read_parquet(${quote(path)})`;
      const ours = `select ${columns}, 1 as side from ${table.name}`;
      const key = table.key.join(", ");
      // Each side is computed once.
      const rows = await db.rows(
        `select *, cast(count(*) over () as integer) as all_rows from (
           select distinct ${key} from (
             select ${columns} from (${ours} union all ${theirs}) group by ${columns} having sum(side) <> 0
           )
         ) order by ${key} limit ${MAX_LISTED}`,
      );
      const details = new Details(Number(rows[0]?.all_rows ?? 0));
      for (const row of rows) {
        const names = table.key.map((column) => `${column} ${row[column]}`).join(", ");
        details.add(`data/${publishedName(table)}: the row of ${names} differs from the rebuild`);
      }
      details.report(found, "rebuild");
      areEqual &&= rows.length === 0;
    }
  } finally {
    db.close();
  }
  return areEqual;
}

/** Reports the pages of a family that differ. In both releases, the pages have the same order. */
async function comparePages(theirs: string, ours: string, family: string, found: Found): Promise<void> {
  const [stated, made] = [await PageStore.open(theirs), await PageStore.open(ours)];
  const details = new Details();
  // In the release family, the key is already a path.
  const makeName = (key: string) => (family === RELEASE_FAMILY ? key : `${family}/${key}`);
  try {
    const [theirPages, ourPages] = [stated.entries(family), made.entries(family)];
    let [their, our] = [theirPages.next(), ourPages.next()];
    while (!their.done || !our.done) {
      const order = placeOrder(their, our);
      if (order < 0) details.add(`${makeName(their.value?.key ?? "")} is not in the rebuild`);
      else if (order > 0) details.add(`${makeName(our.value?.key ?? "")} is in the rebuild, but not in the release`);
      else if (!their.done && !our.done && !their.value.sha256.equals(our.value.sha256))
        details.add(`${makeName(their.value.key)} differs from the rebuild`);
      if (order <= 0) their = theirPages.next();
      if (order >= 0) our = ourPages.next();
    }
  } catch (error) {
    if (!(error instanceof PackDamaged)) throw error;
    details.add(error.message);
  } finally {
    stated.close();
    made.close();
  }
  if (details.count === 0) details.add(`pages/${family} has the same pages as the rebuild, but other packs`);
  details.report(found, "rebuild");
}

type NextPage = IteratorResult<{ readonly key: string; readonly sha256: Buffer }, undefined>;

/**
 * Compares the positions of two pages: negative if `one` comes first, 0 if they are equal. The end of a list comes after
 * every page.
 */
function placeOrder(one: NextPage, other: NextPage): number {
  if (one.done) return 1;
  return other.done ? -1 : computePlace(one.value.key).compare(computePlace(other.value.key));
}
