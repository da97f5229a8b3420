/** The journal of a store: events appended one line each, flushed, and chained so that a changed line is seen. */

import { hash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
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
  /** The entries on releases that can be read, oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Lines that cannot be read, or that do not follow from the line before them; counted from 1. */
  readonly damaged: readonly number[];
  /** Bytes behind the last line end: a crash or a full disk cut a line short, and it counts for nothing. */
  readonly torn: number;
}

/** Reads the journal; an empty one where there is none. */
export async function readJournal(store: Store): Promise<Journal> {
  return parsed(await textOf(store.journal)).journal;
}

/** An event as it is handed in. `at` is an instant, or null where nobody has a clock. */
export interface NewEntry {
  readonly event: JournalEvent;
  readonly releaseDigest: string;
  readonly at: string | null;
  readonly reason?: string | null;
}

/**
 * Appends one event, durably: it is whole or it is not there, also on a full disk. Callers hold the lock of the
 * releases folder, so that lines follow one another.
 */
export async function appendEvent(store: Store, news: NewEntry): Promise<void> {
  const receiptDigest = await receiptDigestOf(store, news.releaseDigest);
  const before = parsed(await textOf(store.journal));
  const said = { ...news, reason: news.reason ?? null, receiptDigest, before: before.lastDigest };
  const entry = journalEntry.parse(said satisfies JournalEntry);
  const file = await open(store.journal, "a+");
  try {
    await file.truncate(before.bytes);
    await file.appendFile(`${JSON.stringify(entry)}\n`);
    await file.sync();
  } catch (error) {
    await file.truncate(before.bytes).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
  if (before.bytes === 0) await syncFolder(dirname(store.journal));
}

/** `sha256:<hex>` of a release's receipt as it lies in its folder, or was kept when that went; null where there is none. */
export async function receiptDigestOf(store: Store, releaseDigest: string): Promise<string | null> {
  const folder = store.release(releaseDigest);
  const digest = await fileDigest(join(folder, "release.json"))
    .catch(() => fileDigest(join(store.pruned, `${basename(folder)}.json`)))
    .catch(() => null);
  return digest === null ? null : `sha256:${digest}`;
}

/** Releases that came and have not gone since. */
export function comings(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const there = new Set<string>();
  for (const { event, releaseDigest } of entries) {
    if (event === "built" || event === "fetched") there.add(releaseDigest);
    if (event === "pruned") there.delete(releaseDigest);
  }
  return there;
}

/**
 * The releases that were active, oldest first, the active one last: going back takes the last one off. A release that
 * was rolled back from is not one to return to.
 */
export function activeHistory(entries: readonly JournalEntry[]): readonly string[] {
  let history: readonly string[] = [];
  let before = history;
  for (const { event, releaseDigest } of entries) {
    if (event === "abandoned") history = before;
    if (event !== "activated" && event !== "found" && event !== "rolled-back") continue;
    before = history;
    history = event === "rolled-back" ? backTo(history, releaseDigest) : onTo(history, releaseDigest);
  }
  return history;
}

function onTo(history: readonly string[], digest: string): readonly string[] {
  return history.at(-1) === digest ? history : [...history, digest];
}

function backTo(history: readonly string[], digest: string): readonly string[] {
  const at = history.lastIndexOf(digest);
  return at < 0 ? [...history, digest] : history.slice(0, at + 1);
}

/**
 * What the journal must say first, so that it agrees with where `current` leads: that the last move was never carried
 * out (the process ended between the line and the link), or that somebody else moved the link. Null where they agree.
 */
export function correction(entries: readonly JournalEntry[], current: string | null): Omit<NewEntry, "at"> | null {
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
  // A link that leads nowhere says nothing about what was active.
  return current === null ? null : { event: "found", releaseDigest: current };
}

const INTENTS: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["activated", "rolled-back"]);
const MOVES: ReadonlySet<JournalEvent> = new Set<JournalEvent>(["activated", "rolled-back", "found", "abandoned"]);

interface Parsed {
  readonly journal: Journal;
  /** Bytes up to and with the last line end. */
  readonly bytes: number;
  readonly lastDigest: string | null;
}

function parsed(text: string): Parsed {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole === "" ? [] : whole.slice(0, -1).split("\n");
  const entries: JournalEntry[] = [];
  const damaged: number[] = [];
  let lastDigest: string | null = null;
  for (const [i, line] of lines.entries()) {
    const entry = entryOf(line);
    if (entry !== null && !("kid" in entry)) entries.push(entry);
    if (entry === null || entry.before !== lastDigest) damaged.push(i + 1);
    lastDigest = `sha256:${hash("sha256", line)}`;
  }
  const bytes = Buffer.byteLength(whole);
  return { journal: { entries, damaged, torn: Buffer.byteLength(text) - bytes }, bytes, lastDigest };
}

function entryOf(line: string): JournalLine | null {
  try {
    return journalLine.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
}
