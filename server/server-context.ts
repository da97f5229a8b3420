/** What handlers of the added addresses work with. */

import type { Effects } from "../pipeline/effects.ts";
import type { Store } from "../pipeline/store.ts";
import type { Accounts } from "./accounts/index.ts";
import type { Evaluations } from "./evaluations/index.ts";
import type { Standings } from "./hidden/standings.ts";
import type { RateLimits } from "./limits/index.ts";
import type { Quotas } from "./limits/quotas.ts";
import type { ActiveRelease } from "./release/active-release.ts";
import type { SignIn } from "./sign-in/index.ts";

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
