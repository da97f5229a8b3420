/**
 * Functions that suites about hidden researchers share: they hide and claim researchers in the account store, and read
 * researchers from a server.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { z } from "zod";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { researcherDetail, researcherList, type researcherRow } from "../../schemas/public/api/researcher.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";
import { ask } from "../server/ask.ts";
import { NOW } from "../server/test-store.ts";

export type Db = Kysely<AccountTables>;

export type Person = z.infer<typeof researcherRow>;
type Who = Pick<Person, "id" | "slug">;

/** Opens the default account store of a server, which is beside its release store. */
export function accountsBeside(store: { readonly root: string }): Promise<Accounts> {
  return openAccounts({ sqlite: join(store.root, "accounts.sqlite") });
}

/** Replaces the list of hidden researchers: hides these, and no others. */
export async function hide(db: Db, people: readonly Who[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom("hidden_researcher").execute();
    for (let at = 0; at < people.length; at += 500) {
      const rows = people.slice(at, at + 500);
      await trx
        .insertInto("hidden_researcher")
        .values(rows.map(({ id, slug }) => ({ researcher_id: id, slug, since: NOW.toISOString() })))
        .execute();
    }
  });
}

const ACCOUNT = `u${"1".repeat(24)}`;

/** Replaces all claims: the researchers in `approved` get an approved claim, and those in `pending` a pending one. */
export async function claim(db: Db, approved: readonly Who[], pending: readonly Who[] = []): Promise<void> {
  const at = NOW.toISOString();
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom("profile_claim").execute();
    await trx.deleteFrom("account").execute();
    await trx
      .insertInto("account")
      .values({ id: ACCOUNT, name: null, email: null, orcid: null, created_at: at })
      .execute();
    for (const [state, people] of Object.entries({ approved, pending })) {
      for (const { id, slug } of people) {
        const decided = state === "approved" ? at : null;
        const row = { id: `c${id.slice(1)}`, account_id: ACCOUNT, researcher_id: id, slug, state };
        const times = { decision_reason: null, created_at: at, decided_at: decided };
        await trx
          .insertInto("profile_claim")
          .values({ ...row, ...times })
          .execute();
      }
    }
  });
}

/** Waits until a condition holds, for example until a server has noticed a decision, which takes one or two polls. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

/** Repeats a GET request until the response has this status. */
export function untilStatus(port: number, path: string, status: number): Promise<void> {
  return until(async () => (await ask(port, path)).status === status);
}

/** Returns all researchers that GET /authors lists for a query, read page by page. */
export async function listed(port: number, query = ""): Promise<Person[]> {
  const rows: Person[] = [];
  for (let page = 1; ; page += 1) {
    const { text } = await ask(port, `/authors?${query}&limit=7&page=${page}`);
    const { data, pagination } = researcherList.parse(JSON.parse(text));
    rows.push(...data);
    if (!pagination.hasNext) {
      if (pagination.total !== rows.length)
        throw new Error(`GET /authors states a total of ${pagination.total}, but lists ${rows.length}`);
      return rows;
    }
  }
}

export async function fetchPage(port: number, slug: string) {
  return researcherDetail.parse(JSON.parse((await ask(port, `/authors/${slug}`)).text));
}

/**
 * Returns a researcher with an ORCID iD and a name that nobody else in the release has, so that tests can look for the name.
 * Throws if there is none.
 */
export async function onlyOfTheirName(release: string, people: readonly Person[]): Promise<Person> {
  const db = await openDuckDB({ threads: 1 });
  try {
    const file = quote(join(release, "data/authorships/part-0000.parquet"));
    const rows = await db.rows(
      `select min(researcher_id) as id from read_parquet(${file})
       group by name having count(*) > 1 and count(distinct coalesce(researcher_id, '')) = 1 and bool_and(orcid is not null)`,
    );
    const ids = new Set(rows.map(({ id }) => id));
    const found = people.find(
      ({ id, name }) => ids.has(id) && people.filter((other) => other.name === name).length === 1,
    );
    if (found === undefined) throw new Error("the release has no researcher with an ORCID iD and a unique name");
    return found;
  } finally {
    db.close();
  }
}
