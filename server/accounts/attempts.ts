/** Bounds on how often somebody may do something, counted in the database: exact for all servers of it, and kept over restarts. */

import type { Kysely, Transaction } from "kysely";
import { z } from "zod";
import type { AccountTables } from "./tables.ts";

export interface Attempt {
  /** What is done. */
  readonly kind: "registration" | "link-caller" | "link-address";
  /** Who does it, as a pseudonym. */
  readonly subject: string;
  /** How often it may be done within so many seconds, wherever the window lies. */
  readonly quota: { readonly requests: number; readonly seconds: number };
  readonly now: Date;
}

/** Two servers' clocks may differ by so much. What lies further ahead is of a clock that was put back, and says nothing. */
const SKEW_MILLISECONDS = 60_000;

const storedInstants = z.array(z.iso.datetime());

/** Rows that mean nothing any more and are removed at a time: a flood of addresses is worked off, not waited for. */
const MOST_FORGOTTEN = 100;

/**
 * Counts an attempt and returns null; where the quota is used up, it counts nothing and returns the seconds until the next
 * attempt may pass. It is undone with the transaction: what fails later is not counted either.
 */
export async function attempt(
  trx: Transaction<AccountTables>,
  { kind, subject, quota, now }: Attempt,
): Promise<number | null> {
  const windowMilliseconds = quota.seconds * 1000;
  const recent = (await lockedInstants(trx, { kind, subject, now })).filter((instant) => {
    const age = now.getTime() - Date.parse(instant);
    return age < windowMilliseconds && age > -SKEW_MILLISECONDS;
  });
  const blocking = recent.at(-quota.requests);
  if (blocking !== undefined && recent.length >= quota.requests) {
    return Math.max(1, Math.ceil((Date.parse(blocking) + windowMilliseconds - now.getTime()) / 1000));
  }
  const instants = JSON.stringify([...recent, now.toISOString()]);
  const expiresAt = new Date(now.getTime() + windowMilliseconds).toISOString();
  await trx
    .updateTable("attempt_window")
    .set({ instants, expires_at: expiresAt })
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .execute();
  return null;
}

/** The upsert changes nothing and locks the row: on every database whoever comes second waits, and then sees our count. */
async function lockedInstants(
  trx: Transaction<AccountTables>,
  { kind, subject, now }: Omit<Attempt, "quota">,
): Promise<string[]> {
  const row = await trx
    .insertInto("attempt_window")
    .values({ kind, subject, instants: "[]", expires_at: now.toISOString() })
    .onConflict((conflict) =>
      conflict.columns(["kind", "subject"]).doUpdateSet(({ ref }) => ({ kind: ref("excluded.kind") })),
    )
    .returning("instants")
    .executeTakeFirstOrThrow();
  return storedInstants.parse(JSON.parse(row.instants));
}

/**
 * Removes what has left every window. Row by row, each in a statement of its own: a statement that locked several could
 * wait for an attempt that waits for it.
 */
export async function forgetAttempts(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const instant = now.toISOString();
  const expired = await db
    .selectFrom("attempt_window")
    .select(["kind", "subject"])
    .where("expires_at", "<=", instant)
    .orderBy("expires_at")
    .limit(MOST_FORGOTTEN)
    .execute();
  for (const { kind, subject } of expired) {
    await db
      .deleteFrom("attempt_window")
      .where("kind", "=", kind)
      .where("subject", "=", subject)
      .where("expires_at", "<=", instant)
      .execute();
  }
}
