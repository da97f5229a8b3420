/** The raw parts of some sources as tasks of normalising workers: each part has a number of its own among all of them. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { SOURCES } from "../sources/index.ts";
import { listParts } from "../store/raw/parts.ts";
import type { Store } from "../store/store.ts";
import type { PartCache } from "./kept-parts.ts";
import type { NormaliseTask } from "./worker.ts";

export const NORMALISE_WORKER = new URL("./worker.ts", import.meta.url);

export interface PartTaskOptions {
  readonly sources: readonly string[];
  /** The day payloads are judged by (ISO date). */
  readonly asOf: string;
  /** Where rows are kept between builds, or null: everything is normalised. */
  readonly cache: PartCache | null;
}

/** One task a raw part, in order of source and part. Makes the folders of `captures`, one a table. */
export async function partTasks(store: Store, captures: string, options: PartTaskOptions): Promise<NormaliseTask[]> {
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(captures, table), { recursive: true });
  const tasks: NormaliseTask[] = [];
  const { asOf, cache } = options;
  for (const source of options.sources) {
    const first = FIRST_PART * SOURCES.findIndex(({ name }) => name === source);
    for (const { path, bytes, number } of await listParts(store.raw(source))) {
      if (number >= FIRST_PART) throw new Error(`${path}: parts are numbered below ${FIRST_PART}`);
      tasks.push({ source, path, bytes, part: first + number, captures, asOf, cache });
    }
  }
  return tasks;
}

/**
 * Which of `count` shares a part is in, by its number alone: it stays there whatever other parts come. Sources begin in
 * different shares, so that those of one part each are not all in the first.
 */
export function shareOf({ part }: Pick<NormaliseTask, "part">, count: number): number {
  return (part + Math.floor(part / FIRST_PART)) % count;
}

/** Each source has numbers of its own, so that a part keeps its number whatever other sources are built with it. */
const FIRST_PART = 100_000_000;
