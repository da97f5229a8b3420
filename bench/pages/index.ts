/**
 * Compares views of datasets on the site with the same datasets as JSON from the same server, and measures views in a
 * browser with Lighthouse.
 */

import { execFile } from "node:child_process";
import { createReadStream, existsSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { z } from "zod";
import type { Store } from "../../pipeline/store/store.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { prepareCorpus } from "../corpus.ts";
import { type Flood, flood } from "../flood.ts";
import type { Figure } from "../measure.ts";
import { median } from "../measure.ts";
import { startServer } from "../serving.ts";
import { audit, HAS_LIGHTHOUSE } from "./audit.ts";

const RECORDS = 20_000;
/** Numbers of datasets: a set whose responses are all cached, and a set that is larger than the cache. */
const SETS = { cached: 100, "not cached": 5000 } as const;
const ROUNDS = 5;
const FLOOD = { seconds: 3, pipelining: 1 } as const;
/** Numbers of connections: one reader, and many readers at the same time. */
const CONNECTIONS = [1, 16];
/** Headers of requests with compression, as browsers and most programs send them, and without compression. */
const ENCODINGS = { compressed: { "accept-encoding": "gzip, deflate, br" }, "as it is": {} } as const;
const ROWS = 100;

/** Path of Chromium, by default that of Debian. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function benchPages(): Promise<Figure[]> {
  const store = await releasedStore();
  await readPacks(store);
  const server = await startServer("ours", store, { keys: [], folder: "", headers: {} });
  try {
    const ids = await fetchIds(server.port, SETS["not cached"]);
    const figures: Figure[] = [];
    for (const [name, count] of Object.entries(SETS)) {
      for (const [form, headers] of Object.entries(ENCODINGS)) {
        for (const connections of CONNECTIONS) {
          const flooding = { ...FLOOD, headers, connections };
          figures.push(await against(server.port, { name, form, ids: ids.slice(0, count) }, flooding));
        }
      }
    }
    return [...figures, ...(await audited(server.port, ids[0] ?? ""))];
  } finally {
    await server.stop();
  }
}

async function releasedStore(): Promise<Store> {
  const store = await prepareCorpus(RECORDS);
  if ((await readlink(store.current).catch(() => null)) === null) {
    const child = fileURLToPath(new URL("../build-child.ts", import.meta.url));
    await promisify(execFile)(process.execPath, [child, store.root], { maxBuffer: 64 * 1024 * 1024 });
  }
  return store;
}

/**
 * Reads the packs of both versions once. A view also reads the pack of the other version, and the benchmark should not
 * measure disks.
 */
async function readPacks(store: Store): Promise<void> {
  const folder = join(store.current, "pages");
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const name of names.filter((each) => each.isFile())) {
    await finished(createReadStream(join(name.parentPath, name.name)).resume());
  }
}

async function asked<Schema extends z.ZodType>(schema: Schema, port: number, path: string): Promise<z.infer<Schema>> {
  return schema.parse(await (await fetch(`http://127.0.0.1:${port}${path}`)).json());
}

async function fetchIds(port: number, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ids.length < count; page += 1) {
    const { data } = await asked(recordList, port, `/records?limit=${ROWS}&page=${page}`);
    ids.push(...data.map(({ id }) => id));
  }
  return ids;
}

interface Asked {
  readonly name: string;
  readonly form: string;
  readonly ids: readonly string[];
}

async function against(port: number, { name, form, ids }: Asked, flooding: Flood): Promise<Figure> {
  const paths = { json: ids.map((id) => `/records/${id}`), html: ids.map((id) => `/datasets/${id}`) };
  const rounds: { json: number; html: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ json: await flood(port, paths.json, flooding), html: await flood(port, paths.html, flooding) });
  }
  const ratio = median(rounds.map(({ json, html }) => html / json));
  const rate = (side: "json" | "html") => Math.round(median(rounds.map((round) => round[side])));
  const isGoal = name === "cached";
  return {
    name: `a dataset's page against its JSON, ${name}, ${form}, ${flooding.connections} at once, answers a second`,
    ratio,
    goal: isGoal ? "≥ 0.5" : "reported",
    met: !isGoal || ratio >= 0.5,
    detail: `JSON ${rate("json")}/s, HTML ${rate("html")}/s, ${ids.length} datasets in turn`,
  };
}

/** Returns the figures of Lighthouse; none if Chromium or Lighthouse (`make lighthouse`) is not installed. */
async function audited(port: number, id: string): Promise<Figure[]> {
  if (!existsSync(CHROMIUM) || !HAS_LIGHTHOUSE) return [];
  const { data } = await asked(researcherList, port, "/authors?sortBy=sIndex&sortOrder=desc");
  const figures: Figure[] = [];
  const views = ["/", "/datasets", `/datasets/${id}`, `/researchers/${data[0]?.slug}`, "/countries", "/check", "/docs"];
  for (const path of views) {
    const [found] = await audit(`http://localhost:${port}${path}`, ["performance"], CHROMIUM);
    const score = found?.score ?? 0;
    figures.push({
      name: `Lighthouse, performance of ${path.replace(/^(\/\w+\/).*/, "$1…")}`,
      ratio: score / 100,
      goal: "≥ 0.95",
      met: score >= 95,
      detail: (found?.wrong ?? []).join(", "),
    });
  }
  return figures;
}
