/** Stage 5: rows → the pages that do not name the release: records, researchers and badges. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repositoryBadge } from "../../api-static/badge.ts";
import { meanOf } from "../../api-static/numbers.ts";
import { hasPage, pageOf, pagePath } from "../../api-static/route.ts";
import { routeNamed } from "../../api-static/routes.ts";
import type { PublicVersion } from "../../schemas/rubric.ts";
import type { Effects } from "../effects.ts";
import { type PageSink, treeSink } from "../pages/page-sink.ts";
import type { IdRange } from "../pages/record-pages.ts";
import { openTables, type TablePaths } from "../pages/tables.ts";
import { runStage, type StageManifest } from "../stage.ts";
import { runPool } from "../worker-pool.ts";
import type { Rendered, RenderTask } from "./worker.ts";

export interface RenderOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  readonly memory: string;
}

/** Reads the tables, writes pages below `folder`/tree, and their manifest lines as `folder`/pages-NNNN.ndjson. */
export function render(
  tables: TablePaths,
  folder: string,
  options: RenderOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "5-render", async () => {
    await mkdir(join(folder, "tree"), { recursive: true });
    const tasks = tasksOf(tables, folder, options, await countSubjects(tables, options));
    let pages = 0;
    let done = 0;
    const report = ({ pages: written }: Rendered) => {
      pages += written;
      done += 1;
      effects.progress({ stage: "render", step: `${pages} pages`, done, total: tasks.length, unit: "parts" });
    };
    await runPool<RenderTask, Rendered>(new URL("./worker.ts", import.meta.url), tasks, options.threads, (_, result) =>
      report(result),
    );
    const sink = treeSink(join(folder, "tree"), join(folder, "pages-repositories.ndjson"));
    if (options.rubrics.includes("2.0")) await writeRepositoryBadges(tables, sink, options);
    sink.flush();
    await requirePages(tables, pages, options);
    return { tables: {}, facts: { pages: pages + sink.pages } };
  });
}

/** Records or researchers a task is worth starting for. */
const LEAST = 500;
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
function tasksOf(tables: TablePaths, folder: string, options: RenderOptions, subjects: Subjects): RenderTask[] {
  const shared = { versions: options.rubrics, tables, folder, memory: options.memory };
  return [
    ...rangesOf("r", subjects.records).map((range) => ({ subject: "record" as const, range })),
    ...rangesOf("a", subjects.researchers).map((range) => ({ subject: "researcher" as const, range })),
  ].map((task, number) => ({ ...shared, ...task, number }));
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
      "select repository, cast(mean_score as varchar) as mean from repository where rubric = '2.0' order by repository",
    );
    for (const { repository, mean } of rows) {
      if (typeof repository !== "string" || !hasPage(repository)) continue;
      const value = typeof mean === "string" ? meanOf(mean) : null;
      sink.write(pagePath(route, pageOf(route, "2.0"), repository), repositoryBadge(value));
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
