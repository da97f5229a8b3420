/** Streams of a list of a million records need limited memory in either format, and end when the client disconnects. */

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { RecordBatchReader } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchMemory } from "../../bench/measure.ts";
import { writeGenerated } from "../../fixtures/write.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { STREAM_PLACES } from "../../server/read/list-response.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

/** Number of records. SOAK_RECORDS sets it; with a million the suite takes half an hour, mostly for the build. */
const RECORDS = Number(process.env.SOAK_RECORDS ?? 1_000_000);
/**
 * Path of a store with this many records and an active release, for example of a benchmark. With it, the suite builds nothing.
 */
const MADE = process.env.SOAK_STORE ?? null;
const PATIENCE = 7_200_000;

/** Bytes by which a stream may raise the memory of the server: some batches of rows, and the engine's own limit. */
const MAX_ADDED = 700 * 1024 ** 2;

const FORMS = ["application/x-ndjson", "application/vnd.apache.arrow.stream"] as const;

describe("streams of a large list", { timeout: PATIENCE }, () => {
  let folder: TemporaryStore;
  let server: Listening;

  beforeAll(async () => {
    folder = await temporaryStore();
    if (MADE === null) {
      await writeGenerated(folder.store, { source: "datacite", records: RECORDS, seed: 11 }, recordedEffects());
      const { receipt } = await buildRelease(folder.store);
      await activate(folder.store, receipt.releaseDigest);
    }
    server = await serve(MADE === null ? folder.store : openStore(MADE));
  }, PATIENCE);

  afterAll(async () => {
    await server?.close();
    await folder?.[Symbol.asyncDispose]();
  }, PATIENCE);

  test.each(FORMS)("a stream of a large list as %s contains every row, and needs limited memory", async (accept) => {
    const before = process.memoryUsage.rss();
    const peak = watchMemory();
    const { total, rows } = await countRows(server.port, accept);
    expect(rows).toBe(total);
    expect(rows).toBeGreaterThan(0.9 * RECORDS);
    expect(peak() - before).toBeLessThan(MAX_ADDED);
  });

  test.each(FORMS)(
    "a stream of a large list as %s ends its query and frees its place if the client disconnects",
    async (accept) => {
      for (let i = 0; i < 3 * STREAM_PLACES.each; i += 1) await leaveAfter(server.port, accept, 3_000_000);
      await expect
        .poll(async () => (await ask(server.port, "/records?fields=id&limit=1", {})).status, { timeout: 60_000 })
        .toBe(200);
      const used = process.cpuUsage();
      await sleep(5_000);
      const { user, system } = process.cpuUsage(used);
      // At most half of the five seconds, because a query without a client would use most of one processor.
      expect((user + system) / 1e6).toBeLessThan(2.5);
    },
  );
});

/** Reads a stream to its end and discards the rows. */
async function countRows(port: number, accept: string): Promise<{ total: number; rows: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}/records`, { headers: { accept } });
  const total = Number(answer.headers.get("x-total-count"));
  if (answer.status !== 200 || answer.body === null) throw new Error(`GET /records returned ${answer.status}`);
  let rows = 0;
  if (accept === FORMS[0]) {
    for await (const piece of answer.body) for (const byte of piece) if (byte === 10) rows += 1;
  } else {
    for await (const { numRows } of await RecordBatchReader.from(answer.body)) rows += numRows;
  }
  return { total, rows };
}

/** Reads this many bytes or the whole stream, and then disconnects. */
function leaveAfter(port: number, accept: string, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request({ port, path: "/records", headers: { accept }, agent: false }, (reply) => {
      let read = 0;
      reply.on("data", (piece: Uint8Array) => {
        read += piece.length;
        if (read >= bytes) reply.destroy();
      });
      reply.on("error", () => {});
      reply.once("close", () =>
        reply.statusCode === 200 ? resolve() : reject(new Error(`GET /records returned ${reply.statusCode}`)),
      );
    });
    asking.on("error", reject);
    asking.end();
  });
}
