/** Normalises raw parts in a worker process of stage 2. Writes one Parquet file for each part and capture table. */

import { join } from "node:path";
import { partName } from "../engine/open.ts";
import type { NormaliseOptions } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { readBatches } from "../store/raw-parts.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { CaptureFiles } from "./capture-files.ts";
import { CachedPart, type PartCache } from "./part-cache.ts";
import { CaptureRows } from "./rows.ts";

/** The task to normalise one raw part. `part` is its number among the parts of all sources, and names its output files. */
export interface NormaliseTask {
  readonly source: string;
  readonly path: string;
  readonly bytes: number;
  readonly part: number;
  readonly captures: string;
  readonly asOf: string;
  /** The cache of earlier builds; null to normalise everything again. */
  readonly cache: PartCache | null;
}

export interface NormalisedPart {
  readonly kept: boolean;
}

/** The error for a raw part that is damaged or was changed after it was finished. */
class PartUnreadable extends Error {
  readonly code = "part-unreadable";
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${path}: ${reason}; restore the part from a copy, or remove it and harvest its source again`, { cause });
    this.name = "PartUnreadable";
  }
}

const vocabularies = loadVocabularies();

export async function normaliseTask(task: NormaliseTask): Promise<NormalisedPart> {
  const getTablePath = (table: string) => join(task.captures, table, partName(task.part));
  const cachedPart = task.cache === null ? null : await CachedPart.of(task.cache, { ...task, getTablePath });
  if (await cachedPart?.restore()) return { kept: true };
  const dependsOnDate = await normalisePart(task, getTablePath);
  await cachedPart?.store(dependsOnDate);
  return { kept: false };
}

/** Normalises a part. Returns true if a row depends on the as-of date. */
async function normalisePart(task: NormaliseTask, getTablePath: (table: string) => string): Promise<boolean> {
  const source = sourceNamed(task.source);
  if (source === null)
    throw new Error(
      `${task.path}: there is no source called ${task.source} in this version of the program; use a later version`,
    );
  let dependsOnDate = false;
  const context: NormaliseOptions = {
    // The cache needs to know whether the rows depend on the as-of date. Rows that do not are valid on every day.
    get asOf() {
      dependsOnDate = true;
      return task.asOf;
    },
    vocabularies,
  };
  const files = await CaptureFiles.create(getTablePath);
  try {
    const rows = new CaptureRows(files.sinks, source, task.part, context);
    await readBatches(task.path, (lines) => {
      for (const line of lines) rows.add(line);
      return files.drain();
    }).catch((cause: unknown) => {
      throw new PartUnreadable(task.path, cause);
    });
    await files.close();
    return dependsOnDate;
  } catch (error) {
    await files.abandon();
    throw error;
  }
}

// Workers import this name (stage/worker-pool.ts).
export { normaliseTask as work };
