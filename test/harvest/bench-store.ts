/** Effects for tests that do not wait, and functions that read the records and rejections of a harvest from a store. */

import type { Effects, LogEvent } from "../../pipeline/stage/effects.ts";
import { readRejected } from "../../pipeline/store/harvest-log.ts";
import { listParts, readBatches } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type Envelope, envelope } from "../../schemas/internal/rows.ts";
import type { ParameterRejection } from "../../schemas/public/problem.ts";

/** Effects for tests. A wait takes no time; its milliseconds are added to `waits`, and log entries to `logged`. */
export interface TestEffects extends Effects {
  readonly waits: number[];
  readonly logged: LogEvent[];
}

export function testEffects(): TestEffects {
  const waits: number[] = [];
  const logged: LogEvent[] = [];
  return {
    waits,
    logged,
    fetch: globalThis.fetch,
    now: () => new Date("2025-03-01T12:00:00.000Z"),
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
    random: () => 0.5,
    log: (event) => {
      logged.push(event);
    },
    progress: () => {},
  };
}

/** Reads all stored records of a source as envelopes (a payload with its URL and time), and checks them against the schema. */
export async function readEnvelopes(store: Store, source: string): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (const part of await listParts(store.raw(source))) {
    await readBatches(part.path, (lines) => {
      for (const line of lines) all.push(envelope.parse(JSON.parse(line)));
    });
  }
  return all;
}

export async function readRejections(store: Store, source: string): Promise<ParameterRejection[]> {
  const all: ParameterRejection[] = [];
  for await (const rejection of readRejected(store.raw(source))) all.push(rejection);
  return all;
}
