/** The pledges of all sources, in words for people. */

import { publicContracts } from "../../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../../pipeline/sources/pledges.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { PledgedSource } from "../../../web/views/repositories.ts";

export async function pledgedSources(version: PublicVersion): Promise<PledgedSource[]> {
  const pledges = [...(await readPledges()).values()];
  const found = (await publicContracts()).find((each) => each.version === version);
  if (found === undefined) throw new Error(`no contract is public as ${version}`);
  return pledges.map(({ source, name, homepage, attestation, contracts }) => ({
    source,
    name,
    homepage,
    attestation,
    signals: found.contract.signals.map((signal) => {
      const pledged = contracts[found.contract.contract]?.[signal.id];
      const supported = pledged?.supported === true;
      const words = pledged === undefined ? "" : pledged.supported ? pledged.advice : pledged.why;
      return { id: signal.id, name: signal.name, supported, words };
    }),
  }));
}
