/** Tests that a line far beyond the limit for a record is never held in memory as a whole. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

const MB = 1024 * 1024;
const RECORD = (n: number) => `{"id":"10.5555/${n}","attributes":{}}`;

test.each([
  {
    name: "in JSON Lines is skipped up to the next newline",
    file: "a.jsonl",
    ids: ["10.5555/1", "10.5555/2"],
    key: "2:too-large",
  },
  { name: "as one document is rejected", file: "a.json", ids: [], key: "null:too-large" },
])("a line of 300 MB $name", async ({ file, ids, key }) => {
  await using bench = await temporaryStore();
  const path = join(bench.folder, file);
  const out = createWriteStream(path);
  if (file === "a.jsonl") out.write(`${RECORD(1)}\n`);
  out.write(`{"id":"`);
  const filler = Buffer.alloc(MB, "x");
  for (let i = 0; i < 300; i++) if (!out.write(filler)) await once(out, "drain");
  out.end(`"}\n${RECORD(2)}\n`);
  await once(out, "close");

  let most = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const started = process.cpuUsage();
  await harvestFiles(bench.store, datacite, { paths: [path], retrievedAt: null, limit: null }, testEffects());
  clearInterval(watch);
  // Measures processor time in microseconds, because it does not depend on other processes as elapsed time does.
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  // The limit in megabytes: to join a line, the reader needs twice the largest allowed line, and room for the garbage collector.
  expect((most - before) / MB).toBeLessThan(220);
  expect((await readEnvelopes(bench.store, "datacite")).map((record) => record.sourceId)).toEqual(ids);
  expect((await readRejections(bench.store, "datacite")).map(({ line, reason }) => `${line}:${reason}`)).toEqual([key]);
});
