/** What disputes name and a page still tells of: what is gone meanwhile is named in plain words, and no link leads to it. */

import type { PublicVersion } from "../../../schemas/public/rubric.ts";

export interface StillThere {
  /** The page that tells of a release, by its digest; no release that is kept no more. */
  readonly releases: ReadonlyMap<string, string>;
  /** The version that a contract stands for in the active release; no contract that it has no pages under. */
  readonly versions: ReadonlyMap<string, PublicVersion>;
}
