/** API keys of an account store: register, find, list, revoke and delete them, and count their requests. */

import { hash, randomInt } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { ownKeyId } from "../../api-static/routes/account-routes.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import {
  type ApiKeySummary,
  type ApiKeyUsage,
  apiKey,
  foldedEmail,
  KEY_CHARACTERS,
  KEY_PREFIX,
  type OwnApiKey,
  type RegistrationRequest,
  type RegistrationResult,
} from "../../schemas/public/account/registration.ts";
import type { KeyRegister } from "../http/limits.ts";
import type { Quota } from "../http/quotas.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { type HttpResponse, ProblemError, postResponse } from "../http/response.ts";
import { type Handlers, unknownKey } from "../http/routes.ts";
import { countAttempt, removeExpiredAttempts } from "./attempts.ts";
import type { Accounts } from "./database.ts";
import { findUser } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

/** Number of attempts to make a key whose ID is not taken. Two 48-bit IDs are rarely equal, so five attempts are enough. */
const ID_ATTEMPTS = 5;

/** Makes a new key, stores its digest, and returns the key itself, which is not stored. */
export async function addKey(
  trx: Transaction<AccountTables>,
  {
    name,
    email,
    description = null,
    isConfirmed = false,
  }: { name: string; email: string; description?: string | null; isConfirmed?: boolean },
  now: Date,
): Promise<string> {
  for (let draw = 0; draw < ID_ATTEMPTS; draw += 1) {
    const key = newKey();
    const digest = digestOfKey(key);
    const confirmed = isConfirmed ? 1 : 0;
    const row = { id: idOfDigest(digest), digest, name, email, description, created_at: now.toISOString(), confirmed };
    const added = await trx
      .insertInto("api_key")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (added !== undefined) return key;
  }
  throw new Error(`the ids of ${ID_ATTEMPTS} new API keys in a row were already taken; try again`);
}

export function keyOwner({ name, email, description }: RegistrationRequest) {
  return { name, email, description: description === undefined || description === "" ? null : description };
}

/** Returns the ID of a key; null if it is malformed, unknown or revoked. */
export async function findKey(db: Kysely<AccountTables>, sent: string): Promise<string | null> {
  // A malformed key needs no query.
  if (!apiKey.safeParse(sent).success) return null;
  const found = await db
    .selectFrom("api_key")
    .select(["id", "revoked_at"])
    .where("digest", "=", digestOfKey(sent))
    .executeTakeFirst();
  return found === undefined || found.revoked_at !== null ? null : found.id;
}

/** Returns the functions with which the rate limits find an API key of a store and count its requests. */
export function keyRegister(accounts: Accounts, log: Effects["log"]): KeyRegister {
  const usage = new UsageCounter(accounts, log);
  return {
    find: (sent) => findKey(accounts.db, sent),
    count: (id, now) => usage.count(id, now),
    close: () => usage.close(),
  };
}

/** Returns all keys, oldest first, each with the number of its requests on the UTC day of `now`. */
export async function listKeys(db: Kysely<AccountTables>, now: Date): Promise<ApiKeySummary[]> {
  const rows = await db
    .selectFrom("api_key as k")
    .leftJoin("api_key_usage as u", (join) =>
      join.onRef("u.key_id", "=", "k.id").on("u.day", "=", now.toISOString().slice(0, 10)),
    )
    .select(["k.id", "k.name", "k.email", "k.created_at", "k.revoked_at", "u.requests"])
    .orderBy("k.created_at")
    .orderBy("k.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    requestsToday: row.requests ?? 0,
  }));
}

export async function isKeyId(db: Kysely<AccountTables>, id: string): Promise<boolean> {
  return (await db.selectFrom("api_key").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/**
 * Deletes a key with its name, email address, description and usage. Returns false if no key has this ID. Requests that a
 * server has counted but not yet stored are dropped.
 */
export async function deleteKey({ db, kind }: Pick<Accounts, "db" | "kind">, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("api_key").where("id", "=", id).executeTakeFirst();
  // The write-ahead log still contains the deleted row.
  if (kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
  return numDeletedRows === 1n;
}

/** Returns an SQL condition for keys with this email address. Upper and lower case are the same, because people type both. */
const hasEmail = (email: string) => sql<boolean>`lower(email) = lower(${email})`;

/**
 * Returns the keys that were registered with a confirmed email address, oldest first. Name and description are null if
 * the owner of the address was not signed in at the registration, because a stranger may then have written them.
 */
export function selectKeys(db: Kysely<AccountTables>, email: string) {
  return db
    .selectFrom("api_key")
    .select([
      "id",
      sql<string | null>`case when confirmed = 1 then name end`.as("name"),
      sql<string | null>`case when confirmed = 1 then description end`.as("description"),
      "created_at as createdAt",
      "revoked_at as revokedAt",
    ])
    .where(hasEmail(email))
    .orderBy("created_at")
    .orderBy("id");
}

/** Returns the newest keys that were registered with a confirmed email address, at most `most`. */
export function listNewestKeys(db: Kysely<AccountTables>, email: string, most: number): Promise<OwnApiKey[]> {
  return selectKeys(db, email).clearOrderBy().orderBy("created_at", "desc").orderBy("id").limit(most).execute();
}

/**
 * Revokes a key that was registered with the user's confirmed email address.
 * @throws ProblemError `not-found` if the address has no key with this ID
 */
export async function revokeOwnKey(
  db: Kysely<AccountTables>,
  email: string | null,
  id: string,
  now: Date,
): Promise<void> {
  const own = email === null ? undefined : await selectKeys(db, email).where("id", "=", id).executeTakeFirst();
  if (own === undefined) throw unknownKey(ownKeyId);
  await revokeKey(db, id, now);
}

/** Deletes the keys that were registered with a confirmed email address. */
export async function deleteKeysWithEmail(trx: Transaction<AccountTables>, email: string): Promise<void> {
  await trx.deleteFrom("api_key").where(hasEmail(email)).execute();
}

/** Revokes a key permanently. Returns the time of revocation; null if no key has this ID. */
export async function revokeKey(db: Kysely<AccountTables>, id: string, now: Date): Promise<string | null> {
  await db
    .updateTable("api_key")
    .set({ revoked_at: now.toISOString() })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .execute();
  const row = await db.selectFrom("api_key").select("revoked_at").where("id", "=", id).executeTakeFirst();
  return row?.revoked_at ?? null;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes a key of random characters. `randomInt` is unbiased, so all characters are equally likely. */
export function newKey(): string {
  const characters = Array.from({ length: KEY_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length)));
  return KEY_PREFIX + characters.join("");
}

/** Returns the SHA-256 of a key in hex. A key has 190 random bits, so a slower hash would not protect it better. */
export function digestOfKey(key: string): string {
  return hash("sha256", key);
}

/** Derives the public ID of a key from its digest. */
export function idOfDigest(digest: string): string {
  return digest.slice(0, 12);
}

const MESSAGE = "Store this key: it is shown only once. Send it in the header X-API-Key.";

interface RegistrationServices {
  readonly accounts: Accounts;
  /** The number of registrations that one IP address may send; DEFAULT_QUOTAS.registration by default. */
  readonly quota: Quota;
  readonly now: () => Date;
}

/**
 * Registers an API key, and responds 201 with the key.
 * @throws ProblemError `too-many-registrations`
 */
async function registrationResponse(
  body: RegistrationRequest,
  { caller: { address }, signed }: Pick<ApiRequest, "caller" | "signed">,
  { accounts, quota, now }: RegistrationServices,
): Promise<HttpResponse> {
  const owner = keyOwner(body);
  const at = now();
  const subject = accounts.pseudonym(`registration ${address}`);
  const key = await accounts.db.transaction().execute(async (trx) => {
    const seconds = await countAttempt(trx, { kind: "registration", subject, quota, now: at });
    if (seconds !== null) throw tooManyRegistrations(quota, seconds);
    // Only a form of the site has a session here.
    const user = signed === null ? null : await findUser(trx, signed.accountId);
    const isConfirmed = user?.email != null && foldedEmail(user.email) === foldedEmail(owner.email);
    return addKey(trx, { ...owner, isConfirmed }, at);
  });
  await removeExpiredAttempts(accounts.db, at);
  const { name, email } = owner;
  return postResponse(201, {
    key,
    name,
    email,
    createdAt: at.toISOString(),
    message: MESSAGE,
  } satisfies RegistrationResult);
}

export function registrationHandlers(context: RegistrationServices): Handlers<"register"> {
  return { register: ({ request, body }) => registrationResponse(body, request, context) };
}

function tooManyRegistrations(quota: Quota, retryAfter: number): ProblemError {
  const { requests, seconds } = quota;
  return new ProblemError(
    "too-many-registrations",
    `An IP address may register at most ${requests} keys in ${seconds} seconds. Try again in ${plural(retryAfter, "second")}.`,
    {
      headers: { "retry-after": String(retryAfter) },
      usedUp: { name: "registration", quota, resetSeconds: retryAfter },
    },
  );
}

/** The interval at which counts of requests are written to the store. A crash loses at most the counts of one interval. */
const FLUSH_MILLISECONDS = 1000;

/** Largest number of rows in one statement, far below the limit of either database. */
const MAX_ROWS = 500;

/**
 * Counts requests in memory by API key and UTC day, so that a request that only reads causes no write. Every second,
 * and when the server closes, its counts are added to those in the store, where other servers add theirs too.
 */
export class UsageCounter {
  readonly #accounts: Accounts;
  readonly #log: Effects["log"];
  /** Numbers of requests that are not stored yet, by `<day> <key ID>`. */
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** True while the counts cannot be written, so that an outage is logged only once. */
  #failing = false;

  constructor(accounts: Accounts, log: Effects["log"]) {
    this.#accounts = accounts;
    this.#log = log;
  }

  count(keyId: string, now: Date): void {
    this.#add(`${now.toISOString().slice(0, 10)} ${keyId}`, 1);
    this.#schedule();
  }

  /** Writes the counts to the store. If the write fails, the counts stay in memory for the next attempt. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

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
      this.#logError(error);
    }
  }

  #add(key: string, requests: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + requests);
  }

  #logError(error: unknown): void {
    if (!this.#failing) this.#log({ level: "error", event: "usage-not-written", message: getErrorMessage(error) });
    this.#failing = true;
  }
}

/** Adds all counts in one transaction, because if only some were written, the next attempt would add these twice. */
async function addUsage({ db }: Accounts, counts: ReadonlyMap<string, number>): Promise<void> {
  // Sorted, so that concurrent servers lock rows in the same order.
  const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  await db.transaction().execute(async (trx) => {
    for (let first = 0; first < entries.length; first += MAX_ROWS) {
      const rows = entries.slice(first, first + MAX_ROWS).map(([key, requests]) => {
        const [day = "", key_id = ""] = key.split(" ");
        return { key_id, day, requests };
      });
      // A key may have been deleted meanwhile.
      const ids = [...new Set(rows.map((row) => row.key_id))];
      const existing = new Set(
        (await trx.selectFrom("api_key").select("id").where("id", "in", ids).execute()).map(({ id }) => id),
      );
      const known = rows.filter((row) => existing.has(row.key_id));
      if (known.length === 0) continue;
      await trx
        .insertInto("api_key_usage")
        .values(known)
        .onConflict((conflict) =>
          conflict.columns(["key_id", "day"]).doUpdateSet(({ eb, ref }) => ({
            requests: eb(ref("api_key_usage.requests"), "+", ref("excluded.requests")),
          })),
        )
        .execute();
    }
  });
}

/** Returns the requests on each day since `since` (YYYY-MM-DD), by day and key ID. If `id` is null, lists all keys. */
export async function listUsage(
  { db }: Pick<Accounts, "db">,
  { id, since }: { readonly id: string | null; readonly since: string },
): Promise<ApiKeyUsage[]> {
  const all = db.selectFrom("api_key_usage").select(["key_id as id", "day", "requests"]).where("day", ">=", since);
  const filtered = id === null ? all : all.where("key_id", "=", id);
  return filtered.orderBy("day").orderBy("key_id").execute();
}
