/** Whatever a source responds, the server continues to serve other clients. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Services, services } from "../evaluate/services.ts";
import { post } from "../evaluations/post.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve, UNLIMITED } from "../server/test-store.ts";
import { mostBlocked } from "../support/blocked.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { HOSTILE_PAYLOADS } from "./hostile-payloads.ts";

/** The limit, in milliseconds, for the time between two turns of the event loop of this thread. */
const MAX_BLOCK_MS = 200;

/**
 * Megabytes of memory that the server may need for a response of 5 MB before a worker reads it, uncollected garbage included.
 */
const MAX_MEGABYTES = 150;

let there: Services;
let server: Listening;
let empty: TemporaryStore;

beforeAll(async () => {
  there = await services();
  empty = await temporaryStore();
  const quotas = { ...UNLIMITED, evaluation: { requests: 1_000_000, seconds: 60 } };
  server = await serve(empty.store, { quotas, evaluations: { upstreams: there.upstreams } });
  // The first evaluations start the workers.
  await evaluate(99_000_000);
}, 300_000);

afterAll(async () => {
  await server?.close();
  await there?.[Symbol.asyncDispose]();
  await empty?.[Symbol.asyncDispose]();
});

const evaluate = (id: number) =>
  post(server.port, "/evaluations", { identifier: `zenodo/${id}`, rubricVersion: "2.0" });

describe("one anonymous request blocks the server for less than 200 ms and does not exhaust its memory", () => {
  test.each(HOSTILE_PAYLOADS.map((payload, i) => ({ ...payload, id: 99_000_100 + i })))(
    "a response of a source does not block the server or exhaust its memory: $name",
    async ({ record, id }) => {
      // The response is made beforehand, because making it is the work of the source and not of the server.
      const body = Buffer.from(JSON.stringify(record(id)));
      expect(body.length).toBeLessThan(5 * 1024 * 1024);
      there.fault = (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(body);
        return true;
      };
      let over = false;
      let answered = 0;
      let most = 0;
      const before = memory();
      const others = async () => {
        while (!over) {
          await ask(server.port, "/health");
          most = Math.max(most, memory() - before);
          answered += 1;
        }
      };
      const { result, blocked } = await mostBlocked(async () => {
        const asking = others();
        const reply = await evaluate(id);
        over = true;
        await asking;
        return reply;
      });
      expect([201, 502, 504], result.text).toContain(result.status);
      if (result.status !== 201) expect(Number(result.headers["retry-after"])).toBeGreaterThan(0);
      expect(blocked).toBeLessThan(MAX_BLOCK_MS);
      expect(most).toBeLessThan(MAX_MEGABYTES);
      expect(answered).toBeGreaterThan(0);
    },
  );
});

/** Returns the megabytes that JavaScript uses, inside and outside its heap. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 ** 2;
}
