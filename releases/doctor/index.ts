/** Inspects a store and its machine for `share-release doctor`. Does not change anything. */

import { constants, existsSync, statSync } from "node:fs";
import { access, lstat, readdir, stat, statfs } from "node:fs/promises";
import { join, relative } from "node:path";
import { describeDuckDB, openDuckDB } from "../../pipeline/engine/open.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { getErrorMessage } from "../../pipeline/stage/effects.ts";
import { hasRecordedAccounts } from "../../pipeline/store/account-target.ts";
import { isLocked, LOCK, lockHolder } from "../../pipeline/store/locks.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { manifestLines } from "../verify/files.ts";
import { closedToOthers, examineReleases, fault, note, type Observation, OPENING, ok, warning } from "./releases.ts";

export type { Observation } from "./releases.ts";

/** Examines everything. Warns about releases that were published after `now`. */
export async function examine(store: Store, now: Date): Promise<Observation[]> {
  try {
    if (!(await stat(store.root)).isDirectory())
      return [fault("store", `${store.root} is not a folder`, "give the folder of a store with --store")];
    await access(store.root, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (isForbidden(error)) return [fault("store", `this user cannot read ${store.root}`, AS_OWNER)];
    return [
      fault(
        "store",
        `there is no store at ${store.root}`,
        "give another store with --store; `share-release harvest` creates a new one",
      ),
    ];
  }
  return [
    ok("store", store.root),
    ...(await examineMachine(store)),
    ...(await examineLocks(store)),
    ...(await examineReleases(store, now).catch(reportForbidden)),
    ...examineAccounts(store),
    ...(await readableByOthers(store)),
  ];
}

/** Advice for a file or folder that this user cannot read. */
export const AS_OWNER = "run `share-release doctor` as the owner of the store";

/** True if the error or one of its causes means that this user has no permission. */
export function isForbidden(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : null;
  return code === "EACCES" || code === "EPERM" || isForbidden(error.cause);
}

/** Reports what this user cannot read as a fault, so that the other checks are still shown. */
function reportForbidden(error: unknown): Observation[] {
  if (!isForbidden(error)) throw error;
  return [fault("permissions", getErrorMessage(error), AS_OWNER)];
}

/** Reports a fault if the store records that it has accounts, but their file (accounts.sqlite) is missing or empty. */
function examineAccounts(store: Store): Observation[] {
  const sqlite = join(store.root, "accounts.sqlite");
  if ((statSync(sqlite, { throwIfNoEntry: false })?.size ?? 0) > 0) return [];
  const advice = "restore the accounts from a backup; nothing is built, and no researcher is shown, until then";
  try {
    return hasRecordedAccounts(store, { sqlite })
      ? [fault("accounts", `the account store ${sqlite} is missing or empty`, advice)]
      : [];
  } catch (error) {
    return [fault("accounts", getErrorMessage(error), isForbidden(error) ? AS_OWNER : advice)];
  }
}

/** Reports the locks of a store, and whether a process holds them. */
async function examineLocks(store: Store): Promise<Observation[]> {
  const folders = [store.root, store.releases, store.run, join(store.root, "keys")];
  for (const parent of [store.raw(""), store.work(""), store.incoming]) {
    for (const name of await readdir(parent).catch(() => [])) folders.push(join(parent, name));
  }
  const found: Observation[] = [];
  for (const folder of folders) {
    const path = join(folder, LOCK);
    if ((await lstat(path).catch(() => null)) !== null)
      found.push(await examineLock(relative(store.root, path), folder));
  }
  return found.length > 0 ? found : [ok("locks", "none")];
}

async function examineLock(name: string, folder: string): Promise<Observation> {
  const holder = await lockHolder(folder);
  const process = holder === null ? "a process" : `process ${holder.pid} on ${holder.host}`;
  try {
    if (isLocked(folder)) return note("locks", `the lock ${name} is held by ${process}, which is running`);
  } catch (error) {
    return warning(
      "locks",
      `the lock ${name} cannot be examined: ${getErrorMessage(error)}`,
      "remove the lock if no process works in this folder",
    );
  }
  return note(
    "locks",
    `the lock ${name} was held by ${process}, which no longer runs; the next process that needs the lock takes it`,
  );
}

/**
 * Reports whether nginx, if it runs under another user, can read the pages of the active release. If it cannot, it passes
 * every request to the SHARE server, which is slow, but nobody sees an error.
 */
async function readableByOthers(store: Store): Promise<Observation[]> {
  const active = await currentDigest(store).catch(() => null);
  if (active === null) return [];
  const tree = store.tree(active);
  const observations = existsSync(tree) ? [] : [withoutTree(store, tree)];
  const closed = await closedToOthers(store.release(active), tree);
  if (closed === null)
    return [...observations, ok("pages", "every user of this machine, including nginx, can read the pages")];
  const detail = `only the owner and group can read ${closed}, so nginx, if it runs as another user, passes every request on to the server`;
  return [...observations, warning("pages", detail, OPENING)];
}

function withoutTree({ root }: Store, tree: string): Observation {
  return note(
    "pages",
    `there are no page files of the active release at ${tree}, so every page comes from the server; \`share-release release publish --pages --to ${root}\` writes them`,
  );
}

/** First version of Node that runs TypeScript without a build step. `npm ci` installs it (package `node`). */
const MIN_NODE = 24;

/** Reports on the machine: versions, disk space, inodes, permissions and file systems. */
async function examineMachine(store: Store): Promise<Observation[]> {
  return [
    ...(await versions()),
    await writable(store),
    ...(await freeSpace(store)),
    await oneFileSystem(store),
    ...(await secrets(store)),
  ];
}

async function versions(): Promise<Observation[]> {
  const { version } = process;
  const node =
    Number(version.slice(1).split(".")[0]) >= MIN_NODE
      ? ok("node", version)
      : fault("node", version, `run \`npm ci\`, which installs Node ${MIN_NODE} or later`);
  try {
    const db = await openDuckDB({ threads: 1 });
    db.close();
    return [node, ok("engine", describeDuckDB())];
  } catch (error) {
    return [
      node,
      fault(
        "engine",
        getErrorMessage(error),
        "run `npm ci` on this machine, because the engine is a binary for one kind of machine",
      ),
    ];
  }
}

async function writable(store: Store): Promise<Observation> {
  try {
    await access(store.root, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok("permissions", `${store.root} can be written by this user`);
  } catch (error) {
    return warning(
      "permissions",
      getErrorMessage(error),
      "harvest, build and activate as a user that can write to the store; serving does not need this",
    );
  }
}

const GIB = 2 ** 30;

/** Reports how much disk space is free. A build needs about three times the size of the active release. */
async function freeSpace(store: Store): Promise<Observation[]> {
  const disk = await statfs(store.root);
  const free = disk.bavail * disk.bsize;
  const { bytes, files } = await sizeOfActive(store);
  const needed = Math.max(GIB, 3 * bytes);
  const observations = `${(free / GIB).toFixed(1)} GiB free, a build may take ${(needed / GIB).toFixed(1)} GiB`;
  const advice =
    "`share-release release prune` removes old releases; a build that runs out of disk space ends, and can then be run again";
  const space = free >= needed ? ok("disk", observations) : warning("disk", observations, advice);
  // File systems with dynamic inodes report zero.
  if (disk.files === 0) return [space, note("inodes", "this file system has no fixed number of inodes")];
  const inodes = `${disk.ffree} free, the active release has ${plural(files, "file")}`;
  return [space, disk.ffree > 2 * files + 1000 ? ok("inodes", inodes) : warning("inodes", inodes, advice)];
}

async function sizeOfActive(store: Store): Promise<{ bytes: number; files: number }> {
  const active = await currentDigest(store).catch(() => null);
  const size = { bytes: 0, files: 0 };
  if (active === null) return size;
  try {
    for await (const line of manifestLines(join(store.release(active), "manifest.ndjson"))) {
      size.bytes += line?.bytes ?? 0;
      size.files += 1;
    }
  } catch {
    // Another check reports faults of the release. This one only needs its size.
  }
  return size;
}

/**
 * Reports a fault if folders of the store are on different file systems, because a build publishes its release by renaming
 * a folder, which only works within one file system.
 */
async function oneFileSystem(store: Store): Promise<Observation> {
  const devices = new Map<number, string[]>();
  for (const folder of [store.root, store.releases, store.work("")]) {
    const device = (await stat(folder).catch(() => null))?.dev;
    if (device !== undefined) devices.set(device, [...(devices.get(device) ?? []), folder]);
  }
  if (devices.size <= 1) return ok("file system", "all folders are on one");
  const separate = [...devices.values()].map((folders) => folders.join(" and ")).join("; ");
  return fault(
    "file system",
    `the store is on several file systems: ${separate}`,
    "move work/ and releases/ of the store to one file system",
  );
}

/** Reports files with secrets that other users can read. */
async function secrets(store: Store): Promise<Observation[]> {
  const keys = (await readdir(store.privateKeys).catch(() => [])).map((name) => join(store.privateKeys, name));
  const found: Observation[] = [];
  for (const path of [...keys, join(store.root, "accounts.sqlite")]) {
    const mode = (await stat(path).catch(() => null))?.mode;
    if (mode === undefined) continue;
    const open = (mode & 0o077).toString(8).padStart(3, "0");
    if (path.endsWith(".sqlite") ? (mode & 0o007) !== 0 : (mode & 0o077) !== 0) {
      found.push(
        fault(
          "secrets",
          `other users have permissions for the secret file ${path} (${open})`,
          `run \`chmod go= ${path}\``,
        ),
      );
    }
  }
  return found.length > 0 ? found : [ok("secrets", `${keys.length} private keys, readable by their owner only`)];
}
