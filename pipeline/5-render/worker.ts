/** A rendering worker: one range of ids in, their pages and manifest lines out; or pages of an earlier release taken over. */

import { join } from "node:path";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { explanationsOf } from "../pages/explanations.ts";
import { treeSink } from "../pages/page-sink.ts";
import { type IdRange, writeRecordPages } from "../pages/record-pages.ts";
import { writeResearcherPages } from "../pages/researcher-pages.ts";
import { openTables, type TablePaths } from "../pages/tables.ts";
import { type LinkTask, linkPages } from "./link.ts";

/** `subject` record: ids of records; researcher: ids of researchers. `number` names the task's manifest. */
export interface RenderTask {
  readonly number: number;
  readonly subject: "record" | "researcher";
  readonly range: IdRange;
  readonly versions: readonly PublicVersion[];
  readonly tables: TablePaths;
  readonly folder: string;
  readonly memory: string;
}

export interface Rendered {
  readonly pages: number;
  readonly bytes: number;
}

export async function work(task: RenderTask | LinkTask): Promise<Rendered> {
  return task.subject === "untouched" ? linkPages(task) : render(task);
}

async function render(task: RenderTask): Promise<Rendered> {
  const spill = join(task.folder, `spill-${task.number}`);
  const db = await openTables(task.tables, { threads: 1, memory: task.memory, spill });
  const sink = treeSink(join(task.folder, "tree"), manifestPath(task.folder, task.number));
  try {
    if (task.subject === "record") {
      await writeRecordPages(db, sink, task.range, await explanationsOf(task.versions));
    } else {
      for (const version of task.versions) await writeResearcherPages(db, sink, task.range, version);
    }
    sink.flush();
    return { pages: sink.pages, bytes: sink.bytes };
  } finally {
    db.close();
  }
}

/** Where a task leaves the manifest lines of its pages. */
function manifestPath(folder: string, task: number): string {
  return join(folder, `pages-${String(task).padStart(4, "0")}.ndjson`);
}
