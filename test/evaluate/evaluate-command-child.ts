/** Runs `share-release evaluate` alone: its arguments are those of this process. */

import { run } from "./evaluate-alone.ts";

await run(process.argv.slice(2));
