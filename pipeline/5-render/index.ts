/** Stage 5: rows → the pages that do not name the release: records, researchers and badges, in packs. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { packPath, rangesOf, type Split, splitOf } from "../packs/pack-names.ts";
import { type FinishedPack, PackSink } from "../packs/pack-sink.ts";
import { renderedPagesOf } from "../packs/rendered-pages.ts";
import { familiesOf } from "../pages/families.ts";
import { writeRepositoryPages } from "../pages/repository-pages.ts";
import { openTables, type TablePaths } from "../pages/tables.ts";
import type { PreviousRelease } from "../previous/previous-release.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest } from "../stage/stage.ts";
import { runPool } from "../stage/worker-pool.ts";
import { findTouched, type Touched } from "./touched.ts";
import type { RenderTask } from "./worker.ts";

export interface RenderOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  readonly memory: string;
  /** An earlier release whose unchanged pages are taken over; everything is rendered without. */
  readonly previous?: PreviousRelease | null;
}

/** Reads the tables and writes packs below `folder`/tree; its facts are `RenderedPages` and how many pages there are. */
export function render(
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "5-render", async (draft) => {
    const { previous = null } = options;
    const packs = await renderWith(previous, tables, draft, options, effects).catch(async (error: unknown) => {
      if (previous === null || !isDamaged(error)) throw error;
      effects.log({ level: "warn", event: "previous-release-damaged", message: error.message });
      for (const name of await readdir(draft)) await rm(join(draft, name), { recursive: true, force: true });
      return renderWith(null, tables, draft, options, effects);
    });
    const pages = sumOf(packs, (pack) => pack.pages);
    const linked = sumOf(packs, ({ taken }) => taken);
    const ofRepositories = packs.filter(({ family }) => familiesOf("repository", options.rubrics).includes(family));
    await requirePages(tables, pages - sumOf(ofRepositories, ({ pages: own }) => own), options);
    return { tables: {}, facts: { pages, reused: { linked, rendered: pages - linked }, ...renderedPagesOf(packs) } };
  });
}

/** What an earlier release cannot be trusted with is rendered, all of it. */
function isDamaged(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "previous-damaged";
}

async function renderWith(
  previous: PreviousRelease | null,
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<FinishedPack[]> {
  await mkdir(join(folder, "tree"), { recursive: true });
  const splits = await splitsOf(tables, options);
  const same = previous !== null && isSplitAlike(previous, splits, options.rubrics) ? previous : null;
  const touched = same === null ? null : await findTouched(tables, same, folder, options);
  const tasks = tasksOf(splits, tables, same, touched, folder, options);
  const worker = new URL("./worker.ts", import.meta.url);
  let pages = 0;
  let done = 0;
  const finished = await runPool<RenderTask, readonly FinishedPack[]>(worker, tasks, options.threads, (_, packs) => {
    pages += sumOf(packs, (pack) => pack.pages);
    done += 1;
    effects.progress({ stage: "render", step: `${pages} pages`, done, total: tasks.length, unit: "parts" });
  });
  return [...finished.flat(), ...(await repositoryPacks(tables, folder, options))];
}

/** How many packs a family of each subject has. */
type Splits = Readonly<Record<"record" | "researcher", Split>>;

async function splitsOf(tables: TablePaths, options: RenderOptions): Promise<Splits> {
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    const [row] = await db.rows(`select cast((select count(*) from record) as integer) as records,
      cast((select count(distinct id) from researcher) as integer) as researchers`);
    return { record: splitOf(Number(row?.records)), researcher: splitOf(Number(row?.researchers)) };
  } finally {
    db.close();
  }
}

/** Packs are taken over from packs of the same ranges. */
function isSplitAlike({ packs }: PreviousRelease, splits: Splits, versions: readonly PublicVersion[]): boolean {
  return (["record", "researcher"] as const).every((subject) => {
    const paths = familiesOf(subject, versions).flatMap((family) =>
      rangesOf(splits[subject]).map((range) => packPath(family, range)),
    );
    const families = familiesOf(subject, versions).map((family) => packPath(family).replace(/zst$/, ""));
    const had = Object.keys(packs).filter((path) => families.some((family) => path.startsWith(family)));
    return had.every((path) => paths.includes(path));
  });
}

function tasksOf(
  splits: Splits,
  tables: TablePaths,
  previous: PreviousRelease | null,
  touched: Touched | null,
  folder: string,
  { rubrics: versions, memory }: RenderOptions,
): RenderTask[] {
  const earlier =
    previous === null || touched === null
      ? null
      : { folder: previous.folder, lines: previous.packs, gone: touched.gone };
  const shared = { versions, folder, memory, earlier };
  const of = (subject: keyof Splits, paths: TablePaths) =>
    rangesOf(splits[subject]).map((range) => ({ ...shared, subject, range, tables: paths }));
  return [
    ...of("record", touched?.recordTables ?? tables),
    ...of("researcher", touched?.researcherTables ?? tables),
  ].map((task, number) => ({ ...task, number }));
}

async function repositoryPacks(tables: TablePaths, folder: string, options: RenderOptions): Promise<FinishedPack[]> {
  const families = familiesOf("repository", options.rubrics);
  const sink = await PackSink.open(join(folder, "tree"), { name: "" }, families);
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    await writeRepositoryPages(db, sink, options.rubrics);
    return sink.finish();
  } finally {
    db.close();
  }
}

function sumOf(packs: readonly FinishedPack[], count: (pack: FinishedPack) => number): number {
  return packs.reduce((sum, pack) => sum + count(pack), 0);
}

/** Two pages a record and version, one a researcher and version, and their badges: not one less. */
async function requirePages(tables: TablePaths, pages: number, options: RenderOptions): Promise<void> {
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    const badges = options.rubrics.includes("2.0") ? 1 : 0;
    const [row] = await db.rows(
      `select cast((select count(*) from record) * ${2 * options.rubrics.length + badges}
         + (select count(*) from researcher)
         + ${badges} * (select count(*) from researcher where rubric = '2.0') as integer) as pages`,
    );
    if (row?.pages !== pages) throw new Error(`rendering wrote ${pages} pages where the tables have ${row?.pages}`);
  } finally {
    db.close();
  }
}
