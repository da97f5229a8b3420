/** The floor of normalising, which is the least possible work: reads the same parts and only parses their JSON. */

import { readBatches } from "../pipeline/store/raw-parts.ts";

export async function work({ path }: { path: string }): Promise<number> {
  let records = 0;
  await readBatches(path, (lines) => {
    for (const line of lines) {
      const envelope: { payload: string } = JSON.parse(line);
      if (JSON.parse(envelope.payload) !== null) records += 1;
    }
  });
  return records;
}
