/** The floor of normalising: a worker that reads the same parts and parses the same JSON, and does nothing with it. */

import { readBatches } from "../pipeline/raw/read.ts";
import { serveTasks } from "../pipeline/worker-pool.ts";

serveTasks(async ({ path }: { path: string }) => {
  let records = 0;
  await readBatches(path, (lines) => {
    for (const line of lines) {
      const envelope: { payload: string } = JSON.parse(line);
      if (JSON.parse(envelope.payload) !== null) records += 1;
    }
  });
  return records;
});
