/** Rubric contracts by the identifier a marker names. */

import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";

/** @throws Error where there is no such contract */
export async function contractNamed(identifier: string): Promise<Rubric> {
  const contracts = [...(await readContracts()).values()];
  const found = contracts.find(({ contract }) => contract === identifier);
  if (found !== undefined) return found;
  const known = contracts.map(({ contract }) => contract).join(", ");
  throw new Error(`there is no contract "${identifier}"; there are ${known}`);
}
