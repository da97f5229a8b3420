/** What handlers of the added addresses work with. */

import type { Effects } from "../pipeline/stage/effects.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { Evaluations } from "./evaluations/index.ts";
import type { RateLimits } from "./limits/index.ts";
import type { Accounts } from "./people/accounts/index.ts";
import type { Standings } from "./people/hidden/standings.ts";
import type { SignIn } from "./people/sign-in/index.ts";
import type { ActiveRelease } from "./read/release/active-release.ts";
import type { Quotas } from "./running/quotas.ts";

export interface ServerContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly accounts: Accounts;
  readonly standings: Standings;
  readonly evaluations: Evaluations;
  readonly signIn: SignIn;
  readonly quotas: Quotas;
  readonly limits: RateLimits;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}
