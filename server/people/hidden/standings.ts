/**
 * The people who are hidden or verified, as of a moment ago: read from the account store again and again, since whoever
 * decides does so in another process. All servers of a store share its database, and tell each other nothing.
 */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import { poll } from "../../running/poll.ts";
import { AccountStoreError } from "../accounts/error.ts";
import type { Accounts } from "../accounts/index.ts";
import { markOf, readStanding } from "./read-standing.ts";
import type { Standing } from "./standing.ts";

interface FollowOptions {
  /** How often it is looked whether something has changed. */
  readonly pollMilliseconds: number;
}

/** Looks after which all is read, whether or not it seems to have changed: half a minute, mostly. */
const LOOKS_IN_FULL = 30;

export class Standings {
  readonly #db: Accounts["db"];
  readonly #options: FollowOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #current: Standing;
  #mark: string;
  #looks = 0;
  /** Whether the account store could not be read the last time. */
  #stale = false;

  private constructor(
    db: Accounts["db"],
    { mark, standing }: { readonly mark: string; readonly standing: Standing },
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ) {
    this.#db = db;
    this.#mark = mark;
    this.#current = standing;
    this.#options = options;
    this.#effects = effects;
  }

  /**
   * Reads it now, and follows it from there.
   * @throws AccountStoreError where it cannot be read: a server that does not know who is hidden must not begin
   */
  static async follow(
    { db }: Accounts,
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ): Promise<Standings> {
    const first = await readMarked(db).catch((cause: unknown) => {
      throw new AccountStoreError("cannot read from the account store who asked to be hidden", { cause });
    });
    const standings = new Standings(db, first, options, effects);
    standings.#following = standings.#loop();
    return standings;
  }

  get current(): Standing {
    return this.#current;
  }

  /** True while the account store cannot be read: what was read last goes on being true here. */
  get stale(): boolean {
    return this.#stale;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  #loop(): Promise<void> {
    return poll(() => this.#refresh(), this.#options.pollMilliseconds, this.#effects.sleep, this.#stop.signal);
  }

  /** Who was hidden stays hidden while the store is away; that it is away is said once. */
  async #refresh(): Promise<void> {
    try {
      this.#looks = (this.#looks + 1) % LOOKS_IN_FULL;
      if (this.#looks === 0 || (await markOf(this.#db)) !== this.#mark) this.#take(await readMarked(this.#db));
      if (this.#stale) this.#effects.log({ level: "info", event: "hidden-researchers-read-again" });
      this.#stale = false;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!this.#stale) {
        const message = error instanceof Error ? error.message : String(error);
        this.#effects.log({ level: "error", event: "hidden-researchers-not-read", message });
      }
      this.#stale = true;
    }
  }

  /** What is the same stays the same object: what was made of it need not be made again. */
  #take({ mark, standing }: { readonly mark: string; readonly standing: Standing }): void {
    this.#mark = mark;
    const { hidden, verified } = this.#current;
    if (hidden.equals(standing.hidden) && verified.equals(standing.verified)) return;
    this.#current = standing;
    this.#effects.log({ level: "info", event: "hidden-researchers-read", hidden: standing.hidden.size });
  }
}

/** The mark first: what changes in between is seen at the next look. */
async function readMarked(db: Accounts["db"]) {
  const mark = await markOf(db);
  return { mark, standing: await readStanding(db) };
}
