/** Removes what has expired: sessions, links with the addresses they were sent to, sign-ins nobody came back from. */

import type { Kysely } from "kysely";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";

type SweeperEffects = Pick<Effects, "now" | "sleep" | "log">;

/** How long an expired address may stay. */
const PAUSE_MILLISECONDS = 60_000;

/** Sweeps at once, and then every minute; every server does, and whoever comes second finds nothing. */
export class Sweeper {
  readonly #db: Kysely<AccountTables>;
  readonly #effects: SweeperEffects;
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** So that a database that stays away is logged once. */
  #failing = false;

  constructor({ db }: Pick<Accounts, "db">, effects: SweeperEffects) {
    this.#db = db;
    this.#effects = effects;
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        await sweep(this.#db, this.#effects.now());
        this.#failing = false;
      } catch (error) {
        const message = error instanceof Error && "code" in error ? String(error.code) : "unknown";
        if (!this.#failing) this.#effects.log({ level: "error", event: "sign-ins-not-swept", message });
        this.#failing = true;
      }
      await this.#effects.sleep(PAUSE_MILLISECONDS, this.#over.signal).catch(() => undefined);
    }
  }
}

/** Removes every row that means nothing any more. */
export async function sweep(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const instant = now.toISOString();
  await db.deleteFrom("session").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("magic_link").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("pending_sign_in").where("expires_at", "<=", instant).execute();
}
