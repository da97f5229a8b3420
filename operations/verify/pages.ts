/** Pages of records, researchers and repositories, rendered again from the tables and compared with those the packs have. */

import { join } from "node:path";
import { rangesOf } from "../../pipeline/packs/pack-names.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { familiesOf } from "../../pipeline/pages/families.ts";
import { layDown } from "../../pipeline/pages/listings.ts";
import { writeRepositoryPages } from "../../pipeline/pages/repository-pages.ts";
import { openTables, type TablePaths } from "../../pipeline/pages/tables.ts";
import { runPool } from "../../pipeline/stage/worker-pool.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { ComparedPages } from "./compared-pages.ts";
import type { ComparingTask } from "./pages-worker.ts";

export interface PagesParts {
  readonly folder: string;
  readonly receipt: Receipt;
  /** The packs of the release, as its manifest lists them. */
  readonly packs: readonly ManifestLine[];
  /** The tables as they follow from the evidence. */
  readonly tables: TablePaths;
  /** Folder for what does not fit in memory. */
  readonly scratch: string;
  readonly threads: number;
  readonly memory: string;
}

/** What differs. As stage 5 renders them: range by range, on as many workers. */
export async function differingPages(parts: PagesParts): Promise<readonly string[]> {
  const versions = parts.receipt.rubrics.map(({ version }) => version);
  const pages = PageStore.over(parts.folder, parts.packs);
  try {
    const listings = join(parts.scratch, "listings");
    const { tables, threads, memory, scratch } = parts;
    await layDown(tables, listings, versions, { threads, memory, spill: join(scratch, "spill-listings") });
    const tasks = (["record", "researcher"] as const).flatMap((subject) =>
      tasksOf(subject, pages, versions, listings, parts),
    );
    const worker = new URL("./pages-worker.ts", import.meta.url);
    const wrong = await runPool<ComparingTask, readonly string[]>(worker, tasks, parts.threads, () => undefined);
    return [...wrong.flat(), ...(await ofRepositories(pages, versions, parts))];
  } finally {
    pages.close();
  }
}

/** A task a pack of those families that have most. */
function tasksOf(
  subject: ComparingTask["subject"],
  pages: PageStore,
  versions: readonly PublicVersion[],
  listings: string,
  { folder, packs, tables, scratch, memory }: PagesParts,
): ComparingTask[] {
  const split = pages.splitOf(familiesOf(subject, versions));
  return rangesOf(split).map((range, number) => {
    const spill = join(scratch, `spill-${subject}-${number}`);
    return { subject, range, versions, listings, folder, packs, tables, memory, spill };
  });
}

async function ofRepositories(
  pages: PageStore,
  versions: readonly PublicVersion[],
  { tables, memory, scratch }: PagesParts,
): Promise<readonly string[]> {
  const db = await openTables(tables, { threads: 1, memory, spill: join(scratch, "spill-repositories") });
  try {
    const compared = new ComparedPages(pages, familiesOf("repository", versions));
    await writeRepositoryPages(db, compared, versions);
    return compared.finish();
  } finally {
    db.close();
  }
}
