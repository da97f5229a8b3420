/**
 * One server in a process of its own: `ours` over a store, or `bare`, a route that returns the same bytes from memory.
 * Reads the keys of the pages from standard input and prints its port.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { pageOf, pagePath } from "../api-static/route.ts";
import { routeNamed } from "../api-static/routes.ts";
import { openStore } from "../pipeline/store.ts";
import { createServer } from "../server/index.ts";
import { silent } from "./silent.ts";

/** No quota is met. */
const PLENTY = { requests: 1_000_000_000, seconds: 60 };

const [kind = "", root = ""] = process.argv.slice(2);
const keys: string[] = JSON.parse(await text(process.stdin));
const app = kind === "ours" ? await ours() : bare();
process.stdout.write(`${new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port}\n`);

async function ours() {
  const server = await createServer(openStore(root), { logger: false, quotas: { anonymous: PLENTY } }, silent);
  return server.app;
}

function bare() {
  const route = routeNamed("record");
  const folder = openStore(root).serving;
  const file = (key: string) => readFileSync(join(folder, pagePath(route, pageOf(route, "2.0"), key)));
  const pages = new Map(keys.map((key) => [key, file(key)]));
  const server = Fastify({ logger: false });
  server.get<{ Params: { id: string } }>("/records/:id", async (request, reply) =>
    reply.type(route.contentType).send(pages.get(request.params.id)),
  );
  return server;
}
