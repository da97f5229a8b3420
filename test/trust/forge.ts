/** Forgeries that take more than a flipped byte: tables rewritten, and everything else made to agree with them. */

import { readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { manifestLineOf } from "../../pipeline/6-release/data.ts";
import { manifestDigestOf } from "../../pipeline/6-release/manifest.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import { editReceipt, resealAs, sealFile } from "../support/forgery.ts";

/** Changes the rows of a table by a statement over `forged`; manifest, roots and digest are made anew to agree. */
export async function forgeTable(folder: string, table: string, statement: string): Promise<void> {
  const path = join(folder, `data/${table}.parquet`);
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table forged as select * from read_parquet(${quote(path)})`);
    await db.run(`create table genuine as select * from forged`);
    await db.run(statement);
    const [row] = await db.rows("select count(*) as n from (from genuine except all from forged)");
    if (row?.n === 0n) throw new Error(`the forgery of ${table} changes nothing`);
    await db.run(`copy forged to ${quote(`${path}.new`)} (format parquet)`);
  } finally {
    db.close();
  }
  await rename(`${path}.new`, path);
  await sealFile(folder, `data/${table}.parquet`);
  await resealAs(folder);
}

/** Rewrites a text file, packed or not, and seals it. */
export async function forgeText(folder: string, path: string, edit: (text: string) => string): Promise<void> {
  const file = join(folder, path);
  const content = await readFile(file);
  const packed = path.endsWith(".gz");
  const before = (packed ? gunzipSync(content) : content).toString("utf8");
  const after = edit(before);
  if (after === before) throw new Error(`the forgery of ${path} changes nothing`);
  await writeFile(file, packed ? gzipSync(after) : after);
  await sealFile(folder, path);
}

/** Takes a file away, and its line out of the manifest. */
export async function hideFile(folder: string, path: string): Promise<void> {
  await unlink(join(folder, path));
  await rewriteManifest(folder, (lines) => lines.filter((line) => manifestLine.parse(JSON.parse(line)).path !== path));
}

/** Adds a file, and a line for it. */
export async function smuggleFile(folder: string, path: string, text: string): Promise<void> {
  await writeFile(join(folder, path), text);
  const line = JSON.stringify(await manifestLineOf(folder, path));
  await rewriteManifest(folder, (lines) =>
    [...lines, line].sort((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1)),
  );
}

/** Puts the JSON of a receipt into other words without changing what they say. */
export async function respell(folder: string): Promise<void> {
  const path = join(folder, "release.json");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"publishedAt"', '"publishedAt": "1999-01-01T00:00:00.000Z",\n  "publishedAt"'));
}

/** A member that no schema knows. */
export async function addMember(folder: string): Promise<void> {
  const path = join(folder, "release.json");
  const json = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, `${JSON.stringify({ ...json, endorsedBy: "nobody" }, null, 2)}\n`);
}

/** The parts of a compact signature's header, changed. */
export function withHeader(signature: string | null, changes: object): string {
  const [header = "", ...rest] = (signature ?? "").split(".");
  const changed = { ...JSON.parse(Buffer.from(header, "base64url").toString("utf8")), ...changes };
  return [Buffer.from(JSON.stringify(changed)).toString("base64url"), ...rest].join(".");
}

async function rewriteManifest(folder: string, edit: (lines: string[]) => string[]): Promise<void> {
  const manifest = join(folder, "manifest.ndjson");
  const lines = edit((await readFile(manifest, "utf8")).trimEnd().split("\n"));
  await writeFile(manifest, lines.map((line) => `${line}\n`).join(""));
  const manifestDigest = await manifestDigestOf(manifest);
  await editReceipt(folder, (before) => ({ ...before, manifestDigest }));
}

function pathOf(line: string): string {
  return manifestLine.parse(JSON.parse(line)).path;
}
