/** Whatever a source responds, the server continues to serve other clients. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Services, services } from "../evaluate/services.ts";
import { post } from "../evaluations/post.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve, UNLIMITED } from "../server/test-store.ts";
import { mostBlocked } from "../support/blocked.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { HOSTILE_PAYLOADS } from "./hostile-payloads.ts";

/** Milliseconds of this thread's time between two turns of its event loop. */
const MAX_BLOCK_MS = 200;

/** Megabytes that an answer of 5 MB may take here, on its way to a worker, with garbage that is not yet collected. */
const MAX_MEGABYTES = 150;

let there: Services;
let server: Listening;
let empty: TemporaryStore;

beforeAll(async () => {
  there = await services();
  empty = await temporaryStore();
  const quotas = { ...UNLIMITED, evaluation: { requests: 1_000_000, seconds: 60 } };
  server = await serve(empty.store, { quotas, evaluations: { upstreams: there.upstreams } });
  // Workers are started by the first who need them.
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
    "$name",
    async ({ record, id }) => {
      // Written beforehand: it is the source's work, not the server's.
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

/** What JavaScript holds, and what it holds outside its heap. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 ** 2;
}
