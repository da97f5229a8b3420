/**
 * Serves a store in a separate process, and runs the statements of its responses without the server. Prints its port
 * and the seconds until it was ready. Answers each line of standard input with a line: `bare N` with milliseconds for
 * the statements of each request since the last line, N at a time; `again` with the seconds of opening the release a second
 * time; `beside` with the seconds of preparing it a second time, and peak bytes.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Database } from "../pipeline/engine/open.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { openStore } from "../pipeline/store/store.ts";
import { createServer } from "../server/index.ts";
import { OpenRelease } from "../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS, type Parameters, QueryEngine } from "../server/read/query-engine.ts";
import { silent, timed } from "./measure.ts";

interface Statement {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** More than any benchmark needs. */
const PLENTY = { requests: 1_000_000_000, seconds: 60 };

const [root = ""] = process.argv.slice(2);
const store = openStore(root);
const asking = new AsyncLocalStorage<Statement[]>();
let requests: Statement[][] = [];
let served: QueryEngine | null = null;

const rows = QueryEngine.prototype.rows;
QueryEngine.prototype.rows = function record(sql, parameters = {}) {
  served = this;
  asking.getStore()?.push({ sql, parameters });
  return rows.call(this, sql, parameters);
};

// An earlier run would have prepared the tables.
await rm(store.prepared(""), { recursive: true, force: true });
let port = "";
const seconds = await timed(async () => {
  const options = { logger: false, quotas: { anonymous: PLENTY } } as const;
  const { app } = await createServer(store, options, silent);
  app.addHook("onRequest", (_request, _reply, done) => {
    const statements: Statement[] = [];
    requests.push(statements);
    asking.run(statements, done);
  });
  port = new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port;
});
say({ port: Number(port), seconds });

for await (const line of createInterface({ input: process.stdin })) {
  const [command, count] = line.split(" ");
  if (command === "bare") say(await bare(Number(count)));
  else if (command === "again") say(await openedAgain());
  else say(await beside());
}

function say(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Runs statements on `atOnce` connections, without the server's queue. */
async function bare(atOnce: number): Promise<number[]> {
  const queue = requests.filter((statements) => statements.length > 0);
  requests = [];
  // The request that opened this database has ended.
  const db = await served
    ?.for({ caller: { kind: "key", id: "bench" }, signal: new AbortController().signal })
    .use(async (database) => database);
  if (db === undefined) throw new Error("no request has reached the tables");
  const times: number[] = [];
  const work = async () => {
    for (let statements = queue.pop(); statements !== undefined; statements = queue.pop()) {
      const begun = performance.now();
      for (const { sql, parameters } of statements) await drain(db, sql, parameters);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}

async function drain(db: Database, sql: string, parameters: Parameters): Promise<number> {
  let found = 0;
  for await (const batch of db.stream(sql, parameters)) found += batch.length;
  return found;
}

async function beside(): Promise<{ seconds: number; bytes: number }> {
  await rm(store.prepared(""), { recursive: true });
  const spent = await openedAgain();
  return { seconds: spent, bytes: process.resourceUsage().maxRSS * 1024 };
}

/** Returns the seconds that opening the release takes. */
async function openedAgain(): Promise<number> {
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`${root} has no release`);
  const { signal } = new AbortController();
  let other: OpenRelease | null = null;
  const spent = await timed(async () => {
    other = await OpenRelease.open(store, digest, DEFAULT_QUERY_OPTIONS, signal);
  });
  await (other as OpenRelease | null)?.close();
  return spent;
}
