/** The user whose account it is: found by the ORCID iD or the address somebody has proved to be theirs, or made. */

import type { Kysely, Selectable } from "kysely";
import type { User } from "../../../schemas/public/account/user.ts";
import type { AccountTables } from "../database/tables.ts";
import { newId } from "./sessions.ts";

type Db = Kysely<AccountTables>;
type AccountRow = Selectable<AccountTables["account"]>;

/** The words of ORCID about who signed in. */
export interface OrcidPerson {
  readonly orcid: string;
  readonly name: string | null;
}

/** The account of an address, folded; made where there is none. Whoever comes at the same time gets the same one. */
export async function accountOfEmail(db: Db, email: string, now: Date): Promise<User> {
  await db
    .insertInto("account")
    .values({ ...newAccount(now), email })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .execute();
  return userOf(await db.selectFrom("account").selectAll().where("email", "=", email).executeTakeFirstOrThrow());
}

/** The account of an iD, under the name it shows now; made where there is none. */
export async function accountOfOrcid(db: Db, { orcid, name }: OrcidPerson, now: Date): Promise<User> {
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
export async function linkOrcid(db: Db, accountId: string, { orcid, name }: OrcidPerson): Promise<User | null> {
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
export async function findUser(db: Db, accountId: string): Promise<User | null> {
  const row = await db.selectFrom("account").selectAll().where("id", "=", accountId).executeTakeFirst();
  return row === undefined ? null : userOf(row);
}

function newAccount(now: Date): AccountRow {
  return { id: newId("u"), name: null, email: null, orcid: null, created_at: now.toISOString() };
}

function userOf({ id, name, email, orcid, created_at: createdAt }: AccountRow): User {
  return { id, name, email, orcid, createdAt };
}
