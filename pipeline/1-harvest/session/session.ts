/** One harvest's hold on raw/<source>: the lock, the part being written, the refusals that belong to it, and the checkpoint. */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Envelope } from "../../../schemas/internal/envelope.ts";
import type { Refusal } from "../../../schemas/public/refusal.ts";
import { lockFolder } from "../../store/folder-lock.ts";
import { PartWriter } from "../../store/raw/part-writer.ts";
import { nextPartNumber } from "../../store/raw/parts.ts";
import { appendRefused, truncateRefused } from "../../store/raw/refused.ts";
import { PART_SIZE, WAITING_REFUSALS } from "../documents/limits.ts";
import { NO_PROGRESS, type Progress, readProgress, writeCheckpoint } from "./checkpoint.ts";
import { Refusals } from "./refusals.ts";

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
