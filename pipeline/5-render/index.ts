/** Stage 5: rows → the pages that do not name the release: records, researchers and badges. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { repositoryBadge } from "../../api-static/pages/badge.ts";
import { meanOf } from "../../api-static/pages/numbers.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { hasPage, pageOf, pagePath } from "../../api-static/routes/route.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { keyedFiles, keyedFolders } from "../pages/page-files.ts";
import { type PageSink, treeSink } from "../pages/page-sink.ts";
import type { IdRange } from "../pages/record-pages.ts";
import { openTables, type TablePaths } from "../pages/tables.ts";
import type { PreviousRelease } from "../previous/previous-release.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest } from "../stage/stage.ts";
import { runPool } from "../stage/worker-pool.ts";
import type { LinkTask } from "./link.ts";
import { findTouched, type Touched } from "./touched.ts";
import type { Rendered, RenderTask } from "./worker.ts";

export interface RenderOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  readonly memory: string;
  /** An earlier release whose unchanged pages are taken over; everything is rendered without. */
  readonly previous?: PreviousRelease | null;
}

/**
 * Reads the tables, writes pages below `folder`/tree, and their manifest lines as `folder`/pages-NNNN.ndjson. Pages that
 * are taken over from an earlier release have theirs in `folder`/linked-NNNN.ndjson, in order.
 */
export function render(
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "5-render", async (draft) => {
    const { previous = null } = options;
    const pages = await renderWith(previous, tables, draft, options, effects).catch(async (error: unknown) => {
      if (previous === null || !isDamaged(error)) throw error;
      effects.log({ level: "warn", event: "previous-release-damaged", message: error.message });
      for (const name of await readdir(draft)) await rm(join(draft, name), { recursive: true, force: true });
      return renderWith(null, tables, draft, options, effects);
    });
    return { tables: {}, facts: { pages: pages.linked + pages.rendered, reused: pages } };
  });
}

/** What an earlier release cannot be trusted with is rendered, all of it. */
function isDamaged(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "previous-damaged";
}

interface Pages {
  readonly linked: number;
  readonly rendered: number;
}

async function renderWith(
  previous: PreviousRelease | null,
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<Pages> {
  await mkdir(join(folder, "tree"), { recursive: true });
  const touched = previous === null ? null : await findTouched(tables, previous, folder, options);
  const tasks =
    previous === null || touched === null
      ? await tasksOfAll(tables, folder, options)
      : [...linkTasks(previous, touched, folder, options), ...tasksOf(touched, folder, options)];
  let linked = 0;
  let rendered = 0;
  let done = 0;
  const worker = new URL("./worker.ts", import.meta.url);
  await runPool<RenderTask | LinkTask, Rendered>(worker, tasks, options.threads, ({ subject }, { pages }) => {
    if (subject === "untouched") linked += pages;
    else rendered += pages;
    done += 1;
    effects.progress({ stage: "render", step: `${linked + rendered} pages`, done, total: tasks.length, unit: "parts" });
  });
  const sink = treeSink(join(folder, "tree"), join(folder, "pages-repositories.ndjson"));
  if (options.rubrics.includes("2.0")) await writeRepositoryBadges(tables, sink, options);
  sink.flush();
  await requirePages(tables, linked + rendered, options);
  return { linked, rendered: rendered + sink.pages };
}

/** Records or researchers a task is worth starting for. */
const LEAST = 2000;
const HEX = "0123456789abcdef";

interface Subjects {
  readonly records: number;
  readonly researchers: number;
}

async function countSubjects(tables: TablePaths, options: RenderOptions): Promise<Subjects> {
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  try {
    const [row] = await db.rows(`select cast((select count(*) from record) as integer) as records,
      cast((select count(distinct id) from researcher) as integer) as researchers`);
    return { records: Number(row?.records), researchers: Number(row?.researchers) };
  } finally {
    db.close();
  }
}

/** Up to sixteen ranges of record ids and sixteen of researcher ids: enough to keep every core busy to the end. */
async function tasksOfAll(tables: TablePaths, folder: string, options: RenderOptions): Promise<RenderTask[]> {
  const { records, researchers } = await countSubjects(tables, options);
  return tasksOf({ records, researchers, recordTables: tables, researcherTables: tables }, folder, options);
}

type RenderedSubjects = Pick<Touched, "records" | "researchers" | "recordTables" | "researcherTables">;

function tasksOf(subjects: RenderedSubjects, folder: string, options: RenderOptions): RenderTask[] {
  const shared = { versions: options.rubrics, folder, memory: options.memory };
  const { records, researchers, recordTables, researcherTables } = subjects;
  return [
    ...rangesOf("r", records).map((range) => ({ subject: "record" as const, range, tables: recordTables })),
    ...rangesOf("a", researchers).map((range) => ({ subject: "researcher" as const, range, tables: researcherTables })),
  ].map((task, number) => ({ ...shared, ...task, number }));
}

/** Bytes of a manifest that a task is worth starting for. */
const LEAST_BYTES = 1 << 20;

/** Shares of the earlier manifest of about equal size. */
function linkTasks(
  previous: PreviousRelease,
  touched: Touched,
  folder: string,
  { rubrics }: RenderOptions,
): LinkTask[] {
  const { manifest, manifestBytes, folder: release } = previous;
  const shares = Math.min(HEX.length, Math.max(1, Math.ceil(manifestBytes / LEAST_BYTES)));
  const bound = (place: number) => Math.floor((manifestBytes * place) / shares);
  const files = [...keyedFiles("record", rubrics), ...keyedFiles("researcher", rubrics)];
  return Array.from({ length: shares }, (_, number) => ({
    number,
    subject: "untouched",
    from: bound(number),
    to: bound(number + 1),
    manifest,
    release,
    folder,
    touched: touched.paths,
    folders: keyedFolders(files),
  }));
}

/** Ids are a letter and hex digits of a hash, so that ranges of equal width hold about as many. */
function rangesOf(letter: string, count: number): IdRange[] {
  const ranges = [1, 2, 4, 8].find((number) => number * LEAST >= count) ?? HEX.length;
  const width = HEX.length / ranges;
  const bound = (place: number) => letter + (HEX[place] ?? "g");
  return Array.from({ length: ranges }, (_, i) => ({ from: bound(i * width), to: bound((i + 1) * width) }));
}

/** Labels that cannot name a file have no page: the server answers for them. */
async function writeRepositoryBadges(tables: TablePaths, sink: PageSink, options: RenderOptions): Promise<void> {
  const db = await openTables(tables, { threads: 1, memory: options.memory });
  const route = routeNamed("repository-badge");
  try {
    const rows = await db.rows(
      "select repository, cast(mean_score as varchar) as mean, cast(mean_cap as varchar) as cap from repository where rubric = '2.0' order by repository",
    );
    for (const { repository, mean, cap } of rows) {
      if (typeof repository !== "string" || !hasPage(repository)) continue;
      const [value, most] = [mean, cap].map((cell) => meanOf(typeof cell === "string" ? cell : null));
      sink.write(pagePath(route, pageOf(route, "2.0"), repository), repositoryBadge(value ?? null, most ?? null));
    }
  } finally {
    db.close();
  }
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
