/** Renders pages of records, researchers and repositories again from the tables, and compares them with the packs. */

import { join } from "node:path";
import { inputDigests } from "../../pipeline/6-release/digest.ts";
import { toolVersion } from "../../pipeline/6-release/index.ts";
import { joinedRanges, rangesOf, readPackPath } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { openTables, type TablePaths } from "../../pipeline/pages/columns.ts";
import { familiesOf } from "../../pipeline/pages/keyed-pages.ts";
import { writeListings } from "../../pipeline/pages/listings.ts";
import { writeRepositoryPages } from "../../pipeline/pages/release-pages.ts";
import type { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Found, Unproven } from "./finding.ts";
import { ComparedPages, type ComparingTask } from "./pages-worker.ts";

export interface PagesParts {
  readonly folder: string;
  readonly receipt: Receipt;
  /** The packs in the manifest. */
  readonly packs: readonly ManifestLine[];
  /** The tables computed from the evidence. */
  readonly tables: TablePaths;
  /** Folder for data that do not fit in memory. */
  readonly scratch: string;
  readonly threads: number;
  /** For joins of complete tables. */
  readonly memory: string;
  readonly rangeMemory: string;
  /** As many as `threads`. */
  readonly workers: WorkerPool;
}

/**
 * Bytes of packs in one task, about forty thousand datasets. Smaller tasks would read shared rows more often; larger
 * ones would sort more than fits in memory.
 */
const TASK_BYTES = 128 * 1024 * 1024;

/** Returns the differences. Each task renders several ranges of stage 5. */
export async function differingPages(parts: PagesParts): Promise<readonly string[]> {
  const versions = parts.receipt.rubrics.map(({ version }) => version);
  const pages = PageStore.ofLines(parts.folder, parts.packs);
  try {
    const listings = join(parts.scratch, "listings");
    const { tables, threads, memory, scratch } = parts;
    await writeListings(tables, listings, versions, {
      threads,
      memory,
      spill: join(scratch, "spill-listings"),
      isOlder: true,
    });
    const tasks = (["record", "researcher"] as const).flatMap((subject) =>
      tasksOf(subject, pages, versions, listings, parts),
    );
    const worker = new URL("./pages-worker.ts", import.meta.url);
    const wrong = await parts.workers.run<ComparingTask, readonly string[]>(worker, tasks);
    return [...wrong.flat(), ...(await ofRepositories(pages, versions, parts))];
  } finally {
    pages.close();
  }
}

/** Returns tasks of adjacent ranges, at least one for each worker. The family with most packs decides the ranges. */
function tasksOf(
  subject: ComparingTask["subject"],
  pages: PageStore,
  versions: readonly PublicVersion[],
  listings: string,
  { folder, packs, tables, scratch, threads, rangeMemory }: PagesParts,
): ComparingTask[] {
  const families = familiesOf(subject, versions);
  const own = packs.filter(({ path }) => families.includes(readPackPath(path)?.family ?? ""));
  const bytes = own.reduce((sum, line) => sum + line.bytes, 0);
  const ranges = rangesOf(pages.splitOf(families));
  return joinedRanges(ranges, Math.max(threads, Math.ceil(bytes / TASK_BYTES))).map((range, number) => {
    const spill = join(scratch, `spill-${subject}-${number}`);
    return { subject, range, versions, listings, folder, packs, tables, memory: rangeMemory, spill };
  });
}

async function ofRepositories(
  pages: PageStore,
  versions: readonly PublicVersion[],
  { tables, memory, scratch }: PagesParts,
): Promise<readonly string[]> {
  const spill = join(scratch, "spill-repositories");
  const db = await openTables(tables, { threads: 1, memory, spill, isOlder: true });
  try {
    const compared = new ComparedPages(pages, familiesOf("repository", versions));
    await writeRepositoryPages(db, compared, versions);
    return compared.finish();
  } finally {
    db.close();
  }
}

/** Returns the version that rendered a release, if its code, texts or formats differ from this version's; else null. */
export async function otherRenderer({ tool, content }: Receipt): Promise<string | null> {
  const ours = await inputDigests({ asOf: "", withheld: [], enrichments: {} });
  const shown = Object.keys(content.inputs).filter((name) => /^(contract .*|pledge .*|vocabularies|pages)$/.test(name));
  const alike = tool.version === (await toolVersion()) && shown.every((name) => ours[name] === content.inputs[name]);
  return alike ? null : tool.version;
}

/** Returns a receiver of differences that reports their family of pages, or their file, as unproven. */
export function unprovenPages(unproven: Unproven): Found {
  return (_check, detail) => {
    const [name = ""] = detail.split(" ");
    // Details beyond the limit are only counted.
    if (name === "and") return;
    const [version, family] = name.split("/");
    unproven(/^\d/.test(name) ? `pages/${version}/${family}` : name);
  };
}
