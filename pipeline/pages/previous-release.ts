/**
 * Finds the last release, so that its pages and row digests can be reused. It must be undamaged and made by the same
 * program.
 */

import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { RELEASE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { type Database, PART_NAME, quote } from "../engine/open.ts";
import { fileDigest, makeFolder, replaceFile } from "../files/durable.ts";
import { readPackPath } from "../packs/format.ts";
import { manifestLinesIn } from "../packs/page-store.ts";
import { readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";
import { releaseTablePaths, type TablePaths } from "./columns.ts";

/** The last release, whose unchanged pages and row digests can be reused. */
export interface PreviousRelease {
  readonly releaseDigest: string;
  readonly folder: string;
  readonly tables: TablePaths;
  readonly rowDigests: RowFiles;
  readonly packs: Readonly<Record<string, ManifestLine>>;
  /**
   * Sources whose pledge changed since then. The pages of their records show the pledge, so they are rendered again.
   */
  readonly pledgesChanged: readonly string[];
}

/** Files of row digests: one file `<table>.rows` for each table in `folder`. */
export interface RowFiles {
  readonly folder: string;
  /** The sha256 of each file by table name, to detect damage. */
  readonly digests: Readonly<Record<string, string>>;
}

export interface FinishedRelease {
  readonly receipt: Receipt;
  /** Row digests of the release; null if they were not requested. */
  readonly rowDigests: RowFiles | null;
}

/**
 * Facts about the last release, to detect damage. They are stored outside the release, because facts in a damaged
 * release would not be reliable.
 */
const note = z.object({
  releaseDigest: z.string(),
  manifestDigest: z.string(),
  program: z.string(),
  rubrics: z.array(z.string()),
  /** Digests of the inputs of the release, as in its receipt. */
  inputs: z.record(z.string(), z.string()),
  /** The sha256 of each file of row digests, by table name. */
  rowDigests: z.record(z.string(), z.string()),
});

const NOTE = "last-release.json";

const ROW_DIGESTS = "row-digests";

export async function recordRelease(
  folder: string,
  { receipt, rowDigests }: FinishedRelease,
  program: string,
): Promise<void> {
  const { releaseDigest, manifestDigest, content } = receipt;
  const noted: z.infer<typeof note> = {
    releaseDigest,
    manifestDigest,
    program,
    rubrics: receipt.rubrics.map(({ version }) => version),
    inputs: content.inputs,
    rowDigests: { ...rowDigests?.digests },
  };
  await makeFolder(folder);
  // If the process is killed after this step, the stored facts lack their row digests, and all are computed again.
  await rm(join(folder, ROW_DIGESTS), { recursive: true, force: true });
  if (rowDigests !== null) await rename(rowDigests.folder, join(folder, ROW_DIGESTS));
  await replaceFile(join(folder, NOTE), `${JSON.stringify(noted)}\n`);
}

export interface PageInputs {
  readonly program: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly rubrics: readonly string[];
}

/**
 * Returns the last release if its pages can be reused. Returns null if the store no longer has it, if it was changed,
 * or if its code, contracts or versions differ from the present ones. Checks the digests of its tables and manifest;
 * the digests of packs are checked when they are used.
 */
export async function previousRelease(store: Store, folder: string, now: PageInputs): Promise<PreviousRelease | null> {
  const then = await readRecord(folder);
  if (then === null || then.program !== now.program) return null;
  if (then.rubrics.toSorted().join() !== now.rubrics.toSorted().join()) return null;
  const changed = changedInputs(then.inputs, now.inputs);
  if (changed.some((name) => name.startsWith("contract "))) return null;
  const release = store.release(then.releaseDigest);
  const receipt = await readReceipt(release).catch(() => null);
  if (receipt?.releaseDigest !== then.releaseDigest || receipt.manifestDigest !== then.manifestDigest) return null;
  const manifest = join(release, "manifest.ndjson");
  if (`sha256:${await digestOrNull(manifest)}` !== then.manifestDigest) return null;
  const lines = await manifestLinesIn(release);
  for (const { path, sha256 } of lines.filter((line) => isPart(line.path))) {
    if ((await digestOrNull(join(release, path))) !== sha256) return null;
  }
  return {
    releaseDigest: then.releaseDigest,
    folder: release,
    tables: releaseTablePaths(release),
    rowDigests: { folder: join(folder, ROW_DIGESTS), digests: then.rowDigests },
    packs: Object.fromEntries(lines.flatMap((line) => (readPackPath(line.path) === null ? [] : [[line.path, line]]))),
    pledgesChanged: changed.flatMap((name) => (name.startsWith("pledge ") ? [name.slice("pledge ".length)] : [])),
  };
}

function isPart(path: string): boolean {
  return PART_NAME.test(basename(path)) && path.startsWith("data/");
}

function changedInputs(then: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].filter((name) => then[name] !== now[name]);
}

/**
 * Reads the stored facts about the last release. Returns null if they cannot be read, so that every page is rendered.
 */
async function readRecord(folder: string): Promise<z.infer<typeof note> | null> {
  try {
    return note.parse(JSON.parse(await readFile(join(folder, NOTE), "utf8")));
  } catch {
    return null;
  }
}

function digestOrNull(path: string): Promise<string | null> {
  return fileDigest(path).catch(() => null);
}

/**
 * Makes a table `changed_<table>` for each release table: the rows that were added, removed or changed since
 * `before_<table>`. `here` is false for a removed row, which only has its key. `shows` is true if a column in
 * `shownColumns` differs. Also writes the rows to `folder`/<table>.parquet, for the digests of stage 6.
 */
export async function findChanged(
  db: Database,
  folder: string,
  shownColumns: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const table of RELEASE_TABLES) {
    await db.run(`create table changed_${table.name} as ${changedRowsSql(table, shownColumns[table.name] ?? [])}`);
    await db.run(`copy changed_${table.name} to ${quote(changedPath(folder, table))} (format parquet)`);
  }
}

export function changedFolder(folder: string, { folder: release }: PreviousRelease): string {
  return join(folder, "changed", basename(release));
}

export function changedPath(folder: string, table: Table): string {
  return join(folder, `${table.name}.parquet`);
}

function changedRowsSql(table: Table, shownColumns: readonly string[]): string {
  const columns = Object.keys(table.columns).map((name) =>
    table.key.includes(name) ? `coalesce(now."${name}", before."${name}") as "${name}"` : `now."${name}"`,
  );
  const same = table.key.map((name) => `now.${name} = before.${name}`);
  const [first] = table.key;
  const lone = [`now.${first} is null`, `before.${first} is null`];
  const differs = (names: readonly string[]) =>
    names.filter((name) => !table.key.includes(name)).map((name) => `now."${name}" is distinct from before."${name}"`);
  return `select ${columns.join(", ")}, now.${first} is not null as here,
      ${[...lone, ...differs(shownColumns)].join(" or ")} as shows
    from ${table.name} as now full join before_${table.name} as before on ${same.join(" and ")}
    where ${[...lone, ...differs(Object.keys(table.columns))].join(" or ")}`;
}

/**
 * Returns the metrics of all releases up to the one with `digest`, oldest first. If that release has no history,
 * returns the history of an earlier one. Returns null if a release on the way is not in the store.
 */
export async function earlierHistory(store: Store, digest: string | null): Promise<MetricsSnapshot[] | null> {
  for (let at = digest; at !== null; ) {
    const folder = store.release(at);
    const receipt = await readReceipt(folder);
    if (receipt === null) return null;
    if (receipt.history) {
      return metricsHistory.parse(JSON.parse(await readFile(join(folder, "data/history.json"), "utf8")));
    }
    at = receipt.previousReleaseDigest;
  }
  return [];
}
