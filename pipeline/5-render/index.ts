/**
 * Stage 5: renders the pages of records, researchers and badges into packs. These pages do not mention the release, so
 * a later release can reuse them.
 */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Runtime } from "../engine/runtime.ts";
import { getRuntime } from "../engine/runtime.ts";
import { chooseSplit, listRanges, RESTORE, type Split } from "../packs/format.ts";
import { type FinishedPack, PackSink } from "../packs/pack-sink.ts";
import { indexRenderedPages, PageStore } from "../packs/page-store.ts";
import { openTables, type TablePaths } from "../pages/columns.ts";
import { listFamilies } from "../pages/keyed-pages.ts";
import { writeListings } from "../pages/listings.ts";
import type { PreviousRelease } from "../pages/previous-release.ts";
import { writeRepositoryPages } from "../pages/release-pages.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest } from "../stage/stage.ts";
import { type ChangedPages, findChangedPages } from "./changed-pages.ts";
import type { RenderTask } from "./worker.ts";

export interface RenderOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  /** DuckDB's memory limit for steps that join whole tables. */
  readonly memory: string;
  /**
   * DuckDB's memory limit for one range of pages, which has a similar size in every corpus. Equals `memory` by default.
   */
  readonly rangeMemory?: string;
  /** An earlier release whose unchanged pages are reused. Without it, every page is rendered. */
  readonly previous?: PreviousRelease | null;
  readonly runtime?: Runtime;
}

/**
 * Reads the tables and writes packs to the folder `tree` of the stage. The manifest of the stage has `RenderedPages` as
 * its facts.
 */
export function render(
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "5-render", async (draft) => {
    const { previous = null } = options;
    const subjects = await countSubjects(tables, options);
    const keyed = await renderWith(previous, subjects, tables, draft, options, effects).catch(
      async (error: unknown) => {
        if (previous === null || !isDamaged(error)) throw error;
        const message = `${error.message}; all pages are rendered instead of copied. ${RESTORE}`;
        effects.log({ level: "warn", event: "previous-release-damaged", message });
        for (const name of await readdir(draft)) await rm(join(draft, name), { recursive: true, force: true });
        return renderWith(null, subjects, tables, draft, options, effects);
      },
    );
    requirePages(keyed, subjects, options.rubrics);
    const packs = [...keyed, ...(await repositoryPacks(tables, draft, options))];
    const pages = sumPacks(packs, (pack) => pack.pages);
    const linked = sumPacks(packs, ({ reused }) => reused);
    return { tables: {}, facts: { pages, reused: { linked, rendered: pages - linked }, ...indexRenderedPages(packs) } };
  });
}

/** True if the error shows that the earlier release is damaged. Every page is then rendered instead of reused. */
function isDamaged(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "previous-damaged";
}

async function renderWith(
  previous: PreviousRelease | null,
  subjects: Subjects,
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<FinishedPack[]> {
  await mkdir(join(folder, "tree"), { recursive: true });
  const splits = { record: chooseSplit(subjects.records), researcher: chooseSplit(subjects.researchers) };
  const same = previous !== null && isSplitAlike(previous, splits, options.rubrics) ? previous : null;
  const changedPages = same === null ? null : await findChangedPages(tables, same, folder, options);
  const listings = join(folder, "listings");
  await writeListings(changedPages?.researcherTables ?? tables, listings, options.rubrics, {
    ...options,
    spill: join(folder, "spill"),
  });
  const tasks = listTasks(splits, tables, same, changedPages, { folder, listings }, options);
  const worker = new URL("./worker.ts", import.meta.url);
  let pages = 0;
  let done = 0;
  const onDone = (_: RenderTask, packs: readonly FinishedPack[]) => {
    pages += sumPacks(packs, (pack) => pack.pages);
    done += 1;
    effects.progress({ stage: "render", step: `${pages} pages`, done, total: tasks.length, unit: "parts" });
  };
  const areSmall = splits.record === 1 && splits.researcher === 1;
  const finished = await getRuntime(options).runPool(worker, tasks, onDone, areSmall);
  return finished.flat();
}

/** Number of packs between which the pages of records are divided, and likewise for the pages of researchers. */
type Splits = Readonly<Record<"record" | "researcher", Split>>;

/** Numbers of records and of researchers for which pages are rendered. */
interface Subjects {
  readonly records: number;
  readonly researchers: number;
  readonly researchersUnder: ReadonlyMap<string, number>;
}

async function countSubjects(tables: TablePaths, options: RenderOptions): Promise<Subjects> {
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    const [row] = await db.rows(`select cast((select count(*) from record) as integer) as records,
      cast((select count(distinct id) from researcher) as integer) as researchers`);
    const under = await db.rows(
      "select rubric, cast(count(*) as integer) as researchers from researcher group by rubric",
    );
    return {
      records: Number(row?.records),
      researchers: Number(row?.researchers),
      researchersUnder: new Map(under.map(({ rubric, researchers }) => [String(rubric), Number(researchers)])),
    };
  } finally {
    db.close();
  }
}

/** True if the earlier release divides its pages into the same ranges, so that its packs can be reused. */
function isSplitAlike(previous: PreviousRelease, splits: Splits, versions: readonly PublicVersion[]): boolean {
  const earlier = PageStore.ofLines(previous.folder, Object.values(previous.packs));
  return (["record", "researcher"] as const).every(
    (subject) => earlier.findSplit(listFamilies(subject, versions)) === splits[subject],
  );
}

function listTasks(
  splits: Splits,
  tables: TablePaths,
  previous: PreviousRelease | null,
  changedPages: ChangedPages | null,
  places: Pick<RenderTask, "folder" | "listings">,
  { rubrics: versions, memory, rangeMemory = memory }: RenderOptions,
): RenderTask[] {
  const earlier =
    previous === null || changedPages === null
      ? null
      : { folder: previous.folder, lines: previous.packs, gone: changedPages.gone };
  const shared = { ...places, versions, memory: rangeMemory, earlier };
  const of = (subject: keyof Splits, paths: TablePaths) =>
    listRanges(splits[subject]).map((range) => ({ ...shared, subject, range, tables: paths }));
  return [
    ...of("record", changedPages?.recordTables ?? tables),
    ...of("researcher", changedPages?.researcherTables ?? tables),
  ].map((task, number) => ({ ...task, number }));
}

async function repositoryPacks(tables: TablePaths, folder: string, options: RenderOptions): Promise<FinishedPack[]> {
  const families = listFamilies("repository", options.rubrics);
  const sink = await PackSink.open(join(folder, "tree"), { name: "" }, families);
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    await writeRepositoryPages(db, sink, options.rubrics);
    return sink.finish();
  } finally {
    db.close();
  }
}

function sumPacks(packs: readonly FinishedPack[], count: (pack: FinishedPack) => number): number {
  return packs.reduce((sum, pack) => sum + count(pack), 0);
}

/**
 * Checks that all pages exist.
 * @throws Error unless each record and researcher has one page for each route and version
 */
function requirePages(packs: readonly FinishedPack[], subjects: Subjects, versions: readonly PublicVersion[]): void {
  const ofResearchers = listFamilies("researcher", versions).map(
    (family) => subjects.researchersUnder.get(family.split("/")[0] ?? "") ?? 0,
  );
  const expected =
    listFamilies("record", versions).length * subjects.records + ofResearchers.reduce((a, b) => a + b, 0);
  const pages = sumPacks(packs, (pack) => pack.pages);
  if (pages !== expected)
    throw new Error(
      `rendering wrote ${pages} pages of records and researchers, but the tables need ${expected}; report this`,
    );
}
