/**
 * Compares our server, which reads packs, with a bare Fastify route. Both send the same bytes and headers, because the
 * client needs as long to read them as the server to write them.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { routeNamed } from "../api-static/routes/index.ts";
import { getPageFile, type Route } from "../api-static/routes/route.ts";
import { pageAddress } from "../pipeline/packs/format.ts";
import { PageStore } from "../pipeline/packs/page-store.ts";
import { moveLink } from "../pipeline/store/releases.ts";
import type { Store } from "../pipeline/store/store.ts";
import { prepareReleasedCorpus } from "./build.ts";
import { BENCH_FOLDER } from "./corpus.ts";
import { type Flood, flood } from "./flood.ts";
import type { Figure } from "./measure.ts";
import { median } from "./measure.ts";
import type { ServingKind, ServingTask } from "./serving-child.ts";

/** Number of records in the release. */
const RECORDS = 200_000;
/** Number of pages that are requested in turn. The server can cache fewer pages, so it reads each from its pack. */
const PAGES = 5000;
/** Number of requested pages if the server should have all of them in its cache. */
const KEPT = 500;
/** Headers that every server adds by itself. */
const OWN = new Set(["connection", "content-length", "content-type", "date", "etag", "keep-alive", "server"]);
const ROUNDS = 5;

const FLOOD: Flood = { seconds: 3, connections: 16, pipelining: 1 };
/** The warm-up before measuring. Servers run for weeks, so both are measured when they are warm. */
const WARM: Flood = { ...FLOOD, seconds: 15 };

export async function benchServing(): Promise<Figure[]> {
  const packs = await servedStore(RECORDS);
  const keys = await listKeys(packs);
  return [await serverFigure("file", packs, keys), await serverFigure("memory", packs, keys.slice(0, KEPT))];
}

/** Returns a store whose link `serving` points to a release. */
async function servedStore(records: number): Promise<Store> {
  const store = await prepareReleasedCorpus(records);
  await moveLink(store.serving, join(store.root, await readlink(store.current)));
  return store;
}

function childPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Returns ids of records that are spread evenly over all packs. */
async function listKeys(store: Store): Promise<string[]> {
  const pages = await PageStore.open(store.serving);
  const keys: string[] = [];
  for (const { key } of pages.entries("2.0/record")) keys.push(key);
  pages.close();
  const step = Math.max(1, Math.floor(keys.length / PAGES));
  return keys.filter((_, i) => i % step === 0).slice(0, PAGES);
}

/** Returns the headers of a page, without the headers that every server adds by itself. */
async function fetchHeaders(url: string): Promise<Record<string, string>> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (response.status !== 200) throw new Error(`${url} responds with status ${response.status}, not 200`);
  await response.arrayBuffer();
  return Object.fromEntries([...response.headers].filter(([name]) => !OWN.has(name)));
}

async function flatFolder(store: Store, keys: readonly string[]): Promise<string> {
  const folder = join(BENCH_FOLDER, "flat");
  const route: Route = routeNamed("record");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const pages = await PageStore.open(store.serving);
  for (const key of keys) {
    const page = pages.get(pageAddress(route, getPageFile(route, "2.0"), key));
    if (page !== null) await writeFile(join(folder, `${key}.json`), page.bytes);
  }
  pages.close();
  return folder;
}

/** Compares the two servers. `from` says whether the bare route has its pages in files or in memory. */
async function serverFigure(from: "file" | "memory", store: Store, keys: readonly string[]): Promise<Figure> {
  const folder = await flatFolder(store, keys);
  const measured = await startServer("ours", store, { keys, folder, headers: {} });
  const paths = keys.map((key) => `/records/${key}`);
  const headers = await fetchHeaders(`http://127.0.0.1:${measured.port}${paths[0]}`);
  const floor = await startServer(`bare-${from}`, store, { keys, folder, headers });
  try {
    await flood(floor.port, paths, WARM);
    await flood(measured.port, paths, WARM);
    const rounds: { under: number; over: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({
        under: await flood(floor.port, paths, FLOOD),
        over: await flood(measured.port, paths, FLOOD),
      });
    }
    const ratio = median(rounds.map(({ under, over }) => over / under));
    const rate = (side: "under" | "over") => Math.round(median(rounds.map((round) => round[side])));
    return {
      name: `page from ${from === "file" ? "a pack" : from} through our server, answers a second against a bare route with the same bytes`,
      ratio,
      goal: "≥ 0.5",
      met: ratio >= 0.5,
      detail: `bare ${rate("under")}/s, ours ${rate("over")}/s, ${FLOOD.connections} connections`,
    };
  } finally {
    for (const server of [measured, floor]) await server.stop();
  }
}

/** Starts a server in a separate process. */
export async function startServer(kind: ServingKind, store: Store, task: ServingTask) {
  const child = spawn(process.execPath, [childPath("serving-child.ts"), kind, store.root], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(task));
  const [line] = await once(child.stdout, "data");
  return {
    port: Number(line),
    async stop() {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
