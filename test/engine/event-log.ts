/** What Spark's own event log tells of a run. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Executors that went away, by every log of a folder; they are lines of JSON, neither packed nor rolled. */
export async function executorsLostIn(folder: string): Promise<number> {
  let lost = 0;
  for (const name of await readdir(folder)) {
    for (const line of (await readFile(join(folder, name), "utf8")).split("\n").filter((each) => each !== "")) {
      const { Event: event }: { Event: string } = JSON.parse(line);
      if (event === "SparkListenerExecutorRemoved") lost += 1;
    }
  }
  return lost;
}
