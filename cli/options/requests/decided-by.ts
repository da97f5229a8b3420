/** Who decides where nobody says who: the user of the machine. */

import { userInfo } from "node:os";

/** A container's user may have no name. */
export function decidedBy(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
