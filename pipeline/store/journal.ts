/**
 * Reads and writes the journal of a store, with one line for each event. Each line contains the digest of the line
 * before it, so that a changed line is detected. Each new line is flushed to the disk.
 */

import { hash } from "node:crypto";
import { appendFile, type FileHandle, open, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type JournalEntry,
  type JournalEvent,
  type JournalLine,
  journalEntry,
  journalLine,
} from "../../schemas/internal/journal.ts";
import { fileDigest, syncFolder } from "../files/durable.ts";
import type { Store } from "./store.ts";

export interface Journal {
  /** The events of releases that could be read, oldest first. */
  readonly entries: readonly JournalEntry[];
  /**
   * Numbers of damaged lines; the first line is 1. A line is damaged if it cannot be read, or if the digest in it does
   * not match the line before.
   */
  readonly damaged: readonly number[];
  /**
   * Size in bytes of an incomplete last line; 0 if there is none. Such a line does not count as an event. This is
   * correct because an event is written before anything else changes, so nothing has changed yet.
   */
  readonly torn: number;
}

export async function readJournal(store: Store): Promise<Journal> {
  return parseJournal(await readText(store.journal)).journal;
}

export interface NewEntry {
  readonly event: JournalEvent;
  readonly releaseDigest: string;
  readonly at: string | null;
  readonly reason?: string | null;
}

/**
 * Appends one event, completely or not at all, even if the disk is full. If the last line is incomplete, first moves it
 * to `journal.cut`. The caller must hold the lock of the releases folder.
 */
export async function appendEvent(store: Store, newEntry: NewEntry): Promise<void> {
  const receiptDigest = await digestReceipt(store, newEntry.releaseDigest);
  const before = parseJournal(await readText(store.journal));
  const fields = { ...newEntry, reason: newEntry.reason ?? null, receiptDigest, before: before.lastDigest };
  const entry = journalEntry.parse(fields satisfies JournalEntry);
  const file = await open(store.journal, "a+");
  try {
    if (before.journal.torn > 0) await keepCutLine(store, file, before.bytes);
    await file.truncate(before.bytes);
    await file.appendFile(`${before.isOpen ? "\n" : ""}${JSON.stringify(entry)}\n`);
    await file.sync();
  } catch (error) {
    await file.truncate(before.bytes).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
  if (before.bytes === 0) await syncFolder(dirname(store.journal));
}

/**
 * Saves the bytes from `start` to the end of the journal in `journal.cut`, where an operator can read them.
 * `share-release doctor` reports them.
 */
async function keepCutLine(store: Store, file: FileHandle, start: number): Promise<void> {
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  await appendFile(store.journalCut, Buffer.concat([buffer, Buffer.from("\n")]), { flush: true });
}

/**
 * Returns the digest of a release's receipt as `sha256:<hex>`, also if the release was pruned; null if there is no
 * receipt.
 */
export async function digestReceipt(store: Store, releaseDigest: string): Promise<string | null> {
  const folder = store.release(releaseDigest);
  const digest = await fileDigest(join(folder, "release.json"))
    .catch(() => fileDigest(join(store.pruned, `${basename(folder)}.json`)))
    .catch(() => null);
  return digest === null ? null : `sha256:${digest}`;
}

/**
 * The error if the journal does not contain the current receipt of a release, because it was changed or copied into the
 * store.
 */
export class ReleaseUnrecorded extends Error {
  readonly code = "ERR_RELEASE_UNRECORDED";
  constructor(releaseDigest: string, store: Store) {
    super(
      `${store.journal} does not have the receipt of ${releaseDigest}: it was copied into the store or changed. ` +
        "Verify it with `share-release release verify --rebuild`, then activate it with `--force` and a reason",
    );
    this.name = "ReleaseUnrecorded";
  }
}

/** Events that prove that an operator of this store built, fetched or activated a release. */
export const SEEN: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["built", "fetched", "activated", "rolled-back"]);

/** True if the journal contains the digest of the release's current receipt. */
export async function isRecorded(store: Store, releaseDigest: string): Promise<boolean> {
  const receiptDigest = await digestReceipt(store, releaseDigest);
  const { entries } = await readJournal(store);
  return entries.some(
    (entry) => SEEN.has(entry.event) && entry.releaseDigest === releaseDigest && entry.receiptDigest === receiptDigest,
  );
}

/**
 * Checks that the journal contains the digest of the release's current receipt.
 * @throws ReleaseUnrecorded
 */
export async function requireRecorded(store: Store, releaseDigest: string): Promise<void> {
  if (!(await isRecorded(store, releaseDigest))) throw new ReleaseUnrecorded(releaseDigest, store);
}

/**
 * Returns the digests of the releases that are still present, because they were built or fetched and not pruned
 * afterwards.
 */
export function presentReleases(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { event, releaseDigest } of entries) {
    if (event === "built" || event === "fetched") present.add(releaseDigest);
    if (event === "pruned") present.delete(releaseDigest);
  }
  return present;
}

/**
 * Returns the releases that were active, in order; the last one is active now. A rollback removes the last release from
 * this list, so that a later rollback does not return to it.
 */
export function activeHistory(entries: readonly JournalEntry[]): readonly string[] {
  let history: readonly string[] = [];
  let before = history;
  for (const { event, releaseDigest } of entries) {
    if (event === "abandoned") history = before;
    if (event !== "activated" && event !== "found" && event !== "rolled-back") continue;
    before = history;
    history = event === "rolled-back" ? popTo(history, releaseDigest) : pushRelease(history, releaseDigest);
  }
  return history;
}

function pushRelease(history: readonly string[], digest: string): readonly string[] {
  return history.at(-1) === digest ? history : [...history, digest];
}

function popTo(history: readonly string[], digest: string): readonly string[] {
  const at = history.lastIndexOf(digest);
  return at < 0 ? [...history, digest] : history.slice(0, at + 1);
}

/**
 * Returns the entry that corrects the journal if it differs from the link `current`; null if they agree. They differ if
 * a process was killed before it moved the link, or if another program moved the link.
 */
export function findJournalCorrection(
  entries: readonly JournalEntry[],
  current: string | null,
): Omit<NewEntry, "at"> | null {
  const history = activeHistory(entries);
  const top = history.at(-1);
  if (top === undefined) return current === null ? null : { event: "found", releaseDigest: current };
  if (current === top) return null;
  const moves = entries.filter(({ event }) => MOVES.has(event));
  const last = moves.at(-1);
  const undone = activeHistory([...entries, ...(last === undefined ? [] : [{ ...last, event: "abandoned" as const }])]);
  if (last !== undefined && INTENTS.has(last.event) && (undone.at(-1) ?? null) === current) {
    return { event: "abandoned", releaseDigest: last.releaseDigest };
  }
  // A broken link does not show which release was active.
  return current === null ? null : { event: "found", releaseDigest: current };
}

const INTENTS: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["activated", "rolled-back"]);
const MOVES: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["activated", "rolled-back", "found", "abandoned"]);

interface Parsed {
  readonly journal: Journal;
  /** Size of all complete lines together, in bytes. */
  readonly bytes: number;
  /** True if the last line is complete but lacks its newline. */
  readonly isOpen: boolean;
  readonly lastDigest: string | null;
}

function parseJournal(text: string): Parsed {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  // A line that was cut off is not JSON. If the last line is, only its newline is missing.
  const isOpen = parseEntry(last) !== null;
  if (isOpen) lines.push(last);
  const entries: JournalEntry[] = [];
  const damaged: number[] = [];
  let lastDigest: string | null = null;
  for (const [i, line] of lines.entries()) {
    const entry = parseEntry(line);
    if (entry !== null && !("kid" in entry)) entries.push(entry);
    if (entry === null || entry.before !== lastDigest) damaged.push(i + 1);
    lastDigest = `sha256:${hash("sha256", line)}`;
  }
  const torn = isOpen ? 0 : Buffer.byteLength(last);
  return { journal: { entries, damaged, torn }, bytes: Buffer.byteLength(text) - torn, isOpen, lastDigest };
}

function parseEntry(line: string): JournalLine | null {
  try {
    return journalLine.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
}
