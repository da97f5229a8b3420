/** Replaying a release: built again from the raw payloads it was made of, in a folder of its own, and compared. */

import { mkdir, rm, rmdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { partsIn } from "../../pipeline/engine/parts.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { lockFolder } from "../../pipeline/store/folder-lock.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { build } from "../build/index.ts";
import type { Finding } from "../verify/finding.ts";

export interface ReplayOptions {
  readonly withheld: readonly string[];
  readonly ror: string | null;
  readonly citations: string | null;
  readonly threads: number;
  readonly memory: string;
  /** The folder to build in, made and removed again; below the store's work/ if null. */
  readonly scratch: string | null;
}

/** The raw payloads a release was made of are no longer all there. */
export class RawMissing extends Error {
  readonly code = "ERR_RAW_MISSING";
  constructor(folder: string, needed: number, there: number) {
    super(`${folder} has ${there} parts, and the release was made of ${needed}: replay it where its raw payloads are`);
    this.name = "RawMissing";
  }
}

/**
 * Builds the release of `folder` again from the raw payloads of `store`. Parts that were harvested since are left out.
 * The store's raw payloads are read through links and stay as they are.
 * @throws RawMissing
 */
export async function replay(
  folder: string,
  receipt: Receipt,
  store: Store,
  options: ReplayOptions,
  effects: Effects,
): Promise<Finding[]> {
  const scratch = options.scratch ?? store.work(`replay-${receipt.releaseDigest.slice(7, 23)}`);
  const unlock = await lockFolder(scratch);
  try {
    const again = openStore(join(scratch, "store"));
    await rm(again.root, { recursive: true, force: true });
    await linkRaw(store, again, receipt);
    const { scratch: _scratch, ...given } = options;
    const rebuilt = await build(again, { ...buildOptions(receipt), ...given, activate: false }, effects);
    return await compare(receipt, rebuilt.receipt, folder, again.release(rebuilt.receipt.releaseDigest));
  } finally {
    await rm(join(scratch, "store"), { recursive: true, force: true });
    await unlock();
    await rm(scratch, { recursive: true, force: true });
    // work/ goes with the last that was in it.
    if (options.scratch === null) await rmdir(store.work("")).catch(() => undefined);
  }
}

/** Everything the receipt says of how it was built. History is no part of the digest. */
function buildOptions(receipt: Receipt) {
  return {
    asOf: receipt.asOf,
    sources: receipt.sources.map(({ source }) => source),
    rubrics: receipt.rubrics.map(({ version }) => version),
    attribution: receipt.attribution !== null,
    history: false,
  };
}

/** Parts are numbered and never change: those a build read are the first ones. */
async function linkRaw(from: Store, to: Store, receipt: Receipt): Promise<void> {
  for (const { source, parts: needed } of receipt.sources) {
    const parts = (await listParts(from.raw(source))).slice(0, needed);
    if (parts.length < needed) throw new RawMissing(from.raw(source), needed, parts.length);
    await mkdir(to.raw(source), { recursive: true });
    for (const { name, path } of parts) await symlink(resolve(path), join(to.raw(source), name));
  }
}

/** Causes before effects: raw payloads, inputs, then the first table that differs and the first row in it. */
async function compare(theirs: Receipt, ours: Receipt, folder: string, again: string): Promise<Finding[]> {
  const found = (detail: string): Finding => ({ check: "replay", detail });
  const raw = theirs.sources.filter(({ source, rawDigest }) => rawDigest !== rawDigestOf(ours, source));
  const inputs = [...new Set([...Object.keys(theirs.content.inputs), ...Object.keys(ours.content.inputs)])]
    .filter((name) => theirs.content.inputs[name] !== ours.content.inputs[name])
    .sort();
  const table = RELEASE_TABLES.find((each) => {
    const name = publishedName(each);
    return theirs.content.tables[name] !== ours.content.tables[name];
  });
  return [
    ...raw.map(({ source }) => found(`raw/${source} does not hold what the release was made of`)),
    ...inputs.map((name) => found(`${name} is not what the release was made with`)),
    ...(table === undefined ? [] : [found(await firstDifference(table, folder, again))]),
    ...(raw.length + inputs.length === 0 && table === undefined && theirs.releaseDigest !== ours.releaseDigest
      ? [found(`it comes to ${ours.releaseDigest}`)]
      : []),
  ];
}

function rawDigestOf({ sources }: Receipt, source: string): string | undefined {
  return sources.find((each) => each.source === source)?.rawDigest;
}

async function firstDifference(table: (typeof RELEASE_TABLES)[number], folder: string, again: string): Promise<string> {
  const columns = Object.keys(table.columns).join(", ");
  const read = (release: string) =>
    `(select ${columns} from read_parquet(${quote(partsIn(releaseTablePaths(release)[table.name] ?? ""))}))`;
  const key = table.key.join(", ");
  const db = await openDuckDB({ threads: 1 });
  const first = `the first table that differs is data/${table.published}`;
  try {
    const [one, two] = [read(folder), read(again)];
    const [row] = await db.rows(
      `select ${key} from ((${one} except all ${two}) union all (${two} except all ${one})) order by ${key} limit 1`,
    );
    if (row === undefined) return `${first}: its rows are those of the replay, but not those the receipt names`;
    return `${first}, its first row that does that of ${table.key.map((name) => `${name} ${row[name]}`).join(", ")}`;
  } catch {
    return `${first}; it cannot be read`;
  } finally {
    db.close();
  }
}
