/**
 * Manages the raw folder of a source during one harvest: the lock, the unfinished part, rejected items, and the checkpoint.
 */

import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Envelope } from "../../schemas/internal/rows.ts";
import { type ParameterRejection, REJECTIONS, type RejectionReason, rejection } from "../../schemas/public/problem.ts";
import { instant } from "../../schemas/public/scalars.ts";
import { replaceFile } from "../files/durable.ts";
import { lineText } from "../reading/text.ts";
import type { StateValue } from "../sources/adapter/source.ts";
import { appendRejected, noRejections, truncateRejected } from "../store/harvest-log.ts";
import { lockFolder } from "../store/locks.ts";
import { nextPartNumber, PartWriter } from "../store/raw-parts.ts";
import { LISTED_REJECTIONS, PART_SIZE, WAITING_REJECTIONS } from "./limits.ts";

export class RawSession {
  readonly folder: string;
  /** The progress up to the last finished part. */
  progress: HarvestProgress;
  private readonly unlock: () => Promise<void>;
  private next: number;
  private part: PartWriter | null = null;
  private readonly rejections = new Rejections();

  private constructor(folder: string, unlock: () => Promise<void>, progress: HarvestProgress, next: number) {
    this.folder = folder;
    this.unlock = unlock;
    this.progress = progress;
    this.next = next;
  }

  /** Locks the folder, and restores it to the state of its last checkpoint. */
  static async open(folder: string): Promise<RawSession> {
    const unlock = await lockFolder(folder);
    try {
      await removeTemporaries(folder);
      const progress = await recover(folder);
      return new RawSession(folder, unlock, progress, await nextPartNumber(folder));
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /**
   * Adds a record to the unfinished part. Returns a promise to wait for if the disk is slower than the harvest, otherwise
   * null.
   */
  keep(record: Envelope): Promise<void> | null {
    if (this.part === null) {
      this.part = new PartWriter(this.folder, this.next);
      this.next += 1;
    }
    return this.part.write(JSON.stringify(record));
  }

  reject(rejection: ParameterRejection, input = rejection.file): void {
    this.rejections.add(rejection, input);
  }

  /** True if a checkpoint is due: the part is large enough, or too many rejections are in memory. */
  get due(): boolean {
    return (this.part !== null && this.part.size >= PART_SIZE) || this.rejections.waiting >= WAITING_REJECTIONS;
  }

  /**
   * Finishes the part and makes `progress` current in one step. First writes a checkpoint that names the part, then renames
   * the part. The new progress counts as soon as the part has its final name; if the process is killed earlier, the next run
   * continues from the old progress.
   */
  async commit(progress: Omit<HarvestProgress, "rejectedBytes">): Promise<void> {
    const part = this.part;
    if (part !== null) await part.seal();
    const rejectedBytes = await this.flushRejections();
    const next = { ...progress, rejectedBytes };
    if (part === null) {
      await writeCheckpoint(this.folder, { version: 1, progress: next, pending: null });
    } else {
      const pending = { part: part.name, bytes: await part.sealedBytes(), progress: next };
      await writeCheckpoint(this.folder, { version: 1, progress: this.progress, pending });
      await part.publish();
    }
    this.part = null;
    this.progress = next;
  }

  /** Writes a checkpoint with this progress. Call this only if no part is unfinished. */
  async settle(progress: HarvestProgress): Promise<void> {
    await writeCheckpoint(this.folder, { version: 1, progress, pending: null });
    this.progress = progress;
  }

  async close(): Promise<void> {
    await this.part?.abandon();
    await this.unlock();
  }

  private async flushRejections(): Promise<number> {
    const rejections = this.rejections.take();
    return rejections.length === 0 ? this.progress.rejectedBytes : appendRejected(this.folder, rejections);
  }
}

/**
 * Restores a folder to its last checkpoint, and returns the progress. Removes rejected items that were written later.
 */
async function recover(folder: string): Promise<HarvestProgress> {
  // Without a checkpoint, the folder is new or a copy. Everything in it is retained.
  const progress = (await readProgress(folder)) ?? { ...NO_PROGRESS, rejectedBytes: await appendRejected(folder, []) };
  await truncateRejected(folder, progress.rejectedBytes);
  await writeCheckpoint(folder, { version: 1, progress, pending: null });
  return progress;
}

async function removeTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
  }
}

/** Longest stored name of a file or URL, in characters. Paths in file systems are shorter. */
const NAME = 5000;
const DETAIL = 300;

/**
 * Collects rejected items in memory. Each of the first thousand items of an input has its own line; further items are
 * only counted by reason.
 */
class Rejections {
  private lines: ParameterRejection[] = [];
  private input = "";
  private listed = 0;
  private readonly others = new Map<RejectionReason, ParameterRejection & { count: number }>();

  get waiting(): number {
    return this.lines.length;
  }

  add(rejection: ParameterRejection, input: string): void {
    if (input !== this.input) {
      this.count();
      this.input = input;
      this.listed = 0;
    }
    const { reason } = rejection;
    if (this.listed < LISTED_REJECTIONS) {
      this.listed += 1;
      this.lines.push(shortRejection(rejection));
      return;
    }
    const known = this.others.get(reason);
    if (known !== undefined) known.count += 1;
    else {
      const { source } = rejection;
      this.others.set(reason, { source, file: lineText(input, NAME), line: null, reason, detail: "", count: 1 });
    }
  }

  /**
   * Returns the lines to write, and removes them from memory. If more items of the same input follow, a later line
   * counts them.
   */
  take(): ParameterRejection[] {
    this.count();
    const lines = this.lines;
    this.lines = [];
    return lines;
  }

  private count(): void {
    for (const line of this.others.values()) {
      this.lines.push({ ...line, detail: `${line.count} more items of this input with the same reason, not listed` });
    }
    this.others.clear();
  }
}

/** The outcome of a requested record. `unanswered` means that the service failed, and the record is requested again later. */
export type WantedOutcome = "kept" | "gone" | "rejected" | "unanswered";

export type WantedCounts = Readonly<Record<WantedOutcome, number>>;

export interface HarvestSummary {
  readonly source: string;
  /** The part of the source that was harvested (`--only`); null if all of the source or files were harvested. */
  readonly only: string | null;
  readonly files: number;
  /** HTTP requests sent, including retries; 0 for files. */
  readonly requests: number;
  /** Number of records written, including those before an interruption. */
  readonly records: number;
  readonly rejected: Readonly<Record<RejectionReason, number>>;
  /**
   * The first rejected item; null if there is none. `rejected.ndjson` in the folder of the source lists further ones.
   */
  readonly firstRejected: ParameterRejection | null;
  readonly bytes: number;
  /** True if the run continued an interrupted one. */
  readonly resumed: boolean;
  /** True if all inputs were read, or if as many records arrived as the service announced. */
  readonly complete: boolean;
  /** Number of records that the service announced; null for files, or if unknown. */
  readonly expected: number | null;
  /** True if the run stopped at its limits. The same command resumes it. */
  readonly paused?: true;
  readonly wanted?: WantedCounts;
  readonly missing?: string;
}

export const tally = z.strictObject({
  files: z.int(),
  requests: z.int(),
  records: z.int(),
  bytes: z.int(),
  rejected: z.record(z.enum(REJECTIONS), z.int()),
  /** The first rejected item. Checkpoints of earlier versions lack it. */
  first: rejection.nullable().default(null),
});
type Tally = z.infer<typeof tally>;

export function newTally(): Tally {
  return { files: 0, requests: 0, records: 0, bytes: 0, rejected: noRejections(), first: null };
}

export function countRejection(counts: Tally, rejected: ParameterRejection): void {
  counts.rejected[rejected.reason] += 1;
  counts.first ??= shortRejection(rejected);
}

/** Returns a rejection with its file name and its detail shortened to one line each. */
function shortRejection(rejected: ParameterRejection): ParameterRejection {
  return { ...rejected, file: lineText(rejected.file, NAME), detail: lineText(rejected.detail, DETAIL) };
}

export function countRejected({ rejected }: { readonly rejected: Readonly<Record<string, number>> }): number {
  return Object.values(rejected).reduce((sum, count) => sum + count, 0);
}

/**
 * Progress in one file of an interrupted import: the size and modification time of the file, and the position before
 * which all of its records are in finished parts.
 */
const inputProgress = z.strictObject({
  size: z.number(),
  mtime: z.number(),
  line: z.int(),
  offset: z.int(),
  done: z.boolean(),
});

const filesRun = z.strictObject({ inputs: z.record(z.string(), inputProgress), counts: tally });
export type FilesRun = z.infer<typeof filesRun>;

const stateValue: z.ZodType<StateValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(stateValue), z.record(z.string(), stateValue)]),
);

/** An interrupted harvest from a service: its options, the state for the next request, and the counts so far. */
const httpRun = z.strictObject({
  base: z.string(),
  /** The part of the service to harvest (`--only`); null for everything. */
  only: z.string().nullable().default(null),
  /** The option `--since` as the user wrote it: a day, "last" or null. */
  asked: z.string().nullable(),
  since: z.string().nullable(),
  limit: z.int().nullable(),
  started: instant,
  state: z.record(z.string(), stateValue),
  expected: z.int().nullable(),
  /** Number of distinct records so far, including rejected ones. */
  got: z.int(),
  /** Ids of the records on the last page. If the next page repeats an id, the record is skipped. */
  previous: z.array(z.string()),
  /** True if the next page may repeat records of the last one. */
  overlaps: z.boolean().default(false),
  /** Ids of the records that are already stored from a page that is not finished. */
  done: z.array(z.string()).default([]),
  /** Set when the walk ended and only its log entry is missing. */
  ended: z.strictObject({ reason: z.string().nullable() }).nullable().default(null),
  counts: tally,
});
export type HttpRun = z.infer<typeof httpRun>;

const completed = z.strictObject({ started: instant });

/**
 * Returns the key under which a walk is stored: the URL of the service and, after a space, the harvested part if there
 * is one. For example: `https://api.datacite.org client=tib.tib`.
 */
export function walkKey(base: string, only: string | null): string {
  return only === null ? base : `${base} ${only}`;
}

/**
 * Returns the parts of the service at `base` that have a walk in `http` or `last`; null stands for the whole service.
 */
export function partsWalked({ http, last }: Pick<HarvestProgress, "http" | "last">, base: string): (string | null)[] {
  const keys = new Set([...Object.keys(last), ...Object.keys(http)]);
  return [...keys].flatMap((key) =>
    key === base ? [null] : key.startsWith(`${base} `) ? [key.slice(base.length + 1)] : [],
  );
}

/** Reads checkpoints of earlier versions, which had at most one interrupted walk for each source. */
const onlyRun = z
  .union([z.null(), httpRun])
  .transform((run): Record<string, HttpRun> => (run === null ? {} : { [walkKey(run.base, run.only)]: run }));

/**
 * Reads checkpoints of earlier versions. Their last walk is not used, because they did not store the URL of its
 * service.
 */
const onlyOne = z.union([z.null(), completed]).transform((): Record<string, z.infer<typeof completed>> => ({}));

const progress = z.strictObject({
  /**
   * Length of rejected.ndjson in bytes at the time of this progress. If the file is longer, it is shortened to this
   * length.
   */
  rejectedBytes: z.int(),
  /** Interrupted imports of files. The key is a digest of their options. */
  files: z.record(z.string(), filesRun),
  /** Interrupted walks. The key is that of {@link walkKey}. */
  http: z.union([z.record(z.string(), httpRun), onlyRun]),
  /** Start of the last complete walk, for `--since last`. The key is that of {@link walkKey}. */
  last: z.union([z.record(z.string(), completed), onlyOne]),
});
export type HarvestProgress = z.infer<typeof progress>;

const checkpoint = z.strictObject({
  version: z.literal(1),
  progress,
  /** A part that was being finished, and the progress that becomes current as soon as this part exists. */
  pending: z.strictObject({ part: z.string(), bytes: z.int(), progress }).nullable(),
});
type Checkpoint = z.infer<typeof checkpoint>;

export const NO_PROGRESS: HarvestProgress = { rejectedBytes: 0, files: {}, http: {}, last: {} };

/**
 * Reads the checkpoint as it was written; null if there is none. It may name a part that does not exist
 * ({@link readProgress}).
 */
export async function readCheckpoint(folder: string): Promise<Checkpoint | null> {
  const path = join(folder, "checkpoint.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    return checkpoint.parse(JSON.parse(text));
  } catch (error) {
    const advice = "Move it away to start the harvests of this source again; the finished parts stay.";
    throw new CheckpointUnreadable(`${path} is not a checkpoint of this version. ${advice}`, { cause: error });
  }
}

/**
 * Reads the progress of a folder; null if it has no checkpoint. If the checkpoint names a part that was being finished,
 * its progress counts only if that part exists with the right size.
 */
export async function readProgress(folder: string): Promise<HarvestProgress | null> {
  const found = await readCheckpoint(folder);
  if (found === null) return null;
  const { pending, progress } = found;
  if (pending === null) return progress;
  const part = await stat(join(folder, pending.part)).catch(() => null);
  return part !== null && part.size === pending.bytes ? pending.progress : progress;
}

export async function writeCheckpoint(folder: string, written: Checkpoint): Promise<void> {
  await replaceFile(join(folder, "checkpoint.json"), `${JSON.stringify(written)}\n`);
}

export class BadHarvestOption extends Error {
  readonly code = "bad-harvest-option";
}

export class InputMissing extends Error {
  readonly code = "input-missing";
}

/** The service rejected a request (4xx, or an error message instead of records). A retry would fail too. */
export class UpstreamRejected extends Error {
  readonly code = "upstream-rejected";
  readonly status: number;

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The service failed in every attempt. The records so far are stored, and the same command continues after them. */
export class UpstreamUnavailable extends Error {
  readonly code = "upstream-unavailable";
}

export class BodyTooLarge extends Error {
  readonly code = "body-too-large";
}

/** The host of a URL, or of a redirect, is not one of the hosts of the source. */
export class ForbiddenHost extends Error {
  readonly code = "forbidden-host";
}

export class CheckpointUnreadable extends Error {
  readonly code = "checkpoint-unreadable";
}

/** The run reached its limit of requests or minutes. The same command resumes it. */
export class BudgetSpent extends Error {
  readonly code = "budget-spent";
}

/** True if the service failed or rejected a request; false if this machine failed. */
export function isUpstream(error: unknown): boolean {
  const kinds = [UpstreamRejected, UpstreamUnavailable, BodyTooLarge, ForbiddenHost];
  return kinds.some((kind) => error instanceof kind);
}
