/**
 * Pages on the wire: our server over packs against a bare route. The floor sends the same bytes, headers and all: reading
 * them takes the client as long as the server takes to write them.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { routeNamed } from "../api-static/routes/index.ts";
import { pageOf, type Route } from "../api-static/routes/route.ts";
import { pageAddress } from "../pipeline/packs/format.ts";
import { PageStore } from "../pipeline/packs/page-store.ts";
import { moveLink } from "../pipeline/store/releases.ts";
import type { Store } from "../pipeline/store/store.ts";
import { BENCH_FOLDER, corpusOf } from "./corpus.ts";
import { type Flood, flood } from "./flood.ts";
import type { Figure } from "./measure.ts";
import { median } from "./measure.ts";
import type { ServingKind, ServingTask } from "./serving-child.ts";

/** Records of the release whose packs the server reads. */
const RECORDS = 200_000;
/** Pages that are asked for in turn: more than the server keeps in memory, so that each is read from its pack. */
const PAGES = 5000;
/** So few that it keeps them all. */
const KEPT = 500;
/** Headers that whoever answers makes itself. */
const OWN = new Set(["connection", "content-length", "content-type", "date", "etag", "keep-alive", "server"]);
const ROUNDS = 5;

const FLOOD: Flood = { seconds: 3, connections: 16, pipelining: 1 };
/** Servers run for weeks: what is measured is one that has compiled what it needs, and so has what it is compared with. */
const WARM: Flood = { ...FLOOD, seconds: 15 };

export async function benchServing(): Promise<Figure[]> {
  const packs = await servedStore(RECORDS);
  const keys = await keysOf(packs);
  return [await serverFigure("file", packs, keys), await serverFigure("memory", packs, keys.slice(0, KEPT))];
}

/** A store with a release that `serving` leads to. */
async function servedStore(records: number): Promise<Store> {
  const store = await corpusOf(records);
  const current = () => readlink(store.current).catch(() => null);
  if ((await current()) === null) {
    await promisify(execFile)(process.execPath, [childPath("build-child.ts"), store.root]);
  }
  await moveLink(store.serving, join(store.root, (await current()) ?? ""));
  return store;
}

function childPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Ids of records, spread over the packs of the release. */
async function keysOf(store: Store): Promise<string[]> {
  const pages = await PageStore.open(store.serving);
  const keys: string[] = [];
  for (const { key } of pages.entries("2.0/record")) keys.push(key);
  pages.close();
  const step = Math.max(1, Math.floor(keys.length / PAGES));
  return keys.filter((_, i) => i % step === 0).slice(0, PAGES);
}

/** What a page is answered with, beside what every server says. */
async function headersOf(url: string): Promise<Record<string, string>> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`);
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
    const page = pages.get(pageAddress(route, pageOf(route, "2.0"), key));
    if (page !== null) await writeFile(join(folder, `${key}.json`), page.bytes);
  }
  pages.close();
  return folder;
}

/** `from`: where the pages come from, in our server and in the bare route. */
async function serverFigure(from: "file" | "memory", store: Store, keys: readonly string[]): Promise<Figure> {
  const folder = await flatFolder(store, keys);
  const measured = await startServer("ours", store, { keys, folder, headers: {} });
  const paths = keys.map((key) => `/records/${key}`);
  const headers = await headersOf(`http://127.0.0.1:${measured.port}${paths[0]}`);
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

/** A server in a process of its own. */
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
