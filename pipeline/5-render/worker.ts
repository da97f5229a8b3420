/** Renders the pages of one range of keys into packs, in a worker process of stage 5. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type EarlierPacks, type FinishedPack, PackSink } from "../packs/pack-sink.ts";
import { openTables, type TablePaths } from "../pages/columns.ts";
import { listFamilies, type RangeOfPages, writePages } from "../pages/keyed-pages.ts";
import { removedKeysIn } from "./changed-pages.ts";

export interface RenderTask extends RangeOfPages {
  readonly number: number;
  /** Tables with the rows to render. They may contain rows of other ranges too. */
  readonly tables: TablePaths;
  /** Folder of the stage. The packs are written below its folder `tree`. */
  readonly folder: string;
  readonly memory: string;
  /** An earlier release whose pages are reused, and a file with the keys of removed pages; null to render all pages. */
  readonly earlier: (Omit<EarlierPacks, "gone"> & { readonly gone: string }) | null;
}

export async function renderTask(task: RenderTask): Promise<readonly FinishedPack[]> {
  const { subject, range, versions, folder, memory, earlier } = task;
  const spill = join(folder, `spill-${task.number}-${randomUUID()}`);
  const db = await openTables(task.tables, { threads: 1, memory, spill });
  try {
    const families = listFamilies(subject, versions);
    const gone = earlier === null ? {} : await removedKeysIn(db, earlier.gone, subject, families, range);
    const sink = await PackSink.open(join(folder, "tree"), range, families, earlier && { ...earlier, gone });
    try {
      await writePages(db, sink, task);
      return sink.finish();
    } catch (error) {
      sink.abandon();
      throw error;
    }
  } finally {
    db.close();
  }
}

// Workers import this name (stage/worker-pool.ts).
export { renderTask as work };
