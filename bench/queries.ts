/**
 * Compares filtered lists, searches and lookups over HTTP with reading the same kind of rows without HTTP, in a release
 * of a million records.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "undici";
import { z } from "zod";
import { Random } from "../fixtures/generate/random.ts";
import { openTables, releaseTablePaths } from "../pipeline/pages/columns.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import type { Store } from "../pipeline/store/store.ts";
import { listSorts } from "../schemas/public/api/lists.ts";
import { MAX_LOOKED_UP } from "../schemas/public/api/lookup.ts";
import { SIGNAL_IDS } from "../schemas/public/signal.ts";
import { prepareReleasedCorpus } from "./build.ts";
import type { Figure } from "./measure.ts";
import { median } from "./measure.ts";

const RECORDS = 1_000_000;
const ROUNDS = 3;
/**
 * Number of requests of each kind in a round, over HTTP and without it. All of them differ, so that few totals are
 * cached.
 */
const REQUESTS = 300;
const GIB = 2 ** 30;

const ready = z.object({ port: z.int(), seconds: z.number() });
const againAnswer = z.number();
const besideAnswer = z.object({ seconds: z.number(), bytes: z.number() });

/** SQL for the values that generated requests use in filters. The values are from the release. */
const SAMPLED = {
  titles: "title from record",
  repositories: "repository from record",
  dates: "pub_date from record",
  dois: "doi from record",
  organisations: "ror from reported_affiliation",
  institutions: "id from institution",
  funders: "funder_id from funding",
  awards: "award_number from funding",
  researchers: "researcher_id from authorship",
} as const;

const SAMPLE_SIZE = 20_000;

type Sample = Readonly<Record<keyof typeof SAMPLED, readonly string[]>>;

export async function benchQueries(records = RECORDS): Promise<Figure[]> {
  const store = await prepareReleasedCorpus(records);
  const sample = await readSample(store);
  const server = await startServer(store.root);
  try {
    const figures: Figure[] = [];
    for (const [kind, { atOnce }] of Object.entries(KINDS)) {
      for (const requests of atOnce) figures.push(await queryFigure({ server, sample, records }, kind, requests));
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
  const tell = async (command: object) => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return next();
  };
  return { port, seconds, tell, stop: () => child.kill() };
}

type Server = Awaited<ReturnType<typeof startServer>>;

interface Measured {
  readonly server: Server;
  readonly sample: Sample;
  readonly records: number;
}

/**
 * Reads the values that the generated requests use, from the release of the store.
 * @throws Error if the store has no release
 */
async function readSample(store: Store): Promise<Sample> {
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`${store.root} has no release: run bench/build-child.ts on it`);
  const paths = releaseTablePaths(store.release(digest));
  const db = await openTables(paths, { threads: 2, memory: "1GB", isOlder: true });
  try {
    const entries = [];
    for (const [name, expression] of Object.entries(SAMPLED)) {
      const [column] = expression.split(" ");
      const rows = await db.rows(
        `select value from (select distinct ${expression.replace(" ", " as value ")} where ${column} is not null) as every
         order by hash(value) limit ${SAMPLE_SIZE}`,
      );
      entries.push([name, rows.map(({ value }) => String(value))]);
    }
    return Object.fromEntries(entries);
  } finally {
    db.close();
  }
}

interface Kind {
  readonly atOnce: readonly number[];
  /** Returns the filters of a request. */
  readonly filters: (random: Random, sample: Sample) => Readonly<Record<string, string>>;
}

/** Numbers of requests that are sent at the same time. Filtered lists and searches are measured with both. */
const BOTH = [2, 16];
const FEW = [2];

const KINDS: Readonly<Record<string, Kind>> = {
  "filtered list": {
    atOnce: BOTH,
    filters: (random, { repositories }) => ({
      ...(random.chance(0.5) ? { repository: random.pick(repositories) } : {}),
      minScore: String(random.between(0, 40)),
      maxScore: String(random.between(50, 100)),
    }),
  },
  search: {
    atOnce: BOTH,
    filters: (random, { titles }) => {
      const words = random.pick(titles).split(" ");
      return { search: Array.from({ length: random.between(1, 3) }, () => random.pick(words)).join(" ") };
    },
  },
  "list by signals": {
    atOnce: FEW,
    filters: (random) => ({
      signals: [...new Set([random.pick(SIGNAL_IDS), random.pick(SIGNAL_IDS)])]
        .map((id) => `${id}:${random.pick(["absent", "passed", "not_evaluable"])}`)
        .join(","),
    }),
  },
  "list by dates": {
    atOnce: FEW,
    filters: (random, { dates }) => {
      const [from = "", until = ""] = [random.pick(dates), random.pick(dates)].toSorted();
      return { publishedFrom: from, publishedUntil: until };
    },
  },
  "list by organisation": {
    atOnce: FEW,
    filters: (random, { organisations }) => ({ ror: random.pick(organisations) }),
  },
  "list by institution": {
    atOnce: FEW,
    filters: (random, { institutions }) => ({ institution: random.pick(institutions) }),
  },
  "list by funder": { atOnce: FEW, filters: (random, { funders }) => ({ funder: random.pick(funders) }) },
  "list by award": { atOnce: FEW, filters: (random, { awards }) => ({ award: random.pick(awards) }) },
  "list by researcher": { atOnce: FEW, filters: (random, { researchers }) => ({ author: random.pick(researchers) }) },
  [`lookup of ${MAX_LOOKED_UP}`]: { atOnce: FEW, filters: () => ({}) },
};

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

function makeRequest(kind: string, random: Random, sample: Sample): Request {
  if (kind.startsWith("lookup")) {
    const identifiers = Array.from({ length: MAX_LOOKED_UP }, () => random.pick(sample.dois));
    const headers = { "content-type": "application/json" };
    return { method: "POST", path: "/records/lookup", headers, body: JSON.stringify({ identifiers }) };
  }
  const query = new URLSearchParams({
    sortBy: random.pick(listSorts("records")),
    sortOrder: random.pick(["asc", "desc"]),
    page: String(random.between(1, 20)),
    ...KINDS[kind]?.filters(random, sample),
  });
  return { method: "GET", path: `/records?${query}`, headers: {}, body: null };
}

async function queryFigure({ server, sample, records }: Measured, kind: string, atOnce: number): Promise<Figure> {
  const rounds: { readonly http: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const random = new Random(round, atOnce, kind.length);
    const some = () => Array.from({ length: REQUESTS }, () => makeRequest(kind, random, sample));
    const http = median(await ask(server.port, some(), atOnce));
    const bare = median(z.array(z.number()).parse(await server.tell({ name: "read", requests: some(), atOnce })));
    rounds.push({ http, bare });
  }
  const ratio = median(rounds.map(({ http, bare }) => http / bare));
  const text = (side: "http" | "bare") => median(rounds.map((round) => round[side])).toFixed(1);
  return {
    name: `${kind} over HTTP, time against reading its rows alone, ${atOnce} at once`,
    ratio,
    goal: "≤ 1.5",
    met: ratio <= 1.5,
    detail: `${records} records: medians ${text("http")} ms and ${text("bare")} ms`,
  };
}

/** Sends requests, `atOnce` at a time, and returns the milliseconds of each. */
async function ask(port: number, requests: readonly Request[], atOnce: number): Promise<number[]> {
  const queue = [...requests];
  const times: number[] = [];
  const work = async () => {
    const client = new Client(`http://127.0.0.1:${port}`);
    for (let request = queue.pop(); request !== undefined; request = queue.pop()) {
      const begun = performance.now();
      const { statusCode, body } = await client.request(request);
      await body.text();
      if (statusCode !== 200)
        throw new Error(`the server responds to ${request.path} with status ${statusCode}, not 200`);
      times.push(performance.now() - begun);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}

async function readyFigures(server: Server): Promise<Figure[]> {
  const again = againAnswer.parse(await server.tell({ name: "again" }));
  const beside = besideAnswer.parse(await server.tell({ name: "beside" }));
  const figure = (name: string, ratio: number, detail: string) => ({
    name,
    ratio,
    goal: "≤ 1",
    met: ratio <= 1,
    detail,
  });
  return [
    figure("server, getting ready on a release against 60 s", server.seconds / 60, `${server.seconds.toFixed(1)} s`),
    figure("opening tables that another start prepared against 2 s", again / 2, `${again.toFixed(2)} s`),
    figure("getting ready beside a release in use against 60 s", beside.seconds / 60, `${beside.seconds.toFixed(1)} s`),
    figure(
      "server, peak memory with two releases open against 1.5 GiB",
      beside.bytes / (1.5 * GIB),
      `${Math.round(beside.bytes / 2 ** 20)} MiB`,
    ),
  ];
}
