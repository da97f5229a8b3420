/**
 * Program for tests that opens a release as a server does and prints its process id. For each line of input, it runs a query
 * that needs temporary files.
 */

import { createInterface } from "node:readline";
import { openStore } from "../../pipeline/store/store.ts";
import { openRelease } from "./described-release.ts";

/** A query that sorts about 200 MB, which is more than the memory of the engine. */
const SPILLS =
  "select cast(max(place) as integer) from (select row_number() over (order by md5(cast(range as varchar))) as place from range(3000000))";

const [root = "", digest = ""] = process.argv.slice(2);
const release = await openRelease(openStore(root), digest, {
  queryMemory: "96MB",
  queryThreads: 1,
  queryMilliseconds: 120_000,
});
const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ pid: process.pid });
for await (const _line of createInterface({ input: process.stdin })) {
  say(await release.engine.rows(SPILLS).catch((error: unknown) => String(error)));
}
await release.close();
