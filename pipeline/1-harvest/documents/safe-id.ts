/** Which ids of records are taken: an id is shown everywhere and, being a name, can be cleaned nowhere. */

import { STEERING } from "../../reading/line-text.ts";

const LONGEST = 2048;

/** True where nothing in it steers a terminal or turns words round. */
export function isSafeId(sourceId: string): boolean {
  return sourceId.length <= LONGEST && sourceId.search(STEERING) < 0;
}
