/** Rendering against its floor: the same number of files of the same sizes at the same paths, written by a bare loop. */

import { createReadStream, mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { render } from "../pipeline/5-render/index.ts";
import { releaseTablePaths } from "../pipeline/pages/tables.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { BENCH_FOLDER, corpusOf } from "./corpus.ts";
import type { Figure } from "./figure.ts";
import { timed } from "./measure.ts";
import { silent } from "./silent.ts";

const RECORDS = 200_000;

/** Needs the release that the build benchmark leaves. */
export async function benchRender(): Promise<Figure[]> {
  const store = await corpusOf(RECORDS);
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`${store.root} has no release: run the build benchmark first`);
  const release = store.release(digest);
  const files = await sizesOf(join(release, "manifest.ndjson"));
  const folder = join(BENCH_FOLDER, "pages");
  await rm(folder, { recursive: true, force: true });
  const floor = await timed(async () => bareLoop(folder, files));
  await rm(folder, { recursive: true, force: true });
  const options = { rubrics: ["2.0", "1.0"] as const, threads: 2, memory: "256MB" };
  const ours = await timed(() => render(releaseTablePaths(release), folder, options, silent));
  await rm(folder, { recursive: true, force: true });
  const ratio = floor / ours;
  return [
    {
      name: "render, speed against writing the same files",
      ratio,
      goal: "≥ 0.5",
      met: ratio >= 0.5,
      detail: `${files.length} files: floor (one bare loop) ${floor.toFixed(1)} s, render (two workers) ${ours.toFixed(1)} s`,
    },
  ];
}

/** Entity pages only: those stage 5 writes. */
async function sizesOf(manifest: string): Promise<{ path: string; bytes: number }[]> {
  const files: { path: string; bytes: number }[] = [];
  for await (const line of createInterface({ input: createReadStream(manifest) })) {
    const { path, bytes } = JSON.parse(line) as { path: string; bytes: number };
    if (/^api\/[^/]+\/(records|authors)\/|^widgets\//.test(path)) files.push({ path, bytes });
  }
  return files;
}

function bareLoop(folder: string, files: readonly { path: string; bytes: number }[]): void {
  const content = Buffer.alloc(1 << 22, "x");
  const made = new Set<string>();
  for (const { path, bytes } of files) {
    const parent = dirname(path);
    if (!made.has(parent)) {
      mkdirSync(join(folder, parent), { recursive: true });
      made.add(parent);
    }
    writeFileSync(join(folder, path), content.subarray(0, bytes));
  }
}
