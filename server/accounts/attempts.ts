/**
 * Limits how often a client may do something, such as register an API key. Attempts are counted in the database, so
 * that the count is exact for all servers together and survives a restart.
 */

import type { Kysely, Transaction } from "kysely";
import { z } from "zod";
import type { AccountTables } from "./tables.ts";

export interface Attempt {
  readonly kind: "registration" | "link-caller" | "link-address" | "report";
  /** A pseudonym of the client, or `all` for a quota that all clients share. */
  readonly subject: string;
  /** The number of attempts that are allowed in any period of `seconds`. */
  readonly quota: { readonly requests: number; readonly seconds: number };
  readonly now: Date;
}

/**
 * Accepted difference between the clocks of two servers. An attempt that is recorded further in the future is ignored,
 * because the clock that recorded it was ahead, and has been set back since.
 */
const SKEW_MILLISECONDS = 60_000;

const storedInstants = z.array(z.iso.datetime());

/** Largest number of expired rows that are removed at a time, so that many of them do not delay a request. */
const MAX_REMOVED = 100;

/**
 * Counts an attempt and returns null. If the quota is used up, counts nothing, and returns the seconds until the next
 * attempt is allowed. A rollback of the transaction undoes the count.
 */
export async function countAttempt(
  trx: Transaction<AccountTables>,
  { kind, subject, quota, now }: Attempt,
): Promise<number | null> {
  const windowMilliseconds = quota.seconds * 1000;
  const recent = (await lockInstants(trx, { kind, subject, now })).filter((instant) => {
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

/**
 * Locks the client's row with an upsert that changes nothing, and returns the times of its attempts. On SQLite and
 * PostgreSQL alike, a second transaction then waits before it reads them.
 */
async function lockInstants(
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
 * Removes expired rows, each in a separate statement, because one statement that locks several rows could deadlock with
 * an attempt that is counted at the same time.
 */
export async function removeExpiredAttempts(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const instant = now.toISOString();
  const expired = await db
    .selectFrom("attempt_window")
    .select(["kind", "subject"])
    .where("expires_at", "<=", instant)
    .orderBy("expires_at")
    .limit(MAX_REMOVED)
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
