/** /account/measurements: saved evaluations, to compare with later ones. */

import type { Selectable } from "kysely";
import { z } from "zod";
import { measurementKey } from "../../api-static/routes/account-routes.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type { MeasurementRow } from "../../schemas/public/account/saved.ts";
import { rubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { Evaluations } from "../evaluations/index.ts";
import { readWanted } from "../evaluations/request.ts";
import { created, offsetOf, type Page, pageOf, removed, shown } from "../http/response.ts";
import type { BodyOf, Handlers } from "../http/routes.ts";
import { unknownKey } from "../http/routes.ts";
import type { AccountContext } from "./account-rows.ts";
import { countOf, inAccount, requireRoom } from "./account-rows.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type KeptRow = Selectable<AccountTables["measurement"]>;
type Context = Pick<AccountContext, "accounts" | "evaluations" | "now">;

export function measurementHandlers(
  context: Context,
): Handlers<"measurements" | "new-measurement" | "measurement" | "delete-measurement"> {
  return {
    measurements: ({ signed: { accountId }, query }) => shown(listMeasurements(accountId, query, context)),
    "new-measurement": ({ signed: { accountId }, body }) => created(measure(accountId, body, context)),
    measurement: ({ signed: { accountId }, key }) => shown(findMeasurement(accountId, key, context)),
    "delete-measurement": ({ signed: { accountId }, key }) => removed(deleteMeasurement(accountId, key, context)),
  };
}

/** A saved evaluation in the form in which it was stored, perhaps by another version. */
export interface KeptMeasurement extends MeasurementRow {
  readonly evaluation: unknown;
}

const keptEvaluation = z.object({ evaluation: z.unknown() });

/** Columns of lists, without the large evaluation. */
const LISTED = [
  "id",
  "identifier",
  "rubric_version",
  "record_id",
  "repository",
  "title",
  "total",
  "created_at",
] as const;

/** @throws ProblemError `account-full`, and the problems of POST /evaluations */
async function measure(accountId: string, body: BodyOf<"new-measurement">, context: Context): Promise<KeptMeasurement> {
  const wanted = await readWanted(body);
  // Checked before the source is asked, and again when the row is written.
  await requireRoom(context.accounts.db, "measurements", accountId);
  const { evaluation } = await context.evaluations.evaluate(wanted);
  const { id, repository, title, score } = evaluation.record;
  const row: KeptRow = {
    id: newId("m"),
    account_id: accountId,
    identifier: wanted.text,
    rubric_version: wanted.rubricVersion,
    record_id: id,
    repository,
    title,
    total: score?.total ?? null,
    created_at: context.now().toISOString(),
    evaluation: JSON.stringify(evaluation),
  };
  await inAccount(context.accounts, accountId, async (trx) => {
    await requireRoom(trx, "measurements", accountId);
    await trx.insertInto("measurement").values(row).execute();
  });
  return shownMeasurement(row, context.evaluations);
}

export async function listMeasurements(
  accountId: string,
  asked: AccountListQuery,
  { accounts: { db } }: Pick<Context, "accounts">,
): Promise<Page<MeasurementRow>> {
  const total = await countOf(db, "measurements", accountId);
  const rows = await db
    .selectFrom("measurement")
    .select(LISTED)
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(asked.limit)
    .offset(offsetOf(asked))
    .execute();
  return pageOf(rows.map(measurementRow), total, asked);
}

/** @throws ProblemError `not-found`, also if it belongs to another account */
async function findMeasurement(
  accountId: string,
  id: string,
  { accounts, evaluations }: Context,
): Promise<KeptMeasurement> {
  const row = await accounts.db
    .selectFrom("measurement")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) throw unknownKey(measurementKey);
  return shownMeasurement(row, evaluations);
}

/** @throws ProblemError `not-found`, also if it belongs to another account */
async function deleteMeasurement(accountId: string, id: string, { accounts }: Context): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("measurement")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(measurementKey);
}

/** Returns a measurement. Creators who are hidden by now are replaced as in the next release. */
export async function shownMeasurement(
  row: KeptRow,
  evaluations: Pick<Evaluations, "asNow">,
): Promise<KeptMeasurement> {
  const { evaluation } = keptEvaluation.parse(await evaluations.asNow({ evaluation: JSON.parse(row.evaluation) }));
  return { ...measurementRow(row), evaluation };
}

function measurementRow(row: Pick<KeptRow, (typeof LISTED)[number]>): MeasurementRow {
  return {
    id: row.id,
    identifier: row.identifier,
    rubricVersion: rubricVersion.parse(row.rubric_version),
    recordId: row.record_id,
    repository: row.repository,
    title: row.title,
    total: row.total,
    createdAt: row.created_at,
  };
}
