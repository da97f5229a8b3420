/** The context that the addresses under /account work with. */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Evaluations } from "../../evaluations/index.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { Accounts } from "../accounts/index.ts";
import type { Standings } from "../hidden/standings.ts";
import type { SignIn } from "../sign-in/index.ts";

export interface AccountContext {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly evaluations: Evaluations;
  readonly signIn: SignIn;
  readonly now: Effects["now"];
}
