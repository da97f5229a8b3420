/** The pledges of all sources, read and checked once. */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Pledge, pledge } from "../../schemas/public/pledge.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { SOURCES } from "../sources/index.ts";

let pledges: Promise<ReadonlyMap<string, Pledge>> | undefined;

/** Pledge by source name. */
export function readPledges(): Promise<ReadonlyMap<string, Pledge>> {
  pledges ??= Promise.all(
    SOURCES.map(async ({ name }): Promise<[string, Pledge]> => {
      const [stated, forms] = await Promise.all([readJson(name, "pledge.json"), readJson(name, "forms.json")]);
      return [name, pledge.parse({ ...z.looseObject({}).parse(stated), forms })];
    }),
  ).then((entries) => new Map(entries));
  return pledges;
}

async function readJson(source: string, file: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../sources/${source}/${file}`, import.meta.url), "utf8"));
}

/** The signals a source pledges under a contract, as a mask. */
export function supportedMask(of: Pledge, contract: ContractId): number {
  const signals = of.contracts[contract];
  return SIGNAL_IDS.reduce((mask, id, bit) => (signals[id]?.supported ? mask | (1 << bit) : mask), 0);
}
