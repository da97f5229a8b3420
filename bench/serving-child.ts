/**
 * Runs one server in a separate process: ours over a store, or a bare route that sends the same bytes from memory or
 * files. Reads its task from standard input, and prints its port.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { routeNamed } from "../api-static/routes/index.ts";
import { openStore } from "../pipeline/store/store.ts";
import { createServer } from "../server/index.ts";
import { silent } from "./measure.ts";

/** A quota that no benchmark reaches. */
const PLENTY = { requests: 1_000_000_000, seconds: 60 };

export type ServingKind = "ours" | "bare-file" | "bare-memory";

export interface ServingTask {
  readonly keys: readonly string[];
  /** Folder from which a bare route reads, with a file for each page. */
  readonly folder: string;
  /** Headers that a bare route sends. */
  readonly headers: Readonly<Record<string, string>>;
}

const [kind = "", root = ""] = process.argv.slice(2);
const { keys, folder, headers }: ServingTask = JSON.parse(await text(process.stdin));
const app = kind === "ours" ? await ours() : bare();
process.stdout.write(`${new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port}\n`);

async function ours() {
  const server = await createServer(openStore(root), { logger: false, quotas: { anonymous: PLENTY } }, silent);
  return server.app;
}

function bare() {
  const route = routeNamed("record");
  const read = (key: string) => readFileSync(join(folder, `${key}.json`));
  const pages = new Map(kind === "bare-memory" ? keys.map((key) => [key, read(key)]) : []);
  const server = Fastify({ logger: false });
  server.get<{ Params: { id: string } }>("/records/:id", async ({ params: { id } }, reply) =>
    reply
      .headers(headers)
      .type(route.contentType)
      .send(pages.get(id) ?? read(id)),
  );
  return server;
}
