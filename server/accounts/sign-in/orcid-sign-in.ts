/**
 * Signing in with the identity provider: out with a secret in the browser's cookie, and back with it.
 *
 * Who is signed in already, has no iD yet, and asks on a page of this site for the iD to be added, has it added to their
 * account, where no other account has it. In every other case the iD's own account is signed in, and made where there is
 * none. Nothing is added unasked: somebody who was brought to sign in to another's account, by a link that was not meant
 * for them, would give that account their iD. Nor is it from elsewhere: another site could send a browser on its way.
 */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { User } from "../../../schemas/public/account/me.ts";
import type { Signed } from "../../http/read-request.ts";
import type { Accounts } from "../database/index.ts";
import { isUniqueViolation } from "../database/store-fault.ts";
import type { Site } from "./index.ts";
import { checksOf, isStateOf, keepPending, takePending } from "./pending.ts";
import type { Provider } from "./provider.ts";
import { providerProblem, signInFailed } from "./provider.ts";
import type { OpenedSession, Sessions } from "./sessions.ts";
import { accountOfOrcid, findUser, linkOrcid, newToken, type OrcidPerson } from "./sessions.ts";

export interface OrcidParts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly provider: Provider;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}

export interface Started {
  readonly authorizationUrl: string;
  /** For the browser's cookie. */
  readonly secret: string;
}

export interface Finished extends OpenedSession {
  readonly user: User;
  readonly returnTo: string;
}

export interface ReturnedBrowser {
  /** Of its cookie; null where it has none. */
  readonly secret: string | null;
  /** The query it came back with. */
  readonly query: string;
  readonly signed: Signed | null;
  readonly agent: string | null;
}

const BEGIN_AGAIN = "This sign-in was not begun in this browser, or was begun too long ago; begin again.";
const CALLBACK_PATH = "/auth/orcid/callback";

export class OrcidSignIn {
  readonly #parts: OrcidParts;

  constructor(parts: OrcidParts) {
    this.#parts = parts;
  }

  /**
   * `adding`: who is signed in, where they asked on a page of this site for the iD to be added.
   * @throws ProblemError `provider-unreachable`
   */
  async start(returnTo: string, adding: Signed | null): Promise<Started> {
    const { accounts, provider, site, now } = this.#parts;
    const secret = newToken();
    const authorizationUrl = await this.#asking(() =>
      provider.authorizationUrl(site.address(CALLBACK_PATH), checksOf(secret)),
    );
    const user = adding === null ? null : await findUser(accounts.db, adding.accountId);
    const addTo = user === null || user.orcid !== null ? null : user.id;
    await keepPending(accounts.db, secret, { returnTo, addTo }, now());
    return { authorizationUrl, secret };
  }

  /**
   * Takes the sign-in up where this browser left it, once.
   * @throws ProblemError `sign-in-failed` or `provider-unreachable`
   */
  async finish({ secret, query, signed, agent }: ReturnedBrowser): Promise<Finished> {
    const { accounts, provider, sessions, site, now } = this.#parts;
    const callback = new URL(`${CALLBACK_PATH}?${query}`, site.origin);
    // Before anything is taken: a forged return must not use up somebody's sign-in.
    if (secret === null || !isStateOf(secret, callback.searchParams.get("state") ?? undefined))
      throw signInFailed(BEGIN_AGAIN);
    const pending = await takePending(accounts.db, secret, signed?.accountId ?? null, now());
    if (pending === null) throw signInFailed(BEGIN_AGAIN);
    const person = await this.#asking(() => provider.person(callback, checksOf(secret)));
    const user = await this.#account(person, pending.addTo);
    const opened = await sessions.open(user.id, { method: "orcid", agent });
    return { ...opened, user, returnTo: pending.returnTo };
  }

  async #account(person: OrcidPerson, addTo: string | null): Promise<User> {
    const { accounts, now } = this.#parts;
    const linked = addTo === null ? null : await linkOrcid(accounts.db, addTo, person).catch(nullIfTaken);
    return linked ?? accountOfOrcid(accounts.db, person, now());
  }

  async #asking<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw providerProblem(error, this.#parts.log);
    }
  }
}

/** Somebody with the same iD was faster, in the moment between looking and writing. */
function nullIfTaken(error: unknown): null {
  if (isUniqueViolation(error)) return null;
  throw error;
}
