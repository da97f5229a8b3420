/**
 * Items of an account: how they are listed, found, added within the limits of the account, exported and removed. Each
 * kind describes its table and rows in a file of its own; account.ts lists all kinds.
 */

import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { ACCOUNT_ITEMS, ACCOUNT_LIMITS, type Limited } from "../../schemas/public/account/me.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import type { Evaluations } from "../evaluations/index.ts";
import type { Session } from "../http/read-request.ts";
import {
  computeOffset,
  type ListPart,
  makeListPart,
  ProblemError,
  respond,
  respondCreated,
  respondDeleted,
} from "../http/response.ts";
import { unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import type { Accounts } from "./database.ts";
import type { SignIn } from "./sign-in.ts";
import type { Standings } from "./standings.ts";
import type { AccountTables } from "./tables.ts";

export interface AccountServices {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly evaluations: Evaluations;
  readonly signIn: SignIn;
  readonly now: Effects["now"];
}

/** How one kind of item is stored and shown. `Stored` is the row that lists read, `Shown` the row of the API. */
export interface StoredItems<Stored, Shown extends object> {
  /** The kind of item, as the limits in schemas/public/account describe it. */
  readonly item: Limited;
  readonly table: keyof AccountTables;
  /** The columns that lists read; all columns by default. */
  readonly columns?: readonly string[];
  /** The columns by which lists are ordered, newest first. The second column identifies an item within its account. */
  readonly order: readonly [time: string, id: string];
  /** The path parameter that identifies an item, with the problem for an unknown item. */
  readonly key: PathKey;
  /** Returns all IDs under which an item may be stored, for example the earlier IDs of a record; only `id` by default. */
  listIds?(id: string, services: AccountServices): Promise<readonly string[]>;
  show(rows: readonly Stored[], services: AccountServices): Promise<readonly Shown[]> | readonly Shown[];
  /**
   * Returns the items for the export, from which published data are left out. By default, the export has what `show`
   * returns.
   */
  exportItems?(rows: readonly Stored[], services: AccountServices): Promise<readonly object[]> | readonly object[];
}

type Db = Kysely<AccountTables>;
type ItemSelection = { readonly ids?: readonly string[] | undefined; readonly query?: AccountListQuery };

/** Begins a query of the table with this name. Uses the query builder, because raw SQL would wait for writers on SQLite. */
export function selectFrom(db: Db, table: keyof AccountTables, alias = "item") {
  return db.selectFrom(sql<Readonly<Record<string, string | null>>>`${sql.table(table)}`.as(alias));
}

/** Returns rows of an account, newest first: all rows, the rows with one of `ids`, or one page of rows. */
export function ownRows<Stored>(
  db: Db,
  { table, columns, order: [time, id] }: Pick<StoredItems<Stored, object>, "table" | "columns" | "order" | "show">,
  accountId: string,
  { ids, query }: ItemSelection = {},
): Promise<Stored[]> {
  const own = selectFrom(db, table)
    .where("account_id", "=", accountId)
    .$if(ids !== undefined, (rows) => rows.where(id, "in", ids ?? []))
    .$if(query !== undefined, (rows) =>
      query === undefined ? rows : rows.limit(query.limit).offset(computeOffset(query)),
    )
    .orderBy(time, "desc")
    .orderBy(id, "desc");
  return (columns === undefined ? own.selectAll() : own.select([...columns])).$castTo<Stored>().execute();
}

type Counted = Pick<StoredItems<never, object>, "item" | "table" | "order">;

async function countItems(
  db: Db,
  { table, order }: Counted,
  accountId: string,
  ids?: readonly string[],
): Promise<number> {
  const { items } = await selectFrom(db, table)
    .select(({ fn }) => fn.countAll<number>().as("items"))
    .where("account_id", "=", accountId)
    .$if(ids !== undefined, (rows) => rows.where(order[1], "in", ids ?? []))
    .executeTakeFirstOrThrow();
  return items;
}

/**
 * Checks that an account may store one more item of a kind.
 * @throws ProblemError `account-full` if the account has reached its limit
 */
export async function requireFreePlace(db: Db, items: Counted, accountId: string): Promise<void> {
  const most = ACCOUNT_LIMITS[items.item];
  if ((await countItems(db, items, accountId)) < most) return;
  const { words } = ACCOUNT_ITEMS[items.item];
  throw new ProblemError("account-full", `An account may have ${most} ${words}. Delete some first.`);
}

async function listOwn<Stored, Shown extends object>(
  items: StoredItems<Stored, Shown>,
  accountId: string,
  { id, ...query }: AccountListQuery & { readonly id?: string | undefined },
  services: AccountServices,
): Promise<ListPart<Shown>> {
  const { db } = services.accounts;
  const ids = id === undefined ? undefined : await listIds(items, id, services);
  const total = await countItems(db, items, accountId, ids);
  const rows = await ownRows(db, items, accountId, { ids, query });
  return makeListPart(await items.show(rows, services), total, query);
}

async function listIds<Stored>(
  items: StoredItems<Stored, object>,
  id: string,
  services: AccountServices,
): Promise<readonly string[]> {
  return (await items.listIds?.(id, services)) ?? [id];
}

/**
 * Finds an item of the account by its key.
 * @throws ProblemError that `items.key` defines, also if the item belongs to another account
 */
async function findOwn<Stored, Shown extends object>(
  items: StoredItems<Stored, Shown>,
  accountId: string,
  id: string,
  services: AccountServices,
): Promise<Shown> {
  const rows = await ownRows(services.accounts.db, items, accountId, { ids: await listIds(items, id, services) });
  const [item] = await items.show(rows, services);
  if (item === undefined) throw unknownKey(items.key);
  return item;
}

/**
 * Removes an item of the account by its key.
 * @throws ProblemError that `items.key` defines, also if the item belongs to another account
 */
async function removeOwn<Stored>(
  items: StoredItems<Stored, object>,
  accountId: string,
  id: string,
  services: AccountServices,
): Promise<void> {
  const { table, order } = items;
  const ids = await listIds(items, id, services);
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)}
    where account_id = ${accountId} and ${sql.ref(order[1])} in (${sql.join(ids)})`.execute(services.accounts.db);
  if (numAffectedRows === 0n) throw unknownKey(items.key);
}

interface Signed {
  readonly signed: Session;
}

/** Returns the handlers of the endpoints of one kind of item. Each kind stores new items with a function of its own. */
export function makeItemHandlers<Stored, Shown extends object>(
  items: StoredItems<Stored, Shown>,
  services: AccountServices,
) {
  const list = ({
    signed,
    query,
  }: Signed & { readonly query: AccountListQuery & { readonly id?: string | undefined } }) =>
    respond(listOwn(items, signed.accountId, query, services));
  const get = ({ signed, key }: Signed & { readonly key: string }) =>
    respond(findOwn(items, signed.accountId, key, services));
  const remove = ({ signed, key }: Signed & { readonly key: string }) =>
    respondDeleted(removeOwn(items, signed.accountId, key, services));
  const add =
    <Body>(store: (accountId: string, body: Body, services: AccountServices) => Promise<Stored>) =>
    ({ signed, body }: Signed & { readonly body: Body }) =>
      respondCreated(store(signed.accountId, body, services).then((row) => shown(items, row, services)));
  return { list, get, remove, add };
}

async function shown<Stored, Shown extends object>(
  items: StoredItems<Stored, Shown>,
  row: Stored,
  services: AccountServices,
): Promise<Shown> {
  const [item] = await items.show([row], services);
  if (item === undefined)
    throw new Error(`a row of the account table ${items.table} cannot be converted to a response; report this`);
  return item;
}

/** Rows for the export. Lists that could be too large for memory are asynchronous, and are read while they are sent. */
export type ExportedRows = AsyncIterable<object> | Iterable<object>;

/** Reads one kind of item for the overview and for the export of an account. */
export interface OwnedItems {
  overview(accountId: string, query: AccountListQuery, services: AccountServices): Promise<object | null>;
  exported(accountId: string, services: AccountServices): Promise<ExportedRows>;
}

export function ownedItems<Stored>(items: StoredItems<Stored, object>): OwnedItems {
  return {
    overview: (accountId, query, services) => listOwn(items, accountId, query, services),
    exported: async (accountId, services) => {
      const rows = await ownRows(services.accounts.db, items, accountId);
      return items.exportItems === undefined ? items.show(rows, services) : items.exportItems(rows, services);
    },
  };
}

export type AccountRow = Selectable<AccountTables["account"]>;

/**
 * Runs work in a transaction that locks the row of the account.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
export function withLockedAccount<T>(
  { db, kind }: Pick<Accounts, "db" | "kind">,
  accountId: string,
  work: (trx: Transaction<AccountTables>, account: AccountRow) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom("account").selectAll().where("id", "=", accountId);
    // On SQLite, a transaction locks the whole database, so the row needs no lock.
    const account = await (kind === "postgres" ? row.forUpdate() : row).executeTakeFirst();
    if (account === undefined) throw accountDeleted();
    return work(trx, account);
  });
}

export function accountDeleted(): ProblemError {
  return new ProblemError(
    "no-session",
    "You are not signed in: the account has been deleted. Sign in again to get a new account.",
  );
}

/** Converts an optional text from a request for storage: an empty text is null. */
export function textOrNull(sent: string | undefined): string | null {
  return sent === undefined || sent === "" ? null : sent;
}
