/** The pledges of all sources, read and checked once. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Pledge, ReleasedPledge } from "../../schemas/public/pledge.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { readContracts } from "../rubrics/contracts.ts";
import { SOURCES } from "../sources/index.ts";
import { pledgeOf } from "./pledge-of.ts";
import { statedPledge } from "./stated-pledge.ts";

let pledges: Promise<ReadonlyMap<string, Pledge>> | undefined;

/** Pledge by source name. */
export function readPledges(): Promise<ReadonlyMap<string, Pledge>> {
  pledges ??= Promise.all(SOURCES.map(async ({ name }) => [name, await readPledge(name)] as const)).then(
    (entries) => new Map(entries),
  );
  return pledges;
}

async function readPledge(source: string): Promise<Pledge> {
  const text = await readFile(new URL(`../sources/${source}/pledge.json`, import.meta.url), "utf8");
  return pledgeOf(statedPledge.parse(JSON.parse(text)), [...(await readContracts()).values()]);
}

/** sha256 of a pledge's canonical JSON. */
export function pledgeDigest(pledge: ReleasedPledge): string {
  return `sha256:${hash("sha256", canonicalJson(pledge))}`;
}

/**
 * The signals a source pledges under a contract, as a mask.
 * @throws Error if the pledge does not answer for that contract: a later version than the pledge's added it
 */
export function supportedMask({ source, contracts }: ReleasedPledge, contract: string): number {
  const signals = contracts[contract];
  if (signals === undefined) throw new Error(`the pledge of ${source} does not answer for the contract ${contract}`);
  return SIGNAL_IDS.reduce((mask, id, bit) => (signals[id]?.supported ? mask | (1 << bit) : mask), 0);
}
