/**
 * Serves a store in a separate process, and can also read the rows of requests without HTTP. Prints its port and the
 * seconds until it was ready. Each line of standard input is a command in JSON, and the answer is one line. `read`
 * answers with the milliseconds that the rows of each request took, `again` with the seconds to open the release once
 * more, and `beside` with the seconds to prepare the release once more and the peak memory in bytes.
 */

import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { z } from "zod";
import { routeNamed } from "../api-static/routes/index.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { openStore } from "../pipeline/store/store.ts";
import { lookupRequest } from "../schemas/public/api/lookup.ts";
import { PUBLIC_VERSIONS } from "../schemas/public/rubric.ts";
import { createServer } from "../server/index.ts";
import { listQuery } from "../server/read/list-tables.ts";
import { lookUp } from "../server/read/lookup.ts";
import { OpenRelease } from "../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS, QueryEngine } from "../server/read/query-engine.ts";
import { findRows, readRows } from "../server/read/rows.ts";
import { silent, timed } from "./measure.ts";

const request = z.object({ path: z.string(), body: z.string().nullable() });
type Request = z.infer<typeof request>;

const command = z.discriminatedUnion("name", [
  z.object({ name: z.literal("read"), requests: z.array(request), atOnce: z.int() }),
  z.object({ name: z.literal("again") }),
  z.object({ name: z.literal("beside") }),
]);

/** A quota that no benchmark reaches. */
const PLENTY = { requests: 1_000_000_000, seconds: 60 };

const [root = ""] = process.argv.slice(2);
const store = openStore(root);
let served: QueryEngine | null = null;

const rows = QueryEngine.prototype.rows;
QueryEngine.prototype.rows = function note(sql, parameters = {}) {
  served = this;
  return rows.call(this, sql, parameters);
};

// An earlier run would have prepared the tables.
await rm(store.prepared(""), { recursive: true, force: true });
let port = "";
const seconds = await timed(async () => {
  const options = { logger: false, quotas: { anonymous: PLENTY } } as const;
  const { app } = await createServer(store, options, silent);
  port = new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port;
});
say({ port: Number(port), seconds });

for await (const line of createInterface({ input: process.stdin })) {
  const given = command.parse(JSON.parse(line));
  if (given.name === "read") say(await readAll(given.requests, given.atOnce));
  else if (given.name === "again") say(await openedAgain());
  else say(await beside());
}

function say(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Reads the rows of requests, `atOnce` requests at a time. Returns the milliseconds of each request. */
async function readAll(requests: readonly Request[], atOnce: number): Promise<number[]> {
  const engine = served?.for({ caller: { kind: "key", id: "bench" }, signal: new AbortController().signal });
  if (engine === undefined)
    throw new Error("no request has reached the tables of the release; send one over HTTP first");
  const queue = [...requests];
  const times: number[] = [];
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const begun = performance.now();
      await readOne(engine, next);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}

async function readOne(engine: QueryEngine, { path, body }: Request): Promise<void> {
  if (body !== null) {
    const { identifiers } = lookupRequest.parse(JSON.parse(body));
    await lookUp(identifiers, PUBLIC_VERSIONS[0], { engine });
    return;
  }
  const fields = Object.fromEntries(new URL(path, "http://127.0.0.1").searchParams);
  const query = listQuery.parse(routeNamed("records").query.parse(fields));
  const { positions } = await findRows(engine, "records", query);
  await readRows(engine, "records", query.rubric, positions);
}

async function beside(): Promise<{ seconds: number; bytes: number }> {
  await rm(store.prepared(""), { recursive: true });
  const spent = await openedAgain();
  return { seconds: spent, bytes: process.resourceUsage().maxRSS * 1024 };
}

/** Returns the seconds that it takes to open the release once more. */
async function openedAgain(): Promise<number> {
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`${root} has no release: run bench/build-child.ts on it`);
  const { signal } = new AbortController();
  let other: OpenRelease | null = null;
  const spent = await timed(async () => {
    other = await OpenRelease.open(store, digest, DEFAULT_QUERY_OPTIONS, signal);
  });
  await (other as OpenRelease | null)?.close();
  return spent;
}
