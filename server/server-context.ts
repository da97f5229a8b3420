/** What handlers of the added addresses work with. */

import type { Effects } from "../pipeline/effects.ts";
import type { Store } from "../pipeline/store.ts";
import type { ActiveRelease } from "./active-release.ts";

export interface ServerContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly now: Effects["now"];
}
