/** Rubric contracts by the name in a marker: the identifier, or the public version that stands for it now. */

import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";

/** @throws Error where there is no such contract */
export async function contractNamed(name: string): Promise<Rubric> {
  const contracts = [...(await readContracts()).values()];
  const found = contracts.find(({ contract, publicVersion }) => contract === name || publicVersion === name);
  if (found !== undefined) return found;
  const known = contracts.map(({ contract }) => contract).join(", ");
  throw new Error(`there is no contract "${name}"; there are ${known}`);
}
