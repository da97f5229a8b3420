/** Damage to a release, from a flipped byte to a forgery that only its evidence betrays. */

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { manifestLineOf } from "../../pipeline/6-release/data.ts";
import { releaseDigest, tableRoots } from "../../pipeline/6-release/digest.ts";
import { manifestDigestOf } from "../../pipeline/6-release/manifest.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/tables.ts";
import { manifestLine, type Receipt, receipt } from "../../schemas/public/release.ts";

/** Flips one bit of one byte, in the middle if no place is given. */
export async function flipByte(path: string, at?: number): Promise<void> {
  const content = await readFile(path);
  const place = at ?? content.length >> 1;
  content.writeUInt8(content.readUInt8(place) ^ 1, place);
  await writeFile(path, content);
}

/** Rewrites the receipt; what comes out must still be one. */
export async function editReceipt(folder: string, edit: (receipt: Receipt) => Receipt): Promise<void> {
  const path = join(folder, "release.json");
  const edited = edit(receipt.parse(JSON.parse(await readFile(path, "utf8"))));
  await writeFile(path, `${JSON.stringify(receipt.parse(edited), null, 2)}\n`);
}

/** Gives one record of a release the score nothing under 2.0, with masks that agree; answers its id. */
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

/** Makes manifest and receipt say of a file what it holds now. */
export async function sealFile(folder: string, path: string): Promise<void> {
  const manifest = join(folder, "manifest.ndjson");
  const lines = (await readFile(manifest, "utf8")).trimEnd().split("\n");
  const sealed = await Promise.all(
    lines.map((line) => (manifestLine.parse(JSON.parse(line)).path === path ? manifestLineOf(folder, path) : null)),
  );
  await writeFile(manifest, lines.map((line, at) => `${sealed[at] ? JSON.stringify(sealed[at]) : line}\n`).join(""));
  const manifestDigest = await manifestDigestOf(manifest);
  await editReceipt(folder, (before) => ({ ...before, manifestDigest }));
}

/** Makes the receipt's roots and digest from the tables as they are; answers the digest, under which they would hold. */
export async function resealAs(folder: string): Promise<string> {
  const db = await openTables(releaseTablePaths(folder), { threads: 1 });
  let forged = "";
  try {
    const tables = await tableRoots(db);
    await editReceipt(folder, (before) => {
      forged = releaseDigest({ ...before.content, tables });
      return { ...before, releaseDigest: forged, content: { ...before.content, tables } };
    });
    return forged;
  } finally {
    db.close();
  }
}
