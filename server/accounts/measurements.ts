/** /account/measurements: saved evaluations, to compare with later ones. */

import type { Selectable } from "kysely";
import { z } from "zod";
import { measurementKey } from "../../api-static/routes/account-routes.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type { MeasurementRow } from "../../schemas/public/account/saved.ts";
import { rubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { Evaluations } from "../evaluations/index.ts";
import { readTarget } from "../evaluations/request.ts";
import { type ListPart, listPartOf, offsetOf, respond, respondCreated, respondDeleted } from "../http/response.ts";
import type { BodyOf, Handlers } from "../http/routes.ts";
import { unknownKey } from "../http/routes.ts";
import type { AccountServices } from "./account-rows.ts";
import { countOf, requireFreePlace, withLockedAccount } from "./account-rows.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type StoredRow = Selectable<AccountTables["measurement"]>;
type MeasurementServices = Pick<AccountServices, "accounts" | "evaluations" | "now">;

export function measurementHandlers(
  context: MeasurementServices,
): Handlers<"measurements" | "new-measurement" | "measurement" | "delete-measurement"> {
  return {
    measurements: ({ signed: { accountId }, query }) => respond(listMeasurements(accountId, query, context)),
    "new-measurement": ({ signed: { accountId }, body }) => respondCreated(addMeasurement(accountId, body, context)),
    measurement: ({ signed: { accountId }, key }) => respond(findMeasurement(accountId, key, context)),
    "delete-measurement": ({ signed: { accountId }, key }) =>
      respondDeleted(deleteMeasurement(accountId, key, context)),
  };
}

/** A saved evaluation as stored. Another version may have stored it. */
export interface StoredMeasurement extends MeasurementRow {
  readonly evaluation: unknown;
}

const storedEvaluation = z.object({ evaluation: z.unknown() });

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
async function addMeasurement(
  accountId: string,
  body: BodyOf<"new-measurement">,
  context: MeasurementServices,
): Promise<StoredMeasurement> {
  const target = readTarget(body);
  // Checked before the request to the source, and again when the row is written.
  await requireFreePlace(context.accounts.db, "measurements", accountId);
  const { evaluation } = await context.evaluations.evaluate(target);
  const { id, repository, title, score } = evaluation.record;
  const row: StoredRow = {
    id: newId("m"),
    account_id: accountId,
    identifier: target.text,
    rubric_version: target.rubricVersion,
    record_id: id,
    repository,
    title,
    total: score?.total ?? null,
    created_at: context.now().toISOString(),
    evaluation: JSON.stringify(evaluation),
  };
  await withLockedAccount(context.accounts, accountId, async (trx) => {
    await requireFreePlace(trx, "measurements", accountId);
    await trx.insertInto("measurement").values(row).execute();
  });
  return measurementForApi(row, context.evaluations);
}

export async function listMeasurements(
  accountId: string,
  listQuery: AccountListQuery,
  { accounts: { db } }: Pick<MeasurementServices, "accounts">,
): Promise<ListPart<MeasurementRow>> {
  const total = await countOf(db, "measurements", accountId);
  const rows = await db
    .selectFrom("measurement")
    .select(LISTED)
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(listQuery.limit)
    .offset(offsetOf(listQuery))
    .execute();
  return listPartOf(rows.map(measurementRow), total, listQuery);
}

/** @throws ProblemError `not-found`, also if it belongs to another account */
async function findMeasurement(
  accountId: string,
  id: string,
  { accounts, evaluations }: MeasurementServices,
): Promise<StoredMeasurement> {
  const row = await accounts.db
    .selectFrom("measurement")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) throw unknownKey(measurementKey);
  return measurementForApi(row, evaluations);
}

/** @throws ProblemError `not-found`, also if it belongs to another account */
async function deleteMeasurement(accountId: string, id: string, { accounts }: MeasurementServices): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("measurement")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(measurementKey);
}

/** Returns a measurement. Creators who are hidden now are replaced, as in the next release. */
export async function measurementForApi(
  row: StoredRow,
  evaluations: Pick<Evaluations, "withCurrentHidden">,
): Promise<StoredMeasurement> {
  const { evaluation } = storedEvaluation.parse(
    await evaluations.withCurrentHidden({ evaluation: JSON.parse(row.evaluation) }),
  );
  return { ...measurementRow(row), evaluation };
}

function measurementRow(row: Pick<StoredRow, (typeof LISTED)[number]>): MeasurementRow {
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
