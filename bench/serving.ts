/**
 * Pages on the wire: nginx over a tree of page files against a flat folder, and our server over packs against a bare route.
 * Each floor sends the same bytes, headers and all: reading them takes the client as long as the server takes to write them.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nginxConfiguration } from "../api-static/nginx/index.ts";
import { routeNamed } from "../api-static/routes/index.ts";
import { pageOf, type Route } from "../api-static/routes/route.ts";
import { pageAddress } from "../pipeline/packs/pack-names.ts";
import { PageStore } from "../pipeline/packs/page-store.ts";
import { moveLink } from "../pipeline/store/releases.ts";
import type { Store } from "../pipeline/store/store.ts";
import { BENCH_FOLDER, corpusOf } from "./corpus.ts";
import type { Figure } from "./figure.ts";
import { type Flood, flood } from "./flood.ts";
import { median } from "./measure.ts";
import { type BenchNginx, benchNginx } from "./nginx.ts";
import type { ServingKind, ServingTask } from "./serving-child.ts";

/** Records of the release whose packs the server reads, and of the one whose pages are files as well. */
const RECORDS = { packs: 200_000, tree: 20_000 } as const;
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
  const tree = await servedStore(RECORDS.tree);
  await share("publish", "--to", tree.root, "--pages", "--store", tree.root);
  const packs = await servedStore(RECORDS.packs);
  const keys = await keysOf(packs);
  return [
    ...(await nginxFigures(tree, await keysOf(tree))),
    await serverFigure("file", packs, keys),
    await serverFigure("memory", packs, keys.slice(0, KEPT)),
  ];
}

async function share(...parameters: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [childPath("../bin/share-release.js"), ...parameters]);
}

/** A store with a release that `serving` leads to. */
async function servedStore(records: number): Promise<Store> {
  const store = await corpusOf(records);
  const current = () => readlink(store.current).catch(() => null);
  if ((await current()) === null) {
    await promisify(execFile)(process.execPath, [childPath("build-child.ts"), store.root]);
  }
  await moveLink(store, store.serving, join(store.root, (await current()) ?? ""));
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

async function nginxFigures(store: Store, keys: readonly string[]): Promise<Figure[]> {
  const flat = await flatFolder(store, keys);
  const tree = await benchNginx((port, folder) => ours(store, port, folder));
  const headers = await headersOf(`http://127.0.0.1:${tree.port}/records/${keys[0]}`);
  const floor = await benchNginx((port) => bare(flat, port, headers));
  try {
    const rounds: { under: Cost; measured: Cost }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const under = await costOf(
        floor,
        keys.map((key) => `/${key}.json`),
      );
      const measured = await costOf(
        tree,
        keys.map((key) => `/records/${key}`),
      );
      rounds.push({ under, measured });
    }
    const speed = median(rounds.map(({ under, measured }) => measured.rate / under.rate));
    // What others do on the machine only ever adds to it.
    const least = (side: "under" | "measured") => Math.min(...rounds.map((round) => round[side].cpu));
    const cost = least("under") / least("measured");
    const text = (side: "under" | "measured") =>
      `${Math.round(median(rounds.map((round) => round[side].rate)))}/s at ${(least(side) * 1e6).toFixed(1)} µs of processor`;
    const detail = `flat ${text("under")}, ours ${text("measured")}`;
    return [
      {
        name: "nginx over the tree, answers a second against a flat folder",
        ratio: speed,
        goal: "≥ 0.95",
        met: speed >= 0.95,
        detail,
      },
      { name: "the same, processor time an answer", ratio: cost, goal: "reported", met: true, detail },
    ];
  } finally {
    await tree.stop();
    await floor.stop();
    await rm(flat, { recursive: true, force: true });
  }
}

/** Answers a second, and seconds of nginx's processor time for one. */
interface Cost {
  readonly rate: number;
  readonly cpu: number;
}

async function costOf(nginx: BenchNginx, paths: readonly string[]): Promise<Cost> {
  const before = nginx.cpuSeconds();
  const rate = await flood(nginx.port, paths, FLOOD);
  return { rate, cpu: (nginx.cpuSeconds() - before) / (rate * FLOOD.seconds) };
}

function ours(store: Store, port: number, folder: string): string {
  return nginxConfiguration({
    store: store.root,
    listen: [`127.0.0.1:${port}`],
    upstream: ["127.0.0.1:9"],
    serverNames: [],
    cache: join(folder, "cache"),
    realIpFrom: [],
    rate: 1_000_000,
    burst: 1_000_000,
  });
}

/** What a page is answered with, beside what every server says. */
async function headersOf(url: string): Promise<Record<string, string>> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`);
  await response.arrayBuffer();
  return Object.fromEntries([...response.headers].filter(([name]) => !OWN.has(name)));
}

function bare(folder: string, port: number, headers: Readonly<Record<string, string>>): string {
  return `server {
    listen 127.0.0.1:${port};
    root ${folder};
    sendfile on;
    tcp_nopush on;
    types { application/json json; }
    charset utf-8;
    charset_types application/json;
    ${Object.entries(headers)
      .map(([name, value]) => `add_header ${name} ${JSON.stringify(value)};`)
      .join("\n    ")}
}`;
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
