/**
 * Makes a release of format 1, as the program at commit c6f1df0 built it: pages are single files without a root digest, each
 * table is one file, and later tables and receipt fields are missing.
 */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { releaseDigest } from "../../pipeline/6-release/digest.ts";
import { ONLY_PART } from "../../pipeline/engine/open.ts";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { moveLink } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { HISTORY_FILE, manifestLine } from "../../schemas/public/release.ts";
import { publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { editReceipt, sealFile } from "../support/forgery.ts";
import { pagesIn } from "../support/release-pages.ts";

/** Tables that programs after format 1 added. */
const LATER_TABLES = ["affiliations", "duplicate-evidence", "funding", "repository-sources"];
const LATER_INPUTS = ["policy"];

function without<T>(entries: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));
}

/** Converts a release of a store to format 1 and activates it. Returns its digest. */
export async function asFormat1(store: Store, digest: string): Promise<string> {
  const folder = store.release(digest);
  for (const [path, bytes] of await pagesIn(folder)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  await rm(join(folder, "pages"), { recursive: true });
  const tables = new Map<string, string>();
  for (const name of RELEASE_TABLES.map((table) => `data/${publishedName(table)}`)) {
    tables.set(`${name}/${ONLY_PART}`, `${name}.parquet`);
    await rename(join(folder, name, ONLY_PART), join(folder, `${name}.parquet`));
    await rm(join(folder, name), { recursive: true });
  }
  for (const name of LATER_TABLES) await rm(join(folder, `data/${name}.parquet`), { force: true });
  const manifest = join(folder, "manifest.ndjson");
  const lines = (await readFile(manifest, "utf8")).trimEnd().split("\n");
  const kept = lines
    .map((line) => manifestLine.parse(JSON.parse(line)))
    .filter(({ path }) => !path.startsWith("pages/") && !LATER_TABLES.some((name) => path.startsWith(`data/${name}/`)))
    .map((line) => ({ ...line, path: tables.get(line.path) ?? line.path }));
  await writeFile(manifest, kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
  let then = digest;
  await editReceipt(folder, ({ content: { inputs, tables: roots }, ...receipt }) => {
    const content = { inputs: without(inputs, LATER_INPUTS), tables: without(roots, LATER_TABLES) };
    then = releaseDigest(content);
    const { license: _licence, policy: _policy, gateLimits: _limits, ...earlier } = receipt;
    const sources = receipt.sources.map(({ reader: _reader, ...source }) => source);
    return { ...earlier, sources, releaseDigest: then, signature: null, content };
  });
  // The history of the release contains its digest, which differs in format 1.
  const history = join(folder, HISTORY_FILE);
  await writeFile(history, (await readFile(history, "utf8")).replaceAll(digest, then));
  await sealFile(folder, HISTORY_FILE);
  await rename(folder, store.release(then));
  await moveLink(store.current, store.release(then));
  for (const path of [store.journal, store.work("")]) await rm(path, { recursive: true, force: true });
  for (const event of ["built", "activated"] as const)
    await appendEvent(store, { event, releaseDigest: then, at: null });
  return then;
}
