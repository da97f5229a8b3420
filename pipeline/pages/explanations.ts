/** What explains the scores of each published version: its contract and every pledge. */

import type { Explanation } from "../../api-static/record.ts";
import type { PublicVersion } from "../../schemas/rubric.ts";
import { readPledges } from "../pledges.ts";
import { publicContracts } from "../rubrics.ts";

/** In the order of the public versions, the default first. */
export async function explanationsOf(versions: readonly PublicVersion[]): Promise<Explanation[]> {
  const pledges = await readPledges();
  const contracts = await publicContracts();
  return contracts.filter(({ version }) => versions.includes(version)).map((entry) => ({ ...entry, pledges }));
}
