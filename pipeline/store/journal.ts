/**
 * The journal of a store: one line for each event. Each line is flushed, and contains the digest of the line before, so
 * that changes are detected.
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
  /** The readable entries about releases, oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Numbers, from 1, of lines that cannot be read or whose digest does not match the line before. */
  readonly damaged: readonly number[];
  /** Bytes of a last line that is cut off. It is not an event, because the line is written before anything else changes. */
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
 * Appends one event completely or not at all, even on a full disk. Moves a last line that is cut off to `journal.cut`.
 * Callers must hold the lock of the releases folder.
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

/** Saves the bytes from `start` on, so that an operator can compare them, and `doctor` reports them. */
async function keepCutLine(store: Store, file: FileHandle, start: number): Promise<void> {
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  await appendFile(store.journalCut, Buffer.concat([buffer, Buffer.from("\n")]), { flush: true });
}

/** Returns the `sha256:<hex>` of the receipt of a release, even of a pruned one; null if there is none. */
export async function digestReceipt(store: Store, releaseDigest: string): Promise<string | null> {
  const folder = store.release(releaseDigest);
  const digest = await fileDigest(join(folder, "release.json"))
    .catch(() => fileDigest(join(store.pruned, `${basename(folder)}.json`)))
    .catch(() => null);
  return digest === null ? null : `sha256:${digest}`;
}

/** The journal does not record the current receipt of a release. */
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

/** Events that prove that an operator built, fetched or activated this release. */
export const SEEN: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["built", "fetched", "activated", "rolled-back"]);

/** Returns whether the journal has the current receipt of a release. Entries without a receipt digest do not count. */
export async function isRecorded(store: Store, releaseDigest: string): Promise<boolean> {
  const receiptDigest = await digestReceipt(store, releaseDigest);
  const { entries } = await readJournal(store);
  return entries.some(
    (entry) => SEEN.has(entry.event) && entry.releaseDigest === releaseDigest && entry.receiptDigest === receiptDigest,
  );
}

/**
 * Checks that the journal has the receipt of a release.
 * @throws ReleaseUnrecorded
 */
export async function requireRecorded(store: Store, releaseDigest: string): Promise<void> {
  if (!(await isRecorded(store, releaseDigest))) throw new ReleaseUnrecorded(releaseDigest, store);
}

/** Returns releases that were built or fetched and not pruned since. */
export function presentReleases(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { event, releaseDigest } of entries) {
    if (event === "built" || event === "fetched") present.add(releaseDigest);
    if (event === "pruned") present.delete(releaseDigest);
  }
  return present;
}

/**
 * Returns the active releases over time, with the current one last. A rollback removes the last one. A later rollback does
 * not return to a release that was rolled back.
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
 * Returns the entry that makes the journal agree with the link `current`; null if they agree. They differ if the process
 * ended before it moved the link, or if another program moved it.
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
  /** Number of bytes of complete lines. */
  readonly bytes: number;
  /** True if only the newline of the last line is missing. */
  readonly isOpen: boolean;
  readonly lastDigest: string | null;
}

function parseJournal(text: string): Parsed {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  // Without its end, a line is not JSON. With it, only the newline was cut off.
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
