/** A normalising worker: one raw part in, one Parquet part of each capture table out. */

import { rename } from "node:fs/promises";
import { join } from "node:path";
import { CAPTURE_TABLES } from "../../schemas/tables.ts";
import { openDuckDB } from "../duckdb/open.ts";
import { readBatches } from "../raw/read.ts";
import { sourceNamed } from "../sources/index.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { serveTasks } from "../worker-pool.ts";
import { CaptureRows } from "./rows.ts";

/** One raw part to normalise; `part` numbers the tasks of a run and names the output. */
export interface NormaliseTask {
  readonly source: string;
  readonly path: string;
  readonly bytes: number;
  readonly part: number;
  readonly captures: string;
  readonly asOf: string;
}

/** A part that was sealed whole is so no more: the disk or a hand has changed it. */
class PartUnreadable extends Error {
  readonly code = "part-unreadable";
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${path}: ${reason}; restore the part from a copy, or remove it and harvest its source again`, { cause });
    this.name = "PartUnreadable";
  }
}

const vocabularies = await loadVocabularies();

async function work(task: NormaliseTask): Promise<number> {
  const source = sourceNamed(task.source);
  if (source === null) throw new Error(`${task.path}: there is no source called ${task.source}`);
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    for (const table of Object.values(CAPTURE_TABLES)) await db.create(table);
    const rows = await CaptureRows.open(db, source, task.part, { asOf: task.asOf, vocabularies });
    await readBatches(task.path, (lines) => {
      for (const line of lines) rows.add(line);
    }).catch((cause: unknown) => {
      throw new PartUnreadable(task.path, cause);
    });
    rows.close();
    for (const table of Object.values(CAPTURE_TABLES)) {
      const path = join(task.captures, table.name, `${String(task.part).padStart(6, "0")}.parquet`);
      await db.output(table, `${path}.tmp`);
      await rename(`${path}.tmp`, path);
    }
    return rows.count;
  } finally {
    db.close();
  }
}

serveTasks(work);
