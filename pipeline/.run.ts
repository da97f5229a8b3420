import { harvestFiles } from "/work/main/pipeline/1-harvest/files.ts";
import { listParts } from "/work/main/pipeline/raw/parts.ts";
import { readBatches } from "/work/main/pipeline/raw/read.ts";
import { readRefused } from "/work/main/pipeline/raw/refused.ts";
import { sourceNamed } from "/work/main/pipeline/sources/index.ts";
import { openStore } from "/work/main/pipeline/store.ts";

const [, , name, root, ...paths] = process.argv;
const effects = {
  fetch,
  now: () => new Date(),
  sleep: async () => {},
  random: Math.random,
  log: () => {},
  progress: () => {},
};
const store = openStore(root);
const source = sourceNamed(name);
const t = performance.now();
const s = await harvestFiles(store, source, { paths, retrievedAt: null, limit: null }, effects);
const ms = performance.now() - t;
console.log(
  JSON.stringify(s),
  ms | 0,
  "ms",
  (s.bytes / 1e6 / (ms / 1e3)).toFixed(1),
  "MB/s",
  "rss",
  (process.memoryUsage().rss / 1e6) | 0,
);
const t2 = performance.now();
let n = 0,
  b = 0;
for (const p of await listParts(store.raw(name)))
  await readBatches(p.path, (l) => {
    n += l.length;
    for (const x of l) b += x.length;
  });
const ms2 = performance.now() - t2;
console.log("read back", n, (b / 1e6) | 0, "MB", ms2 | 0, "ms", (b / 1e6 / (ms2 / 1e3)).toFixed(1), "MB/s");
if (process.env.SHOW)
  for await (const r of readRefused(store.raw(name)))
    console.log(r.file.split("/").slice(-2).join("/"), r.line, r.reason, "|", r.detail);
