/**
 * Makes forgeries that are more than a flipped byte: a table or file is changed, and other files are made consistent with it.
 */

import { mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { writeDescriptors } from "../../pipeline/6-release/describe.ts";
import { ONLY_PART, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE, manifestLine, type Receipt, receipt } from "../../schemas/public/release.ts";
import { OPTIONAL_TABLES, publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { makeLine, readPath, resealAs, rewriteManifest, sealFile } from "../support/forgery.ts";

const RELEASED = [...RELEASE_TABLES, ...OPTIONAL_TABLES];

/** Changes the rows of a table with an SQL statement on `forged`, and makes manifest, roots and digest consistent with them. */
export async function forgeTable(folder: string, table: string, statement: string): Promise<void> {
  await forgeRows(folder, table, statement);
  await resealAs(folder);
}

/** Changes the rows of a table with an SQL statement on `forged`, and makes only the manifest consistent with them. */
export async function forgeRows(folder: string, name: string, statement: string): Promise<void> {
  const part = `data/${name}/${ONLY_PART}`;
  const path = join(folder, part);
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table forged as select * from read_parquet(${quote(path)})`);
    await db.run(`create table genuine as select * from forged`);
    await db.run(statement);
    const [row] = await db.rows(
      "select count(*) as n from ((from genuine except all from forged) union all (from forged except all from genuine))",
    );
    if (row?.n === 0n) throw new Error(`the forgery of ${name} changes nothing`);
    const table = RELEASED.find((each) => publishedName(each) === name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    await db.run(`create view ${table.name} as select * from forged`);
    await db.outputFile(table, `${path}.new`);
  } finally {
    db.close();
  }
  await rename(`${path}.new`, path);
  await sealFile(folder, part);
}

/**
 * Adds a column to a table. The digest of the rows does not cover the column, because the table's declaration does not have it.
 */
export function addColumn(folder: string, table: string, column: string): Promise<void> {
  return rewriteTable(folder, table, `select *, ${column} from genuine`);
}

/** Writes a table again with a select from `genuine` and other options of `copy`. The rows stay the same. */
export async function rewriteTable(folder: string, table: string, select: string, options = ""): Promise<void> {
  const part = `data/${table}/${ONLY_PART}`;
  const path = join(folder, part);
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create view genuine as select * from read_parquet(${quote(path)})`);
    await db.run(
      `copy (${select}) to ${quote(`${path}.new`)} (format parquet, compression zstd, row_group_size 65536${options})`,
    );
  } finally {
    db.close();
  }
  await rename(`${path}.new`, path);
  await sealFile(folder, part);
  await tellAgain(folder);
}

/**
 * Lowers the maximum of the column `id` in a Parquet file's statistics. Programs that trust statistics then skip matching rows.
 */
export async function falsifyStatistics(folder: string, table: string): Promise<void> {
  const part = `data/${table}/${ONLY_PART}`;
  const path = join(folder, part);
  const content = await readFile(path);
  const db = await openDuckDB({ threads: 1 });
  const [row] = await db.rows(
    `select stats_max_value as most from parquet_metadata(${quote(path)}) where path_in_schema = 'id' limit 1`,
  );
  db.close();
  const most = Buffer.from(String(row?.most));
  // The footer at the end has the last copy of the value.
  const place = content.lastIndexOf(most);
  if (place < 0) throw new Error("the footer of the Parquet file does not contain the maximum of id");
  for (let at = content.indexOf(most); at >= 0; at = content.indexOf(most, at + 1)) {
    if (at > content.length - content.readUInt32LE(content.length - 8) - 8)
      content.write("r000000000000000000000001", at);
  }
  await writeFile(path, content);
  await sealFile(folder, part);
  await tellAgain(folder);
}

/** Files that contain the release digest, and some of them also the roots of its tables. */
const NAMING = ["data/diff.json", "report.html", "data/validation.json", "validation.html"];

/**
 * Makes the reports and descriptors of a release consistent with its files, because reports contain its digest and roots, and
 * descriptors list every file.
 */
export async function tellAgain(folder: string, before?: Receipt): Promise<void> {
  const own = receipt.parse(JSON.parse(await readFile(join(folder, "release.json"), "utf8")));
  for (const path of before === undefined ? [] : NAMING) {
    await forgeText(folder, path, (text) => renamed(text, listDigests(before ?? own), listDigests(own)));
  }
  const lines = (await readFile(join(folder, "manifest.ndjson"), "utf8")).trimEnd().split("\n");
  const described = lines
    .map((line) => manifestLine.parse(JSON.parse(line)))
    .filter(({ path }) => path.startsWith("data/") && path !== HISTORY_FILE);
  await writeDescriptors(folder, own, described);
  for (const path of Object.values(DESCRIPTORS)) await sealFile(folder, path);
}

function listDigests({ releaseDigest, content }: Receipt): readonly string[] {
  return [releaseDigest, ...Object.values(content.tables)];
}

function renamed(text: string, before: readonly string[], after: readonly string[]): string {
  return before.reduce((told, digest, place) => told.replaceAll(digest, after[place] ?? digest), text);
}

/** Changes a text file, compressed or not, and makes the manifest consistent with it. */
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

/** Removes a file, and its line in the manifest. */
export async function hideFile(folder: string, path: string): Promise<void> {
  await unlink(join(folder, path));
  await rewriteManifest(folder, (lines) => lines.filter((line) => readPath(line) !== path));
}

/** Adds a file, and a line for it in the manifest. */
export async function smuggleFile(folder: string, path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
  const line = JSON.stringify(await makeLine(folder, path));
  await rewriteManifest(folder, (lines) => [...lines, line]);
}

/** Renames a file, and changes its line in the manifest. */
export async function renameFile(folder: string, from: string, to: string): Promise<void> {
  const content = await readFile(join(folder, from));
  await hideFile(folder, from);
  await smuggleFile(folder, to, content);
}

/**
 * Repeats a field of the receipt with another value. JSON.parse uses the last one, so that the receipt means the same to it.
 */
export async function respell(folder: string): Promise<void> {
  const path = join(folder, "release.json");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"publishedAt"', '"publishedAt": "1999-01-01T00:00:00.000Z",\n  "publishedAt"'));
}

/** Adds a field to the receipt that no schema has. */
export async function addMember(folder: string): Promise<void> {
  const path = join(folder, "release.json");
  const json = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, `${JSON.stringify({ ...json, endorsedBy: "nobody" }, null, 2)}\n`);
}

/** Returns a compact signature (header..value) with changes in its header. */
export function withHeader(signature: unknown, changes: object): string {
  const [header = "", ...rest] = String(signature).split(".");
  const changed = { ...JSON.parse(Buffer.from(header, "base64url").toString("utf8")), ...changes };
  return [Buffer.from(JSON.stringify(changed)).toString("base64url"), ...rest].join(".");
}
