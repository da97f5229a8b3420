/** Compares filtered lists and searches over HTTP with the same statements alone, over a million records. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "undici";
import { z } from "zod";
import { Random } from "../fixtures/generate/random.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { SORTS } from "../schemas/public/api/queries.ts";
import { corpusOf } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { median } from "./measure.ts";

const RECORDS = 1_000_000;
const ROUNDS = 3;
/** Requests of a kind in a round. Rounds differ, so that no total is cached. */
const REQUESTS = 300;
const AT_ONCE = [2, 16];
const GIB = 2 ** 30;

const sampled = z.object({
  data: z.array(z.object({ title: z.string().nullable(), repository: z.string().nullable() })),
});
const ready = z.object({ port: z.int(), seconds: z.number() });
const besideAnswer = z.object({ seconds: z.number(), bytes: z.number() });

/** Titles and labels of the release, for requests. */
interface Sample {
  readonly titles: readonly string[];
  readonly repositories: readonly string[];
}

type Kind = "filtered list" | "search";

/** Needs a release of the corpus from build-child.ts. */
export async function benchQueries(): Promise<Figure[]> {
  const store = await corpusOf(RECORDS);
  if ((await currentDigest(store)) === null) throw new Error(`${store.root} has no release: run build-child.ts on it`);
  const server = await startServer(store.root);
  try {
    const sample = await sampleOf(server.port);
    const figures: Figure[] = [];
    for (const kind of ["filtered list", "search"] as const) {
      for (const atOnce of AT_ONCE) figures.push(await queryFigure(server, sample, kind, atOnce));
    }
    return [...figures, ...(await readyFigures(server))];
  } finally {
    server.stop();
  }
}

async function startServer(root: string) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./queries-child.ts", import.meta.url)), root], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<unknown> => {
    const [line] = await once(lines, "line");
    return JSON.parse(String(line));
  };
  const { port, seconds } = ready.parse(await next());
  const tell = async (command: string) => {
    child.stdin.write(`${command}\n`);
    return next();
  };
  return { port, seconds, tell, stop: () => child.kill() };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Reads records of distant pages. */
async function sampleOf(port: number): Promise<Sample> {
  const rows = [];
  for (let page = 1; page <= 9000; page += 300) {
    const answer = await fetch(`http://127.0.0.1:${port}/records?limit=100&page=${page}`);
    rows.push(...sampled.parse(await answer.json()).data);
  }
  const present = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return {
    titles: present(rows.map(({ title }) => title)),
    repositories: present(rows.map(({ repository }) => repository)),
  };
}

function requestOf(kind: Kind, random: Random, { titles, repositories }: Sample): string {
  const query = new URLSearchParams({
    sortBy: random.pick(SORTS.records),
    sortOrder: random.pick(["asc", "desc"]),
    page: String(random.between(1, 20)),
  });
  if (kind === "search") {
    const words = random.pick(titles).split(" ");
    query.set("search", Array.from({ length: random.between(1, 3) }, () => random.pick(words)).join(" "));
  } else {
    if (random.chance(0.5)) query.set("repository", random.pick(repositories));
    query.set("minScore", String(random.between(0, 40)));
    query.set("maxScore", String(random.between(50, 100)));
  }
  return `/records?${query}`;
}

async function queryFigure(server: Server, sample: Sample, kind: Kind, atOnce: number): Promise<Figure> {
  const rounds: { readonly http: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const random = new Random(round, atOnce, kind.length);
    const paths = Array.from({ length: REQUESTS }, () => requestOf(kind, random, sample));
    // Statements of the samples and of the previous round do not count.
    await server.tell("bare 1");
    const http = median(await ask(server.port, paths, atOnce));
    const bare = median(z.array(z.number()).parse(await server.tell(`bare ${atOnce}`)));
    rounds.push({ http, bare });
  }
  const ratio = median(rounds.map(({ http, bare }) => http / bare));
  const text = (side: "http" | "bare") => median(rounds.map((round) => round[side])).toFixed(1);
  return {
    name: `${kind} over HTTP, time against its statements alone, ${atOnce} at once`,
    ratio,
    goal: "≤ 1.5",
    met: ratio <= 1.5,
    detail: `${RECORDS} records: medians ${text("http")} ms and ${text("bare")} ms`,
  };
}

/** Returns the milliseconds of each request. */
async function ask(port: number, paths: readonly string[], atOnce: number): Promise<number[]> {
  const queue = [...paths];
  const times: number[] = [];
  const work = async () => {
    const client = new Client(`http://127.0.0.1:${port}`);
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const begun = performance.now();
      const { statusCode, body } = await client.request({ path, method: "GET" });
      await body.text();
      if (statusCode !== 200) throw new Error(`${path}: status ${statusCode}`);
      times.push(performance.now() - begun);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}

async function readyFigures(server: Server): Promise<Figure[]> {
  const beside = besideAnswer.parse(await server.tell("beside"));
  const figure = (name: string, ratio: number, detail: string) => ({
    name,
    ratio,
    goal: "≤ 1",
    met: ratio <= 1,
    detail,
  });
  return [
    figure("server, getting ready on a release against 60 s", server.seconds / 60, `${server.seconds.toFixed(1)} s`),
    figure("the same beside a release in use", beside.seconds / 60, `${beside.seconds.toFixed(1)} s`),
    figure(
      "server, peak memory with two releases open against 1.5 GiB",
      beside.bytes / (1.5 * GIB),
      `${Math.round(beside.bytes / 2 ** 20)} MiB`,
    ),
  ];
}
