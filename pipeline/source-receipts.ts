/**
 * Makes the entries about sources in the receipt of a release: raw digests, counts, rejected payloads, retrieval times
 * and completeness. Also carries sources forward from the current release.
 */

import { createHash } from "node:crypto";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { HarvestScope } from "../schemas/public/harvest-scope.ts";
import { type Coverage, type SourceReceipt, sourceReceipt } from "../schemas/public/release.ts";
import { type PublicVersion, publicVersion } from "../schemas/public/rubric.ts";
import { getReader } from "./sources/reader-of.ts";
import { type HarvestLine, readHarvests, readRejected } from "./store/harvest-log.ts";
import { digestPart, listParts } from "./store/raw-parts.ts";
import { currentDigest, readReceipt } from "./store/releases.ts";
import type { Store } from "./store/store.ts";

const NOTHING: Coverage = {
  harvested: 0,
  superseded: 0,
  duplicates: 0,
  tombstones: 0,
  notDataset: 0,
  failed: 0,
  insufficient: 0,
  scored: 0,
};

const coverageRow = z.object({
  source: z.string(),
  harvested: z.int(),
  superseded: z.int(),
  duplicates: z.int(),
  tombstones: z.int(),
  not_dataset: z.int(),
  failed: z.int(),
  scored: z.int(),
  oldest_retrieval: z.string().nullable(),
  newest_retrieval: z.string().nullable(),
});

const scoreFacts = z.object({
  insufficient: z.array(z.object({ source: z.string(), rubric: publicVersion, records: z.int() })),
});

/**
 * Returns how many records of each source have no total under a public version. `facts` come from the manifest of stage
 * 3.
 */
export function insufficientBy(facts: unknown, version: PublicVersion | null): ReadonlyMap<string, number> {
  const rows = scoreFacts.parse(facts).insufficient.filter(({ rubric }) => rubric === version);
  return new Map(rows.map(({ source, records }) => [source, records]));
}

/** Completes the coverage of a source: moves the records without a total from `scored` to `insufficient`. */
export function withInsufficient(coverage: Omit<Coverage, "insufficient">, insufficient: number): Coverage {
  return { ...coverage, insufficient, scored: coverage.scored - insufficient };
}

/** Facts in the manifest of stage 2: the numbers of rows of each source, and the raw parts as `<source>/<name>`. */
const normaliseFacts = z.object({ sources: z.array(coverageRow), parts: z.array(z.string()) });

/**
 * Returns one entry for each source, in the order of `sources`. `facts` come from the manifest of stage 2, and
 * `insufficient` contains the number of records without a total by source.
 */
export async function sourceReceipts(
  store: Store,
  sources: readonly string[],
  facts: unknown,
  insufficient: ReadonlyMap<string, number>,
): Promise<SourceReceipt[]> {
  const { sources: rows, parts } = normaliseFacts.parse(facts);
  const counted = new Map(rows.map((row) => [row.source, row]));
  const read = new Set(parts);
  const receipts: SourceReceipt[] = [];
  for (const source of sources) {
    const folder = store.raw(source);
    const row = counted.get(source);
    receipts.push(
      sourceReceipt.parse({
        source,
        reader: await getReader(source),
        ...(await rawReceipt(folder, (name) => read.has(`${source}/${name}`))),
        coverage:
          row === undefined
            ? NOTHING
            : withInsufficient({ ...row, notDataset: row.not_dataset }, insufficient.get(source) ?? 0),
        rejected: await rejectedCounts(folder),
        oldestRetrieval: row?.oldest_retrieval ?? null,
        newestRetrieval: row?.newest_retrieval ?? null,
        ...harvestedParts(await readHarvests(folder), (row?.harvested ?? 0) - (row?.superseded ?? 0)),
      }),
    );
  }
  return receipts;
}

/** Returns the digest of the raw parts that stage 2 read. A harvest may have added more parts since. */
async function rawReceipt(
  folder: string,
  wasRead: (name: string) => boolean,
): Promise<{ rawDigest: string; parts: number }> {
  const parts = (await listParts(folder)).filter(({ name }) => wasRead(name));
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.name} ${await digestPart(part)}\n`);
  return { rawDigest: `sha256:${digest.digest("hex")}`, parts: parts.length };
}

async function rejectedCounts(folder: string): Promise<SourceReceipt["rejected"]> {
  const counts: SourceReceipt["rejected"] = {};
  for await (const { reason, count = 1 } of readRejected(folder)) counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

/**
 * Returns the completeness of a source, and the harvested parts of the service if it was not harvested as a whole.
 * `records` is the number of distinct records in the store. It is used instead of a sum over the parts, because the
 * same record can be in several parts.
 */
export function harvestedParts(
  harvests: readonly HarvestLine[],
  records: number,
): Pick<SourceReceipt, "completeness" | "scopes"> {
  const parts = groupParts(harvests);
  const [part, ...others] = parts;
  if (part === undefined) return { completeness: null };
  const scopes = parts.map(buildScope);
  const isWhole = scopes.length === 1 && scopes.every(({ only, service }) => only === null && service === undefined);
  // Imported files can have records of any part.
  const stated = isWhole || harvests.some(({ mode }) => mode === "files") ? {} : { scopes };
  if (others.length === 0) {
    const lines = harvests.filter((line) => line.mode === "files" || part.includes(line));
    return { completeness: completeness(lines), ...stated };
  }
  const complete = scopes.every((scope) => scope.complete === true)
    ? true
    : scopes.some((scope) => scope.complete === false)
      ? false
      : null;
  return { completeness: { expected: null, got: records, complete }, ...stated };
}

/**
 * Groups the harvests of a service by its parts, in the order of their names. If there are several parts, those without
 * records are left out. All parts are left out if the service was also harvested completely as a whole.
 */
function groupParts(harvests: readonly HarvestLine[]): (readonly HarvestLine[])[] {
  const lines = harvests.filter(({ mode }) => mode === "http");
  const isWhole = ({ only, since, complete }: HarvestLine) => only === undefined && since === null && complete;
  const whole = new Set(lines.filter(isWhole).map(({ service }) => service));
  const parts = Map.groupBy(
    lines.filter(({ only, service }) => only === undefined || !whole.has(service)),
    ({ only, service }) => JSON.stringify([service ?? "", only ?? ""]),
  );
  return [...parts]
    .filter(([, part]) => parts.size === 1 || part.some(({ records }) => records > 0))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, part]) => part);
}

function buildScope(lines: readonly HarvestLine[]): HarvestScope {
  const { only = null, service } = lines[0] ?? {};
  const full = completeness(lines) ?? { expected: null, got: lines.at(-1)?.got ?? 0, complete: null };
  return { only, ...(service === undefined ? {} : { service }), ...full };
}

/**
 * Returns the completeness of the last full harvest; null if there is none. Harvests with `since` and imports of files are
 * not full. If the service does not announce a number of records, `expected` is null and completeness is unknown.
 */
function completeness(harvests: readonly HarvestLine[]): SourceReceipt["completeness"] {
  const fullIndex = harvests.findLastIndex(({ mode, since }) => mode === "http" && since === null);
  const last = harvests[fullIndex];
  if (last === undefined) return null;
  if (last.expected === null) return { expected: null, got: last.got, complete: null };
  // An interrupted update leaves gaps.
  const complete = harvests.slice(fullIndex).every((harvest) => harvest.complete);
  return { expected: last.expected, got: last.got, complete };
}

/** A source cannot be carried forward. */
export class CannotCarryForward extends Error {
  readonly code = "ERR_CANNOT_CARRY_FORWARD";
  constructor(source: string, why: string) {
    super(`${source} cannot be carried forward: ${why}`);
    this.name = "CannotCarryForward";
  }
}

/** Prefix of folders in work/ with the raw parts of sources that are carried forward. */
export const CARRIED = "carried-";

export interface CarriedSources {
  readonly store: Store;
  /** Replaces the entries of carried sources by those of the current release, except for the counts. */
  readonly receipts: (sources: readonly SourceReceipt[]) => SourceReceipt[];
}

/**
 * Carries sources forward: uses the payloads of the current release instead of later ones. Raw parts are numbered and
 * never change, so the payloads of that release are in the first parts of the folder, whose digest is compared with its
 * receipt. The contracts and the as-of date of this build still apply.
 *
 * @throws CannotCarryForward if the current release lacks a source, or if these parts no longer have its digest
 */
export async function carryForward(store: Store, sources: readonly string[]): Promise<CarriedSources> {
  if (sources.length === 0) return { store, receipts: (found) => [...found] };
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  const folders = new Map<string, string>();
  const before = new Map<string, SourceReceipt>();
  for (const source of sources) {
    const then = active?.sources.find((entry) => entry.source === source);
    if (active === null || then === undefined)
      throw new CannotCarryForward(source, "the active release does not have it. Build without --carry-forward for it");
    folders.set(source, await linkParts(store, source, then));
    before.set(source, { ...then, carriedFrom: then.carriedFrom ?? active.releaseDigest });
  }
  return {
    store: { ...store, raw: (source) => folders.get(source) ?? store.raw(source) },
    receipts: (found) => found.map((receipt) => withEarlierStatements(receipt, before.get(receipt.source))),
  };
}

/**
 * Returns the receipt of a source whose payloads were taken over from the active release (`--carry-forward`). Statements
 * about the harvest come from its earlier receipt `then`, and the counts from `now`, which is of this build. The counts
 * can differ, because another source may now have some of the records.
 */
export function withEarlierStatements(now: SourceReceipt, then: SourceReceipt | undefined): SourceReceipt {
  if (then === undefined) return now;
  const { rawDigest, parts, rejected, completeness, scopes, carriedFrom } = then;
  const { scopes: _later, ...rest } = now;
  return {
    ...{ ...rest, rawDigest, parts, rejected, completeness },
    ...(scopes === undefined ? {} : { scopes }),
    ...(carriedFrom === undefined ? {} : { carriedFrom }),
  };
}

/**
 * Makes a folder in work/ with links to the raw parts of the earlier release. The folder is removed when work/ is
 * cleaned.
 */
async function linkParts(store: Store, source: string, then: SourceReceipt): Promise<string> {
  const parts = (await listParts(store.raw(source))).slice(0, then.parts);
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.name} ${await digestPart(part)}\n`);
  if (`sha256:${digest.digest("hex")}` !== then.rawDigest) {
    throw new CannotCarryForward(
      source,
      `${store.raw(source)} no longer has the payloads of the active release. Restore them from a copy, or build without --carry-forward for it`,
    );
  }
  const folder = join(store.work(`${CARRIED}${then.rawDigest.slice(7, 23)}`), source);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { name, path } of parts) await symlink(resolve(path), join(folder, name));
  return folder;
}
