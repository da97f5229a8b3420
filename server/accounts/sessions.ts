/**
 * Sessions, their cookies and their accounts. A browser has a token of 256 random bits; the store has its hash. A session
 * ends 30 days after its last use. The last use is written at most once an hour, so that reading rarely needs a write.
 */

import { hash, randomBytes } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Kysely, Selectable } from "kysely";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { type SessionRow, type SignInMethod, secretToken, signInMethod } from "../../schemas/public/account/sign-in.ts";
import type { Site } from "../http/own-site.ts";
import type { RequestCookies, Session } from "../http/read-request.ts";
import type { Accounts } from "./database.ts";
import type { AccountTables } from "./tables.ts";

/** The session of a token. `isRenewed` is true if it was extended, because its cookie must then be sent again. */
export interface FoundSession extends Session {
  readonly isRenewed: boolean;
}

export interface NewSession {
  readonly method: SignInMethod;
  readonly agent: string | null;
}

export interface OpenedSession {
  /** The token for the cookie. It is not stored. */
  readonly token: string;
  readonly session: Session;
}

/** Name of a cookie that tells `web/script/saving.ts` that the browser has a session. It gives no access to the account. */
const SIGNED_IN_COOKIE = "share_signed_in";

export const SESSION_SECONDS = 30 * 86_400;

/** Precision of the stored time of last use. A request within an hour of that time does not write to the store. */
const SEEN_MILLISECONDS = 3_600_000;

/** Largest number of sessions of an account. A further session replaces the least recently used one. */
const MAX_SESSIONS = 100;

/** Longest stored User-Agent header, in characters; most have about a hundred. */
const MAX_AGENT_LENGTH = 160;

type Db = Kysely<AccountTables>;

export class Sessions {
  readonly #accounts: Pick<Accounts, "db">;
  readonly #now: Effects["now"];

  constructor(accounts: Pick<Accounts, "db">, now: Effects["now"]) {
    this.#accounts = accounts;
    this.#now = now;
  }

  /** Opens a session with a new token. If `db` is a transaction of the caller, the session is part of it. */
  async open(accountId: string, { method, agent }: NewSession, db: Db = this.#accounts.db): Promise<OpenedSession> {
    const token = newToken();
    const sessionId = newId("s");
    const now = this.#now();
    await removeSurplus(db, accountId);
    await db
      .insertInto("session")
      .values({
        id: sessionId,
        digest: digestOfToken(token),
        account_id: accountId,
        method,
        agent: browserName(agent),
        created_at: now.toISOString(),
        ...usedAt(now),
      })
      .execute();
    return { token, session: { accountId, sessionId } };
  }

  /** Finds the session of a token; null if it is malformed, unknown, ended or expired. */
  async find(token: string): Promise<FoundSession | null> {
    // A malformed token needs no query.
    if (!secretToken.safeParse(token).success) return null;
    const now = this.#now();
    const row = await this.#accounts.db
      .selectFrom("session")
      .select(["id", "account_id", "seen_at"])
      .where("digest", "=", digestOfToken(token))
      .where("expires_at", ">", now.toISOString())
      .executeTakeFirst();
    if (row === undefined) return null;
    const due = now.getTime() - Date.parse(row.seen_at) >= SEEN_MILLISECONDS;
    const renewed = due && (await this.#renew(row, now));
    return { accountId: row.account_id, sessionId: row.id, isRenewed: renewed };
  }

  /** Returns the sessions of an account, most recently used first. `current` is the ID of the requesting session. */
  async list(accountId: string, current: string | null = null): Promise<SessionRow[]> {
    const rows = await this.#accounts.db
      .selectFrom("session")
      .select(["id", "method", "agent", "created_at", "seen_at", "expires_at"])
      .where("account_id", "=", accountId)
      .where("expires_at", ">", this.#now().toISOString())
      .orderBy("seen_at", "desc")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({
      id: row.id,
      method: signInMethod.parse(row.method),
      agent: row.agent,
      createdAt: row.created_at,
      seenAt: row.seen_at,
      expiresAt: row.expires_at,
      current: row.id === current,
    }));
  }

  async end(accountId: string, sessionId: string): Promise<boolean> {
    const { numDeletedRows } = await this.#accounts.db
      .deleteFrom("session")
      .where("id", "=", sessionId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  /** Extends a session. Returns false if another request did so at the same time, or if the session has ended. */
  async #renew({ id, seen_at }: { readonly id: string; readonly seen_at: string }, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#accounts.db
      .updateTable("session")
      .set(usedAt(now))
      .where("id", "=", id)
      .where("seen_at", "=", seen_at)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
}

function usedAt(now: Date): { seen_at: string; expires_at: string } {
  const expires = new Date(now.getTime() + SESSION_SECONDS * 1000);
  return { seen_at: now.toISOString(), expires_at: expires.toISOString() };
}

async function removeSurplus(db: Db, accountId: string): Promise<void> {
  const surplus = await db
    .selectFrom("session")
    .select("id")
    .where("account_id", "=", accountId)
    .orderBy("seen_at", "desc")
    .orderBy("id")
    .limit(MAX_SESSIONS)
    .offset(MAX_SESSIONS - 1)
    .execute();
  for (const { id } of surplus) await db.deleteFrom("session").where("id", "=", id).execute();
}

/** Returns the beginning of a User-Agent header in printable characters, enough to distinguish browsers; null if empty. */
function browserName(agent: string | null): string | null {
  const text = (agent ?? "")
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, MAX_AGENT_LENGTH)
    .trim();
  return text === "" ? null : text;
}

type CookieReply = Pick<FastifyReply, "setCookie">;

/** The time that a user may take at the identity provider. */
export const PENDING_SECONDS = 600;

const SECONDS = { share_session: SESSION_SECONDS, share_sign_in: PENDING_SECONDS } as const;
type CookieName = keyof typeof SECONDS;

export class Cookies {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  /** Returns the token in a cookie; null if it is missing or malformed. */
  read(sent: RequestCookies, name: CookieName): string | null {
    const token = secretToken.safeParse(sent[this.#buildCookieName(name)]);
    return token.success ? token.data : null;
  }

  set(reply: CookieReply, name: CookieName, token: string): void {
    this.#send(reply, name, token, SECONDS[name]);
  }

  clear(reply: CookieReply, name: CookieName): void {
    this.#send(reply, name, "", 0);
  }

  /**
   * Sets a cookie that is `lax`: browsers send it when the identity provider redirects back, but not with forms or
   * embeds of other sites. The cookie of a session has a companion without a secret, which scripts can read.
   */
  #send(reply: CookieReply, name: CookieName, token: string, maxAge: number): void {
    const attributes = { path: "/", secure: this.#site.isSecure, sameSite: "lax", maxAge } as const;
    reply.setCookie(this.#buildCookieName(name), token, { ...attributes, httpOnly: true });
    if (name === "share_session")
      reply.setCookie(this.#buildCookieName(SIGNED_IN_COOKIE), token === "" ? "" : "yes", attributes);
  }

  #buildCookieName(name: CookieName | typeof SIGNED_IN_COOKIE): string {
    return this.#site.isSecure ? `__Host-${name}` : name;
  }
}

/** Makes a token for a session or link: 256 bits in base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the SHA-256 of a token in hex. A token has 256 random bits, so a slower hash would not protect it better. */
export function digestOfToken(token: string): string {
  return hash("sha256", token);
}

/** Makes a public ID: a letter and 24 random hex digits, such as `u5b1c9e07d24f4a6f8e3b7a10`. */
export function newId(letter: string): string {
  return letter + randomBytes(12).toString("hex");
}

type UsersDb = Kysely<AccountTables>;
type AccountRow = Selectable<AccountTables["account"]>;

export interface OrcidPerson {
  readonly orcid: string;
  readonly name: string | null;
}

/** Finds the account of an email address in folded form, or creates it. Concurrent calls return the same account. */
export async function accountOfEmail(db: UsersDb, email: string, now: Date): Promise<User> {
  await db
    .insertInto("account")
    .values({ ...newAccount(now), email })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .execute();
  return readUser(await db.selectFrom("account").selectAll().where("email", "=", email).executeTakeFirstOrThrow());
}

/** Finds the account of an ORCID iD and updates its name, or creates the account. */
export async function accountOfOrcid(db: UsersDb, { orcid, name }: OrcidPerson, now: Date): Promise<User> {
  const row = await db
    .insertInto("account")
    .values({ ...newAccount(now), orcid, name })
    .onConflict((conflict) =>
      conflict.column("orcid").doUpdateSet(({ fn, ref }) => ({
        name: fn.coalesce(ref("excluded.name"), ref("account.name")),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return readUser(row);
}

/**
 * Adds an ORCID iD to an account and returns the account. Returns null if the account already has an iD, another
 * account has this iD, or the account was deleted.
 */
export async function linkOrcid(db: UsersDb, accountId: string, { orcid, name }: OrcidPerson): Promise<User | null> {
  const row = await db
    .updateTable("account")
    .set(({ fn, val }) => ({ orcid, name: fn.coalesce(val(name), "name") }))
    .where("id", "=", accountId)
    .where("orcid", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("account as other").select("other.id").where("other.orcid", "=", orcid))),
    )
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : readUser(row);
}

export async function findUser(db: UsersDb, accountId: string): Promise<User | null> {
  const row = await db.selectFrom("account").selectAll().where("id", "=", accountId).executeTakeFirst();
  return row === undefined ? null : readUser(row);
}

function newAccount(now: Date): AccountRow {
  return { id: newId("u"), name: null, email: null, orcid: null, created_at: now.toISOString() };
}

function readUser({ id, name, email, orcid, created_at: createdAt }: AccountRow): User {
  return { id, name, email, orcid, createdAt };
}
