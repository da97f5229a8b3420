/**
 * Damages a release for tests, from one flipped bit to a forged score whose digests all agree. Only somebody who computes the
 * scores again from the table of evidence finds the forgery.
 */

import { hash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseDigest, tableRoots } from "../../pipeline/6-release/digest.ts";
import { digestManifest, makeManifestLine } from "../../pipeline/6-release/index.ts";
import { openDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { computePlace, type PageAddress, packPath, RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { PackReader, packCache } from "../../pipeline/packs/pack-reader.ts";
import { chooseFrames, PackWriter } from "../../pipeline/packs/pack-writer.ts";
import { PageStore, pagesRoot } from "../../pipeline/packs/page-store.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { HISTORY_FILE, type ManifestLine, manifestLine, type Receipt, receipt } from "../../schemas/public/release.ts";
import { listReleaseTables } from "../../schemas/public/tables.ts";

/** Flips the lowest bit of the byte with the offset `at`, or of the byte in the middle of the file. */
export async function flipByte(path: string, at?: number): Promise<void> {
  const content = await readFile(path);
  const place = at ?? content.length >> 1;
  content.writeUInt8(content.readUInt8(place) ^ 1, place);
  await writeFile(path, content);
}

/** Rewrites the receipt with `edit`, whose result must be a valid receipt. */
export async function editReceipt(folder: string, edit: (receipt: Receipt) => Receipt): Promise<void> {
  const path = join(folder, "release.json");
  const edited = edit(receipt.parse(JSON.parse(await readFile(path, "utf8"))));
  await writeFile(path, `${JSON.stringify(receipt.parse(edited), null, 2)}\n`);
}

/** Sets the score of one record under 2.0 to zero, with matching masks, and returns the id of the record. */
export async function forgeScore(folder: string): Promise<string> {
  const path = join(folder, "data/scores/part-0000.parquet");
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table scored as select * from read_parquet(${quote(path)})`);
    const [row] = await db.rows("select min(id) as id from scored where rubric = '2.0' and total > 0");
    const id = String(row?.id);
    await db.run(
      `update scored set total = 0, s = 0, h = 0, a = 0, r = 0, e = 0, passed_mask = 0
       where rubric = '2.0' and id = $id`,
      { id },
    );
    await db.run(`copy (select * from scored order by id, rubric) to ${quote(`${path}.new`)} (format parquet)`);
    await rename(`${path}.new`, path);
    return id;
  } finally {
    db.close();
  }
}

/** Returns the manifest line of a file, with the root of its index if the file is a pack. */
export async function makeLine(folder: string, path: string): Promise<ManifestLine> {
  const line = await makeManifestLine(folder, path);
  if (readPackPath(path) === null) return line;
  const reader = PackReader.open(join(folder, path), packCache(1));
  reader.close();
  return { ...line, index: { bytes: reader.rootBytes.length, sha256: hash("sha256", reader.rootBytes) } };
}

/** Makes manifest and receipt match the current content of a file. */
export async function sealFile(folder: string, path: string): Promise<void> {
  const sealed = JSON.stringify(await makeLine(folder, path));
  await rewriteManifest(folder, (lines) => lines.map((line) => (readPath(line) === path ? sealed : line)));
}

/** Rewrites the manifest, ordered by path, and makes the receipt match. */
export async function rewriteManifest(folder: string, edit: (lines: string[]) => string[]): Promise<void> {
  const manifest = join(folder, "manifest.ndjson");
  const lines = edit((await readFile(manifest, "utf8")).trimEnd().split("\n"));
  lines.sort((one, other) => (readPath(one) < readPath(other) ? -1 : 1));
  await writeFile(manifest, lines.map((line) => `${line}\n`).join(""));
  const manifestDigest = await digestManifest(manifest);
  await editReceipt(folder, (before) => ({ ...before, manifestDigest }));
}

export function readPath(line: string): string {
  return manifestLine.parse(JSON.parse(line)).path;
}

/** Returns the first page of a family. */
export async function firstPage(folder: string, family: string): Promise<PageAddress> {
  const store = await PageStore.open(folder);
  try {
    for (const { key } of store.entries(family)) return { family, key };
    throw new Error(`${folder} has no page of ${family}`);
  } finally {
    store.close();
  }
}

/** Changes the pages of a small family, rewrites their pack, and makes manifest and receipt match the pack. */
export async function repack(
  folder: string,
  family: string,
  edit: (pages: Map<string, string>) => void,
): Promise<void> {
  const path = packPath(family);
  const reader = PackReader.open(join(folder, path), packCache(1 << 20));
  const before = new Map([...reader.each()].map(({ key, bytes }) => [key, bytes.toString("utf8")]));
  reader.close();
  const pages = new Map(before);
  edit(pages);
  if ([...pages].join() === [...before].join()) throw new Error(`the forgery of ${family} changes nothing`);
  const writer = new PackWriter(join(folder, path), { frames: chooseFrames(family) });
  const keys = [...pages.keys()].sort((one, other) => computePlace(one).compare(computePlace(other)));
  for (const key of keys) writer.add(key, pages.get(key) ?? "");
  writer.finish();
  await sealFile(folder, path);
}

/** Changes one page, rewrites its pack, and makes manifest and receipt match the pack. */
export function forgePage(folder: string, { family, key }: PageAddress, edit: (text: string) => string): Promise<void> {
  return repack(folder, family, (pages) => pages.set(key, edit(pages.get(key) ?? "")));
}

/** Computes the roots over the pages of a release from its packs. */
async function pageRoots(folder: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(folder, "manifest.ndjson"), "utf8")).trimEnd().split("\n");
  const roots: Record<string, string> = {};
  for (const line of lines.map((text) => manifestLine.parse(JSON.parse(text)))) {
    const name = readPackPath(line.path);
    if (name === null || name.family === RELEASE_FAMILY) continue;
    roots[name.family] = pagesRoot(checkPack(folder, line, () => undefined).shards);
  }
  return roots;
}

/**
 * Recomputes the receipt's roots and digest from the current tables and pages, and writes the new digest wherever the release
 * names its own digest. The release is then consistent. Returns the new digest.
 */
export async function resealAs(folder: string): Promise<string> {
  const tables = listReleaseTables(receipt.parse(JSON.parse(await readFile(join(folder, "release.json"), "utf8"))));
  const paths = releaseTablePaths(folder, tables);
  const db = await openTables(paths, { threads: 1, isOlder: true });
  let [genuine, forged] = ["", ""];
  try {
    // An earlier release has fewer columns.
    const made = await Promise.all(tables.map((table) => db.tableInFiles(table, partsIn(paths[table.name] ?? ""))));
    const content = { tables: await tableRoots(db, made), pages: await pageRoots(folder) };
    await editReceipt(folder, (before) => {
      genuine = before.releaseDigest;
      forged = releaseDigest({ ...before.content, ...content });
      return { ...before, releaseDigest: forged, content: { ...before.content, ...content } };
    });
  } finally {
    db.close();
  }
  if (forged === genuine) return forged;
  await repack(folder, RELEASE_FAMILY, (pages) => {
    for (const [key, text] of pages) pages.set(key, text.replaceAll(genuine, forged));
  });
  const history = join(folder, HISTORY_FILE);
  await writeFile(history, (await readFile(history, "utf8")).replaceAll(genuine, forged));
  await sealFile(folder, HISTORY_FILE);
  return forged;
}
