/** The standing of what people have asked for and shown of themselves, at one moment: who is hidden, and whose page has been claimed. */

import { ResearcherIds } from "./researcher-ids.ts";

/** Never changed: a request reads one from its beginning to its end, and what is made of one is kept under it. */
export interface Standing {
  /** Who has opted out (decisions.md, "Accounts"). */
  readonly hidden: ResearcherIds;
  /** Whose claim to their page has been approved. */
  readonly verified: ResearcherIds;
}

export const NOBODY = new ResearcherIds();
