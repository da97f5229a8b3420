/** While releases are activated under load for a minute, no request fails, and no response mixes two releases. */

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { listeningAddress } from "../cli/listening-address.ts";
import { startCommand } from "../support/command-line.ts";
import { filledStore, type TemporaryStore } from "../support/temporary-store.ts";

const SECONDS = 60;
const CONNECTIONS = 16;

/** Lists, queries, searches, late pages and metrics, all with their release in the body and in a header. */
const PATHS = [
  "/records",
  "/records?sortBy=score&sortOrder=desc",
  "/records?sortBy=title&page=7&limit=50",
  "/records?minScore=40&sortBy=pubDate&sortOrder=desc",
  "/records?search=water",
  "/records?repository=Zenodo&limit=100&rubric=1.0",
  "/authors?sortBy=sIndex&sortOrder=desc",
  "/authors?search=a&minDatasets=1",
  "/institutions?limit=50&page=2",
  "/geography?sortBy=recordCount&sortOrder=desc",
  "/metrics/live",
] as const;

let temporary: TemporaryStore;
let digests: readonly string[];

beforeAll(async () => {
  const filled = await filledStore({
    generated: { datacite: 2000, zenodo: 800, clinicaltrials: 200, seed: 5 },
    builds: ["2026-11-01", "2026-11-02", "2026-11-03"].map((asOf) => ({ asOf })),
  });
  temporary = filled;
  digests = filled.digests;
});

afterAll(() => temporary[Symbol.asyncDispose]());

test(`a server under ${CONNECTIONS} connections for ${SECONDS} seconds serves whole releases while three are activated in turn`, async () => {
  const quotas = ["--rate", "100000000"];
  const child = startCommand(["serve", "--port", "0", "--json", ...quotas, "--store", temporary.store.root], {
    environment: { SHARE_LOG_LEVEL: "warn" },
  });
  child.stderr?.resume();
  try {
    const { address } = await listeningAddress(child);
    const seen = new Map<string, number>();
    const wrong: string[] = [];
    const requests = PATHS.map((path) => ({
      path,
      onResponse(status: number, body: string, _context: object, headers: Record<string, unknown> = {}) {
        const digest = String(lowerCased(headers)["share-release"]);
        seen.set(digest, (seen.get(digest) ?? 0) + 1);
        const named = body.match(/"releaseDigest":"(sha256:[0-9a-f]{64})"/g) ?? [];
        if (status !== 200) wrong.push(`${path}: ${status} ${body.slice(0, 200)}`);
        if (named.length === 0) wrong.push(`${path}: names no release`);
        if (!named.every((text) => text.includes(digest)))
          wrong.push(`${path}: ${named.join(" and ")} under ${digest}`);
      },
    }));
    const load = autocannon({ url: address, connections: CONNECTIONS, duration: SECONDS, requests });
    let running = true;
    const ended = load.then((result) => {
      running = false;
      return result;
    });
    let switches = 0;
    for (; running; switches += 1) {
      await activate(temporary.store, digests[switches % digests.length] ?? "");
      await Promise.race([sleep(2000), ended]);
    }
    const result = await ended;
    expect(wrong.slice(0, 10)).toEqual([]);
    expect({ errors: result.errors, timeouts: result.timeouts, others: result.non2xx }).toEqual({
      errors: 0,
      timeouts: 0,
      others: 0,
    });
    expect([...seen.keys()].sort()).toEqual([...digests].sort());
    console.log(
      `${result.requests.total} requests, ${switches} switches, answers by release ${[...seen.values()].join(", ")}`,
    );
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
  }
});

function lowerCased(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
