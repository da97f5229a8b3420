/** The chain of releases: receipts by previousReleaseDigest, newest first, and every link of it that does not hold. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { releaseDigest as contentDigest } from "../pipeline/6-release/digest.ts";
import { fileDigest } from "../pipeline/files/durable.ts";
import { type CheckedRetraction, checkedRetraction, disownedText } from "../pipeline/store/disowned.ts";
import { type Journal, readJournal } from "../pipeline/store/journal.ts";
import { storeKeys } from "../pipeline/store/key-set.ts";
import { revokedWords, signatureFault, signingKeysOf, type TrustedKey } from "../pipeline/store/signatures.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { JournalEntry } from "../schemas/internal/journal.ts";
import { metricsHistory } from "../schemas/public/api/metrics.ts";
import { type Receipt, receipt as receiptSchema } from "../schemas/public/release.ts";
import type { Retraction } from "../schemas/public/retraction.ts";

export interface LogEntry {
  readonly releaseDigest: string;
  /** `pruned`: only its receipt was kept. `missing`: nothing of it is there. */
  readonly state: "here" | "pruned" | "missing";
  readonly receipt: Receipt | null;
  /** The keys its signature claims to be by; none if it is not signed. */
  readonly signedBy: readonly string[];
  /** What was said when it was withdrawn; null where it was not, or what was said cannot be read. */
  readonly retraction: Retraction | null;
  /** What does not hold, in words. */
  readonly faults: readonly string[];
}

export interface ReleaseLog {
  /** From the newest back to the first. */
  readonly chain: readonly LogEntry[];
  /** Faults of the journal. */
  readonly faults: readonly string[];
}

/**
 * The chain that ends with `head`. With keys, each receipt must be signed by one of them; without, none may be by a key that
 * the store knows to be revoked.
 */
export async function releaseLog(store: Store, head: string, keys: readonly TrustedKey[] | null): Promise<ReleaseLog> {
  const journal = await readJournal(store);
  const own = await storeKeys(store);
  const links: Link[] = [];
  for (let at: string | null = head; at !== null; at = links.at(-1)?.entry.receipt?.previousReleaseDigest ?? null) {
    const known = links.some(({ entry }) => entry.releaseDigest === at);
    links.push(known ? circle(at) : await readLink(store, at, journal.entries));
    if (known) break;
  }
  const chain: LogEntry[] = [];
  for (const [i, link] of links.entries()) {
    const faults = [
      ...(await faultsOf(link, journal.entries, keys)),
      ...(keys === null ? await revokedFaults(link, own) : []),
      ...orderFaults(links[i - 1] ?? null, link),
      ...(await historyFaults(link, links.slice(i + 1))),
    ];
    const { retraction, fault } = await retractionOf(store, link.entry.releaseDigest, journal.entries, keys);
    if (fault !== null) faults.push(fault);
    chain.push({ ...link.entry, retraction, faults: [...new Set(faults)] });
  }
  return { chain, faults: journalFaults(journal) };
}

async function revokedFaults({ text, entry }: Link, keys: readonly TrustedKey[]): Promise<string[]> {
  const by = text === null || entry.receipt === null ? null : await disownedText(text, keys);
  return by === null ? [] : [`it is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}`];
}

function circle(releaseDigest: string): Link {
  const entry = { releaseDigest, state: "missing", receipt: null, signedBy: [] } as const;
  return { entry, folder: null, text: null, faults: ["the chain leads back into itself"] };
}

/** One release as it lies in the store. */
interface Link {
  readonly entry: Omit<LogEntry, "faults" | "retraction">;
  /** Where its files are; null where only a receipt is left, or nothing. */
  readonly folder: string | null;
  /** release.json as text; null where there is none. */
  readonly text: string | null;
  readonly faults: readonly string[];
}

const jsonObject = z.record(z.string(), z.unknown());

async function readLink(store: Store, releaseDigest: string, journal: readonly JournalEntry[]): Promise<Link> {
  const folder = store.release(releaseDigest);
  const here = await textOf(join(folder, "release.json"));
  const text = here ?? (await textOf(join(store.pruned, `${basename(folder)}.json`)));
  if (text === null) {
    const was = journal.some((entry) => entry.event === "pruned" && entry.releaseDigest === releaseDigest);
    const fault = was ? "it was pruned, and its receipt is gone" : "it is missing, and nobody pruned it";
    return {
      entry: { releaseDigest, state: "missing", receipt: null, signedBy: [] },
      folder: null,
      text,
      faults: [fault],
    };
  }
  const state = here === null ? "pruned" : "here";
  const receipt = receiptOf(text);
  const signedBy = receipt === null ? [] : signingKeysOf(receipt.signature);
  return {
    entry: { releaseDigest, state, receipt, signedBy },
    folder: here === null ? null : folder,
    text,
    faults: receipt === null ? ["its receipt cannot be read"] : [],
  };
}

async function faultsOf(
  link: Link,
  journal: readonly JournalEntry[],
  keys: readonly TrustedKey[] | null,
): Promise<string[]> {
  const { receipt, releaseDigest } = link.entry;
  if (receipt === null || link.text === null) return [...link.faults];
  const faults = [...contentFaults(receipt, releaseDigest), ...journalled(link.text, releaseDigest, journal)];
  if (keys !== null) {
    const fault = await signatureFault(jsonObject.parse(JSON.parse(link.text)), keys);
    if (fault !== null) faults.push(fault);
  }
  return link.folder === null ? faults : [...faults, ...(await manifestFaults(link.folder, receipt))];
}

/** What was said of a release stays: the journal remembers that something was, and keys tell who said it. */
async function retractionOf(
  store: Store,
  releaseDigest: string,
  journal: readonly JournalEntry[],
  keys: readonly TrustedKey[] | null,
): Promise<CheckedRetraction> {
  const checked = await checkedRetraction(store, releaseDigest, keys);
  if (checked.retraction !== null || checked.fault !== null) return checked;
  const was = journal.some((entry) => entry.event === "retracted" && entry.releaseDigest === releaseDigest);
  return { retraction: null, fault: was ? "it was retracted, and the statement that says so is gone" : null };
}

/** Receipt against itself: the digest is of the content, and it stands under its own name. */
function contentFaults(receipt: Receipt, releaseDigest: string): string[] {
  const { inputs } = receipt.content;
  const digest = contentDigest(receipt.content);
  return [
    ...(receipt.releaseDigest === releaseDigest ? [] : [`its receipt calls it ${receipt.releaseDigest}`]),
    ...(digest === releaseDigest ? [] : [`what its receipt lists comes to ${digest}`]),
    ...(receipt.asOf === inputs.asOf ? [] : ["its receipt has another as-of date than its content"]),
  ];
}

/** The journal remembers the receipt as it was when the release last came: not a letter of it may have changed since. */
function journalled(text: string, releaseDigest: string, journal: readonly JournalEntry[]): string[] {
  const digest = `sha256:${hash("sha256", text)}`;
  const entries = journal.filter((entry) => entry.releaseDigest === releaseDigest && entry.receiptDigest !== null);
  const came = entries.findLastIndex(({ event }) => event === "built" || event === "fetched");
  const other = entries.slice(Math.max(came, 0)).some(({ receiptDigest }) => receiptDigest !== digest);
  return other ? ["its receipt is not the one that the journal has seen"] : [];
}

/** The manifest is the receipt's. */
async function manifestFaults(folder: string, receipt: Receipt): Promise<string[]> {
  const digest = await fileDigest(join(folder, "manifest.ndjson")).catch(() => null);
  if (digest === null) return ["its manifest is missing"];
  return `sha256:${digest}` === receipt.manifestDigest ? [] : ["its manifest is not the receipt's"];
}

const HISTORY = "data/history.json";

/** The history a release carries names the releases before it: a second witness of the chain. */
async function historyFaults({ folder, entry: { receipt } }: Link, older: readonly Link[]): Promise<string[]> {
  if (folder === null || receipt?.history !== true) return [];
  const text = await textOf(join(folder, HISTORY));
  const line = ((await textOf(join(folder, "manifest.ndjson"))) ?? "")
    .split("\n")
    .find((each) => each.includes(HISTORY));
  if (text === null || line === undefined) return [`its ${HISTORY} is missing`];
  if (!line.includes(hash("sha256", text))) return [`its ${HISTORY} is not the manifest's`];
  const history = metricsHistory.safeParse(JSON.parse(text));
  if (!history.success) return [`its ${HISTORY} cannot be read`];
  const before = history.data.filter(({ releaseDigest }) => releaseDigest !== receipt.releaseDigest);
  const entries = history.data.filter(({ releaseDigest }) => releaseDigest === receipt.releaseDigest);
  return [
    ...(entries.length > 0 ? [] : ["its history does not name itself"]),
    ...entries.flatMap((snapshot) => datedFault(snapshot, receipt)),
    ...older.flatMap((link) => {
      const snapshot = before.find(({ releaseDigest }) => releaseDigest === link.entry.releaseDigest);
      return snapshot === undefined || link.entry.receipt === null ? [] : datedFault(snapshot, link.entry.receipt);
    }),
    ...followFault(before.at(-1)?.releaseDigest ?? null, older),
  ];
}

type Snapshot = z.infer<typeof metricsHistory>[number];

function datedFault(snapshot: Snapshot, { releaseDigest, publishedAt, scoreReleaseVersion }: Receipt): string[] {
  const same = snapshot.publishedAt === publishedAt && snapshot.scoreReleaseVersion === scoreReleaseVersion;
  return same ? [] : [`its history has another date or version of ${releaseDigest} than that release's receipt`];
}

/** The nearest release before it that has a history is the one its own history goes on from. */
function followFault(last: string | null, older: readonly Link[]): string[] {
  const next = older.find(({ entry: { receipt } }) => receipt === null || receipt.history);
  // A receipt that is gone says nothing of what came before.
  if (next !== undefined && next.entry.receipt === null) return [];
  const expected = next?.entry.releaseDigest ?? null;
  if (last === expected) return [];
  return [`its history goes on from ${last ?? "nothing"}, its receipts from ${expected ?? "nothing"}`];
}

/** A release was published after the one it follows. */
function orderFaults(newer: Link | null, older: Link): string[] {
  const [after, before] = [newer?.entry.receipt?.publishedAt, older.entry.receipt?.publishedAt];
  if (after === undefined || before === undefined || before <= after) return [];
  return [`it was published after ${newer?.entry.releaseDigest}, which follows it`];
}

function journalFaults({ damaged, torn }: Journal): string[] {
  return [
    ...damaged.map((line) => `journal.ndjson:${line} cannot be read, or was changed, or follows a line that is gone`),
    ...(torn > 0 ? [`journal.ndjson ends with ${torn} bytes of a line that was never finished`] : []),
  ];
}

function receiptOf(text: string): Receipt | null {
  try {
    return receiptSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
}
