/** One harvest's hold on raw/<source>: the lock, the part being written, the refusals that belong to it, and the checkpoint. */

import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Envelope } from "../../schemas/internal/rows.ts";
import { REFUSALS, type Refusal, type RefusalReason } from "../../schemas/public/problem.ts";
import { instant } from "../../schemas/public/scalars.ts";
import { replaceFile } from "../files/durable.ts";
import { lineText } from "../reading/text.ts";
import type { StateValue } from "../sources/adapter/source.ts";
import { appendRefused, noRefusals, truncateRefused } from "../store/harvest-log.ts";
import { lockFolder } from "../store/locks.ts";
import { nextPartNumber, PartWriter } from "../store/raw-parts.ts";
import { LISTED_REFUSALS, PART_SIZE, WAITING_REFUSALS } from "./opening.ts";

export class RawSession {
  readonly folder: string;
  /** What the finished parts hold. */
  progress: Progress;
  private readonly unlock: () => Promise<void>;
  private next: number;
  private part: PartWriter | null = null;
  private readonly refusals = new Refusals();

  private constructor(folder: string, unlock: () => Promise<void>, progress: Progress, next: number) {
    this.folder = folder;
    this.unlock = unlock;
    this.progress = progress;
    this.next = next;
  }

  /** Takes the lock and brings the folder back to its last checkpoint. */
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

  /** Adds a record to the part; a promise only where the disk is behind. */
  keep(record: Envelope): Promise<void> | null {
    if (this.part === null) {
      this.part = new PartWriter(this.folder, this.next);
      this.next += 1;
    }
    return this.part.write(JSON.stringify(record));
  }

  /** Notes a refusal; `input` is the file, or the page, that it counts for. */
  refuse(refusal: Refusal, input = refusal.file): void {
    this.refusals.add(refusal, input);
  }

  /** True where the part is large enough, or so many refusals wait that they must be written. */
  get due(): boolean {
    return (this.part !== null && this.part.size >= PART_SIZE) || this.refusals.waiting >= WAITING_REFUSALS;
  }

  /**
   * Finishes the part and makes `progress` the truth, at one instant: the checkpoint names the part and what will be
   * true with it, and giving the part its name decides. A kill before that undoes all of it, a kill after none.
   */
  async commit(progress: Omit<Progress, "refusedBytes">): Promise<void> {
    const part = this.part;
    if (part !== null) await part.seal();
    const refusedBytes = await this.flushRefusals();
    const next = { ...progress, refusedBytes };
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

  /** Replaces the progress where there is no part to go with it. */
  async settle(progress: Progress): Promise<void> {
    await writeCheckpoint(this.folder, { version: 1, progress, pending: null });
    this.progress = progress;
  }

  /** Gives the folder back; an unfinished part is dropped. */
  async close(): Promise<void> {
    await this.part?.abandon();
    await this.unlock();
  }

  private async flushRefusals(): Promise<number> {
    const refusals = this.refusals.take();
    return refusals.length === 0 ? this.progress.refusedBytes : appendRefused(this.folder, refusals);
  }
}

/** The progress the finished parts stand for; takes back refusals that were written ahead of it. */
async function recover(folder: string): Promise<Progress> {
  // Without a checkpoint the folder is new or came from elsewhere: nothing in it is to be taken back, all that follows is.
  const progress = (await readProgress(folder)) ?? { ...NO_PROGRESS, refusedBytes: await appendRefused(folder, []) };
  await truncateRefused(folder, progress.refusedBytes);
  await writeCheckpoint(folder, { version: 1, progress, pending: null });
  return progress;
}

async function removeTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
  }
}

/** As much of a name as is kept: beyond what file systems have, and no more than a line should. */
const NAME = 5000;
const DETAIL = 300;

/** Refusals on their way to the disk: the first thousand of an input one by one, the others as a number for each reason. */
class Refusals {
  private lines: Refusal[] = [];
  /** The input that is read now, and how many of its refusals have a line. */
  private input = "";
  private listed = 0;
  private readonly others = new Map<RefusalReason, Refusal & { count: number }>();

  /** How many lines wait. */
  get waiting(): number {
    return this.lines.length;
  }

  add(refusal: Refusal, input: string): void {
    if (input !== this.input) {
      this.count();
      this.input = input;
      this.listed = 0;
    }
    const { reason } = refusal;
    if (this.listed < LISTED_REFUSALS) {
      this.listed += 1;
      this.lines.push({ ...refusal, file: lineText(refusal.file, NAME), detail: lineText(refusal.detail, DETAIL) });
      return;
    }
    const known = this.others.get(reason);
    if (known !== undefined) known.count += 1;
    else {
      const { source } = refusal;
      this.others.set(reason, { source, file: lineText(input, NAME), line: null, reason, detail: "", count: 1 });
    }
  }

  /** All that is to be written by now. What follows of the same input is counted on. */
  take(): Refusal[] {
    this.count();
    const lines = this.lines;
    this.lines = [];
    return lines;
  }

  private count(): void {
    for (const line of this.others.values()) {
      this.lines.push({ ...line, detail: `${line.count} more, told as a number` });
    }
    this.others.clear();
  }
}

/**
 * The outcome of a record that was asked for. `unanswered`: the service itself failed, and the record is still wanted.
 */
export type WantedOutcome = "kept" | "gone" | "refused" | "unanswered";

export type WantedCounts = Readonly<Record<WantedOutcome, number>>;

export interface HarvestSummary {
  readonly source: string;
  /** Input files read, 0 for HTTP. */
  readonly files: number;
  /** HTTP requests answered, retries included, 0 for files. */
  readonly requests: number;
  /** Records written, those before an interruption included. */
  readonly records: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Size of the payloads of the records, in UTF-8. */
  readonly bytes: number;
  /** True where an interrupted run was taken up again. */
  readonly resumed: boolean;
  /** Everything asked for is there: all inputs read, or as many records as the service says it has. */
  readonly complete: boolean;
  /** How many records the service said the walk has; null for files, or where it does not say. */
  readonly expected: number | null;
  /** True where the run came to the bounds it was given; the same command goes on from there. */
  readonly paused?: true;
  /** What became of the records that were wanted besides, where there were any; they are not among the others. */
  readonly wanted?: WantedCounts;
  /** What is missing, where something is. */
  readonly missing?: string;
}

/** The running counts of one harvest. */
export const tally = z.strictObject({
  files: z.int(),
  requests: z.int(),
  records: z.int(),
  bytes: z.int(),
  refused: z.record(z.enum(REFUSALS), z.int()),
});
type Tally = z.infer<typeof tally>;

/** Counts at nothing. */
export function newTally(): Tally {
  return { files: 0, requests: 0, records: 0, bytes: 0, refused: noRefusals() };
}

/** How many pieces of input were refused for any reason, of a harvest or of all that a release is made of. */
export function refusedOf({ refused }: { readonly refused: Readonly<Record<string, number>> }): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

/** One input of an interrupted import: which file it was, and how much of it lies in finished parts. */
const inputProgress = z.strictObject({
  size: z.number(),
  mtime: z.number(),
  line: z.int(),
  offset: z.int(),
  done: z.boolean(),
});

/** An interrupted import of files. */
const filesRun = z.strictObject({ inputs: z.record(z.string(), inputProgress), counts: tally });
export type FilesRun = z.infer<typeof filesRun>;

const stateValue: z.ZodType<StateValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(stateValue), z.record(z.string(), stateValue)]),
);

/** An interrupted walk: its options, the state of the next request, and what was counted so far. */
const httpRun = z.strictObject({
  base: z.string(),
  /** As asked for: a day, "last" or null. */
  asked: z.string().nullable(),
  since: z.string().nullable(),
  limit: z.int().nullable(),
  started: instant,
  state: z.record(z.string(), stateValue),
  expected: z.int().nullable(),
  /** Distinct records seen, refused ones included. */
  got: z.int(),
  /** The ids of the last page, to drop what the next one repeats. */
  previous: z.array(z.string()),
  /** The page to come may be the last one again. */
  overlaps: z.boolean().default(false),
  /** Of the page that is not done: the ids of the records that are. */
  done: z.array(z.string()).default([]),
  /** How the walk ended, once it has: what is left is to say so. */
  ended: z.strictObject({ reason: z.string().nullable() }).nullable().default(null),
  counts: tally,
});
export type HttpRun = z.infer<typeof httpRun>;

const completed = z.strictObject({ started: instant });

/** Before several services could feed one source there was only one: which one it was is not known any more. */
const onlyOne = z.union([z.null(), completed]).transform((): Record<string, z.infer<typeof completed>> => ({}));

const progress = z.strictObject({
  /** Length of refused.ndjson that belongs to the finished parts. */
  refusedBytes: z.int(),
  /** Interrupted imports by the digest of their options. */
  files: z.record(z.string(), filesRun),
  http: httpRun.nullable(),
  /** When the last complete walk of each service began, by its address: `--since last` goes from there. */
  last: z.union([z.record(z.string(), completed), onlyOne]),
});
export type Progress = z.infer<typeof progress>;

const checkpoint = z.strictObject({
  version: z.literal(1),
  progress,
  /** What is true as soon as the named part exists: written before the part gets its name. */
  pending: z.strictObject({ part: z.string(), bytes: z.int(), progress }).nullable(),
});
type Checkpoint = z.infer<typeof checkpoint>;

/** Progress of a source never harvested. */
export const NO_PROGRESS: Progress = { refusedBytes: 0, files: {}, http: null, last: {} };

/** The checkpoint of a raw folder as it is written; null where there is none. What is true by it, `readProgress` says. */
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
    const advice = "Move it away to start harvests of this source afresh; the finished parts stay.";
    throw new CheckpointUnreadable(`${path} is not a checkpoint of this version. ${advice}`, { cause: error });
  }
}

/** The progress the finished parts of a raw folder stand for, a pending one included; null where there is no checkpoint. */
export async function readProgress(folder: string): Promise<Progress | null> {
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

/** An option no harvest can run with. */
export class BadHarvestOption extends Error {
  readonly code = "bad-harvest-option";
}

/** A path that was named and is not there. */
export class InputMissing extends Error {
  readonly code = "input-missing";
}

/** The service said no (a 4xx, or an error where records were due): asking again would not help. */
export class UpstreamRefused extends Error {
  readonly code = "upstream-refused";
  readonly status: number;

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The service could not be had after every try; what came so far is kept and the same command goes on from there. */
export class UpstreamUnavailable extends Error {
  readonly code = "upstream-unavailable";
}

/** An answer larger than any page may be. */
export class BodyTooLarge extends Error {
  readonly code = "body-too-large";
}

/** An address, or a redirect to one, that is not a host of the source. */
export class ForbiddenHost extends Error {
  readonly code = "forbidden-host";
}

/** checkpoint.json is there and cannot be read. */
export class CheckpointUnreadable extends Error {
  readonly code = "checkpoint-unreadable";
}

/** As many requests or minutes as the run was given are spent; the same command goes on from there. */
export class BudgetSpent extends Error {
  readonly code = "budget-spent";
}

/** True for what the service is to blame for, not this machine. */
export function isUpstream(error: unknown): boolean {
  const kinds = [UpstreamRefused, UpstreamUnavailable, BodyTooLarge, ForbiddenHost];
  return kinds.some((kind) => error instanceof kind);
}
