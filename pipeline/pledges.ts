/** The pledges of all sources, read and checked once. */

import { readFile } from "node:fs/promises";
import { type Pledge, pledge } from "../schemas/pledge.ts";
import type { ContractId } from "../schemas/rubric.ts";
import { SIGNAL_IDS } from "../schemas/signal.ts";
import { SOURCES } from "./sources/index.ts";

let pledges: Promise<ReadonlyMap<string, Pledge>> | undefined;

/** Pledge by source name. */
export function readPledges(): Promise<ReadonlyMap<string, Pledge>> {
  pledges ??= Promise.all(
    SOURCES.map(async ({ name }): Promise<[string, Pledge]> => {
      const file = new URL(`./sources/${name}/pledge.json`, import.meta.url);
      return [name, pledge.parse(JSON.parse(await readFile(file, "utf8")))];
    }),
  ).then((entries) => new Map(entries));
  return pledges;
}

/** The signals a source pledges under a contract, as a mask. */
export function supportedMask(of: Pledge, contract: ContractId): number {
  const signals = of.contracts[contract];
  return SIGNAL_IDS.reduce((mask, id, bit) => (signals[id]?.supported ? mask | (1 << bit) : mask), 0);
}
