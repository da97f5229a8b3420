/** A comparing worker: the pages of one range as they should be, against those that a release has. */

import type { PlaceRange } from "../../pipeline/packs/pack-names.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { familiesOf } from "../../pipeline/pages/families.ts";
import { openTables, type TablePaths } from "../../pipeline/pages/tables.ts";
import { writePages } from "../../pipeline/pages/write-pages.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { ComparedPages } from "./compared-pages.ts";

export interface ComparingTask {
  readonly subject: "record" | "researcher";
  readonly range: PlaceRange;
  readonly versions: readonly PublicVersion[];
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
    const db = await openTables(tables, { threads: 1, memory, spill });
    try {
      const compared = new ComparedPages(pages, familiesOf(subject, versions), range);
      await writePages(db, compared, subject, range, versions);
      return compared.finish();
    } finally {
      db.close();
    }
  } finally {
    pages.close();
  }
}
