/** Inspects the releases of a store, and the links to them. */

import { existsSync } from "node:fs";
import { lstat, opendir, readdir, readlink, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { plural } from "../../pipeline/reading/text.ts";
import { readHead } from "../../pipeline/store/head.ts";
import { findJournalCorrection, readJournal } from "../../pipeline/store/journal.ts";
import { readStorePublicKeys } from "../../pipeline/store/key-set.ts";
import { LOCK } from "../../pipeline/store/locks.ts";
import { currentDigest, detectReleaseFormat, format1Words, readReceipt } from "../../pipeline/store/releases.ts";
import { retractedDigests } from "../../pipeline/store/retractions.ts";
import { revocationOfRelease } from "../../pipeline/store/revocations.ts";
import { KeyUnusable } from "../../pipeline/store/signatures.ts";
import { type Store, UNFINISHED } from "../../pipeline/store/store.ts";
import { unrecordedIn } from "../log.ts";

const FOLDER = /^sha256-[0-9a-f]{64}$/;

export async function examineReleases(store: Store, now: Date): Promise<Observation[]> {
  return [
    ...(await folders(store, now)),
    await link(store, "current", store.current),
    await link(store, "serving", store.serving),
    ...(await journal(store)),
    ...(await keys(store)),
    ...(await leftovers(store)),
  ];
}

async function folders(store: Store, now: Date): Promise<Observation[]> {
  const names = (await namesIn(store.releases)).filter((name) => FOLDER.test(name)).sort();
  const found: Observation[] = [];
  for (const name of names) {
    const receipt = await readReceipt(join(store.releases, name)).catch((error: unknown) =>
      error instanceof Error && getErrorCode(error) === "ERR_RELEASE_LATER" ? error : ("damaged" as const),
    );
    if (receipt === null) {
      found.push(
        warning(
          "releases",
          `${name} has no receipt (release.json): its build was not finished`,
          "run the same build again, or remove this folder in releases/",
        ),
      );
    } else if (receipt instanceof Error) {
      const [what = "", advice = ""] = receipt.message
        .slice(join(store.releases, name, "release.json").length + 1)
        .split(". ");
      found.push(fault("releases", `${name} ${what}`, advice));
    } else if (receipt === "damaged" || receipt.releaseDigest !== name.replace("-", ":")) {
      found.push(
        fault("releases", `the receipt of ${name} is damaged`, "restore the release from a copy, or build it again"),
      );
    } else if (detectReleaseFormat(receipt) === 1) {
      const [what, advice = ""] = format1Words(receipt).split(". ");
      found.push(warning("releases", `${name} ${what}`, advice));
    } else if (receipt.publishedAt > now.toISOString()) {
      found.push(
        warning(
          "releases",
          `${name} was published in the future, at ${receipt.publishedAt}`,
          "correct the clock of the machine; until that time, `share-release release prune` counts this release as the newest",
        ),
      );
    }
  }
  return found.length > 0 ? found : [ok("releases", `${names.length}, each with its receipt`)];
}

async function link(store: Store, name: string, path: string): Promise<Observation> {
  const target = await readlink(path).catch((error: unknown) => getErrorCode(error));
  if (target === "ENOENT") return note(name, "there is no such link yet");
  if (target === "EINVAL")
    return fault(
      name,
      `${path} is not a link`,
      "move this file or folder away, and activate a release with `share-release release activate`",
    );
  const digest = basename(target).replace("-", ":");
  if (FOLDER.test(basename(target)) && (await retractedDigests(store)).includes(digest))
    return warning(
      name,
      `the link ${name} points to ${basename(target)}, which was retracted`,
      "activate another release with `share-release release activate`",
    );
  const by = await revocationOfRelease(store, digest).catch(() => null);
  if (by !== null)
    return warning(
      name,
      `the link ${name} points to ${basename(target)}, which is signed with a revoked key`,
      "activate another release with `share-release release activate`",
    );
  const receipt = FOLDER.test(basename(target)) ? await readReceipt(join(store.root, target)).catch(() => null) : null;
  if (receipt?.signature === null && (await hasKeys(store)))
    return warning(
      name,
      `the link ${name} points to ${basename(target)}, which is not signed, in a store that signs its releases`,
      "run the next `share-release build` with --sign and a key",
    );
  if (receipt !== null) return ok(name, `the link ${name} points to ${basename(target)}`);
  return fault(
    name,
    `the link ${name} points to ${target}, which is not a complete release`,
    "activate a complete release with `share-release release activate`",
  );
}

/**
 * Returns whether the store has keys for signing releases. Also returns false if the key set cannot be read, because
 * another check reports that fault.
 */
function hasKeys(store: Store): Promise<boolean> {
  return readStorePublicKeys(store).then(
    ({ keys }) => keys.length > 0,
    () => false,
  );
}

async function journal(store: Store): Promise<Observation[]> {
  const { entries, damaged, torn } = await readJournal(store);
  const found = damaged.map((line) =>
    fault(
      "journal",
      `line ${line} of journal.ndjson was changed, or a line before it is missing`,
      "`share-release release log` lists all faults of the history; new lines can still be added",
    ),
  );
  if (torn > 0)
    found.push(
      warning(
        "journal",
        "the last line of journal.ndjson is cut off",
        "the next build or activation moves this line to journal.cut",
      ),
    );
  if (existsSync(store.journalCut))
    found.push(
      warning(
        "journal",
        "a last line of journal.ndjson was cut off and is in journal.cut",
        "compare journal.cut with journal.ndjson, and then remove journal.cut",
      ),
    );
  found.push(...(await unrecordedIn(store, entries)).map((what) => warning("journal", what, UNRECORDED)));
  const wrong = findJournalCorrection(entries, await currentDigest(store).catch(() => null));
  if (wrong !== null) {
    const what =
      wrong.event === "found" ? "another program changed the link current" : "the last activation was not carried out";
    found.push(
      warning("journal", `${what} (${wrong.releaseDigest})`, "the next activation or rollback corrects the journal"),
    );
  }
  return found.length > 0 ? found : [ok("journal", plural(entries.length, "event"))];
}

const UNRECORDED =
  "restore a longer journal from a backup, or verify the release and activate it with --force and a reason";

/** Reports whether the key set can be read, how many of its keys are revoked, and to which release its head refers. */
async function keys(store: Store): Promise<Observation[]> {
  try {
    const { keys: all, head: json } = await readStorePublicKeys(store);
    const revoked = all.filter((key) => key.revoked !== undefined).length;
    const found = all.length === 0 ? [] : [ok("keys", `${all.length}, of which ${revoked} revoked`)];
    const head = readHead(json);
    if (head === null) return found;
    const stated = `the head names ${head.scoreReleaseVersion} as the latest release, until ${head.expiresAt}`;
    const isCurrent = head.releaseDigest === (await currentDigest(store).catch(() => null));
    return [
      ...found,
      isCurrent ? ok("keys", stated) : warning("keys", `${stated}, but another release is active`, SIGN),
    ];
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    return [
      fault("keys", error.message, "restore keys/share-release-keys.json from a copy; nothing is activated until then"),
    ];
  }
}

const SIGN =
  "sign a new head with `share-release key sign`, or on a mirror activate the release that the head names with `share-release release activate`";

/** Reports files that killed processes left. In most cases, the next run of the same command removes them. */
async function leftovers(store: Store): Promise<Observation[]> {
  const places: [string, (name: string) => boolean, string][] = [
    [store.work(""), () => true, "the next build or `share-release release prune` removes it"],
    [store.incoming, () => true, "the same `fetch` resumes it; you can remove it"],
    [store.trees, (name) => name.endsWith(UNFINISHED), "the same `publish --pages` resumes it; you can remove it"],
    [
      store.releases,
      (name) => !name.startsWith(LOCK) && !FOLDER.test(name),
      "`share-release release prune` removes it",
    ],
    [store.root, (name) => name.endsWith(".tmp"), "the next activation or build removes it, or remove it yourself"],
  ];
  const parts = join(store.cache, "normalised");
  for (const source of await namesIn(parts)) {
    places.push([
      join(parts, source),
      (name) => name.endsWith(".tmp"),
      "a build removes it after a day; you can remove `cache/` while no build runs",
    ]);
  }
  const found: Observation[] = [];
  for (const [folder, isLeft, advice] of places) {
    for (const name of (await namesIn(folder)).filter(isLeft).sort()) {
      // A locked folder is in use, and examined with the locks.
      if (await lstat(join(folder, name, LOCK)).catch(() => null)) continue;
      found.push(warning("leftovers", relative(store.root, join(folder, name)), advice));
    }
  }
  return found.length > 0 ? found : [ok("leftovers", "none")];
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === "ENOENT") return [];
    throw error;
  });
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

export interface Observation {
  readonly check: string;
  /**
   * `ok` and `note` need no action. A `warning` can become a fault later. A `fault` means that something does not work or
   * will fail.
   */
  readonly state: "ok" | "note" | "warning" | "fault";
  readonly detail: string;
  readonly advice?: string;
}

export function ok(check: string, detail: string): Observation {
  return { check, state: "ok", detail };
}

export function note(check: string, detail: string): Observation {
  return { check, state: "note", detail };
}

export function warning(check: string, detail: string, advice: string): Observation {
  return { check, state: "warning", detail, advice };
}

export function fault(check: string, detail: string, advice: string): Observation {
  return { check, state: "fault", detail, advice };
}

const ENTER = 0o001;
const READ = 0o004;

/** Advice for pages that nginx cannot read because it runs under another user. */
export const OPENING =
  "add nginx's user to the group, or build with umask 022 and let everybody enter the folders above; without nginx, nothing is wrong";

/**
 * Returns the first file or folder that only its owner and group can read; null if there is none. Checks the files at the
 * top of the release and one file below each of its folders, with all folders above them. `tree` is the folder that
 * contains each page as a file; one of these files is checked too.
 */
export async function closedToOthers(release: string, tree: string | null = null): Promise<string | null> {
  const folder = resolve(release);
  const page = tree === null ? null : await firstFile(resolve(tree));
  const files = [...(await samples(folder)), ...(page === null ? [] : [page])];
  const folders = new Set([...foldersAbove(join(folder, "release.json")), ...files.flatMap(foldersAbove)]);
  return (await firstWithout(ENTER, folders)) ?? (await firstWithout(READ, files));
}

/** Returns the paths of all files in a folder, and of one file below each of its subfolders. */
async function samples(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await listEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(path);
    else if (entry.isDirectory()) found.push(...(await samples(path)).slice(0, 1));
  }
  return found;
}

/**
 * Returns the path of one file below a folder of pages; null if there is none. One file is enough, because all pages have
 * the same permissions, and their folders are too many to list.
 */
async function firstFile(folder: string): Promise<string | null> {
  const listing = await opendir(folder).catch(() => null);
  const entry = await listing?.read();
  await listing?.close();
  if (entry === undefined || entry === null) return null;
  const path = join(folder, entry.name);
  return entry.isDirectory() ? firstFile(path) : path;
}

/** Lists a folder. Returns [] if the folder cannot be read, because another check reports that fault. */
async function listEntries(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

async function firstWithout(bit: number, paths: Iterable<string>): Promise<string | null> {
  for (const path of paths) {
    const mode = (await stat(path).catch(() => null))?.mode;
    if (mode !== undefined && (mode & bit) === 0) return path;
  }
  return null;
}
