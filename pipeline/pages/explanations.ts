/** What explains the scores of each published version: its contract and every pledge. */

import type { Explanation } from "../../api-static/pages/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { readPledges } from "../pledges/index.ts";
import { publicContracts } from "../rubrics/contracts.ts";

/** In the order of the public versions, the default first. */
export async function explanationsOf(versions: readonly PublicVersion[]): Promise<Explanation[]> {
  const pledges = await readPledges();
  const contracts = await publicContracts();
  return contracts.filter(({ version }) => versions.includes(version)).map((entry) => ({ ...entry, pledges }));
}
