/** The licence a release is published under: that of the scores, which is not the program's. */

import spdx from "spdx-license-list";
import type { Receipt } from "../../schemas/public/release.ts";

export interface DataLicence {
  /** In the list of SPDX. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** The licence of that id, in any case; null for what is no id of SPDX, or has no page. */
export function licenceOf(id: string): DataLicence | null {
  const known = Object.keys(spdx).find((each) => each.toLowerCase() === id.toLowerCase());
  const entry = known === undefined ? undefined : spdx[known];
  const [url = ""] = entry?.url.trim().split(/\s+/) ?? [];
  if (known === undefined || entry === undefined || !URL.canParse(url)) return null;
  return { id: known, title: entry.name, url };
}

/** The licence that a receipt names, for those who describe the release. */
export function licenceIn({ license }: Pick<Receipt, "license">): DataLicence {
  const licence = licenceOf(license ?? "");
  if (licence === null) throw new Error(`the release has no licence of SPDX: ${license}`);
  return licence;
}
