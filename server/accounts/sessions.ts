/**
 * Sessions: who is signed in where. A browser holds a token of 256 random bits, and the store its hash. A session lasts
 * 30 days from its last use, which is written at most once an hour: reading costs no write.
 */

import { hash, randomBytes } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Kysely, Selectable } from "kysely";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { type SessionRow, type SignInMethod, secretToken, signInMethod } from "../../schemas/public/account/sign-in.ts";
import type { SentCookies, Signed } from "../http/read-request.ts";
import type { Accounts } from "./database.ts";
import type { Site } from "./sign-in.ts";
import type { AccountTables } from "./tables.ts";

/** `renewed`: its end was moved, and the browser has to be told. */
export interface FoundSession extends Signed {
  readonly renewed: boolean;
}

export interface NewSession {
  readonly method: SignInMethod;
  /** The header User-Agent, as it was sent. */
  readonly agent: string | null;
}

export interface OpenedSession {
  /** For the cookie; known to nobody else. */
  readonly token: string;
  readonly session: Signed;
}

/** How long a session lasts unused. */
export const SESSION_SECONDS = 30 * 86_400;

/** How exactly the store knows when a session was last used. */
const SEEN_MILLISECONDS = 3_600_000;

/** Of one account: whoever opens a further one loses the one that was not used for longest. */
const MOST_SESSIONS = 100;

/** Of a browser's own name for itself; they run to a hundred characters or so. */
const LONGEST_AGENT = 160;

type Db = Kysely<AccountTables>;

export class Sessions {
  readonly #db: Db;
  readonly #now: Effects["now"];

  constructor({ db }: Pick<Accounts, "db">, now: Effects["now"]) {
    this.#db = db;
    this.#now = now;
  }

  /** A new session with a new token, whatever sessions there are; in the caller's transaction where one is given. */
  async open(accountId: string, { method, agent }: NewSession, db: Db = this.#db): Promise<OpenedSession> {
    const token = newToken();
    const sessionId = newId("s");
    const now = this.#now();
    await dropSurplus(db, accountId);
    await db
      .insertInto("session")
      .values({
        id: sessionId,
        digest: digestOfToken(token),
        account_id: accountId,
        method,
        agent: shortAgent(agent),
        created_at: now.toISOString(),
        ...usedAt(now),
      })
      .execute();
    return { token, session: { accountId, sessionId } };
  }

  /** Whose session a token is of; null for what is no token, unknown, ended or expired. */
  async find(token: string): Promise<FoundSession | null> {
    // What cannot be a token costs no query.
    if (!secretToken.safeParse(token).success) return null;
    const now = this.#now();
    const row = await this.#db
      .selectFrom("session")
      .select(["id", "account_id", "seen_at"])
      .where("digest", "=", digestOfToken(token))
      .where("expires_at", ">", now.toISOString())
      .executeTakeFirst();
    if (row === undefined) return null;
    const due = now.getTime() - Date.parse(row.seen_at) >= SEEN_MILLISECONDS;
    const renewed = due && (await this.#renew(row, now));
    return { accountId: row.account_id, sessionId: row.id, renewed };
  }

  /** The sessions of an account, the one used last first; `current` is the id of the one that asks. */
  async list(accountId: string, current: string | null = null): Promise<SessionRow[]> {
    const rows = await this.#db
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

  /** False where the account has no such session; another account's is none of its own. */
  async end(accountId: string, sessionId: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("session")
      .where("id", "=", sessionId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  /** Signs an account out everywhere; returns how many sessions ended. */
  async endAll(accountId: string): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("session")
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Ends the session of a token, if it is of one. */
  async endToken(token: string, db: Db = this.#db): Promise<void> {
    if (!secretToken.safeParse(token).success) return;
    await db.deleteFrom("session").where("digest", "=", digestOfToken(token)).execute();
  }

  /** Of requests that come at once, one moves the end; false where another did, or the session has ended meanwhile. */
  async #renew({ id, seen_at }: { readonly id: string; readonly seen_at: string }, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
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

/** Makes room for one more. */
async function dropSurplus(db: Db, accountId: string): Promise<void> {
  const surplus = await db
    .selectFrom("session")
    .select("id")
    .where("account_id", "=", accountId)
    .orderBy("seen_at", "desc")
    .orderBy("id")
    .limit(MOST_SESSIONS)
    .offset(MOST_SESSIONS - 1)
    .execute();
  for (const { id } of surplus) await db.deleteFrom("session").where("id", "=", id).execute();
}

/** Printable, and no longer than it takes to tell one's browsers apart. */
function shortAgent(agent: string | null): string | null {
  const text = (agent ?? "")
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, LONGEST_AGENT)
    .trim();
  return text === "" ? null : text;
}

/** A reply that can tell a browser to keep a cookie. */
type CookieReply = Pick<FastifyReply, "setCookie">;

/** How long somebody may take at the identity provider. */
export const PENDING_SECONDS = 600;

const SECONDS = { share_session: SESSION_SECONDS, share_sign_in: PENDING_SECONDS } as const;
type CookieName = keyof typeof SECONDS;

export class Cookies {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  /** The token of a cookie; null where there is none, or what there is cannot be one. */
  read(sent: SentCookies, name: CookieName): string | null {
    const token = secretToken.safeParse(sent[this.#nameOf(name)]);
    return token.success ? token.data : null;
  }

  set(reply: CookieReply, name: CookieName, token: string): void {
    reply.setCookie(this.#nameOf(name), token, { ...this.#attributes(), maxAge: SECONDS[name] });
  }

  clear(reply: CookieReply, name: CookieName): void {
    reply.setCookie(this.#nameOf(name), "", { ...this.#attributes(), maxAge: 0 });
  }

  #nameOf(name: CookieName): string {
    return this.#site.secure ? `__Host-${name}` : name;
  }

  /** Lax: sent along when the identity provider sends the browser back, and not with what other sites post or embed. */
  #attributes() {
    return { path: "/", httpOnly: true, secure: this.#site.secure, sameSite: "lax" } as const;
  }
}

/** 256 bits in base64url, 43 characters: tokens of sessions and links. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** sha256 in hex. A token has 256 random bits: there is nothing to guess that a slower hash would make slower. */
export function digestOfToken(token: string): string {
  return hash("sha256", token);
}

/** A letter and 24 hex digits, at random: a public name of something, from which no secret follows. */
export function newId(letter: string): string {
  return letter + randomBytes(12).toString("hex");
}

type UsersDb = Kysely<AccountTables>;
type AccountRow = Selectable<AccountTables["account"]>;

/** The words of ORCID about who signed in. */
export interface OrcidPerson {
  readonly orcid: string;
  readonly name: string | null;
}

/** The account of an address, folded; made where there is none. Whoever comes at the same time gets the same one. */
export async function accountOfEmail(db: UsersDb, email: string, now: Date): Promise<User> {
  await db
    .insertInto("account")
    .values({ ...newAccount(now), email })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .execute();
  return userOf(await db.selectFrom("account").selectAll().where("email", "=", email).executeTakeFirstOrThrow());
}

/** The account of an iD, under the name it shows now; made where there is none. */
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
  return userOf(row);
}

/** The account with the iD added to it; null where it has one, or the iD has an account, or the account is gone. */
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
  return row === undefined ? null : userOf(row);
}

/** Null for an account that is gone. */
export async function findUser(db: UsersDb, accountId: string): Promise<User | null> {
  const row = await db.selectFrom("account").selectAll().where("id", "=", accountId).executeTakeFirst();
  return row === undefined ? null : userOf(row);
}

function newAccount(now: Date): AccountRow {
  return { id: newId("u"), name: null, email: null, orcid: null, created_at: now.toISOString() };
}

function userOf({ id, name, email, orcid, created_at: createdAt }: AccountRow): User {
  return { id, name, email, orcid, createdAt };
}
