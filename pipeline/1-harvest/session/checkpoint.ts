/** raw/<source>/checkpoint.json: how far harvests of a source have come, in step with the finished parts. */

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { instant } from "../../../schemas/public/scalars.ts";
import { replaceFile } from "../../files/durable.ts";
import type { StateValue } from "../../sources/adapter/source.ts";
import { CheckpointUnreadable } from "./errors.ts";
import { tally } from "./summary.ts";

/** One input of an interrupted import: which file it was, and how much of it lies in finished parts. */
const inputProgress = z.strictObject({
  size: z.number(),
  mtime: z.number(),
  line: z.int(),
  offset: z.int(),
  done: z.boolean(),
});
export type InputProgress = z.infer<typeof inputProgress>;

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
export type Checkpoint = z.infer<typeof checkpoint>;

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
