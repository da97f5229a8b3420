/**
 * Reads the chain of releases, newest first, by following previousReleaseDigest. Checks each receipt and reports its
 * faults.
 */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { releaseDigest as contentDigest } from "../pipeline/6-release/digest.ts";
import { fileDigest } from "../pipeline/files/durable.ts";
import { findJournalCorrection, type Journal, readJournal, SEEN } from "../pipeline/store/journal.ts";
import { storeKeys } from "../pipeline/store/key-set.ts";
import { currentDigest, listReleases } from "../pipeline/store/releases.ts";
import { retractedDigests } from "../pipeline/store/retractions.ts";
import { type CheckedRetraction, checkedRetraction, revocationInText } from "../pipeline/store/revocations.ts";
import { listSigningKeys, revokedWords, signatureFault, type TrustedKey } from "../pipeline/store/signatures.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { JournalEntry } from "../schemas/internal/journal.ts";
import { metricsHistory } from "../schemas/public/api/metrics.ts";
import { type Receipt, receipt as receiptSchema } from "../schemas/public/release.ts";
import type { Retraction } from "../schemas/public/retraction.ts";

export interface LogEntry {
  readonly releaseDigest: string;
  /** `here`: the files of the release exist. `pruned`: only its receipt exists. `missing`: not even the receipt exists. */
  readonly state: "here" | "pruned" | "missing";
  readonly receipt: Receipt | null;
  /**
   * Ids of the keys that the receipt names as signers, whether or not their signatures are valid; none if it is not signed.
   */
  readonly signedBy: readonly string[];
  /** The retraction of the release; null if there is none, or if it cannot be read. */
  readonly retraction: Retraction | null;
  readonly faults: readonly string[];
}

export interface ReleaseLog {
  /** The releases of the chain, from the newest to the first. */
  readonly chain: readonly LogEntry[];
  readonly faults: readonly string[];
}

/**
 * Reads and checks the chain that ends with the release `head`. If `keys` are given, one of them must have signed each
 * receipt. Otherwise, a signature is only a fault if the store lists its key as revoked and no other key of the store
 * signed.
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
      ...(await findFaults(link, journal.entries, keys)),
      ...(keys === null ? await revokedFaults(link, own) : []),
      ...orderFaults(links[i - 1] ?? null, link),
      ...(await historyFaults(link, links.slice(i + 1))),
    ];
    const { retraction, fault } = await readRetraction(store, link.entry.releaseDigest, journal.entries, keys);
    if (fault !== null) faults.push(fault);
    chain.push({ ...link.entry, retraction, faults: [...new Set(faults)] });
  }
  return { chain, faults: await journalFaults(store, journal) };
}

async function revokedFaults({ text, entry }: Link, keys: readonly TrustedKey[]): Promise<string[]> {
  const by = text === null || entry.receipt === null ? null : await revocationInText(text, keys);
  return by === null ? [] : [`the release is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}`];
}

function circle(releaseDigest: string): Link {
  const entry = { releaseDigest, state: "missing", receipt: null, signedBy: [] } as const;
  return { entry, folder: null, text: null, faults: ["the chain contains a cycle"] };
}

/** One release of the chain while it is being checked. */
interface Link {
  readonly entry: Omit<LogEntry, "faults" | "retraction">;
  /** The folder with its files; null if the release was pruned or is missing. */
  readonly folder: string | null;
  readonly text: string | null;
  readonly faults: readonly string[];
}

const jsonObject = z.record(z.string(), z.unknown());

async function readLink(store: Store, releaseDigest: string, journal: readonly JournalEntry[]): Promise<Link> {
  const folder = store.release(releaseDigest);
  const here = await readText(join(folder, "release.json"));
  const text = here ?? (await readText(join(store.pruned, `${basename(folder)}.json`)));
  if (text === null) {
    const isRecorded = journal.some((entry) => entry.event === "pruned" && entry.releaseDigest === releaseDigest);
    const fault = isRecorded
      ? "the release was pruned, but its receipt in pruned/ is missing"
      : "the release is missing, although the journal does not record that it was pruned";
    return {
      entry: { releaseDigest, state: "missing", receipt: null, signedBy: [] },
      folder: null,
      text,
      faults: [fault],
    };
  }
  const state = here === null ? "pruned" : "here";
  const receipt = parseReceipt(text);
  const signedBy = receipt === null ? [] : listSigningKeys(receipt.signature);
  return {
    entry: { releaseDigest, state, receipt, signedBy },
    folder: here === null ? null : folder,
    text,
    faults: receipt === null ? ["the receipt cannot be read"] : [],
  };
}

async function findFaults(
  link: Link,
  journal: readonly JournalEntry[],
  keys: readonly TrustedKey[] | null,
): Promise<string[]> {
  const { receipt, releaseDigest } = link.entry;
  if (receipt === null || link.text === null) return [...link.faults];
  const faults = [...contentFaults(receipt, releaseDigest), ...journalReceiptFaults(link.text, releaseDigest, journal)];
  if (keys !== null) {
    const fault = await signatureFault(jsonObject.parse(JSON.parse(link.text)), keys);
    if (fault !== null) faults.push(fault);
  }
  return link.folder === null ? faults : [...faults, ...(await manifestFaults(link.folder, receipt))];
}

/**
 * Reads the retraction of a release and verifies its signature with `keys`. If the journal records a retraction whose file
 * is missing, that is the fault.
 */
async function readRetraction(
  store: Store,
  releaseDigest: string,
  journal: readonly JournalEntry[],
  keys: readonly TrustedKey[] | null,
): Promise<CheckedRetraction> {
  const checked = await checkedRetraction(store, releaseDigest, keys);
  if (checked.retraction !== null || checked.fault !== null) return checked;
  const isRecorded = journal.some((entry) => entry.event === "retracted" && entry.releaseDigest === releaseDigest);
  return {
    retraction: null,
    fault: isRecorded
      ? "the release was retracted, but its signed retraction in retractions/ is missing; restore that file from a copy"
      : null,
  };
}

/**
 * Checks that the receipt names the digest by which the chain refers to it, and that its content results in this digest.
 */
function contentFaults(receipt: Receipt, releaseDigest: string): string[] {
  const { inputs } = receipt.content;
  const digest = contentDigest(receipt.content);
  return [
    ...(receipt.releaseDigest === releaseDigest ? [] : [`the receipt has the digest ${receipt.releaseDigest}`]),
    ...(digest === releaseDigest ? [] : [`the content of the receipt has the digest ${digest}`]),
    ...(receipt.asOf === inputs.asOf ? [] : ["the receipt has another as-of date than its content"]),
  ];
}

/** Compares the receipt with its digest in the journal, which records it when a release is built or fetched. */
function journalReceiptFaults(text: string, releaseDigest: string, journal: readonly JournalEntry[]): string[] {
  const digest = `sha256:${hash("sha256", text)}`;
  const entries = journal.filter((entry) => entry.releaseDigest === releaseDigest && entry.receiptDigest !== null);
  const received = entries.findLastIndex(({ event }) => event === "built" || event === "fetched");
  const other = entries.slice(Math.max(received, 0)).some(({ receiptDigest }) => receiptDigest !== digest);
  return other ? ["the receipt differs from the one in the journal"] : [];
}

async function manifestFaults(folder: string, receipt: Receipt): Promise<string[]> {
  const digest = await fileDigest(join(folder, "manifest.ndjson")).catch(() => null);
  if (digest === null) return ["the manifest is missing"];
  return `sha256:${digest}` === receipt.manifestDigest ? [] : ["the manifest does not match the receipt"];
}

const HISTORY = "data/history.json";

/**
 * Compares the history file in a release with its manifest, and the entries of the history with the receipts of the earlier
 * releases.
 */
async function historyFaults({ folder, entry: { receipt } }: Link, older: readonly Link[]): Promise<string[]> {
  if (folder === null || receipt?.history !== true) return [];
  const text = await readText(join(folder, HISTORY));
  const line = ((await readText(join(folder, "manifest.ndjson"))) ?? "")
    .split("\n")
    .find((each) => each.includes(HISTORY));
  if (text === null || line === undefined) return [`${HISTORY} is missing`];
  if (!line.includes(hash("sha256", text))) return [`${HISTORY} does not match the manifest`];
  const history = metricsHistory.safeParse(JSON.parse(text));
  if (!history.success) return [`${HISTORY} cannot be read`];
  const before = history.data.filter(({ releaseDigest }) => releaseDigest !== receipt.releaseDigest);
  const entries = history.data.filter(({ releaseDigest }) => releaseDigest === receipt.releaseDigest);
  return [
    ...(entries.length > 0 ? [] : ["the history does not contain the release itself"]),
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
  return same ? [] : [`the history has another date or version of ${releaseDigest} than that release's receipt`];
}

/** Checks that the history of a release continues that of the nearest earlier release with a history. */
function followFault(last: string | null, older: readonly Link[]): string[] {
  const next = older.find(({ entry: { receipt } }) => receipt === null || receipt.history);
  // If a receipt is missing, the releases before it are unknown.
  if (next !== undefined && next.entry.receipt === null) return [];
  const expected = next?.entry.releaseDigest ?? null;
  if (last === expected) return [];
  return [
    `the history continues ${last ?? "nothing"}, but according to the receipts it should continue ${expected ?? "nothing"}`,
  ];
}

/** Checks that a release was published later than its predecessor. */
function orderFaults(newer: Link | null, older: Link): string[] {
  const [after, before] = [newer?.entry.receipt?.publishedAt, older.entry.receipt?.publishedAt];
  if (after === undefined || before === undefined || before <= after) return [];
  return [`the release was published later than ${newer?.entry.releaseDigest}, which follows it in the chain`];
}

async function journalFaults(store: Store, { entries, damaged, torn }: Journal): Promise<string[]> {
  return [
    ...(await unrecordedIn(store, entries)),
    ...(await linkFaults(store, entries)),
    ...damaged.map((line) => `journal.ndjson:${line} cannot be read, was changed, or follows a missing line`),
    ...(torn > 0 ? [`journal.ndjson ends with ${torn} bytes of an incomplete line`] : []),
  ];
}

/** Reports a fault if the active release is not the one that the journal recorded last. */
async function linkFaults(store: Store, entries: readonly JournalEntry[]): Promise<string[]> {
  const wrong = findJournalCorrection(entries, await currentDigest(store));
  if (wrong?.event !== "found") return [];
  return [
    `journal.ndjson does not record that ${wrong.releaseDigest} is active: its last lines were cut off, or another program moved the link`,
  ];
}

/**
 * Describes releases and retractions that are in the store but not in the journal. They show that the last lines of the
 * journal are missing, which the digests in its other lines cannot show.
 */
export async function unrecordedIn(store: Store, entries: readonly JournalEntry[]): Promise<string[]> {
  const recorded = new Set(
    entries.map(({ event, releaseDigest }) => `${releaseDigest} ${SEEN.has(event) ? "seen" : event}`),
  );
  const present = (await listReleases(store, () => undefined)).map(({ releaseDigest }) => releaseDigest);
  return [
    ...present.filter((digest) => !recorded.has(`${digest} seen`)).map((digest) => `the release ${digest}`),
    ...(await retractedDigests(store))
      .filter((digest) => !recorded.has(`${digest} retracted`))
      .map((digest) => `the retraction of ${digest}`),
  ].map(
    (what) => `journal.ndjson does not record ${what}: its last lines were cut off, or it was copied into the store`,
  );
}

function parseReceipt(text: string): Receipt | null {
  try {
    return receiptSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
}
