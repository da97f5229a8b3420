/** Runs a server's queries in a separate process: opens a release, reports that, and on request sorts more than fits in memory. */

import { createInterface } from "node:readline";
import { openStore } from "../../pipeline/store/store.ts";
import { openRelease } from "./described-release.ts";

/** Some 200 MB to be sorted in less. */
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
