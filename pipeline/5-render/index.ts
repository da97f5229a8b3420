/** Stage 5: rows → the pages that do not name the release: records, researchers and badges. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repositoryBadge } from "../../api-static/badge.ts";
import { meanOf } from "../../api-static/numbers.ts";
import { hasPage, pageOf, pagePath, routeNamed } from "../../api-static/routes.ts";
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
    const tasks = tasksOf(tables, folder, options);
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
    return { tables: {}, facts: { pages: pages + sink.pages } };
  });
}

const HEX = "0123456789abcdef";

/** Sixteen ranges of record ids and sixteen of researcher ids: enough to keep every core busy to the end. */
function tasksOf(tables: TablePaths, folder: string, options: RenderOptions): RenderTask[] {
  const shared = { versions: options.rubrics, tables, folder, memory: options.memory };
  const ranges = (letter: string): IdRange[] =>
    Array.from(HEX, (digit, i) => ({ from: letter + digit, to: letter + (HEX[i + 1] ?? "g") }));
  return [
    ...ranges("r").map((range) => ({ subject: "record" as const, range })),
    ...ranges("a").map((range) => ({ subject: "researcher" as const, range })),
  ].map((task, number) => ({ ...shared, ...task, number }));
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
