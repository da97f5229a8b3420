/** Requests per key and UTC day: counted in memory, added to the store once a second. */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { ApiKeyUsage } from "../../../schemas/public/account/registration.ts";
import type { Accounts } from "../database/index.ts";

/** How long a count may be in memory alone; a kill loses no more than that. */
const FLUSH_MILLISECONDS = 1000;

/** Rows of one statement: far below what either database allows. */
const MOST_ROWS = 500;

/**
 * A request that only reads costs no write: it adds one to a number in memory. Once a second, while there is something
 * to write, and when the server closes, the numbers are added to those in the store, where other servers add theirs.
 */
export class UsageCounter {
  readonly #accounts: Accounts;
  readonly #log: Effects["log"];
  /** Requests by `<day> <key id>`. */
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** So that a database that stays away is logged once. */
  #failing = false;

  constructor(accounts: Accounts, log: Effects["log"]) {
    this.#accounts = accounts;
    this.#log = log;
  }

  count(keyId: string, now: Date): void {
    this.#add(`${now.toISOString().slice(0, 10)} ${keyId}`, 1);
    this.#schedule();
  }

  /** Writes what is counted so far; what cannot be written is kept for the next time. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, FLUSH_MILLISECONDS);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    try {
      await addUsage(this.#accounts, counts);
      this.#failing = false;
    } catch (error) {
      for (const [key, requests] of counts) this.#add(key, requests);
      this.#schedule();
      this.#complain(error);
    }
  }

  #add(key: string, requests: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + requests);
  }

  #complain(error: unknown): void {
    if (!this.#failing) this.#log({ level: "error", event: "usage-not-written", message: messageOf(error) });
    this.#failing = true;
  }
}

/** All of it or nothing: a part that was written would be counted again. */
async function addUsage({ db }: Accounts, counts: ReadonlyMap<string, number>): Promise<void> {
  // In order, so that servers that write at the same time wait for each other rather than lock each other out.
  const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  await db.transaction().execute(async (trx) => {
    for (let first = 0; first < entries.length; first += MOST_ROWS) {
      const rows = entries.slice(first, first + MOST_ROWS).map(([key, requests]) => {
        const [day = "", key_id = ""] = key.split(" ");
        return { key_id, day, requests };
      });
      // A key may have been deleted with its account since.
      const ids = [...new Set(rows.map((row) => row.key_id))];
      const there = new Set(
        (await trx.selectFrom("api_key").select("id").where("id", "in", ids).execute()).map(({ id }) => id),
      );
      const kept = rows.filter((row) => there.has(row.key_id));
      if (kept.length === 0) continue;
      await trx
        .insertInto("api_key_usage")
        .values(kept)
        .onConflict((conflict) =>
          conflict.columns(["key_id", "day"]).doUpdateSet(({ eb, ref }) => ({
            requests: eb(ref("api_key_usage.requests"), "+", ref("excluded.requests")),
          })),
        )
        .execute();
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Days with requests from the day `since` (YYYY-MM-DD) on, of one key or of all, by day and id. */
export async function listUsage(
  { db }: Pick<Accounts, "db">,
  { id, since }: { readonly id: string | null; readonly since: string },
): Promise<ApiKeyUsage[]> {
  const all = db.selectFrom("api_key_usage").select(["key_id as id", "day", "requests"]).where("day", ">=", since);
  const asked = id === null ? all : all.where("key_id", "=", id);
  return asked.orderBy("day").orderBy("key_id").execute();
}
