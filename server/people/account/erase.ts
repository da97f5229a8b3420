/** DELETE /account/me: erases the person; what is nobody's any more stays. */

import { sql } from "kysely";
import { findUser } from "../sign-in/users.ts";
import type { AccountContext } from "./context.ts";
import { accountGone } from "./in-account.ts";

/**
 * Everything that has the account's id goes with its row, but for submissions, which lose the id, and links for signing
 * in, which are kept by address. Who is hidden stays hidden.
 * @throws ProblemError `no-session` where it was deleted meanwhile
 */
export async function eraseAccount(
  accountId: string,
  { accounts: { db, kind } }: Pick<AccountContext, "accounts">,
): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountGone();
  await db.transaction().execute(async (trx) => {
    // Links first, as whoever signs in by one takes them: the other way round each could wait for the other.
    if (user.email !== null) await trx.deleteFrom("magic_link").where("email", "=", user.email).execute();
    // Held until the end: nothing new is written under it between what follows.
    const row = trx.selectFrom("account").select("id").where("id", "=", accountId);
    await (kind === "postgres" ? row.forUpdate() : row).execute();
    await trx.deleteFrom("account").where("id", "=", accountId).execute();
  });
  // The log still has the rows as they were written.
  if (kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
