/** Measures how many pages per second are rendered. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { render } from "../pipeline/5-render/index.ts";
import { releaseTablePaths } from "../pipeline/pages/columns.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { BENCH_FOLDER, prepareCorpus } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { silent, timed } from "./measure.ts";

const RECORDS = 200_000;

/** Measures how fast pages are rendered. The benchmark of builds must run first, because it leaves the release. */
export async function benchRender(): Promise<Figure[]> {
  const store = await prepareCorpus(RECORDS);
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`${store.root} has no release: run the build benchmark first`);
  const release = store.release(digest);
  const folder = join(BENCH_FOLDER, "pages");
  await rm(folder, { recursive: true, force: true });
  const options = { rubrics: ["2.0", "1.0"] as const, threads: 2, memory: "256MB" };
  let pages = 0;
  const seconds = await timed(async () => {
    pages = Number((await render(releaseTablePaths(release), folder, options, silent)).facts.pages);
  });
  await rm(folder, { recursive: true, force: true });
  const rate = pages / seconds;
  return [
    {
      name: "render, pages a second on two cores",
      ratio: rate,
      goal: "≥ 60,000",
      met: rate >= 60_000,
      detail: `${pages} pages in ${seconds.toFixed(1)} s`,
    },
  ];
}
