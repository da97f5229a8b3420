/**
 * Measures how long one reader waits beside greedy callers, and compares this with the same reader alone. The greedy
 * callers read three or six whole lists, use up the quota of an API key on the most expensive route, or send drafts
 * from nine addresses.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, type Dispatcher, request } from "undici";
import { z } from "zod";
import { Random } from "../fixtures/generate/random.ts";
import { prepareReleasedCorpus } from "./build.ts";
import type { Figure } from "./measure.ts";

const RECORDS = 200_000;
/** Milliseconds for which the reader is measured beside each kind of greedy callers. */
const MILLISECONDS = 15_000;
/** Milliseconds by which greedy callers begin earlier than the reader, so that their queues are full. */
const HEAD_START = 3000;
/** Number of addresses from which three drafts at a time are sent. */
const SENDERS = 9;
/** Pause of the reader between two requests, in milliseconds. */
const PAUSE = 100;
/** Number of requests that the greedy API key has open at the same time. */
const AT_ONCE = 32;

export async function benchLoad(): Promise<Figure[]> {
  const store = await prepareReleasedCorpus(RECORDS);
  const child = spawn(process.execPath, [fileURLToPath(new URL("./load-child.ts", import.meta.url)), store.root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reader = new Agent({ localAddress: "127.0.0.1" });
  try {
    const [port] = await once(child.stdout, "data");
    const url = `http://127.0.0.1:${Number(port)}`;
    await measureTimes(url, reader, HEAD_START);
    const figures: Figure[] = [];
    for (const [name, start] of Object.entries(GREEDY)) figures.push(await readerFigure(name, url, reader, start));
    return figures;
  } finally {
    await reader.close();
    child.kill();
  }
}

async function readerFigure(
  name: string,
  url: string,
  reader: Agent,
  start: (callers: Callers) => Promise<unknown>,
): Promise<Figure> {
  const alone = await measureTimes(url, reader, MILLISECONDS);
  const end = new AbortController();
  const greedy = start({ url, signal: end.signal });
  await sleep(HEAD_START);
  const beside = await measureTimes(url, reader, MILLISECONDS);
  end.abort();
  await greedy;
  const ratio = percentile(beside, 95) / percentile(alone, 95);
  const text = (times: readonly number[]) =>
    [50, 95, 100].map((share) => Math.round(percentile(times, share))).join(", ");
  return {
    name: `lists and searches of one reader beside ${name}, 95th percentile against the reader alone`,
    ratio,
    goal: "≤ 5",
    met: ratio <= 5,
    detail: `p50, p95 and longest ${text(beside)} ms, alone ${text(alone)} ms`,
  };
}

let rounds = 0;

/**
 * Sends requests one after another, and returns the milliseconds of each. Each round has other requests, so none is
 * cached.
 */
async function measureTimes(url: string, dispatcher: Dispatcher, milliseconds: number): Promise<number[]> {
  rounds += 1;
  const random = new Random(milliseconds, rounds, 0);
  const times: number[] = [];
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    const begun = performance.now();
    const path = random.chance(0.5)
      ? `/records?search=${random.pick(WORDS)}&minScore=${random.between(0, 3000) / 100}&limit=20`
      : `/records?minScore=${random.between(0, 4000) / 100}&maxScore=${random.between(50, 100)}&sortBy=title&limit=20`;
    const { statusCode, body } = await request(`${url}${path}`, {
      dispatcher,
      headers: { "x-api-key": await fetchKey(url) },
    });
    await body.text();
    if (statusCode !== 200) throw new Error(`the server responds to ${path} with status ${statusCode}, not 200`);
    times.push(performance.now() - begun);
    await sleep(PAUSE);
  }
  return times;
}

const WORDS = ["data", "ocean", "survey", "of", "analysis", "temperature", "sequencing", "a", "imaging"];

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

/** The server that greedy callers send requests to, and the signal that ends them. */
interface Callers {
  readonly url: string;
  readonly signal: AbortSignal;
}

const GREEDY: Readonly<Record<string, (callers: Callers) => Promise<unknown>>> = {
  "three readers of whole lists": (callers) =>
    Promise.all([2, 3, 4].map((host) => untilEnd(callers, `127.0.0.${host}`, readStream))),
  "six readers of whole lists": (callers) =>
    Promise.all([2, 2, 3, 3, 4, 4].map((host) => untilEnd(callers, `127.0.0.${host}`, readStream))),
  "a key at its quota": (callers) =>
    Promise.all(Array.from({ length: AT_ONCE }, () => untilEnd(callers, "127.0.0.2", askExpensive))),
  "nine senders of drafts": (callers) =>
    Promise.all(
      Array.from({ length: 3 * SENDERS }, (_, i) => untilEnd(callers, `127.0.0.${2 + (i % SENDERS)}`, sendDraft)),
    ),
};

type Ask = (url: string, options: { dispatcher: Dispatcher; signal: AbortSignal }) => Promise<number>;

async function untilEnd({ url, signal }: Callers, localAddress: string, ask: Ask): Promise<void> {
  const dispatcher = new Agent({ localAddress });
  while (!signal.aborted) {
    const status = await ask(url, { dispatcher, signal }).catch(() => 0);
    // Waits as a polite client does.
    if (status !== 200) await sleep(1000, undefined, { signal }).catch(() => undefined);
  }
  await dispatcher.destroy();
}
const readStream: Ask = async (url, options) => {
  const headers = { accept: "application/x-ndjson" };
  const { statusCode, body } = await request(`${url}/records?sortBy=score&sortOrder=desc`, { ...options, headers });
  await body.dump({ limit: Number.POSITIVE_INFINITY, signal: options.signal });
  return statusCode;
};

let asked = 0;

/**
 * Sends an expensive request. Only half of the requests have filters of their own: the others differ only in a
 * parameter that the server ignores.
 */
const askExpensive: Ask = async (url, options) => {
  asked += 1;
  const headers = { "x-api-key": await fetchKey(url, "greedy") };
  const path = `/improvements?minScore=${(asked % 2) * ((asked % 4000) / 100)}&_=${asked}`;
  const { statusCode, body } = await request(`${url}${path}`, { ...options, headers });
  await body.dump();
  return statusCode;
};

const CREATORS = Array.from({ length: 20_000 }, (_, i) => ({ name: `Example, Person ${i}`, nameType: "Personal" }));
const DRAFT = JSON.stringify({
  id: "10.5072/draft",
  type: "dois",
  attributes: {
    doi: "10.5072/draft",
    titles: [{ title: "A draft" }],
    creators: CREATORS,
    types: { resourceTypeGeneral: "Dataset" },
    state: "findable",
    isActive: true,
  },
});

const sendDraft: Ask = async (url, options) => {
  const headers = { "content-type": "application/json" };
  const { statusCode, body } = await request(`${url}/evaluations/draft?source=datacite`, {
    ...options,
    method: "POST",
    headers,
    body: DRAFT,
  });
  await body.dump();
  return statusCode;
};

const keys = new Map<string, Promise<string>>();
/** Returns the API key with this name, which is registered at the first call. */
function fetchKey(url: string, name = "reader"): Promise<string> {
  const known = keys.get(`${url} ${name}`);
  if (known !== undefined) return known;
  const registering = register(url, name);
  keys.set(`${url} ${name}`, registering);
  return registering;
}

async function register(url: string, name: string): Promise<string> {
  const { body } = await request(`${url}/api-keys/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, email: "bench@example.org" }),
  });
  return z.object({ key: z.string() }).parse(await body.json()).key;
}
