/** A comparing worker: the pages of one range as they should be, against those that a release has. */

import { PageStore } from "../../pipeline/packs/page-store.ts";
import { familiesOf } from "../../pipeline/pages/record-pages.ts";
import { openTables, type TablePaths } from "../../pipeline/pages/tables.ts";
import { type RangeOfPages, writePages } from "../../pipeline/pages/write-pages.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { ComparedPages } from "./compared-pages.ts";

export interface ComparingTask extends RangeOfPages {
  /** Of the release. */
  readonly folder: string;
  readonly packs: readonly ManifestLine[];
  readonly tables: TablePaths;
  readonly memory: string;
  readonly spill: string;
}

/** Answers what differs. */
export async function work(task: ComparingTask): Promise<readonly string[]> {
  const { subject, range, versions, folder, packs, tables, memory, spill } = task;
  const pages = PageStore.over(folder, packs);
  try {
    const db = await openTables(tables, { threads: 1, memory, spill, asMade: true });
    try {
      const compared = new ComparedPages(pages, familiesOf(subject, versions), range);
      await writePages(db, compared, task);
      return compared.finish();
    } finally {
      db.close();
    }
  } finally {
    pages.close();
  }
}
